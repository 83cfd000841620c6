"""The plan that is chosen beside every other plan of a layer, on graphs and widths.

    make bench-plans                                   # goes on where it stopped; half an hour
    .venv/bin/python benchmark/plans.py --models rgcn --datasets aifb --widths 32x128 --seconds 20
    .venv/bin/python benchmark/plans.py --report       # the table of what was measured

A plan is what comes of the rewrites of rgnn.Options, each "auto", off or on. Those that differ in their kernels, and
are not predicted to be slow, are compiled and run in turns in one process. The fastest of them is measured once more,
beside the plan of the rules and the one that Options(plan="costs") chooses: the best of many noisy numbers is too good.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

MODELS = ("rgcn", "rgat", "hgt")
DATASETS = ("aifb", "mutag", "wn18rr")
WIDTHS = ("32x128", "64x64", "256x32")
MODES = ("inference", "training")
PROMISING = 1.5
"""Plans that are predicted to take as many times as long as the best are not run, but for those with names."""

NAMED = {"none": (), "C": ("compact",), "R": ("reorder",), "C+R": ("compact", "reorder")}
"""Hector's plans: what is on of the rewrites, all others being off (Hector, table 5)."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", nargs="+", default=DATASETS, help="(default: %(default)s)")
    parser.add_argument("--models", nargs="+", default=MODELS,
                        help="these, or layers of rgnn.tune.layers (default: %(default)s)")  # fmt: skip
    parser.add_argument("--widths", nargs="+", default=WIDTHS, help="of rows in and out (default: %(default)s)")
    parser.add_argument("--modes", nargs="+", default=MODES, help="(default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=8, help="to measure a cell (default: %(default)s)")
    parser.add_argument("--limit", type=float, default=600, help="seconds of a cell (default: %(default)s)")
    parser.add_argument("--file", type=Path, default=HERE.parent / "build/plans.jsonl", help="(default: %(default)s)")
    parser.add_argument("--report", action="store_true", help="measure nothing")
    parser.add_argument("--cell", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.cell:
        *cell, seconds = options.cell
        print(json.dumps(measure(*cell, float(seconds))))
        return 0
    if not options.report:
        measure_cells(options)
    print(report(list(read(options.file))))
    return 0


def read(file: Path) -> Iterator[dict[str, Any]]:
    if file.exists():
        yield from map(json.loads, file.read_text().splitlines())


def measure_cells(options: argparse.Namespace) -> None:
    """Measures the cells that are not in the file so far, each in a process of its own."""
    done = {tuple(cell["cell"]) for cell in read(options.file)}
    cells = [(model, dataset, widths, mode) for dataset in options.datasets for model in options.models
             for widths in options.widths for mode in options.modes]  # fmt: skip
    options.file.parent.mkdir(exist_ok=True)
    for number, cell in enumerate(cells, 1):
        if cell in done:
            continue
        command = [sys.executable, __file__, "--cell", *cell, str(options.seconds)]
        found: dict[str, Any] = {"cell": cell}
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=options.limit)
            found |= json.loads(run.stdout.splitlines()[-1]) if not run.returncode else \
                {"failed": (run.stderr.strip() or f"ended by signal {-run.returncode}").splitlines()[-1]}  # fmt: skip
        except subprocess.TimeoutExpired:
            found["failed"] = f"not within {options.limit:g} s"
        with options.file.open("a") as file:
            file.write(json.dumps(found) + "\n")
        both = [(name, found[name]) for name in ("best", "chosen") if name in found]
        said = ", ".join(f"{name} {plan['ratio']:.3f} ({describe(plan['changes'])})" for name, plan in both)
        print(f"{number}/{len(cells)} {' '.join(cell)}: {said or found['failed']}", file=sys.stderr, flush=True)


def measure(model: str, dataset: str, widths: str, mode: str, seconds: float) -> dict[str, Any]:
    """The plans of a cell: what they are, and what they were predicted and measured to take."""
    import torch
    from peers.rgnn_peer import Options
    from rgnn._trial import record_regions

    module, inputs = build(model, dataset, *map(int, widths.split("x")))
    with torch.set_grad_enabled(mode == "training"):
        recorded = record_regions(module, inputs, {}, Options())
    if recorded.fallbacks:
        raise RuntimeError(f"expected a layer that is compiled whole, got {recorded.fallbacks[0]}")
    return Cell(recorded.regions, mode == "training").measure(seconds)


class Cell:
    """A layer on a graph, and its plans, by their kernels."""

    def __init__(self, regions: list, trains: bool):
        import torch
        from rgnn.tune.costs import Costs, load_costs
        from rgnn.tune.parts import Part

        self._regions, self._trains = regions, trains
        self._parts = [Part(text, tensors, trains) for text, tensors in regions]
        self._learned = load_costs(torch.get_num_threads())
        self._bounds = Costs(self._learned.machine, None, self._learned.threads)
        self._plans: dict[tuple, dict[str, Any]] = {}

    def measure(self, seconds: float) -> dict[str, Any]:
        from rgnn import Options
        from rgnn._options import REWRITES
        from rgnn.tune.measure import time_in_turns
        from rgnn.tune.plans import NOT_TRIED, add_rewrites, choose_plan

        automatic = self._name({}, "automatic")
        start = time.perf_counter()
        candidates = choose_plan(self._regions, Options(), self._trains)
        choosing = time.perf_counter() - start
        chosen = self._name(candidates[0].changes, "chosen")
        for name, rewrites in NAMED.items():
            self._name({rewrite: rewrite in rewrites for rewrite in REWRITES if rewrite not in NOT_TRIED}, name)
        add_rewrites(Options(), self._add, math.inf)
        slowest = PROMISING * min(plan["predicted"] for plan in self._plans.values())
        run = [plan for plan in self._plans.values() if plan["names"] or plan["predicted"] < slowest]
        programs = [self._compile(plan["changes"]) for plan in run]
        times = time_in_turns(dict(zip(map(str, range(len(run))), programs)), seconds * 2 / 3, least=5)
        for number, plan in enumerate(run):
            plan |= {"seconds": times.seconds[str(number)], "ratio": times.ratios[str(number)]}
        best = min(run, key=lambda plan: plan["ratio"])
        three = {"automatic": automatic, "best": best, "chosen": chosen}
        again = time_in_turns({name: programs[run.index(plan)] for name, plan in three.items()}, seconds / 3)
        return {"plans": list(self._plans.values()), "choosing": choosing, "looked at": len(candidates),
                "milliseconds": again.seconds["automatic"] * 1e3,
                **{name: {"changes": three[name]["changes"], "ratio": again.ratios[name]}
                   for name in ("best", "chosen")}}  # fmt: skip

    def _add(self, changes: dict[str, Any]) -> dict[str, Any] | None:
        """Plans some changes; None where they come to a plan that there is."""
        from rgnn import Options

        options, known = Options(**changes), len(self._plans)
        plans = [part.plan(options, self._learned) for part in self._parts]
        plan = self._plans.setdefault(tuple(plan.key for plan in plans), {"changes": changes, "names": []})
        if len(self._plans) == known:
            return None
        plan["predicted"] = sum(one.seconds for one in plans)
        plan["bounds"] = sum(part.plan(options, self._bounds).seconds for part in self._parts)
        return plan

    def _name(self, changes: dict[str, Any], name: str) -> dict[str, Any]:
        from rgnn import Options

        self._add(changes)
        plan = self._plans[tuple(part.plan(Options(**changes), self._learned).key for part in self._parts)]
        plan["names"].append(name)
        return plan

    def _compile(self, changes: dict[str, Any]) -> Callable[[], None]:
        from rgnn import Options

        programs = [part.program(Options(**changes)) for part in self._parts]

        def run() -> None:
            for program in programs:
                program()

        return run


class OfGraph(NamedTuple):
    """What layers are made for; as ``rgnn.tune.layers.Sizes``, but of a graph that there is."""

    width: int
    out: int
    types: int
    metadata: tuple


def build(model: str, dataset: str, width: int, out: int) -> tuple[Any, tuple]:
    """A layer and its inputs."""
    import torch
    from peers.problem import Problem, load_graph
    from rgnn.tune.layers import LAYERS

    if model not in LAYERS:
        problem = Problem(model, dataset, width, out=out)
        return problem.module(), problem.inputs(problem.graph)
    graph = load_graph(dataset)
    torch.manual_seed(0)
    kind = LAYERS[model].graph
    layer = LAYERS[model].make(OfGraph(width, out, graph.num_edge_types, graph.metadata)).eval()
    x = torch.randn(graph.num_nodes, width)
    if kind == "hetero":
        return layer, (graph.split_nodes(x), graph.edge_index_dict)
    return layer, (x, graph.edge_index, *([graph.edge_type] if kind == "typed" else []))


def report(cells: list[dict[str, Any]]) -> str:
    """A table of cells, and means."""
    lines = ["| layer | data set | widths | call | plans | automatic ms | best plan | its time | chosen by costs | "
             "its time | best of C, R, C+R, none | chosen in s |", "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    measured = [cell for cell in cells if "failed" not in cell]
    for cell in measured:
        named = min(plan["ratio"] for plan in cell["plans"] if set(plan["names"]) & set(NAMED))
        lines.append(f"| {' | '.join(cell['cell'])} | {len(cell['plans'])} | {cell['milliseconds']:.2f} | "
                     + " | ".join(f"{describe(cell[name]['changes'])} | {cell[name]['ratio']:.3f}"
                                  for name in ("best", "chosen")) + f" | {named:.2f} | {cell['choosing']:.2f} |")
    lines += ["", "| layer | call | cells | rules | costs, learned | costs by bounds | best of C, R, C+R, none | "
              "chosen in s |", "|---|---|---|---|---|---|---|---|"]  # fmt: skip
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for cell in measured:
        for name in ((cell["cell"][0], cell["cell"][3]), ("all", "")):
            groups.setdefault(name, []).append(cell)
    for (layer, call), some in groups.items():
        numbers = [f"{mean(ratios):.3f}, {max(ratios):.3f}" for ratios in zip(*map(behind_best, some))]
        seconds = sum(cell["choosing"] for cell in some) / len(some)
        lines.append(f"| {layer} | {call} | {len(some)} | {' | '.join(numbers)} | {seconds:.2f} |")
    if measured:
        ratios = [cell["chosen"]["ratio"] for cell in measured]
        lines.append(f"costs by rules: geometric mean {mean(ratios):.3f}, {min(ratios):.3f} to {max(ratios):.3f}")
    lines += [f"{' '.join(cell['cell'])}: {cell['failed']}" for cell in cells if "failed" in cell]
    return "\n".join(lines)


def behind_best(cell: dict[str, Any]) -> tuple[float, ...]:
    """Times by that of the best plan: the rules' plan, the one chosen by learned costs, the one that bounds would
    choose, and Hector's best."""
    run = [plan for plan in cell["plans"] if "ratio" in plan]
    by_bounds = min(run, key=lambda plan: plan["bounds"])
    if by_bounds["bounds"] > 0.97 * run[0]["bounds"]:
        by_bounds = run[0]
    best, least = cell["best"]["ratio"], min(plan["ratio"] for plan in run)
    named = min(plan["ratio"] for plan in run if set(plan["names"]) & set(NAMED))
    return 1 / best, cell["chosen"]["ratio"] / best, by_bounds["ratio"] / least, named / best


def mean(ratios: list[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def describe(changes: dict[str, Any]) -> str:
    if len(changes) > 6:  # one of Hector's
        return "+".join(name for name, on in changes.items() if on) + " alone" if any(changes.values()) else "none"
    return ", ".join(f"{name}={value}" for name, value in changes.items()) or "automatic"


if __name__ == "__main__":
    sys.exit(main())

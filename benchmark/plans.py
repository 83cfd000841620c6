"""The plan that is chosen beside every other plan of a layer, on graphs and widths.

    make bench-plans                                   # goes on where it stopped; some hours
    .venv/bin/python benchmark/plans.py --models rgcn --datasets aifb --widths 32x128 --seconds 20
    .venv/bin/python benchmark/plans.py --report       # the table of what was measured

A plan is what comes of the rewrites of rgnn.Options, each "auto", off or on. All that differ in their code are compiled
and run in turns in one process; the fastest of them is measured once more beside the plan that is chosen without
options, for the best of many noisy numbers is too good.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

MODELS = ("rgcn", "rgat", "hgt")
DATASETS = ("aifb", "wn18rr", "fb15k-237", "synthetic:bgs:0.2", "synthetic:biokg:0.02")
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
    parser.add_argument("--seconds", type=float, default=30, help="to measure a cell (default: %(default)s)")
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
    from rgnn import Options
    from rgnn._options import REWRITES
    from rgnn._trial import record_regions
    from rgnn.tune.costs import Costs, load_costs
    from rgnn.tune.measure import time_in_turns
    from rgnn.tune.parts import Part
    from rgnn.tune.plans import NOT_TRIED, add_rewrites, choose_plan

    module, inputs = build(model, dataset, *map(int, widths.split("x")))
    trains = mode == "training"
    with torch.set_grad_enabled(trains):
        recorded = record_regions(module, inputs, {}, Options())
    assert not recorded.fallbacks, recorded.fallbacks
    parts = [Part(text, tensors, trains) for text, tensors in recorded.regions]
    learned = load_costs(torch.get_num_threads())
    bounds = Costs(learned.machine, None, learned.threads)
    plans: dict[tuple, dict[str, Any]] = {}

    def add(changes: dict[str, Any]) -> dict[str, Any] | None:
        found = [part.plan(Options(**changes), learned) for part in parts]
        key = tuple(plan.key for plan in found)
        if key in plans:
            return None
        plans[key] = {"changes": changes, "names": [], "predicted": sum(plan.seconds for plan in found),
                      "bounds": sum(part.plan(Options(**changes), bounds).seconds for part in parts)}  # fmt: skip
        return plans[key]

    def name(changes: dict[str, Any], called: str) -> dict[str, Any]:
        add(changes)
        plan = plans[tuple(part.plan(Options(**changes), learned).key for part in parts)]
        plan["names"].append(called)
        return plan

    automatic = name({}, "automatic")
    start = time.perf_counter()
    candidates = choose_plan(recorded.regions, Options(), trains)
    choosing = time.perf_counter() - start
    chosen = name(candidates[0].changes, "chosen")
    for called, rewrites in NAMED.items():
        name({rewrite: rewrite in rewrites for rewrite in REWRITES if rewrite not in NOT_TRIED}, called)
    add_rewrites(Options(), add, math.inf)
    slowest = PROMISING * min(plan["predicted"] for plan in plans.values())
    run = [plan for plan in plans.values() if plan["names"] or plan["predicted"] < slowest]
    for plan in run:
        start = time.perf_counter()
        plan["run"] = partial(run_all, [part.program(Options(**plan["changes"])) for part in parts])
        plan["compiling"] = time.perf_counter() - start
    times = time_in_turns({str(number): plan["run"] for number, plan in enumerate(run)}, seconds * 2 / 3, least=5)
    for number, plan in enumerate(run):
        plan |= {"seconds": times.seconds[str(number)], "ratio": times.ratios[str(number)]}
    best = min(run, key=lambda plan: plan["ratio"])
    again = time_in_turns({"automatic": automatic["run"], "best": best["run"], "chosen": chosen["run"]}, seconds / 3)
    for plan in run:
        del plan["run"]
    return {"plans": list(plans.values()), "choosing": choosing, "looked at": len(candidates),
            "milliseconds": again.seconds["automatic"] * 1e3,
            **{name: {"changes": plan["changes"], "ratio": again.ratios[name]}
               for name, plan in (("best", best), ("chosen", chosen))}}  # fmt: skip


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


def run_all(programs: list) -> None:
    for program in programs:
        program()


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
    for behind, of in (("automatic", lambda cell: 1 / cell["best"]["ratio"]),
                       ("chosen by costs", lambda cell: cell["chosen"]["ratio"] / cell["best"]["ratio"]),
                       ("chosen by costs, by automatic", lambda cell: cell["chosen"]["ratio"])):
        ratios = sorted(map(of, measured))
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            lines.append(f"{behind}: geometric mean {mean:.3f}, {ratios[0]:.3f} to {ratios[-1]:.3f}")
    lines += [f"{' '.join(cell['cell'])}: {cell['failed']}" for cell in cells if "failed" in cell]
    return "\n".join(lines)


def describe(changes: dict[str, Any]) -> str:
    if len(changes) > 6:  # one of Hector's
        return "+".join(name for name, on in changes.items() if on) + " alone" if any(changes.values()) else "none"
    return ", ".join(f"{name}={value}" for name, value in changes.items()) or "automatic"


if __name__ == "__main__":
    sys.exit(main())

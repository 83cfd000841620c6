"""Measures RGNN and its peers side by side: time, one-off costs, memory and difference to the reference.

    .venv/bin/python benchmark/run.py                 # rgcn, rgat, hgt x aifb, mutag, fb15k-237
    .venv/bin/python benchmark/run.py --quick         # aifb only, few rounds
    .venv/bin/python benchmark/run.py --models rgat --datasets synthetic:am:0.1 --peers rgnn,pyg
    .venv/bin/python benchmark/run.py --training      # forward, loss and gradients instead of a call

A training step is the forward, the negative log-likelihood of fixed random labels (log_softmax over the columns and
nll_loss), and the backward: gradients of all parameters, and none of the features.

Every peer of a cell (a model on a data set) is a process of its own. They are all alive during a cell, but only one
works at a time. After the first calls, short bursts of calls go round all peers, so that what disturbs the machine
disturbs all. Memory is measured after that, in new processes. Columns:

    min, median     ms of a warmed-up call (or training step)
    first           ms of the first call: capture, compilation, views and all
    compile         of these, what belongs to no graph: first - views - median (of peers that compile)
    views           ms that a graph seen for the first time costs beyond a call
    repaid          calls after which compile + views are made up for, against the fastest PyG eager class and its own
    peak, steady    MiB: VmHWM of a process that does only this, reset after imports and loading, over view building,
                    compilation and first call; and over later calls
    max|diff|       to PyG in float64, and the same over max|reference|; when training, of the parameters' gradients,
                    the largest of all parameters (absolute where the gradient is 0 but for rounding). HGT's priors are
                    single numbers in which large terms cancel: relative errors of 1e-5 there are float32's, of any peer
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import worker  # noqa: E402
from peers import ABSENT, PEERS  # noqa: E402
from processes import PeerError, Progress, Worker, available_memory, measure_in_turns, start_server  # noqa: E402

MODELS = ("rgcn", "rgat", "hgt")
DATASETS = ("aifb", "mutag", "fb15k-237")
QUICK_ABSENT = {("pyg-compiled", model): "compiles for minutes, left out by --quick" for model in ("rgcn", "hgt")}
QUICK_ABSENT |= {("rgnn-unrewritten", model): "left out by --quick" for model in ("rgcn", "rgat", "hgt")}


def measure_cell(model: str, dataset: str, options, progress: Progress) -> tuple[str, list[dict]]:
    """One row per peer: what was measured, or why not. And a description of the graph."""
    spec = {"model": model, "dataset": dataset, "width": options.width, "threads": options.threads,
            "training": options.training}  # fmt: skip
    names = [name for name in options.peers if model in PEERS[name][2]]
    absent = ABSENT | (QUICK_ABSENT if options.quick else {})
    rows = {name: {"model": model, "dataset": dataset, "peer": name, "status": "ok"} for name in options.peers
            if name in names or (name, model) in absent}  # fmt: skip
    names = [name for name in names if (name, model) not in absent]
    for name in rows:
        if name not in names:
            rows[name]["status"] = absent[name, model]
    workers: dict[str, Worker] = {}
    title = f"{model} on {dataset}"

    def start(name: str, limit: float) -> Worker:
        memory = min(options.memory_limit * (1 << 30), available_memory() - (1 << 30))
        return Worker(worker.Session, {**spec, "peer": name, "memory_limit": memory}, Path(folder), limit)

    def give_up(name: str, reason: PeerError) -> None:
        rows[name]["status"] = str(reason)
        if name in workers:
            workers.pop(name).close()

    with tempfile.TemporaryDirectory(prefix="rgnn-bench-") as folder:
        reference = str(Path(folder) / "reference.pt")
        try:
            progress.show(f"{title}: reference")
            try:
                # The cell needs it, so it has all memory that there is, and time.
                spec_of_reference = {**spec, "peer": "reference", "memory_limit": available_memory()}
                limit = max(600, options.time_limit)
                workers["reference"] = Worker(worker.Session, spec_of_reference, Path(folder), limit)
                description = workers["reference"].about["graph"]
                workers["reference"].ask("reference", path=reference)
            except PeerError as reason:
                for row in rows.values():
                    row["status"] = f"no reference ({reason})"
                return dataset, list(rows.values())
            workers.pop("reference").close()

            for name in names:
                progress.show(f"{title}: first call of {name}")
                try:
                    workers[name] = start(name, options.time_limit)
                    rows[name] |= {key: workers[name].about[key] for key in ("note", "equal", "compiles")}
                    rows[name] |= workers[name].ask("first", reference=reference)
                except PeerError as reason:
                    give_up(name, reason)

            first = {name: rows[name]["first"] for name in workers}
            times = measure_in_turns(workers, first, options, lambda where: progress.show(f"{title}: {where}"), give_up)
            for name in list(workers):
                progress.show(f"{title}: views of {name}")
                rows[name] |= {"min": min(times[name]), "median": statistics.median(times[name])}
                rows[name]["calls"] = len(times[name])
                if len(times[name]) < options.least:
                    rows[name]["note"] += f"; {len(times[name])} calls"
                try:
                    fresh = [workers[name].ask("fresh") for _ in range(1 if rows[name]["median"] > 1 else 3)]
                except PeerError as reason:
                    give_up(name, reason)
                    continue
                # A call's own variation is no view: below a tenth of a call it counts as none.
                views = min(once["prepare"] + max(0.0, once["call"] - rows[name]["median"]) for once in fresh)
                rows[name]["views"] = views if views > 0.1 * rows[name]["median"] else 0.0
                whole = rows[name]["prepare"] + rows[name]["first"]
                rows[name]["first"] = whole
                if rows[name]["compiles"]:
                    rows[name]["compile"] = max(0.0, whole - rows[name]["views"] - rows[name]["median"])
            measured = list(workers)
            for name in measured:
                workers.pop(name).close()

            for name in measured if options.memory else []:
                progress.show(f"{title}: memory of {name}")
                try:
                    workers[name] = start(name, options.time_limit)
                    rows[name] |= workers[name].ask("memory")
                except PeerError as reason:
                    rows[name]["memory_status"] = str(reason)
                if name in workers:
                    workers.pop(name).close()
        finally:
            for left in workers.values():
                left.close()
    ordered = list(rows.values())
    add_repayment(ordered)
    return description, ordered


def add_repayment(rows: list[dict]) -> None:
    """Calls after which a peer's compile and view building are repaid, against PyG's fastest eager class."""
    eager = [row for row in rows if row["status"] == "ok" and row["peer"] in ("pyg", "pyg-fast")]
    if not eager:
        return
    base = min(eager, key=lambda row: row["median"])
    for row in rows:
        if row["status"] != "ok" or row in eager:
            continue
        gain = base["median"] - row["median"]
        once = row.get("compile", 0.0) + row["views"]
        row["repaid"] = math.ceil(once / gain) if gain > 0 else math.inf
        row["repaid_views"] = math.ceil(row["views"] / gain) if gain > 0 else math.inf


def format_cell(rows: list[dict]) -> list[str]:
    def ms(row, key):
        value = row.get(key)
        return "" if value is None else f"{value * 1e3:,.{2 if value < 0.1 else 1 if value < 1 else 0}f}"

    def count(row, key):
        value = row.get(key)
        return "" if value is None else "never" if math.isinf(value) else f"{value:,.0f}"

    header = ["peer", "min ms", "median ms", "first ms", "compile ms", "views ms", "repaid", "peak MiB", "steady MiB",
              "max|diff|", "relative", "note"]  # fmt: skip
    lines = []
    for row in rows:
        if row["status"] != "ok":
            lines.append([row["peer"], "-" * 6, f"not measured: {row['status']}"])
            continue
        lines.append([
            row["peer"], ms(row, "min"), ms(row, "median"), ms(row, "first"), ms(row, "compile"), ms(row, "views"),
            count(row, "repaid"), count(row, "peak"), count(row, "steady"),
            f"{row['difference']:.1e}" if "difference" in row else "another fn",
            f"{row['relative']:.1e}" if "relative" in row else "",
            row["note"] + (f"; memory: {row['memory_status']}" if "memory_status" in row else ""),
        ])  # fmt: skip
    full = [header] + [line for line in lines if len(line) == len(header)]
    widths = [max(len(line[i]) for line in full) for i in range(len(header))]
    widths[0] = max([widths[0], *(len(line[0]) for line in lines)])
    result = []
    for line in [header, *lines]:
        if len(line) == len(header):
            cells = [line[0].ljust(widths[0])]
            cells += [line[i].rjust(widths[i]) for i in range(1, len(header) - 1)]
            result.append("  ".join([*cells, line[-1]]).rstrip())
        else:
            result.append(f"{line[0].ljust(widths[0])}  {line[2]}")
    return result


def ratios(rows: list[dict]) -> dict[str, tuple[str, float, float]]:
    """RGNN's speed-up over the best of PyG, of all others, and without rewrites: (peer, by minima, by medians)."""
    done = {row["peer"]: row for row in rows if row["status"] == "ok"}
    own = done.get("rgnn")
    result = {}
    others = [row for name, row in done.items() if not name.startswith("rgnn")]
    groups = {"best PyG path": [row for row in others if row["peer"].startswith("pyg")], "best of all": others,
              "no rewrites": [row for name, row in done.items() if name == "rgnn-unrewritten"]}  # fmt: skip
    for title, group in groups.items():
        if group:
            best = min(group, key=lambda row: row["median"])
            by = [best[key] / own[key] if own else math.nan for key in ("min", "median")]
            result[title] = (best["peer"], *by)
    return result


def write_csv(path: Path, rows: list[dict]) -> None:
    keys = ["model", "dataset", "peer", "status", "min", "median", "calls", "first", "compile", "views", "repaid",
            "repaid_views", "base", "peak", "steady", "difference", "relative", "equal", "note",
            "memory_status"]  # fmt: skip
    seconds = {"min", "median", "first", "compile", "views"}
    mib = {"base", "peak", "steady"}
    names = [key + ("_ms" if key in seconds else "_mib" if key in mib else "") for key in keys]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        for row in rows:
            writer.writerow([f"{row[key] * 1e3:.4f}" if key in seconds and key in row else row.get(key, "")
                             for key in keys])  # fmt: skip


def arguments(argv: list[str] | None) -> argparse.Namespace:
    def names(known):
        def parse(text: str) -> list[str]:
            chosen = [name for name in text.split(",") if name]
            wrong = [name for name in chosen if known and name not in known]
            if wrong or not chosen:
                raise argparse.ArgumentTypeError(f"expected some of {', '.join(known)}, got '{','.join(wrong)}'")
            return chosen

        return parse

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=names(MODELS), default=list(MODELS))
    parser.add_argument("--datasets", type=names(()), default=list(DATASETS),
                        help="names, or synthetic:NAME[:SCALE] (default: %(default)s)")  # fmt: skip
    parser.add_argument("--peers", type=names(PEERS), default=list(PEERS), help="default: all")
    parser.add_argument("--width", type=int, default=64, help="of input and output features")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--training", action="store_true", help="measure training steps, each peer at least 10 after "
                        "the first (fewer where they take longer than the time limit; the row says so)")  # fmt: skip
    parser.add_argument("--rounds", type=int, default=None, help="bursts of each peer (7; quick 3; training 10)")
    parser.add_argument("--burst", type=float, default=None, help="seconds of a burst (default 0.5; quick 0.25)")
    parser.add_argument("--time-limit", type=float, default=None,
                        help="seconds for any one step of a peer (default 300; quick 25)")  # fmt: skip
    parser.add_argument("--memory-limit", type=int, default=24, help="GiB of one process")
    parser.add_argument("--no-memory", dest="memory", action="store_false", help="leave peak memory out")
    parser.add_argument("--csv", type=Path, help="default build/benchmark.csv; training build/benchmark-training.csv")
    parser.add_argument("--quick", action="store_true", help="aifb only, under two minutes")
    options = parser.parse_args(argv)
    if options.quick:
        options.datasets = ["aifb"]
    options.least = 10 if options.training else 2  # calls of a peer
    options.rounds = options.rounds or (10 if options.training else 3 if options.quick else 7)
    options.burst = options.burst or (0.25 if options.quick else 0.5)
    options.time_limit = options.time_limit or (25 if options.quick else 300)
    options.csv = options.csv or HERE.parent / "build" / f"benchmark{'-training' if options.training else ''}.csv"
    return options


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    progress = Progress()
    start_server(["torch", "torch_geometric.nn"])
    everything, lines = [], []
    what = "training steps" if options.training else "inference"
    print(f"{what}, width {options.width}, one head, {options.threads} threads; limits of a peer: "
          f"{options.time_limit:g} s a step, {options.memory_limit} GiB")  # fmt: skip
    for dataset in options.datasets:
        for model in options.models:
            description, rows = measure_cell(model, dataset, options, progress)
            progress.clear()
            print(f"\n== {model} on {description} ==")
            print("\n".join(format_cell(rows)))
            for title, (peer, by_min, by_median) in ratios(rows).items():
                text = f"{by_median:.2f}x by medians, {by_min:.2f}x by minima" if by_min == by_min else "not measured"
                lines.append([f"{model} on {dataset}", f"rgnn over {title} ({peer})", text])
                print(f"   {lines[-1][1]}: {text}")
            sys.stdout.flush()
            everything += rows
            write_csv(options.csv, everything)
    failed = [row for row in everything if row["status"] != "ok"]
    broken = any(row["status"].startswith("no reference") for row in failed)
    if failed:
        print("\n== not measured ==")
        for row in failed:
            print(f"{row['model']} on {row['dataset']}, {row['peer']}: {row['status']}")
    print(f"\n{len(everything) - len(failed)} measured, {len(failed)} not, "
          f"{time.monotonic() - progress.start:.0f} s; {options.csv}")  # fmt: skip
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

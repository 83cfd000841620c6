"""Measures rgnn.dgl, compiled, beside DGL 2.1: its layers, and models that are written as functions of messages.

    .venv/bin/python benchmark/beside_dgl.py                  # all cells; what the file has is not run again
    .venv/bin/python benchmark/beside_dgl.py --quick          # on tiny graphs: does everything run, is it equal
    .venv/bin/python benchmark/beside_dgl.py --only 'GATConv mutag training'
    .venv/bin/python benchmark/beside_dgl.py --report FILE    # tables of what was measured

A cell is a layer or a model on a graph, in inference or training. Its peers are processes, of which bursts of calls go
round, as in run.py. A training step is the forward, and the gradients of the sum of squares of the result by parameters
and features. A cell is a line of JSON; its numbers are compared with those of DGL (in float32).

    rgnn             rgnn.dgl under rgnn.compile; a part that PyTorch would run is an error
    dgl              DGL's layer
    dgl-functions    the functions that rgnn runs, in DGL
    dgl-own          DGL's layers, or its built-in functions, on the same parameters

Memory is what the resident memory grows by at the peak of a call that is not the first. A call of DGL that takes a
tenth of the time limit of the cell is not repeated: time and memory are those of the first one.
"""

# Not dgl.py: this folder is on the path of peers that import DGL.

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from dgl_cells import Cell, cells  # noqa: E402
from dgl_cells.report import problem, report  # noqa: E402
from dgl_cells.session import Session  # noqa: E402
from processes import PeerError, Progress, Worker, available_memory, measure_in_turns, start_server  # noqa: E402

SLOW = 0.1  # a first call in DGL of this share of the time limit is the only one


class CellWorker(Worker):
    """A worker whose answers have to come before `deadline` (of time.monotonic)."""

    def __init__(self, spec: dict, folder: Path, deadline: float):
        self.deadline = deadline
        super().__init__(Session, spec, folder, deadline - time.monotonic())

    def ask(self, command: str, **arguments) -> dict:
        self.limit = max(0.0, self.deadline - time.monotonic())
        try:
            return super().ask(command, **arguments)
        except PeerError:
            if time.monotonic() >= self.deadline:
                raise PeerError(f"did not finish within the time of the cell ({command})") from None
            raise


def measure(cell: Cell, options, progress: Progress) -> dict:
    """The record of a cell: what each peer did, or why not."""
    deadline = time.monotonic() + options.time_limit
    peers: dict[str, dict] = {name: {"status": "ok"} for name in cell.peers}
    record = {"suite": cell.suite, "model": cell.model, "graph": cell.graph, "mode": cell.mode,
              "threads": options.threads, "peers": peers}  # fmt: skip
    spec = {"suite": cell.suite, "model": cell.model, "graph": cell.graph, "training": cell.mode == "training",
            "threads": options.threads}  # fmt: skip
    workers: dict[str, CellWorker] = {}

    def give_up(name: str, reason: PeerError) -> None:
        peers[name]["status"] = str(reason)
        if name in workers:
            workers.pop(name).close()

    with tempfile.TemporaryDirectory(prefix="rgnn-beside-dgl-") as folder:
        try:
            for name in (cell.peers[-1], *cell.peers[:-1]):  # the last has the right numbers
                progress.show(f"{cell}: first call of {name}")
                memory = min(options.memory_limit << 30, available_memory() - (1 << 30))
                half = (time.monotonic() + deadline) / 2  # a slow peer leaves the others time
                try:
                    workers[name] = CellWorker({**spec, "peer": name, "memory_limit": memory}, Path(folder), half)
                    record |= workers[name].about
                    right = name == cell.peers[-1]
                    peers[name] |= workers[name].ask("first", path=str(Path(folder) / "numbers.pt"), right=right)
                except PeerError as reason:
                    give_up(name, reason)
                    continue
                workers[name].deadline = deadline
                first = peers[name]["first"]
                if name != "rgnn" and first > SLOW * options.time_limit:
                    peers[name] |= {"median": first, "min": first, "calls": 1, "memory": peers[name]["first_memory"]}
                    workers.pop(name).close()
            first = {name: peers[name]["first"] for name in workers}
            times = measure_in_turns(workers, first, options, lambda at: progress.show(f"{cell}: {at}"), give_up)
            for name in sorted(workers, key=lambda name: sum(times[name]) / len(times[name])):
                peers[name] |= {"median": statistics.median(times[name]), "min": min(times[name]),
                                "calls": len(times[name])}  # fmt: skip
                try:
                    peers[name] |= workers[name].ask("memory")
                except PeerError as reason:
                    peers[name]["memory_status"] = str(reason)
                workers.pop(name).close()
        finally:
            for left in workers.values():
                left.close()
    return record


def read(path: Path) -> list[dict]:
    """The records of a file, the last one of each cell; a line that was not written to its end is left out."""
    found = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            continue
        found[key(record)] = record
    return list(found.values())


def key(record: dict) -> tuple[str, int]:
    return str(Cell(*(record[name] for name in ("suite", "model", "graph", "mode")), ())), record["threads"]


def append(path: Path, record: dict) -> None:
    """Adds a line, behind what an interrupted run may have left of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    torn = path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
    with path.open("a") as file:
        file.write(("\n" if torn else "") + json.dumps(record) + "\n")


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=re.compile, default=re.compile(""), metavar="PATTERN",
                        help="cells whose name has this regular expression in it; --list has the names")  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="tiny graphs, few calls")
    parser.add_argument("--list", action="store_true", help="print the names of the cells, measure nothing")
    parser.add_argument("--report", type=Path, metavar="FILE", help="print the tables of FILE, measure nothing")
    parser.add_argument("--retry", action="store_true", help="run cells again that failed or were not equal")
    parser.add_argument("--threads", type=int, default=min(2, len(os.sched_getaffinity(0))), help="of each peer")
    parser.add_argument("--rounds", type=int, help="bursts of each peer (default 7; quick 1)")
    parser.add_argument("--burst", type=float, help="seconds of a burst (default 0.5; quick 0.05)")
    parser.add_argument("--time-limit", type=float, default=900, help="seconds of a cell (default %(default)s)")
    parser.add_argument("--memory-limit", type=int, default=24, help="GiB of one process")
    parser.add_argument("--out", type=Path, help="default build/beside-dgl.jsonl, build/beside-dgl-quick.jsonl")
    options = parser.parse_args(argv)
    options.least = 1  # calls of a peer after its first
    options.rounds = options.rounds or (1 if options.quick else 7)
    options.burst = options.burst or (0.05 if options.quick else 0.5)
    options.out = options.out or HERE.parent / "build" / f"beside-dgl{'-quick' if options.quick else ''}.jsonl"
    return options


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    if options.report:
        if not options.report.exists():
            sys.exit(f"beside_dgl.py: there is no file {options.report}")
        print(report(read(options.report)))
        return 0
    chosen = [cell for cell in cells(options.quick) if options.only.search(str(cell))]
    if not chosen:
        sys.exit(f"beside_dgl.py: no cell has '{options.only.pattern}' in its name")
    if options.list:
        print("\n".join(map(str, chosen)))
        return 0
    there = {key(record) for record in read(options.out) if not (options.retry and problem(record))}
    left = [cell for cell in chosen if (str(cell), options.threads) not in there]
    print(f"{len(chosen)} cells, {len(left)} to run, {options.threads} threads; {options.out}")
    progress = Progress()
    if left:
        start_server(["torch"])
    failed = 0
    for number, cell in enumerate(left, 1):
        record = measure(cell, options, progress)
        append(options.out, record)
        progress.clear()
        medians = ", ".join(f"{name} {peer['median'] * 1e3:.3g} ms" for name, peer in record["peers"].items()
                            if "median" in peer)  # fmt: skip
        failed += bool(problem(record))
        print(f"[{number}/{len(left)}] {cell}: {medians}{'; ' * bool(medians and problem(record))}{problem(record)}")
        sys.stdout.flush()
    if left:
        print(f"{len(left) - failed} measured, {failed} not or not equal, {time.monotonic() - progress.start:.0f} s")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

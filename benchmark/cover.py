"""What of PyG is compiled whole, how fast and how exactly: `make coverage` writes docs/Coverage.md with it.

    .venv/bin/python benchmark/cover.py                       # all cases on aifb, wn18rr and cora: hours
    .venv/bin/python benchmark/cover.py --quick               # whole or not, and errors, on a small graph in float64
    .venv/bin/python benchmark/cover.py --layers GCN,norms    # cases, or parts, of these names
    .venv/bin/python benchmark/cover.py --no-compile-peer     # without torch.compile'd PyG, which takes longest

Each peer of a case is a process of its own: one that crashes or runs out of memory is a line of the table. What was
measured is kept in a file, and a run that was interrupted goes on from there, while commit and options are the same.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from coverage import choose, find_case, table, uncovered  # noqa: E402
from coverage.case import AWKWARD  # noqa: E402
from coverage.measure import PEERS, Session  # noqa: E402
from processes import PeerError, Progress, Worker, available_memory, measure_in_turns, start_server  # noqa: E402

DATASETS = ("aifb", "wn18rr", "cora")


class Cell:
    """One case on one graph."""

    def __init__(self, part: str, case: str, graph: str, options, show: Callable[[str], None]):
        self._spec = {"part": part, "case": case, "graph": graph, "width": options.width, "threads": options.threads,
                      "exact": options.quick}  # fmt: skip
        self._options, self._show = options, show
        self.row = {"part": part, "case": case, "graph": graph, "status": "ok", "left": [], "others": 0, "absent": {}}

    def measure(self) -> dict:
        """A row of the table."""
        try:
            self._describe()
            if not self._options.quick:
                self._time()
        except PeerError as reason:
            self.row["status"] = str(reason)
        return self.row

    def _start(self, peer: str, folder: str) -> Worker:
        memory = min(self._options.memory_limit << 30, available_memory() - (1 << 30))
        spec = {**self._spec, "peer": peer, "memory_limit": memory}
        return Worker(Session, spec, Path(folder), self._options.time_limit)

    def _describe(self) -> None:
        """In a folder of its own: what is compiled here would be known to the first call that is timed."""
        self._show("what is compiled")
        with tempfile.TemporaryDirectory(prefix="rgnn-cover-") as folder, closing(self._start("rgnn", folder)) as own:
            self.row |= own.about
            for mode in table.MODES:
                training = mode == "training"
                found = own.ask("explain", training=training)
                self.row[f"whole in {mode}"] = found["whole"]
                if not training or not self.row["left"]:
                    self.row |= {key: found[key] for key in ("left", "others")}
                self.row.setdefault("kernels", found["kernels"])
                self.row["error"] = max(self.row.get("error", 0.0), own.ask("check", training=training)["difference"])

    def _time(self) -> None:
        workers: dict[str, Worker] = {}
        with tempfile.TemporaryDirectory(prefix="rgnn-cover-") as folder:
            try:
                for mode in table.MODES:
                    for peer in self._options.peers:
                        if peer not in workers:  # or it failed in the other mode
                            workers[peer] = self._start(peer, folder)
                    self._time_mode(mode, workers)
            finally:
                for worker in workers.values():
                    worker.close()

    def _time_mode(self, mode: str, workers: dict[str, Worker]) -> None:
        """Times the calls of peers, and takes those out that fail."""
        first: dict[str, float] = {}

        def give_up(peer: str, reason: PeerError) -> None:
            self.row["absent"].setdefault(peer, f"{mode}: {reason}")
            workers.pop(peer).close()

        for peer in list(workers):
            self._show(f"{mode}, first call of {peer}")
            try:
                first[peer] = workers[peer].ask("first", training=mode == "training")["first"]
            except PeerError as reason:
                give_up(peer, reason)
        times = measure_in_turns(workers, first, self._options,
                                 lambda where: self._show(f"{mode}, {where}"), give_up)  # fmt: skip
        self.row[mode] = {peer: statistics.median(times[peer]) for peer in workers}
        if "rgnn" in first:
            self.row["first"] = max(self.row.get("first", 0.0), first["rgnn"])


class Store:
    """Rows that were measured, in a file that a later run goes on with."""

    def __init__(self, path: Path, options):
        names = ("quick", "width", "threads", "peers", "rounds", "burst")
        self._path = path
        self._key = json.dumps([table.commit(), *(getattr(options, name) for name in names)])
        self.rows: dict[tuple, dict] = {}
        if path.exists() and not options.anew:
            for line in path.read_text().splitlines():
                key, row = json.loads(line)
                if key == self._key:
                    self.rows[row["part"], row["case"], row["graph"]] = row
        elif path.exists():
            path.unlink()

    def add(self, row: dict) -> None:
        self.rows[row["part"], row["case"], row["graph"]] = row
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a") as file:
            file.write(json.dumps([self._key, row]) + "\n")


def line_of(row: dict) -> str:
    """What is printed of a row."""
    name = f"{row['part'][:-1] if row['part'].endswith('s') else row['part']} {row['case']} on {row['graph']}"
    if row["status"] != "ok":
        return f"{name}: FAILED, {row['status']}"
    whole = [mode for mode in table.MODES if row[f"whole in {mode}"]]
    speeds = [f"{mode} {value:.1f}x" for mode in table.MODES if (value := table.speed(row, mode))]
    texts = [f"whole in {' and '.join(whole)}" if whole else "not whole", f"error {row['error']:.0e}", *speeds]
    return f"{name}: {'; '.join([*texts, *row['left']])}"


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", default="", help="names of cases or of parts (default: all)")
    parser.add_argument("--datasets", default=",".join(DATASETS), help="default: %(default)s")
    parser.add_argument("--quick", action="store_true", help="nothing is timed; all on a small graph in float64")
    parser.add_argument("--no-compile-peer", dest="compiles", action="store_false", help="without torch.compile")
    parser.add_argument("--width", type=int, help="of features (64; quick 16)")
    parser.add_argument("--threads", type=int, default=2, help="default: %(default)s; quick 1")
    parser.add_argument("--rounds", type=int, default=5, help="bursts of each peer (default: %(default)s)")
    parser.add_argument("--burst", type=float, default=0.25, help="seconds of a burst (default: %(default)s)")
    parser.add_argument("--time-limit", type=float, default=300, help="seconds of any step (default: %(default)s)")
    parser.add_argument("--memory-limit", type=int, default=16, help="GiB of one process (default: %(default)s)")
    parser.add_argument("--anew", action="store_true", help="measures again what an earlier run has measured")
    parser.add_argument("--out", type=Path, help="Markdown (build/coverage.md)")
    parser.add_argument("--csv", type=Path, help="default build/coverage.csv")
    options = parser.parse_args(argv)
    try:
        options.cases = choose([name for name in options.layers.split(",") if name])
    except ValueError as error:
        parser.error(str(error))
    options.datasets = [AWKWARD] if options.quick else [name for name in options.datasets.split(",") if name]
    options.peers = [peer for peer in PEERS if options.compiles or peer != "pyg-compiled"]
    options.width = options.width or (16 if options.quick else 64)
    options.threads, options.least = 1 if options.quick else options.threads, 2
    build = HERE.parent / "build"
    options.out, options.csv = options.out or build / "coverage.md", options.csv or build / "coverage.csv"
    return options


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    if missing := {part: names for part, names in uncovered().items() if names}:
        print(f"neither a case nor a reason: {missing}")
        return 1
    compiler = ["rgnn", "rgnn._compile", "rgnn._explain"] if options.quick else []  # PyG is timed as it is without
    start_server(["torch", "torch_geometric.nn", *compiler])
    store, progress = Store(options.csv.with_suffix(".jsonl"), options), Progress()
    cells = [(part, case.name, graph) for part, case in options.cases for graph in options.datasets]
    todo = [cell for cell in cells if cell not in store.rows]

    def measure(cell: tuple[str, str, str]) -> dict:
        return Cell(*cell, options, lambda what: progress.show(f"{' '.join(cell)}: {what}")).measure()

    with ThreadPoolExecutor(len(os.sched_getaffinity(0)) if options.quick else 1) as pool:
        for done, row in enumerate(pool.map(measure, todo), 1):
            store.add(row)
            progress.clear()
            print(f"[{done}/{len(todo)}] {line_of(row)}", flush=True)
    rows = [store.rows[cell] for cell in cells]
    table.write_markdown(options.out, rows, options)
    table.write_csv(options.csv, rows, options.peers)
    for part in dict.fromkeys(row["part"] for row in rows):
        print(f"{part}: {' '.join(table.summaries([row for row in rows if row['part'] == part]))}")
    wrong = [row for row in rows if options.quick and row["status"] == "ok"
             and row["error"] > find_case(row["part"], row["case"]).bound]  # fmt: skip
    for row in wrong:
        print(f"wrong: {line_of(row)}")
    print(f"{options.out}, {options.csv}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

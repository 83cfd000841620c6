"""Runs the GPU check: with Python and PyTorch alone, from a bundle or a checkout that has one.

    python benchmark/gpu/run.py                          # everything that is not measured yet
    python benchmark/gpu/run.py --minutes 9              # stops after nine minutes; the next run goes on
    python benchmark/gpu/run.py --parts correctness,streams
    python benchmark/gpu/run.py --again                  # what failed is measured anew
    python benchmark/gpu/run.py --device cpu             # what is not CUDA's own

What is measured is kept in a folder (--results), a file for each unit of work; docs/GPUCheck.md says what they are.
Units run in processes of their own: one that dies, or does not finish in time, is a line of the table. At the end, and
where the time is up, report.md, report.csv and plots of all that there is are written.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import layout
from store import Store, Unit

PARTS = ("machine", "correctness", "streams", "sanitizer", "benchmark")
HERE = Path(__file__).resolve().parent


def arguments(argv: list[str] | None) -> argparse.Namespace:
    def names(known):
        def parse(text: str) -> list[str]:
            chosen = [name for name in text.split(",") if name]
            if not chosen or any(name not in known for name in chosen):
                raise argparse.ArgumentTypeError(f"expected some of {', '.join(known)}, got '{text}'")
            return chosen

        return parse

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", help="cuda, cuda:N or cpu (default: %(default)s)")
    parser.add_argument("--parts", type=names(PARTS), default=list(PARTS), help="default: all")
    parser.add_argument("--results", type=Path, default=layout.ROOT / "results", help="default: %(default)s")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after these (default: never)")
    parser.add_argument("--limit", type=float, default=300, help="seconds of one unit (default: %(default)s)")
    parser.add_argument("--again", action="store_true", help="measure what failed anew")
    parser.add_argument("--datasets", help="of the benchmark, separated by commas (default: those of the bundle)")
    parser.add_argument("--peers", help="of the benchmark, separated by commas (default: all)")
    parser.add_argument("--seconds", type=float, default=0.5, help="of timed calls a peer (default: %(default)s)")
    return parser.parse_args(argv)


def run_group(units: list[Unit], store: Store, options: argparse.Namespace, end: float) -> bool:
    """Measures units in one process, and goes on in another after one that died. False where the time is up."""
    while missing := [unit for unit in units if not store.has(unit)]:
        log = store.folder / "process.log"
        with log.open("w") as errors:
            process = subprocess.Popen(
                [sys.executable, HERE / "process.py", store.folder, options.device], stdin=subprocess.PIPE, text=True,
                stdout=errors, stderr=errors, start_new_session=True,
            )  # fmt: skip
            process.stdin.write("".join(json.dumps(unit) + "\n" for unit in missing))
            process.stdin.close()
            try:
                reason = wait(process, missing, store, options.limit, end)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
        if reason == "time is up":
            return False
        died = next((unit for unit in missing if not store.has(unit)), None)
        if died:
            last = log.read_text(errors="replace").strip().splitlines()[-1:]
            store.put(died, {"status": f"{reason} {''.join(last)}"[:300].strip()})
    return True


def wait(process: subprocess.Popen, units: list[Unit], store: Store, limit: float, end: float) -> str:
    """Waits until a process ends, and says why it did. Each unit has `limit` seconds, and all of them until `end`."""
    for unit in units:
        start = time.monotonic()
        while not store.has(unit):
            if process.poll() is not None:
                code = process.returncode
                return f"died ({signal.Signals(-code).name if code < 0 else f'exit {code}'})"
            now = time.monotonic()
            if now > end:
                return "time is up"
            if now - start > limit:
                return f"did not finish in {limit:g} s"
            time.sleep(0.02)
    process.wait()
    return "ended"


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    layout.use_packages()
    end = time.monotonic() + 60 * options.minutes
    store = Store(options.results)
    store.folder.mkdir(parents=True, exist_ok=True)
    if options.again:
        store.forget_failures()
    units = [unit for part in options.parts for unit in importlib.import_module(part).plan(options)]
    for group, members in itertools.groupby(units, key=lambda unit: (unit["part"], unit["group"])):
        members = list(members)
        if all(map(store.has, members)):
            continue
        print(f"[{sum(map(store.has, units))}/{len(units)}] {' '.join(group)}", flush=True)
        if not run_group(members, store, options, end):
            break
    from report import write_report

    failures = write_report(store, options.results)
    left = sum(not store.has(unit) for unit in units)
    print(f"{len(units) - left} of {len(units)} units done, {failures} wrong; {options.results / 'report.md'}")
    if left:
        print(f"{left} units left: run the same command again")
    return 1 if failures else 75 if left else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compares random message-passing modules with PyTorch: `make fuzz`.

    .venv/bin/python utils/fuzz.py                   # goes on where the last run stopped, until it is interrupted
    .venv/bin/python utils/fuzz.py --count 100       # so many more
    .venv/bin/python utils/fuzz.py --seed 17         # one, with its source, reduced if it differs
    .venv/bin/python utils/fuzz.py --plans           # each part by any of its plans, not by that of the rules

Seeds that differ are written to build/fuzz.txt, with the source of the smallest program that still does.
"""

import argparse
import itertools
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "test/python"), str(ROOT / "python"), str(ROOT / "build/python")]

import pytest  # noqa: E402
import random_checks  # noqa: E402
import random_models  # noqa: E402
import rgnn  # noqa: E402, F401 (once, for all processes)
import torch  # noqa: E402

PLAN = {"plan": "rules"}
"""How programs are compiled."""


def difference(program: random_models.Program) -> str:
    """What differs, in a process of its own: a crash is a difference, too."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            told = random_checks.difference(program, random_checks.SIZES, **PLAN)
        except Exception as error:  # no longer a program
            told = f"invalid: {error!r}"
        os.write(writing, told.encode()[:4000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        told = file.read().decode(errors="replace")
    _, status = os.waitpid(child, 0)
    return told if status == 0 else f"crash: status {status}"


def differs(program: random_models.Program) -> bool:
    told = difference(program)
    return bool(told) and not told.startswith("invalid")


def check(seed: int) -> str:
    """What differs, with the reduced source; empty where nothing does."""
    program = random_models.Writer(seed).write()
    told = difference(program)
    if not told:
        return ""
    small = random_checks.reduce(program, differs)
    return f"{told}\n{small.source()}{difference(small)}\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, help="how many programs (default: no end)")
    parser.add_argument("--seed", type=int, help="this one alone, with its source")
    parser.add_argument("--plans", action="store_true", help="by plans that are drawn")
    options = parser.parse_args()
    if options.plans:
        random_checks.draw_plans(pytest.MonkeyPatch())
        PLAN["plan"] = "costs"
    torch.set_num_threads(1)
    if options.seed is not None:
        print(random_models.Writer(options.seed).write().source())
        told = check(options.seed)
        print(told or "no difference")
        return bool(told)
    random_checks.difference(random_models.Writer(0).write(), random_checks.SIZES[:1])  # what processes share is loaded
    state, found = ROOT / "build/fuzz.seed", ROOT / "build/fuzz.txt"
    first = int(state.read_text()) if state.exists() else 0
    numbers = itertools.count(first) if options.count is None else range(first, first + options.count)
    differing = 0
    for seed in numbers:
        if told := check(seed):
            differing += 1
            with found.open("a") as file:
                file.write(f"seed {seed}: {told}\n")
            print(f"seed {seed}: {told}", flush=True)
        state.write_text(str(seed + 1))
        if (seed + 1) % 50 == 0:
            print(f"{seed + 1 - first} programs, {differing} differ", flush=True)
    print(f"{options.count} programs, {differing} differ")
    return differing > 0


if __name__ == "__main__":
    sys.exit(main())

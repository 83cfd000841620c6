"""What calls take of memory on large graphs: as predicted before they run, and as measured.

    make bench-memory                                      # generated graphs of published size; an hour
    .venv/bin/python benchmark/memory.py --datasets synthetic:am --models hgt --budget 8e9

Each cell is a process of its own, with features and rows 64 wide, that may take 24 GiB. "Predicted" is the peak that
Options(memory_budget=...) decides by; "measured" what VmHWM grows by over building views and the first call, or the
first training step, with a graph that is new, inputs and parameters being there and code compiled. Times are of a
later call.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from worker import limit_memory, reset_peak, status_mib  # noqa: E402

MIB = 2**20
DATASETS = [f"synthetic:{name}" for name in ("bgs", "biokg", "am", "mag", "wikikg2")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", nargs="+", default=DATASETS, help="(default: %(default)s)")
    parser.add_argument("--models", nargs="+", default=["rgcn", "rgat", "hgt"], help="(default: %(default)s)")
    parser.add_argument("--modes", nargs="+", default=["inference", "training"], help="(default: %(default)s)")
    parser.add_argument("--budget", type=float, help="bytes that the compiled code may take")
    parser.add_argument("--limit", type=float, default=24 * 2**30, help="bytes of a process (default: 24 GiB)")
    parser.add_argument("--seconds", type=float, default=900, help="of a cell (default: %(default)s)")
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.cell:
        print(json.dumps(measure(*options.cell.split(), options.budget, options.limit)))
        return 0
    print("| data set | model | call | predicted MiB | measured MiB | of it predicted | ms |")
    print("|---|---|---|---|---|---|---|")
    failed = 0
    for dataset in options.datasets:
        for model in options.models:
            for mode in options.modes:
                row = ask(f"{dataset} {model} {mode}", options)
                print(f"| {dataset} | {model} | {mode} | {row} |", flush=True)
                failed += "|" not in row
    return min(failed, 1)


def ask(cell: str, options: argparse.Namespace) -> str:
    """The figures of one cell, or why there are none."""
    more = ["--budget", str(options.budget)] if options.budget else []
    command = [sys.executable, __file__, "--cell", cell, "--limit", str(options.limit), *more]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.seconds)
    except subprocess.TimeoutExpired:
        return f"not within {options.seconds:g} s"
    if done.returncode:
        return (done.stderr.strip() or f"ended by signal {-done.returncode}").splitlines()[-1]
    found = json.loads(done.stdout.splitlines()[-1])
    share = found["predicted"] / found["measured"]
    return f"{found['predicted']:,.0f} | {found['measured']:,.0f} | {share:.1%} | {found['seconds'] * 1e3:,.0f}"


def measure(dataset: str, model: str, mode: str, budget: float | None, limit: float) -> dict[str, float]:
    limit_memory(int(limit))
    import torch
    from peers.problem import Problem
    from peers.rgnn_peer import Options, compile_model
    from rgnn import release_workspace
    from rgnn._runner import runner_of

    problem = Problem(model, dataset)
    compiled = compile_model(problem.module(), options=Options(memory_budget=budget or limit), fullgraph=True)

    def call(*inputs: object) -> float:
        start = time.perf_counter()
        with torch.set_grad_enabled(mode == "training"):
            outputs = [out for out in torch.utils._pytree.tree_leaves(compiled(*inputs)) if out is not None]
            if mode == "training":
                torch.autograd.backward(outputs, [torch.ones_like(out) for out in outputs])
        compiled.zero_grad()
        return time.perf_counter() - start

    call(*problem.inputs(problem.graph))  # so that no memory of the compiler's counts
    inputs = problem.inputs(problem.fresh_graph())
    release_workspace()
    base = reset_peak()
    call(*inputs)
    peak = status_mib("VmHWM")
    return {"predicted": runner_of(compiled).backend.budget.predicted / MIB, "measured": peak - base,
            "seconds": call(*inputs)}  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())

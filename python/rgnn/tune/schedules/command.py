"""``python -m rgnn.tune schedules``: measures modules with many configurations, for a ranker to learn from."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import torch

from ..graphs import GRAPHS, GraphSpec
from .search import STRATEGIES
from .space import COLLECTIONS

DTYPES = {"float32": torch.float32, "float64": torch.float64, "bfloat16": torch.bfloat16}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of ``schedules``."""
    parser.add_argument("--out", type=Path, help="the folder of the files, COLLECTION-STRATEGY/GRAPH/MODULE.npz")
    parser.add_argument("--modules", nargs="+", default=["*"], metavar="NAME",
                        help="names, or patterns such as 'rgcn-*' and '*-64-64.backward' (all); --list prints them")
    parser.add_argument("--graphs", nargs="+", default=list(GRAPHS), metavar="NAME",
                        help="such as n4096-e32768-s2-t3: nodes, edges, and by how much more edges the first nodes and "
                        "types have (%(default)s)")
    parser.add_argument("--configs", type=int, default=200,
                        help="of each module, which differ in code (%(default)s)")
    parser.add_argument("--collection", choices=COLLECTIONS, default=COLLECTIONS[0],
                        help="what they say something of (%(default)s)")
    parser.add_argument("--strategy", choices=STRATEGIES, default=STRATEGIES[0],
                        help="which are taken where there are more: any, or those near the best (%(default)s)")
    parser.add_argument("--dtype", choices=DTYPES, default="float32", help="of rows and weights (%(default)s)")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads(), help="of kernels (%(default)s)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)),
                        help="compilations at a time (%(default)s)")
    parser.add_argument("--time-limit", type=float, default=float("inf"), metavar="SECONDS",
                        help="to spend; --resume goes on later (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="(%(default)s)")
    parser.add_argument("--resume", action="store_true", help="go on with what is in the folder")
    parser.add_argument("--list", action="store_true", help="print the modules that are meant, and measure nothing")


def run(options: argparse.Namespace) -> int:
    """Collects what the options say.

    Raises:
        ImportError: PyG or tqdm is not installed.
        OSError: a file cannot be read or written.
        ValueError: an option is none that there is, or the folder has other measurements.
    """
    from .modules import names

    modules = names(options.modules)
    if options.list:
        print("\n".join(modules))
        return 0
    if options.out is None:
        raise ValueError("out: expected a folder for the files, got none")
    from .collect import Plan, collect

    plan = Plan(options.out, tuple(modules), tuple(map(GraphSpec, options.graphs)), options.configs, options.collection,
                options.strategy, DTYPES[options.dtype], options.threads, options.jobs, options.time_limit,
                options.seed, options.resume)  # fmt: skip
    found = collect(plan, progress=True)
    print(f"{found.done} of {len(modules)} modules done, {found.configurations} configurations measured on "
          f"{len(plan.graphs)} graphs, noise {found.noise:.1%}: {len(found.files)} files in {plan.folder}")  # fmt: skip
    if found.done < len(modules):
        print("--resume goes on")
    return 0

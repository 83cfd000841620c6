"""Learns what kernels cost on this machine.

    python -m rgnn.tune collect            # measures kernels on generated graphs for ten minutes
    python -m rgnn.tune fit                # learns from them; rgnn.tune.choose uses what was learned from then on
    python -m rgnn.tune report             # how well the times of kernels that were held out are foretold
    python -m rgnn.tune schedules --out FOLDER            # measures modules with many schedules, to learn from
    python -m rgnn.tune rank train DATA... --out FILE     # learns to rank configurations of modules
    python -m rgnn.tune rank evaluate FILE DATA...        # how well they are ranked

An interrupted collection is gone on with. Nothing else should run meanwhile.
"""

from __future__ import annotations

import argparse
import math
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from .costs import local_path, write_trees
from .rank import command as rank
from .schedules import command as schedules

DEFAULT = local_path().with_name("samples.jsonl")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m rgnn.tune", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    commands = parser.add_subparsers(dest="command", required=True, metavar="collect|fit|report|schedules|rank")
    for name, text in (("collect", "measures kernels"), ("fit", "learns what they cost"),
                       ("report", "compares predictions and measurements")):  # fmt: skip
        command = commands.add_parser(name, help=text)
        command.add_argument("--samples", type=Path, default=DEFAULT, help="the file of measurements (%(default)s)")
        if name == "collect":
            command.add_argument("--seconds", type=_positive, default=600, help="to spend (%(default)s)")
            command.add_argument("--threads", type=_threads, default=torch.get_num_threads(), help="(%(default)s)")
        if name == "fit":
            command.add_argument("--out", type=Path, default=local_path(), help="the learned model (%(default)s)")
    schedules.add_arguments(commands.add_parser("schedules", help="measures modules with many schedules"))
    rank.add_arguments(commands.add_parser("rank", help="learns to rank configurations of modules"))
    options = parser.parse_args(arguments)
    try:
        return {"collect": _collect, "fit": _fit, "report": _report, "schedules": schedules.run,
                "rank": rank.run}[options.command](options)  # fmt: skip
    except (ImportError, OSError, ValueError) as error:
        print(f"python -m rgnn.tune {options.command}: {error}", file=sys.stderr)
        return 1


def _positive(text: str) -> float:
    if not 0 < float(text) < math.inf:
        raise ValueError
    return float(text)


def _threads(text: str) -> int:
    if int(text) < 1:
        raise ValueError
    return int(text)


_positive.__name__, _threads.__name__ = "positive number", "number of threads"  # for argparse's messages


def _collect(options: argparse.Namespace) -> int:
    from .collect import collect

    torch.set_num_threads(options.threads)
    options.samples.parent.mkdir(parents=True, exist_ok=True)
    number = collect(options.samples, options.seconds)
    print(f"{number} samples in {options.samples}")
    return 0


def _read(options: argparse.Namespace) -> list[dict[str, Any]]:
    from .collect import read_samples

    if not options.samples.exists():
        raise ValueError(f"expected measurements in {options.samples}: run python -m rgnn.tune collect first")
    return list(read_samples(options.samples))


def _fit(options: argparse.Namespace) -> int:
    from . import fit

    samples = _read(options)
    kernels = fit.gather(samples)
    kept, held_out = fit.split(kernels)
    if len(held_out.seconds):
        print(fit.compare(held_out, fit.fit(kept)))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    about = {"machine": platform.machine(), "threads": sorted({sample["threads"] for sample in samples}),
             "samples": len(samples), "kernels": len(kernels.seconds)}  # fmt: skip
    write_trees(options.out, fit.fit(kernels), about)
    print(f"learned from {about['kernels']} kernels of {about['samples']} samples: {options.out}, "
          f"{options.out.stat().st_size / 1e3:.0f} kB")  # fmt: skip
    return 0


def _report(options: argparse.Namespace) -> int:
    from . import fit

    kept, held_out = fit.split(fit.gather(_read(options)))
    if not len(held_out.seconds) or not len(kept.seconds):
        raise ValueError(f"expected at least {fit.HELD_OUT} samples in {options.samples}")
    print(fit.compare(held_out, fit.fit(kept)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""``python -m rgnn.tune rank``: trains rankers on files of TpuGraphs' layout, and measures them."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

from . import tpugraphs
from .loss import LOSSES
from .metrics import BATCH
from .recipe import PERMUTATIONS, PRESETS, Recipe
from .settings import Settings

_NUMBERS = {"epochs": float, "configurations": int, "rate": float, "decay": float, "warm_up": float, "clip": float,
            "folds": int, "trained": int, "best": int, "checks": int, "seed": int}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds ``train`` and ``evaluate`` to the parser of ``rank``."""
    commands = parser.add_subparsers(dest="action", required=True, metavar="train|evaluate")
    training = commands.add_parser("train", help="trains networks, and keeps the best ones")
    training.add_argument("--out", type=Path, required=True, help="the file of the ranker")
    training.add_argument("--plot", type=Path, help="a picture of the losses, and of the quality on what is held out")
    training.add_argument("--preset", choices=PRESETS, help="the paper's epochs and configurations of a collection")
    for name, kind in _NUMBERS.items():
        default = getattr(Recipe(), name)
        training.add_argument(_option(name), type=kind, help=f"({default}, or the preset's)")
    training.add_argument("--loss", choices=LOSSES, help="(hinge)")
    training.add_argument("--width", type=int, default=Settings.width, help="channels of a node (%(default)s)")
    for name in Settings.flags():
        training.add_argument(_option(name), action=argparse.BooleanOptionalAction, default=getattr(Settings, name),
                              help="(%(default)s)")  # fmt: skip
    training.add_argument("--deduplicate", action=argparse.BooleanOptionalAction, default=True, help="(%(default)s)")
    measuring = commands.add_parser("evaluate", help="ranks configurations, and compares with their times")
    measuring.add_argument("ranker", type=Path, help="the file of train --out")
    measuring.add_argument("--permutations", type=int, default=PERMUTATIONS, help="orders of the configurations, whose "
                           "scores are averaged (%(default)s)")  # fmt: skip
    measuring.add_argument("--batch", type=int, default=BATCH, help="configurations at once (%(default)s)")
    for command in (training, measuring):
        command.add_argument("data", type=Path, nargs="+", help=".npz files, or folders of them, of one collection")
        command.add_argument("--eager", action="store_true", help="let PyTorch run the networks, without RGNN")


def run(options: argparse.Namespace) -> int:
    """Runs what the options say.

    Raises:
        ImportError: PyG, tqdm or matplotlib is not installed.
        OSError: a file cannot be read or written.
        ValueError: a file, or a number of the options, is not as it should be.
    """
    return _train(options) if options.action == "train" else _evaluate(options)


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _train(options: argparse.Namespace) -> int:
    from .train import train

    given = {name: value for name in (*_NUMBERS, "loss") if (value := getattr(options, name)) is not None}
    recipe = dataclasses.replace(PRESETS.get(options.preset, Recipe()), **given)
    flags = {name: getattr(options, name) for name in (*Settings.flags(), "width")}
    modules = list(tpugraphs.read_all(options.data, deduplicate=options.deduplicate))
    ranker, folds = train(modules, recipe, progress=True, compiled=not options.eager, **flags)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    ranker.save(options.out)
    if options.plot:
        from .plot import plot

        plot(folds, options.plot)
    for number, fold in enumerate(folds, 1):
        print(f"fold {number}: {fold.quality:.4f}")
    print(f"the best {len(ranker.networks)} of {len(folds)} networks, of {len(modules)} modules: {options.out}")
    return 0


def _evaluate(options: argparse.Namespace) -> int:
    from tqdm import tqdm

    from .evaluate import evaluate, table
    from .ranker import Ranker

    ranker = Ranker.load(options.ranker, compiled=not options.eager)
    modules = tqdm(tpugraphs.read_all(options.data), total=len(tpugraphs.find(options.data)), unit="module")
    print(table(evaluate(ranker, modules, permutations=options.permutations, batch=options.batch)))
    return 0

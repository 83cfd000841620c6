"""How training went, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .train import Fold

POINTS = 200
"""Losses are drawn as means of so many parts of the training."""


def plot(folds: Sequence[Fold], path: str | Path) -> None:
    """Draws the losses and the qualities of each network over its steps into a file, of the kind that its name says.

    Raises:
        ImportError: matplotlib is not installed.
        ValueError: the kind is not known.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    losses, qualities = figure.subplots(1, 2)
    for number, fold in enumerate(folds, 1):
        parts = np.array_split(np.arange(len(fold.losses)), min(POINTS, len(fold.losses)))
        means = [np.mean([fold.losses[step] for step in part]) for part in parts]
        losses.plot([part[-1] + 1 for part in parts], means, label=f"fold {number}")
        qualities.plot(list(fold.qualities), list(fold.qualities.values()), marker="o", label=f"fold {number}")
    kind = folds[0].network.settings.kind
    for axes, name in ((losses, "loss"), (qualities, "tau of batches" if kind == "layout" else "M_tile")):
        axes.set(xlabel="step", ylabel=name)
        axes.legend()
    figure.savefig(path)

"""How networks are trained: the paper's numbers, and those of each of its collections."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import nn, optim

from .graphs import ModuleGraph
from .loss import LOSSES


@dataclass(frozen=True)
class Recipe:
    """Attributes:
        epochs: how often each module is seen, on average.
        configurations: drawn of a module in a step; all where it has fewer.
        rate: of learning, at its highest.
        decay: of weights, but for biases.
        warm_up: the part of the steps in which the rate rises; then it falls along a cosine.
        clip: the largest norm of the gradient.
        loss: ``"hinge"`` or ``"squared"``.
        folds, trained, best: modules are split into so many folds; so many networks are trained, each without one of
            the first folds, and so many of these are kept, the best ones on what they were trained without.
        checks: how often the quality of a network is measured, the last time after all steps.
        seed: of all that is drawn.

    Raises:
        ValueError: a number is out of range.

    Source: TGraph (sec. 2.4).
    """

    epochs: float = 750
    configurations: int = 64
    rate: float = 1e-3
    decay: float = 1e-5
    warm_up: float = 0.05
    clip: float = 1.0
    loss: str = "hinge"
    folds: int = 20
    trained: int = 5
    best: int = 4
    checks: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("epochs", "configurations", "rate", "clip", "best", "checks"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name}: expected a positive number, got {getattr(self, name)}")
        if not 0 <= self.warm_up < 1:
            raise ValueError(f"warm_up: expected a number from 0 to below 1, got {self.warm_up}")
        if not self.best <= self.trained <= self.folds or self.folds < 2:
            raise ValueError(f"expected best <= trained <= folds and at least 2 folds, got {self.best}, {self.trained} "
                             f"and {self.folds}")  # fmt: skip
        if self.loss not in LOSSES:
            raise ValueError(f"loss: expected one of {', '.join(LOSSES)}, got {self.loss}")


PRESETS = {"layout-xla-random": Recipe(750, 128), "layout-xla-default": Recipe(750, 64),
           "layout-nlp-random": Recipe(1000, 128), "layout-nlp-default": Recipe(1000, 64),
           "tile-xla": Recipe(17.5, 64)}  # fmt: skip
"""By collections of TpuGraphs."""

PERMUTATIONS = 10
"""In which configurations are scored: a score depends on what is in the same batch (sec. 2.5.3)."""


def rate_at(step: int, steps: int, warm_up: float) -> float:
    """What the rate is multiplied by in a step, from 0 on: it rises to 1 linearly, and falls to 0 along a cosine."""
    rising = warm_up * steps
    if step < rising:
        return (step + 1) / (rising + 1)
    return (1 + math.cos(math.pi * (step - rising) / max(steps - rising, 1))) / 2


def make_optimiser(network: nn.Module, recipe: Recipe) -> optim.Optimizer:
    """AdamW, without decay of biases."""
    named = list(network.named_parameters())
    groups = [{"params": [one for name, one in named if name.endswith("bias") == is_bias],
               "weight_decay": 0.0 if is_bias else recipe.decay} for is_bias in (False, True)]  # fmt: skip
    return optim.AdamW(groups, lr=recipe.rate)


def split_folds(modules: Sequence[ModuleGraph], folds: int, seed: int) -> list[list[ModuleGraph]]:
    """Deals modules out at random; those of the same name stay together.

    Raises:
        ValueError: there are fewer names than folds.
    """
    names = sorted({module.name for module in modules})
    if len(names) < folds:
        raise ValueError(f"expected at least {folds} modules for {folds} folds, got {len(names)}")
    order = np.random.default_rng(seed).permutation(len(names))
    fold_of = {names[place]: turn % folds for turn, place in enumerate(order)}
    return [[module for module in modules if fold_of[module.name] == fold] for fold in range(folds)]

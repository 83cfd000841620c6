"""Which configurations are measured next: some at random, or those near the best ones so far."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from .space import FEW, Configuration, Space

PARENTS = 12
"""The best ones, of which others are made."""

CHANGES = 2.0
"""Values that a child has on average of neither parent."""

TRIES = 50
"""Draws that give nothing new, one after another, after which there is taken to be nothing."""

Tried = Mapping[Configuration, float]
"""Configurations with the times that they take, by any measure; infinite where the compiler refuses them."""


def propose(strategy: str, space: Space, tried: Tried, count: int, seed: list[int]) -> list[Configuration]:
    """Legal configurations that were not tried, that of the compiler's rules first.

    What is proposed depends on the arguments alone, so that a collection that is gone on with is as one in a run.

    Args:
        strategy: ``"uniform"``, each configuration as likely as the others, or ``"search"``, children of the best ones.
        space: to choose from.
        tried: what there was before.
        count: how many.
        seed: of what is drawn.

    Returns:
        At most so many; fewer, or none, where there are no others.

    Raises:
        ValueError: another strategy.
    """
    if strategy not in STRATEGIES:
        raise ValueError(f"strategy: expected {' or '.join(STRATEGIES)}, got {strategy!r}")
    random, found = np.random.default_rng([*seed, len(tried)]), [space.own][: space.own not in tried]
    rest = count - len(found)
    if strategy == "uniform" and len(space) <= FEW:
        left = [one for one in space.all() if one not in tried and one not in found]
        return found + [left[place] for place in random.permutation(len(left))[:rest]]
    ranked = sorted((one for one in tried if math.isfinite(tried[one])), key=lambda one: (tried[one], one))
    parents, misses = ranked[:PARENTS] or [space.own], 0
    while len(found) < count and misses < TRIES:
        one = space.draw(random) if strategy == "uniform" else _child(space, parents, random)
        is_new = one not in tried and one not in found and space.is_legal(one)
        misses = 0 if is_new else misses + 1
        found += [one] * is_new
    return found


def _child(space: Space, parents: list[Configuration], random: np.random.Generator) -> Configuration:
    """What two of the parents say of whole kernels, with a few changes. Better ones are more often parents."""
    one, other = (parents[int(len(parents) * random.random() ** 2)] for _ in range(2))
    takes: dict[tuple[int, ...], bool] = {}
    for dimension in space.dimensions:
        takes.setdefault(dimension.kernels, bool(random.random() < 0.5))
    child = tuple(mine if takes[dimension.kernels] else theirs
                  for dimension, mine, theirs in zip(space.dimensions, one, other))  # fmt: skip
    changes = min(max(int(random.poisson(CHANGES)), 1), len(child))
    return space.change(child, random.permutation(len(child))[:changes].tolist(), random)


STRATEGIES = ("uniform", "search")
"""Theirs are random configurations and those of a genetic search, which starts from the compiler's own.

Source: TpuGraphs (arXiv:2308.13490, sec. 3), whose "random" and "default" collections TGraph ranks.
"""

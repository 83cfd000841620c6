"""How well a ranker does on modules, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .graphs import ModuleGraph
from .metrics import BATCH, batched_kendall_tau, kendall_tau, tile_score, top1_regret
from .ranker import Ranker
from .recipe import PERMUTATIONS


@dataclass(frozen=True)
class Ranked:
    """Metrics of one module.

    Attributes:
        name: of the module.
        configurations: that were ranked.
        tau, tau_batches: Kendall's, over all configurations, and the mean over batches in the order of the file.
        tile_score: M_tile, of the best five.
        regret: by how much of the least time the best one takes longer.
    """

    name: str
    configurations: int
    tau: float
    tau_batches: float
    tile_score: float
    regret: float


def evaluate(ranker: Ranker, modules: Iterable[ModuleGraph], *, permutations: int = PERMUTATIONS, batch: int = BATCH,
             seed: int = 0) -> list[Ranked]:  # fmt: skip
    """Ranks the configurations of each module.

    Args:
        ranker: of the collection.
        modules: each of at least two configurations.
        permutations, batch, seed: as of :meth:`Ranker.scores`.

    Raises:
        ValueError: a module does not fit the ranker, or has fewer configurations.
    """
    found = []
    for module in modules:
        scores, times = ranker.scores(module, permutations=permutations, batch=batch, seed=seed), module.relative_times
        found.append(Ranked(module.name, len(scores), kendall_tau(scores, times),
                            batched_kendall_tau(scores, times, batch), tile_score(scores, times),
                            top1_regret(scores, times)))  # fmt: skip
    return found


def table(found: Sequence[Ranked]) -> str:
    """A line for each module, and one for all: means, and of regrets that of ``1 + regret`` by its logarithm."""
    lines = ["| module | configurations | tau | tau of batches | M_tile | regret |", "|---|---|---|---|---|---|"]
    lines += [_line(one) for one in found]
    means = [float(np.mean([getattr(one, name) for one in found])) for name in ("tau", "tau_batches", "tile_score")]
    regret = float(np.exp(np.mean([np.log1p(one.regret) for one in found])) - 1)
    return "\n".join([*lines, _line(Ranked("all", sum(one.configurations for one in found), *means, regret))])


def _line(one: Ranked) -> str:
    return (f"| {one.name} | {one.configurations} | {one.tau:.4f} | {one.tau_batches:.4f} | {one.tile_score:.4f} "
            f"| {one.regret:.1%} |")  # fmt: skip

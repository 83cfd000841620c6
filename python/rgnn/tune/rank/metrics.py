"""How well scores rank configurations; a lower score stands for less time.

Source: TGraph, equations 9 and 10.
"""

from __future__ import annotations

import numpy as np

BATCH = 128
"""Configurations that the paper ranks among each other."""

TOP = 5
"""K of equation 10."""


def kendall_tau(scores: np.ndarray, times: np.ndarray) -> float:
    """Equation 9, tau-a: over all pairs, the mean of 1 where scores and times order it alike, -1 where they do not, and
    0 where either ties. ``O(n log(n)^2)``.

    Args:
        scores, times: ``[C]``, finite.

    Raises:
        ValueError: fewer than two, different numbers of them, or one that is not finite.
    """
    scores, times = _checked(scores, times, 2)
    count = len(scores)
    order = np.lexsort((scores, times))  # of equal times the scores rise: these pairs are no inversions
    ranks = np.unique(scores[order], return_inverse=True)[1]
    against = _count_inversions(ranks)
    both = np.stack([scores, times])
    tied = _count_ties(scores) + _count_ties(times) - _count_ties(both)
    pairs = count * (count - 1) // 2
    return (pairs - tied - 2 * against) / pairs


def batched_kendall_tau(scores: np.ndarray, times: np.ndarray, batch: int = BATCH) -> float:
    """The mean of :func:`kendall_tau` over batches in the order of the configurations; one that is left over is left
    out where it has fewer than two.

    Raises:
        ValueError: as of :func:`kendall_tau`.
    """
    scores, times = _checked(scores, times, 2)
    parts = [slice(start, start + batch) for start in range(0, len(scores), batch)]
    return float(np.mean([kendall_tau(scores[part], times[part]) for part in parts if len(scores[part]) > 1]))


def tile_score(scores: np.ndarray, times: np.ndarray, top: int = TOP) -> float:
    """Equation 10: ``2 - min(times of the best scores) / min(times)``; of equal scores, the first ones are taken.

    Raises:
        ValueError: none, different numbers of them, or one that is not finite.
    """
    scores, times = _checked(scores, times, 1)
    best = np.argsort(scores, kind="stable")[:top]
    return float(2 - times[best].min() / times.min())


def top1_regret(scores: np.ndarray, times: np.ndarray) -> float:
    """By how much of the least time the configuration with the best score takes longer.

    Raises:
        ValueError: as of :func:`tile_score`.
    """
    return 1 - tile_score(scores, times, top=1)


def _checked(scores: np.ndarray, times: np.ndarray, least: int) -> tuple[np.ndarray, np.ndarray]:
    scores, times = np.asarray(scores), np.asarray(times)
    if scores.shape != times.shape or scores.ndim != 1:
        raise ValueError(f"expected as many scores as times, got {list(scores.shape)} and {list(times.shape)}")
    if len(scores) < least:
        raise ValueError(f"expected at least {least} configurations, got {len(scores)}")
    for name, numbers in (("scores", scores), ("times", times)):
        if not np.isfinite(numbers).all():
            raise ValueError(f"{name}: expected finite numbers, got {numbers[~np.isfinite(numbers)][0]}")
    return scores, times


def _count_ties(columns: np.ndarray) -> int:
    """Pairs of equal columns."""
    counts = np.unique(columns, axis=-1, return_counts=True)[1]
    return int((counts * (counts - 1) // 2).sum())


def _count_inversions(ranks: np.ndarray) -> int:
    """Pairs ``i < j`` with ``ranks[i] > ranks[j]``: sorted halves are merged, all of one size at a time."""
    count, width = len(ranks), 1
    values = np.concatenate([ranks, np.full((1 << (count - 1).bit_length()) - count, count)])
    inversions = 0
    while width < len(values):
        halves = values.reshape(-1, 2, width)
        # Blocks one above the other, so that all left halves together are sorted.
        above = np.arange(len(halves))[:, None] * (count + 1)
        left, right = (halves[:, 0] + above).ravel(), (halves[:, 1] + above).ravel()
        until = np.repeat(np.arange(1, len(halves) + 1) * width, width)
        inversions += int((until - np.searchsorted(left, right, side="right")).sum())
        values = np.sort(values.reshape(-1, 2 * width), axis=1).ravel()
        width *= 2
    return inversions

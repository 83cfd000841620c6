"""Learns what kernels cost from samples: ``python -m rgnn.tune fit``, and how well: ``python -m rgnn.tune report``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .costs import FEATURES, TEMPLATES, Trees, bound, features_of

HELD_OUT = 5
"""Every so many-th sample is held out of training."""


class Kernels(NamedTuple):
    """Kernels of samples, side by side.

    Attributes:
        features: ``[N, len(FEATURES)]``.
        bounds, seconds: of each, by the machine and as measured.
        sample: the number of each kernel's sample.
    """

    features: np.ndarray
    bounds: np.ndarray
    seconds: np.ndarray
    sample: np.ndarray

    def pick(self, which: np.ndarray) -> Kernels:
        return Kernels(*(array[which] for array in self))


def gather(samples: Sequence[dict[str, Any]]) -> Kernels:
    """Raises ValueError where there is no kernel."""
    rows = [(features_of(work, sample["threads"]), bound(work, sample["machine"]), seconds, sample["sample"])
            for sample in samples for work, seconds in zip(sample["works"], sample["seconds"])]  # fmt: skip
    if not rows:
        raise ValueError("expected samples with kernels, got none")
    return Kernels(*map(np.array, zip(*rows)))


def fit(kernels: Kernels, trees: int = 160, depth: int = 5) -> Trees:
    """Boosted trees of the logarithm of seconds by bounds.

    Raises:
        ImportError: scikit-learn is not installed.
    """
    try:
        from sklearn.ensemble import GradientBoostingRegressor
    except ImportError as error:
        raise ImportError("expected scikit-learn, which grows trees: pip install scikit-learn") from error

    model = GradientBoostingRegressor(loss="huber", n_estimators=trees, max_depth=depth, learning_rate=0.08,
                                      subsample=0.7, min_samples_leaf=5, random_state=0)  # fmt: skip
    model.fit(kernels.features, np.log(kernels.seconds / kernels.bounds))
    start = float(model.init_.predict(kernels.features[:1])[0])
    parts: dict[str, list[np.ndarray]] = {name: [] for name in ("feature", "threshold", "left", "right", "value")}
    roots, count = [], 0
    for tree in (estimator.tree_ for estimator in model.estimators_[:, 0]):
        roots.append(count)
        leaves = tree.children_left < 0
        parts["feature"].append(np.where(leaves, -1, tree.feature))
        # Features are read as 32-bit numbers where trees are grown.
        parts["threshold"].append(np.where(leaves, 0.0, tree.threshold))
        parts["left"].append(np.where(leaves, -1, tree.children_left + count))
        parts["right"].append(np.where(leaves, -1, tree.children_right + count))
        parts["value"].append(np.where(leaves, tree.value[:, 0, 0] * model.learning_rate, 0.0))
        count += tree.node_count
    joined = {name: np.concatenate(arrays) for name, arrays in parts.items()}
    integers = {name: joined[name].astype(np.int32) for name in ("feature", "left", "right")}
    return Trees(start, np.array(roots, np.int32), threshold=joined["threshold"], value=joined["value"], **integers)


def split(kernels: Kernels) -> tuple[Kernels, Kernels]:
    """Those to learn from and those that are held out; kernels of one sample stay together."""
    held_out = kernels.sample % HELD_OUT == HELD_OUT - 1
    return kernels.pick(~held_out), kernels.pick(held_out)


def compare(kernels: Kernels, trees: Trees) -> str:
    """A table: how well bounds and trees foretell seconds, for each template."""
    learned = kernels.bounds * np.exp(trees.predict(kernels.features))
    lines = ["| kernels | number | rank correlation: bounds | learned | median error: bounds | learned | of samples |",
             "|---|---|---|---|---|---|---|"]  # fmt: skip
    for name in (*TEMPLATES, "all"):
        which = np.ones(len(learned), bool) if name == "all" else kernels.features[:, FEATURES.index(name)] > 0
        if which.sum() < 2:
            continue
        of, guesses = kernels.pick(which), (kernels.bounds[which], learned[which])
        ranks = " | ".join(f"{rank_correlation(guess, of.seconds):.3f}" for guess in guesses)
        errors = " | ".join(f"{_error(guess, of.seconds):.0%}" for guess in guesses)
        samples = [of.sample == number for number in np.unique(of.sample)]
        whole = _error(*(np.array([numbers[one].sum() for one in samples]) for numbers in (guesses[1], of.seconds)))
        lines.append(f"| {name} | {which.sum()} | {ranks} | {errors} | {whole:.0%} |")
    return "\n".join(lines)


def _error(guesses: np.ndarray, seconds: np.ndarray) -> float:
    """How far off the median one is, by whichever of the two is smaller."""
    return float(np.median(np.maximum(guesses / seconds, seconds / guesses)) - 1)


def rank_correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman's, where no two numbers are equal."""
    ranks = [np.argsort(np.argsort(numbers)) for numbers in (first, second)]
    return float(np.corrcoef(*ranks)[0, 1])

"""How long kernels take: by the machine's bandwidth and speed, and by what was learned from measured kernels.

Both are functions of a kernel's work alone, so that plans can be compared before they are
compiled. Source: SENSEi (arXiv:2306.15155v2, sec. 3.5), whose models are per primitive, of sizes and densities.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import math
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._profile import Machine, measure_machine
from .._work import Work

VERSION = 1
"""Of the file of a learned model; one of another is refused."""

SHIPPED = Path(__file__).with_name("costs.json")

TEMPLATES = ("gemm", "outer_sum", "traverse", "concat")
FEATURES = (*TEMPLATES, "bits", "rows", "inner_rows", "bytes_read", "bytes_written", "bytes_needed", "operations",
            "bytes_per_row", "written_per_row", "operations_per_row", "operations_per_byte", "inner_per_row",
            "threads")  # fmt: skip
"""What the learned model sees, sizes as logarithms."""

LAUNCH = 2e-6
"""Seconds that it takes to hand a kernel to the threads."""


def features_of(work: Work, threads: int) -> list[float]:
    """The numbers that :data:`FEATURES` names."""
    bits = 64 if work.dtype.endswith("64") else 16 if work.dtype.endswith("16") else 32
    sizes = (work.rows, work.inner_rows, work.bytes_read, work.bytes_written, work.bytes_needed, work.operations)
    rows, bytes_moved = max(work.rows + work.inner_rows, 1), max(work.bytes_read + work.bytes_written, 1)
    operations = max(work.operations, 1)
    quotients = (bytes_moved / rows, max(work.bytes_written, 1) / rows, operations / rows, operations / bytes_moved,
                 (work.inner_rows + 1) / max(work.rows, 1))  # fmt: skip
    return [*(float(work.name == name) for name in TEMPLATES), float(bits), *(math.log2(1 + size) for size in sizes),
            *map(math.log2, quotients), float(threads)]  # fmt: skip


@dataclass(frozen=True)
class Trees:
    """Boosted regression trees: the sum of a number of each tree and of ``start``.

    Attributes:
        start: the mean of what was learned from.
        roots: the first node of each tree.
        feature, threshold, left, right: of each node: where the feature is at most the threshold, go left; in a leaf
            the feature is -1.
        value: of each node, what a leaf adds.
    """

    start: float
    roots: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray

    def predict(self, features: np.ndarray) -> np.ndarray:
        """One number for each row of ``[N, len(FEATURES)]``."""
        at = np.broadcast_to(self.roots, (len(features), len(self.roots))).copy()
        rows = np.arange(len(features))[:, None]
        while True:
            feature = self.feature[at]
            inside = feature >= 0
            if not inside.any():
                return self.start + self.value[at].sum(1)
            goes_left = features[rows, np.maximum(feature, 0)] <= self.threshold[at]
            at = np.where(inside, np.where(goes_left, self.left[at], self.right[at]), at)

    def to_json(self) -> dict[str, Any]:
        arrays = {name: getattr(self, name).tolist() for name in ("roots", "feature", "left", "right")}
        rounded = {name: [float(f"{number:.6g}") for number in getattr(self, name)] for name in ("threshold", "value")}
        return {"start": self.start, **arrays, **rounded}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Trees:
        numbers = {name: np.array(fields[name], np.int32) for name in ("roots", "feature", "left", "right")}
        floats = {name: np.array(fields[name], np.float64) for name in ("threshold", "value")}
        nodes = len(numbers["feature"])
        of_nodes = (*(numbers[name] for name in ("feature", "left", "right")), *floats.values())
        if any(len(array) != nodes for array in of_nodes):
            raise ValueError("expected as many features, thresholds, children and values of nodes")
        if not math.isfinite(fields["start"]) or not all(np.isfinite(array).all() for array in floats.values()):
            raise ValueError("expected numbers that are finite")
        # Children behind their parents: no walk goes in circles.
        inner, numbers_of = numbers["feature"] >= 0, np.arange(nodes)
        children = np.stack([numbers["left"], numbers["right"]])
        roots, feature = numbers["roots"], numbers["feature"]
        if (children[:, inner] <= numbers_of[inner]).any() or (children[:, inner] >= nodes).any() or not len(roots) \
                or (feature >= len(FEATURES)).any() or (roots < 0).any() or (roots >= nodes).any():  # fmt: skip
            raise ValueError("expected roots, nodes whose children come behind them, and features that there are")
        return cls(float(fields["start"]), **numbers, **floats)


@dataclass(frozen=True)
class Costs:
    """Predicts seconds of kernels.

    Attributes:
        machine: what bounds kernels here.
        trees: of the logarithm of measured seconds by bounds; None for the bounds alone.
        threads: that kernels run on.
    """

    machine: Machine
    trees: Trees | None
    threads: int

    def seconds(self, works: Sequence[Work]) -> np.ndarray:
        """Of each kernel."""
        if not works:
            return np.zeros(0)
        bounds = np.array([bound(work, self.machine) for work in works])
        if self.trees is None:
            return bounds
        factors = np.exp(self.trees.predict(np.array([features_of(work, self.threads) for work in works])))
        return bounds * np.where([work.name in TEMPLATES for work in works], factors, 1.0)

    def total(self, works: Sequence[Work]) -> float:
        return float(self.seconds(works).sum())


def bound(work: Work, machine: Machine) -> float:
    """Seconds that a kernel takes at least, with its launch."""
    return LAUNCH + machine.bound(work)


def write_trees(path: str | Path, trees: Trees, about: dict[str, Any]) -> None:
    """Writes a learned model. Readers see the whole file or what was there before."""
    path = Path(path)
    text = json.dumps({"version": VERSION, "features": list(FEATURES), **about, "trees": trees.to_json()})
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.write_text(text)
    part.replace(path)


def read_trees(path: str | Path) -> tuple[Trees, dict[str, Any]]:
    """A learned model, and what else is in its file.

    Raises:
        ValueError: the file is none of a learned model of this version.
    """
    try:
        fields = json.loads(Path(path).read_text())
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path}: expected JSON: {error}") from None
    if not isinstance(fields, dict) or fields.get("version") != VERSION:
        got = fields.get("version") if isinstance(fields, dict) else fields
        raise ValueError(f"{path}: expected a model of costs of version {VERSION}, got {got!r:.40}")
    if fields.get("features") != list(FEATURES):
        raise ValueError(f"{path}: expected the features {', '.join(FEATURES)}, got {fields.get('features')!r:.80}")
    try:
        return Trees.from_json(fields.pop("trees")), fields
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: expected trees: {error}") from None


def local_path() -> Path:
    """Where ``python -m rgnn.tune fit`` puts what it learns of this machine."""
    home = os.environ.get("RGNN_CACHE_DIR") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rgnn"
    return Path(home) / "costs.json"


def load_machine(threads: int) -> Machine:
    """What bounds kernels here, as it was measured first: kept beside the learned model, so that all processes choose
    the same plans."""
    path, key = local_path().with_name("machines.json"), f"{platform.node()} {threads}"
    known = {}
    with contextlib.suppress(OSError, AttributeError, KeyError, TypeError, ValueError):
        known = json.loads(path.read_text())
        bandwidth, operations = known[key]["bandwidth"], known[key]["operations"]
        if all(isinstance(speed, float) and 0 < speed < math.inf for speed in (bandwidth, *operations.values())) \
                and {"float32", "float64"} <= operations.keys():  # fmt: skip
            return Machine(bandwidth, operations)
    machine = measure_machine(threads)
    known = known if isinstance(known, dict) else {}
    with contextlib.suppress(OSError):  # a cache that cannot be written is none
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}")
        part.write_text(json.dumps({**known, key: dataclasses.asdict(machine)}))
        part.replace(path)
    return machine


@functools.lru_cache
def load_costs(threads: int) -> Costs:
    """Costs by what was learned of this machine, else by what comes with RGNN.

    Raises:
        ValueError: the file is none of a learned model of this version.
    """
    local = local_path()
    try:
        trees = read_trees(local if local.exists() else SHIPPED)[0]
    except ValueError as error:
        raise ValueError(f"{error}: run python -m rgnn.tune fit, or delete the file") from None
    return Costs(load_machine(threads), trees, threads)

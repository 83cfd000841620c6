"""The graph of a module, its configurations, and how long it took with each of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .packing import Packing


def _bytes_of_rows(rows: np.ndarray) -> np.ndarray:
    """Rows as single values, which are sorted and compared much faster than rows are."""
    return np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1] * rows.itemsize)))[:, 0]


@dataclass(frozen=True)
class NodeConfigurations:
    """Configurations of a layout collection: some integers for each configurable node, packed.

    Attributes:
        packed: ``[C, K, W]``, of ``C`` configurations and ``K`` configurable nodes.
        packing: of ``D`` fields into ``W`` integers.
    """

    packed: np.ndarray
    packing: Packing

    @classmethod
    def of(cls, features: np.ndarray) -> NodeConfigurations:
        """Packs ``[C, K, D]`` integers."""
        packing = Packing.fitting(features)
        return cls(packing.pack(features), packing)

    def __len__(self) -> int:
        return len(self.packed)

    @property
    def fields(self) -> int:
        return len(self.packing.sizes)

    @property
    def keys(self) -> np.ndarray:
        """``[C]``: equal ones are those of equal configurations."""
        return _bytes_of_rows(self.packed.reshape(len(self), -1))

    def at(self, which: np.ndarray) -> NodeConfigurations:
        return NodeConfigurations(self.packed[which], self.packing)

    def features(self) -> np.ndarray:
        """``[C, K, D]``, int64."""
        return self.packing.unpack(self.packed)


@dataclass(frozen=True)
class ModuleConfigurations:
    """Configurations of a tile collection: one vector for the whole module.

    Attributes:
        vectors: ``[C, D]``, float32.
    """

    vectors: np.ndarray

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def fields(self) -> int:
        return self.vectors.shape[1]

    @property
    def keys(self) -> np.ndarray:
        """``[C]``: equal ones are those of equal configurations."""
        return _bytes_of_rows(self.vectors + 0.0)  # there is a negative zero, too

    def at(self, which: np.ndarray) -> ModuleConfigurations:
        return ModuleConfigurations(self.vectors[which])

    def features(self) -> np.ndarray:
        """``[C, D]``, float32."""
        return self.vectors


@dataclass(frozen=True)
class ModuleGraph:
    """A module that is compiled with several configurations.

    Attributes:
        name: of the module; what has the same name is never split between training and test.
        numbers: ``[N, F]``, float32: features of nodes that are numbers.
        layouts: ``[N, L]``, int64: features of nodes that are categories from -1 on, those of configurations.
        ops: ``[N]``, int64: the kind of each node.
        edges: ``[2, E]``, int64: the ends of each edge.
        configurable: ``[K]``, int64: the nodes that configurations say something of; none in a tile collection.
        configurations: ``C`` of them.
        times: ``[C]``, float64, positive: measured, in any unit.
        normalisers: ``[C]``, float64, positive: what times are divided by to be compared, such as that of a default
            configuration measured beside it; None where times are compared as they are.
    """

    name: str
    numbers: np.ndarray
    layouts: np.ndarray
    ops: np.ndarray
    edges: np.ndarray
    configurable: np.ndarray
    configurations: NodeConfigurations | ModuleConfigurations
    times: np.ndarray
    normalisers: np.ndarray | None = None

    @property
    def kind(self) -> str:
        """``"layout"`` where configurations are those of nodes, ``"tile"`` where they are those of the module."""
        return "layout" if isinstance(self.configurations, NodeConfigurations) else "tile"

    @property
    def relative_times(self) -> np.ndarray:
        """``[C]``: what configurations are ranked by."""
        return self.times if self.normalisers is None else self.times / self.normalisers

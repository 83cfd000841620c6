"""Generated graphs that kernels are measured on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

TYPES = 16
"""Edge types of all graphs: weights have as many."""

GRAPHS = ("n1024-e4096-s1-t1", "n4096-e32768-s2-t3", "n2048-e65536-s1-t2", "n16384-e65536-s3-t1", "n8192-e8192-s2-t4",
          "n32768-e262144-s2-t2")  # fmt: skip
"""Names of those that are measured where nothing is said."""

_GRAPH = re.compile(r"n(\d+)-e(\d+)-s([1-9](?:\.\d+)?)-t([1-9](?:\.\d+)?)")


@dataclass(frozen=True)
class GraphSpec:
    """A generated graph, the same wherever it is made.

    Attributes:
        name: says all of it: ``n1024-e4096-s2-t3`` has 1,024 nodes and 4,096 edges; the first nodes have the more of
            them the larger ``s`` is, and the first types the larger ``t`` is. With 1 all are alike.
    """

    name: str

    def __post_init__(self) -> None:
        found = _GRAPH.fullmatch(self.name)
        if not found or not int(found[1]) or not int(found[2]):
            raise ValueError(f"graph: expected a name such as {GRAPHS[1]}, got {self.name!r}")

    @property
    def nodes(self) -> int:
        return int(_GRAPH.fullmatch(self.name)[1])

    @cached_property
    def edges(self) -> tuple[Tensor, Tensor]:
        """Ends ``[2, E]`` and types ``[E]``, int64."""
        _, edges, skew, types = map(float, _GRAPH.fullmatch(self.name).groups())
        with torch.random.fork_rng():
            torch.manual_seed(0)
            both = torch.stack([ends(self.nodes, int(edges), skew) for _ in range(2)])
            return both, ends(TYPES, int(edges), types)


def ends(count: int, edges: int, skew: float) -> Tensor:
    """Ends of edges among ``count`` nodes or types, the first of which have the most where ``skew`` is above 1."""
    return (torch.rand(edges, dtype=torch.float64) ** skew * count).long().clamp_(max=count - 1)

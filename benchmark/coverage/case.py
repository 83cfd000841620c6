"""A case of the coverage table, and the graphs that cases are made for."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn

RELATIONS, KINDS, EDGE_WIDTH = 4, 3, 8  # of edges, of nodes, and of what edges hold
AWKWARD = "awkward"  # the small graph of the quick table


@dataclass(frozen=True)
class Case:
    """A layer as it is used.

    Attributes:
        name: unique in its part of the table.
        cls: what PyG exports, which it is a case of.
        make: the module for a graph.
        inputs: what it is called with on the graph.
        trains: whether its training mode is measured; otherwise gradients in evaluation mode, as it draws numbers.
        doubles: whether PyG runs it in float64; otherwise it is compared in float32.
    """

    name: str
    cls: Any
    make: Callable[[Sample], nn.Module]
    inputs: Callable[[Sample], tuple]
    trains: bool = True
    doubles: bool = True

    @property
    def bound(self) -> float:
        """Of the error, where what is compiled is as exact as PyG can be."""
        return 1e-10 if self.doubles else 1e-5


class Call(nn.Module):
    """A function as a module, with what stands behind the inputs."""

    def __init__(self, function: Callable, *behind: Any):
        super().__init__()
        self.function, self.behind = function, behind

    def forward(self, *args: Any) -> Any:
        return self.function(*args, *self.behind)


def mlp(inputs: int, outputs: int) -> nn.Module:
    return nn.Sequential(nn.Linear(inputs, outputs), nn.ReLU(), nn.Linear(outputs, outputs))


class Sample:
    """A plain graph, and random inputs for it; the same in every process.

    Args:
        edge_index: ``[2, E]``.
        nodes: how many.
        width: of features.
    """

    def __init__(self, edge_index: Tensor, nodes: int, width: int):
        self.edge_index, self.nodes, self.width = edge_index, nodes, width
        self.edges = edge_index.shape[1]

    def floats(self, name: str, *shape: int) -> Tensor:
        return torch.randn(shape, generator=self._generator(name))

    def integers(self, name: str, below: int, *shape: int) -> Tensor:
        return torch.randint(below, shape, generator=self._generator(name))

    @staticmethod
    def _generator(name: str) -> torch.Generator:
        return torch.Generator().manual_seed(zlib.crc32(name.encode()))

    @cached_property
    def x(self) -> Tensor:
        return self.floats("x", self.nodes, self.width)

    @cached_property
    def narrow(self) -> Tensor:
        """Features for layers that make a matrix for each edge."""
        return self.x[:, : self.width // 4].contiguous()

    @cached_property
    def edge_weight(self) -> Tensor:
        return self.floats("edge_weight", self.edges).abs() + 0.1

    @cached_property
    def edge_attr(self) -> Tensor:
        return self.floats("edge_attr", self.edges, EDGE_WIDTH)

    @cached_property
    def messages(self) -> Tensor:
        return self.floats("messages", self.edges, self.width)

    @cached_property
    def edge_type(self) -> Tensor:
        return self.integers("edge_type", RELATIONS, self.edges)

    @cached_property
    def node_type(self) -> Tensor:
        return self.integers("node_type", KINDS, self.nodes).sort()[0]

    @cached_property
    def positions(self) -> Tensor:
        return self.floats("positions", self.nodes, 3)

    @cached_property
    def normals(self) -> Tensor:
        return nn.functional.normalize(self.floats("normals", self.nodes, 3), dim=1)

    @cached_property
    def degree_counts(self) -> Tensor:
        return torch.bincount(torch.bincount(self.edge_index[1], minlength=self.nodes))

    @cached_property
    def graphs(self) -> int:
        """How many graphs a batch has that the nodes are of."""
        return max(4, self.nodes // 50)

    @cached_property
    def batch(self) -> Tensor:
        return self.integers("batch", self.graphs, self.nodes).sort()[0]

    @cached_property
    def by_target(self) -> Tensor:
        """The edges in the order of their targets."""
        return self.edge_index[:, self.edge_index[1].argsort(stable=True)].contiguous()

    @cached_property
    def targets(self) -> int:
        """How many nodes a batch of neighbours is sampled for."""
        return self.nodes // 3

    @cached_property
    def to_targets(self) -> Tensor:
        return torch.stack([self.edge_index[0], self.edge_index[1] % self.targets])

    @cached_property
    def both(self) -> tuple[Tensor, Tensor]:
        """Features of the sources and of the targets."""
        return self.x, self.x[: self.targets].clone()

    @property
    def kinds(self) -> tuple[list[str], list[tuple[str, str, str]]]:
        """Metadata of a heterogeneous graph."""
        return ["a", "b"], [("a", "to", "b"), ("b", "of", "a")]

    @cached_property
    def features_by_kind(self) -> dict[str, Tensor]:
        return {"a": self.x, "b": self.floats("b", self.nodes, self.width)}

    @cached_property
    def edges_by_kind(self) -> dict[tuple[str, str, str], Tensor]:
        return {kind: self.edge_index.flip(number).contiguous() for number, kind in enumerate(self.kinds[1])}


def awkward(width: int) -> Sample:
    """Isolated nodes, self loops, repeated edges and a hub."""
    nodes, generator = 40, torch.Generator().manual_seed(0)
    edge_index = torch.randint(nodes - 4, (2, 130), generator=generator)
    loops, hub = torch.arange(5).repeat(2, 1), torch.stack([torch.arange(15), torch.full((15,), 3)])
    return Sample(torch.cat([edge_index, edge_index[:, :10], loops, hub], 1), nodes, width)


def load(name: str, width: int) -> Sample:
    """The edges of a data set as a plain graph, or the small one."""
    if name == AWKWARD:
        return awkward(width)
    from peers.problem import load_graph

    graph = load_graph(name)
    return Sample(graph.edge_index, graph.num_nodes, width)

"""Layers whose kernels :mod:`rgnn.tune.collect` measures, and generated graphs that they are called with."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch_geometric import nn as pyg

from .graphs import ends


@dataclass(frozen=True)
class Sizes:
    """Of a layer and its graph.

    Attributes:
        nodes, edges, types: numbers of nodes, edges and edge types.
        width, out: of rows in and out.
        skews: of sources, destinations and types (:func:`rgnn.tune.graphs.ends`).
    """

    nodes: int
    edges: int
    types: int
    width: int
    out: int
    skews: tuple[float, float, float]

    @property
    def node_types(self) -> int:
        """Of a heterogeneous graph: about as many as data sets have for so many edge types."""
        return max(1, round(math.sqrt(self.types)))

    @property
    def metadata(self) -> tuple[list[str], list[tuple[str, str, str]]]:
        """Of a heterogeneous graph, as PyG has it."""
        names = [str(number) for number in range(self.node_types)]
        return names, [(names[number % len(names)], f"r{number}", names[(number // len(names)) % len(names)])
                       for number in range(self.types)]  # fmt: skip


@dataclass(frozen=True)
class Layer:
    """A class of layers.

    Attributes:
        graph: ``"plain"`` for rows and edges, ``"typed"`` for types of edges too, ``"hetero"`` for dicts of both.
        make: gives a layer for sizes.
    """

    graph: Literal["plain", "typed", "hetero"]
    make: Callable[[Sizes], nn.Module]

    def inputs(self, sizes: Sizes) -> tuple[Any, ...]:
        """Those of a call; rows want a gradient."""
        if self.graph == "hetero":
            return _hetero_inputs(sizes)
        edges = [ends(sizes.nodes, sizes.edges, skew) for skew in sizes.skews[:2]]
        types = [ends(sizes.types, sizes.edges, sizes.skews[2])] if self.graph == "typed" else []
        return _rows(sizes.nodes, sizes), torch.stack(edges), *types


def _rows(number: int, sizes: Sizes) -> Tensor:
    return torch.randn(number, sizes.width, requires_grad=True)


def _hetero_inputs(sizes: Sizes) -> tuple[dict[str, Tensor], dict[tuple[str, str, str], Tensor]]:
    names, relations = sizes.metadata
    each = max(sizes.nodes // len(names), 1)
    counts = torch.bincount(ends(sizes.types, sizes.edges, sizes.skews[2]), minlength=sizes.types).tolist()
    edges = {relation: torch.stack([ends(each, count, skew) for skew in sizes.skews[:2]])
             for relation, count in zip(relations, counts)}  # fmt: skip
    return {name: _rows(each, sizes) for name in names}, edges


def _bases(sizes: Sizes) -> int:
    return max(1, round(math.sqrt(sizes.types)))


def _mlp(sizes: Sizes) -> nn.Module:
    return nn.Sequential(nn.Linear(sizes.width, sizes.out), nn.ReLU(), nn.Linear(sizes.out, sizes.out))


def _per_relation(make: Callable[[Sizes], nn.Module]) -> Callable[[Sizes], nn.Module]:
    return lambda s: pyg.HeteroConv({relation: make(s) for relation in s.metadata[1]}, aggr="sum")


LAYERS: dict[str, Layer] = {
    "GCN": Layer("plain", lambda s: pyg.GCNConv(s.width, s.out)),
    "SAGE": Layer("plain", lambda s: pyg.SAGEConv(s.width, s.out)),
    "SAGE (maximum)": Layer("plain", lambda s: pyg.SAGEConv(s.width, s.out, aggr="max")),
    "GIN": Layer("plain", lambda s: pyg.GINConv(_mlp(s))),
    "GraphConv": Layer("plain", lambda s: pyg.GraphConv(s.width, s.out)),
    "TAG": Layer("plain", lambda s: pyg.TAGConv(s.width, s.out, K=2)),
    "SG": Layer("plain", lambda s: pyg.SGConv(s.width, s.out, K=2)),
    "GAT": Layer("plain", lambda s: pyg.GATConv(s.width, s.out)),
    "GAT (4 heads)": Layer("plain", lambda s: pyg.GATConv(s.width, s.out // 4, heads=4)),
    "GATv2": Layer("plain", lambda s: pyg.GATv2Conv(s.width, s.out)),
    "Transformer": Layer("plain", lambda s: pyg.TransformerConv(s.width, s.out, heads=2)),
    "EdgeConv": Layer("plain", lambda s: pyg.EdgeConv(nn.Linear(2 * s.width, s.out))),
    "RGCN": Layer("typed", lambda s: pyg.RGCNConv(s.width, s.out, s.types)),
    "RGCN (sum)": Layer("typed", lambda s: pyg.RGCNConv(s.width, s.out, s.types, aggr="add")),
    "RGCN (bases)": Layer("typed", lambda s: pyg.RGCNConv(s.width, s.out, s.types, num_bases=_bases(s))),
    "RGAT": Layer("typed", lambda s: pyg.RGATConv(s.width, s.out, s.types)),
    "RGAT (within)": Layer("typed", lambda s: pyg.RGATConv(s.width, s.out, s.types,
                                                           attention_mechanism="within-relation")),
    "FiLM": Layer("typed", lambda s: pyg.FiLMConv(s.width, s.out, s.types)),
    "HGT": Layer("hetero", lambda s: pyg.HGTConv(s.width, s.out, s.metadata, heads=1)),
    "HGT (4 heads)": Layer("hetero", lambda s: pyg.HGTConv(s.width, s.out, s.metadata, heads=4)),
    "HeteroConv of SAGE": Layer("hetero", _per_relation(lambda s: pyg.SAGEConv(s.width, s.out))),
    "HeteroConv of GAT": Layer("hetero", _per_relation(
        lambda s: pyg.GATConv((s.width, s.width), s.out, add_self_loops=False))),
}  # fmt: skip

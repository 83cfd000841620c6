"""The graph of a call: what callers give, and the tensors that compiled code takes."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from .._errors import InputError
from .._graph import Graph
from .._run import graphs
from .evaluate import Ends
from .joint import Joint
from .text import INTEGERS, GraphForm

GRAPH_ARGUMENTS = ("edge_index", "edge_type", "node_type", "num_nodes")


@dataclass(frozen=True)
class Lists:
    """The graph that a caller gives; ``num_nodes`` is None where rows of nodes say it."""

    edge_index: Tensor
    edge_type: Tensor | None = None
    node_type: Tensor | None = None
    num_nodes: int | None = None

    @classmethod
    def make(cls, graph: Any, given: dict[str, Any]) -> Lists:
        """What the first argument of a call and arguments by name say.

        Raises:
            TypeError: neither is a graph.
        """
        if isinstance(graph, Graph):
            if given:
                raise TypeError(f"{next(iter(given))}: expected none beside an rgnn.Graph, got one")
            return cls(graph.edge_index, graph.edge_type, graph.node_type, graph.num_nodes)
        if isinstance(graph, (tuple, list)):
            graph, given = (graph[0] if graph else None), {**dict(zip(GRAPH_ARGUMENTS[1:], graph[1:])), **given}
        if graph is not None:
            given = {"edge_index": graph, **given}
        if not isinstance(given.get("edge_index"), Tensor):
            raise TypeError("expected an rgnn.Graph, edge_index, or (edge_index, edge_type) as the graph, got "
                            f"{type(given.get('edge_index')).__name__}")  # fmt: skip
        return cls(**given)

    def check(self) -> None:
        """Raises InputError for a list that is none."""
        if self.edge_index.dim() != 2 or self.edge_index.shape[0] != 2:
            raise InputError(f"edge_index: expected shape [2, E], got {list(self.edge_index.shape)}")
        for name, tensor in (("edge_index", self.edge_index), ("edge_type", self.edge_type),
                             ("node_type", self.node_type)):  # fmt: skip
            if tensor is not None and tensor.dtype not in INTEGERS:
                raise InputError(f"{name}: expected int64 or int32, got {tensor.dtype}")

    @property
    def key(self) -> tuple:
        """What of it is a part of a signature."""
        return (self.edge_index.dtype, self.edge_index.dim(), self.edge_type is not None and self.edge_type.dtype,
                self.node_type is not None)  # fmt: skip


@dataclass(frozen=True)
class Prepared:
    """A graph as compiled code takes it.

    Attributes:
        tensors: the first arguments of the code.
        order: the numbers that nodes have in the order of their types, and
        places: where each node is in that order; None where the caller's is that order.
    """

    tensors: list[Tensor]
    order: Tensor | None = None
    places: Tensor | None = None


_prepared: graphs.Cache = {}


def prepare(form: GraphForm, lists: Lists, num_nodes: int, like: Tensor, joint: Joint | None = None) -> Prepared:
    """The tensors of a graph; what takes a look at its numbers is kept as long as the lists live.

    Args:
        form: what the code reads.
        lists: the graph.
        num_nodes: N.
        like: a tensor of the code's dtype.
        joint: types that stand for several.

    Raises:
        InputError: a type that is out of range, or a list that is missing.
    """
    if joint is not None:
        lists = dataclasses.replace(lists, edge_type=_joined(joint, lists, num_nodes))
    if form.edge_type and lists.edge_type is None:
        raise InputError(f"edge_type: expected one type of {form.edge_types} for each edge, got none")
    own = [lists.edge_index, lists.edge_type] if form.edge_type else [lists.edge_index]
    if form.node_types < 2:
        return Prepared(own if form.rows_of else [*own, like.new_empty((num_nodes, 0))])
    if lists.node_type is None:
        raise InputError(f"node_type: expected one type of {form.node_types} for each node, got none")
    if tuple(lists.node_type.shape) != (num_nodes,):
        raise InputError(f"node_type: expected shape [{num_nodes}], got {list(lists.node_type.shape)}")
    sources = [lists.edge_index, lists.node_type]
    key = (form.node_types, like.dtype, *map(id, sources))
    found = graphs.lookup(_prepared, key, sources)
    if found is None:
        found = _sort(form, lists, like)
        graphs.keep(_prepared, key, sources, found)
    edge_index, counts, order, places = found
    return Prepared([edge_index, *own[1:], *counts], order, places)


def _joined(joint: Joint, lists: Lists, num_nodes: int) -> Tensor:
    """The types of edges that stand for several."""
    for name, kinds, tensor in (("edge_type", ("etype",), lists.edge_type), ("node_type", ("src", "dst"),
                                                                             lists.node_type)):  # fmt: skip
        if tensor is None and any(joint.sizes.get(kind, 1) > 1 for kind in kinds):
            raise InputError(f"{name}: expected one type for each, which pick entries of weights, got none")
    sources = [tensor for tensor in (lists.edge_index, lists.edge_type, lists.node_type) if tensor is not None]
    key = (tuple(joint.sizes.items()), lists.edge_type is None, *map(id, sources))
    found = graphs.lookup(_prepared, key, sources)
    if found is None:
        with torch.inference_mode(False), torch.no_grad():
            found = joint.join(_parts(joint, lists, num_nodes))
        graphs.keep(_prepared, key, sources, found)
    return found


def _parts(joint: Joint, lists: Lists, num_nodes: int) -> dict[str, Tensor]:
    """The types of each kind, which are in range."""
    ends = lists.edge_index
    if ends.numel() and not 0 <= int(ends.min()) <= int(ends.max()) < num_nodes:
        raise InputError(f"edge_index: expected node indices in [0, {num_nodes}), got {int(ends.min())} to "
                         f"{int(ends.max())}")  # fmt: skip
    etype = torch.zeros_like(ends[0]) if lists.edge_type is None else lists.edge_type
    ntype = ends.new_zeros(num_nodes) if lists.node_type is None else lists.node_type
    for name, types, kinds in (("edge_type", etype, ("etype",)), ("node_type", ntype, ("src", "dst"))):
        for kind in kinds:
            size = joint.sizes.get(kind)
            if size and types.numel() and not 0 <= int(types.min()) <= int(types.max()) < size:
                raise InputError(f"{name}: expected types in [0, {size}), got {int(types.min())} to {int(types.max())}")
    return {"etype": etype, "src": ntype[ends[0].long()], "dst": ntype[ends[1].long()]}


def _sort(form: GraphForm, lists: Lists, like: Tensor) -> tuple[Tensor, list[Tensor], Tensor | None, Tensor | None]:
    """Numbers nodes type by type."""
    with torch.inference_mode(False), torch.no_grad():
        types = lists.node_type
        if types.numel() and not 0 <= int(types.min()) <= int(types.max()) < form.node_types:
            wrong = types[(types < 0) | (types >= form.node_types)]
            raise InputError(f"node_type: expected types in [0, {form.node_types}), got {int(wrong[0])}")
        counts = torch.bincount(types, minlength=form.node_types).tolist()
        rows = [like.new_empty((count, 0)) for count in counts]
        if bool((types[1:] >= types[:-1]).all()):
            return lists.edge_index, rows, None, None
        edges = lists.edge_index
        if edges.numel() and not 0 <= int(edges.min()) <= int(edges.max()) < len(types):
            raise InputError(f"edge_index: expected node indices in [0, {len(types)}), got {int(edges.min())} to "
                             f"{int(edges.max())}")  # fmt: skip
        order = torch.argsort(types, stable=True)
        places = torch.empty_like(order)
        places[order] = torch.arange(len(order), device=order.device)
        return places[edges.long()].to(edges.dtype), rows, order, places


def ends_of(form: GraphForm, edge_index: Tensor, edge_type: Tensor | None, counted: list[Tensor],
            joint: Joint | None) -> Ends:
    """The graph for evaluation; ``counted`` are tensors with a row for each node, one for each type that code reads."""
    ntype = None
    if form.node_types > 1:
        ntype = torch.cat([torch.full((rows.shape[0],), k, device=edge_index.device) for k, rows in enumerate(counted)])
    elif form.node_types:
        ntype = torch.zeros(counted[0].shape[0], dtype=torch.long, device=edge_index.device)
    if form.edge_types and edge_type is None:
        edge_type = torch.zeros_like(edge_index[0])
    of_ends = {}
    if joint is not None:
        of_ends = {kind: joint.part(edge_type, kind) for kind in joint.sizes if kind != "etype"}
        edge_type = joint.part(edge_type, "etype") if "etype" in joint.sizes else None
    return Ends(edge_index[0], edge_index[1], edge_type, ntype, sum(rows.shape[0] for rows in counted), of_ends)


def count_nodes(lists: Lists, rows: list[tuple[str, Tensor]]) -> int:
    """N, which rows of nodes, or the lists, say.

    Args:
        lists: the graph.
        rows: data of nodes, with names.

    Raises:
        InputError: they differ.
    """
    known = lists.num_nodes
    if known is None and lists.node_type is not None:
        known = lists.node_type.shape[0]
    for name, tensor in rows:
        if known is None:
            known = tensor.shape[0]
        elif tensor.shape[0] != known:
            raise InputError(f"{name}: expected a row for each of {known} nodes, got {tensor.shape[0]}")
    if known is None:
        known = _count(lists.edge_index)
    return known


_counts: graphs.Cache = {}


def _count(edge_index: Tensor) -> int:
    """One more than the largest number of a node; found once for each tensor."""
    key, sources = (id(edge_index),), [edge_index]
    count = graphs.lookup(_counts, key, sources)
    if count is None:
        count = int(edge_index.max()) + 1 if edge_index.numel() else 0
        graphs.keep(_counts, key, sources, count)
    return count

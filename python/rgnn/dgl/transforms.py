"""Graphs made of graphs: self loops, other directions, edges more or fewer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from . import segments
from .base import EID, DGLError
from .heterograph import DGLGraph

__all__ = ["add_edges", "add_nodes", "add_reverse_edges", "add_self_loop", "norm_by_dst", "remove_edges",
           "remove_self_loop", "reverse", "to_bidirected", "to_double", "to_float", "to_half", "to_simple"]  # fmt: skip


def reverse(g: DGLGraph, copy_ndata: bool = True, copy_edata: bool = False) -> DGLGraph:
    """A graph whose edges lead the other way, in the same order.

    Args:
        copy_ndata, copy_edata: whether it has the features of nodes, and of edges.
    """
    if g.is_block:
        raise DGLError("reverse: expected a graph, got a block")
    etypes = [(target, name, source) for source, name, target in g.canonical_etypes]
    ends = [(target, source) for source, target in g._ends]
    sizes = [g._size(number) for number in range(len(g.ntypes))]
    made = DGLGraph(g.ntypes, etypes, ends, [own.flip(0) for own in g._edges], sizes)
    _copy(g, made, copy_ndata, copy_edata)
    return made


def _copy(g: DGLGraph, made: DGLGraph, nodes: bool, edges: bool) -> None:
    if nodes:
        made._node_frames = [dict(frame) for frame in g._node_frames]
        made._batch = g._batch if edges else None
    if edges:
        made._edge_frames = [dict(frame) for frame in g._edge_frames]


def add_edges(g: DGLGraph, u: Any, v: Any, data: Mapping[str, Tensor] | None = None, etype: Any = None) -> DGLGraph:
    """A graph with more edges, behind those that are there.

    Args:
        u, v: sources and destinations; a single one for all.
        data: their features; 0 for those that are not given.
        etype: their type.
    """
    number = g.get_etype_id(etype)
    source, target = torch.broadcast_tensors(g._numbers(u), g._numbers(v))
    g._check_nodes(source, g._ends[number][0])
    g._check_nodes(target, g._ends[number][1])
    more = torch.stack([source, target]).to(g.idtype)
    frame = _extend(g._edge_frames[number], data or {}, g._edges[number].shape[1], more.shape[1],
                    g._edges_name(number))  # fmt: skip
    return _with_edges(g, number, torch.cat([g._edges[number], more], 1), frame)


def _extend(
    frame: dict[str, Tensor], data: Mapping[str, Tensor], count: int, more: int, what: str
) -> dict[str, Tensor]:
    """The rows of a frame, and those that are given behind them; 0 where only one of the two has a feature."""
    made = {}
    for key in dict.fromkeys([*frame, *data]):
        like = frame[key] if key in frame else data[key]
        if key in data and data[key].shape[0] != more:
            raise DGLError(f"{key!r} of {what}: expected {more} rows, one for each that is added, got "
                           f"{data[key].shape[0]}")  # fmt: skip
        parts = (frame.get(key, like.new_zeros((count, *like.shape[1:]))),
                 data.get(key, like.new_zeros((more, *like.shape[1:]))))  # fmt: skip
        made[key] = torch.cat(parts)
    return made


def _with_edges(g: DGLGraph, number: int, edges: Tensor, frame: dict[str, Tensor]) -> DGLGraph:
    made = g._with([edges if one == number else own for one, own in enumerate(g._edges)], frames=True)
    made._edge_frames[number], made._batch = frame, None
    return made


def add_nodes(
    g: DGLGraph, num: int, data: Mapping[str, Tensor] | None = None, ntype: str | None = None
) -> DGLGraph:
    """A graph with ``num`` more nodes of a type, behind those that are there; ``data`` as of :func:`add_edges`."""
    number = g.get_ntype_id(ntype)
    sizes = [g._size(one) + (num if one == number else 0) for one in range(len(g.ntypes))]
    made = g._with(sizes=sizes, frames=True)
    made._node_frames[number] = _extend(g._node_frames[number], data or {}, g._size(number), num,
                                        g._nodes_name(number))  # fmt: skip
    made._batch = None
    return made


def remove_edges(g: DGLGraph, eids: Any, etype: Any = None, store_ids: bool = False) -> DGLGraph:
    """A graph without some edges of a type.

    Args:
        eids: their numbers.
        store_ids: whether the numbers that the others had are kept, as the feature ``"_ID"``.
    """
    number = g.get_etype_id(etype)
    stays = torch.ones(g._edges[number].shape[1], dtype=torch.bool, device=g.device)
    stays[g._numbers(eids)] = False
    rows = stays.nonzero().view(-1)
    frame = {key: value.index_select(0, rows) for key, value in g._edge_frames[number].items()}
    if store_ids:
        frame[EID] = rows.to(g.idtype)
    return _with_edges(g, number, g._edges[number].index_select(1, rows), frame)


def add_self_loop(
    g: DGLGraph, edge_feat_names: list[str] | None = None, fill_data: float | str = 1.0, etype: Any = None
) -> DGLGraph:
    """A graph with one more edge from each node to itself, whether it has one or not.

    Args:
        edge_feat_names: the features that new edges get; all for None, others are 0.
        fill_data: what they are: a number, or "sum", "mean", "max" or "min" of the edges that lead to the node.
        etype: the edge type, from a node type to itself.
    """
    number = _loop_type(g, etype, "add_self_loop")
    size, frame = g._size(g._ends[number][0]), g._edge_frames[number]
    if isinstance(fill_data, str) and fill_data not in segments.REDUCERS:
        raise DGLError(f"fill_data: expected a number or one of {', '.join(segments.REDUCERS)}, got {fill_data!r}")
    data = {}
    for key in list(frame) if edge_feat_names is None else edge_feat_names:
        rows = frame[key]
        data[key] = segments.reduce(rows, g._destination(number), size, fill_data) if isinstance(fill_data, str) else (
            rows.new_full((size, *rows.shape[1:]), fill_data))  # fmt: skip
    nodes = g._all_nodes(g._ends[number][0])
    return add_edges(g, nodes, nodes, data, etype)


def remove_self_loop(g: DGLGraph, etype: Any = None) -> DGLGraph:
    """A graph without edges from a node to itself, of one edge type."""
    number = _loop_type(g, etype, "remove_self_loop")
    return remove_edges(g, (g._source(number) == g._destination(number)).nonzero().view(-1), etype)


def _loop_type(g: DGLGraph, etype: Any, what: str) -> int:
    number = g.get_etype_id(etype)
    if g._ends[number][0] != g._ends[number][1]:
        raise DGLError(f"{what}: expected an edge type from a node type to itself, got {g.canonical_etypes[number]}")
    return number


def add_reverse_edges(
    g: DGLGraph, readonly: Any = None, copy_ndata: bool = True, copy_edata: bool = False,
    ignore_bipartite: bool = False, exclude_self: bool = True,
) -> DGLGraph:  # fmt: skip
    """A graph with an edge the other way for each edge, behind those that are there.

    Args:
        copy_ndata, copy_edata: whether it has the features of nodes; of edges, those of the edge that is reversed.
        ignore_bipartite: whether edge types between two node types stay as they are, instead of being an error.
        exclude_self: whether edges from a node to itself are not doubled.
    """
    made = g._with()
    _copy(g, made, copy_ndata, False)
    for number, own in enumerate(g._edges):
        rows = torch.arange(own.shape[1], device=g.device)
        if g._ends[number][0] == g._ends[number][1]:
            others = (own[0] != own[1]).nonzero().view(-1) if exclude_self else rows
            made._edges[number] = torch.cat([own, own.flip(0).index_select(1, others)], 1)
            rows = torch.cat([rows, others])
        elif not ignore_bipartite:
            _loop_type(g, g.canonical_etypes[number], "add_reverse_edges")
        if copy_edata:
            made._edge_frames[number] = {key: value[rows] for key, value in g._edge_frames[number].items()}
    return made


def to_bidirected(g: DGLGraph, copy_ndata: bool = False, readonly: Any = None) -> DGLGraph:
    """A graph with an edge each way between nodes with an edge one way, and no edge twice."""
    return to_simple(add_reverse_edges(g, copy_ndata=copy_ndata), return_counts=None, copy_ndata=copy_ndata)


def to_simple(
    g: DGLGraph, return_counts: str | None = "count", writeback_mapping: bool = False, copy_ndata: bool = True,
    copy_edata: bool = False, aggregator: str = "arbitrary",
) -> Any:  # fmt: skip
    """A graph with each edge once, by source and then destination.

    Args:
        return_counts: the feature that holds how often an edge was there; None for none.
        writeback_mapping: whether to give, too, the number that each edge has in the result, ``[E]``; of several edge
            types, by type.
        copy_ndata, copy_edata: whether it has the features of nodes; of edges, joined as ``aggregator`` says.
        aggregator: "arbitrary" (the first), "sum" or "mean".
    """
    if g.is_block:
        raise DGLError("to_simple: expected a graph, got a block")
    if aggregator not in ("arbitrary", "sum", "mean"):
        raise DGLError(f"aggregator: expected arbitrary, sum or mean, got {aggregator!r}")
    made, mapping = g._with(), {}
    _copy(g, made, copy_ndata, False)
    for number, etype in enumerate(g.canonical_etypes):
        width = max(g._sides_sizes(number)[1], 1)
        keys = g._source(number) * width + g._destination(number)
        once, place, counts = torch.unique(keys, return_inverse=True, return_counts=True)
        made._edges[number] = torch.stack([once // width, once % width]).to(g.idtype)
        if copy_edata:
            first = place.new_zeros(len(once))
            first[place.flip(0)] = torch.arange(len(place), device=g.device).flip(0)
            made._edge_frames[number] = {
                key: rows[first] if aggregator == "arbitrary" else segments.reduce(rows, place, len(once), aggregator)
                for key, rows in g._edge_frames[number].items()}  # fmt: skip
        if return_counts is not None:
            made._edge_frames[number][return_counts] = counts
        mapping[etype] = place.to(g.idtype)
    if not writeback_mapping:
        return made
    return made, next(iter(mapping.values())) if len(mapping) == 1 else mapping


def norm_by_dst(g: DGLGraph, etype: Any = None) -> Tensor:
    """One divided by the number of edges that lead to where each edge leads, ``[E]``."""
    number = g.get_etype_id(etype)
    degrees = g.in_degrees(etype=etype).float()
    return 1.0 / segments.pick(degrees, g._destination(number))


def _converted(g: DGLGraph, dtype: torch.dtype) -> DGLGraph:
    made = g.local_var()
    for frame in [*made._node_frames, *made._edge_frames]:
        frame.update({key: rows.to(dtype) for key, rows in frame.items() if rows.is_floating_point()})
    return made


def to_half(g: DGLGraph) -> DGLGraph:
    """A graph whose features of floats are float16."""
    return _converted(g, torch.float16)


def to_float(g: DGLGraph) -> DGLGraph:
    """A graph whose features of floats are float32."""
    return _converted(g, torch.float32)


def to_double(g: DGLGraph) -> DGLGraph:
    """A graph whose features of floats are float64."""
    return _converted(g, torch.float64)


# The methods of these names; those that add and remove change the graph itself


def _in_place(function: Any) -> Any:
    def method(self: DGLGraph, *args: Any, **kwargs: Any) -> None:
        vars(self).update(vars(function(self, *args, **kwargs)))

    method.__name__, method.__doc__ = function.__name__, f"As :func:`rgnn.dgl.{function.__name__}`, of this graph."
    return method


for _function in (reverse, add_self_loop, remove_self_loop, to_simple):
    setattr(DGLGraph, _function.__name__, _function)
for _function in (add_edges, add_nodes, remove_edges):
    setattr(DGLGraph, _function.__name__, _in_place(_function))
DGLGraph.half, DGLGraph.float, DGLGraph.double = to_half, to_float, to_double

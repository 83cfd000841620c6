"""Graphs joined to one, whose nodes and edges stay apart, and taken apart again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from .base import ALL, EID, NID, DGLError, is_all
from .heterograph import DGLGraph

__all__ = ["batch", "slice_batch", "unbatch"]


def batch(graphs: list[DGLGraph], ndata: Any = ALL, edata: Any = ALL) -> DGLGraph:
    """One graph of the nodes and edges of all, one graph after the other.

    Args:
        graphs: of the same types, at least one.
        ndata, edata: the features to keep: all, a list of names, or None.

    Raises:
        DGLError: types or features differ.
    """
    if not graphs:
        raise DGLError("batch: expected at least one graph, got none")
    first = graphs[0]
    for other in graphs:
        if other.is_block:
            raise DGLError("batch: expected graphs, got a block")
        if other.ntypes != first.ntypes or other.canonical_etypes != first.canonical_etypes:
            raise DGLError(f"batch: expected graphs of the same types, got {first!r} and {other!r}")
    sizes = [[one._size(number) for one in graphs] for number in range(len(first.ntypes))]
    edges = []
    for number, (source, target) in enumerate(first._ends):
        parts, shift = [], [0, 0]
        for place, one in enumerate(graphs):
            own = one._edges[number]
            parts.append(own + own.new_tensor(shift).view(2, 1))
            shift = [shift[0] + sizes[source][place], shift[1] + sizes[target][place]]
        edges.append(torch.cat(parts, 1))
    made = DGLGraph(first.ntypes, first.canonical_etypes, first._ends, edges, [sum(counts) for counts in sizes])
    made.set_batch_num_nodes({name: torch.cat([one.batch_num_nodes(name) for one in graphs]) for name in first.ntypes})
    made.set_batch_num_edges({etype: torch.cat([one.batch_num_edges(etype) for one in graphs])
                              for etype in first.canonical_etypes})  # fmt: skip
    for number in range(len(sizes)):
        own = [(one._node_frames[number], one._size(number)) for one in graphs]
        made._node_frames[number] = _join(own, ndata, made._nodes_name(number))
    for number in range(len(edges)):
        own = [(one._edge_frames[number], one._edges[number].shape[1]) for one in graphs]
        made._edge_frames[number] = _join(own, edata, made._edges_name(number))
    return made


def _join(frames: list[tuple[dict[str, Tensor], int]], keys: Any, what: str) -> dict[str, Tensor]:
    """The rows of all frames; those without any need no features."""
    if keys is None:
        return {}
    some = [frame for frame, rows in frames if rows] or [frame for frame, _ in frames]
    names = list(some[0]) if is_all(keys) else keys
    for frame in some:
        lacks = [name for name in names if name not in frame]
        if lacks or (is_all(keys) and len(frame) != len(names)):
            raise DGLError(f"batch: expected the same features of {what} in all graphs, got {', '.join(some[0])} and "
                           f"{', '.join(frame) or 'none'}")  # fmt: skip
    return {name: torch.cat([frame[name] for frame in some]) for name in names}


def unbatch(g: DGLGraph, node_split: Any = None, edge_split: Any = None) -> list[DGLGraph]:
    """The graphs of a batch, with their features.

    Args:
        node_split, edge_split: the numbers of nodes and edges of each graph, or these by type; those of the batch for
            None.
    """
    nodes = _splits(node_split, g.ntypes, g.batch_num_nodes)
    edges = _splits(edge_split, g.canonical_etypes, g.batch_num_edges)
    counts = {len(split) for split in (*nodes.values(), *edges.values())}
    if len(counts) != 1:
        raise DGLError(f"unbatch: expected as many numbers for each type, got {', '.join(map(str, sorted(counts)))}")
    return [_part(g, [split[:place + 1] for split in nodes.values()], [split[:place + 1] for split in edges.values()])
            for place in range(counts.pop())]  # fmt: skip


def _splits(given: Any, names: list, stock: Any) -> dict[Any, list[int]]:
    if given is None:
        given = {name: stock(name) for name in names}
    if not isinstance(given, Mapping):
        if len(names) != 1:
            raise DGLError(f"unbatch: expected a dictionary by type, of {', '.join(map(str, names))}, got "
                           f"{type(given).__name__}")  # fmt: skip
        given = {names[0]: given}
    return {name: torch.as_tensor(given[name]).tolist() for name in names}


def _part(g: DGLGraph, nodes: list[list[int]], edges: list[list[int]]) -> DGLGraph:
    """The graph that the last of the numbers of nodes, and of edges, are those of."""
    spans = [(sum(split[:-1]), sum(split)) for split in nodes]
    lists = []
    for (source, target), own, split in zip(g._ends, g._edges, edges):
        part = own[:, sum(split[:-1]) : sum(split)]
        lists.append(part - part.new_tensor([[spans[source][0]], [spans[target][0]]]))
    made = g._with(lists, [last - first for first, last in spans])
    made._node_frames = [{key: rows[first:last] for key, rows in frame.items()}
                         for frame, (first, last) in zip(g._node_frames, spans)]  # fmt: skip
    made._edge_frames = [{key: rows[sum(split[:-1]) : sum(split)] for key, rows in frame.items()}
                         for frame, split in zip(g._edge_frames, edges)]  # fmt: skip
    return made


def slice_batch(g: DGLGraph, gid: int, store_ids: bool = False) -> DGLGraph:
    """One graph of a batch, with its features.

    Args:
        store_ids: whether numbers in the batch are kept, as the features ``"_ID"``.
    """
    nodes = [g.batch_num_nodes(name).tolist()[: gid + 1] for name in g.ntypes]
    edges = [g.batch_num_edges(etype).tolist()[: gid + 1] for etype in g.canonical_etypes]
    made = _part(g, nodes, edges)
    if store_ids:
        for frames, splits, key in ((made._node_frames, nodes, NID), (made._edge_frames, edges, EID)):
            for frame, split in zip(frames, splits):
                frame[key] = torch.arange(sum(split[:-1]), sum(split), dtype=g.idtype, device=g.device)
    return made

"""Parts of graphs: by nodes, by edges, by types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from .base import EID, NID, DGLError
from .heterograph import DGLGraph

__all__ = ["edge_subgraph", "edge_type_subgraph", "in_subgraph", "khop_in_subgraph", "khop_out_subgraph",
           "node_subgraph", "node_type_subgraph", "out_subgraph"]  # fmt: skip


def node_subgraph(
    graph: DGLGraph, nodes: Any, *, relabel_nodes: bool = True, store_ids: bool = True, output_device: Any = None
) -> DGLGraph:
    """The nodes that are given, and the edges between them, source by source in their order.

    Args:
        nodes: numbers, or a mask ``[N]``; of several node types, by type.
        relabel_nodes: whether other nodes go, so that the first that is given is number 0.
        store_ids: whether numbers in ``graph`` are kept, as the features ``"_ID"``.
        output_device: where the result is to be.
    """
    chosen = _by_type(graph, nodes, graph.ntypes, "node")
    kept = [_mask(graph._size(number), rows) for number, rows in enumerate(chosen)]
    place = [_places(graph._size(number), rows) for number, rows in enumerate(chosen)]
    edges = []
    for own, (source, target) in zip(graph._edges, graph._ends):
        rows = (kept[source][own[0].long()] & kept[target][own[1].long()]).nonzero().view(-1)
        edges.append(rows[place[source][own[0].long()[rows]].argsort(stable=True)])
    return _made(graph, chosen if relabel_nodes else None, edges, store_ids, output_device)


def edge_subgraph(
    graph: DGLGraph, edges: Any, *, relabel_nodes: bool = True, store_ids: bool = True, output_device: Any = None
) -> DGLGraph:
    """The edges that are given, and their ends: sources in the order of edges, then what is a destination alone.

    Args:
        edges: numbers, or a mask ``[E]``; of several edge types, by type.
        relabel_nodes: whether other nodes go.
        store_ids, output_device: as of :func:`node_subgraph`.
    """
    if graph.is_block and relabel_nodes:
        raise DGLError("edge_subgraph: expected a graph, or relabel_nodes=False, got a block")
    chosen = _by_type(graph, edges, graph.canonical_etypes, "edge")
    return _made(graph, _ends_of(graph, chosen) if relabel_nodes else None, chosen, store_ids, output_device)


def in_subgraph(
    graph: DGLGraph, nodes: Any, *, relabel_nodes: bool = False, store_ids: bool = True, output_device: Any = None
) -> DGLGraph:
    """The edges that lead to the nodes that are given, node by node; arguments as of :func:`node_subgraph`."""
    return _beside(graph, nodes, 1, relabel_nodes, store_ids, output_device)


def out_subgraph(
    graph: DGLGraph, nodes: Any, *, relabel_nodes: bool = False, store_ids: bool = True, output_device: Any = None
) -> DGLGraph:
    """The edges that lead from the nodes that are given, node by node; arguments as of :func:`node_subgraph`."""
    return _beside(graph, nodes, 0, relabel_nodes, store_ids, output_device)


def _beside(
    graph: DGLGraph, nodes: Any, end: int, relabel_nodes: bool, store_ids: bool, output_device: Any
) -> DGLGraph:
    edges = _edges_beside(graph, _by_type(graph, nodes, graph.ntypes, "node"), end)
    return _made(graph, _ends_of(graph, edges) if relabel_nodes else None, edges, store_ids, output_device)


def _edges_beside(graph: DGLGraph, nodes: list[Tensor], end: int) -> list[Tensor]:
    return [graph._of_nodes(own[end].long(), nodes[ends[end]]) for own, ends in zip(graph._edges, graph._ends)]


def khop_in_subgraph(
    graph: DGLGraph, nodes: Any, k: int, *, relabel_nodes: bool = True, store_ids: bool = True,
    output_device: Any = None,
) -> Any:  # fmt: skip
    """The nodes from which at most ``k`` edges lead to those that are given, and the edges between them.

    Returns:
        The graph, and with ``relabel_nodes`` the numbers that the given nodes have there.
    """
    return _khop(graph, nodes, k, 1, relabel_nodes, store_ids, output_device)


def khop_out_subgraph(
    graph: DGLGraph, nodes: Any, k: int, *, relabel_nodes: bool = True, store_ids: bool = True,
    output_device: Any = None,
) -> Any:  # fmt: skip
    """The nodes to which at most ``k`` edges lead; otherwise as :func:`khop_in_subgraph`."""
    return _khop(graph, nodes, k, 0, relabel_nodes, store_ids, output_device)


def _khop(
    graph: DGLGraph, nodes: Any, k: int, end: int, relabel_nodes: bool, store_ids: bool, output_device: Any
) -> Any:
    seeds = _by_type(graph, nodes, graph.ntypes, "node")
    reached, last = list(seeds), list(seeds)
    for _ in range(k):
        edges = _edges_beside(graph, last, end)
        found: list[list[Tensor]] = [[] for _ in last]
        for own, ends, rows in zip(graph._edges, graph._ends, edges):
            found[ends[1 - end]].append(own[1 - end].long()[rows])
        last = [torch.cat(parts).unique() if parts else none.new_empty(0) for parts, none in zip(found, seeds)]
        reached = [torch.cat(parts) for parts in zip(reached, last)]
    kept = dict(zip(graph.ntypes, (rows.unique() for rows in reached)))
    part = node_subgraph(graph, kept, relabel_nodes=relabel_nodes, store_ids=store_ids, output_device=output_device)
    if not relabel_nodes:
        return part
    places = {name: torch.searchsorted(kept[name], rows) for name, rows in zip(graph.ntypes, seeds)}
    if isinstance(nodes, Mapping):
        return part, {name: places[name] for name in nodes}
    return part, places[graph.ntypes[0]]


def node_type_subgraph(graph: DGLGraph, ntypes: list[str], output_device: Any = None) -> DGLGraph:
    """The node types that are given, and the edge types between them; with the same frames."""
    numbers = [graph.get_ntype_id(name) for name in ntypes]
    etypes = [etype for etype, ends in zip(graph.canonical_etypes, graph._ends)
              if ends[0] in numbers and ends[1] in numbers]  # fmt: skip
    if not etypes:
        raise DGLError(f"node_type_subgraph: expected node types with edges between them, got {', '.join(ntypes)}")
    return edge_type_subgraph(graph, etypes, output_device)


def edge_type_subgraph(graph: DGLGraph, etypes: list, output_device: Any = None) -> DGLGraph:
    """The edge types that are given, and the node types of their ends; with the same frames."""
    numbers = [graph.get_etype_id(etype) for etype in etypes]
    nodes = sorted({end for number in numbers for end in graph._ends[number]})
    ends = [(nodes.index(graph._ends[number][0]), nodes.index(graph._ends[number][1])) for number in numbers]
    kept = [graph.canonical_etypes[number] for number in numbers]
    made = DGLGraph([graph.ntypes[node] for node in nodes], kept, ends, [graph._edges[number] for number in numbers],
                    [graph._size(node) for node in nodes])  # fmt: skip
    made._node_frames = [graph._node_frames[node] for node in nodes]
    made._edge_frames = [graph._edge_frames[number] for number in numbers]
    return made if output_device is None else made.to(output_device)


# What they share


def _by_type(graph: DGLGraph, given: Any, names: list, what: str) -> list[Tensor]:
    """Numbers of nodes, or edges, of each type, int64."""
    if what == "node" and graph.is_block:
        raise DGLError("expected a graph to take a part of, got a block")
    if not isinstance(given, Mapping):
        if len(names) != 1:
            raise DGLError(f"expected numbers by {what} type, of {', '.join(map(str, names))}, got "
                           f"{type(given).__name__}")  # fmt: skip
        given = {names[0]: given}
    if what == "edge":
        given = {graph.to_canonical_etype(name): value for name, value in given.items()}
    for name in given:
        if name not in names:
            raise DGLError(f"expected one of the {what} types {', '.join(map(str, names))}, got {name!r}")
    none = torch.empty(0, dtype=torch.int64, device=graph.device)
    return [graph._numbers(given[name]) if name in given else none for name in names]


def _mask(size: int, rows: Tensor) -> Tensor:
    mask = torch.zeros(size, dtype=torch.bool, device=rows.device)
    mask[rows] = True
    return mask


def _ends_of(graph: DGLGraph, edges: list[Tensor]) -> list[Tensor]:
    """The nodes of each type that edges lead from or to, each once."""
    found: list[list[Tensor]] = [[edges[0].new_empty(0)] for _ in graph.ntypes]
    for own, (source, target), rows in zip(graph._edges, graph._ends, edges):
        found[source].append(own[0].long()[rows])
        found[target].append(own[1].long()[rows])
    return [_each_once(torch.cat(parts)) for parts in found]


def _each_once(numbers: Tensor) -> Tensor:
    """The numbers in the order in which they are first there."""
    once, place = torch.unique(numbers, return_inverse=True)
    first = place.new_full(once.shape, len(numbers))
    first = first.scatter_reduce(0, place, torch.arange(len(numbers), device=numbers.device), "amin")
    return once[first.argsort()]


def _made(
    graph: DGLGraph, nodes: list[Tensor] | None, edges: list[Tensor], store_ids: bool, device: Any
) -> DGLGraph:
    """The graph of some nodes, all for None, and some edges."""
    lists = [own.index_select(1, rows) for own, rows in zip(graph._edges, edges)]
    sizes = None
    if nodes is not None:
        sizes = [len(rows) for rows in nodes]
        place = [_places(graph._size(number), rows) for number, rows in enumerate(nodes)]
        lists = [torch.stack([place[source][own[0].long()], place[target][own[1].long()]]).to(graph.idtype)
                 for own, (source, target) in zip(lists, graph._ends)]  # fmt: skip
    made = graph._with(lists, sizes)
    for number, frame in enumerate(graph._node_frames):
        made._node_frames[number] = dict(frame) if nodes is None else {
            key: rows.index_select(0, nodes[number]) for key, rows in frame.items()}  # fmt: skip
        if store_ids and nodes is not None:
            made._node_frames[number][NID] = nodes[number].to(graph.idtype)
    for number, frame in enumerate(graph._edge_frames):
        made._edge_frames[number] = {key: rows.index_select(0, edges[number]) for key, rows in frame.items()}
        if store_ids:
            made._edge_frames[number][EID] = edges[number].to(graph.idtype)
    return made if device is None else made.to(device)


def _places(size: int, rows: Tensor) -> Tensor:
    """Where each node is among the given."""
    places = rows.new_zeros(size)
    places[rows] = torch.arange(len(rows), device=rows.device)
    return places


for _function in (edge_subgraph, edge_type_subgraph, in_subgraph, khop_in_subgraph, khop_out_subgraph,
                  node_type_subgraph, out_subgraph):  # fmt: skip
    setattr(DGLGraph, _function.__name__, _function)
DGLGraph.subgraph = node_subgraph

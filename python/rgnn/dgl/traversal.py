"""Orders in which graphs are traversed, and message passing in such an order (``dgl.traversal``, ``dgl.propagate``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from .base import DGLError

__all__ = ["bfs_edges_generator", "bfs_nodes_generator", "prop_edges", "prop_nodes", "prop_nodes_bfs",
           "prop_nodes_topo", "topological_nodes_generator"]  # fmt: skip


def topological_nodes_generator(graph: Any, reverse: bool = False) -> list[Tensor]:
    """Nodes in topological order: in front those that no edge leads to, then those all of whose sources came before.

    Args:
        graph: of one edge type, on any device.
        reverse: along the edges' other direction.

    Returns:
        Numbers of nodes, of the graph's idtype, ascending within each frontier.

    Raises:
        DGLError: edges form a loop.
    """
    source, target, size = _ends(graph, "topological_nodes_generator", reverse)
    left = torch.bincount(target, minlength=size)
    outgoing = _Outgoing(source, size)
    frontiers, frontier, seen = [], (left == 0).nonzero().view(-1), 0
    while frontier.numel():
        frontiers.append(frontier)
        seen += frontier.numel()
        reached = target[outgoing.of(frontier)]
        left -= torch.bincount(reached, minlength=size)
        frontier = reached.unique()
        frontier = frontier[left[frontier] == 0]
    if seen < size:
        raise DGLError("topological_nodes_generator: expected a graph without loops, got one in which "
                       f"{size - seen} of {size} nodes are in a loop or behind one")  # fmt: skip
    return _given(graph, frontiers)


def bfs_nodes_generator(graph: Any, source: Any, reverse: bool = False) -> list[Tensor]:
    """Nodes in the order of a breadth-first search.

    Args:
        graph: of one edge type, on any device.
        source: numbers of the nodes that it starts from.
        reverse: along the edges' other direction.

    Returns:
        Numbers of nodes, of the graph's idtype: the sources, then those one step away, and so on.
    """
    first, steps = _search(graph, source, reverse, "bfs_nodes_generator")
    return _given(graph, [first, *(nodes for nodes, _ in steps)])


def bfs_edges_generator(graph: Any, source: Any, reverse: bool = False) -> list[Tensor]:
    """Edges in the order of a breadth-first search: for each node that is found, the first edge that leads there.

    Args:
        graph, source, reverse: as of :func:`bfs_nodes_generator`.

    Returns:
        Numbers of edges, of the graph's idtype: those from the sources, and so on.
    """
    _, steps = _search(graph, source, reverse, "bfs_edges_generator")
    return _given(graph, [edges for _, edges in steps])


def prop_nodes(
    graph: Any, nodes_generator: Iterable, message_func: Any, reduce_func: Any, apply_node_func: Callable | None = None,
    etype: Any = None,
) -> None:  # fmt: skip
    """Calls :meth:`DGLGraph.pull` for one frontier of nodes after the other.

    Args:
        graph: whose features change.
        nodes_generator: the frontiers, each numbers of nodes.
        message_func, reduce_func, apply_node_func, etype: as of :meth:`DGLGraph.pull`.
    """
    _follow(nodes_generator, graph.pull, message_func, reduce_func, apply_node_func, etype)


def prop_edges(
    graph: Any, edges_generator: Iterable, message_func: Any, reduce_func: Any, apply_node_func: Callable | None = None,
    etype: Any = None,
) -> None:  # fmt: skip
    """Calls :meth:`DGLGraph.send_and_recv` for one frontier of edges after the other.

    Args:
        graph: whose features change.
        edges_generator: the frontiers, each numbers of edges.
        message_func, reduce_func, apply_node_func, etype: as of :meth:`DGLGraph.send_and_recv`.
    """
    _follow(edges_generator, graph.send_and_recv, message_func, reduce_func, apply_node_func, etype)


@torch._dynamo.decorators.skip  # each frontier is a call of its own, and captured as one
def _follow(frontiers: Iterable, step: Callable, *functions: Any) -> None:
    for frontier in frontiers:
        step(frontier, *functions)


def prop_nodes_topo(
    graph: Any, message_func: Any, reduce_func: Any, reverse: bool = False, apply_node_func: Callable | None = None
) -> None:
    """:func:`prop_nodes` in the order of :func:`topological_nodes_generator`."""
    prop_nodes(graph, _topological(graph, reverse), message_func, reduce_func, apply_node_func)


def prop_nodes_bfs(
    graph: Any, source: Any, message_func: Any, reduce_func: Any, reverse: bool = False,
    apply_node_func: Callable | None = None,
) -> None:  # fmt: skip
    """:func:`prop_nodes` in the order of :func:`bfs_nodes_generator`."""
    prop_nodes(graph, _breadth_first(graph, source, reverse), message_func, reduce_func, apply_node_func)


# How many frontiers there are, only data say.
_topological = torch._dynamo.disable(topological_nodes_generator)
_breadth_first = torch._dynamo.disable(bfs_nodes_generator)


def _ends(graph: Any, name: str, reverse: bool) -> tuple[Tensor, Tensor, int]:
    """Sources and targets on the processor, and the number of nodes."""
    if len(graph.canonical_etypes) != 1 or len(graph.ntypes) != 1:
        raise DGLError(f"{name}: expected a graph of one node type and one edge type, got {len(graph.ntypes)} and "
                       f"{len(graph.canonical_etypes)}")  # fmt: skip
    source, target = (end.long().cpu() for end in graph.edges(order="eid"))
    return (target, source, graph.num_nodes()) if reverse else (source, target, graph.num_nodes())


class _Outgoing:
    """The edges that lead from nodes."""

    def __init__(self, source: Tensor, size: int):
        self._order = source.argsort(stable=True)
        self._counts = torch.bincount(source, minlength=size)
        self._first = self._counts.cumsum(0) - self._counts

    def of(self, nodes: Tensor) -> Tensor:
        """Numbers of edges, those of one node after those of the other."""
        counts = self._counts[nodes]
        before = (counts.cumsum(0) - counts).repeat_interleave(counts)
        return self._order[self._first[nodes].repeat_interleave(counts) + torch.arange(before.numel()) - before]


def _search(graph: Any, start: Any, reverse: bool, name: str) -> tuple[Tensor, list[tuple[Tensor, Tensor]]]:
    """The nodes that a breadth-first search starts from, and at each step those it finds with the edges there."""
    source, target, size = _ends(graph, name, reverse)
    outgoing, is_known = _Outgoing(source, size), torch.zeros(size, dtype=torch.bool)
    first = frontier = torch.as_tensor(start).view(-1).long().cpu()
    if frontier.numel() and not (int(frontier.min()) >= 0 and int(frontier.max()) < size):
        raise DGLError(f"{name}: expected numbers of nodes from 0 to {size - 1}, got {int(frontier.min())} to "
                       f"{int(frontier.max())}")  # fmt: skip
    steps = []
    is_known[frontier] = True
    while frontier.numel():
        edges = outgoing.of(frontier)
        edges = edges[~is_known[target[edges]]]
        frontier, place = target[edges].unique(return_inverse=True)
        found = torch.full_like(frontier, len(source)).scatter_reduce(0, place, edges, "amin")
        if frontier.numel():
            steps.append((frontier, found))
        is_known[frontier] = True
    return first, steps


def _given(graph: Any, frontiers: list[Tensor]) -> list[Tensor]:
    return [frontier.to(graph.device, graph.idtype) for frontier in frontiers]

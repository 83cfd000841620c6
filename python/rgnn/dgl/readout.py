"""One row for each graph of a batch, of the features of its nodes or edges, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from . import segments
from .base import ALL, DGLError
from .heterograph import DGLGraph

__all__ = ["broadcast_edges", "broadcast_nodes", "max_edges", "max_nodes", "mean_edges", "mean_nodes",
           "readout_edges", "readout_nodes", "softmax_edges", "softmax_nodes", "sum_edges", "sum_nodes",
           "topk_edges", "topk_nodes"]  # fmt: skip


def _owners(graph: DGLGraph, of_nodes: bool, which: Any) -> tuple[Tensor, int]:
    """The graph that each node, or edge, belongs to, and how many graphs there are."""
    total = graph.num_nodes(which) if of_nodes else graph.num_edges(which)
    if graph._batch is None:
        return torch.zeros(total, dtype=torch.int64, device=graph.device), 1
    sizes = graph.batch_num_nodes(which) if of_nodes else graph.batch_num_edges(which)
    graphs = torch.arange(sizes.shape[0], device=graph.device)
    return graphs.repeat_interleave(sizes.long(), output_size=total), sizes.shape[0]


def _rows(graph: DGLGraph, of_nodes: bool, which: Any, feat: str) -> Tensor:
    if of_nodes:
        return graph._get_nodes(graph.get_ntype_id(which), feat, ALL)
    return graph._get_edges(graph.get_etype_id(which), feat, ALL)


def _readout(graph: DGLGraph, of_nodes: bool, which: Any, feat: str, weight: str | None, op: str) -> Tensor:
    if op not in segments.REDUCERS:
        raise DGLError(f"op: expected one of {', '.join(segments.REDUCERS)}, got {op!r}")
    rows = _rows(graph, of_nodes, which, feat)
    if weight is not None:
        rows = rows * _rows(graph, of_nodes, which, weight)
    return segments.reduce(rows, *_owners(graph, of_nodes, which), op)


def readout_nodes(
    graph: DGLGraph, feat: str, weight: str | None = None, *, op: str = "sum", ntype: str | None = None
) -> Tensor:
    """A feature of nodes, reduced for each graph, ``[B, *]``.

    Args:
        feat: the feature, ``[N, *]``.
        weight: a feature that it is multiplied by first.
        op: "sum", "mean", "max" or "min"; 0 for graphs without nodes.
        ntype: the node type.
    """
    return _readout(graph, True, ntype, feat, weight, op)


def readout_edges(
    graph: DGLGraph, feat: str, weight: str | None = None, *, op: str = "sum", etype: Any = None
) -> Tensor:
    """A feature of edges, reduced for each graph, ``[B, *]``; arguments as of :func:`readout_nodes`."""
    return _readout(graph, False, etype, feat, weight, op)


def _named(op: str, of_nodes: bool) -> Callable[..., Tensor]:
    if of_nodes:

        def function(graph: DGLGraph, feat: str, weight: str | None = None, *, ntype: str | None = None) -> Tensor:
            return readout_nodes(graph, feat, weight, op=op, ntype=ntype)

    else:

        def function(graph: DGLGraph, feat: str, weight: str | None = None, *, etype: Any = None) -> Tensor:
            return readout_edges(graph, feat, weight, op=op, etype=etype)

    what = "nodes" if of_nodes else "edges"
    function.__name__ = function.__qualname__ = f"{op}_{what}"
    function.__doc__ = f"The {op} of a feature of {what}, for each graph; as :func:`readout_{what}`."
    return function


sum_nodes, mean_nodes, max_nodes = (_named(op, True) for op in ("sum", "mean", "max"))
sum_edges, mean_edges, max_edges = (_named(op, False) for op in ("sum", "mean", "max"))


def softmax_nodes(graph: DGLGraph, feat: str, *, ntype: str | None = None) -> Tensor:
    """Softmax of a feature over the nodes of each graph, ``[N, *]``."""
    return segments.softmax(_rows(graph, True, ntype, feat), *_owners(graph, True, ntype))


def softmax_edges(graph: DGLGraph, feat: str, *, etype: Any = None) -> Tensor:
    """Softmax of a feature over the edges of each graph, ``[E, *]``."""
    return segments.softmax(_rows(graph, False, etype, feat), *_owners(graph, False, etype))


def broadcast_nodes(graph: DGLGraph, graph_feat: Tensor, *, ntype: str | None = None) -> Tensor:
    """The row of each node's graph, ``[N, *]``, of one for each graph, ``[B, *]``."""
    return _broadcast(graph_feat, *_owners(graph, True, ntype))


def broadcast_edges(graph: DGLGraph, graph_feat: Tensor, *, etype: Any = None) -> Tensor:
    """The row of each edge's graph, ``[E, *]``, of one for each graph, ``[B, *]``."""
    return _broadcast(graph_feat, *_owners(graph, False, etype))


def _broadcast(rows: Tensor, owners: Tensor, count: int) -> Tensor:
    if rows.shape[0] != count:
        if count != 1:
            raise DGLError(f"expected a row for each of the {count} graphs, got {rows.shape[0]}")
        rows = rows.unsqueeze(0)
    return segments.pick(rows, owners)


def topk_nodes(
    graph: DGLGraph, feat: str, k: int, *, descending: bool = True, sortby: int | None = None, ntype: str | None = None
) -> tuple[Tensor, Tensor]:
    """The ``k`` largest (least, if not ``descending``) of a feature of nodes, for each graph.

    Args:
        feat: the feature, ``[N, F]``.
        sortby: the column by which rows are compared; each column by itself for None.

    Returns:
        Values, ``[B, k, F]``, 0 where a graph has fewer, and numbers within the graph, ``[B, k]`` or ``[B, k, F]``.
    """
    sizes = graph.batch_num_nodes(ntype)
    return _topk(_rows(graph, True, ntype, feat), sizes, k, descending, sortby)


def topk_edges(
    graph: DGLGraph, feat: str, k: int, *, descending: bool = True, sortby: int | None = None, etype: Any = None
) -> tuple[Tensor, Tensor]:
    """The ``k`` largest of a feature of edges, for each graph; as :func:`topk_nodes`."""
    return _topk(_rows(graph, False, etype, feat), graph.batch_num_edges(etype), k, descending, sortby)


def _topk(rows: Tensor, sizes: Tensor, k: int, descending: bool, sortby: int | None) -> tuple[Tensor, Tensor]:
    if rows.dim() > 2:
        raise DGLError(f"expected a feature of one or two dimensions, got {rows.dim()}")
    rows = rows.view(rows.shape[0], -1)
    most = max([k, *sizes.tolist()])
    padded = rows.new_full((len(sizes), most, rows.shape[1]), float("-inf") if descending else float("inf"))
    for place, part in enumerate(rows.split(sizes.tolist())):
        padded[place, : len(part)] = part
    keys = padded if sortby is None else padded[..., sortby]
    order = keys.argsort(dim=1, descending=descending, stable=True)[:, :k]
    picked = order if sortby is None else order.unsqueeze(-1).expand(-1, -1, rows.shape[1])
    return segments.without_infinity(padded.gather(1, picked)), order

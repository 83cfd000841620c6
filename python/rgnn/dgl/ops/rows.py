"""Messages, reductions of messages, and softmax over edges, on tensors.

``u_mul_e(g, x, y)`` gives a row for each edge, ``u_mul_e_sum(g, x, y)`` one for each destination; so do all pairs of
``u``, ``v``, ``e``, the operators of :data:`rgnn.dgl.function.message.OPERATORS`, and sum, mean, max, min.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from .. import segments
from ..base import ALL, DGLError, describe_shape, is_all
from ..function.message import OPERATORS, TARGETS, combine
from ..heterograph import DGLGraph

__all__ = ["copy_e", "copy_u", "copy_v", "edge_softmax", "gsddmm", "gspmm"]


def _check(graph: DGLGraph) -> None:
    if len(graph.canonical_etypes) != 1:
        raise DGLError(f"expected a graph of one edge type, such as g[etype], got {graph!r}")


def _at_edges(graph: DGLGraph, target: str, rows: Tensor) -> Tensor:
    """Rows of sources, destinations or edges, as rows of edges."""
    source, destination = graph._sides_sizes(0)
    count = {"u": source, "v": destination, "e": graph._edges[0].shape[1]}[target]
    if rows.shape[0] != count:
        raise DGLError(f"{target}: expected {count} rows, got {describe_shape(rows)}")
    if target == "e":
        return rows
    return segments.pick(rows, graph._source(0) if target == "u" else graph._destination(0))


def gsddmm(
    g: DGLGraph, op: str, lhs_data: Tensor, rhs_data: Tensor, lhs_target: str = "u", rhs_target: str = "v"
) -> Tensor:
    """A row for each edge, of two of source ``u``, destination ``v`` and edge ``e``.

    Args:
        op: "add", "sub", "mul", "div", "dot", "copy_lhs" or "copy_rhs".
        lhs_data, rhs_data: ``[rows, *]``, whose rows broadcast.
    """
    _check(g)
    if op in ("copy_lhs", "copy_rhs"):
        return _at_edges(g, *((lhs_target, lhs_data) if op == "copy_lhs" else (rhs_target, rhs_data)))
    if op not in OPERATORS:
        raise DGLError(f"op: expected one of {', '.join(OPERATORS)}, copy_lhs, copy_rhs, got {op!r}")
    return combine(op, _at_edges(g, lhs_target, lhs_data), _at_edges(g, rhs_target, rhs_data))


def gspmm(g: DGLGraph, op: str, reduce_op: str, lhs_data: Tensor | None, rhs_data: Tensor | None) -> Tensor:
    """A row for each destination, reduced from messages of sources and edges.

    Args:
        op: as of :func:`gsddmm`.
        reduce_op: "sum", "mean", "max" or "min". Destinations without edges get 0 for "sum" and "mean", and infinities
            for the others, as DGL has it; :meth:`DGLGraph.update_all` gives 0.
        lhs_data, rhs_data: rows of sources, and of edges.
    """
    if reduce_op not in segments.REDUCERS:
        raise DGLError(f"reduce_op: expected one of {', '.join(segments.REDUCERS)}, got {reduce_op!r}")
    messages = gsddmm(g, op, lhs_data, rhs_data, "u", "e")
    return segments.reduce(messages, g._destination(0), g._sides_sizes(0)[1], reduce_op, empty=None)


def copy_u(g: DGLGraph, x: Tensor) -> Tensor:
    """The row of each edge's source, ``[E, *]``."""
    return gsddmm(g, "copy_lhs", x, x, "u", "v")


def copy_v(g: DGLGraph, x: Tensor) -> Tensor:
    """The row of each edge's destination, ``[E, *]``."""
    return gsddmm(g, "copy_rhs", x, x, "u", "v")


def copy_e(g: DGLGraph, x: Tensor) -> Tensor:
    """The row of each edge, ``[E, *]``."""
    return gsddmm(g, "copy_lhs", x, x, "e", "v")


def edge_softmax(graph: DGLGraph, logits: Any, eids: Any = ALL, norm_by: str = "dst") -> Any:
    """Softmax over the edges that lead to a node, or from it.

    Args:
        logits: ``[E, *]``; of several edge types, by type: the softmax is then over the edges of all types.
        eids: all, or the numbers of the edges that ``logits`` are of, and that take part.
        norm_by: "dst" or "src".

    Raises:
        DGLError: another ``norm_by``, or rows that are not those of the edges.
    """
    if norm_by not in ("dst", "src"):
        raise DGLError(f"norm_by: expected dst or src, got {norm_by!r}")
    end = 1 if norm_by == "dst" else 0
    if isinstance(logits, Mapping):
        return _softmax_of_types(graph, logits, eids, end)
    _check(graph)
    index = graph._edges[0][end].long()
    if not is_all(eids):
        index = segments.pick(index, graph._numbers(eids))
    if logits.shape[0] != index.shape[0]:
        raise DGLError(f"logits: expected {index.shape[0]} rows, one for each edge, got {describe_shape(logits)}")
    return segments.softmax(logits, index, graph._sides_sizes(0)[end])


def _softmax_of_types(graph: DGLGraph, logits: Mapping, eids: Any, end: int) -> dict:
    if not is_all(eids):
        raise DGLError("eids: expected all edges of a graph of several types, got some")
    numbers = {graph.get_etype_id(etype): rows for etype, rows in logits.items()}
    result = {}
    for ntype in range(len(graph.ntypes)):
        own = [number for number in numbers if graph._ends[number][end] == ntype]
        if not own:
            continue
        index = torch.cat([graph._edges[number][end].long() for number in own])
        made = segments.softmax(torch.cat([numbers[number] for number in own]), index, graph._size(ntype))
        parts = made.split([graph._edges[number].shape[1] for number in own])
        result.update({graph.canonical_etypes[number]: part for number, part in zip(own, parts)})
    return {etype: result[etype] for etype in graph.canonical_etypes if etype in result}


# By name


def _message(op: str, lhs: str, rhs: str) -> Callable[[DGLGraph, Tensor, Tensor], Tensor]:
    return lambda g, x, y: gsddmm(g, op, x, y, lhs, rhs)


def _reduced(message: Callable[..., Tensor], kind: str) -> Callable[..., Tensor]:
    def function(g: DGLGraph, *operands: Tensor) -> Tensor:
        return segments.reduce(message(g, *operands), g._destination(0), g._sides_sizes(0)[1], kind, empty=None)

    return function


def _declare(name: str, function: Callable, what: str) -> None:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = what
    globals()[name] = function
    if name not in __all__:
        __all__.append(name)


_messages = {"copy_u": copy_u, "copy_e": copy_e}
for _lhs in TARGETS:
    for _rhs in TARGETS:
        for _op in OPERATORS if _lhs != _rhs else ():
            _messages[f"{_lhs}_{_op}_{_rhs}"] = _message(_op, _lhs, _rhs)
for _name, _function in _messages.items():
    if _name not in globals():
        _declare(_name, _function, f"``{_name}`` of rows: one for each edge; see :func:`gsddmm`.")
    for _kind in segments.REDUCERS:
        _declare(f"{_name}_{_kind}", _reduced(_function, _kind),
                 f"The {_kind} of ``{_name}`` over the edges of each destination; see :func:`gspmm`.")  # fmt: skip

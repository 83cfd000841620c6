"""Operators of the language that reduce: dimensions of a row, and rows of edges."""

from __future__ import annotations

from collections.abc import Iterator
from types import GeneratorType
from typing import Any

from .elements import Edges, GraphItem
from .elementwise import exp, row_of, to_value
from .places import refuse
from .rows import Field, Row
from .shapes import dim_of
from .tracer import Tracer, current


def _reduction(kind: str) -> Any:
    def function(x: Any, dim: int = -1) -> Row:
        if isinstance(x, (GeneratorType, Edges)):
            return _reduce_edges(kind, x)
        value = to_value(x)
        at = dim_of(kind, value, dim)
        shape = value.shape[:at] + value.shape[at + 1 :]
        return row_of(current().compute("reduce", shape, (value,), kind, at))

    function.__name__ = function.__qualname__ = kind
    function.__doc__ = f"""The {kind} over a dimension, which disappears; or over the edges of a node, 0 where there are
    none: ``rgnn.lang.{kind}(e["a"] for e in n.incoming_edges())``."""
    return function


def _reduce_edges(kind: str, rows: Iterator[Any]) -> Row:
    tracer = current()
    data = None
    for row in rows:
        loop = tracer.innermost()
        if loop.node is None:
            refuse(f"{kind} of rows: expected one over the edges of a node, n.incoming_edges()")
        data = tracer.find(f".{kind}{len(tracer.program.data)}", on_edges=False)
        tracer.accumulate(kind, loop.node, data, to_value(row))
        node = loop.node
    if data is None:
        refuse(f"{kind} of rows: expected one over the edges of a node, got nothing")
    return Field(tracer, node, data)


sum, mean, max, min = map(_reduction, ("sum", "mean", "max", "min"))


def softmax(x: Any, dim: int = -1) -> Row:
    """The softmax over the last dimension of a row. That over edges is :func:`edge_softmax`."""
    return _over_last("softmax", x, dim)


def log_softmax(x: Any, dim: int = -1) -> Row:
    """Its logarithm."""
    return _over_last("log_softmax", x, dim)


def norm(x: Any) -> Row:
    """The Euclidean norm over the last dimension, which disappears."""
    return _over_last("norm", x)


def _over_last(op: str, x: Any, dim: int = -1) -> Row:
    value = to_value(x)
    if not value.shape:
        refuse(f"{op}: expected a vector, got a number")
    if dim not in (-1, len(value.shape) - 1):
        refuse(f"{op}: expected the last dimension of a row of shape {list(value.shape)}, dim=-1, got dim={dim}")
    shape = value.shape[:-1] if op == "norm" else value.shape
    return row_of(current().compute(op, shape, (value,)))


def edge_softmax(g: GraphItem, name: str = "att", by: str = "dst") -> None:
    """Data of edges becomes its softmax over the edges that enter a node; ``by="src"``: that leave it.

    Heads, dimensions of the data, each have a softmax of their own. Maxima are subtracted first: it does not overflow.

    Source: Hector, sec. 3.1, the listing of its inter-operator IR.
    """
    if not isinstance(g, GraphItem):
        refuse(f"edge_softmax: expected the graph and a name of data of edges, got {type(g).__name__}")
    if by not in ("src", "dst"):
        refuse(f"edge_softmax: expected by='dst' or by='src', got {by!r}")
    tracer: Tracer = current()
    most, total = (f".{what}{len(tracer.program.data)}" for what in ("most", "total"))
    first = len(tracer.program.loops)
    for e in g.edges():
        getattr(e, by).accumulate("max", most, e[name])
    for e in g.edges():
        e[name] = exp(e[name] - getattr(e, by)[most])
    for e in g.edges():
        getattr(e, by)[total] += e[name]
    for e in g.edges():
        e[name] = e[name] / getattr(e, by)[total]
    for number, loop in enumerate(tracer.program.loops[first:]):
        loop.softmax = tracer.find(name, on_edges=True), by, number

"""Products of the language: of vectors, and of vectors by matrices."""

from __future__ import annotations

from typing import Any

from .elementwise import elementwise, multiply, row_of, to_value
from .places import refuse
from .reductions import sum
from .rows import Row
from .shapes import reshape
from .tracer import current


def linear(x: Any, weight: Any, bias: Any = None) -> Row:
    """``x @ weight``: ``[..., K]`` times ``[K, N]`` is ``[..., N]``; with ``[H, K, N]``, ``[H, K]`` is ``[H, N]``, each
    head with a matrix of its own.

    The weight is one for all, that of a type, or a matrix that is data.

    Source: Hector, sec. 3.1, Table 2.
    """
    row, matrix = to_value(x), to_value(weight)
    heads = matrix.shape[:-2]
    if len(matrix.shape) < 2 or not row.shape or row.shape[-1] != matrix.shape[-2]:
        refuse(f"linear: expected x [..., K] and a weight [K, N], got {list(row.shape)} and {list(matrix.shape)}")
    if heads and row.shape[:-1] != heads:
        refuse(f"linear: expected x {[*heads, matrix.shape[-2]]} for a weight {list(matrix.shape)}, got "
               f"{list(row.shape)}")  # fmt: skip
    shape = (*row.shape[:-1], matrix.shape[-1])
    if not matrix.is_shared and matrix.table is None:  # data: a product by numbers, and a sum
        product = multiply(reshape(row_of(row), *row.shape, 1), row_of(matrix))
        result = sum(product, -2)
    else:
        result = row_of(current().compute("linear", shape, (row, matrix)))
    return result if bias is None else elementwise("add", result, bias)


def dot(x: Any, y: Any) -> Row:
    """The inner product over the last dimension, which disappears: one number, or one a head."""
    one, other = to_value(x), to_value(y)
    if not one.shape or not other.shape or one.shape[-1] != other.shape[-1]:
        refuse(f"dot: expected two vectors of one size, got shapes {list(one.shape)} and {list(other.shape)}")
    if one.shape == other.shape:
        return row_of(current().compute("dot", one.shape[:-1], (one, other)))
    return sum(multiply(row_of(one), row_of(other)), -1)


def outer(x: Any, y: Any) -> Row:
    """The outer product: ``[..., N]`` and ``[..., M]`` give ``[..., N, M]``."""
    one, other = to_value(x), to_value(y)
    if not one.shape or not other.shape:
        refuse(f"outer: expected two vectors, got shapes {list(one.shape)} and {list(other.shape)}")
    return multiply(reshape(row_of(one), *one.shape, 1), reshape(row_of(other), *other.shape[:-1], 1, other.shape[-1]))


dot_prod, outer_prod = dot, outer  # as Hector calls them


def matmul(x: Any, y: Any) -> Row:
    """``x @ y``: :func:`linear`, or :func:`dot` of two vectors."""
    return dot(x, y) if len(to_value(y).shape) == 1 else linear(x, y)

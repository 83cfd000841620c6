"""Rows picked by a list of integers, and rows of equal numbers reduced: all that message passing moves.

These are few operators of PyTorch. Where a model is captured by the compiler, softmax, means and products with a weight
per type are operators of the compiler, as PyG's are. Notation: E edges, N nodes, R types.
"""

from __future__ import annotations

import torch
from torch import Tensor

from .._capture import custom_ops
from .._capture.capturing import is_capturing

REDUCERS = ("sum", "mean", "max", "min")


def pick(rows: Tensor, index: Tensor) -> Tensor:
    """Row ``i`` of the result is ``rows[index[i]]``: ``[N, *]`` and ``[E]`` give ``[E, *]``."""
    return rows.index_select(0, index)


def add_up(rows: Tensor, index: Tensor, size: int) -> Tensor:
    """Row ``n`` of the result is the sum of the rows ``i`` with ``index[i] == n``; ``[size, *]``."""
    return rows.new_zeros((size, *rows.shape[1:])).index_add(0, index, rows)


def count(index: Tensor, size: int) -> Tensor:
    """How many entries of ``index`` are each number, ``[size]`` of the dtype of ``index``."""
    return add_up(torch.ones_like(index), index, size)


def average(rows: Tensor, index: Tensor, size: int) -> Tensor:
    """The mean of the rows of each number; 0 where there are none."""
    total = add_up(rows, index, size)
    return total / spread(count(index, size).clamp(min=1).to(total.dtype), total)


def extreme(rows: Tensor, index: Tensor, size: int, kind: str, empty: float | None = 0.0) -> Tensor:
    """The largest (``kind`` "max") or least ("min") of the rows of each number, entry by entry.

    Args:
        empty: what is where there are none; None: the infinity that no number is beyond, which DGL keeps until the
            results of all edge types are joined.
    """
    # The result starts from what no row equals: from zeros, PyTorch would give them a share of the gradient.
    fill = float("-inf") if kind == "max" else float("inf")
    if not rows.is_floating_point():
        fill = torch.iinfo(rows.dtype).min if kind == "max" else torch.iinfo(rows.dtype).max
    start = rows.new_full((size, *rows.shape[1:]), fill)
    numbers = spread(index, rows).expand_as(rows)
    result = start.scatter_reduce(0, numbers, rows, f"a{kind}", include_self=False)
    if empty is None:
        return result
    return result.masked_fill(spread(count(index, size) == 0, result), fill_of(result, empty))


def fill_of(rows: Tensor, number: float) -> float | int:
    """A number as one of the dtype of rows."""
    return number if rows.is_floating_point() else int(number)


def without_infinity(rows: Tensor, instead: float = 0.0) -> Tensor:
    """The rows with another number in the place of infinities, and of the integers that stand for them."""
    if rows.is_floating_point():
        return rows.masked_fill(rows.isinf(), instead)
    limits = torch.iinfo(rows.dtype)
    return rows.masked_fill((rows == limits.min) | (rows == limits.max), int(instead))


def reduce(rows: Tensor, index: Tensor, size: int, kind: str, empty: float | None = 0.0) -> Tensor:
    """Reduces the rows of each number by one of :data:`REDUCERS`; ``empty`` is that of :func:`extreme`."""
    if kind != "sum" and empty == 0 and rows.is_floating_point() and is_capturing():
        return custom_ops.aggregate(rows, index, size, kind)
    if kind == "sum":
        return add_up(rows, index, size)
    return average(rows, index, size) if kind == "mean" else extreme(rows, index, size, kind, empty)


def reduced_or_own(reduced: Tensor, own: Tensor, index: Tensor) -> Tensor:
    """What nodes have already, where no message comes to any of them: the function that reduces is not called then."""
    if own.shape[1:] != reduced.shape[1:]:
        return reduced
    if not is_capturing():
        return reduced if index.shape[0] else own
    count = torch.ones_like(index).sum().to(reduced.dtype)
    return torch.where(count > 0, reduced, own)


def softmax(rows: Tensor, index: Tensor, size: int) -> Tensor:
    """Softmax over the rows of each number, entry by entry, shifted by the largest; ``[E, *]``."""
    if is_capturing():
        return custom_ops.edge_softmax(rows, index, size)
    top = extreme(rows.detach(), index, size, "max")
    raised = (rows - pick(top, index)).exp()
    return raised / pick(add_up(raised, index, size), index)


def typed_product(rows: Tensor, weight: Tensor, types: Tensor) -> Tensor:
    """Row ``i`` of the result is ``rows[i] @ weight[types[i]]``: ``[E, *, K]`` by ``[R, *, K, M]`` gives ``[E, *, M]``.

    The dimensions between, such as heads, are multiplied each by itself.
    """
    if is_capturing():
        return custom_ops.typed_linear(rows, types, weight)
    if torch.compiler.is_compiling():  # by another compiler, which would not know how many rows each type has
        return torch.matmul(rows.unsqueeze(-2), pick(weight, types)).squeeze(-2)
    order = types.argsort(stable=True)
    counts = torch.bincount(types, minlength=weight.shape[0]).tolist()
    parts = [torch.matmul(part.unsqueeze(-2), own).squeeze(-2) if part.dim() > 2 else part @ own
             for part, own in zip(pick(rows, order).split(counts), weight.unbind())]  # fmt: skip
    return pick(torch.cat(parts), order.argsort())


def spread(numbers: Tensor, like: Tensor) -> Tensor:
    """One number a row, ``[N]``, with as many dimensions as the rows of ``like``: ``[N, 1, ...]``."""
    return numbers.view(-1, *[1] * (like.dim() - 1))

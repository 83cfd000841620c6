"""Operators that compute each row of their result of the same row of what they read."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.fx import Node

from ..expressions import expression_of

_aten = torch.ops.aten


def row_dim(node: Node) -> int:
    """The dimension that counts rows: the first, but for rows that were stacked."""
    return 1 if node.target is _aten.stack.default and _argument(node, 1, 0) == 0 else 0


def rows_read(node: Node) -> set[Node] | None:
    """The operands that an operator reads row by row; None where it is not known to do that."""
    value = node.meta.get("val")
    if node.op != "call_function" or not isinstance(value, Tensor) or not _counts_rows(node):
        return None
    rows = {source for source in node.all_input_nodes if isinstance(source.meta.get("val"), Tensor)
            and _counts_rows(source) and _rows(source) == _rows(node)}  # fmt: skip
    if any(row_dim(source) == 1 for source in rows):
        return rows if node.target in _OVER_DIMS and _dims(node) == [0] and not _keeps(node) else None
    dims = value.dim()
    others = [source.meta.get("val") for source in node.all_input_nodes if source not in rows]
    if not rows or any(isinstance(other, Tensor) and not _is_static(other) for other in others):
        return None
    if isinstance(node.target, torch._ops.OpOverload) and torch.Tag.pointwise in node.target.tags:
        are_aligned = all(source.meta["val"].dim() == dims for source in rows)
        return rows if are_aligned and all(_is_repeated(other, dims) for other in others) else None
    if node.target in _FIRST:
        return rows if rows == {node.args[0]} else None
    if node.target is _aten.addmm.default:
        return rows if rows == {node.args[1]} and node.args[0].meta["val"].dim() == 1 else None
    if node.target is _aten.layer_norm.default:
        return rows if rows == {node.args[0]} and len(node.args[1]) < dims else None
    if node.target in _JOINS:
        return rows if rows == set(node.args[0]) and (row_dim(node) or _argument(node, 1, 0) % dims) else None
    if node.target in _OVER_DIMS:
        count = node.args[0].meta["val"].dim()
        named = _dims(node)
        return rows if named and all(dim % count for dim in named) else None
    if node.target is _aten.unsqueeze.default:
        return rows if node.args[1] % dims else None
    if node.target is _aten.permute.default:
        return rows if node.args[1][0] in (0, -dims) else None
    return None


def _counts_rows(node: Node) -> bool:
    """Whether one dimension of a value is a number of rows, and all others are constants."""
    shape = node.meta["val"].shape
    dim = row_dim(node)
    return len(shape) > dim and 0 not in shape[dim + 1 :] and all(
        isinstance(size, int) is (number != dim) for number, size in enumerate(shape))  # fmt: skip


def _rows(node: Node):
    return expression_of(node.meta["val"].shape[row_dim(node)])


def _is_static(value: Tensor) -> bool:
    return all(isinstance(size, int) for size in value.shape)


def _is_repeated(value: object, dims: int) -> bool:
    """Whether an operand is the same for all rows of a result."""
    return not isinstance(value, Tensor) or value.dim() < dims or value.shape[0] == 1


def _argument(node: Node, number: int, default: object) -> object:
    return node.args[number] if len(node.args) > number else default


def _dims(node: Node) -> list[int]:
    given = _argument(node, 1, None)
    return list(given) if isinstance(given, (list, tuple)) else [] if given is None else [given]


def _keeps(node: Node) -> bool:
    return bool(_argument(node, 2, False))


SHAPES = (_aten.view.default, _aten.reshape.default, _aten._unsafe_view.default, _aten.expand.default)
# Whose first operand has the rows, and others none.
_FIRST = {*SHAPES, _aten.linear.default, _aten.mm.default, _aten.matmul.default, _aten.clone.default,
          _aten._to_copy.default, _aten.detach.default, _aten.alias.default, _aten.contiguous.default}  # fmt: skip
_JOINS = (_aten.cat.default, _aten.stack.default)
_OVER_DIMS = {_aten.sum.dim_IntList, _aten.mean.dim, _aten.amax.default, _aten.amin.default, _aten.softmax.int,
              _aten._softmax.default, _aten.log_softmax.int, _aten._log_softmax.default, _aten.slice.Tensor,
              _aten.select.int, _aten.squeeze.dim, _aten.squeeze.dims}  # fmt: skip

"""What operators do to rows of edges in the place of rows for each node and neighbour, by the operators' names."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import sympy
import torch
from torch import Tensor
from torch.fx import Node

from ...expressions import expression_of, is_symbolic
from ...functional import value_of
from ..changes import name_of
from .slices import holds_now

if TYPE_CHECKING:
    from .tables import Table


def sizes_of(node: Node) -> tuple:
    value = value_of(node)
    return tuple(map(expression_of, value.shape[:2])) if isinstance(value, Tensor) else ()


def _pick(table: Table, x: Node, index: Any) -> Node | None:
    if x in table.flat:
        return _part(table, x, index)
    if not isinstance(index, Node) or sizes_of(index) != table.sizes or not value_of(x).is_floating_point():
        return None
    if value_of(index).dim() > 2 or value_of(index).dtype is torch.bool:
        return None
    return table.make(operator.getitem, x, table.ends(index))


def _embed(table: Table, index: Node, weight: Node, padding_idx: int | None = None, max_norm: float | None = None,
           norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Node | None:  # fmt: skip
    """Unlike an index in brackets, it is an error where a number is negative."""
    if sizes_of(index) != table.sizes or value_of(index).dim() != 2:
        return None
    if padding_idx is not None or max_norm is not None or scale_grad_by_freq or sparse:
        return None
    return table.make("index_select", weight, 0, table.ends(index))


def _part(table: Table, x: Node, index: Any) -> Node | None:
    """Of each row."""
    parts = index if isinstance(index, tuple) else (index,)
    if not parts or any(isinstance(part, Node) for part in parts):
        return None
    if parts[0] is Ellipsis and sum(part is not None for part in parts[1:]) <= value_of(x).dim() - 2:
        return table.make(operator.getitem, table.flat[x], parts)
    if len(parts) > 1 and parts[:2] == (slice(None), slice(None)):
        return table.make(operator.getitem, table.flat[x], parts[1:])
    return None


def _shape(table: Table, x: Node, *shape: Any, **named: Any) -> Node | None:
    """What has been picked by the table's numbers in a row; views of each row; and rows of edges again."""
    if named:
        return None
    found, given = value_of(table.node).shape, value_of(x).shape
    if x not in table.flat:
        same = sympy.expand(expression_of(given[0])) == table.count if len(given) else False
        if not same:
            return None
        return x if list(map(expression_of, found[2:])) == list(map(expression_of, given[1:])) else table.rows(
            x, found[2:])  # fmt: skip
    flat = table.flat[x]
    if sizes_of(table.node) == table.sizes:
        rest = found[2:]
    elif len(found) and sympy.expand(expression_of(found[0])) == table.count:
        rest = found[1:]
    else:
        return None
    if any(map(is_symbolic, rest)):
        return None
    return table.rows(flat, rest)


def _flatten(table: Table, x: Node, start_dim: int = 0, end_dim: int = -1) -> Node | None:
    return _shape(table, x)


def _expand(table: Table, x: Node, *sizes: Any) -> Node | None:
    rank = value_of(table.node).dim()
    rows = table.aligned(x, rank) if x not in table.flat else None
    found = value_of(table.node).shape[2:]
    if rows is None or not table.has_rows(table.node):
        return None
    if list(map(expression_of, value_of(rows).shape[1:])) != list(map(expression_of, found)):
        return None
    return rows


def apply(table: Table, *args: Any, **settings: Any) -> Node | None:
    """What is done to each number."""
    rank, read = value_of(table.node).dim(), {}
    torch.fx.map_arg((args, settings), lambda x: read.setdefault(x, table.aligned(x, rank)))
    if None in read.values():
        return None
    args, settings = torch.fx.map_arg((args, settings), read.__getitem__)
    return table.make(table.node.target, *args, **settings)


def _first(table: Table, x: Node, *args: Any, **settings: Any) -> Node | None:
    """What is done to each row, with weights."""
    return table.make(table.node.target, table.flat[x], *args, **settings) if x in table.flat else None


def _cat(table: Table, parts: Any, dim: int = 0) -> Node | None:
    rank = value_of(table.node).dim()
    rows = [table.aligned(part, rank) if table.has_rows(part) else None for part in parts]
    if None in rows or dim % rank < 2:
        return None
    return table.make(table.node.target, rows, dim % rank - 1)


def _unsqueeze(table: Table, x: Node, dim: int) -> Node | None:
    rank = value_of(table.node).dim()
    return table.make("unsqueeze", table.flat[x], dim % rank - 1) if x in table.flat and dim % rank >= 2 else None


def _product(table: Table, x: Node, weight: Node) -> Node | None:
    """With a matrix that all share."""
    is_shared = x in table.flat and weight not in table.flat and value_of(weight).dim() == 2
    return table.make(table.node.target, table.flat[x], weight) if is_shared else None


def _within(table: Table, x: Node, *given: Any, dim: Any = None, **named: Any) -> Node | None:
    """Of the numbers of each row."""
    if x not in table.flat or type(dim) is not int or dim % value_of(x).dim() < 2:
        return None
    return table.make(table.node.target, table.flat[x], *given, dim=dim % value_of(x).dim() - 1, **named)


def _squeeze(table: Table, x: Node, dim: int | None = None) -> Node | None:
    place = None if type(dim) is not int else dim % value_of(x).dim()
    return table.make("squeeze", table.flat[x], place - 1) if x in table.flat and place and place >= 2 else None


def _reduce(kind: str, table: Table, x: Node, dim: Any = None, keepdim: bool = False, **named: Any) -> Node | None:
    dims = [dim] if type(dim) is int else dim
    if named or x not in table.flat or not dims or len(dims) != 1 or type(keepdim) is not bool:
        return None
    place, flat = dims[0] % value_of(x).dim(), table.flat[x]
    if place > 1:
        return table.make(table.node.target, flat, place - 1, keepdim)
    if place == 0 or value_of(x).dtype is torch.bool:
        return None
    if kind in ("max", "min") and not holds_now(value_of(x).shape[1], operator.ge, 1):
        return None  # PyTorch's error
    if kind in ("max", "min"):
        made = table.make(torch.ops.rgnn.aggregate, flat, table.nodes(), table.size(0), kind)
    else:
        made = table.total(flat)
    made = table.make(operator.truediv, made, table.size(1)) if kind == "mean" else made
    return table.make("unsqueeze", made, 1) if keepdim else made


def _extreme(kind: str, table: Table, x: Node, dim: Any = None, keepdim: bool = False) -> Node | None:
    """The greatest ones without their places."""
    users = list(table.node.users)
    if type(dim) is not int or not users or any(
            user.target is not operator.getitem or user.args[1] != 0 for user in users):  # fmt: skip
        return None
    if x not in table.flat or dim % value_of(x).dim() != 1:
        return None
    if not holds_now(value_of(x).shape[1], operator.ge, 1):
        return None  # PyTorch's error
    if value_of(x).requires_grad:
        made = table.total(_first_of(kind, table, table.flat[x]))
    else:
        made = table.make(torch.ops.rgnn.aggregate, table.flat[x], table.nodes(), table.size(0), kind)
    made = table.make("unsqueeze", made, 1) if keepdim else made
    for user in users:
        user.replace_all_uses_with(made)
        table.replaced.add(user)
    return None


def _first_of(kind: str, table: Table, flat: Node) -> Node:
    """The greatest, or least, number of each node where it is first, which gets all of the gradient, and zeros."""
    make, ends, count = table.make, table.nodes(), table.size(0)
    numbers = make("detach", flat)
    extreme = make("index_select", make(torch.ops.rgnn.aggregate, numbers, ends, count, kind), 0, ends)
    is_one = make(operator.or_, make(operator.eq, numbers, extreme), make(operator.ne, numbers, numbers))
    places = make("to", table.places(), value_of(flat).dtype)
    places = make("view", places, -1, *[1] * (value_of(flat).dim() - 1))
    order = make(torch.where, is_one, places, float("inf"))
    first = make("index_select", make(torch.ops.rgnn.aggregate, order, ends, count, "min"), 0, ends)
    return make(torch.where, make(operator.and_, is_one, make(operator.eq, places, first)), flat, 0.0)


def _softmax(table: Table, x: Node, dim: Any = None, **named: Any) -> Node | None:
    if x not in table.flat or type(dim) is not int or any(
            value is not None for name, value in named.items() if name != "_stacklevel"):
        return None
    place, flat = dim % value_of(x).dim(), table.flat[x]
    if place > 1:
        return table.make(table.node.target, flat, place - 1)
    if place == 0:
        return None
    return table.make(torch.ops.rgnn.edge_softmax, flat, table.nodes(), table.size(0))


_RULES: dict[str, Callable] = {
    **dict.fromkeys(("add", "sub", "rsub", "mul", "truediv", "div", "pow", "neg", "abs", "exp", "log", "sqrt", "rsqrt",
                     "square", "sin", "cos", "tanh", "sigmoid", "relu", "leaky_relu", "elu", "selu", "gelu", "silu",
                     "softplus", "celu", "relu6", "hardtanh", "mish", "log_sigmoid", "hardsigmoid", "hardswish",
                     "softsign", "threshold", "tan", "atan", "asinh", "acosh", "atanh", "sinh", "cosh", "atan2",
                     "erf", "expm1", "log1p", "logaddexp", "reciprocal", "sign", "floor", "ceil", "round", "lerp",
                     "nan_to_num", "isnan", "isinf", "isfinite", "clamp", "clamp_min", "clamp_max",
                     "where", "masked_fill", "eq", "ne", "lt", "le", "gt", "ge", "maximum", "minimum", "dropout",
                     "to", "float", "double", "type_as", "contiguous", "clone", "detach",
                     "logical_not", "logical_and", "logical_or", "and_", "or_", "invert"), apply),
    "getitem": _pick, "embedding": _embed, "linear": _first, "layer_norm": _first, "prelu": _first, "cat": _cat,
    "concat": _cat, "unsqueeze": _unsqueeze, "squeeze": _squeeze,
    "view": _shape, "reshape": _shape, "flatten": _flatten, "expand": _expand,
    **dict.fromkeys(("norm", "vector_norm", "linalg_vector_norm", "std", "var", "logsumexp", "normalize"), _within),
    "matmul": _product, "softmax": _softmax,
    "sum": functools.partial(_reduce, "sum"), "mean": functools.partial(_reduce, "mean"),
    "amax": functools.partial(_reduce, "max"), "amin": functools.partial(_reduce, "min"),
    "max": functools.partial(_extreme, "max"), "min": functools.partial(_extreme, "min"),
}  # fmt: skip
"""By the names of functions and methods."""


def rule_of(node: Node) -> Callable | None:
    """That of what it does to a copy, where it changes numbers in place."""
    name = name_of(node)
    return _RULES.get(name) or _RULES.get(name.removesuffix("_"))

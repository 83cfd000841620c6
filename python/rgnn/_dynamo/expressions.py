"""What sizes are as expressions of symbols. None of these questions is a guard, as a comparison of sizes would be."""

from __future__ import annotations

from typing import Any

import sympy
import torch
from torch import Tensor

from . import private


def expression_of(value: Any) -> sympy.Expr | None:
    """A size as an expression of symbols; None for what is no integer."""
    if isinstance(value, torch.SymInt):
        return value.node.expr
    return sympy.Integer(value) if type(value) is int else None


def is_symbolic(size: Any) -> bool:
    """Whether a size may be another in the next call; the sizes that a loop of the model runs over are known."""
    return isinstance(size, torch.SymInt) and bool(size.node.expr.free_symbols)


def is_contiguous(value: Tensor) -> bool:
    """Whether a tensor lies in memory without gaps whatever its sizes are; no guard, as to ask PyTorch would be."""
    sizes = list(map(expression_of, value.shape))
    if 0 in sizes:
        return True
    length = sympy.Integer(1)
    for size, stride in reversed(list(zip(sizes, value.stride(), strict=True))):
        if size != 1 and sympy.expand(_unless_empty(expression_of(stride)) - length) != 0:
            return False
        length *= _unless_empty(size)
    return True


def _unless_empty(length: sympy.Expr) -> sympy.Expr:
    """Without ``Max(1, size)``, which the strides of tensors that may have no entries are made of."""
    return length.replace(lambda part: part.func.__name__ == "Max" and 1 in part.args,
                          lambda part: sympy.Mul(*part.args))  # fmt: skip


def unify(kept: Any, value: Any) -> bool:
    """Makes sizes equal that only the data say, where two values are of the same data; whether all are equal then."""
    sizes = [each.shape if isinstance(each, Tensor) else (each,) for each in (kept, value)]
    for one, other in zip(*sizes, strict=True):
        if expression_of(one) == expression_of(other):
            continue
        symbol = expression_of(other)
        if not symbol.is_Symbol or not private.free_unbacked_symbols(other):
            return False
        other.node.shape_env._set_replacement(symbol, expression_of(one), "both are of the same data")
    return True

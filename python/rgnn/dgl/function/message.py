"""Messages by name: of source ``u``, destination ``v`` and edge ``e``."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from ..base import DGLError
from .base import BuiltinFunction

TARGETS = ("u", "v", "e")
OPERATORS = ("add", "sub", "mul", "div", "dot")


class MessageFunction(BuiltinFunction):
    """A message by name, which is written to ``out_field``."""


class CopyMessageFunction(MessageFunction):
    """A message that is a feature of one of ``u``, ``v`` and ``e``.

    Attributes:
        target: which.
    """

    def __init__(self, target: str, in_field: str, out_field: str):
        self.target, self.in_field, self.out_field = target, in_field, out_field
        self.name = f"copy_{target}"


class BinaryMessageFunction(MessageFunction):
    """A message that is computed of two features, which broadcast along the dimensions behind the first.

    Attributes:
        op: one of :data:`OPERATORS`; "dot" adds up the products of the last dimension, and leaves it with size 1.
        lhs, rhs: whose features these are.
    """

    def __init__(self, op: str, lhs: str, rhs: str, lhs_field: str, rhs_field: str, out_field: str):
        self.op, self.lhs, self.rhs = op, lhs, rhs
        self.lhs_field, self.rhs_field, self.out_field = lhs_field, rhs_field, out_field
        self.name = f"{lhs}_{op}_{rhs}"


def combine(op: str, left: Tensor, right: Tensor) -> Tensor:
    """``left`` and ``right``, ``[E, *]`` each, by one of :data:`OPERATORS`; their rows broadcast.

    Raises:
        DGLError: they do not.
    """
    if left.dim() != right.dim():
        most = max(left.dim(), right.dim())
        left, right = (rows.reshape(rows.shape[0], *[1] * (most - rows.dim()), *rows.shape[1:]) for rows in (
            left, right))  # fmt: skip
    for one, other in zip(left.shape[1:], right.shape[1:]):
        if one != other and one != 1 and other != 1:
            raise DGLError(f"{op}: expected rows that broadcast, got [{', '.join(map(str, left.shape[1:]))}] and "
                           f"[{', '.join(map(str, right.shape[1:]))}]")  # fmt: skip
    if op == "add":
        return left + right
    if op == "sub":
        return left - right
    if op == "div":
        return left / right
    product = left * right
    return product.sum(-1, keepdim=True) if op == "dot" and product.dim() > 1 else product


def copy_u(u: str, out: str) -> CopyMessageFunction:
    """The message ``out`` is the feature ``u`` of the source."""
    return CopyMessageFunction("u", u, out)


def copy_e(e: str, out: str) -> CopyMessageFunction:
    """The message ``out`` is the feature ``e`` of the edge."""
    return CopyMessageFunction("e", e, out)


def _binary(op: str, lhs: str, rhs: str) -> Callable[[str, str, str], BinaryMessageFunction]:
    def function(lhs_field: str, rhs_field: str, out: str) -> BinaryMessageFunction:
        return BinaryMessageFunction(op, lhs, rhs, lhs_field, rhs_field, out)

    function.__name__ = function.__qualname__ = f"{lhs}_{op}_{rhs}"
    function.__doc__ = f"The message ``out`` is ``{op}`` of features of ``{lhs}`` and ``{rhs}``."
    return function


__all__ = ["copy_u", "copy_e"]
for _op in OPERATORS:
    for _lhs in TARGETS:
        for _rhs in TARGETS:
            if _lhs != _rhs:
                globals()[f"{_lhs}_{_op}_{_rhs}"] = _binary(_op, _lhs, _rhs)
                __all__ += [f"{_lhs}_{_op}_{_rhs}"]

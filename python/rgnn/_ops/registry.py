"""The operators that were registered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.library import CustomOpDef

from .movement import ROWS, Movement


@dataclass(frozen=True)
class RegisteredOp:
    """An operator of a user.

    Attributes:
        operator: as PyTorch's dispatcher knows it.
        movement: what it promises of rows.
        lowering: code that the compiler takes for it; None where PyTorch runs it.
        declared: the function or class that it was made of; None where it was an operator before.
        owner: file, line and name of that.
    """

    operator: torch._ops.OpOverload
    movement: Movement
    lowering: Callable | None
    declared: Any = None
    owner: str = ""

    @property
    def name(self) -> str:
        return self.movement.name

    def __str__(self) -> str:
        return f"rows={self.movement.rows!r}: {ROWS[self.movement.rows]}"


_OPS: dict[str, RegisteredOp] = {}


def add(op: RegisteredOp) -> None:
    _OPS[op.name] = op


def restore(name: str, op: RegisteredOp | None) -> None:
    """Has an operator be what it was before."""
    _OPS.pop(name, None)
    if op is not None:
        add(op)


def named(name: str) -> RegisteredOp | None:
    """The operator of a name such as ``"mylib::soft_clip"``; None where none is registered."""
    return _OPS.get(name)


def find(target: Any) -> RegisteredOp | None:
    """The operator that a node of a graph calls; None where it is no registered one."""
    if not _OPS:
        return None
    if isinstance(target, torch._ops.OpOverload):
        return _OPS.get(target.name())
    return _OPS.get(target._qualified_op_name) if isinstance(target, torch._ops.OpOverloadPacket) else None


def is_any() -> bool:
    """Whether any operator is registered."""
    return bool(_OPS)


# Operators of PyTorch


def find_operator(name: str) -> torch._ops.OpOverload | None:
    """The operator of a name such as ``"mylib::soft_clip"`` or ``"mylib::soft_clip.Scalar"``; None where there is none.

    Raises:
        ValueError: it has several overloads, and the name says none.
    """
    namespace, _, rest = name.partition("::")
    operator, _, overload = rest.partition(".")
    packet = getattr(getattr(torch.ops, namespace), operator, None)
    if not isinstance(packet, torch._ops.OpOverloadPacket):
        return None
    return getattr(packet, overload, None) if overload else resolve(packet)


def resolve(op: Any) -> torch._ops.OpOverload:
    """The overload that an operator is.

    Raises:
        TypeError: it is no operator.
        ValueError: it has several overloads.
    """
    if isinstance(op, CustomOpDef):
        return op._opoverload
    if isinstance(op, torch._ops.OpOverload):
        return op
    if not isinstance(op, torch._ops.OpOverloadPacket):
        raise TypeError("expected a name such as 'mylib::soft_clip', or an operator of PyTorch, got "
                        f"{getattr(op, '__name__', type(op).__name__)}")  # fmt: skip
    overloads = op.overloads()
    if len(overloads) > 1:
        raise ValueError(f"{op}: expected one of its overloads, {', '.join(overloads)}, got all")
    return getattr(op, overloads[0])

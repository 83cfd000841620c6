"""What the rules for operators are made with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

DECLARED: dict[torch._ops.OpOverload, Callable] = {}
"""The function that does an operator's work by others."""


def decomposes(*operators: torch._ops.OpOverload) -> Callable:
    def declare(function: Callable) -> Callable:
        DECLARED.update(dict.fromkeys(operators, function))
        return function

    return declare


def is_short(size: Any) -> bool:
    """Whether it is worth while to take a dimension apart."""
    return isinstance(size, int) and 0 < size <= 64


def part(x: Tensor, dim: int, begin: int, end: int | None = None) -> Tensor:
    return torch.ops.aten.slice.Tensor(x, dim, begin, begin + 1 if end is None else end)

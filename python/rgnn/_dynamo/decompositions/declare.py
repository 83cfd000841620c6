"""What the rules for operators are made with."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

DECLARED: dict[torch._ops.OpOverload, Callable] = {}
"""The function that does an operator's work by others."""

ALWAYS: dict[torch._ops.OpOverload, Callable] = {}
"""Those of operators that the compiler has a rule for, whose gradient is another one in this version of PyTorch."""


def decomposes(*operators: torch._ops.OpOverload, always: bool = False) -> Callable:
    """Declares a function for operators on floats, or on truths that compare these; PyTorch computes on integers.

    Args:
        operators: whose work it does.
        always: whether it stands for them also where the compiler has a rule for them.
    """

    def declare(function: Callable) -> Callable:
        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            tensors = [leaf for leaf in pytree.tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
            if tensors and all(_is_integer(tensor) for tensor in tensors):
                return NotImplemented
            return function(*args, **kwargs)

        DECLARED.update(dict.fromkeys(operators, run))
        if always:
            ALWAYS.update(dict.fromkeys(operators, run))
        return function

    return declare


def _is_integer(tensor: Tensor) -> bool:
    return not tensor.is_floating_point() and not tensor.is_complex() and tensor.dtype != torch.bool


def is_short(size: Any) -> bool:
    """Whether it is worth while to take a dimension apart."""
    return isinstance(size, int) and 0 < size <= 64


def part(x: Tensor, dim: int, begin: int, end: int | None = None) -> Tensor:
    return torch.ops.aten.slice.Tensor(x, dim, begin, begin + 1 if end is None else end)

"""The greatest or least of what is scattered and what was there, among which ties share their gradient equally."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .declare import decomposes

_aten = torch.ops.aten


def _declare(operator: torch._ops.OpOverload, scatter: Callable, pick: Callable, add: Callable) -> None:
    """Decomposes an operator, given those of its kind that reduce without what was there, pick, and add up."""

    @decomposes(operator)
    def run(x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True) -> Any:
        if not (include_self and x.is_floating_point() and reduce in ("amax", "amin")):
            return NotImplemented
        most = scatter(x, dim, index, source, reduce, include_self=False)
        return _with_self(x, most, reduce, source == pick(most, dim, index),
                          lambda ones: add(torch.zeros_like(x), dim, index, ones))  # fmt: skip


_declare(_aten.scatter_reduce.two, torch.scatter_reduce, torch.gather, torch.scatter_add)
_declare(_aten.index_reduce.default, torch.index_reduce, torch.index_select, torch.index_add)


def _with_self(x: Tensor, most: Tensor, reduce: str, is_tied: Tensor, add: Callable[[Tensor], Tensor]) -> Tensor:
    """``most``, what is scattered, or ``x``, what was there; ``most`` is ``x`` where nothing is scattered.

    Args:
        is_tied: which of what is scattered is equal to ``most``.
        add: adds up what is scattered.
    """
    is_beyond = (x > most if reduce == "amax" else x < most) | x.isnan()
    ties = add(torch.where(is_tied, 1.0, 0.0).to(x.dtype))
    # Of `ties + 1` equal values this has one's gradient in `x` and that of the others in `most`.
    difference = torch.where(most.abs() == float("inf"), 0.0, x - most)
    return torch.where(is_beyond, x, torch.where(x == most, most + difference / (ties + 1.0), most))

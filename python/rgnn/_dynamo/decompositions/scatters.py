"""The greatest or least of what is scattered and what was there, among which ties share their gradient equally."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .declare import decomposes

_aten = torch.ops.aten


@decomposes(_aten.scatter_reduce.two)
def _scatter_reduce(x: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True) -> Any:
    if not (include_self and x.is_floating_point() and reduce in ("amax", "amin")):
        return NotImplemented
    most = torch.scatter_reduce(x, dim, index, src, reduce, include_self=False)
    return _with_self(x, most, reduce, src == most.gather(dim, index),
                      lambda ones: torch.zeros_like(x).scatter_add(dim, index, ones))  # fmt: skip


@decomposes(_aten.index_reduce.default)
def _index_reduce(x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True) -> Any:
    if not (include_self and x.is_floating_point() and reduce in ("amax", "amin")):
        return NotImplemented
    most = torch.index_reduce(x, dim, index, source, reduce, include_self=False)
    return _with_self(x, most, reduce, source == most.index_select(dim, index),
                      lambda ones: torch.zeros_like(x).index_add(dim, index, ones))  # fmt: skip


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

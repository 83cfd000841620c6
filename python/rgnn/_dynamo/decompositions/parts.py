"""Parts of a tensor's columns that are set, or taken with a step.

PyTorch's functionalisation makes them of ``x[:, 2:5] = y``; rows that are set so are edges (``normalise.rows.lists``).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .declare import decomposes, is_short, part

_aten = torch.ops.aten


@decomposes(_aten.slice_scatter.default)
def _slice_scatter(x: Tensor, src: Tensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    size = x.shape[dim]
    if start in (None, 0) and end in (None, sys.maxsize) and step == 1:
        return src.to(x.dtype)
    if not isinstance(size, int) or src.dtype != x.dtype:
        return NotImplemented
    numbers = range(size)[slice(start, end, step)]
    if len(numbers) == 0:
        return x.clone()
    if step == 1 or len(numbers) == 1:
        return _joined(x, src, dim, [(numbers[0], numbers[-1] + 1)])
    if size % step == 0 and len(numbers) == size // step:  # each in its group of `step`
        dim %= x.dim()
        columns = list(x.unflatten(dim, (-1, step)).unbind(dim + 1))
        columns[numbers[0]] = src
        return torch.stack(columns, dim + 1).flatten(dim, dim + 1)
    return _joined(x, src, dim, [(number, number + 1) for number in numbers]) if is_short(size) else NotImplemented


@decomposes(_aten.select_scatter.default)
def _select_scatter(x: Tensor, src: Tensor, dim: int, index: Any) -> Any:
    size = x.shape[dim]
    if not isinstance(size, int) or not isinstance(index, int) or src.dtype != x.dtype:
        return NotImplemented
    index %= size
    return _joined(x, src.unsqueeze(dim), dim, [(index, index + 1)])


@decomposes(_aten.slice.Tensor)
def _slice(x: Tensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    size = x.shape[dim]
    if step == 1 or not is_short(size):
        return NotImplemented
    numbers = range(size)[slice(start, end, step)]
    return torch.cat([part(x, dim, number) for number in numbers], dim) if len(numbers) else NotImplemented


@decomposes(_aten.flip.default)
def _flip(x: Tensor, dims: list[int]) -> Any:
    return _in_order(x, dims, [lambda place, size: size - 1 - place] * len(dims))


@decomposes(_aten.roll.default)
def _roll(x: Tensor, shifts: list[int], dims: list[int] = ()) -> Any:
    return _in_order(x, dims, [lambda place, size, shift=shift: (place - shift) % size for shift in shifts])


@decomposes(_aten.copy.default, _aten.fill.Tensor)
def _copy(x: Tensor, src: Tensor) -> Tensor:
    src = src.to(x.dtype)
    return src if src.shape == x.shape else src.expand(x.shape)


@decomposes(_aten.diagonal.default)
def _diagonal(x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    one, other = dim1 % x.dim(), dim2 % x.dim()
    sizes = x.shape[one], x.shape[other]
    if not all(map(is_short, sizes)):
        return NotImplemented
    places = [(row, row + offset) for row in range(sizes[0]) if 0 <= row + offset < sizes[1]]
    if not places:
        return NotImplemented
    later = other - (other > one)
    return torch.stack([x.select(one, row).select(later, column) for row, column in places], -1)


def _in_order(x: Tensor, dims: list[int], orders: list[Callable[[int, int], int]]) -> Any:
    """The numbers of some dimensions from other places, each a function of its own and the size."""
    if not dims or len(dims) != len(orders) or not all(is_short(x.shape[dim]) for dim in dims):
        return NotImplemented
    for dim, order in zip(dims, orders):
        size = x.shape[dim]
        x = torch.cat([part(x, dim, order(place, size)) for place in range(size)], dim) if size > 1 else x
    return x


def _joined(x: Tensor, src: Tensor, dim: int, runs: list[tuple[int, int]]) -> Tensor:
    """``x`` with some runs of a dimension's numbers taken from ``src``, one behind the other."""
    pieces, at, taken = [], 0, 0
    for begin, end in runs:
        if begin > at:
            pieces.append(part(x, dim, at, begin))
        pieces.append(src if len(runs) == 1 else part(src, dim, taken, taken + end - begin))
        at, taken = end, taken + end - begin
    if at < x.shape[dim]:
        pieces.append(part(x, dim, at, x.shape[dim]))
    return torch.cat(pieces, dim) if len(pieces) > 1 else pieces[0].clone()

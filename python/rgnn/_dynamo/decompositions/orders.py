"""Other orders of the numbers of a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .declare import decomposes, is_short, part

_aten = torch.ops.aten


@decomposes(_aten.flip.default)
def _flip(x: Tensor, dims: Sequence[int]) -> Any:
    if not all(is_short(x.shape[dim]) for dim in dims):
        return NotImplemented
    for dim in dims:
        x = torch.cat([part(x, dim, number) for number in reversed(range(x.shape[dim]))], dim)
    return x


@decomposes(_aten.repeat.default)
def _repeat(x: Tensor, repeats: Sequence[int]) -> Any:
    """Of all rows, one after the other, of one row, or of all in a new dimension in front."""
    first, *others = repeats
    if len(repeats) == x.dim() + 1 and all(count == 1 for count in others):
        return x.unsqueeze(0).expand(first, *x.shape)
    if len(repeats) != x.dim() or isinstance(first, int) and first == 1:
        return NotImplemented
    if isinstance(x.shape[0], int) and x.shape[0] == 1:
        many = x.expand(first, *x.shape[1:])
    elif isinstance(first, int) and 1 < first <= 8:
        many = torch.cat([x] * first)
    else:
        return NotImplemented
    return many if all(count == 1 for count in others) else many.repeat(1, *others)


@decomposes(_aten.tile.default)
def _tile(x: Tensor, dims: Sequence[int]) -> Tensor:
    return x.repeat([1] * (x.dim() - len(dims)) + list(dims))


@decomposes(_aten.roll.default)
def _roll(x: Tensor, shifts: Sequence[int], dims: Sequence[int] = ()) -> Any:
    if not dims or not all(isinstance(x.shape[dim], int) and x.shape[dim] for dim in dims):
        return NotImplemented
    for shift, dim in zip(shifts, dims):
        size = x.shape[dim]
        if cut := size - shift % size:
            x = torch.cat([part(x, dim, cut, size), part(x, dim, 0, cut)], dim) if cut < size else x
    return x


@decomposes(_aten.constant_pad_nd.default)
def _pad(x: Tensor, pad: Sequence[int], value: float = 0.0) -> Any:
    for number, (before, behind) in enumerate(zip(pad[::2], pad[1::2])):
        dim = x.dim() - 1 - number
        if not isinstance(x.shape[dim], int) or before < 0 or behind < 0:
            return NotImplemented
        shape = [*x.shape]
        parts = [x]
        for size, place in ((before, 0), (behind, 2)):
            shape[dim] = size
            parts.insert(place, x.new_full(shape, value))
        x = torch.cat([part for part in parts if part.shape[dim]], dim)
    return x

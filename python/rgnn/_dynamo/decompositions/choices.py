"""One number or another."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .declare import decomposes, part

_aten = torch.ops.aten


@decomposes(_aten.hardswish.default)
def _hardswish(x: Tensor) -> Tensor:
    return torch.where(x >= 3, x, torch.where(x <= -3, 0.0, x * (x + 3) / 6))


@decomposes(_aten.xlogy.Tensor)
def _xlogy(x: Tensor, other: Tensor) -> Tensor:
    return x * torch.where((x == 0) & (other <= 0), 1.0, other).log()


@decomposes(_aten.clamp.Tensor)
def _clamp(x: Tensor, min: Tensor | None = None, max: Tensor | None = None) -> Tensor:
    x = x if min is None else torch.where(x < min, min, x)
    return x if max is None else torch.where(x > max, max, x)


@decomposes(_aten.fmax.default)
def _fmax(x: Tensor, other: Tensor) -> Tensor:
    return torch.where((x >= other) | other.isnan(), x, other)


@decomposes(_aten.fmin.default)
def _fmin(x: Tensor, other: Tensor) -> Tensor:
    return torch.where((x <= other) | other.isnan(), x, other)


@decomposes(_aten.glu.default)
def _glu(x: Tensor, dim: int = -1) -> Any:
    half = x.shape[dim] // 2
    return part(x, dim, 0, half) * part(x, dim, half, 2 * half).sigmoid()


@decomposes(_aten.any.dim)
def _any(x: Tensor, dim: int, keepdim: bool = False) -> Any:
    return _of_truths(x).amax(dim, keepdim) > 0 if x.dtype == torch.bool else NotImplemented


@decomposes(_aten.all.dim)
def _all(x: Tensor, dim: int, keepdim: bool = False) -> Any:
    return _of_truths(x).amin(dim, keepdim) > 0 if x.dtype == torch.bool else NotImplemented


@decomposes(_aten.isclose.default)
def _isclose(x: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    distance = (x - other).abs()
    is_close = (x == other) | ((distance <= atol + (rtol * other).abs()) & distance.isfinite())
    return is_close | (x.isnan() & other.isnan()) if equal_nan else is_close


def _of_truths(x: Tensor) -> Tensor:
    return torch.where(x, 1.0, 0.0)

"""One number or another."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from ..._capture.eager import PASSES_AT_A_BOUND
from .declare import decomposes, part

_aten = torch.ops.aten


@decomposes(_aten.hardswish.default)
def _hardswish(x: Tensor) -> Tensor:
    return torch.where(x >= 3, x, torch.where(x <= -3, 0.0, x * (x + 3) / 6))


@decomposes(_aten.hardsigmoid.default)
def _hardsigmoid(x: Tensor) -> Tensor:
    return _aten.hardtanh(x + 3, 0.0, 6.0) / 6


@decomposes(_aten.sinc.default)
def _sinc(x: Tensor) -> Tensor:
    angle = math.pi * torch.where(x == 0, 1.0, x)
    return torch.where(x == 0, 1.0, angle.sin() / angle)


@decomposes(_aten.xlogy.Tensor)
def _xlogy(x: Tensor, other: Tensor) -> Tensor:
    return x * torch.where((x == 0) & (other <= 0), 1.0, other).log()


@decomposes(_aten.clamp.Tensor)
def _clamp_between(x: Tensor, min: Tensor | None = None, max: Tensor | None = None) -> Tensor:
    if PASSES_AT_A_BOUND:
        least = min if max is None or min is None else torch.where(min < max, min, min.detach())
        x = x if min is None else torch.where(x < min, least, x)
        return x if max is None else torch.where(x > max, max, x)
    if min is None or max is None:
        return torch.maximum(x, min) if max is None else torch.minimum(x, max)
    # Equal ones share the gradient. Where the bounds are equal, too, the number has all of it.
    shared = torch.where(x == min, _half(x, min), torch.where(x == max, _half(x, max), x))
    outside = torch.where((x < min) & (min <= max), min, max)
    return torch.where((x < min) | (x > max), outside, torch.where(min == max, x, shared))


if not PASSES_AT_A_BOUND:

    @decomposes(_aten.clamp.default, always=True)
    def _clamp(x: Tensor, min: float | None = None, max: float | None = None) -> Tensor:
        x = x if min is None else _clamp_min(x, min)
        return x if max is None else _clamp_max(x, max)

    @decomposes(_aten.clamp_min.default, always=True)
    def _clamp_min(x: Tensor, min: float) -> Tensor:
        return torch.where(x > min, x, torch.where(x <= min, min, x.detach()))  # NaN passes no gradient, either

    @decomposes(_aten.clamp_max.default, always=True)
    def _clamp_max(x: Tensor, max: float) -> Tensor:
        return torch.where(x < max, x, torch.where(x >= max, max, x.detach()))


@decomposes(_aten.fmax.default)
def _fmax(x: Tensor, other: Tensor) -> Tensor:
    greatest = torch.where((x >= other) | other.isnan(), x, other)
    return greatest if PASSES_AT_A_BOUND else torch.where(x == other, _half(x, other), greatest)


@decomposes(_aten.fmin.default)
def _fmin(x: Tensor, other: Tensor) -> Tensor:
    least = torch.where((x <= other) | other.isnan(), x, other)
    return least if PASSES_AT_A_BOUND else torch.where(x == other, _half(x, other), least)


def _half(x: Tensor, other: Tensor) -> Tensor:
    """Of each, where they are equal: they share the gradient."""
    return x * 0.5 + other * 0.5


@decomposes(_aten.copysign.Tensor)
def _copysign(x: Tensor, other: Tensor) -> Tensor:
    nothing = torch.where(other == 0, other, 0.0) * 0  # whose gradient is zeros, as that of a sign
    return torch.where((other < 0) | (other.reciprocal() < 0), -x.abs(), x.abs()) + nothing


@decomposes(_aten.remainder.Tensor)
def _remainder(x: Tensor, other: Tensor) -> Tensor:
    """With the sign of ``other``."""
    left = torch.fmod(x, other)
    return torch.where(((left < 0) & (other > 0)) | ((left > 0) & (other < 0)), left + other, left)


@decomposes(_aten.remainder.Scalar)
def _remainder_of(x: Tensor, other: float) -> Tensor:
    left = torch.fmod(x, other)
    return torch.where(left > 0 if other < 0 else left < 0, left + other, left)


@decomposes(_aten.floor_divide.default)
def _floor_divide(x: Tensor, other: Tensor) -> Tensor:
    """By the remainder, as a rounded quotient may be the next whole number."""
    whole = ((x - torch.remainder(x, other)) / other).round()
    return torch.where(other == 0, x / other, whole)


@decomposes(_aten.div.Tensor_mode, _aten.div.Scalar_mode)
def _rounded_quotient(x: Tensor, other: Tensor | float, rounding_mode: str | None = None) -> Tensor:
    """Of gradients that are zeros, also where the divisor is zero."""
    if rounding_mode is None:
        return x / other
    is_zero = other == 0
    divisor = torch.where(is_zero, 1.0, other) if isinstance(other, Tensor) else other or 1.0
    down = rounding_mode == "floor"
    whole = ((x - torch.remainder(x, divisor)) / divisor).round() if down else (x / divisor).trunc()
    if isinstance(other, Tensor):
        return torch.where(is_zero, (x / other).detach(), whole)
    # What is added for the gradient is zero for infinities, too.
    return (x / other).detach() + x.nan_to_num(0.0, 0.0, 0.0) * 0 if is_zero else whole


@decomposes(_aten.hypot.default)
def _hypot(x: Tensor, other: Tensor) -> Tensor:
    """Scaled where squares would not be finite, or zeros."""
    digits = 500 if x.dtype == torch.float64 else 60
    most = torch.maximum(x.abs(), other.abs())
    scale = torch.where(most < 2.0**-digits, 2.0**digits, torch.ones_like(most))
    scale = torch.where(most > 2.0**digits, 2.0**-digits, scale)
    return ((x * scale).square() + (other * scale).square()).sqrt() / scale


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


@decomposes(_aten.prod.dim_int)
def _product_of_truths(x: Tensor, dim: int, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Any:
    return x.all(dim, keepdim).to(dtype or torch.int64) if x.dtype == torch.bool else NotImplemented


@decomposes(_aten.count_nonzero.dim_IntList)
def _count(x: Tensor, dim: list[int]) -> Tensor:
    return (x != 0).sum(dim)


@decomposes(_aten.isclose.default)
def _isclose(x: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    distance = (x - other).abs()
    is_close = (x == other) | ((distance <= atol + (rtol * other).abs()) & distance.isfinite())
    return is_close | (x.isnan() & other.isnan()) if equal_nan else is_close


def _of_truths(x: Tensor) -> Tensor:
    return torch.where(x, 1.0, 0.0)

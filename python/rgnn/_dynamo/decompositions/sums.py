"""Sums of all and up to each, norms, sums of exponentials, and sums of products."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from .declare import decomposes, part

_aten = torch.ops.aten


@decomposes(_aten.mean.default)
def _mean(x: Tensor, *, dtype: torch.dtype | None = None) -> Any:
    return x.mean(list(range(x.dim())), dtype=dtype) if x.dim() else NotImplemented


@decomposes(_aten.sum.default)
def _sum(x: Tensor, *, dtype: torch.dtype | None = None) -> Any:
    return x.sum(list(range(x.dim())), dtype=dtype) if x.dim() else NotImplemented


@decomposes(_aten.cumsum.default)
def _cumsum(x: Tensor, dim: int, *, dtype: torch.dtype | None = None) -> Any:
    return _scan(x, dim, torch.add) if dtype in (None, x.dtype) else NotImplemented


@decomposes(_aten.cumprod.default)
def _cumprod(x: Tensor, dim: int, *, dtype: torch.dtype | None = None) -> Any:
    return _scan(x, dim, torch.mul) if dtype in (None, x.dtype) else NotImplemented


def _scan(x: Tensor, dim: int, join: Callable[[Tensor, Tensor], Tensor]) -> Any:
    """What has been joined up to each number of a dimension: in each step twice as many numbers are."""
    size = x.shape[dim] if x.dim() else 0
    if not isinstance(size, int) or size == 0:
        return NotImplemented
    if x.dtype == torch.bool:
        x = x.to(torch.int64)
    step = 1
    while step < size:
        before, rest = part(x, dim, 0, size - step), part(x, dim, step, size)
        x = torch.cat([part(x, dim, 0, step), join(rest, before)], dim)
        step *= 2
    return x


@decomposes(_aten.cosine_similarity.default)
def _cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    def direction(x: Tensor) -> Tensor:
        norm = torch.linalg.vector_norm(x, 2, dim, True)
        return x / (norm + (norm.clamp_min(eps) - norm).detach())

    return (direction(x1) * direction(x2)).sum(dim)


@decomposes(_aten.linalg_vector_norm.default)
def _vector_norm(x: Tensor, ord: float = 2, dim: Sequence[int] | None = None, keepdim: bool = False, *,
                 dtype: torch.dtype | None = None) -> Any:  # fmt: skip
    dims = list(range(x.dim())) if dim is None else list(dim)
    if dtype is not None or not dims or ord < 1:
        return NotImplemented
    if ord == 1:
        return x.abs().sum(dims, keepdim)
    if ord == float("inf"):
        return x.abs().amax(dims, keepdim)
    total = (x * x if ord == 2 else x.abs() ** ord).sum(dims, keepdim)
    is_positive = total > 0  # a gradient of 0 at 0
    return torch.where(is_positive, torch.where(is_positive, total, 1.0) ** (1.0 / ord), total)


@decomposes(_aten.logsumexp.default)
def _logsumexp(x: Tensor, dim: Sequence[int], keepdim: bool = False) -> Any:
    most = x.amax(dim, True).detach()
    most = torch.where(most.abs() == float("inf"), 0.0, most)
    total = (x - most).exp().sum(dim, True).log() + most
    return total if keepdim else total.squeeze(list(dim))


@decomposes(_aten.logaddexp.default)
def _logaddexp(x: Tensor, other: Tensor) -> Tensor:
    total = torch.maximum(x, other) + (-(x - other).abs()).exp().log1p()
    return torch.where((x == other) & (x.abs() == float("inf")), x, total)


@decomposes(_aten.var_mean.correction)
def _var_mean(x: Tensor, dim: Sequence[int] | None = None, *, correction: float | None = None,
              keepdim: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
    dims = list(range(x.dim())) if dim is None else dim
    return torch.var(x, dims, correction=correction, keepdim=keepdim), x.mean(dims, keepdim)


@decomposes(_aten.std_mean.correction)
def _std_mean(x: Tensor, dim: Sequence[int] | None = None, *, correction: float | None = None,
              keepdim: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
    dims = list(range(x.dim())) if dim is None else dim
    return torch.std(x, dims, correction=correction, keepdim=keepdim), x.mean(dims, keepdim)


@decomposes(_aten.inner.default)
def _inner(x: Tensor, other: Tensor) -> Any:
    return (x * other).sum(-1) if other.dim() == 1 and x.dim() else NotImplemented


@decomposes(_aten.einsum.default)
def _einsum(equation: str, tensors: Sequence[Tensor], *, path: Any = None) -> Any:
    """Outer products of rows, added up: ``nhd,nhe->hde``, the keys times the values of linear attention."""
    found = re.fullmatch(r"(\w)(\w*),\1(\w*)->(\w*)", equation.replace(" ", ""))
    if found is None or len(tensors) != 2 or isinstance(tensors[0].shape[0], int):
        return NotImplemented
    rows, left, right, out = found.groups()
    heads = [letter for letter in left if letter in right]
    own = [[letter for letter in letters if letter not in heads] for letters in (left, right)]
    made = [*heads, *own[0], *own[1]]
    if rows in out or sorted(out) != sorted(made) or len(set(out)) < len(out) or len(heads) > 1:
        return NotImplemented
    sizes = dict(zip(left + right, [*tensors[0].shape[1:], *tensors[1].shape[1:]]))
    if any(tensor.shape[1:] != tuple(sizes[letter] for letter in letters)
           for tensor, letters in zip(tensors, (left, right))):  # fmt: skip
        return NotImplemented
    parts = []
    for head in range(sizes[heads[0]]) if heads else [0]:
        of_head = [tensor.select(1 + letters.index(heads[0]), head) if heads else tensor
                   for tensor, letters in zip(tensors, (left, right))]  # fmt: skip
        flat = [tensor.reshape(tensor.shape[0], math.prod(sizes[letter] for letter in letters))
                for tensor, letters in zip(of_head, own)]  # fmt: skip
        parts.append(flat[0].t() @ flat[1])
    stacked = torch.stack(parts).reshape([sizes[letter] for letter in made])
    return stacked.permute([made.index(letter) for letter in out])

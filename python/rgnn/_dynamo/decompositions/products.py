"""Products of matrices, and of vectors in space."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .declare import decomposes

_aten = torch.ops.aten


@decomposes(_aten.matmul.default)
def _matmul(x: Tensor, other: Tensor) -> Any:
    """Of weights ``[K, M]`` and rows ``[N, M, F]``: rows ``[N, F, M]`` by weights ``[M, K]``, turned round."""
    if x.dim() != 2 or other.dim() != 3 or not all(isinstance(size, int) for size in x.shape):
        return NotImplemented
    return torch.matmul(other.transpose(1, 2), x.t()).transpose(1, 2)


@decomposes(_aten.cross.default)
def _cross(x: Tensor, other: Tensor, dim: int | None = None) -> Any:
    return NotImplemented if dim is None else _linalg_cross(x, other, dim=dim)


@decomposes(_aten.linalg_cross.default)
def _linalg_cross(x: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    (x0, x1, x2), (y0, y1, y2) = x.unbind(dim), other.unbind(dim)
    return torch.stack([x1 * y2 - x2 * y1, x2 * y0 - x0 * y2, x0 * y1 - x1 * y0], dim)

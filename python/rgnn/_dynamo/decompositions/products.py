"""Products of matrices."""

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

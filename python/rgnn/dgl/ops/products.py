"""Products with a weight that differs from row to row."""

from __future__ import annotations

import torch
from torch import Tensor

from .. import segments
from ..base import DGLError, describe_shape

__all__ = ["gather_mm", "segment_mm"]


def gather_mm(a: Tensor, b: Tensor, *, idx_b: Tensor) -> Tensor:
    """Row ``i`` of the result is ``a[i] @ b[idx_b[i]]``: ``[N, D1]`` by ``[R, D1, D2]`` gives ``[N, D2]``.

    Raises:
        DGLError: other ranks or sizes.
    """
    _check(a, b)
    if idx_b.shape != a.shape[:1]:
        raise DGLError(f"idx_b: expected {a.shape[0]} numbers, one for each row, got {describe_shape(idx_b)}")
    return segments.typed_product(a, b, idx_b.long())


def segment_mm(a: Tensor, b: Tensor, seglen_a: Tensor) -> Tensor:
    """The first ``seglen_a[0]`` rows of ``a`` times ``b[0]``, the next ``seglen_a[1]`` times ``b[1]``, and so on.

    ``[N, D1]`` by ``[R, D1, D2]`` gives ``[N, D2]``.

    Raises:
        DGLError: other ranks or sizes.
    """
    _check(a, b)
    if seglen_a.shape[0] != b.shape[0]:
        raise DGLError(f"seglen_a: expected {b.shape[0]} numbers, one for each weight, got {describe_shape(seglen_a)}")
    types = torch.arange(b.shape[0], device=a.device)
    lengths = seglen_a.to(a.device).long()
    return segments.typed_product(a, b, types.repeat_interleave(lengths, output_size=a.shape[0]))


def _check(a: Tensor, b: Tensor) -> None:
    if a.dim() != 2 or b.dim() != 3 or a.shape[1] != b.shape[1]:
        raise DGLError(f"expected [N, D1] and [R, D1, D2], got {describe_shape(a)} and {describe_shape(b)}")

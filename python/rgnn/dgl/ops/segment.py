"""Reductions of rows in segments, one behind the other, whose lengths are given."""

from __future__ import annotations

import torch
from torch import Tensor

from .. import segments
from ..base import DGLError

__all__ = ["segment_reduce", "segment_softmax"]


def _owners(seglen: Tensor, value: Tensor) -> Tensor:
    numbers = torch.arange(seglen.shape[0], device=value.device)
    return numbers.repeat_interleave(seglen.to(value.device).long(), output_size=value.shape[0])


def segment_reduce(seglen: Tensor, value: Tensor, reducer: str = "sum") -> Tensor:
    """Row ``s`` of the result is reduced from the rows of segment ``s``: ``[S]`` and ``[N, *]`` give ``[S, *]``.

    Args:
        seglen: the lengths of segments, whose sum is ``N``.
        reducer: "sum", "mean", "max" or "min"; 0 for segments without rows.
    """
    if reducer not in segments.REDUCERS:
        raise DGLError(f"reducer: expected one of {', '.join(segments.REDUCERS)}, got {reducer!r}")
    return segments.reduce(value, _owners(seglen, value), seglen.shape[0], reducer)


def segment_softmax(seglen: Tensor, value: Tensor) -> Tensor:
    """Softmax over the rows of each segment, entry by entry, ``[N, *]``."""
    return segments.softmax(value, _owners(seglen, value), seglen.shape[0])

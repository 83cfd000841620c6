"""PyTorch 2.11 lets data say how many rows a slice has: ``x[:1]`` of ``N`` rows has ``u0``, where later versions say
``min(1, N)``.

As with these, broadcasting is then a question about ``N``, and no assertion that fails in a later call.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import torch

from .. import private


@contextlib.contextmanager
def sized() -> Iterator[None]:
    """Captures give slices the sizes that later versions give them."""
    known, slices = private.fake_impls.op_implementations_dict, torch.ops.aten.slice.Tensor
    stock = known[slices]

    def part(mode: Any, operator: Any, x: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
        size = x.shape[dim]
        if step < 1 or isinstance(start, torch.SymInt) or isinstance(end, torch.SymInt):  # see `asked_by_slice`
            return stock(mode, operator, x, dim, start, end, step)
        begin, last = _place(start, size, 0), _place(end, size, size)
        sizes, strides = list(x.shape), list(x.stride())
        offset = x.storage_offset() + begin * strides[dim]
        sizes[dim], strides[dim] = (torch.sym_max(last - begin, 0) + step - 1) // step, strides[dim] * step
        return x.as_strided(sizes, strides, offset)

    if private.SLICES_ARE_COUNTED:
        known[slices] = part
    try:
        yield
    finally:
        known[slices] = stock


def _place(index: int | None, size: Any, default: Any) -> Any:
    """Where a slice begins or ends, from the front."""
    if index is None or index >= sys.maxsize:
        return default
    return torch.sym_max(index + size, 0) if index < 0 else torch.sym_min(index, size)

"""The device that a call runs on."""

from __future__ import annotations

from collections.abc import Iterable

from torch import Tensor


def common_device(tensors: Iterable[Tensor]) -> str | None:
    """``"cpu"`` or ``"cuda"`` where all tensors are on such a device; None otherwise, or without tensors."""
    kinds = {tensor.device.type for tensor in tensors}
    return next(iter(kinds)) if kinds in ({"cpu"}, {"cuda"}) else None

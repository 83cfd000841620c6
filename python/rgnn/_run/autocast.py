"""Autocast: what compiled code gets and gives where it is on."""

from __future__ import annotations

import torch
from torch import Tensor

_NARROW = (torch.bfloat16, torch.float16)


def autocast_dtype(device: str) -> torch.dtype | None:
    """What autocast makes of operands of this thread's operators on a device; None where it is off."""
    return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else None


def is_narrow(tensor: Tensor) -> bool:
    return tensor.dtype in _NARROW


def widened(tensors: list[Tensor]) -> list[Tensor]:
    """The tensors, those of 16-bit floats as float32."""
    return [tensor.float() if is_narrow(tensor) else tensor for tensor in tensors]

"""What PyTorch is doing at the moment."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.autograd import forward_ad


def is_plain() -> bool:
    """Whether PyTorch does nothing but run operators: no fake tensors, tracing, vmap or forward-mode derivatives."""
    return (
        torch._C._len_torch_dispatch_stack() == 0
        and torch._C._functorch.peek_interpreter_stack() is None
        and forward_ad._current_level < 0
        and not torch._C._is_tracing()
    )


def version_of(tensor: Tensor) -> int:
    """How often a tensor was changed in place; 0 for one of inference mode, which PyTorch does not count."""
    return 0 if tensor.is_inference() else tensor._version

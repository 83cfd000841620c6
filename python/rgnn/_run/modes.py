"""What PyTorch is doing at the moment."""

from __future__ import annotations

from collections.abc import Iterable

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


def versions_of(tensors: Iterable[Tensor]) -> list[int]:
    """The same of each; hundreds of parameters take 20 us one by one."""
    tensors = list(tensors)
    try:
        return [tensor._version for tensor in tensors]
    except RuntimeError:  # PyTorch refuses where one is of inference mode
        return list(map(version_of, tensors))

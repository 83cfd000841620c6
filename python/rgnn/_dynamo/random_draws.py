"""Operators that draw random numbers."""

from __future__ import annotations

from collections.abc import Callable

import torch


def is_random(target: Callable) -> bool:
    """Whether an operator draws from PyTorch's generator, which it changes whoever reads the numbers."""
    return isinstance(target, torch._ops.OpOverload) and torch.Tag.nondeterministic_seeded in target.tags

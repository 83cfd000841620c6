"""Operators that PyTorch knows already, and what they lack to be captured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._library.custom_ops import OPDEFS
from torch._library.simple_registry import singleton

from . import registry
from .declare import make_fake, own_gradient
from .movement import Movement


def complete(operator: torch._ops.OpOverload, movement: Movement, fake: Callable | None, lowering: Callable | None,
             backward: Callable | None, setup_context: Callable | None) -> None:
    """Gives an operator the shapes and the gradient that it lacks.

    Raises:
        ValueError: it has what is given.
    """
    name, own = operator.name(), OPDEFS.get(operator.name())
    if not _has_fake(operator):
        torch.library.register_fake(own or name, make_fake(movement, fake, lowering))
    elif fake is not None:
        raise ValueError(f"{name}: fake: expected none, the operator has one")
    if _has_gradient(operator):
        if backward is not None:
            raise ValueError(f"{name}: backward: expected none, the operator has one")
    elif backward is not None:
        torch.library.register_autograd(own or name, backward, setup_context=setup_context)
    elif lowering is not None:

        def latest(*args: Any, **kwargs: Any) -> Any:  # of the operator, which may be registered again
            return (registry.named(name).lowering or lowering)(*args, **kwargs)

        differentiate, remember = own_gradient(movement, operator, latest)
        torch.library.register_autograd(own or name, differentiate, setup_context=remember)


def _has_fake(operator: torch._ops.OpOverload) -> bool:
    own = OPDEFS.get(operator.name())
    if own is not None:
        return own._abstract_fn is not None
    kernels = ("Meta", "CompositeImplicitAutograd")
    return singleton.find(operator.name()).fake_impl.kernel is not None or _has_kernel(operator, kernels)


def _has_gradient(operator: torch._ops.OpOverload) -> bool:
    own = OPDEFS.get(operator.name())
    if own is not None:
        return own._backward_fn is not None
    return _has_kernel(operator, ("Autograd", "AutogradCPU", "AutogradCUDA", "CompositeImplicitAutograd"))


def _has_kernel(operator: torch._ops.OpOverload, keys: tuple[str, ...]) -> bool:
    return any(torch._C._dispatch_has_kernel_for_dispatch_key(operator.name(), key) for key in keys)

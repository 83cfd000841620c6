"""Operators that the compiler has no rule for, as others that it has rules for.

PyTorch's own decompositions for export are taken where there is no rule. The functions of this package come first:
they decompose what PyTorch leaves whole, or what has a rule for other arguments alone, and have PyTorch's gradients
where a function has a corner. One that does not apply gives ``NotImplemented``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import torch

from . import choices, convolutions, losses, orders, parts, products, recurrent, scatters, sums  # noqa: F401
from .declare import DECLARED


def find_decompositions(refused: Iterable[tuple[str, bool]]) -> dict[torch._ops.OpOverload, Callable]:
    """Decompositions of operators by their names in the compiler's text, and whether it has no rule for them at all."""
    found = {}
    for name, has_no_rule in refused:
        operator = _operator_of(name)
        if operator in DECLARED:
            found[operator] = DECLARED[operator]
        elif operator is None or torch.Tag.nondeterministic_seeded in operator.tags:
            continue
        elif has_no_rule and operator in _of_pytorch():
            found[operator] = _of_pytorch()[operator]
        elif has_no_rule and _is_composite(operator):
            found[operator] = functools.partial(_decompose, operator)
    return found


@functools.cache
def _of_pytorch() -> dict[torch._ops.OpOverload, Callable]:
    from torch._decomp import core_aten_decompositions  # takes a moment

    return core_aten_decompositions()


def _is_composite(operator: torch._ops.OpOverload) -> bool:
    """Whether PyTorch itself computes it by other operators, whatever the device."""
    return torch._C._dispatch_has_kernel_for_dispatch_key(operator.name(), "CompositeImplicitAutograd")


def _decompose(operator: torch._ops.OpOverload, *args: Any, **kwargs: Any) -> Any:
    try:
        return operator.decompose(*args, **kwargs)
    except Exception:  # such as of what its data decide; then PyTorch runs it
        return NotImplemented


def _operator_of(name: str) -> torch._ops.OpOverload | None:
    namespace, _, name = name.partition(".")
    packet, _, overload = name.partition(".")
    if namespace != "aten":
        return None
    return getattr(getattr(torch.ops.aten, packet, None), overload or "default", None)

"""Gives one module another call, and the methods that go with it."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

from torch import nn

OWN = ("save", "export", "freeze", "__getstate__", "__deepcopy__", "__call__")
"""Attributes that a module gets besides its call."""


def install(
    module: nn.Module, call: Callable, methods: dict[str, Callable], again: Callable,
    instead: dict[str, Callable] | None = None,
) -> None:  # fmt: skip
    """Has ``module(...)`` run ``call``. What is pickled, and its shallow copies, are plain modules.

    Args:
        module: which is changed.
        call: in the place of its own.
        methods: further ones; those that the model's class has stay its own.
        again: makes what a deep copy is, given a plain deep copy.
        instead: what stands for methods of the model's class.
    """

    def state() -> Any:
        plain = object.__new__(type(module))
        vars(plain).update({name: value for name, value in vars(module).items() if name not in own})
        return plain.__getstate__()

    def deepcopy(memo: dict) -> nn.Module:
        memo[id(module)] = other = copy.deepcopy(copy.copy(module), memo)
        memo[id(module)] = copied = again(other)
        return copied

    module._compiled_call_impl = call
    methods = {name: value for name, value in methods.items() if not hasattr(type(module), name)}
    methods.update(instead or {})
    vars(module).update(methods)
    # Attributes of the object, which are asked before those of its class: that is also the class of plain modules.
    module.__getstate__, module.__deepcopy__ = state, deepcopy
    # Where a module's is the usual one, torch.compile takes its forward in the place of its call.
    module.__call__ = functools.partial(nn.Module.__call__, module)
    own = ("_compiled_call_impl", "__getstate__", "__deepcopy__", "__call__", *methods)

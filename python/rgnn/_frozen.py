"""compiled.freeze: the calls that were made of a model, without a look at anything but their arguments."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import nn

from ._capture.capturing import is_capturing
from ._dynamo.version import Version
from ._errors import CompileError
from ._install import install
from ._recorded_calls import FullGraphCall, reader
from ._run.call import CompiledCall, run_in_mode


def check_attributes(versions: Iterable[Version]) -> None:
    """Refuses a model of which versions were made since something changed that is no argument.

    Raises:
        CompileError: the text has the guard that did not hold.
    """
    for version in versions:
        for guard in version.why:
            if _is_of_state(guard):
                raise CompileError(f"cannot be frozen: expected attributes that stay as they are, got one that changed "
                                   f"between calls: {guard}")  # fmt: skip


def _is_of_state(guard: str) -> bool:
    """Whether a guard is about an attribute or a global name; not about tensors and modes, which calls tell apart."""
    if guard.startswith(("tensor ", "GLOBAL_STATE")) or ".training" in guard:
        return False
    return re.search(r"\bself\b|\bG\[|closure|cell_contents", guard) is not None


def check_modes(calls: Iterable[FullGraphCall]) -> None:
    """Refuses several versions that their calls do not tell apart.

    Raises:
        CompileError: two were made for the same structure, dtypes, widths and mode.
    """
    known: set[Any] = set()
    for call in calls:
        key = call.training, call.autocast, repr((call.spec.inputs.args, call.spec.inputs.kwargs)), call.kinds
        if key in known:
            raise CompileError(f"cannot be frozen: expected one version for ({', '.join(call.spec.inputs.paths)}), "
                               f"got several")  # fmt: skip
        known.add(key)


def freeze_module(model: nn.Module, calls: list[CompiledCall]) -> nn.Module:
    """A module of the same class, parameters and submodules that runs the calls; ``model`` is a plain one."""

    run = _runner(model, calls)

    def call(*args: Any, **kwargs: Any) -> Any:
        return model._call_impl(*args, **kwargs) if is_capturing() else run(*args, **kwargs)

    def again(other: nn.Module) -> nn.Module:
        own = [CompiledCall(one.spec, reader(other, one.spec), one.region, one.training, one.autocast) for one in calls]
        return freeze_module(other, own)

    install(model, call, {}, again)
    return model


def freeze_function(function: Callable, model: nn.Module, calls: list[CompiledCall]) -> Callable:
    """A function that runs the calls; ``model`` has the modules that the function refers to."""

    return functools.wraps(function)(_runner(model, calls))


def _runner(model: nn.Module, calls: list[CompiledCall]) -> Callable:
    @torch.compiler.disable
    def run(*args: Any, **kwargs: Any) -> Any:
        return run_in_mode(calls, model.training, args, kwargs, "frozen")

    return run

"""What a call of a module or a function runs, and the hooks of modules."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

from torch import nn
from torch.nn.modules import module as torch_module
from torch_geometric.nn import MessagePassing


class Function(nn.Module):
    """A function as a model, whose submodules are the modules that it refers to."""

    def __init__(self, function: Callable):
        super().__init__()
        self.forward = function
        modules = {id(value): value for value in Names(function).values() if isinstance(value, nn.Module)}
        for number, module in enumerate(modules.values()):
            self.add_module(f"module_{number}", module)


class Names:
    """What the names in a function, and in those of the user's that it calls, stand for now.

    Attributes:
        fixed: arguments and objects that are bound to it.
        cells: variables of the functions around it.
        globals: names, with the dictionaries that they are in.
    """

    def __init__(self, function: Any):
        self.fixed: list[Any] = []
        self.cells: list[types.CellType] = []
        self.globals: list[tuple[dict, str]] = []
        self._collect(function, set())

    def _collect(self, function: Any, seen: set[int]) -> None:
        if id(function) in seen:
            return
        seen.add(id(function))
        if isinstance(function, functools.partial):
            self.fixed += (*function.args, *function.keywords.values())
            self._collect(function.func, seen)
        elif isinstance(function, types.MethodType):
            self.fixed.append(function.__self__)
            self._collect(function.__func__, seen)
        elif isinstance(function, types.FunctionType) and not _is_of_library(function):
            cells = [cell for cell in function.__closure__ or () if _is_set(cell)]
            known = function.__globals__
            names = [name for name in _global_names(function.__code__) if name in known]
            self.cells += cells
            self.globals += [(known, name) for name in names]
            for value in (*(cell.cell_contents for cell in cells), *(known[name] for name in names)):
                self._collect(value, seen)

    def values(self) -> list[Any]:
        cells = [cell.cell_contents for cell in self.cells]
        return [*self.fixed, *cells, *[known.get(name) for known, name in self.globals]]

    def __eq__(self, values: object) -> bool:
        return self.values() == values


def _global_names(code: types.CodeType) -> list[str]:
    nested = [_global_names(part) for part in code.co_consts if isinstance(part, types.CodeType)]
    return list(dict.fromkeys(sum(nested, list(code.co_names))))


def _is_set(cell: types.CellType) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:  # a name that gets its value later
        return False
    return True


def _is_of_library(value: Any) -> bool:
    return (value.__module__ or "").partition(".")[0] in ("torch", "torch_geometric", "builtins", "rgnn")


def traceable(function: Callable) -> Callable:
    """A function that TorchDynamo takes, which needs code of Python."""
    if hasattr(function, "__code__"):
        return function

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return call


def forward_of(model: nn.Module) -> Callable:
    """What a call of a module runs, as a function that TorchDynamo takes."""
    stock = type(model)._call_impl is nn.Module._call_impl
    return model.forward if stock and hasattr(model.forward, "__code__") else model._call_impl


def argument_names(model: nn.Module) -> list[str]:
    """Of a layer of PyG's that has a stand-in, whose own signature takes any arguments."""
    forward = inspect.unwrap(model.forward)
    return list(inspect.signature(forward).parameters)[1:] if hasattr(model.forward, "__wrapped__") else []


def hooks(module: nn.Module) -> tuple[dict, ...]:
    """The dictionaries of hooks that a call of the module would run: PyTorch's own, and PyG's within it."""
    own = module._forward_hooks, module._forward_pre_hooks, module._backward_hooks, module._backward_pre_hooks
    if not isinstance(module, MessagePassing):
        return own
    names = "_forward_hooks", "_forward_pre_hooks"
    return *own, *(value for name, value in vars(module).items() if name.endswith(names) and name not in names)


GLOBAL_HOOKS = (torch_module._global_forward_hooks, torch_module._global_forward_pre_hooks,
                torch_module._global_backward_hooks, torch_module._global_backward_pre_hooks)  # fmt: skip
"""Those that calls of all modules run."""


def explains(modules: list[nn.Module]) -> bool:
    """Whether one of them is in PyG's explain mode, which PyG leaves while it is compiled."""
    return any(vars(module).get("_explain") for module in modules)

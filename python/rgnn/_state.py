"""What a capture takes as given of a model, so that a change of it is seen.

Parameters and buffers are read anew at each call. Compared with what they were: attributes of modules and of objects
that they hold, the elements of lists and dictionaries among them, and what the names in a compiled function stand for.
Not compared, so that a call stays cheap: attributes of classes and of Python modules, globals that a module's forward
reads, `__slots__`, what is inside NumPy arrays and tensors of inference mode, and the order of a dictionary.
"""

from __future__ import annotations

import copy
import functools
import types
from collections.abc import Callable, Set
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.nn import MessagePassing

from ._capture.serialize import shows_value

# Notes that layers of PyG make while they run; results do not depend on them.
_NOTES = frozenset({"_alpha", "_use_segment_matmul_heuristic_output", "fuse"})
# What torch.nn.Module keeps of itself: read live, watched apart, or not used by a forward pass.
_OWN = frozenset({*vars(nn.Module()), "_compiled_call_impl"})
_NOT_DATA = (type, types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType)


class State:
    """All of a model but the values of its parameters and buffers."""

    def __init__(self, model: nn.Module):
        # What may change, what it was, names that may differ.
        self._live: list[Any] = []
        self._before: list[Any] = []
        self._notes: list[frozenset] = []
        # Of each tensor: its container and key, the address of its data, its version where code holds its values.
        self._tensors: list[tuple[Any, Any, Tensor, int | None, int | None]] = []
        self._missing: list[tuple[dict, str]] = []  # parameters and buffers that were None
        self._shared: list[tuple[dict, str, dict, str]] = []  # two that were one tensor
        self._seen = {id(module) for module in model.modules()}
        empty: list[Any] = []  # containers that were empty; hooks, which a compiled model would not call
        self._empty: Any = empty
        first: dict[int, tuple[dict, str]] = {}
        for module in model.modules():
            self._watch_module(module)
            for slots in (module._parameters, module._buffers):
                for name, tensor in slots.items():
                    if tensor is None:
                        self._missing.append((slots, name))
                    elif id(tensor) in first:
                        self._shared.append((slots, name, *first[id(tensor)]))
                    else:
                        first[id(tensor)] = (slots, name)
        if isinstance(model, Function):
            self._watch_function(model.forward)
        self._empty = tuple(empty)

    def holds(self, but_for: Set[str] = frozenset()) -> bool:
        """Whether the model is as it was, without hooks; attributes of the names ``but_for`` may differ."""
        if any(self._empty):
            return False
        if not equal(self._live, self._before):  # all at once: values that are one object are not compared
            for number, (live, before) in enumerate(zip(self._live, self._before)):
                if not equal(live, before):
                    changed = changes(live, before)
                    if not changed <= self._notes[number] | but_for:
                        return False
                    if changed <= self._notes[number]:
                        self._before[number] = dict(live)
        for slots, name in self._missing:
            if slots.get(name) is not None:
                return False
        for slots, name, others, other in self._shared:
            if slots.get(name) is not others.get(other):
                return False
        for container, key, tensor, address, version in self._tensors:
            if container[key] is not tensor or (address is not None and tensor.data_ptr() != address):
                return False
            if version is not None and tensor._version != version:
                return False
        return True

    def _watch_pair(self, live: Any, before: Any, notes: frozenset = frozenset()) -> None:
        self._live.append(live)
        self._before.append(before)
        self._notes.append(notes)

    def _watch_module(self, module: nn.Module) -> None:
        self._watch_container(module._modules)
        self._empty += hooks(module)
        self._watch_attributes(vars(module), _NOTES if isinstance(module, MessagePassing) else frozenset())

    def _watch_attributes(self, attributes: dict, notes: frozenset = frozenset()) -> None:
        self._watch_pair(attributes, dict(attributes), notes)
        for name, value in attributes.items():
            if name not in _OWN and name not in notes:
                self._watch(attributes, name, value)

    def _watch(self, container: Any, key: Any, value: Any) -> None:
        """Watches what is inside a value; that it is replaced is seen by its container."""
        if isinstance(value, Tensor):
            version = value._version if shows_value(value) and not value.is_inference() else None
            address = value.data_ptr() if value.layout is torch.strided else None
            self._tensors.append((container, key, value, address, version))
        elif id(value) in self._seen:
            return
        elif isinstance(value, nn.Module):  # one that its owner did not register: its parameters are constants
            self._seen.add(id(value))
            self._watch_module(value)
            self._watch_container(value._parameters)
            self._watch_container(value._buffers)
        elif isinstance(value, (list, dict, tuple, set)):
            self._watch_container(value)
        elif hasattr(value, "__dict__") and not isinstance(value, _NOT_DATA) and not _is_of_library(type(value)):
            self._seen.add(id(value))
            self._watch_attributes(vars(value))

    def _watch_container(self, value: Any) -> None:
        self._seen.add(id(value))
        if not value:
            if not isinstance(value, tuple):
                self._empty.append(value)
            return
        if not isinstance(value, tuple):
            self._watch_pair(value, copy.copy(value))
        items = value.items() if isinstance(value, dict) else () if isinstance(value, set) else enumerate(value)
        for key, item in items:
            self._watch(value, key, item)

    def _watch_function(self, function: Any) -> None:
        names = _Names(function)
        values = names.values()
        self._watch_pair(names, values)
        for key, value in enumerate(values):
            self._watch(values, key, value)


class Function(nn.Module):
    """A function as a model, whose submodules are the modules that it refers to."""

    def __init__(self, function: Callable):
        super().__init__()
        self.forward = function
        modules = {id(value): value for value in _Names(function).values() if isinstance(value, nn.Module)}
        for number, module in enumerate(modules.values()):
            self.add_module(f"module_{number}", module)


class _Names:
    """What the names in a function, and in those of the user's that it calls, stand for now."""

    def __init__(self, function: Any):
        self._fixed: list[Any] = []
        self._cells: list[types.CellType] = []
        self._globals: list[tuple[dict, str]] = []
        self._collect(function, set())

    def _collect(self, function: Any, seen: set[int]) -> None:
        if id(function) in seen:
            return
        seen.add(id(function))
        if isinstance(function, functools.partial):
            self._fixed += (*function.args, *function.keywords.values())
            self._collect(function.func, seen)
        elif isinstance(function, types.MethodType):
            self._fixed.append(function.__self__)
            self._collect(function.__func__, seen)
        elif isinstance(function, types.FunctionType) and not _is_of_library(function):
            cells = [cell for cell in function.__closure__ or () if _is_set(cell)]
            known = function.__globals__
            names = [name for name in _global_names(function.__code__) if name in known]
            self._cells += cells
            self._globals += [(known, name) for name in names]
            for value in (*(cell.cell_contents for cell in cells), *(known[name] for name in names)):
                self._collect(value, seen)

    def values(self) -> list[Any]:
        cells = [cell.cell_contents for cell in self._cells]
        return [*self._fixed, *cells, *[known.get(name) for known, name in self._globals]]

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


def hooks(module: nn.Module) -> tuple[dict, ...]:
    """The dictionaries of hooks that the module's own call would run."""
    return module._forward_hooks, module._forward_pre_hooks, module._backward_hooks, module._backward_pre_hooks


def equal(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except Exception:  # tensors and arrays that were replaced
        return False


def changes(live: Any, before: Any) -> set[str]:
    """Names whose values differ; what is no dictionary counts as one."""
    if not isinstance(live, dict):
        return {""}
    missing = object()
    return {
        name for name in live.keys() | before.keys() if not equal(live.get(name, missing), before.get(name, missing))
    }

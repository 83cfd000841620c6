"""Arguments and results as a flat list of tensors, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor


@dataclass(frozen=True)
class TensorSpec:
    """A tensor: its place in the list."""

    position: int


@dataclass(frozen=True)
class ConstantSpec:
    value: Any


@dataclass(frozen=True)
class SequenceSpec:
    kind: type
    items: tuple[Any, ...]


@dataclass(frozen=True)
class DictSpec:
    keys: tuple[Any, ...]
    items: tuple[Any, ...]


class Arguments:
    """The structure of the arguments of a call.

    Attributes:
        args, kwargs: the structure of each.
        paths: of each tensor, e.g. ``edge_index`` or ``x_dict['paper']``: positional arguments, then keyword arguments,
            each depth first, dictionaries in their own order.
    """

    def __init__(self, args: tuple, kwargs: dict[str, Any], paths: list[str]):
        self.args, self.kwargs, self.paths = args, kwargs, paths
        self._all_tensors = not kwargs and all(isinstance(s, TensorSpec) for s in args)

    def flatten(self, args: tuple, kwargs: dict[str, Any]) -> list[Tensor] | None:
        """The tensors of a call in order, or None where its structure is another one.

        None too where a number, string or None differs.
        """
        if self._all_tensors:
            if kwargs or len(args) != len(self.args):
                return None
            for value in args:
                if not isinstance(value, Tensor):
                    return None
            return list(args)
        out: list[Tensor] = []
        if len(args) != len(self.args) or kwargs.keys() != self.kwargs.keys():
            return None
        for spec, value in zip(self.args, args):
            if not _flatten(spec, value, out):
                return None
        for name, spec in self.kwargs.items():
            if not _flatten(spec, kwargs[name], out):
                return None
        return out

    def describe(self) -> str:
        """Paths of tensors, and numbers, strings and None as they are, depth first."""
        positional = [text for spec in self.args for text in self._show(spec)]
        named = [text if text in self.paths else f"{name}={text}" for name, spec in self.kwargs.items()
                 for text in self._show(spec)]  # fmt: skip
        return ", ".join(positional + named)

    def _show(self, spec: Any) -> list[str]:
        if isinstance(spec, TensorSpec):
            return [self.paths[spec.position]]
        if isinstance(spec, ConstantSpec):
            return [repr(spec.value)]
        return [text for item in spec.items for text in self._show(item)]

    def unflatten(self, tensors: list[Tensor]) -> tuple[tuple, dict[str, Any]]:
        """Arguments of this structure that hold ``tensors``."""
        args = tuple(unflatten(spec, tensors) for spec in self.args)
        return args, {name: unflatten(spec, tensors) for name, spec in self.kwargs.items()}


def _flatten(spec: Any, value: Any, out: list[Tensor]) -> bool:
    if isinstance(spec, TensorSpec):
        out.append(value)
        return isinstance(value, Tensor)
    if isinstance(spec, DictSpec):
        if not isinstance(value, dict) or tuple(value) != spec.keys:
            return False
        return all(_flatten(s, v, out) for s, v in zip(spec.items, value.values()))
    if isinstance(spec, SequenceSpec):
        if type(value) is not spec.kind or len(value) != len(spec.items):
            return False
        return all(_flatten(s, v, out) for s, v in zip(spec.items, value))
    return type(value) is type(spec.value) and value == spec.value


def unflatten(spec: Any, tensors: list[Tensor] | tuple[Tensor, ...]) -> Any:
    """What a structure stands for, with these tensors in it."""
    if isinstance(spec, TensorSpec):
        return tensors[spec.position]
    if isinstance(spec, ConstantSpec):
        return spec.value
    items = [unflatten(item, tensors) for item in spec.items]
    if isinstance(spec, DictSpec):
        return dict(zip(spec.keys, items))
    return spec.kind(*items) if hasattr(spec.kind, "_fields") else spec.kind(items)

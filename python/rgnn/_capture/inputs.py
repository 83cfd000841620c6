"""The arguments of a model as a flat list of tensors, and made-up ones to capture with."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from .._run.structure import Arguments, ConstantSpec, DictSpec, SequenceSpec, TensorSpec
from .error import CaptureError

_CONSTANT_TYPES = (type(None), bool, int, float, str, torch.dtype, torch.device)


class InputSpec(Arguments):
    """The structure of the arguments of one call, whose tensors are the inputs of the captured function."""

    def __init__(self, function: Callable, args: tuple, kwargs: dict[str, Any]):
        self.paths: list[str] = []
        names = _argument_names(function, len(args))
        described = tuple(self._describe(value, name) for value, name in zip(args, names))
        super().__init__(described, {name: self._describe(value, name) for name, value in kwargs.items()}, self.paths)

    def _describe(self, value: Any, path: str) -> Any:
        if isinstance(value, Tensor):
            if value.layout != torch.strided:
                raise CaptureError(f"{path}: expected a dense tensor, got layout {value.layout}")
            self.paths.append(path)
            return TensorSpec(len(self.paths) - 1)
        if isinstance(value, dict):
            items = [
                self._describe(item, f"{path}[{_key_text(key)}]") for key, item in value.items()
            ]
            return DictSpec(tuple(value), tuple(items))
        if isinstance(value, (list, tuple)):
            items = [self._describe(item, f"{path}[{i}]") for i, item in enumerate(value)]
            return SequenceSpec(type(value), tuple(items))
        if isinstance(value, _CONSTANT_TYPES):
            return ConstantSpec(value)
        raise CaptureError(
            f"{path}: expected tensors, None, numbers, strings, or lists and dictionaries of them, "
            f"got {type(value).__qualname__}"
        )


def _argument_names(function: Callable, count: int) -> list[str]:
    """Names of the first ``count`` positional parameters."""
    names: list[str] = []
    try:
        parameters: Iterable = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        parameters = ()
    for parameter in parameters:
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
        elif parameter.kind is parameter.VAR_POSITIONAL:
            names.extend(f"{parameter.name}[{i}]" for i in range(count - len(names)))
            break
        else:
            break
    names.extend(f"args[{i}]" for i in range(len(names), count))
    return names[:count]


def _key_text(key: Any) -> str:
    return ", ".join(map(repr, key)) if isinstance(key, tuple) and key else repr(key)


# Made-up inputs


def _is_index(tensor: Tensor) -> bool:
    return tensor.dtype in (torch.int64, torch.int32)


def _is_edge_index(tensor: Tensor) -> bool:
    return _is_index(tensor) and tensor.dim() == 2 and tensor.shape[0] == 2


def dynamic_dim(tensor: Tensor) -> int | None:
    """The dimension whose size differs from graph to graph: edges of ``[2, E]``, rows of others."""
    if tensor.dim() == 0:
        return None
    return 1 if _is_edge_index(tensor) else 0


def size_groupings(paths: list[str], tensors: list[Tensor]) -> list[list[Any]]:
    """Ways to say which inputs have the same number of rows, the most telling first.

    Each way gives one key per input; inputs of equal keys get the same made-up size. The
    caller's sizes alone tell this unless his graph happens to have as many nodes as edges, so
    that the first way also separates what looks like edge data from other rows of the same
    number. Where equal rows were separated the export fails, and the second way follows.
    """
    sizes = [None if (d := dynamic_dim(t)) is None else t.shape[d] for t in tensors]
    edge_sizes = {size for size, t in zip(sizes, tensors) if _is_edge_index(t)}
    loose_elsewhere = any(
        size is not None and size not in edge_sizes and not _is_edge_index(t)
        for size, t in zip(sizes, tensors)
    )
    by_role: list[Any] = []
    for path, tensor, size in zip(paths, tensors, sizes):
        looks_like_edges = (
            "edge" in path
            or _is_edge_index(tensor)
            or (_is_index(tensor) and tensor.dim() == 1 and not path.startswith("x"))
        )
        split = size in edge_sizes and not loose_elsewhere and not looks_like_edges
        by_role.append((size, "node" if split else "edge"))
    by_size = [(size, "edge") for size in sizes]
    return [by_size] if by_role == by_size else [by_role, by_size]


def made_up(tensors: list[Tensor], keys: list[Any], avoid: set[int]) -> list[Tensor]:
    """Tensors like the given ones whose dynamic sizes are distinct per key, over 1, and new.

    No size is one of ``avoid`` or of any dimension of ``tensors``, so that nothing in the
    captured program can depend on the caller's graph or on sizes that agree by chance.
    """
    taken = avoid.union(*(tensor.shape for tensor in tensors))
    candidate, chosen = 53, {}
    out = []
    for tensor, key in zip(tensors, keys):
        shape, dim = list(tensor.shape), dynamic_dim(tensor)
        if dim is not None:
            if key not in chosen:
                while candidate in taken:
                    candidate += 2
                chosen[key] = candidate
                candidate += 2
            shape[dim] = chosen[key]
        out.append(torch.empty(shape, dtype=tensor.dtype, device=tensor.device))
    return out


def identifier(path: str) -> str:
    """An SSA name made of ``path``."""
    name = re.sub(r"[^A-Za-z0-9_]+", "_", path).strip("_")
    return name if name and not name[0].isdigit() else f"arg_{name}"

"""Structures of arguments and results as JSON."""

from __future__ import annotations

from typing import Any

import torch

from .._run.structure import ConstantSpec, DictSpec, SequenceSpec, TensorSpec

_SEQUENCES = {"list": list, "tuple": tuple}


def to_json(spec: Any) -> dict:
    """What docs/ModuleFormat.md calls a structure.

    Raises:
        ValueError: it holds what no file can, such as a named tuple.
    """
    if isinstance(spec, TensorSpec):
        return {"tensor": spec.position}
    if isinstance(spec, DictSpec):
        return {"dict": [[_key_to_json(key), to_json(item)] for key, item in zip(spec.keys, spec.items)]}
    if isinstance(spec, SequenceSpec):
        for name, kind in _SEQUENCES.items():
            if spec.kind is kind:
                return {name: [to_json(item) for item in spec.items]}
        raise ValueError(f"expected lists, tuples and dictionaries, got {spec.kind.__qualname__}")
    value = spec.value
    if isinstance(value, torch.dtype):
        return {"dtype": str(value).removeprefix("torch.")}
    if isinstance(value, torch.device):
        return {"device": str(value)}
    if isinstance(value, float):
        return {"float": repr(value)}
    return {"value": value}


def from_json(structure: dict) -> Any:
    """The inverse of :func:`to_json`.

    Raises:
        ValueError: it is no structure.
    """
    (kind, content), *more = structure.items() if isinstance(structure, dict) else [(None, None)]
    if more or not _is_valid(kind, content):
        raise ValueError(f"expected the structure of an argument or result, got {str(structure)[:100]}")
    if kind == "tensor":
        return TensorSpec(content)
    if kind == "dict":
        return DictSpec(tuple(_key_from_json(key) for key, _ in content), tuple(from_json(item) for _, item in content))
    if kind in _SEQUENCES:
        return SequenceSpec(_SEQUENCES[kind], tuple(from_json(item) for item in content))
    if kind == "dtype":
        return ConstantSpec(dtype_named(content))
    return ConstantSpec({"device": torch.device, "float": float}.get(kind, lambda value: value)(content))


def dtype_named(name: str) -> torch.dtype:
    """Raises ValueError where PyTorch has no dtype of this name."""
    dtype = getattr(torch, name, None)
    if not isinstance(dtype, torch.dtype):
        raise ValueError(f"expected the name of a dtype, got {name!r}")
    return dtype


def _is_valid(kind: Any, content: Any) -> bool:
    if kind == "tensor":
        return type(content) is int and content >= 0
    if kind == "dict":
        return isinstance(content, list) and all(isinstance(entry, list) and len(entry) == 2 for entry in content)
    if kind == "value":
        return isinstance(content, bool | int | str | None)
    return isinstance(content, list) if kind in _SEQUENCES else kind in ("dtype", "device", "float")


def _key_to_json(key: Any) -> Any:
    if isinstance(key, tuple):
        return [_key_to_json(part) for part in key]
    if isinstance(key, bool | int | str | None):
        return key
    raise ValueError(f"expected strings, numbers and tuples of them as keys, got {key!r}")


def _key_from_json(key: Any) -> Any:
    return tuple(map(_key_from_json, key)) if isinstance(key, list) else key

"""What modules that were written for DGL take from ``dgl.utils``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor

from .base import DGLError, describe_shape

__all__ = ["apply_each", "check_eq_shape", "expand_as_pair"]


def expand_as_pair(input_: Any, g: Any = None) -> tuple[Any, Any]:
    """What sources and destinations have: a pair as it is; else the same twice, of a block the first rows as second.

    Args:
        input_: a pair, a tensor, a number, or a dictionary of tensors by node type.
        g: the graph.
    """
    if isinstance(input_, tuple):
        return input_
    if g is None or not g.is_block:
        return input_, input_
    if isinstance(input_, Mapping):
        return input_, {name: rows[: g.num_dst_nodes(name)] for name, rows in input_.items()}
    return input_, input_[: g.num_dst_nodes()]


def apply_each(data: Any, fn: Callable, *args: Any, **kwargs: Any) -> Any:
    """A function of a tensor, or of each in a dictionary by type, or in a list."""
    if isinstance(data, Mapping):
        return {key: fn(value, *args, **kwargs) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [fn(value, *args, **kwargs) for value in data]
    return fn(data, *args, **kwargs)


def check_eq_shape(input_: Any) -> None:
    """Refuses a pair whose features have different sizes.

    Raises:
        DGLError: they have.
    """
    source, target = expand_as_pair(input_)
    if isinstance(source, Tensor) and source.shape[1:] != target.shape[1:]:
        raise DGLError(f"expected sources and destinations with rows of one size, got {describe_shape(source)} and "
                       f"{describe_shape(target)}")  # fmt: skip

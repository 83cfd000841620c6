"""PyTorch's functions on rows, for code that is written with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from . import elementwise, products, reductions, shapes
from .methods import ELEMENTWISE
from .places import refuse
from .rows import Row


def _linear(x: Any, weight: Any, bias: Any = None) -> Any:
    return products.linear(x, shapes.permute(weight, 1, 0), bias)


def _cat(values: Any, dim: int = 0) -> Any:
    return shapes.concat(*values, dim=dim)


def _softmax(x: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    return reductions.softmax(x, _row_dim("softmax", dim, dtype))


def _log_softmax(x: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    return reductions.log_softmax(x, _row_dim("log_softmax", dim, dtype))


def _row_dim(name: str, dim: int | None, dtype: Any) -> int:
    if dim is None or dtype is not None:
        refuse(f"torch.{name}: expected a dimension of a row, dim=-1, and no dtype, got dim={dim}, dtype={dtype}")
    return dim


_KNOWN: dict[Callable, Callable] = {
    **{getattr(torch, name): getattr(elementwise, name) for name in ELEMENTWISE},
    torch.matmul: products.matmul, torch.Tensor.matmul: products.matmul, torch.dot: products.dot,
    torch.Tensor.pow: elementwise.pow,
    F.relu: elementwise.relu, F.silu: elementwise.silu, F.gelu: elementwise.gelu, F.softplus: elementwise.softplus,
    F.leaky_relu: elementwise.leaky_relu, F.elu: elementwise.elu, F.linear: _linear, torch.cat: _cat,
    torch.outer: products.outer, torch.clamp: elementwise.clamp,
    torch.softmax: _softmax, F.softmax: _softmax, torch.log_softmax: _log_softmax, F.log_softmax: _log_softmax,
    **{getattr(torch.Tensor, f"__{r}{name}__"): getattr(Row, f"__{r}{name}__")
       for name in ("add", "sub", "mul", "truediv") for r in ("", "r")},
    torch.Tensor.add: Row.__add__, torch.Tensor.sub: Row.__sub__,
    torch.Tensor.mul: Row.__mul__, torch.Tensor.div: Row.__truediv__,
}  # fmt: skip


def call(function: Callable, args: tuple, kwargs: dict) -> Any:
    """What a function of PyTorch's gives for rows. Raises LanguageError for one that the language has not."""
    found = _KNOWN.get(function)
    if found is None:
        name = getattr(function, "__name__", str(function))
        refuse(f"torch.{name}: expected a function of rgnn.lang, or one of PyTorch's that it has, on a row")
    if not kwargs.get("inplace", True):  # as PyTorch's own functions pass it on
        kwargs = {name: value for name, value in kwargs.items() if name != "inplace"}
    return found(*args, **kwargs)


def _dispatch(cls: type, function: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
    return call(function, args, kwargs or {})


Row.__torch_function__ = classmethod(_dispatch)

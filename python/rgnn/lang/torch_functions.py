"""PyTorch's functions on rows, for code that is written with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from . import functions
from .places import refuse


def _linear(x: Any, weight: Any, bias: Any = None) -> Any:
    return functions.linear(x, functions.permute(weight, 1, 0), bias)


def _cat(values: Any, dim: int = 0) -> Any:
    return functions.concat(*values, dim=dim)


_NAMES = ("exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "abs", "sin", "cos", "tanh", "erf", "square", "reciprocal",
          "sigmoid", "relu", "maximum", "minimum", "matmul", "pow", "dot")
_KNOWN: dict[Callable, Callable] = {
    **{getattr(torch, name): getattr(functions, name) for name in _NAMES},
    **{getattr(torch.Tensor, name): getattr(functions, name) for name in ("matmul", "pow")},
    F.relu: functions.relu, F.silu: functions.silu, F.gelu: functions.gelu, F.softplus: functions.softplus,
    F.leaky_relu: functions.leaky_relu, F.elu: functions.elu, F.linear: _linear, torch.cat: _cat,
    torch.outer: functions.outer,
    **{getattr(torch.Tensor, f"__{r}{name}__"): getattr(functions.Row, f"__{r}{name}__")
       for name in ("add", "sub", "mul", "truediv") for r in ("", "r")},
    torch.Tensor.add: functions.Row.__add__, torch.Tensor.sub: functions.Row.__sub__,
    torch.Tensor.mul: functions.Row.__mul__, torch.Tensor.div: functions.Row.__truediv__,
}  # fmt: skip


def call(function: Callable, args: tuple, kwargs: dict) -> Any:
    """What a function of PyTorch's gives for rows. Raises LanguageError for one that the language has not."""
    found = _KNOWN.get(function)
    if found is None:
        name = getattr(function, "__name__", str(function))
        refuse(f"torch.{name}: expected a function of rgnn.lang, or one of PyTorch's that it has, on a row")
    return found(*args, **kwargs)

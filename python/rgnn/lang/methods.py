"""Methods of tensors on rows: those that are functions of :mod:`rgnn.lang`, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import elementwise, products, reductions
from .places import refuse
from .rows import Row

ELEMENTWISE = ("exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "abs", "sin", "cos", "tanh", "erf", "square",
               "reciprocal", "sigmoid", "relu", "maximum", "minimum", "pow")  # fmt: skip
"""Names that are PyTorch's functions, too."""


def _reduction(name: str) -> Callable:
    def method(self: Row, dim: int | None = None) -> Row:
        if dim is None and self.ndim != 1:
            refuse(f"{name}: expected a dimension of {self!r}, such as dim=-1, got none")
        return getattr(reductions, name)(self, -1 if dim is None else dim)

    method.__name__ = method.__qualname__ = name
    return method


_METHODS: dict[str, Callable] = {name: getattr(elementwise, name) for name in (*ELEMENTWISE, "clamp")}
_METHODS |= {name: getattr(reductions, name) for name in ("softmax", "log_softmax")}
_METHODS |= {name: _reduction(name) for name in ("sum", "mean")}  # a maximum has indices in PyTorch
_METHODS |= {"matmul": products.matmul, "dot": products.dot}


def _refuse(self: Row, name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    refuse(f"{self!r} has no {name!r}: expected a function of rgnn.lang, or one of the methods "
           f"{', '.join(sorted(_METHODS))}")  # fmt: skip


for _name, _function in _METHODS.items():
    setattr(Row, _name, _function)
Row.__getattr__ = _refuse

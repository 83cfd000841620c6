"""A matrix for each row, by the type of the row, which is not made where it is only multiplied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from . import segments


class TypedMatrices:
    """Stands for ``table[types]``, ``[E, K, M]``; all but products is done with the tensor.

    Args:
        table: ``[R, K, M]``.
        types: ``[E]``.
    """

    def __init__(self, table: Tensor, types: Tensor):
        self._table, self._types = table, types

    @property
    def tensor(self) -> Tensor:
        """The matrices, ``[E, K, M]``."""
        return segments.pick(self._table, self._types)

    @classmethod
    def __torch_function__(cls, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        if getattr(func, "__name__", "") in ("bmm", "matmul", "__matmul__") and len(args) == 2 and not kwargs:
            return _product(func, *args)
        return func(*map(plain, args), **{key: plain(value) for key, value in (kwargs or {}).items()})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.tensor, name)

    def __getitem__(self, key: Any) -> Tensor:
        return self.tensor[key]

    def __len__(self) -> int:
        return self._types.shape[0]

    def __matmul__(self, other: Any) -> Tensor:
        return _product(torch.matmul, self, other)


def _product(func: Callable, left: Any, right: Any) -> Tensor:
    """A product of matrices, of which one is by type: of one row or one column by the weight of its type."""
    matrices, other = (left, right) if isinstance(left, TypedMatrices) else (right, left)
    if isinstance(other, Tensor) and other.dim() == 3:
        first, last = matrices._table.shape[1:]
        is_captured = torch.compiler.is_compiling() and getattr(func, "__name__", "") == "matmul"
        # TorchDynamo 2.13 hands `matrices @ other` over as if it were `other @ matrices`: sizes say which it is.
        if (right is matrices or is_captured) and other.shape[1] == 1 and other.shape[2] == first:
            return segments.typed_product(other.squeeze(1), matrices._table, matrices._types).unsqueeze(1)
        if (left is matrices or is_captured) and other.shape[2] == 1 and other.shape[1] == last:
            table = matrices._table.transpose(1, 2)
            return segments.typed_product(other.squeeze(2), table, matrices._types).unsqueeze(2)
    return func(plain(left), plain(right))


def plain(value: Any) -> Any:
    """The tensor, for an argument or for one of a list; others as they are."""
    if isinstance(value, TypedMatrices):
        return value.tensor
    if isinstance(value, (list, tuple)) and any([isinstance(part, TypedMatrices) for part in value]):
        return type(value)([plain(part) for part in value])
    return value


def _operator(name: str) -> Callable:
    return lambda self, *others: getattr(self.tensor, name)(*map(plain, others))


for _name in ("add", "sub", "mul", "truediv", "pow"):
    setattr(TypedMatrices, f"__{_name}__", _operator(f"__{_name}__"))
    setattr(TypedMatrices, f"__r{_name}__", _operator(f"__r{_name}__"))
TypedMatrices.__neg__ = _operator("__neg__")

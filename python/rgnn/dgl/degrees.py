"""Degrees while a model is captured, of which it is known whether some are 0.

Code for DGL asks, before it does anything else, ``if (g.in_degrees() == 0).any(): raise ...``. Only data say, and so
the question would end the capture; but a graph knows, and the answer becomes a guard.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor


class Degrees:
    """The degrees of nodes, ``[N]``, in captured code; all that is done with them is done with the tensor.

    Args:
        tensor: the degrees.
        some_are_zero: says whether some are 0, or None where it is not known.
    """

    def __init__(self, tensor: Tensor, some_are_zero: Callable[[], bool | None] | None):
        self.tensor, self.some_are_zero = tensor, some_are_zero

    @classmethod
    def __torch_function__(cls, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        return func(*map(plain, args), **{key: plain(value) for key, value in (kwargs or {}).items()})

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tensor, name)

    def __len__(self) -> int:
        return self.tensor.shape[0]

    def __getitem__(self, key: Any) -> Tensor:
        return self.tensor[key]

    def __eq__(self, other: Any) -> Any:
        return AreZero(self.tensor == plain(other), self.some_are_zero if _is(other, 0) else None)

    def __le__(self, other: Any) -> Any:
        return AreZero(self.tensor <= plain(other), self.some_are_zero if _is(other, 0) else None)

    def __lt__(self, other: Any) -> Any:
        return AreZero(self.tensor < plain(other), self.some_are_zero if _is(other, 1) else None)

    __hash__ = None


class AreZero(Degrees):
    """Which degrees are 0, ``[N]``; or whether something else holds of them, where ``some_are_zero`` is None."""

    def any(self, *args: Any, **kwargs: Any) -> Any:
        """Whether some are."""
        known = None if self.some_are_zero is None or args or kwargs else self.some_are_zero()
        return self.tensor.any(*args, **kwargs) if known is None else Answer(known)

    @classmethod
    def __torch_function__(cls, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        if getattr(func, "__name__", "") == "any" and isinstance(args[0], AreZero):
            return args[0].any(*args[1:], **(kwargs or {}))
        return func(*map(plain, args), **{key: plain(value) for key, value in (kwargs or {}).items()})


class Answer:
    """Stands for a tensor of one bool that is known."""

    def __init__(self, value: bool):
        self._value = value

    def __bool__(self) -> bool:
        return self._value

    def item(self) -> bool:
        """The bool."""
        return self._value


def plain(value: Any) -> Any:
    """The tensor of degrees, for an argument or for one of a list; others as they are."""
    if isinstance(value, Degrees):
        return value.tensor
    if isinstance(value, (list, tuple)) and any([isinstance(part, Degrees) for part in value]):
        return type(value)([plain(part) for part in value])
    return value


def _is(value: Any, number: int) -> bool:
    return isinstance(value, (int, float)) and value == number


def _forward(name: str) -> Callable:
    return lambda self, *others: getattr(self.tensor, name)(*map(plain, others))


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(Degrees, f"__{_name}__", _forward(f"__{_name}__"))
    setattr(Degrees, f"__r{_name}__", _forward(f"__r{_name}__"))
for _name in ("ne", "gt", "ge", "neg", "invert", "and", "or"):
    setattr(Degrees, f"__{_name}__", _forward(f"__{_name}__"))

"""What stands for a row while a function is traced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .places import refuse
from .program import Data, Element, Value
from .tracer import Tracer

_BRANCH = ("Python cannot branch on it, for it differs from row to row: write rgnn.lang.where(a > b, x, y), and fixed "
           "conditions on arguments that are no tensors")  # fmt: skip


class Stand:
    """What stands for something that is no value; :meth:`refuse_use` says what to write where it is used as one."""

    def refuse_use(self, *_: Any) -> Any:
        """Raises LanguageError."""
        raise NotImplementedError


class Row:
    """A number, vector or matrix of one node or edge, or a weight. Arithmetic is that of PyTorch, with broadcasting.

    Attributes:
        shape: its sizes, without rows.
    """

    __array_priority__ = 1000  # numpy's scalars leave arithmetic to it

    def __init__(self, tracer: Tracer, value: Value | None):
        self._tracer, self._value = tracer, value

    def resolve(self) -> Value:
        """The value, which is used now."""
        return self._value

    @property
    def shape(self) -> tuple[int, ...]:
        return self.resolve().shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def dim(self) -> int:
        return self.ndim

    def size(self, dim: int | None = None) -> Any:
        return self.shape if dim is None else self.shape[dim]

    def __bool__(self) -> bool:
        refuse(f"expected a number that Python knows, got {self!r}: {_BRANCH}")

    __int__ = __float__ = __index__ = __bool__

    def __len__(self) -> int:
        if not self.shape:
            refuse(f"expected a vector, got {self!r}")
        return self.shape[0]

    def __iter__(self) -> Iterator[Row]:
        return (self[number] for number in range(len(self)))

    def __repr__(self) -> str:
        value = self.resolve()
        whose = "a weight" if value.is_shared else f"a value of {'an edge' if value.element.is_edge else 'a node'}"
        return f"{whose} of shape {list(value.shape)}"

    __hash__ = object.__hash__


class Field(Row):
    """Data of an element by its name: read where it is used, added to by ``+=``."""

    def __init__(self, tracer: Tracer, element: Element, data: Data):
        super().__init__(tracer, None)
        self.element, self.data = element, data
        if data.has_value:  # what is there now is what later uses get
            self._value = tracer.read(element, data)

    def resolve(self) -> Value:
        if self._value is None:
            self._tracer.refuse_unknown(self.data)
        if self.data.shape is None:  # a number was written, and is used as one
            self.data.shape = ()
        self._value.shape = self.data.shape
        return self._value

    def __iadd__(self, other: Any) -> Addition:
        return Addition(self, other)

    def __isub__(self, other: Any) -> Addition:
        return Addition(self, -other)

    def _refuse_other(self, other: Any) -> None:
        refuse(f'{self.data} *= ...: expected += and -=, or {self.data} = {self.data} * ...')

    __imul__ = __itruediv__ = __ipow__ = __imatmul__ = _refuse_other


class Addition:
    """What ``+=`` gives, which only the same data can be."""

    def __init__(self, field: Field, value: Any):
        self.field, self.value = field, value

    def __getattr__(self, name: str) -> Any:
        refuse(f'expected the sum to be that of data: {self.field.data} += ..., without a name for it')


class Condition:
    """A comparison, for :func:`rgnn.lang.where`."""

    def __init__(self, predicate: str, lhs: Any, rhs: Any):
        self.predicate, self.lhs, self.rhs = predicate, lhs, rhs

    def __bool__(self) -> bool:
        refuse(f"expected a condition that Python knows: {_BRANCH}")

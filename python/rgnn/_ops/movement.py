"""Which rows of an operator's results depend on which rows of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

ROWS = {
    "each": "row i of its result depends on row i of what it reads",
    "group": "row i of its result depends on the rows of the same index",
    "sum": "row n of its result is a sum over the rows whose index is n",
    "mean": "row n of its result is a mean over the rows whose index is n",
    "max": "row n of its result is a maximum over the rows whose index is n",
    "min": "row n of its result is a minimum over the rows whose index is n",
    "reduce": "row n of its result depends on the rows whose index is n",
    "any": "nothing is said of its rows",
}
"""What ``rows=`` may be, and what it promises."""

_BY_INDEX = ("group", "sum", "mean", "max", "min", "reduce")
REDUCTIONS = _BY_INDEX[1:]


@dataclass(frozen=True)
class Movement:
    """What an operator promises of rows.

    The rows that it works on are those of the arguments ``of``, of edges where there is an ``index``.

    Attributes:
        name: the operator's, for errors.
        rows: a key of :data:`ROWS`.
        of: names of the arguments that have one of these rows each.
        index: name of the list that says where each row belongs, ``[E]``, or ``[2, E]`` with destinations in the second
            row; None where there is none.
        size: name of the number of the result's rows, or of a tensor that has as many; None but for reductions.
        shared: names of the tensors that all rows read.
        names: of all arguments, in the order of the schema.
        keywords: of those among them that are given by name alone.
        defaults: of arguments that may be left out.
        has_lists: whether arguments are lists of tensors.
    """

    name: str
    rows: str
    of: tuple[str, ...]
    index: str | None
    size: str | None
    shared: tuple[str, ...]
    names: tuple[str, ...]
    keywords: tuple[str, ...]
    defaults: dict[str, Any]
    has_lists: bool

    @classmethod
    def make(cls, name: str, schema: Any, rows: str, index: str | None, size: str | None,
             shared: Iterable[str]) -> Movement:
        """What ``rgnn.register_op`` was told of an operator of a schema.

        Raises:
            ValueError: it is no movement, or names arguments that there are not.
        """
        shared = (shared,) if isinstance(shared, str) else tuple(shared)
        kinds = {argument.name: str(argument.type) for argument in schema.arguments}
        tensors = [argument for argument, kind in kinds.items() if "Tensor" in kind]
        if rows not in ROWS:
            raise ValueError(f"{name}: rows: expected one of {', '.join(map(repr, ROWS))}, got {rows!r}")

        def check(what: str, given: str | None, known: list[str], kind: str, is_needed: bool, is_allowed: bool) -> None:
            if given is None and is_needed:
                raise ValueError(f"{name}: {what}: expected the name of {kind} for rows={rows!r}, got none")
            if given is not None and not is_allowed:
                raise ValueError(f"{name}: {what}: expected none for rows={rows!r}, got {given!r}")
            if given is not None and given not in known:
                raise ValueError(f"{name}: {what}: expected the name of {kind}, one of {', '.join(known) or 'none'}, "
                                 f"got {given!r}")

        plain = [argument for argument in tensors if "List" not in kinds[argument]]
        numbers = [argument for argument, kind in kinds.items() if kind == "int"]
        check("index", index, plain, "a list of integers", rows in _BY_INDEX, rows != "any")
        check("size", size, plain + numbers, "a number or a tensor", rows in REDUCTIONS, rows in REDUCTIONS)
        for other in shared:
            check("shared", other, tensors, "a tensor", False, rows != "any")
        of = tuple(argument for argument in tensors if argument not in (index, size, *shared))
        if rows != "any" and not of and index is None:
            raise ValueError(f"{name}: rows: expected an argument that has rows, got none")
        return cls(name, rows, () if rows == "any" else of, index, size, shared, tuple(kinds),
                   tuple(argument.name for argument in schema.arguments if argument.kwarg_only),
                   {argument.name: argument.default_value for argument in schema.arguments
                    if argument.has_default_value()},
                   any("List" in kinds[argument] for argument in tensors))  # fmt: skip

    def bind(self, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call by name, those that are left out, too."""
        return {**self.defaults, **dict(zip(self.names, args)), **kwargs}

    def call(self, function: Callable, given: dict[str, Any]) -> Any:
        """What a function gives for arguments by name."""
        return function(*(given[name] for name in self.names if name not in self.keywords),
                        **{name: given[name] for name in self.keywords})  # fmt: skip

    def count(self, given: dict[str, Any]) -> Any:
        """How many rows the operator works on; None where nothing says."""
        if self.index is not None:
            return given[self.index].shape[-1]
        return next((tensor.shape[0] for _, tensor in self.tensors(given)), None)

    def tensors(self, given: dict[str, Any]) -> Iterator[tuple[str, Tensor]]:
        """The tensors that have one of the rows each, with the names of the arguments; a number has no rows."""
        for name in self.of:
            value = given[name]
            if isinstance(value, Tensor):
                if value.dim():
                    yield name, value
            elif isinstance(value, (list, tuple)):
                yield from ((name, part) for part in value if isinstance(part, Tensor) and part.dim())

    def result_rows(self, given: dict[str, Any]) -> Any:
        """How many rows a result has; None where nothing says."""
        if self.size is None:
            return self.count(given)
        return given[self.size].shape[0] if isinstance(given[self.size], Tensor) else given[self.size]

    def result_shape(self, given: dict[str, Any]) -> tuple[Tensor, tuple]:
        """A tensor of the call that a result is like, and its shape: all that the movement says by itself.

        It is the first tensor of floats that has rows, or where none has, that all rows read.
        """
        own = [tensor for _, tensor in self.tensors(given)]
        others = [given[name] for name in (*self.shared, *((self.size,) if self.size else ()))]
        tensors = [value for value in [*own, *others] if isinstance(value, Tensor) and value.dim()]
        floats = [tensor for tensor in tensors if tensor.is_floating_point()]
        if not tensors:
            raise ValueError(f"{self.name}: expected fake=, which gives the shape of the result: no argument has it")
        like = (floats or tensors)[0]
        return like, (self.result_rows(given), *like.shape[1:])

    def check_arguments(self, given: dict[str, Any]) -> None:
        """Refuses a call whose tensors have not as many rows.

        Raises:
            ValueError: it names the tensor.
        """
        count = self.count(given)
        for name, tensor in self.tensors(given):
            self._require(tensor.shape[0], count, lambda name=name, tensor=tensor: (
                f"{self.name}: {name}: expected {count} rows, as many as {self.index or self.of[0]} has, got "
                f"{list(tensor.shape)}; tensors that all rows read are named by shared="))  # fmt: skip

    def check_result(self, given: dict[str, Any], result: Tensor, source: str = "result") -> None:
        """Refuses a result that has not as many rows as the movement promises.

        Raises:
            TypeError, ValueError: the text has both.
        """
        if not isinstance(result, Tensor):
            raise TypeError(f"{self.name}: {source}: expected a tensor, got {type(result).__name__}")
        count = self.result_rows(given)
        if count is None:
            return
        if not result.dim():
            raise ValueError(f"{self.name}: {source}: expected {count} rows for rows={self.rows!r}, got shape []")
        whose = self.size or self.index or self.of[0]
        self._require(result.shape[0], count, lambda: (
            f"{self.name}: {source}: expected {count} rows, by rows={self.rows!r} and {whose}, got "
            f"{list(result.shape)}"))  # fmt: skip

    @staticmethod
    def _require(got: Any, expected: Any, text: Callable[[], str]) -> None:
        """That sizes are equal; of symbols, from now on."""
        if isinstance(got, torch.SymInt) or isinstance(expected, torch.SymInt):
            torch._check(got == expected, text)
        elif got != expected:
            raise ValueError(text())

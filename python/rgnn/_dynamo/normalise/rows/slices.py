"""Rows that an index takes one behind the other, or in steps."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

from ...expressions import expression_of, is_symbolic
from ...functional import value_of


def is_weight(x: Node) -> bool:
    """Whether the sizes of a tensor are known, and of all that it is made of."""
    seen, sources = {x}, [x]
    while sources:
        source = sources.pop()
        value = value_of(source)
        if isinstance(value, torch.Tensor) and any(map(is_symbolic, value.shape)):
            return False
        sources += [each for each in source.all_input_nodes if each not in seen]
        seen.update(source.all_input_nodes)
    return True


@dataclass
class Rows:
    """Rows by number: of ``x[begin:end:step]``, or the single one of ``x[begin]``.

    Attributes:
        begin: the first, which may be counted from the end.
        end: up to which; None for all.
        step: how far each is from the next.
        is_single: whether the index takes the dimension away.
    """

    begin: Node | int
    end: Node | int | None
    step: int = 1
    is_single: bool = False

    @property
    def are_first(self) -> bool:
        """Whether these are the first rows, one behind the other."""
        return self.begin == 0 and self.step == 1 and not self.is_single

    def are_all(self, x: Node) -> bool:
        """Whether these are as many rows as there are in each call, not in the one at hand by chance."""
        if not self.are_first:
            return False
        return self.end is None or expression_of(size_of(self.end)) == expression_of(value_of(x).shape[0])

    def bounds(self, x: Node, call: Callable, length: Any = None,
               are_there: bool = False) -> tuple[Node | int, Node | int] | None:  # fmt: skip
        """The first row and the one behind the last, from the front; None where the call at hand has not that many.

        That it has is a guard of this version.

        Args:
            x: what has the rows.
            call: makes a node.
            length: how many rows of the first ones there are; then there may be fewer than the index says.
            are_there: whether something else makes sure that there are so many.
        """
        count = value_of(x).shape[0]
        begin = _from_front(self.begin, count)
        end = begin + 1 if self.is_single else _from_front(self.end, count)
        may_be_fewer = self.are_first and length is not None and not are_there
        if not are_there and not (holds_now(begin, operator.ge, 0) and holds_now(begin, operator.le, end)):
            return None
        if not are_there and not may_be_fewer and not holds_now(end, operator.le, count):
            return None
        size = call(torch.ops.aten.sym_size.int, x, 0)

        def from_front(bound: Node | int | None) -> Node | int:
            if bound is None:
                return size
            return call(operator.add, size, bound) if _is_from_end(bound) else bound

        first = from_front(self.begin)
        last = from_front(self.end)
        if self.is_single:
            last = first + 1 if isinstance(first, int) else call(operator.add, first, 1)
        if may_be_fewer and expression_of(length) != expression_of(end):
            last = call(torch.sym_min, last, size)
        return first, last


def rows_of(index: Any, x: Node, counts: Collection[int] = ()) -> Rows | None:
    """Which rows an index takes by their numbers, with all that is in them; None where it takes others.

    Args:
        index: what is in the brackets.
        x: what has the rows.
        counts: of how many rows a graph moves some, where that is no symbol.
    """
    size = value_of(x).shape[0]
    has_rows = is_symbolic(size) or type(size) is int and size in counts
    first, *others = index if isinstance(index, tuple) and index else (index,)
    if not all(other in (Ellipsis, slice(None)) for other in others):
        return None
    if first is not None and not isinstance(first, slice) and _is_number(first) and has_rows:
        return Rows(first, None, 1, True)
    if not isinstance(first, slice) or not all(map(_is_number, (first.start, first.stop))):
        return None
    if first.step is not None and (type(first.step) is not int or first.step < 1):
        return None
    rows = Rows(0 if first.start is None else first.start, first.stop, first.step or 1)
    if rows.begin == 0 and rows.step == 1:
        return None if rows.end is None or type(rows.end) is int and type(size) is int and not has_rows else rows
    return rows if has_rows else None


def _from_front(bound: Node | int | None, count: Any) -> Any:
    if bound is None:
        return count
    return count + size_of(bound) if _is_from_end(bound) else size_of(bound)


def _is_from_end(bound: Node | int) -> bool:
    """Whether a bound is negative in the call at hand, and so in all calls of this version."""
    return holds_now(size_of(bound), operator.lt, 0)


def size_of(size: Node | int) -> Any:
    return value_of(size) if isinstance(size, Node) else size


def holds_now(one: Any, compare: Callable, other: Any) -> bool:
    """Whether two sizes compare so; where they do in the call at hand, that is a guard of this version."""
    if compare is operator.eq and expression_of(one) == expression_of(other):
        return True
    known = [size if isinstance(size, int) else getattr(size.node, "hint", None) for size in (one, other)]
    return None not in known and compare(*known) and bool(compare(one, other))


def _is_number(bound: Any) -> bool:
    value = value_of(bound) if isinstance(bound, Node) else bound
    return value is None or isinstance(value, torch.SymInt) or type(value) is int

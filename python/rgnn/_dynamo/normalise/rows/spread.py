"""Lists of rows that are written out for each number of a row, as ``scatter_add`` takes them."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node

from ...expressions import expression_of, is_symbolic
from ...functional import value_of
from ...partition import storages
from ..changes import name_of
from ..emit import call
from ..integers import is_changed
from .slices import holds_now

_SCATTERS = ("scatter", "scatter_", "scatter_add", "scatter_add_", "scatter_reduce", "scatter_reduce_", "gather")
_SAME = ("to", "long", "int", "contiguous", "clone", "detach", "expand", "expand_as", "broadcast_to")


def spread_lists(graph: Graph) -> None:
    """``index.view(-1, 1).repeat(1, 8)``, ``index.repeat_interleave(8).view(-1, 8)`` and other tables with one number
    in each row are ``index.view(-1, 1).expand(-1, 8)`` to what picks, or adds up, whole rows by them."""
    for node in list(graph.nodes):
        if name_of(node) not in _SCATTERS:
            continue
        given = dict(zip(("input", "dim", "index"), node.args), **node.kwargs)
        table, dim = given.get("index"), given.get("dim")
        value = value_of(table) if isinstance(table, Node) else None
        if dim != 0 or not isinstance(value, Tensor) or value.dim() < 2:
            continue
        _expect_all_rows(node, value)
        if not _is_table(value):
            continue
        seen = [table]
        numbers = _numbers_of(table, seen)
        if numbers is None or is_changed(graph, set().union(*map(storages, seen)), numbers):
            continue
        make = functools.partial(call, graph, node)
        with graph.inserting_before(node):
            column = make("reshape", numbers, -1, *[1] * (value.dim() - 1))
            spread = make("expand", column, -1, *value.shape[1:])
        node.replace_input_with(table, spread)


def _expect_all_rows(node: Node, index: Tensor) -> None:
    """What is scattered may have more rows than the index, of which the rest are left: where it has as many now, it is
    to have as many in all calls of this version."""
    rows = node.kwargs.get("src", node.args[3] if len(node.args) > 3 else None)
    value = value_of(rows) if isinstance(rows, Node) else None
    if name_of(node) != "gather" and isinstance(value, Tensor) and value.dim() == index.dim():
        holds_now(value.shape[0], operator.eq, index.shape[0])


def _is_table(value: Tensor) -> bool:
    """Whether it has a few numbers of each row, in memory of their own; so many rows are no constant, and cannot be
    taken for the numbers of one."""
    return (value.dtype in (torch.int64, torch.int32) and is_symbolic(value.shape[0])
            and all(type(size) is int for size in value.shape[1:])
            and not any(type(stride) is int and stride == 0 for stride in value.stride()))  # fmt: skip


def _numbers_of(table: Node, seen: list[Node]) -> Node | None:
    """What has the number that a table has in all places of each row; None where that is not known.

    Args:
        seen: takes what it is read through.
    """
    rule = _RULES.get(name_of(table))
    source = rule(table) if rule is not None else None
    value = value_of(source) if source is not None else None
    if not isinstance(value, Tensor) or value.dtype is not value_of(table).dtype:
        return None
    seen.append(source)
    if name_of(table) in _SAME:
        return _numbers_of(source, seen)
    rows = expression_of(value_of(table).shape[0])
    sizes = [size for size in value.shape if not (type(size) is int and size == 1)]
    return source if len(sizes) == 1 and expression_of(sizes[0]) == rows else None


def _of_first(table: Node) -> Node:
    return table.args[0]


def _of_transposed(table: Node) -> Node | None:
    """``index.repeat(8, 1).t()``"""
    source, rank = table.args[0], value_of(table).dim()
    if rank != 2 or name_of(source) not in ("repeat", "tile", "stack"):
        return None
    return source.args[0] if name_of(source) != "stack" else _of_stacked(source)


def _of_view(table: Node) -> Node | None:
    """``index.repeat_interleave(8).view(-1, 8)``"""
    source = table.args[0]
    if name_of(source) != "repeat_interleave" or source.kwargs or len(source.args) != 2:
        return None
    numbers, times = source.args
    times = value_of(times) if isinstance(times, Node) else times
    is_one = times.dim() == 0 if isinstance(times, Tensor) else True  # as many of each
    return numbers if is_one and value_of(numbers).dim() == 1 else None


def _of_stacked(table: Node) -> Node | None:
    parts = table.args[0]
    return parts[0] if isinstance(parts, (list, tuple)) and len(set(parts)) == 1 else None


_RULES: dict[Any, Callable[[Node], Node | None]] = {
    **dict.fromkeys((*_SAME, "repeat", "tile"), _of_first), "t": _of_transposed,
    "transpose": _of_transposed, "view": _of_view, "reshape": _of_view, "stack": _of_stacked, "cat": _of_stacked,
}  # fmt: skip

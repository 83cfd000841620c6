"""Rows that lie in blocks of as many each, one behind the other."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node

from ...expressions import expression_of, is_symbolic
from ...functional import value_of
from ...partition import storages
from ..changes import changed_by, is_unseen
from ..emit import call
from ..integers import changes_of
from .slices import holds_now

_MAX_BLOCKS = 64


def part_blocks(graph: Graph) -> None:
    """``x.chunk(2, 0)`` becomes slices of rows, and ``x.view(2, n, 8)``, of ``2 n`` rows, two of them, stacked.
    ``x[0::2]`` and ``x[1::2]`` are columns of ``x.view(-1, 2, 8)``, and what they are set to is stacked row by row;
    ``x.view(-1, 2, 8).flip(1).view(-1, 8)`` takes rows in another order."""
    _write_in_turns(graph)
    changed = {place for node in graph.nodes for source in changed_by(node) for place in storages(source)}
    _read_in_turns(graph, changed)
    for node in list(graph.nodes):
        if node.target in _ORDERS:
            _reorder(graph, node)
        elif node.target in ("chunk", torch.chunk):
            _slice_chunks(graph, node, changed)
        elif node.target in _VIEWS:
            _stack_blocks(graph, node, changed)


_VIEWS = ("view", "reshape", torch.reshape, "unflatten", torch.unflatten)
_FLAT = ("view", "reshape", torch.reshape, "flatten", torch.flatten)
_ORDERS = ("flip", torch.flip, "roll", torch.roll, operator.getitem)


def _reorder(graph: Graph, node: Node) -> None:
    """Of the rows of each group, whose numbers the same operator puts in their order."""
    view, flat = node.args[0], next(iter(node.users), None)
    if not isinstance(view, Node) or view.target not in _VIEWS or len(node.users) != 1 or flat.target not in _FLAT:
        return
    x, group = view.args[0], value_of(view)
    if not _has_rows(x) or not _changes_order(node) or value_of(node).shape != group.shape:
        return
    row = list(value_of(x).shape[1:])
    if list(group.shape[2:]) != row or type(group.shape[1]) is not int or list(value_of(flat).shape[1:]) != row:
        return
    make = functools.partial(call, graph, flat)
    with graph.inserting_before(node):  # behind it, rows may be changed
        numbers = make(torch.arange, _count(make, x), device=value_of(x).device)
        ordered = make(node.target, make("view", numbers, -1, group.shape[1]), *node.args[1:], **node.kwargs)
        rows = make("index_select", x, 0, make("view", ordered, -1))
    flat.replace_all_uses_with(rows)
    for known in (flat, node, *([view] if len(view.users) == 1 else [])):
        graph.erase_node(known)


def _changes_order(node: Node) -> bool:
    """Whether an operator does so in the second dimension, and nothing else."""
    if node.target is operator.getitem:
        index = node.args[1]
        return (isinstance(index, tuple) and len(index) == 2 and index[0] == slice(None) and isinstance(index[1], list)
                and all(type(place) is int for place in index[1]))  # fmt: skip
    names = ("input", "dims") if node.target in ("flip", torch.flip) else ("input", "shifts", "dims")
    if len(node.args) > len(names):
        return False
    dims = dict(zip(names, node.args), **node.kwargs).get("dims")
    return dims in (1, [1], (1,))


def _slice_chunks(graph: Graph, node: Node, changed: set[int]) -> None:
    given = dict(zip(("input", "chunks", "dim"), node.args), **node.kwargs)
    x, number = given["input"], given.get("chunks")
    parts = list(node.users)
    if not _has_rows(x) or type(number) is not int or given.get("dim", 0) not in (0, -value_of(x).dim()):
        return
    if _is_seen(x, parts, changed) or not all(part.target is operator.getitem for part in parts):
        return
    make = functools.partial(call, graph, node)
    count = len(value_of(node))
    with graph.inserting_before(node):
        length = make(operator.floordiv, make(operator.add, _count(make, x), number - 1), number)
        ends = [0, *(make(operator.mul, length, end) if end > 1 else length for end in range(1, count)), None]
    for part in parts:
        block = part.args[1] % count
        part.args = x, slice(ends[block], ends[block + 1])
    graph.erase_node(node)


def _stack_blocks(graph: Graph, node: Node, changed: set[int]) -> None:
    x, value = node.args[0], value_of(node)
    if not _has_rows(x) or not isinstance(value, Tensor) or value.dim() < 2 or _is_seen(x, [node], changed):
        return
    number, length, *sizes = value.shape
    others = value_of(x).shape[1:]
    if type(number) is not int or not 1 < number <= _MAX_BLOCKS or not is_symbolic(length):
        return
    if not all(type(size) is int for size in (*sizes, *others)) or math.prod(sizes) != math.prod(others):
        return
    make = functools.partial(call, graph, node)
    with graph.inserting_before(node):
        rows = make(operator.floordiv, _count(make, x), number)
        ends = [0, rows, *(make(operator.mul, rows, end) for end in range(2, number)), None]
        blocks = []
        for begin, end in zip(ends, ends[1:]):
            block = make(operator.getitem, x, slice(begin, end))
            # Each has as many rows, which to ask for would be a guard.
            block.meta["example_value"] = value_of(block).new_empty(
                (length, *others), requires_grad=value_of(x).requires_grad)  # fmt: skip
            blocks.append(block if sizes == list(others) else make("view", block, -1, *sizes))
        stacked = make(torch.stack, blocks, 0)
    node.replace_all_uses_with(stacked)
    graph.erase_node(node)


def _read_in_turns(graph: Graph, changed: set[int]) -> None:
    for x in list(graph.nodes):
        parts = {turn: user for user in x.users if user.target is operator.getitem and user.args[0] is x
                 if (turn := _first_and_step(user.args[1]))}  # fmt: skip
        if sorted(parts) != [(place, len(parts)) for place in range(len(parts))] or len(parts) < 2 or not _has_rows(x):
            continue
        in_turns = value_of(x).shape[0] % len(parts)
        if _is_seen(x, list(parts.values()), changed) or not holds_now(in_turns, operator.eq, 0):
            continue
        make = functools.partial(call, graph, x)
        with graph.inserting_before(min(parts.values())):
            # A list of their numbers makes them rows of a graph.
            count = make(operator.floordiv, _count(make, x), len(parts))
            numbers = make(torch.arange, count, device=value_of(x).device)
            grouped = make("index_select", make("unflatten", x, 0, (-1, len(parts))), 0, numbers)
        for (place, _), part in parts.items():
            with graph.inserting_before(part):
                part.replace_all_uses_with(call(graph, part, "select", grouped, 1, place))
            graph.erase_node(part)


def _write_in_turns(graph: Graph) -> None:
    sets: dict[Node, list[Node]] = {}
    for node in graph.nodes:
        if node.target is operator.setitem and isinstance(node.args[0], Node):
            sets.setdefault(node.args[0], []).append(node)
    lists = {expression_of(value.shape[-1]) for node in graph.nodes
             if isinstance(value := value_of(node), Tensor) and not value.is_floating_point() and value.dim() > 0}
    for x, setting in sets.items():
        steps = [_first_and_step(node.args[1]) for node in setting]
        if len(setting) == 1 or sorted(filter(None, steps)) != [(place, len(setting)) for place in range(len(setting))]:
            continue
        rows = [node.args[2] for _, node in sorted(zip(steps, setting))]
        # Other rows are none of a graph as a view of what is stacked; set by lists, they are.
        if not _has_rows(x) or expression_of(value_of(x).shape[0]) not in lists or not is_unseen(x, setting[0]) or any(
                user < setting[-1] and user not in setting for user in x.users) or not _fill(rows, x):  # fmt: skip
            continue
        given = {place for part in rows for place in storages(part)}
        if any(change < setting[-1] for change in changes_of(graph, given, setting[0])):
            continue  # what was set is what they were
        make = functools.partial(call, graph, setting[-1])
        with graph.inserting_before(setting[-1]):
            # PyTorch 2.14 does not stack rows with gaps between them without their data.
            joined = make(torch.cat, [make("unsqueeze", each, 1) for each in rows], 1)
            written = make("reshape", joined, [_count(make, x), *value_of(x).shape[1:]])
        x.replace_all_uses_with(written, lambda user, setting=setting: user not in setting)
        for node in reversed(setting):
            graph.erase_node(node)


def _first_and_step(index: Any) -> tuple[int, int] | None:
    """Of ``x[first::step]``."""
    if not isinstance(index, slice) or index.stop is not None or type(index.step) is not int:
        return None
    first = 0 if index.start is None else index.start
    return (first, index.step) if type(first) is int else None


def _fill(parts: list[Any], x: Node) -> bool:
    """Whether rows that are set in turns are as many each, and all of ``x``."""
    if not all(_has_rows(part) and value_of(part).dtype == value_of(x).dtype for part in parts):
        return False
    counts, row = [value_of(part).shape[0] for part in parts], list(value_of(x).shape[1:])
    return (all(list(value_of(part).shape[1:]) == row for part in parts)
            and all(holds_now(count, operator.eq, counts[0]) for count in counts[1:])
            and holds_now(counts[0] * len(parts), operator.eq, value_of(x).shape[0]))  # fmt: skip


def _has_rows(x: Any) -> bool:
    value = value_of(x) if isinstance(x, Node) else None
    return (isinstance(value, Tensor) and value.is_floating_point() and value.dim() > 0
            and is_symbolic(value.shape[0]))  # fmt: skip


def _is_seen(x: Node, views: list[Node], changed: set[int]) -> bool:
    """Whether somebody sees that views share the memory of rows."""
    return not changed.isdisjoint(storages(x)) or any(user.op == "output" for view in views for user in view.users)


def _count(make: functools.partial, x: Node) -> Node:
    return make(torch.ops.aten.sym_size.int, x, 0)

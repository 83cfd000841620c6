"""Rows that a graph picks, sets or takes from the front, by lists of integers, which are edges to the compiler; masks.

Lists depend on nothing but integers: they are the same for the same graph. So are most masks.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import sympy
import torch
from torch import Tensor
from torch.fx import Graph, Node

from ... import private
from ...expressions import expression_of
from ...functional import fake_mode, value_of
from ...leading.movement import movements
from ...partition import storages
from ..changes import changed_by, is_unseen
from ..emit import call
from ..integers import changes_of, made_of_integers
from ..plain_calls import ALL_THERE
from .slices import Rows, holds_now, is_weight, rows_of


def list_rows(graph: Graph) -> None:
    """``x[mask]`` becomes ``x.index_select(0, list)``, ``x[:n]`` the same of the first numbers, ``x[index] = rows`` a
    sum of rows, where there are any."""
    rows = _Rows(graph)
    for node in list(graph.nodes):
        if node.target is operator.getitem:
            rows.pick(node, *node.args)
        elif node.target in ("narrow", torch.narrow):
            given = dict(zip(("input", "dim", "start", "length"), node.args), **node.kwargs)
            start, length = given["start"], given["length"]
            if given["dim"] == 0 and not isinstance(value_of(start) if isinstance(start, Node) else None, Tensor):
                end = length if start == 0 else rows.add(node, start, length)
                rows.pick(node, given["input"], slice(start if start != 0 else None, end))
        elif node.target == "select" and node.args[1:2] == (0,) and len(node.args) == 3:
            rows.pick(node, node.args[0], node.args[2])
        elif node.target is operator.setitem:
            rows.set(node, node.args[0], 0, *node.args[1:])
        elif node.target in ("index_copy_", "index_fill_", *_IN_PLACE) and len(node.args) == 4:
            rows.set(node, *node.args)
        elif node.target in ("index_copy", "index_fill", *_IN_COPY) and len(node.args) == 4:
            rows.set_in_copy(node, *node.args)
        elif node.target in ("index_put", torch.index_put) and len(node.args) == 3 and not node.kwargs:
            x, indices, values = node.args
            if len(indices) == 1 and isinstance(values, Node):
                rows.set_in_copy(node, x, 0, indices[0], values)


_IN_PLACE = Tensor.index_copy_, Tensor.index_fill_
_IN_COPY = torch.index_copy, torch.index_fill


class _Rows:
    def __init__(self, graph: Graph):
        self._graph = graph
        self._integers = made_of_integers(graph)
        self._given = {place for node in graph.nodes if node.op == "placeholder" for place in storages(node)}
        self._changes = [(node, storages(changed)) for node in graph.nodes for changed in changed_by(node)]
        self._fixed = {sizes[0] for sizes, dim, _ in movements(graph) if dim == 0 and type(sizes[0]) is int}
        # Of masks as they are behind their last change.
        self._lists: dict[tuple[Node, Node], Node] = {}
        self._counts: dict[tuple[Node, Node], list[Any]] = {}  # what numbers of rows are called that masks pick

    def add(self, before: Node, size: Node | int, other: Node | int) -> Node | int:
        if type(size) is type(other) is int:
            return size + other
        with self._graph.inserting_before(before):
            return self._call(before, operator.add, size, other)

    def pick(self, node: Node, x: Node, index: Any) -> None:
        """Rewrites rows that are picked by a mask, or that are the first ones."""
        if _is_mask(index, x):
            mask = index, self._last_change(index, node)
            self._counts.setdefault(mask, []).append(value_of(node).shape[0])
        if not _is_float(x):
            return
        if _is_mask(index, x):
            rows = self._list_of(mask, value_of(node).shape[0])
        elif (part := rows_of(index, x, self._fixed)) is not None and not self._shows_changes(node):
            if is_weight(x):
                return  # parts of weights are weights
            if part.are_all(x):
                node.replace_all_uses_with(x)
                self._graph.erase_node(node)
                return
            length = None if part.is_single else value_of(node).shape[0]
            with self._graph.inserting_before(node):
                bounds = part.bounds(x, functools.partial(self._call, node), length, ALL_THERE in node.meta)
                if bounds is None:
                    return
                last = bounds[1]
                counted = bounds if part.step == 1 else (*bounds, part.step)
                counted = (last,) if part.are_first else counted  # as `trim` knows them
                rows = self._call(node, torch.arange, *counted, device=value_of(x).device)
                with fake_mode([value_of(node)]):  # no view any more
                    node.meta["example_value"] = value_of(node).clone()
                if part.is_single:
                    picked = self._call(node, "index_select", x, 0, rows)
                    node.op, node.target, node.args, node.kwargs = "call_method", "squeeze", (picked, 0), {}
                    return
        else:
            return
        node.op, node.target, node.args, node.kwargs = "call_method", "index_select", (x, 0, rows), {}
        for user in list(node.users):  # The size of the list is known without the rows.
            if user.target is torch.ops.aten.sym_size.int and user.args[1] == 0:
                user.args = (rows, 0)

    def set(self, node: Node, x: Node, dim: int, index: Any, given: Any) -> bool:
        """Rewrites rows that are set in place, to rows, to one, or a number: of a mask, a slice, or a list, whose last
        row counts where one is twice.

        Returns:
            Whether it did; otherwise the graph is as it was.
        """
        if not _is_float(x) or dim not in (0, -value_of(x).dim()):
            return False
        like, is_number = value_of(x), type(given) in (int, float, bool)
        if _is_of_batch(like.shape[0]) and not self._is_fixed(like.shape[0]):
            return False
        part = rows_of(index, x)
        is_single = part is not None and part.is_single
        is_shared = not is_number and not is_single and (_fits(given, like, True) or _is_one_row(given, like))
        if not is_number and not is_shared and not _fits(given, like, is_single):
            return False
        if not is_number and storages(given) & storages(x):
            return False  # what it is made of changes with it
        if storages(x) & self._given or part is not None and not is_unseen(x, node):
            return False  # few of many rows, perhaps: PyTorch writes these alone
        own = None if is_number or is_shared else given
        chosen = None
        if part is not None:
            chosen = self._choose_part(node, x, part, own)
        elif isinstance(index, Node) and isinstance(value_of(index), Tensor) and value_of(index).dim() == 1:
            is_mask = is_shared and _is_mask(index, x)  # `fill_by_masks` takes those of numbers
            chosen = (index, index, index) if is_mask else self._choose_list(node, x, index, own)
        if chosen is None:
            return False
        written, numbers, rows = chosen
        make = functools.partial(self._call, node)
        with self._graph.inserting_before(node):
            written = self._as_compared(make, index, written, like.dtype)
            if is_number:
                total = make(torch.full_like, x, given)
            elif is_shared:
                total = given if numbers is index else self._often(node, x, given, numbers)
            else:
                shape = make(torch.ops.aten.sym_size.int, x, 0), *like.shape[1:]
                zeros = make(torch.zeros, shape, dtype=like.dtype, device=like.device)
                total = make("index_add", zeros, 0, numbers, rows)
            result = make(torch.where, make("view", written, -1, *[1] * (like.dim() - 1)), total, x)
            if is_unseen(x, node):
                stored = result
                x.replace_all_uses_with(result, lambda user: user > result)
            else:
                stored = make("copy_", x, result)
        node.replace_all_uses_with(stored)
        self._graph.erase_node(node)
        return True

    def _choose_part(self, node: Node, x: Node, part: Rows, rows: Node | None) -> tuple[Node, Node, Node] | None:
        """For rows that a slice sets: which they are, as truths and as numbers, and the rows; None where others fit."""
        make = functools.partial(self._call, node)
        device = value_of(x).device
        with self._graph.inserting_before(node):
            bounds = part.bounds(x, make)
            if bounds is None:
                return None
            numbers = make(torch.arange, *bounds, part.step, device=device)
            if rows is not None and part.is_single:
                rows = make("unsqueeze", rows, 0)
            if rows is not None and not holds_now(value_of(numbers).shape[0], operator.eq, value_of(rows).shape[0]):
                return None
            none = make(torch.zeros, (make(torch.ops.aten.sym_size.int, x, 0),), dtype=torch.bool, device=device)
            return make("index_fill", none, 0, numbers, True), numbers, rows

    def _choose_list(self, node: Node, x: Node, index: Node, rows: Node | None) -> tuple[Node, Node, Node] | None:
        """The same for rows that a mask or a list sets."""
        is_mask = _is_mask(index, x)
        if not is_mask and value_of(index).dtype not in (torch.int64, torch.int32):
            return None
        make = functools.partial(self._call, node)
        if is_mask and rows is None:
            return None  # `fill_by_masks`
        if rows is not None and not self._has_as_many(index, rows, is_mask, node):
            return None  # one row may be set everywhere
        if is_mask:
            return index, self._list_of((index, self._last_change(index, node)), value_of(rows).shape[0]), rows
        if rows is not None and not holds_now(value_of(index).shape[0], operator.eq, value_of(rows).shape[0]):
            with self._graph.inserting_before(node):  # as many as there are rows, or an error
                index = make("view", index, -1)
            index.meta["example_value"] = value_of(index).new_empty((value_of(rows).shape[0],))
        device = value_of(x).device
        with self._graph.inserting_before(node):
            count = make(torch.ops.aten.sym_size.int, x, 0)
            numbers = make(torch.where, make(operator.lt, index, 0), make(operator.add, index, count), index)
            if rows is None:
                none = make(torch.zeros, (count,), dtype=torch.bool, device=device)
                return make("index_fill", none, 0, numbers, True), numbers, numbers
            order = make(torch.arange, make(torch.ops.aten.sym_size.int, index, 0), device=device)
            none = make(torch.full, (count,), -1, dtype=torch.int64, device=device)
            last = make("index_put", none, (numbers,), order)
            lengths = [1] * (value_of(x).dim() - 1)
            stays = make("view", make(operator.eq, make("index_select", last, 0, numbers), order), -1, *lengths)
            stays = self._as_compared(make, index, stays, value_of(rows).dtype)
            # Those that are written over are no part of the result, but get its gradient in PyTorch.
            other = make(operator.sub, rows, make("detach", rows)) if value_of(rows).requires_grad else 0.0
            return make(operator.ge, last, 0), numbers, make(torch.where, stays, rows, other)

    def _as_compared(self, make: Callable, index: Any, truths: Node, dtype: torch.dtype) -> Node:
        """Truths about a list or a mask that floats may say: what these compare may be computed apart."""
        if not isinstance(index, Node) or index in self._integers:
            return truths
        return make(operator.gt, make("to", truths, dtype), 0)

    def _often(self, node: Node, x: Node, given: Node, numbers: Node) -> Node:
        """One row for all that a list sets: its gradient counts each of them as often as the list has it."""
        length = value_of(numbers).shape[0]
        if not value_of(given).requires_grad or holds_now(length, operator.le, 1):
            return given
        make, like = functools.partial(self._call, node), value_of(x)
        kind = {"dtype": like.dtype, "device": like.device}
        ones = make(torch.ones, (make(torch.ops.aten.sym_size.int, numbers, 0),), **kind)
        zeros = make(torch.zeros, (make(torch.ops.aten.sym_size.int, x, 0),), **kind)
        often = make("index_add", zeros, 0, numbers, ones)
        fixed = make("detach", given)
        return make(operator.add, fixed, make(operator.mul, make(operator.sub, given, fixed),
                                              make("view", often, -1, *[1] * (like.dim() - 1))))  # fmt: skip

    def _is_fixed(self, rows: Any) -> bool:
        """Whether so many nodes are fixed: something else moves rows of as many."""
        return type(rows) is int and rows in self._fixed

    def _has_as_many(self, index: Node, rows: Node, is_mask: bool, before: Node) -> bool:
        """Whether a mask or a list says as many rows as are given, or there are several and all else is an error."""
        count = value_of(rows).shape[0]
        known = (self._counts.get((index, self._last_change(index, before)), []) if is_mask
                 else value_of(index).shape)  # fmt: skip
        if any(holds_now(count, operator.eq, size) for size in known):
            return True
        is_unknown = is_mask or bool(private.free_unbacked_symbols(value_of(index)))
        return is_unknown and bool(expression_of(count).free_symbols) and holds_now(count, operator.ne, 1)

    def set_in_copy(self, node: Node, x: Node, dim: int, index: Any, rows: Any) -> None:
        """The same in a copy of what has the rows."""
        if not _is_float(x):
            return
        with self._graph.inserting_before(node):
            copy = self._call(node, "clone", x)
        if not self.set(node, copy, dim, index, rows):
            self._graph.erase_node(copy)

    def _shows_changes(self, view: Node) -> bool:
        """Whether something reads a view once its memory may have changed."""
        own, views = storages(view), [view]
        changes = changes_of(self._graph, own, view)
        for node in views if changes else ():
            if any(user >= min(changes) for user in node.users):
                return True
            views += [user for user in node.users if storages(user) & own]
        return False

    def _last_change(self, mask: Node, before: Node) -> Node:
        """The last node in front of another one that changes a mask in place; the mask where none does."""
        own, last = storages(mask), mask
        for node, memory in self._changes:
            if mask < node < before and memory & own:
                last = node
        return last

    def _list_of(self, key: tuple[Node, Node], count: Any) -> Node:
        """The numbers that are true behind a change of a mask, as many as ``count``."""
        if key not in self._lists:
            mask, change = key
            with self._graph.inserting_after(change):
                numbers = self._graph.call_method("nonzero", (mask,))
            with self._graph.inserting_after(numbers):
                self._lists[key] = self._graph.call_method("view", (numbers, -1))
            for made, shape in ((numbers, (count, 1)), (self._lists[key], (count,))):
                made.meta = {**mask.meta, "example_value": value_of(mask).new_empty(shape, dtype=torch.int64)}
        return self._lists[key]

    def _call(self, node: Node, target: Callable | str, *args: Any, **settings: Any) -> Node:
        """A new node in the place of ``node``."""
        return call(self._graph, node, target, *args, **settings)


def _is_float(node: Any) -> bool:
    value = value_of(node) if isinstance(node, Node) else None
    return isinstance(value, Tensor) and value.is_floating_point() and value.dim() > 0


def _is_of_batch(rows: Any) -> bool:
    """Whether so many rows are those of a dense batch, graphs times the nodes of the largest, which data say, or a
    constant where that was read: PyTorch computes on them, and sets rows at once."""
    if type(rows) is int:
        return True
    if not private.free_unbacked_symbols(rows):
        return False
    return any(len(part.free_symbols) > 1 for part in expression_of(rows).atoms(sympy.Mul))


def _is_mask(index: Any, x: Node) -> bool:
    """Whether an index is a truth for each row."""
    value = value_of(index) if isinstance(index, Node) and isinstance(value_of(x), Tensor) else None
    return (isinstance(value, Tensor) and value.dtype == torch.bool and value.dim() == 1
            and holds_now(value.shape[0], operator.eq, value_of(x).shape[0]))  # fmt: skip


def _is_one_row(rows: Any, like: Tensor) -> bool:
    return _fits(rows, like, False) and type(value_of(rows).shape[0]) is int and value_of(rows).shape[0] == 1


def _fits(rows: Any, like: Tensor, is_single: bool) -> bool:
    """Whether rows can be set without a cast, or one for several."""
    if not _is_float(rows):
        return False
    given, shape = value_of(rows), like.shape[1:]
    if given.dtype != like.dtype:
        return False
    sizes = given.shape if is_single else given.shape[1:]
    return list(map(expression_of, sizes)) == list(map(expression_of, shape))

"""Rows that a graph picks, sets or takes from the front, by lists of integers, which are edges to the compiler; masks.

Only such rows are listed whose masks and lists depend on nothing but integers: they are the same for the same graph.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node, map_arg
from torch.utils import _pytree as pytree

from ..functional import expression_of, fake_mode, value_of
from ..partition import storages
from .changes import changed_by, name_of


def list_rows(graph: Graph) -> None:
    """``x[mask]`` becomes ``x.index_select(0, list)``, ``x[:n]`` the same of the first numbers, ``x[index] = rows`` a
    sum of rows, where there are any."""
    rows = _Rows(graph)
    for node in list(graph.nodes):
        if node.target is operator.getitem:
            rows.pick(node, *node.args)
        elif node.target in ("narrow", torch.narrow):
            given = dict(zip(("input", "dim", "start", "length"), node.args), **node.kwargs)
            if given["dim"] == 0 and given["start"] == 0:
                rows.pick(node, node.args[0], slice(None, given["length"]))
        elif node.target is operator.setitem:
            rows.set(node, node.args[0], 0, *node.args[1:])
        elif node.target in ("index_copy_", torch.Tensor.index_copy_) and len(node.args) == 4:
            rows.set(node, *node.args)
        elif node.target in ("index_copy", torch.index_copy) and len(node.args) == 4:
            rows.set_in_copy(node, *node.args)
        elif node.target in ("index_put", torch.index_put) and len(node.args) == 3 and not node.kwargs:
            x, indices, values = node.args
            if len(indices) == 1 and isinstance(values, Node):
                rows.set_in_copy(node, x, 0, indices[0], values)


def share_integers(graph: Graph) -> None:
    """Makes ``kind == 0`` in two places one mask, and ``int(batch.max())`` one number, where what they are made of is
    not changed between them."""
    integers = made_of_integers(graph)
    known: dict[tuple, Node] = {}
    for node in list(graph.nodes):
        if node.target not in _COMPARISONS and (node.target not in _COUNTS or node not in integers or node.kwargs):
            continue
        first = known.setdefault((node.target, node.args), node)
        seen = storages(first).union(storages(node), *map(storages, node.all_input_nodes))
        if first is node or _is_changed(graph, seen, first):
            continue
        if node.target == "item":
            _unify(value_of(node), value_of(first))
        node.replace_all_uses_with(first)
        graph.erase_node(node)


def _unify(one: Any, other: Any) -> None:
    """Has sizes that are made of one integer be those that are made of the other."""
    if isinstance(one, torch.SymInt) and one.node.expr.is_Symbol:
        one.node.shape_env._set_replacement(one.node.expr, expression_of(other), "rgnn: the same integer")


_COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
_COUNTS = ("max", "min", "sum", "item")


class _Rows:
    def __init__(self, graph: Graph):
        self._graph = graph
        self._integers = made_of_integers(graph)
        self._changes = [(node, storages(changed)) for node in graph.nodes for changed in changed_by(node)]
        # Of masks as they are behind their last change.
        self._lists: dict[tuple[Node, Node], Node] = {}
        self._counts: dict[tuple[Node, Node], list[Any]] = {}  # what numbers of rows are called that masks pick

    def pick(self, node: Node, x: Node, index: Any) -> None:
        """Rewrites rows that are picked by a mask, or that are the first ones."""
        if not _is_float(x):
            return
        if _is_mask(index, x) and index in self._integers:
            mask = index, self._last_change(index, node)
            self._counts.setdefault(mask, []).append(value_of(node).shape[0])
            rows = self._list_of(mask, value_of(node).shape[0])
        elif (first := _first_rows(index)) is not None and not _is_changed(self._graph, storages(x), node):
            if not _holds_now(_size(first), operator.ge, 0):  # counted from the end
                return
            if isinstance(first, int) and all(user.op == "output" for user in node.users) and not is_unseen(x, node):
                return  # a view, which shares memory
            if _are_all(first, x):
                node.replace_all_uses_with(x)
                self._graph.erase_node(node)
                return
            with self._graph.inserting_before(node):
                count = first
                if expression_of(value_of(node).shape[0]) != expression_of(_size(first)):  # there may be fewer
                    count = self._call(node, torch.sym_min, first, self._call(node, torch.ops.aten.sym_size.int, x, 0))
                rows = self._call(node, torch.arange, count, device=value_of(x).device)
        elif (later := _later_rows(index, x)) is not None and not _is_changed(self._graph, storages(x), node):
            begin, end = later
            if not _holds_now(_size(begin), operator.ge, 0) or all(user.op == "output" for user in node.users):
                return
            with self._graph.inserting_before(node):
                end = self._call(node, torch.ops.aten.sym_size.int, x, 0) if end is None else end
                if expression_of(value_of(node).shape[0]) != expression_of(_size(end)) - expression_of(_size(begin)):
                    return  # there are fewer
                rows = self._call(node, torch.arange, begin, end, device=value_of(x).device)
        else:
            return
        node.op, node.target, node.args, node.kwargs = "call_method", "index_select", (x, 0, rows), {}
        for user in list(node.users):  # The size of the list is known without the rows.
            if user.target is torch.ops.aten.sym_size.int and user.args[1] == 0:
                user.args = (rows, 0)

    def set(self, node: Node, x: Node, dim: int, index: Any, rows: Any) -> bool:
        """Rewrites rows that are set in place: by a mask, or by a list, whose last row counts where one is twice.

        Returns:
            Whether it did; otherwise the graph is as it was.
        """
        if not _is_float(x) or not _is_float(rows) or dim not in (0, -value_of(x).dim()):
            return False
        if not isinstance(index, Node) or index not in self._integers or value_of(index).dim() != 1:
            return False
        like, given = value_of(x), value_of(rows)
        if like.dtype != given.dtype or like.dim() != given.dim() or like.shape[1:] != given.shape[1:]:
            return False
        is_mask = _is_mask(index, x)
        if not is_mask and value_of(index).dtype not in (torch.int64, torch.int32):
            return False
        mask = index, self._last_change(index, node) if is_mask else index
        counts = self._counts.get(mask, []) if is_mask else value_of(index).shape
        if not any(_holds_now(count, operator.eq, given.shape[0]) for count in counts):
            return False  # one row may be set everywhere
        call = lambda target, *args, **settings: self._call(node, target, *args, **settings)  # noqa: E731
        lengths = [1] * (like.dim() - 1)
        if is_mask:
            rows_of = self._list_of(mask, given.shape[0])
        with self._graph.inserting_before(node):
            count = call(torch.ops.aten.sym_size.int, x, 0)
            if is_mask:
                written = index
            else:
                rows_of = call(torch.where, call(operator.lt, index, 0), call(operator.add, index, count), index)
                numbers = call(torch.arange, call(torch.ops.aten.sym_size.int, index, 0), device=like.device)
                none = call(torch.full, (count,), -1, dtype=torch.int64, device=like.device)
                last = call("index_put", none, (rows_of,), numbers)
                written = call(operator.ge, last, 0)
                stays = call("view", call(operator.eq, call("index_select", last, 0, rows_of), numbers), -1, *lengths)
                # Those that are written over are no part of the result, but get its gradient in PyTorch.
                other = call(operator.sub, rows, call("detach", rows)) if given.requires_grad else 0.0
                rows = call(torch.where, stays, rows, other)
            zeros = call(torch.zeros, (count, *like.shape[1:]), dtype=like.dtype, device=like.device)
            total = call("index_add", zeros, 0, rows_of, rows)
            result = call(torch.where, call("view", written, -1, *lengths), total, x)
            if is_unseen(x, node):
                stored = result
                x.replace_all_uses_with(result, lambda user: user > result)
            else:
                stored = call("copy_", x, result)
        node.replace_all_uses_with(stored)
        self._graph.erase_node(node)
        return True

    def set_in_copy(self, node: Node, x: Node, dim: int, index: Any, rows: Any) -> None:
        """The same in a copy of what has the rows."""
        if not _is_float(x):
            return
        with self._graph.inserting_before(node):
            copy = self._call(node, "clone", x)
        if not self.set(node, copy, dim, index, rows):
            self._graph.erase_node(copy)

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
        make = self._graph.call_method if isinstance(target, str) else self._graph.call_function
        made = make(target, args, settings)
        values = map_arg(args, value_of)
        function = getattr(Tensor, target) if isinstance(target, str) else target
        with fake_mode(map(value_of, node.all_input_nodes)):
            given = function(*values, **settings)
        made.meta = {**node.meta, "example_value": given}
        return made


def made_of_integers(graph: Graph) -> set[Node]:
    """The nodes that are integers or truths, or tensors of them, and made of such alone."""
    changes = [(node, changed) for node in graph.nodes for changed in changed_by(node)]
    foreign: set[int] = set()  # memory that something else is written to
    while True:
        found: set[Node] = set()
        for node in graph.nodes:
            leaves = pytree.tree_leaves(value_of(node))
            is_whole = bool(leaves) and all(
                expression_of(value) is not None or isinstance(value, Tensor) and not value.is_floating_point()
                for value in leaves)  # fmt: skip
            is_made = node.op in ("placeholder", "call_function", "call_method")
            if is_whole and is_made and found.issuperset(node.all_input_nodes) and not (
                    foreign and storages(node) & foreign):  # fmt: skip
                found.add(node)
        more = set().union(*(storages(changed) for node, changed in changes
                             if not found.issuperset(node.all_input_nodes)))  # fmt: skip
        if more <= foreign:
            return found
        foreign |= more


def is_unseen(x: Node, before: Node) -> bool:
    """Whether a tensor was made in the graph, and nothing in front of a node shares its memory."""
    readers = [user for user in x.users if user < before]
    own = storages(x)
    return x.op != "placeholder" and not any(own & storages(other) for other in (*x.all_input_nodes, *readers))


def _is_float(node: Any) -> bool:
    value = value_of(node) if isinstance(node, Node) else None
    return isinstance(value, Tensor) and value.is_floating_point() and value.dim() > 0


def _is_mask(index: Any, x: Node) -> bool:
    """Whether an index is a truth for each row."""
    value = value_of(index) if isinstance(index, Node) else None
    return (isinstance(value, Tensor) and value.dtype == torch.bool and value.dim() == 1
            and expression_of(value.shape[0]) == expression_of(value_of(x).shape[0]))  # fmt: skip


def _first_rows(index: Any) -> Node | int | None:
    """How many rows an index takes from the front of all, if it does that."""
    first, *others = index if isinstance(index, tuple) and index else (index,)
    if not isinstance(first, slice) or first.start not in (None, 0) or first.step not in (None, 1):
        return None
    is_of_rows = all(other in (Ellipsis, slice(None)) for other in others)
    return first.stop if isinstance(first.stop, Node | int) and is_of_rows else None


def _later_rows(index: Any, x: Node) -> tuple[Node | int, Node | int | None] | None:
    """From which row on, and up to which, an index takes rows that others are in front of."""
    first, *others = index if isinstance(index, tuple) and index else (index,)
    if not isinstance(first, slice) or first.step not in (None, 1) or not isinstance(first.start, Node | int):
        return None
    is_of_rows = all(other in (Ellipsis, slice(None)) for other in others)
    has_rows = isinstance(value_of(x).shape[0], torch.SymInt)
    return (first.start, first.stop) if is_of_rows and has_rows else None


def _size(size: Node | int) -> Any:
    return value_of(size) if isinstance(size, Node) else size


def _are_all(first: Node | int, x: Node) -> bool:
    """Whether these are as many rows as there are in each call, not in the one at hand by chance."""
    return expression_of(_size(first)) == expression_of(value_of(x).shape[0])


def _holds_now(one: Any, compare: Callable, other: Any) -> bool:
    """Whether two sizes compare so; where they do in the call at hand, that is a guard of this version."""
    if compare is operator.eq and expression_of(one) == expression_of(other):
        return True
    known = [size if isinstance(size, int) else getattr(size.node, "hint", None) for size in (one, other)]
    return None not in known and compare(*known) and bool(compare(one, other))


def _is_changed(graph: Graph, memory: set[int], since: Node) -> bool:
    """Whether some node behind ``since`` may change memory in place, through whatever view of it."""
    return any(since < node and any(storages(changed) & memory for changed in changed_by(node))
               for node in graph.nodes)  # fmt: skip


# Masks and other integers that floats are computed with


def fill_by_masks(graph: Graph) -> None:
    """``x[mask] = number`` is ``x.masked_fill_(mask, number)``, which has a result."""
    for node in list(graph.nodes):
        if node.target is not operator.setitem:
            continue
        x, mask, number = node.args
        if not _is_truth(mask) or not _starts_with(x, mask) or not _holds(value_of(x).dtype, number):
            continue
        with graph.inserting_before(node):
            for dim in range(value_of(mask).dim(), value_of(x).dim()):
                truths = value_of(mask).unsqueeze(dim)
                mask = graph.call_method("unsqueeze", (mask, dim))
                mask.meta = {**node.meta, "example_value": truths}
            number = int(number) if isinstance(number, bool) else number
            filled = graph.call_method("masked_fill_", (x, mask, number))
            filled.meta = {**node.meta, "example_value": value_of(x)}
        graph.erase_node(node)


def take_numbers(graph: Graph) -> None:
    """What is computed of floats with integers or truths reads them as floats, which regions take."""
    integers = made_of_integers(graph)
    for node in list(graph.nodes):
        value = value_of(node)
        if not isinstance(value, Tensor) or not value.is_floating_point() or name_of(node) not in _ELEMENTWISE:
            continue
        for source in node.all_input_nodes:
            if source not in integers or not isinstance(value_of(source), Tensor) or value_of(source).dim() == 0:
                continue
            is_truth = _is_truth(source) and name_of(node) in _CHOOSING
            number = torch.empty_like(value_of(source), dtype=value.dtype)
            with graph.inserting_before(node):
                made = graph.call_method("to", (source, value.dtype))
                made.meta = {**node.meta, "example_value": number}
                if is_truth:
                    made = graph.call_function(operator.gt, (made, 0))
                    made.meta = {**node.meta, "example_value": number > 0}
            node.replace_input_with(source, made)


_CHOOSING = {"where", "masked_fill", "masked_fill_"}
_ELEMENTWISE = _CHOOSING | {"add", "sub", "mul", "div", "truediv", "true_divide", "add_", "sub_", "mul_", "div_",
                            "iadd", "isub", "imul", "itruediv", "pow", "maximum", "minimum"}  # fmt: skip


def _starts_with(x: Node, mask: Node) -> bool:
    """Whether a mask has the first sizes of a tensor: others are errors, where `masked_fill_` would repeat the mask."""
    found, wanted = ([expression_of(size) for size in value_of(node).shape] for node in (x, mask))
    return found[: len(wanted)] == wanted


def _holds(dtype: torch.dtype, number: object) -> bool:
    """Whether a tensor of floats can be filled with a number: what does not fit is an error there, and cast here."""
    if not dtype.is_floating_point or not isinstance(number, (bool, int, float)):
        return False
    return not math.isfinite(number) or abs(number) <= torch.finfo(dtype).max


def _is_truth(node: object) -> bool:
    return isinstance(node, Node) and isinstance(value_of(node), Tensor) and value_of(node).dtype == torch.bool

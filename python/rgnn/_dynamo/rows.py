"""Rows that a graph picks, sets or takes from the front, by lists of integers, which the compiler takes for edges.

Only such rows are rewritten whose masks and lists depend on nothing but integers: they are the same for the same graph.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node, map_arg

from .functional import expression_of, fake_mode, value_of


def list_rows(graph: Graph) -> None:
    """``x[mask]`` becomes ``x.index_select(0, list)``, ``x[:n]`` one of the first numbers, and ``x[index] = rows`` a sum
    of rows, where there are any."""
    rows = _Rows(graph)
    for node in list(graph.nodes):
        if node.target is operator.getitem:
            rows.pick(node)
        elif node.target is operator.setitem:
            rows.set(node, node.args[0], 0, *node.args[1:])
        elif node.target in ("index_copy_", torch.Tensor.index_copy_) and len(node.args) == 4:
            rows.set(node, *node.args)


class _Rows:
    def __init__(self, graph: Graph):
        self._graph = graph
        self._integers = made_of_integers(graph)
        self._made: set[Node] = set()
        self._lists: dict[Node, Node] = {}

    def pick(self, node: Node) -> None:
        """Rewrites rows that are picked by a mask, or that are the first ones."""
        x, index = node.args
        if not _is_float(x):
            return
        if _is_mask(index, x) and index in self._integers:
            rows = self._list_of(index, value_of(node).shape[0])
        elif (first := _first_rows(index)) is not None and not _is_changed(x) and not _is_changed(node):
            if _are_all(first, x):
                node.replace_all_uses_with(x)
                self._graph.erase_node(node)
                return
            with self._graph.inserting_before(node):
                count = self._call(node, torch.sym_min, first, self._call(node, torch.ops.aten.sym_size.int, x, 0))
                rows = self._call(node, torch.arange, count, device=value_of(x).device)
        else:
            return
        node.target, node.args, node.op = "index_select", (x, 0, rows), "call_method"
        for user in list(node.users):  # The size of the list is known without the rows.
            if user.target is torch.ops.aten.sym_size.int and user.args[1] == 0:
                user.args = (rows, 0)

    def set(self, node: Node, x: Node, dim: int, index: Any, rows: Any) -> None:
        """Rewrites rows that are set in place: by a mask, or by a list, whose last row counts where one is twice."""
        if not _is_float(x) or not _is_float(rows) or dim not in (0, -value_of(x).dim()):
            return
        if not isinstance(index, Node) or not index in self._integers or value_of(index).dim() != 1:
            return
        like, given = value_of(x), value_of(rows)
        if like.dtype != given.dtype or like.dim() != given.dim() or like.shape[1:] != given.shape[1:]:
            return
        is_mask = _is_mask(index, x)
        if not is_mask and value_of(index).dtype not in (torch.int64, torch.int32):
            return
        call = lambda target, *args, **settings: self._call(node, target, *args, **settings)  # noqa: E731
        lengths = [1] * (like.dim() - 1)
        if is_mask:
            rows_of = self._list_of(index, given.shape[0])
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
            if self._is_unseen(x, node):
                stored = result
                self._made.add(result)
                x.replace_all_uses_with(result, lambda user: user > result)
            else:
                stored = call("copy_", x, result)
        node.replace_all_uses_with(stored)
        self._graph.erase_node(node)

    def _is_unseen(self, x: Node, before: Node) -> bool:
        """Whether a tensor was made in the graph, and nothing has read it, so that nothing shares its memory."""
        made = self._made | {x} if _name(x) in _FACTORIES else self._made
        readers = [user for user in x.users if user < before and user.target is not torch.ops.aten.sym_size.int]
        return x in made and all(user.target is torch.where for user in readers)

    def _list_of(self, mask: Node, count: Any) -> Node:
        """The numbers that are true, as many as ``count``."""
        if mask not in self._lists:
            with self._graph.inserting_after(mask):
                numbers = self._graph.call_method("nonzero", (mask,))
            with self._graph.inserting_after(numbers):
                self._lists[mask] = self._graph.call_method("view", (numbers, -1))
            for made, shape in ((numbers, (count, 1)), (self._lists[mask], (count,))):
                made.meta = {**mask.meta, "example_value": value_of(mask).new_empty(shape, dtype=torch.int64)}
        return self._lists[mask]

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
    found: set[Node] = set()
    for node in graph.nodes:
        value = value_of(node)
        is_whole = expression_of(value) is not None or isinstance(value, Tensor) and not value.is_floating_point()
        if is_whole and node.op in ("placeholder", "call_function", "call_method") and found.issuperset(node.all_input_nodes):
            found.add(node)
    return found


_FACTORIES = {"zeros", "ones", "full", "empty", "new_zeros", "new_ones", "new_full", "new_empty"}


def _is_float(node: Any) -> bool:
    value = value_of(node) if isinstance(node, Node) else None
    return isinstance(value, Tensor) and value.is_floating_point() and value.dim() > 0


def _is_mask(index: Any, x: Node) -> bool:
    """Whether an index is a truth for each row."""
    value = value_of(index) if isinstance(index, Node) else None
    return (isinstance(value, Tensor) and value.dtype == torch.bool and value.dim() == 1
            and expression_of(value.shape[0]) == expression_of(value_of(x).shape[0]))  # fmt: skip


def _first_rows(index: Any) -> Node | None:
    """How many rows an index takes from the front of all, if it does that; the number is not known."""
    first, *others = index if isinstance(index, tuple) and index else (index,)
    if not isinstance(first, slice) or first.start not in (None, 0) or first.step not in (None, 1):
        return None
    return first.stop if isinstance(first.stop, Node) and all(other in (Ellipsis, slice(None)) for other in others) else None


def _are_all(first: Node, x: Node) -> bool:
    """Whether these are as many rows as there are: a guard of this version where they are, by chance or not."""
    count, rows = value_of(first), value_of(x).shape[0]
    known = [getattr(getattr(size, "node", None), "hint", None) for size in (count, rows)]
    return None not in known and known[0] == known[1] and bool(count == rows)


def _is_changed(node: Node) -> bool:
    """Whether some node may change a tensor in place, or a view of it."""
    return any(user.target is operator.setitem or _name(user).endswith("_") and not _name(user).endswith("__")
               or _name(user) in ("iadd", "imul", "isub", "itruediv") for user in node.users)  # fmt: skip


def _name(node: Node) -> str:
    return node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")

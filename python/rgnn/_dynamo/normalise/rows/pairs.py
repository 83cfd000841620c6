"""Entries of rows that a second list picks: ``x[edge_index[0], edge_type]`` of ``x`` with the shape ``[N, R, ...]``."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node

from ... import private
from ...expressions import expression_of, is_symbolic
from ...functional import value_of
from ..changes import is_unseen
from ..emit import call
from ..integers import made_of_integers
from .slices import holds_now, is_weight

_ZEROS = (torch.zeros, torch.zeros_like, "new_zeros")
_MAX_CHOICES = 16  # of which a kernel reads all and keeps one


def list_pairs(graph: Graph) -> None:
    """``x[i, j]`` picks rows of ``x.view(N * R, ...)``, by a list that PyTorch makes of two, once for a graph, and
    ``weight[i, j, k]`` those of a weight's view; and
    ``x.index_put_((i, j), rows, accumulate=True)`` adds up into them, ``x[i, j] = rows`` sets them. What each row has
    one of, ``x[arange(N), j]`` or ``x.gather(1, j)``, of a few, is the sum of all with the others zero."""
    integers = made_of_integers(graph)
    for node in list(graph.nodes):
        if node.target is operator.getitem:
            x, index = node.args
            parts = index if isinstance(index, tuple) else ()
            if _is_table(x) and (lists := _leading_lists(parts)) and _are_lists(lists, integers):
                if _are_whole(parts[len(lists):]):
                    _pick(graph, node, x, lists)
                continue
            if not _has_entries(x):
                continue
            if len(parts) > 1 and _are_lists(parts[:2], integers) and _are_whole(parts[2:]):
                if _is_of_each_row(parts[0], x, 1):
                    _choose(graph, node, x, parts[1], 1)
                else:
                    _pick(graph, node, x, parts[:2])
            elif (len(parts) == 3 and parts[1] == slice(None) and _are_lists((parts[0], parts[2]), integers)
                  and _is_of_each_row(parts[0], x, 2)):  # fmt: skip
                _choose(graph, node, x, parts[2], 2)
        elif node.target in ("gather", torch.gather) and len(node.args) == 3 and not node.kwargs:
            x, dim, index = node.args
            if dim in (1, -1) and _has_entries(x) and value_of(x).dim() == 2 and _is_column(index, x, integers):
                _gather(graph, node, x, index)
        elif node.target is operator.setitem:
            x, index, rows = node.args
            if isinstance(index, (tuple, list)) and _are_entries(x, index, integers):
                _set(graph, node, x, index, rows)
        elif node.target in ("index_put_", "index_put", torch.index_put):
            given = dict(zip(("input", "indices", "values", "accumulate"), node.args), **node.kwargs)
            x, lists, rows = given["input"], given["indices"], given["values"]
            if not isinstance(lists, (tuple, list)) or not _are_entries(x, lists, integers):
                continue
            if given.get("accumulate") is True:
                _add_up(graph, node, x, lists, rows)
            elif not given.get("accumulate"):
                _set(graph, node, x, lists, rows)


def _pick(graph: Graph, node: Node, x: Node, lists: Any) -> None:
    with graph.inserting_before(node):
        rows, key = _flatten(graph, node, x, lists)
        picked = call(graph, node, "index_select", rows, 0, key)
    node.replace_all_uses_with(picked)
    graph.erase_node(node)


def _choose(graph: Graph, node: Node, x: Node, numbers: Node, dim: int, keeps: bool = False) -> None:
    """One entry of each row, in place of ``node``; a number that no entry has is PyTorch's error."""
    size, device = value_of(x).shape[dim], value_of(x).device
    with graph.inserting_before(node):
        of_each = call(graph, node, torch.arange, size, device=device)
        chosen = call(graph, node, "unsqueeze", call(graph, node, operator.getitem, of_each, numbers), 1)
        is_chosen = call(graph, node, operator.eq, chosen, of_each)
        shape = [1] * value_of(x).dim()
        shape[0], shape[dim] = -1, size
        others_zero = call(graph, node, torch.where, call(graph, node, "view", is_chosen, *shape), x, 0.0)
        found = call(graph, node, "sum", others_zero, dim, keeps)
    node.replace_all_uses_with(found)
    graph.erase_node(node)


def _gather(graph: Graph, node: Node, x: Node, column: Node) -> None:
    make, (_, size), device = functools.partial(call, graph, node), value_of(x).shape, value_of(x).device
    with graph.inserting_before(node):
        numbers = make("gather", make(torch.arange, size, device=device), 0, make("squeeze", column, 1))
        is_long = size > _MAX_CHOICES and not _is_picked(x)
        if is_long:
            rows = make(torch.arange, make(torch.ops.aten.sym_size.int, column, 0), device=device)
            picked = make(operator.getitem, x, (rows, numbers))
            node.target, node.args = "unsqueeze", (picked, 1)
    if is_long:
        _pick(graph, picked, x, (rows, numbers))
    else:
        _choose(graph, node, x, numbers, 1, True)


def _set(graph: Graph, node: Node, x: Node, lists: Any, rows: Any) -> None:
    """Entries that are set, as rows of a view, which one list sets."""
    if not value_of(x).is_contiguous():
        return
    with graph.inserting_before(node):
        in_place = node.target in (operator.setitem, "index_put_", Tensor.index_put_)
        whole = x if in_place else call(graph, node, "clone", x)
        flat, key = _flatten(graph, node, whole, lists)
        call(graph, node, operator.setitem, flat, key, rows)
    node.replace_all_uses_with(whole)
    graph.erase_node(node)


def _add_up(graph: Graph, node: Node, x: Node, lists: Any, rows: Any) -> None:
    value, given = value_of(x), value_of(rows) if isinstance(rows, Node) else None
    if not isinstance(given, Tensor) or given.dtype != value.dtype or given.shape[1:] != value.shape[2:]:
        return
    if given.dim() != value.dim() - 1 or not value.is_contiguous():
        return
    if not holds_now(given.shape[0], operator.eq, value_of(lists[0]).shape[0]):
        return
    is_in_place, unseen = node.target == "index_put_", is_unseen(x, node)
    with graph.inserting_before(node):
        flat, key = _flatten(graph, node, x, lists)
        if is_in_place and not unseen:
            call(graph, node, "index_add_", flat, 0, key, rows)
            result = x
        else:
            if unseen and x.target in _ZEROS:
                shape = _count(graph, node, x), *value.shape[2:]
                flat = call(graph, node, torch.zeros, shape, dtype=value.dtype, device=value.device)
            total = call(graph, node, "index_add", flat, 0, key, rows)
            result = call(graph, node, "view", total, -1, *value.shape[1:])
    if is_in_place and unseen:
        x.replace_all_uses_with(result, lambda user: user > result)
    node.replace_all_uses_with(result)
    graph.erase_node(node)


def _flatten(graph: Graph, node: Node, x: Node, lists: Any) -> tuple[Node, Node]:
    """The entries of all rows as rows, and the list of those that some lists pick: PyTorch raises its own errors."""
    value = value_of(x)
    flat = call(graph, node, "view" if value.is_contiguous() else "reshape", x, -1, *value.shape[len(lists) :])
    every = call(graph, node, torch.arange, _count(graph, node, x, len(lists)), device=value.device)
    numbers = call(graph, node, "view", every, -1, *value.shape[1 : len(lists)])
    return flat, call(graph, node, operator.getitem, numbers, tuple(lists))


def _count(graph: Graph, node: Node, x: Node, dims: int = 2) -> Node | int:
    """The number of entries of all rows, along the first dimensions."""
    entries = math.prod(value_of(x).shape[1:dims])
    if _is_table(x):
        return value_of(x).shape[0] * entries
    return call(graph, node, operator.mul, call(graph, node, torch.ops.aten.sym_size.int, x, 0), entries)


def _has_entries(x: Any) -> bool:
    value = value_of(x) if isinstance(x, Node) else None
    return (isinstance(value, Tensor) and value.is_floating_point() and value.dim() > 1
            and is_symbolic(value.shape[0]) and _is_size(value.shape[1:]))  # fmt: skip


def _is_table(x: Any) -> bool:
    """Whether a weight has an entry for each pair of two things, or for more of them: ``[R, R, F]``."""
    value = value_of(x) if isinstance(x, Node) else None
    return isinstance(value, Tensor) and value.is_floating_point() and is_weight(x) and _is_size(value.shape)


def _leading_lists(parts: tuple) -> tuple[Node, ...]:
    """The lists in front, where there are several."""
    lists = tuple(itertools.takewhile(lambda part: isinstance(part, Node), parts))
    return lists if len(lists) > 1 else ()


def _are_entries(x: Any, lists: Any, integers: set[Node]) -> bool:
    """Whether two lists name entries of rows."""
    return len(lists) == 2 and _has_entries(x) and _are_lists(lists, integers)


def _is_size(sizes: Any) -> bool:
    return all(type(size) is int and size > 0 for size in sizes)


def _are_lists(parts: Any, integers: set[Node]) -> bool:
    """Whether some indices are lists of as many integers, of nothing but integers."""
    if not all(isinstance(part, Node) and part in integers and isinstance(value_of(part), Tensor) for part in parts):
        return False
    values = [value_of(part) for part in parts]
    return (all(value.dim() == 1 and value.dtype in (torch.int64, torch.int32) for value in values)
            and all(holds_now(values[0].shape[0], operator.eq, value.shape[0]) for value in values[1:]))  # fmt: skip


def _are_whole(parts: Any) -> bool:
    return all(part is Ellipsis or part == slice(None) for part in parts)


def _is_of_each_row(index: Node, x: Node, dim: int) -> bool:
    """Whether an index is ``arange(len(x))``, and there are few entries along a dimension to choose from."""
    if index.target is not torch.arange or len(index.args) != 1:
        return False
    if value_of(x).shape[dim] > _MAX_CHOICES and not _is_picked(x):
        return False
    return expression_of(value_of(index).shape[0]) == expression_of(value_of(x).shape[0])


def _is_picked(x: Node) -> bool:
    """Whether a list or a mask picks the rows that a tensor has one for each of: its entries are no rows of a graph."""
    if private.free_unbacked_symbols(value_of(x).shape[0]):
        return True
    count, node = expression_of(value_of(x).shape[0]), x
    while node is not None:
        position = 1 if node.target is operator.getitem else 2 if node.target == "index_select" else len(node.args)
        index = node.args[position] if position < len(node.args) else None
        if isinstance(index, Node) and isinstance(value_of(index), Tensor):
            return True
        node = next((source for source in node.all_input_nodes if isinstance(value := value_of(source), Tensor)
                     and value.is_floating_point() and value.dim() > 0
                     and expression_of(value.shape[0]) == count), None)  # fmt: skip
    return False


def _is_column(index: Any, x: Node, integers: set[Node]) -> bool:
    """Whether an index is a column with a number for each row, of few."""
    value = value_of(index) if isinstance(index, Node) and index in integers else None
    return (isinstance(value, Tensor) and value.dtype == torch.int64 and value.dim() == 2 and value.shape[1] == 1
            and holds_now(value.shape[0], operator.eq, value_of(x).shape[0]))  # fmt: skip

"""Rows that a table of numbers picks, and columns that others are added to."""

from __future__ import annotations

import functools
import operator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.fx import Graph, Node

from ...expressions import is_symbolic
from ...functional import value_of
from ..changes import is_unseen, name_of
from ..emit import call

_MAX_LISTS = 64
_MAX_SUMMED = 1024  # products of columns, of which most are zero


def list_columns(graph: Graph) -> None:
    """``x[p]``, where rows of ``p`` have several numbers, becomes as many lists of rows, stacked. ``x.index_add(1,
    index, y)`` adds to each column the sum of those of ``y`` that belong to it, with the others zero."""
    for node in list(graph.nodes):
        x, index = (node.args[0], node.args[1]) if len(node.args) == 2 else (None, None)
        value = value_of(x) if isinstance(x, Node) else None
        if not isinstance(value, Tensor) or not value.is_floating_point():
            continue
        if node.target is operator.getitem and _is_table(index):
            _stack_rows(graph, node, x, index)
    for node in list(graph.nodes):
        if name_of(node) in ("index_add", "index_add_"):
            _add_columns(graph, node)
        if node.target is F.embedding and picks_plainly(node) and _is_table(node.args[0]):
            _stack_rows(graph, node, node.args[1], node.args[0])


def _add_columns(graph: Graph, node: Node) -> None:
    given = dict(zip(("input", "dim", "index", "source", "alpha"), node.args), **node.kwargs)
    x, index, source = given["input"], given["index"], given["source"]
    value, more, dim = value_of(x), value_of(source), given["dim"]
    if type(dim) is not int or value.dim() != more.dim() or value.dim() < 2 or not value.is_floating_point():
        return
    dim %= value.dim()
    count, length = value.shape[dim], more.shape[dim]
    if dim == 0 or type(count) is not int or type(length) is not int or not is_symbolic(value.shape[0]):
        return
    if count * length > _MAX_SUMMED or list(value_of(index).shape) != [length] or more.dtype != value.dtype:
        return
    if name_of(node) == "index_add_" and not is_unseen(x, node):
        return
    make = functools.partial(call, graph, node)
    with graph.inserting_before(node):
        columns = make(torch.arange, count, device=value.device)
        places = make("unsqueeze", make("index_select", columns, 0, index), 1)  # an error where there is none
        belongs = make("view", make(operator.eq, places, columns), *[1] * dim, length, count,
                       *[1] * (more.dim() - dim - 1))  # fmt: skip
        added = make("sum", make(torch.where, belongs, make("unsqueeze", source, dim + 1), 0.0), dim)
        result = make(torch.add, x, added, alpha=given.get("alpha", 1))
    if name_of(node) == "index_add_":
        x.replace_all_uses_with(result, lambda user: user > result)
    node.replace_all_uses_with(result)
    graph.erase_node(node)


def _is_table(index: Any) -> bool:
    value = value_of(index) if isinstance(index, Node) else None
    return (isinstance(value, Tensor) and value.dtype in (torch.int64, torch.int32) and value.dim() == 2
            and isinstance(value.shape[1], int) and 0 < value.shape[1] <= _MAX_LISTS
            and is_symbolic(value.shape[0]))  # fmt: skip


def picks_plainly(node: Node) -> bool:
    """Whether ``F.embedding`` gets indices and a table alone."""
    others = {name: value for name, value in node.kwargs.items() if value is not None and value is not False}
    return len(node.args) == 2 and not set(others) - {"norm_type"}


def _stack_rows(graph: Graph, node: Node, x: Node, table: Node) -> None:
    with graph.inserting_before(node):
        parts = []
        for number in range(value_of(table).shape[1]):
            rows = call(graph, node, "select", table, 1, number)
            # An embedding has no negative rows, which `x[p]` counts from the end.
            embeds = node.target is F.embedding
            parts.append(call(graph, node, F.embedding, rows, x) if embeds
                         else call(graph, node, operator.getitem, x, rows))  # fmt: skip
    node.op, node.target, node.args, node.kwargs = "call_function", torch.stack, (parts, 1), {}

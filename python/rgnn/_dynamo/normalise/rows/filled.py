"""Rows that are all the same one: of a weight, by a list that is filled with its number, or added to others."""

from __future__ import annotations

import operator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.fx import Graph, Node

from ...expressions import expression_of
from ...functional import value_of
from ...partition import storages
from ..emit import call
from ..integers import is_changed
from .columns import picks_plainly
from .slices import is_weight


def repeat_rows(graph: Graph) -> None:
    """``table.index_select(0, torch.full((n,), 3))`` becomes row 3, ``n`` times: to the compiler such a list is neither
    edges nor types."""
    for node in list(graph.nodes):
        table, index = _picked(node)
        if not isinstance(index, Node) or not isinstance(table, Node):
            continue
        value, filled = value_of(table), _filled(index)
        if filled is None or not isinstance(value, Tensor) or not value.is_floating_point() or value.dim() == 0:
            continue
        if not is_weight(table):  # of rows of a graph the list is an end of edges
            continue
        source, number = filled
        rows = value.shape[0]
        if not isinstance(rows, int) or not 0 <= number < rows or is_changed(graph, storages(source), source):
            continue
        with graph.inserting_before(node):
            count = call(graph, node, "size", index, 0)
            row = call(graph, node, torch.narrow, table, 0, number, 1)
            same = call(graph, node, "expand", row, count, *[-1] * (value.dim() - 1))
            made = call(graph, node, "clone", same)  # they may be changed, the table may not
        node.replace_all_uses_with(made)
        graph.erase_node(node)


def repeat_added_rows(graph: Graph) -> None:
    """``x.index_put((index,), row, accumulate=True)`` adds ``row.expand(len(index), -1)``, a row for each number."""
    for node in graph.nodes:
        if node.target not in ("index_put", "index_put_", torch.index_put, Tensor.index_put_):
            continue
        given = dict(zip(("input", "indices", "values", "accumulate"), node.args), **node.kwargs)
        x, indices, row = given["input"], given["indices"], given["values"]
        if given.get("accumulate") is not True or len(indices) != 1 or not isinstance(row, Node):
            continue
        index, shape = value_of(indices[0]), list(value_of(x).shape[1:])
        sizes, wanted = (list(map(expression_of, each)) for each in (value_of(row).shape, shape))
        if index.dtype not in (torch.int64, torch.int32) or index.dim() != 1 or sizes not in (wanted, [1, *wanted]):
            continue
        with graph.inserting_before(node):
            rows = call(graph, node, "expand", row, call(graph, node, "size", indices[0], 0), *shape)
        node.args, node.kwargs = (x, indices, rows, True), {}


def _picked(node: Node) -> tuple[Any, Any]:
    """The table and the list of a node that picks rows."""
    if node.target == "index_select" and len(node.args) == 3 and node.args[1] == 0:
        return node.args[0], node.args[2]
    if node.target is operator.getitem:
        return node.args
    return (node.args[1], node.args[0]) if node.target is F.embedding and picks_plainly(node) else (None, None)


def _filled(index: Node) -> tuple[Node, int] | None:
    """What fills a list of integers, and with which number."""
    source = index
    while source.target in ("to", "long", "contiguous", "view", "reshape", "flatten"):
        source = source.args[0]
    if any(not isinstance(value_of(each), Tensor) or value_of(each).dtype != torch.int64 or value_of(each).dim() != 1
           for each in (index, source)):  # fmt: skip
        return None
    name = source.target if isinstance(source.target, str) else getattr(source.target, "__name__", "")
    if name not in _FILLS:
        return None
    number = _FILLS[name]
    if number is None:
        number = source.kwargs.get("fill_value", source.args[-1] if len(source.args) > 1 else None)
    return (source, number) if type(number) is int else None


_FILLS = {"zeros": 0, "zeros_like": 0, "new_zeros": 0, "ones": 1, "ones_like": 1, "new_ones": 1, "full": None,
          "full_like": None, "new_full": None}  # fmt: skip

"""Rows that are one behind the other with a dimension in front of them, ``x.view(B * N, F)``, for a while."""

from __future__ import annotations

import functools
import math
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node, map_arg

from ...expressions import expression_of, is_symbolic
from ...functional import value_of
from ...partition import storages
from ..changes import changed_by, name_of
from ..emit import call

_VIEWS = ("view", "reshape", "flatten", "unflatten")
_OF_EACH_NUMBER = {
    "abs", "add", "clamp", "div", "dropout", "elu", "exp", "gelu", "leaky_relu", "log", "mul", "neg", "pow",
    "reciprocal", "relu", "rsqrt", "selu", "sigmoid", "silu", "softplus", "sqrt", "square", "sub", "tanh", "truediv",
}  # fmt: skip
_OF_EACH_ROW = {"layer_norm", "linear", "matmul"}


def leave_rows_apart(graph: Graph) -> None:
    """What is done to each row of ``x.view(B * N, F)``, up to ``y.view(B, N, G)``, is done to rows of ``[B, N, F]``::

        Before:  y = linear(x.reshape(B * N, F), w).relu().view(B, N, G)
        After:   y = linear(x, w).relu()

    Only where all that reads the merged rows ends so, and nothing is changed in place.
    """
    changed = {place for node in graph.nodes for source in changed_by(node) for place in storages(source)}
    for node in list(graph.nodes):
        if front := _dimensions_in_front(node):
            _Merged(graph, node, front).write(changed)


def _dimensions_in_front(node: Node) -> list[Any] | None:
    """Those of what a node merges into one, ``[B, N]``; None where it does not."""
    x = node.args[0] if name_of(node) in _VIEWS and node.args else None
    if not isinstance(x, Node) or not isinstance(value_of(x), Tensor) or not value_of(x).is_floating_point():
        return None
    shape, merged = value_of(x).shape, value_of(node).shape
    rows = [dim for dim, size in enumerate(shape) if is_symbolic(size)]
    if len(rows) != 1 or rows[0] == 0 or len(merged) == 0 or any(map(is_symbolic, merged[1:])) or 0 in shape[: rows[0]]:
        return None
    front = list(shape[: rows[0] + 1])
    return front if expression_of(merged[0]) == _product(front) else None


def _product(sizes: list[Any]) -> Any:
    return math.prod(map(expression_of, sizes))


class _Merged:
    """What is computed of merged rows, row by row.

    Args:
        graph: that has them.
        start: a view that merges rows with what is in front of them.
        front: the dimensions that it merges.
    """

    def __init__(self, graph: Graph, start: Node, front: list[Any]):
        self._graph, self._front = graph, front
        self._count = expression_of(value_of(start).shape[0])
        self._starts = {start}
        self._nodes = {start}  # with merged rows
        self._ends: set[Node] = set()  # that part them again

    def write(self, changed: set[int]) -> None:
        """Has each node compute the same of rows that are not merged; ``changed``: memory that is changed in place."""
        pending = list(self._starts)
        while pending:
            node = pending.pop()
            if not changed.isdisjoint(storages(node)):
                return
            sources = () if node in self._starts else filter(self._has_merged_rows, node.all_input_nodes)
            for other in (*sources, *node.users):
                if other in self._nodes or other in self._ends:
                    continue
                if other in node.users and self._parts(other):
                    self._ends.add(other)
                    continue
                if self._merges(other):
                    self._starts.add(other)
                elif not self._keeps(other):
                    return
                self._nodes.add(other)
                pending.append(other)
        is_computed = any(name_of(node) not in _VIEWS for node in self._nodes)
        if not self._ends or not is_computed or not all(map(self._is_of_merged, self._nodes)):
            return
        apart: dict[Node, Node] = {}
        for node in [node for node in self._graph.nodes if node in self._nodes or node in self._ends]:
            with self._graph.inserting_before(node):
                apart[node] = self._apart(node, apart)
        for node in self._ends:
            node.replace_all_uses_with(apart[node])
        for node in sorted(self._nodes | self._ends, reverse=True):
            self._graph.erase_node(node)

    def _has_merged_rows(self, node: Node) -> bool:
        value = value_of(node)
        return isinstance(value, Tensor) and value.dim() > 0 and expression_of(value.shape[0]) == self._count

    def _merges(self, node: Node) -> bool:
        """Whether a node merges the same dimensions."""
        front = _dimensions_in_front(node)
        return front is not None and list(map(expression_of, front)) == list(map(expression_of, self._front))

    def _parts(self, node: Node) -> bool:
        """Whether a node has merged rows be several dimensions again."""
        value = value_of(node)
        if name_of(node) not in _VIEWS or not isinstance(value, Tensor):
            return False
        rows = [dim for dim, size in enumerate(value.shape) if is_symbolic(size)]
        return len(rows) == 1 and rows[0] > 0 and _product(list(value.shape[: rows[0] + 1])) == self._count

    def _keeps(self, node: Node) -> bool:
        """Whether a node computes something of each merged row."""
        value, name = value_of(node), name_of(node)
        if not self._has_merged_rows(node) or not value.is_floating_point():
            return False
        if any(is_symbolic(size) or size == 0 for size in value.shape[1:]):
            return False
        if name in _VIEWS or name in _OF_EACH_NUMBER:
            return True
        if name == "layer_norm":
            return value.dim() > 1
        if name in _OF_EACH_ROW:
            return value.dim() > 1 and not any(source in self._nodes for source in node.all_input_nodes[1:])
        return name in ("cat", "concat") and self._is_joined_behind(node)

    def _is_joined_behind(self, node: Node) -> bool:
        given = dict(zip(("tensors", "dim"), node.args), **node.kwargs)
        return type(given.get("dim")) is int and given["dim"] % value_of(node).dim() > 0

    def _is_of_merged(self, node: Node) -> bool:
        """Whether what a node reads has merged rows that are known apart, too, or is the same for all rows."""
        if node in self._starts:
            return True
        rank = value_of(node).dim()
        for source in node.all_input_nodes:
            value = value_of(source)
            if source in self._nodes or not isinstance(value, Tensor):
                continue
            is_weight = name_of(node) in _OF_EACH_ROW and source is not node.args[0]
            if any(map(is_symbolic, value.shape)) or value.dim() >= rank and not is_weight:
                return False
            if is_weight and value.dim() > 2:
                return False
        return True

    def _apart(self, node: Node, apart: dict[Node, Node]) -> Node:
        """The same of rows that are not merged."""
        make = functools.partial(call, self._graph, node)
        if node in self._ends or name_of(node) in _VIEWS:
            source = node.args[0] if node in self._starts else apart[node.args[0]]
            value = value_of(node)
            if node in self._ends:
                number = next(dim for dim, size in enumerate(value.shape) if is_symbolic(size))
                shape = [*value.shape[:number], -1, *value.shape[number + 1 :]]
            else:
                shape = [*self._front[:-1], -1, *value.shape[1:]]
            same = [*map(expression_of, value_of(source).shape)]
            if len(same) == len(shape) and all(size == -1 or size == known for size, known in zip(shape, same)):
                return source
            return make("reshape", source, shape)
        if name_of(node) in ("cat", "concat"):
            given = dict(zip(("tensors", "dim"), node.args), **node.kwargs)
            behind = given["dim"] % value_of(node).dim() - value_of(node).dim()
            return make(torch.cat, [apart[source] for source in given["tensors"]], behind)
        args, kwargs = map_arg((node.args, node.kwargs), lambda source: apart.get(source, source))
        return make(node.target, *args, **kwargs)

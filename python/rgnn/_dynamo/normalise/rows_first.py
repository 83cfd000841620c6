"""Rows behind other dimensions come first at the edges of a graph, which is what regions take and give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node

from ..functional import expression_of, is_parameter, value_of
from ..movement import movements
from ..partition import storages
from .rows import made_of_integers


def bring_first(x: Tensor, dim: int) -> Tensor:
    """A copy whose rows, dimension ``dim``, come first."""
    return x.movedim(dim, 0).contiguous()


def bring_back(x: Tensor, dim: int) -> Tensor:
    """A copy whose rows, the first dimension, are dimension ``dim``."""
    return x.movedim(0, dim).clone(memory_format=torch.contiguous_format)  # which one row is, with other strides


BRINGS = (bring_first, bring_back)
"""Functions that PyTorch runs."""


def bring_rows_first(graph: Graph) -> None:
    """What is given with rows behind other dimensions is read as a view of a copy whose rows come first; what is a
    result is a view of such a copy, too."""
    moved = [(sizes, dim) for sizes, dim, _ in movements(graph) if dim > 0]
    if not moved:
        return
    integers = made_of_integers(graph)
    for node in list(graph.nodes):
        given = node.op == "placeholder" or node not in integers and integers.issuperset(node.all_input_nodes)
        dim = _row_dim(node, moved)
        if not given or not dim or not node.users or not value_of(node).is_contiguous():
            continue
        with graph.inserting_before(_after_placeholders(node)):
            first = _call(graph, node, bring_first, (node, dim), _moved_shape(node, dim))
            back = _call(graph, node, Tensor.movedim, (first, 0, dim), value_of(node).shape)
            same = _call(graph, node, Tensor.contiguous, (back,), value_of(node).shape)
        node.replace_all_uses_with(same, lambda user, first=first: user is not first)
    output = next(node for node in reversed(graph.nodes) if node.op == "output")
    given = {place for node in graph.nodes if node.op == "placeholder" for place in storages(node)}
    for node in output.all_input_nodes:
        dim = _row_dim(node, moved)
        if not dim or storages(node) & given or not value_of(node).is_contiguous():
            continue
        with graph.inserting_before(output):
            front = _call(graph, node, Tensor.movedim, (node, dim, 0), _moved_shape(node, dim))
            first = _call(graph, node, Tensor.contiguous, (front,), _moved_shape(node, dim))
            back = _call(graph, node, bring_back, (first, dim), value_of(node).shape)
        output.replace_input_with(node, back)


def _row_dim(node: Node, moved: list[tuple[torch.Size, int]]) -> int | None:
    """Which dimension of a tensor of floats the rows are: the only one whose size is a symbol, or that of rows of as
    many, behind the same, which the graph moves."""
    value = value_of(node)
    if not isinstance(value, Tensor) or not value.is_floating_point() or is_parameter(node):
        return None
    dims = [dim for dim, size in enumerate(value.shape) if isinstance(size, torch.SymInt)]
    if len(dims) == 1:
        return dims[0]
    found = list(map(expression_of, value.shape))
    alike = [dim for sizes, dim in moved if found[: dim + 1] == list(map(expression_of, sizes))[: dim + 1]]
    return alike[0] if alike and not dims else None


def _after_placeholders(node: Node) -> Node:
    following = node.next
    while following.op == "placeholder":
        following = following.next
    return following


def _moved_shape(node: Node, dim: int) -> list[Any]:
    """The sizes of a tensor whose dimension ``dim`` comes first."""
    sizes = list(value_of(node).shape)
    return [sizes[dim], *sizes[:dim], *sizes[dim + 1 :]]


def _call(graph: Graph, like: Node, function: Callable, args: tuple, shape: Any) -> Node:
    """A new node. What it gives is made by its shape alone: to ask for more of sizes would be a guard."""
    made = graph.call_function(function, args)
    value = value_of(like)
    made.meta = {key: value for key, value in like.meta.items() if key in _KEPT}
    made.meta["example_value"] = value.new_empty(shape, requires_grad=value.requires_grad)
    return made


_KEPT = ("stack_trace", "nn_module_stack", "rgnn_path")

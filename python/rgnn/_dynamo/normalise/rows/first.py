"""Rows behind other dimensions come first at the edges of a graph, which is what regions take and give."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node

from ...expressions import expression_of, is_contiguous, is_symbolic
from ...functional import is_parameter, value_of
from ...leading.movement import movements, moves_otherwise
from ...partition import storages
from ..changes import is_unseen
from ..integers import made_of_integers


def bring_first(x: Tensor, dim: int) -> Tensor:
    """A copy whose rows, dimension ``dim``, come first."""
    return x.movedim(dim, 0).contiguous()


def bring_back(x: Tensor, dim: int, order: Sequence[int] | None = None) -> Tensor:
    """A copy whose rows, the first dimension, are dimension ``dim``; ``order``: that of its dimensions in memory."""
    moved = x.movedim(0, dim)
    if order is None:
        return moved.clone(memory_format=torch.contiguous_format)  # which one row is, with other strides
    places = sorted(range(len(order)), key=order.__getitem__)
    return moved.permute(order).clone(memory_format=torch.contiguous_format).permute(places)


BRINGS = (bring_first, bring_back)
"""Functions that PyTorch runs."""


def bring_rows_first(graph: Graph, left: Collection[str]) -> None:
    """What is given with rows behind other dimensions is read as a view of a copy whose rows come first; what is a
    result is a view of such a copy, too. So is what PyTorch moves by no list, and gives, and what nodes do whose names
    are ``left``."""
    found = [(sizes, dim) for sizes, dim, _ in movements(graph)]
    moved = [(sizes, dim) for sizes, dim in found if dim > 0]
    rows = {expression_of(sizes[dim]) for sizes, dim in found}
    output = next(node for node in reversed(graph.nodes) if node.op == "output")
    results = {node for node in output.all_input_nodes if _is_late_result(node)}
    if not moved and not results and not any(
            _is_late(node, rows) for node in graph.nodes if node.op == "placeholder"):  # fmt: skip
        return
    others = [node for node in graph.nodes if moves_otherwise(node) or node.name in left]
    for node in others:
        _take_out_of_place(node)
    derived = _made_of_integers_alone(graph)
    outside = {node for node in graph.nodes if node.op == "placeholder"}.union(derived, others)
    for node in list(graph.nodes):
        dim = _row_dim(node, moved)
        if node in derived and derived.issuperset(node.users):
            continue
        if node not in outside or not dim or not node.users or not is_contiguous(value_of(node)):
            continue
        with graph.inserting_before(_after_placeholders(node)):
            first = _call(graph, node, bring_first, (node, dim), _moved_shape(node, dim))
            back = _call(graph, node, Tensor.movedim, (first, 0, dim), value_of(node).shape)
            same = _call(graph, node, Tensor.contiguous, (back,), value_of(node).shape)
        node.replace_all_uses_with(same, lambda user, first=first: user is not first and user not in derived)
    given = {place for node in graph.nodes if node.op == "placeholder" for place in storages(node)}
    for reader in [*others, output]:
        for node in reader.all_input_nodes:
            dim = _row_dim(node, moved)
            # What reads rows in another order in memory, and gives others, may as well read them in this one.
            if not dim and not (reader is output and node in results) or node in outside or storages(node) & given:
                continue
            reads_any = reader.name in left and not storages(node) & storages(reader)
            order = None if is_contiguous(value_of(node)) or reads_any else _order_in_memory(value_of(node))
            if not (is_contiguous(value_of(node)) or reads_any or order):
                continue
            with graph.inserting_before(reader):
                moved_shape = _moved_shape(node, dim)
                front = node if dim == 0 else _call(graph, node, Tensor.movedim, (node, dim, 0), moved_shape)
                first = _call(graph, node, Tensor.contiguous, (front,), moved_shape)
                back = _call(graph, node, bring_back, (first, dim, order), value_of(node).shape)
            reader.replace_input_with(node, back)


def _order_in_memory(value: Tensor) -> list[int] | None:
    """The dimensions of a tensor without gaps as they are in memory, the slowest first; None for others."""
    strides = [stride if isinstance(stride, int) else stride.node.hint for stride in value.stride()]
    if None in strides:
        return None
    order = sorted(range(value.dim()), key=lambda dim: -strides[dim])
    return order if is_contiguous(value.permute(order)) else None


def _made_of_integers_alone(graph: Graph) -> set[Node]:
    """Nodes whose numbers integers alone decide; PyTorch computes them once for a graph, but for comparisons of floats,
    which regions make where they read them."""
    found = made_of_integers(graph)
    for node in graph.nodes:
        if node.op not in ("call_function", "call_method") or not found.issuperset(node.all_input_nodes):
            continue
        compares = _is_truth(node) and any(map(_is_float, node.all_input_nodes))
        if not compares:
            found.add(node)
    return found


def _is_truth(node: Node) -> bool:
    return isinstance(value_of(node), Tensor) and value_of(node).dtype == torch.bool


def _is_float(node: Node) -> bool:
    return isinstance(value_of(node), Tensor) and value_of(node).is_floating_point()


def _take_out_of_place(node: Node) -> None:
    """Has what a node changes be a result of its own, where nobody else sees it."""
    if node.op == "call_method" and node.target.endswith("_") and is_unseen(node.args[0], node):
        changed, node.target = node.args[0], node.target.removesuffix("_")
        changed.replace_all_uses_with(node, lambda user: user > node)


def _row_dim(node: Node, moved: list[tuple[torch.Size, int]]) -> int | None:
    """Which dimension of a tensor of floats the rows are: the only one whose size is a symbol, or that of rows of as
    many, behind the same, which the graph moves."""
    value = value_of(node)
    if not isinstance(value, Tensor) or not value.is_floating_point() or is_parameter(node):
        return None
    dims = [dim for dim, size in enumerate(value.shape) if is_symbolic(size)]
    if len(dims) == 1:
        return dims[0]
    found = list(map(expression_of, value.shape))
    alike = [dim for sizes, dim in moved if found[: dim + 1] == list(map(expression_of, sizes))[: dim + 1]]
    return alike[0] if alike and not dims else None


def _is_late_result(node: Node) -> bool:
    """Whether rows are another dimension than the first, in a tensor or in memory, of what is no view."""
    dim = _row_dim(node, [])
    if dim is None or node.op == "placeholder" or any(storages(node) & storages(each) for each in node.all_input_nodes):
        return False
    return dim > 0 or not is_contiguous(value_of(node))


def _is_late(node: Node, rows: set[Any]) -> bool:
    """Whether a tensor has rows that the graph moves behind another dimension, as one of each step of time has."""
    dim = _row_dim(node, [])
    return bool(dim) and expression_of(value_of(node).shape[dim]) in rows


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

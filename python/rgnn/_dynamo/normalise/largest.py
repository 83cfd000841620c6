"""Which number of a row is the largest, as truths for each number: a row's ``argmax`` that is made a one and zeros."""

from __future__ import annotations

import operator

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.fx import Graph, Node

from ..decompositions.declare import is_short
from ..expressions import expression_of
from ..functional import value_of
from ..partition import storages
from .changes import changed_by, name_of
from .emit import call


def mark_largest(graph: Graph) -> None:
    """``one_hot(h.argmax(1), width)`` and ``zeros_like(h).scatter(1, h.argmax(1, True), 1.0)`` compare numbers of a row
    with its largest one; so for the smallest. Rows that are changed in place may have another by then."""
    changed = {place for node in graph.nodes for source in changed_by(node) if name_of(node) != "scatter_"
               for place in storages(source)}  # fmt: skip
    for node in list(graph.nodes):
        if name_of(node) in ("scatter", "scatter_") and not node.kwargs and len(node.args) == 4:
            _mark_by_scatter(graph, node, changed)
        elif node.target is F.one_hot:
            _mark_by_one_hot(graph, node, changed)


def _mark_by_scatter(graph: Graph, node: Node, changed: set[int]) -> None:
    into, dim, index, number = node.args
    found = _searched(index, changed)
    is_made = (into.op.startswith("call") and name_of(into) in ("zeros_like", "zeros", "new_zeros")
               and storages(into).isdisjoint(changed))  # fmt: skip
    if found is None or not is_made or isinstance(number, Node):
        return
    rows, searched, is_least, keeps = found
    value, made = value_of(rows), value_of(node)
    # What is set in place is seen by all that read it, before and after.
    is_own = len(into.users) == 1 or not name_of(node).endswith("_")
    is_like = list(map(expression_of, made.shape)) == list(map(expression_of, value.shape))
    if searched == dim % value.dim() and keeps and is_own and is_like:
        with graph.inserting_before(node):
            marks = call(graph, node, "to", _marks(graph, node, rows, searched, is_least), made.dtype)
            _replace(node, marks if number == 1 else call(graph, node, operator.mul, marks, number))


def _mark_by_one_hot(graph: Graph, node: Node, changed: set[int]) -> None:
    index, *count = [*node.args, *node.kwargs.values()]
    found = _searched(index, changed) if isinstance(index, Node) else None
    if found is None:
        return
    rows, searched, is_least, keeps = found
    value = value_of(rows)
    is_row = searched == value.dim() - 1 and not keeps and count == [value.shape[-1]]
    if is_row and all(map(_takes_truths, node.users, [node] * len(node.users))):
        with graph.inserting_before(node):
            _replace(node, _marks(graph, node, rows, searched, is_least))


def _takes_truths(user: Node, marks: Node) -> bool:
    """Whether a node gives the same for truths as for ones and zeros."""
    if name_of(user) in ("to", "type", "float", "double", "half", "bfloat16", "type_as"):
        return value_of(user).is_floating_point()
    others = [value_of(arg) for arg in user.args if isinstance(arg, Node) and arg is not marks]
    return name_of(user) == "mul" and any(isinstance(one, Tensor) and one.is_floating_point() for one in others)


def _searched(index: Node, changed: set[int]) -> tuple[Node, int, bool, bool] | None:
    """Of places of rows' largest numbers, or smallest ones: the rows, the dimension, whether they are of the smallest,
    and whether the dimension is kept."""
    call_of = index.args[0] if index.target is operator.getitem and index.args[1] == 1 else index
    name = name_of(call_of) if isinstance(call_of, Node) else ""
    if name not in (("max", "min") if call_of is not index else ("argmax", "argmin")):
        return None
    given = dict(zip(("input", "dim", "keepdim"), call_of.args), **call_of.kwargs)
    rows, dim = given["input"], given.get("dim")
    value = value_of(rows)
    if type(dim) is not int or not value.is_floating_point() or not is_short(value.shape[dim]):
        return None
    if not (storages(rows) | storages(index)).isdisjoint(changed):
        return None
    return rows, dim % value.dim(), name.endswith("min"), given.get("keepdim", False)


def _marks(graph: Graph, node: Node, rows: Node, dim: int, is_least: bool) -> Node:
    """Whether numbers are the first that is largest, or no number, in their row."""
    rows = call(graph, node, "detach", rows)
    most = call(graph, node, torch.amin if is_least else torch.amax, rows, dim, True)
    equal = call(graph, node, operator.eq, rows, most)
    found = call(graph, node, operator.or_, equal, call(graph, node, operator.ne, rows, rows))
    so_far = call(graph, node, torch.cumsum, call(graph, node, "to", found, value_of(rows).dtype), dim)
    return call(graph, node, operator.and_, found, call(graph, node, operator.eq, so_far, 1))


def _replace(node: Node, new: Node) -> None:
    node.replace_all_uses_with(new)
    node.graph.erase_node(node)

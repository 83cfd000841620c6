"""Which numbers of a row are the largest, as truths for each number: a row's ``argmax`` that is made a one and zeros,
and the few of its ``topk``, as experts are chosen."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.fx import Graph, Node

from ..decompositions.declare import is_short
from ..expressions import expression_of
from ..functional import value_of
from ..partition import storages
from .changes import changed_by, is_unseen, name_of
from .emit import call


def mark_largest(graph: Graph) -> None:
    """``one_hot(h.argmax(1), width)`` and ``zeros_like(h).scatter(1, h.argmax(1, True), 1.0)`` compare numbers of a row
    with its largest one; so for the smallest. Rows that are changed in place may have another by then."""
    changed = {place for node in graph.nodes for source in changed_by(node) if name_of(node) != "scatter_"
               for place in storages(source)}  # fmt: skip
    for node in list(graph.nodes):
        if name_of(node) == "topk" and node.op.startswith("call"):
            _mark_few(graph, node, changed)
    for node in list(graph.nodes):
        if name_of(node) in ("scatter", "scatter_") and not node.kwargs and len(node.args) == 4:
            _mark_by_scatter(graph, node, changed)
        elif node.target is F.one_hot:
            _mark_by_one_hot(graph, node, changed)


def _mark_by_scatter(graph: Graph, node: Node, changed: set[int]) -> None:
    into, dim, index, number = node.args
    found = _searched(index, changed)
    is_made = into.op.startswith("call") and name_of(into) in _ZEROS and storages(into).isdisjoint(changed)
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


def _marks(graph: Graph, node: Node, rows: Node, dim: int, is_least: bool, free: Node | None = None) -> Node:
    """Whether numbers are the first that is largest, or no number, in their row; of those that are free."""
    rows = call(graph, node, "detach", rows)
    most = call(graph, node, torch.amin if is_least else torch.amax, rows, dim, True)
    equal = call(graph, node, operator.eq, rows, most)
    found = call(graph, node, operator.or_, equal, call(graph, node, operator.ne, rows, rows))
    found = found if free is None else call(graph, node, operator.and_, found, free)
    so_far = call(graph, node, torch.cumsum, call(graph, node, "to", found, value_of(rows).dtype), dim)
    return call(graph, node, operator.and_, found, call(graph, node, operator.eq, so_far, 1))


@dataclass
class _Few:
    """The largest numbers of rows along a dimension, or the smallest."""

    rows: Node
    dim: int
    marks: list[Node]  # of the largest, the next, ...

    def pick(self, make: Callable[..., Node], other: Node) -> Node:
        """The numbers of other rows in their places."""
        zeros = [make(torch.where, mark, other, 0.0) for mark in self.marks]
        return make(torch.cat, [make("sum", part, self.dim, True) for part in zeros], self.dim)

    def put(self, make: Callable[..., Node], into: Node, given: Node | float) -> Node:
        """Rows with other numbers in their places, or truths that are true there alone."""
        if given is True:
            return functools.reduce(functools.partial(make, operator.or_), self.marks)
        for number, mark in enumerate(self.marks):
            part = make("narrow", given, self.dim, number, 1) if isinstance(given, Node) else given
            into = make(torch.where, mark, part, into)
        return into


def _mark_few(graph: Graph, node: Node, changed: set[int]) -> None:
    """``values, places = rows.topk(k)`` without the places, where nothing but ``gather`` and ``scatter`` reads them."""
    given = dict(zip(("input", "k", "dim", "largest", "sorted"), node.args), **node.kwargs)
    rows, count = given["input"], given["k"]
    value, dim = value_of(rows), given.get("dim", -1)
    parts = {user.args[1]: user for user in node.users if user.target is operator.getitem}
    if len(parts) != len(node.users) or not isinstance(value, Tensor) or value.dim() < 2 or type(dim) is not int:
        return
    is_few = type(count) is int and 0 < count <= _MAX_FEW and is_short(value.shape[dim]) and count <= value.shape[dim]
    if not is_few or not value.is_floating_point() or not (storages(rows) | storages(node)).isdisjoint(changed):
        return
    readers = list(parts[1].users) if 1 in parts else []
    if not all(_moves_by(user, parts[1], dim % value.dim(), value) for user in readers):
        return
    with graph.inserting_before(node):
        few = _find_few(graph, node, rows, count, dim % value.dim(), given.get("largest", True))
    for reader in readers:
        make = functools.partial(call, graph, reader)
        with graph.inserting_before(reader):
            if name_of(reader) == "gather":
                _replace(reader, few.pick(make, reader.args[0]))
            else:
                _replace(reader, few.put(make, reader.args[0], reader.args[3]))
    if 0 in parts:
        with graph.inserting_before(parts[0]):
            _replace(parts[0], few.pick(functools.partial(call, graph, parts[0]), rows))
    for left in (*[parts[place] for place in parts if place == 1], node):
        graph.erase_node(left)


_ZEROS = "zeros_like", "zeros", "new_zeros"
_MAX_FEW = 8  # each of which is a pass over the row


def _moves_by(reader: Node, places: Node, dim: int, like: Tensor) -> bool:
    """Whether a node picks numbers of rows by places, or puts others there in a copy."""
    is_gather = name_of(reader) == "gather"
    if not is_gather and name_of(reader) not in ("scatter", "scatter_"):
        return False
    if reader.kwargs or len(reader.args) != (3 if is_gather else 4):
        return False
    rows, along, index = reader.args[:3]
    value = value_of(rows)
    is_like = list(map(expression_of, value.shape)) == list(map(expression_of, like.shape))
    if index is not places or not is_like or along % like.dim() != dim:
        return False
    if is_gather:
        return value.is_floating_point()
    if name_of(reader) == "scatter_" and not (is_unseen(rows, reader) and len(rows.users) == 1):
        return False
    given = value_of(reader.args[3]) if isinstance(reader.args[3], Node) else reader.args[3]
    if value.dtype is torch.bool and given is True:
        return name_of(rows) in _ZEROS
    if not value.is_floating_point():
        return False
    if isinstance(given, Tensor):
        return list(map(expression_of, given.shape)) == list(map(expression_of, value_of(places).shape))
    return isinstance(given, (int, float))


def _find_few(graph: Graph, node: Node, rows: Node, count: int, dim: int, is_largest: bool) -> _Few:
    make = functools.partial(call, graph, node)
    plain, last = make("detach", rows), -math.inf if is_largest else math.inf
    marks: list[Node] = []
    free, left = None, plain
    for _ in range(count):
        found = _marks(graph, node, left, dim, not is_largest, free)
        marks.append(found)
        others = make(torch.logical_not, found)
        free = others if free is None else make(operator.and_, free, others)
        left = make(torch.where, free, plain, last)
    return _Few(rows, dim, marks)


def _replace(node: Node, new: Node) -> None:
    node.replace_all_uses_with(new)
    node.graph.erase_node(node)

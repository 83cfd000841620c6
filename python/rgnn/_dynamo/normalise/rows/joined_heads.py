"""Heads that are joined with rows, ``[H * B, ...]``, as attention over neighbours is often written, come behind them.

    q.permute(2, 0, 1, 3).reshape(-1, L, d)     of  [B, L, H, d]      becomes      q.permute(0, 2, 1, 3),  [B, H, L, d]
    torch.cat(q.split(d, 2), 0)                 of  [B, L, H * d]     becomes      the same of q.unflatten(2, (H, d))

What is computed of joined heads is computed of ``[B, H, ...]`` instead, up to where they are taken apart; where
something else reads them, nothing changes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import sympy
import torch
from torch import Tensor
from torch.fx import Graph, Node, map_arg

from ...expressions import expression_of, is_contiguous, is_symbolic
from ...functional import value_of
from ...partition import storages
from ..changes import name_of
from ..contexts import written_by
from ..emit import call


def part_heads(graph: Graph) -> None:
    """Has heads that are joined with rows behind these."""
    heads = _Heads(graph)
    for node in list(graph.nodes):
        heads.look_at(node)
    heads.finish()


class _Heads:
    """What a graph computes of joined heads.

    Attributes:
        behind: of each tensor with joined heads, ``[H * B, ...]``, the same as ``[B, H, ...]``.
    """

    def __init__(self, graph: Graph):
        self._graph = graph
        self.behind: dict[Node, Node] = {}
        self._parted: dict[Node, Node] = {}  # [H, B, ...], by what it is a view of
        self._pieces: dict[Node, Node] = {}  # a tensor for each head, and these, by what they are parts of
        self._results: dict[Node, Node] = {}  # what has rows first again
        self._made: dict[Node, list[Node]] = {}  # for each node
        self._groups: dict[Node, set[Node]] = {}  # what is rewritten together, or not at all
        self._left: set[Node] = set()  # for which there is no rule
        self._written = {place for node in graph.nodes for place in written_by(node)}
        self._sources: set[int] = set()  # the memory of what is opened
        self.node: Node | None = None  # that is rewritten: what is made comes in front of it

    def make(self, target: Callable | str, *args: Any, **settings: Any) -> Node:
        with self._graph.inserting_before(self.node):
            made = call(self._graph, self.node, target, *args, **settings)
        self._made.setdefault(self.node, []).append(made)
        return made

    def look_at(self, node: Node) -> None:
        self.node = node
        read = [source for source in node.all_input_nodes
                if source in self.behind or source in self._parted or source in self._pieces]  # fmt: skip
        if not read:
            opened = _opened(self, node)
            if opened is not None:
                self.behind[node], self._groups[node] = opened, {node}
                self._sources |= storages(opened)
                if (storages(node) | storages(opened)) & self._written:
                    self._left.add(node)  # a view would not do for a copy
            return
        group = set().union({node}, *(self._groups[source] for source in read))
        for each in group:
            self._groups[each] = group
        if storages(node) & self._written or not self._rewrite(node):
            self._left.add(node)

    def _rewrite(self, node: Node) -> bool:
        """Whether there is a rule for what a node computes."""
        if written_by(node) or node.op not in ("call_function", "call_method"):
            return False
        source = node.args[0] if node.args and isinstance(node.args[0], Node) else None
        if not node.users and source is not None and storages(node) & storages(source):
            return True  # a view that nobody reads
        if source in self._parted:
            order = _order_of(node)
            order = [_SWAPPED.get(dim, dim) for dim in order] if order is not None else None
            if order is None or order[0] != 0 or len(node.all_input_nodes) > 1:
                return False
            if storages(self._parted[source]) & self._sources:
                return False  # nothing was computed: it is a copy
            self._results[node] = self.make("permute", self._parted[source], *order)
            return True
        if name_of(node) in _VIEWS and source in self.behind and self._is_parted(node, source):
            self._parted[node] = self.behind[source]
            return True
        if name_of(node) in _SPLITS and source in self.behind and self._is_split(node, source):
            self._pieces[node] = self.behind[source]
            return True
        if node.target is operator.getitem and source in self._pieces:
            self._pieces[node] = self._pieces[source]
            return True
        if node.target is torch.cat and (result := self._side_by_side(node)) is not None:
            self._results[node] = result
            return True
        rule = _RULES.get(name_of(node))
        if rule is None or rule not in (_apply, _multiply) and source not in self.behind:
            return False
        made = rule(self, node)
        if made is not None:
            self.behind[node] = made
        return made is not None

    def _is_parted(self, node: Node, source: Node) -> bool:
        """Whether a view of joined heads is ``[H, B, ...]``."""
        count, heads, *others = map(expression_of, value_of(self.behind[source]).shape)
        return list(map(expression_of, value_of(node).shape)) == [heads, count, *others]

    def _is_split(self, node: Node, source: Node) -> bool:
        """Whether parts of joined heads are a head each."""
        count, heads, *others = map(expression_of, value_of(self.behind[source]).shape)
        shapes = [list(map(expression_of, value.shape)) for value in value_of(node)]
        return all(shape == [count, *others] for shape in shapes) and len(shapes) == heads

    def _side_by_side(self, node: Node) -> Node | None:
        """Heads that are joined within a row, ``[B, L, H * d]``."""
        parts, dim = _parts_of(node)
        split = _split_of(parts)
        if split not in self._pieces or dim == 0:
            return None
        behind = self._pieces[split]
        rank = value_of(behind).dim()
        moved = self.make("permute", behind, 0, *range(2, dim + 1), 1, *range(dim + 1, rank))
        return self.make("flatten", moved, dim, dim + 1)

    def finish(self) -> None:
        """Puts what was made in the place of what was read, or takes it out again."""
        left = set().union(*(self._groups[node] for node in self._left))
        for node in reversed(list(self._groups)):
            if node in left:
                for made in reversed(self._made.get(node, ())):
                    self._graph.erase_node(made)
            elif node in self._results:
                node.replace_all_uses_with(self._results[node])
        for node in reversed(list(self._groups)):
            if node not in left and not node.users:
                self._graph.erase_node(node)


_SWAPPED = {0: 1, 1: 0}
_VIEWS = ("view", "reshape")
_SPLITS = ("split", "chunk", "tensor_split")


def _parts_of(node: Node) -> tuple[Sequence[Any], int]:
    """What a node joins, and along which dimension; nothing where it does something else."""
    given = dict(zip(("tensors", "dim"), node.args), **node.kwargs)
    parts, dim = given.get("tensors"), given.get("dim", 0)
    if node.target is not torch.cat or not isinstance(parts, (list, tuple)) or type(dim) is not int:
        return (), 0
    return parts, dim % value_of(node).dim()


def _split_of(parts: Sequence[Any]) -> Node | None:
    """The node that gives parts of a tensor, if these are all of them in their order."""
    if not parts or not all(isinstance(part, Node) and part.target is operator.getitem for part in parts):
        return None
    split = parts[0].args[0]
    are_all = [part.args for part in parts] == [(split, number) for number in range(len(parts))]
    return split if are_all and name_of(split) in _SPLITS and len(value_of(split)) == len(parts) else None


def _order_of(node: Node) -> list[int] | None:
    """In which order a node has the dimensions of what it reads; None where it does something else."""
    value = value_of(node)
    if not isinstance(value, Tensor) or name_of(node) not in ("permute", "transpose", "swapaxes", "movedim"):
        return None
    dims = node.args[1] if len(node.args) == 2 else node.args[1:]
    if node.kwargs or not isinstance(dims, (list, tuple)) or any(type(dim) is not int for dim in dims):
        return None
    order = list(range(value.dim()))
    if name_of(node) == "permute":
        return [order[dim] for dim in dims]
    if len(dims) != 2:
        return None
    if name_of(node) == "movedim":
        order.insert(order[dims[1]], order.pop(dims[0]))
    else:
        order[dims[0]], order[dims[1]] = order[dims[1]], order[dims[0]]
    return order


def _opened(heads: _Heads, node: Node) -> Node | None:
    """The rows and heads that a node joins, rows first."""
    if name_of(node) == "repeat":
        return _repeated(heads, node)
    if node.target is torch.cat:
        return _joined(heads, node)
    if name_of(node) not in _VIEWS or not isinstance(node.args[0], Node):
        return None
    moved = node.args[0]
    while name_of(moved) in ("contiguous", "clone") and not moved.kwargs:
        moved = moved.args[0]
    order = _order_of(moved)
    if order is None or len(order) < 3 or order[1] != 0:
        return None
    count, *others = value_of(node).shape
    number, rows, *inner = value_of(moved).shape
    is_joined = expression_of(count) == sympy.expand(expression_of(number) * expression_of(rows))
    if not is_joined or type(number) is not int or not is_symbolic(rows) or list(others) != list(inner):
        return None
    return heads.make("permute", moved.args[0], order[1], order[0], *order[2:])


def _joined(heads: _Heads, node: Node) -> Node | None:
    """``torch.cat(x.split(d, 2), 0)``: heads are parts of a row."""
    parts, dim = _parts_of(node)
    split = _split_of(parts)
    if split is None or dim != 0 or not split.args or not isinstance(split.args[0], Node):
        return None
    whole, shapes = value_of(split.args[0]), [list(value.shape) for value in value_of(split)]
    rows, *sizes = shapes[0]
    others = [along for along in range(1, whole.dim()) if type(whole.shape[along]) is int
              and whole.shape[along] == sizes[along - 1] * len(parts) and len(parts) > 1]  # fmt: skip
    is_same = all(type(size) is int for size in sizes) and all(shape[1:] == sizes for shape in shapes)
    if len(others) != 1 or not is_same or not is_symbolic(rows):
        return None
    (along,) = others
    parted = heads.make("unflatten", split.args[0], along, (len(parts), sizes[along - 1]))
    return heads.make("permute", parted, 0, along, *(each for each in range(1, whole.dim() + 1) if each != along))


def _repeated(heads: _Heads, node: Node) -> Node | None:
    """``mask.repeat(H, 1, 1)``: the same for all heads."""
    times = node.args[1] if len(node.args) == 2 and isinstance(node.args[1], (list, tuple)) else node.args[1:]
    value = value_of(node.args[0])
    is_of_rows = len(times) == value.dim() > 1 and type(times[0]) is int and is_symbolic(value.shape[0])
    if not is_of_rows or times[0] < 2 or any(type(each) is not int or each != 1 for each in times[1:]):
        return None
    return heads.make("unsqueeze", node.args[0], 1)


# Rules


def _behind(dim: int) -> int:
    """The dimension of ``[B, H, ...]`` that one of ``[H * B, ...]``, but the first, is."""
    return dim + 1 if dim > 0 else dim


def _apply(heads: _Heads, node: Node) -> Node | None:
    """What works on each number."""
    rank = value_of(node).dim()
    if not _have_same_heads(heads, node):
        return None
    for source in node.all_input_nodes:
        value = value_of(source)
        if source in heads.behind:
            if value.dim() != rank:
                return None
        elif isinstance(value, Tensor) and (value.dim() >= rank or any(map(is_symbolic, value.shape))):
            return None
    args, settings = (map_arg(given, lambda source: heads.behind.get(source, source))
                      for given in (node.args, node.kwargs))  # fmt: skip
    return heads.make(node.target, *args, **settings)


def _have_same_heads(heads: _Heads, node: Node) -> bool:
    """Whether all that a node reads has as many rows, and as many heads, or the same for all of them."""
    shapes = [value_of(heads.behind[source]).shape for source in node.all_input_nodes if source in heads.behind]
    return (len({expression_of(shape[0]) for shape in shapes}) == 1
            and len({shape[1] for shape in shapes if shape[1] != 1}) <= 1)  # fmt: skip


def _along(heads: _Heads, node: Node) -> Node | None:
    """What works along a dimension that is given behind the tensor."""
    source, *others = node.args
    dim = others.pop(0) if others else node.kwargs.get("dim")
    if type(dim) is not int or _is_of_rows(dim, value_of(source)):
        return None
    settings = {name: value for name, value in node.kwargs.items() if name != "dim"}
    return heads.make(node.target, heads.behind[source], _behind(dim), *others, **settings)


def _is_of_rows(dim: int, value: Tensor) -> bool:
    return dim % value.dim() == 0


def _reorder(heads: _Heads, node: Node) -> Node | None:
    order = _order_of(node)
    if order is None or order[0] != 0:
        return None
    return heads.make("permute", heads.behind[node.args[0]], 0, 1, *(dim + 1 for dim in order[1:]))


def _multiply(heads: _Heads, node: Node) -> Node | None:
    factors = node.args
    if len(factors) != 2 or node.kwargs or not _have_same_heads(heads, node):
        return None
    if any(factor not in heads.behind or value_of(factor).dim() != 3 for factor in factors):
        return None
    return heads.make(torch.matmul, *(heads.behind[factor] for factor in factors))


def _drop(heads: _Heads, node: Node) -> Node | None:
    """Dropout, whose mask is drawn for joined heads as it would be."""
    given = dict(zip(_OF_DROPOUT, node.args), **node.kwargs)
    behind = heads.behind[given["input"]]
    rows, number, *inner = value_of(behind).shape
    if given.get("inplace"):
        return None
    if not given.get("training", True) or given.get("p", 0.5) == 0:
        return behind
    if number == 1 or any(type(size) is not int for size in inner) or not is_contiguous(value_of(given["input"])):
        return None  # masks are drawn in the order that the numbers have in memory
    value = value_of(behind)
    count = heads.make(torch.ops.aten.sym_size.int, behind, 0)
    ones = heads.make(torch.ones, (heads.make(operator.mul, count, number), *inner), dtype=value.dtype,
                      device=value.device)  # fmt: skip
    drawn = heads.make("view", heads.make(node.target, ones, *node.args[1:], **node.kwargs), number, count, *inner)
    return heads.make("mul", behind, heads.make("permute", drawn, 1, 0, *range(2, value.dim())))


_OF_DROPOUT = "input", "p", "training", "inplace"


def _keep(heads: _Heads, node: Node) -> Node | None:
    return heads.behind[node.args[0]] if len(node.args) == 1 else None


_NUMBERS: Sequence[str] = (
    "add", "sub", "mul", "div", "truediv", "true_divide", "neg", "exp", "relu", "leaky_relu", "elu", "gelu", "tanh",
    "sigmoid", "masked_fill", "where", "eq", "ne", "gt", "lt", "ge", "le", "logical_not", "invert", "clamp",
)  # fmt: skip
_RULES: dict[str, Callable[[_Heads, Node], Node | None]] = {
    **dict.fromkeys(_NUMBERS, _apply),
    **dict.fromkeys(("softmax", "log_softmax", "sum", "mean", "amax", "amin"), _along),
    **dict.fromkeys(("permute", "transpose", "swapaxes"), _reorder),
    **dict.fromkeys(("bmm", "matmul", "__matmul__"), _multiply),
    "dropout": _drop, "contiguous": _keep,
}  # fmt: skip
"""What is computed of ``[B, H, ...]`` for what a node computes of ``[H * B, ...]``; None where that is not possible."""

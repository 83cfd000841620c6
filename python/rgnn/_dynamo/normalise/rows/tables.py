"""Tables of neighbours, ``[N, K]``, whose width differs from batch to batch, as padded lists of molecules have.

    h[table].sum(1)      becomes      h.index_select(0, table.flatten()), added up by the nodes 0, 0, ..., 1, 1, ...

What has the rows ``[N, K, ...]`` has those of ``N * K`` edges instead; what no rule knows reads a view of them.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import sympy
import torch
from torch import Tensor
from torch.fx import Graph, Node

from ...expressions import expression_of, is_symbolic
from ...functional import fake_mode, value_of
from ..changes import changed_by, name_of
from ..emit import call
from .slices import holds_now


def flatten_tables(graph: Graph) -> None:
    """Writes what is computed for each node and neighbour for each edge, where the number of neighbours is a symbol."""
    tables: dict[tuple, _Table] = {}
    for node in list(graph.nodes):
        picked, is_flat = _picked_by(node)
        if picked is not None and _sizes_of(picked) not in tables and _is_table(picked, is_flat):
            tables[_sizes_of(picked)] = _Table(graph, picked)
    if not tables or any(_sizes_of(each) in tables for node in graph.nodes for each in changed_by(node)):
        return
    for node in list(graph.nodes):
        for table in tables.values():
            table.rewrite(node)
    for table in tables.values():
        table.finish()


def _picked_by(node: Node) -> tuple[Node | None, bool]:
    """The table by which a node picks rows, and whether these are one behind the other."""
    if node.target is operator.getitem and isinstance(node.args[1], Node):
        return node.args[1], False
    if name_of(node) == "index_select":
        index = node.kwargs.get("index", node.args[-1])
        if isinstance(index, Node) and index.target in _FLAT:
            return index.args[0], True
    return None, False


_FLAT = ("view", "reshape", "flatten", torch.reshape, torch.flatten)


def _is_table(node: Node, is_flat: bool) -> bool:
    """Whether a node gives integers in a table whose width is a symbol, or whose rows are picked one behind the other:
    of others a kernel has all neighbours of a node side by side."""
    value = value_of(node)
    if not isinstance(value, Tensor) or value.dtype not in (torch.int64, torch.int32) or value.dim() != 2:
        return False
    count, width = value.shape
    return is_symbolic(count) and (is_symbolic(width) or is_flat) and len(set(_sizes_of(node))) == 2


def _sizes_of(node: Node) -> tuple:
    value = value_of(node)
    return tuple(map(expression_of, value.shape[:2])) if isinstance(value, Tensor) else ()


class _Table:
    """What a graph computes of the rows of one table, or of several of the same sizes."""

    def __init__(self, graph: Graph, table: Node):
        self._graph, self.table, self.sizes = graph, table, _sizes_of(table)
        self.count = sympy.expand(self.sizes[0] * self.sizes[1])
        self.flat: dict[Node, Node] = {}  # by the nodes that have the rows ``[N, K]``
        self._replaced: set[Node] = set()
        self._made: tuple[Node, Node] | None = None
        self.node = table  # in whose place new ones are

    def rewrite(self, node: Node) -> None:
        rule = _RULES.get(name_of(node))
        is_source = self.has_rows(node) and not any(each in self.flat for each in node.all_input_nodes)
        if rule is None or node.op not in ("call_function", "call_method"):
            return
        if not is_source and not any(each in self.flat for each in node.all_input_nodes):
            return
        self.node = node
        with self._graph.inserting_before(node):
            made = rule(self, *node.args, **node.kwargs)
        if made is None:
            return
        if self.has_rows(node):
            self.flat[node] = made
        else:
            node.replace_all_uses_with(made)
            self._replaced.add(node)

    def finish(self) -> None:
        """What reads rows otherwise reads a view of those of edges."""
        for node, flat in self.flat.items():
            if not any(value_of(each).is_floating_point() for each in (node, *node.all_input_nodes)
                       if isinstance(value_of(each), Tensor)):  # fmt: skip
                continue  # PyTorch compares integers, once for a graph
            for user in list(node.users):
                if user in self.flat or user in self._replaced or isinstance(value_of(user), torch.SymInt | torch.Size):
                    continue
                self.node = node
                with self._graph.inserting_before(user):
                    shape = value_of(node).shape
                    view = self.shaped("view", flat, shape, self.size(0), self.size(1), *shape[2:])
                    user.replace_input_with(node, view)
        for node in reversed([*self._graph.nodes]):
            if (node in self.flat or node in self._replaced) and not node.users:
                self._graph.erase_node(node)

    def has_rows(self, node: Any) -> bool:
        """Whether it is floats, or truths, with a row for each node and neighbour."""
        if not isinstance(node, Node) or _sizes_of(node) != self.sizes:
            return False
        return value_of(node).is_floating_point() or value_of(node).dtype is torch.bool

    def make(self, target: Callable | str, *args: Any, **settings: Any) -> Node:
        return call(self._graph, self.node, target, *args, **settings)

    def shaped(self, target: str, x: Node, shape: Any, *args: Any) -> Node:
        """The numbers of ``x`` in another shape. To ask PyTorch for it would be a guard."""
        made, value, strides = self._graph.call_method(target, (x, *args)), value_of(x), [1]
        for size in reversed(shape[1:]):
            strides.insert(0, strides[0] * size)
        with fake_mode([value]):
            view = value.as_strided(shape, strides)
        made.meta = {**self.node.meta, "example_value": view}
        return made

    def flattened(self, x: Node) -> Node:
        """The rows of a table of its sizes as those of edges."""
        count, width, *rest = value_of(x).shape
        return self.shaped("flatten", x, (count * width, *rest), 0, 1)

    def rows(self, x: Node, shape: Any) -> Node:
        """Rows of edges, each in another shape."""
        count = value_of(x).shape[0]
        return self.shaped("reshape", x, (count, *shape), self.make(torch.ops.aten.sym_size.int, x, 0), *shape)

    def size(self, dim: int) -> Node:
        return self.make(torch.ops.aten.sym_size.int, self.table, dim)

    def nodes(self) -> Node:
        """The node of each edge."""
        return self._lists()[0]

    def ends(self, table: Node) -> Node:
        """What a table of its sizes has, one behind the other; to pick it asks for no layout."""
        return self.make(operator.getitem, table, self._lists())

    def _lists(self) -> tuple[Node, Node]:
        if self._made is None:
            with self._graph.inserting_before(self.table.next):
                count = self.make(operator.mul, self.size(0), self.size(1))
                edges = self.make(torch.arange, count, device=value_of(self.table).device)
                self._made = tuple(self.make(function, edges, self.size(1))
                                   for function in (operator.floordiv, operator.mod))  # fmt: skip
        return self._made

    def aligned(self, x: Any, rank: int) -> Any:
        """What a function of ``rank`` dimensions reads, for edges; None where it is not known how."""
        if not isinstance(x, Node) or not isinstance(value_of(x), Tensor):
            return x
        if x in self.flat:
            return self.flat[x]
        shape = value_of(x).shape
        if len(shape) <= rank - 2:
            return x
        if len(shape) == rank and _sizes_of(x) == self.sizes:
            return self.flattened(x) if value_of(x).is_floating_point() or rank > 2 else self.ends(x)
        if len(shape) == rank and type(shape[1]) is int and shape[1] == 1:
            if _sizes_of(x)[0] == self.sizes[0]:
                return self.make("index_select", self.make("squeeze", x, 1), 0, self.nodes())
            if type(shape[0]) is int and shape[0] == 1:
                return self.make("squeeze", self.make("squeeze", x, 0), 0)
        return None


def _pick(table: _Table, x: Node, index: Any) -> Node | None:
    if x in table.flat:
        return _part(table, x, index)
    if not isinstance(index, Node) or _sizes_of(index) != table.sizes or not value_of(x).is_floating_point():
        return None
    if value_of(index).dim() > 2 or value_of(index).dtype is torch.bool:
        return None
    return table.make("index_select", x, 0, table.ends(index))


def _part(table: _Table, x: Node, index: Any) -> Node | None:
    """Of each row."""
    parts = index if isinstance(index, tuple) else (index,)
    if not parts or any(isinstance(part, Node) for part in parts):
        return None
    if parts[0] is Ellipsis and sum(part is not None for part in parts[1:]) <= value_of(x).dim() - 2:
        return table.make(operator.getitem, table.flat[x], parts)
    if len(parts) > 1 and parts[:2] == (slice(None), slice(None)):
        return table.make(operator.getitem, table.flat[x], parts[1:])
    return None


def _shape(table: _Table, x: Node, *shape: Any, **named: Any) -> Node | None:
    """What has been picked by the table's numbers in a row; views of each row; and rows of edges again."""
    if named:
        return None
    found, given = value_of(table.node).shape, value_of(x).shape
    if x not in table.flat:
        same = sympy.expand(expression_of(given[0])) == table.count if len(given) else False
        if not same:
            return None
        return x if list(map(expression_of, found[2:])) == list(map(expression_of, given[1:])) else table.rows(
            x, found[2:])  # fmt: skip
    flat = table.flat[x]
    if _sizes_of(table.node) == table.sizes:
        rest = found[2:]
    elif len(found) and sympy.expand(expression_of(found[0])) == table.count:
        rest = found[1:]
    else:
        return None
    if any(map(is_symbolic, rest)):
        return None
    return table.rows(flat, rest)


def _flatten(table: _Table, x: Node, start_dim: int = 0, end_dim: int = -1) -> Node | None:
    return _shape(table, x)


def _expand(table: _Table, x: Node, *sizes: Any) -> Node | None:
    rank = value_of(table.node).dim()
    rows = table.aligned(x, rank) if x not in table.flat else None
    found = value_of(table.node).shape[2:]
    if rows is None or not table.has_rows(table.node):
        return None
    if list(map(expression_of, value_of(rows).shape[1:])) != list(map(expression_of, found)):
        return None
    return rows


def _apply(table: _Table, *args: Any, **settings: Any) -> Node | None:
    """What is done to each number."""
    rank, read = value_of(table.node).dim(), {}
    torch.fx.map_arg((args, settings), lambda x: read.setdefault(x, table.aligned(x, rank)))
    if None in read.values():
        return None
    args, settings = torch.fx.map_arg((args, settings), read.__getitem__)
    return table.make(table.node.target, *args, **settings)


def _first(table: _Table, x: Node, *args: Any, **settings: Any) -> Node | None:
    """What is done to each row, with weights."""
    return table.make(table.node.target, table.flat[x], *args, **settings) if x in table.flat else None


def _cat(table: _Table, parts: Any, dim: int = 0) -> Node | None:
    rank = value_of(table.node).dim()
    rows = [table.aligned(part, rank) if table.has_rows(part) else None for part in parts]
    if None in rows or dim % rank < 2:
        return None
    return table.make(table.node.target, rows, dim % rank - 1)


def _unsqueeze(table: _Table, x: Node, dim: int) -> Node | None:
    rank = value_of(table.node).dim()
    return table.make("unsqueeze", table.flat[x], dim % rank - 1) if x in table.flat and dim % rank >= 2 else None


def _squeeze(table: _Table, x: Node, dim: int | None = None) -> Node | None:
    place = None if type(dim) is not int else dim % value_of(x).dim()
    return table.make("squeeze", table.flat[x], place - 1) if x in table.flat and place and place >= 2 else None


def _reduce(kind: str, table: _Table, x: Node, dim: Any = None, keepdim: bool = False, **named: Any) -> Node | None:
    dims = [dim] if type(dim) is int else dim
    if named or x not in table.flat or not dims or len(dims) != 1 or type(keepdim) is not bool:
        return None
    place, flat = dims[0] % value_of(x).dim(), table.flat[x]
    if place > 1:
        return table.make(table.node.target, flat, place - 1, keepdim)
    if place == 0 or value_of(x).dtype is torch.bool:
        return None
    if kind in ("max", "min") and not holds_now(value_of(x).shape[1], operator.ge, 1):
        return None  # PyTorch's error
    if kind in ("max", "min"):
        made = table.make(torch.ops.rgnn.aggregate, flat, table.nodes(), table.size(0), kind)
    else:
        like = value_of(flat)
        zeros = table.make(torch.zeros, (table.size(0), *like.shape[1:]), dtype=like.dtype, device=like.device)
        made = table.make("index_add", zeros, 0, table.nodes(), flat)
    made = table.make(operator.truediv, made, table.size(1)) if kind == "mean" else made
    return table.make("unsqueeze", made, 1) if keepdim else made


def _extreme(kind: str, table: _Table, x: Node, dim: Any = None, keepdim: bool = False) -> Node | None:
    """The greatest ones without their places."""
    users = list(table.node.users)
    if type(dim) is not int or not users or any(
            user.target is not operator.getitem or user.args[1] != 0 for user in users):  # fmt: skip
        return None
    if x not in table.flat or dim % value_of(x).dim() != 1:
        return None
    made = _reduce(kind, table, x, dim, keepdim)
    if made is not None:
        for user in users:
            user.replace_all_uses_with(made)
            table._replaced.add(user)
    return None


def _softmax(table: _Table, x: Node, dim: Any = None, **named: Any) -> Node | None:
    if x not in table.flat or type(dim) is not int or any(value not in (None, 3) for value in named.values()):
        return None
    place, flat = dim % value_of(x).dim(), table.flat[x]
    if place > 1:
        return table.make(table.node.target, flat, place - 1)
    if place == 0:
        return None
    return table.make(torch.ops.rgnn.edge_softmax, flat, table.nodes(), table.size(0))


_RULES: dict[str, Callable] = {
    **dict.fromkeys(("add", "sub", "rsub", "mul", "truediv", "div", "pow", "neg", "abs", "exp", "log", "sqrt", "rsqrt",
                     "square", "sin", "cos", "tanh", "sigmoid", "relu", "leaky_relu", "elu", "selu", "gelu", "silu",
                     "softplus", "celu", "relu6", "hardtanh", "mish", "logsigmoid", "clamp", "clamp_min", "clamp_max",
                     "where", "masked_fill", "eq", "ne", "lt", "le", "gt", "ge", "maximum", "minimum", "dropout",
                     "to", "float", "double", "type_as", "contiguous", "clone", "detach",
                     "logical_not", "logical_and", "logical_or", "and_", "or_", "invert"), _apply),
    "getitem": _pick, "linear": _first, "layer_norm": _first, "prelu": _first, "cat": _cat, "concat": _cat,
    "unsqueeze": _unsqueeze, "squeeze": _squeeze,
    "view": _shape, "reshape": _shape, "flatten": _flatten, "expand": _expand,
    "softmax": _softmax, "sum": functools.partial(_reduce, "sum"), "mean": functools.partial(_reduce, "mean"),
    "amax": functools.partial(_reduce, "max"), "amin": functools.partial(_reduce, "min"),
    "max": functools.partial(_extreme, "max"), "min": functools.partial(_extreme, "min"),
}  # fmt: skip
"""By the names of functions and methods."""

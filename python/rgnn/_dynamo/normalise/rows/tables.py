"""Tables of neighbours, ``[N, K]``, whose width differs from batch to batch, as padded lists of molecules have.

    h[table].sum(1)      becomes      h[table.flatten()], added up by the nodes 0, 0, ..., 1, 1, ...

What has the rows ``[N, K, ...]`` has those of ``N * K`` edges instead; what no rule knows reads a view of them.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from typing import Any

import sympy
import torch
from torch import Tensor
from torch.fx import Graph, Node

from ...expressions import is_symbolic
from ...functional import fake_mode, value_of
from ..changes import changed_by, name_of
from ..emit import call
from .table_rules import apply, rule_of, sizes_of


def flatten_tables(graph: Graph) -> None:
    """Writes what is computed for each node and neighbour for each edge, where the number of neighbours is a symbol, or
    all are normalised together."""
    tables: dict[tuple, Table] = {}
    for node in list(graph.nodes):
        picked, is_flat = _picked_by(node)
        if picked is not None and sizes_of(picked) not in tables and _is_table(graph, picked, is_flat):
            tables[sizes_of(picked)] = Table(graph, picked)
    if not tables or any(sizes_of(each) in tables and rule_of(node) is not apply
                         for node in graph.nodes for each in changed_by(node)):  # fmt: skip
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
    if name_of(node) == "embedding":
        return node.kwargs.get("input", next(iter(node.args), None)), False
    if name_of(node) == "index_select":
        index = node.kwargs.get("index", next(reversed(node.args), None))
        if isinstance(index, Node) and index.target in _FLAT:
            return next(iter(index.args), None), True
    return None, False


_FLAT = ("view", "reshape", "flatten", torch.reshape, torch.flatten)


def _is_table(graph: Graph, node: Node, is_flat: bool) -> bool:
    """Whether a node gives integers in a table whose width is a symbol, or whose rows are picked, or normalised, one
    behind the other: of others a kernel has all neighbours of a node side by side."""
    value = value_of(node)
    if not isinstance(value, Tensor) or value.dtype not in (torch.int64, torch.int32) or value.dim() != 2:
        return False
    count, width = value.shape
    return (is_symbolic(count) and len(set(sizes_of(node))) == 2
            and (is_symbolic(width) or is_flat or _are_normalised(graph, sizes_of(node))))


def _are_normalised(graph: Graph, sizes: tuple) -> bool:
    """Whether what has the rows ``[N, K]`` goes through a batch norm as ``N * K`` rows."""
    return any(name_of(user) == "batch_norm" and value_of(node).dim() == 2 and sizes_of(node.args[0]) == sizes
               and sympy.expand(sizes_of(node)[0] - sizes[0] * sizes[1]) == 0
               for node in graph.nodes if node.target in _FLAT for user in node.users)  # fmt: skip


class Table:
    """What a graph computes of the rows of one table, or of several of the same sizes."""

    def __init__(self, graph: Graph, table: Node):
        self._graph, self.table, self.sizes = graph, table, sizes_of(table)
        self.count = sympy.expand(self.sizes[0] * self.sizes[1])
        self.flat: dict[Node, Node] = {}  # by the nodes that have the rows ``[N, K]``
        self.replaced: set[Node] = set()
        self._made: tuple[Node, Node] | None = None
        self.node = table  # in whose place new ones are

    def rewrite(self, node: Node) -> None:
        rule, has_rows = rule_of(node), self.has_rows(node)
        if rule is None or node.op not in ("call_function", "call_method"):
            return
        if any(each in self.flat for each in node.all_input_nodes):
            if not has_rows and sizes_of(node) == self.sizes:
                return  # integers, which PyTorch makes
        elif not has_rows:
            return
        try:
            given = inspect.signature(rule).bind(self, *node.args, **node.kwargs)
        except TypeError:
            return  # settings that the rule does not know
        self.node = node
        with self._graph.inserting_before(node):
            made = rule(*given.args, **given.kwargs)
        if made is None:
            return
        if has_rows:
            self.flat[node] = made
        else:
            node.replace_all_uses_with(made)
            self.replaced.add(node)

    def finish(self) -> None:
        """What reads rows otherwise reads a view of those of edges."""
        for node, flat in self.flat.items():
            if not any(value_of(each).is_floating_point() for each in (node, *node.all_input_nodes)
                       if isinstance(value_of(each), Tensor)):  # fmt: skip
                continue  # PyTorch compares integers, once for a graph
            for user in list(node.users):
                if user in self.flat or user in self.replaced or isinstance(value_of(user), torch.SymInt | torch.Size):
                    continue
                self.node = node
                with self._graph.inserting_before(user):
                    shape = value_of(node).shape
                    view = self.shaped("view", flat, shape, self.size(0), self.size(1), *shape[2:])
                    user.replace_input_with(node, view)
        for node in reversed([*self._graph.nodes]):
            if (node in self.flat or node in self.replaced) and not node.users:
                self._graph.erase_node(node)

    def has_rows(self, node: Any) -> bool:
        """Whether it is floats, or truths, with a row for each node and neighbour."""
        if not isinstance(node, Node) or sizes_of(node) != self.sizes:
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

    def places(self) -> Node:
        """Which neighbour each edge is."""
        return self._lists()[1]

    def total(self, rows: Node) -> Node:
        """Rows of edges, added up for each node."""
        like = value_of(rows)
        zeros = self.make(torch.zeros, (self.size(0), *like.shape[1:]), dtype=like.dtype, device=like.device)
        return self.make("index_add", zeros, 0, self.nodes(), rows)

    def ends(self, table: Node) -> Node:
        """What a table of its sizes has, one behind the other; to pick it asks for no layout."""
        return self.make(operator.getitem, table, self._lists())

    def _lists(self) -> tuple[Node, Node]:
        if self._made is None:
            behind = self.table.next
            while behind.op == "placeholder":
                behind = behind.next
            with self._graph.inserting_before(behind):
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
        if len(shape) == rank and sizes_of(x) == self.sizes:
            return self.flattened(x) if value_of(x).is_floating_point() or rank > 2 else self.ends(x)
        if len(shape) == rank and type(shape[1]) is int and shape[1] == 1:
            if sizes_of(x)[0] == self.sizes[0]:
                return self.make("index_select", self.make("squeeze", x, 1), 0, self.nodes())
            if type(shape[0]) is int and shape[0] == 1:
                return self.make("squeeze", self.make("squeeze", x, 0), 0)
        return None

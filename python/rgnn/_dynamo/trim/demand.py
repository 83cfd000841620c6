"""What is needed of each value of a function: all rows, a prefix of them, or the edges that a cut leaves.

A demand follows from those of what reads the value. Only sums over the edges of nodes in a prefix lose edges, and all
or none of a node's: each row that is left is added up of the same rows in the same order. What is not known to treat
each row by itself needs all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy
import torch
from torch.fx import Graph, Node

from ..._run.trimming import Cut, List, Prefix, Size, Trimming
from ..functional import Functional, Subgraph, expression_of, placeholders_of, value_of
from ..normalise.changes import name_of
from .row_ops import rows_read

_aten = torch.ops.aten


@dataclass(frozen=True)
class Demand:
    """``"rows"`` of a prefix or ``"edges"`` of a cut, by its number; ``"all"``."""

    kind: str = "all"
    number: int = -1


ALL = Demand()


def is_sum(node: Node) -> bool:
    return node.target is torch.ops.rgnn.aggregate.default


def is_softmax(node: Node) -> bool:
    return node.target is torch.ops.rgnn.edge_softmax.default


class Demands:
    """Of the nodes of a function.

    Attributes:
        of: the demand of each.
        trimming: the prefixes and cuts that these refer to.
        positions: of the function's inputs.
    """

    def __init__(self, part: Subgraph, functional: Functional):
        self.trimming = Trimming()
        self.of: dict[Node, Demand] = {}
        self._asked: dict[Node, set[Any]] = {}  # demands, sizes that count rows, and lists with the cut of their edges
        constants = {node for node, _ in functional.constants}
        given = [node for node in placeholders_of(functional.graph) if node not in constants]
        self.positions = {node: number for number, node in enumerate(given)}
        self._first_numbers = {node for node, source in zip(given, part.inputs) if _lists_first(source)}
        self._sizes: dict[sympy.Expr, Size] = {}
        for number, node in enumerate(given):
            for dim, size in enumerate(node.meta["val"].shape):
                self._sizes.setdefault(expression_of(size), Size(number, dim))
        self._behind_sums = _behind_sums(functional.graph)
        for node in reversed(functional.graph.nodes):
            self.of[node] = self._settle(node)
            if not self._pass_on(node, self.of[node]):
                self.of[node] = ALL
                self._ask(node.all_input_nodes, ALL)

    def list_of(self, node: Any) -> List | None:
        """The ends of edges that an operand is."""
        if not isinstance(node, Node):
            return None
        if node.target is _aten.select.int:
            of, dim, end = node.args
            is_row = of in self.positions and dim == 0 and _is_integers(of, 2) and of.meta["val"].shape[0] == 2
            return List(self.positions[of], end % 2) if is_row else None
        return List(self.positions[node], None) if node in self.positions and _is_integers(node, 1) else None

    def list_of_first(self, demand: Demand) -> Node | None:
        """The list of the first numbers, of the function's own, that picks just the rows of a prefix."""
        prefix = self.trimming.prefixes[demand.number] if demand.kind == "rows" else None
        return next((node for node in self._first_numbers
                     if prefix == Prefix(frozenset([Size(self.positions[node], 0)]))), None)  # fmt: skip

    def _settle(self, node: Node) -> Demand:
        """One demand that covers all that is asked of a node."""
        asked = self._asked.get(node, set())
        if not asked or ALL in asked or node.op == "placeholder":
            return ALL
        if any(isinstance(one, Demand) and one.kind == "edges" for one in asked):
            return next(iter(asked)) if len(asked) == 1 else ALL
        if node not in self._behind_sums:
            return ALL
        counts, sources = set(), set()
        for one in asked:
            if isinstance(one, Demand):
                counts |= self.trimming.prefixes[one.number].counts
                sources |= self.trimming.prefixes[one.number].sources
            else:
                (counts if isinstance(one, Size) else sources).add(one)
        return Demand("rows", _number(self.trimming.prefixes, Prefix(frozenset(counts), frozenset(sources))))

    def _ask(self, nodes: Any, what: Any) -> None:
        for node in nodes:
            self._asked.setdefault(node, set()).add(what)

    def _pass_on(self, node: Node, demand: Demand) -> bool:
        """Asks operands for less than all of them; whether it does."""
        if node.target is _aten.index_select.default:
            return self._pick(node, demand)
        if demand == ALL:
            return False
        if is_sum(node) or is_softmax(node):
            return self._reduce(node, demand)
        rows = rows_read(node)
        if rows is None:
            return False
        self._ask(rows, demand)
        self._ask(set(node.all_input_nodes) - rows, ALL)
        return True

    def _pick(self, node: Node, demand: Demand) -> bool:
        x, dim, index = node.args
        size = self._size_of(x.meta["val"].shape[0])
        if dim not in (0, -x.meta["val"].dim()) or size is None:
            return False
        nodes = self.list_of(index)
        if index in self._first_numbers:
            self.of[node] = ALL
            count = Size(self.positions[index], 0)
            self.trimming.limits.add((count, size))
            self._ask([x], count)
        elif demand.kind == "edges" and nodes is not None:
            self.trimming.sizes.setdefault(nodes, set()).add(size)
            self._ask([x], (nodes, demand.number))
        else:
            return False
        self._ask([index], ALL)
        return True

    def _reduce(self, node: Node, demand: Demand) -> bool:
        rows, index, count = node.args[:3]
        ends = self.list_of(index)
        size = self._size_of(count.meta["val"] if isinstance(count, Node) else count)
        if ends is None or size is None or is_sum(node) is not (demand.kind == "rows"):
            return False
        if is_sum(node):
            demand = Demand("edges", _number(self.trimming.cuts, Cut(ends, demand.number)))
        elif self.trimming.cuts[demand.number].ends != ends:
            return False  # of other ends' edges, some are left out
        self.trimming.sizes.setdefault(ends, set()).add(size)
        self._ask([rows], demand)
        self._ask(set(node.all_input_nodes) - {rows}, ALL)
        return True

    def _size_of(self, size: Any) -> Size | None:
        expression = expression_of(size)
        if expression is not None and expression.is_Integer:
            return Size(None, int(expression))
        return self._sizes.get(expression)


def _behind_sums(graph: Graph) -> set[Node]:
    """What sums over edges go into. Of what is in front of them, such as encoders, samplers find what is needed."""
    found: set[Node] = set()
    for node in graph.nodes:
        if node.op != "output" and (is_sum(node) or not found.isdisjoint(node.all_input_nodes)):
            found.add(node)
    return found


def _number(known: list, one: Any) -> int:
    """The place of one among those that are known; it becomes the last if it is not."""
    if one not in known:
        known.append(one)
    return known.index(one)


def _is_integers(node: Node, dims: int) -> bool:
    value = node.meta["val"]
    return value.dim() == dims and value.dtype in (torch.int64, torch.int32)


def _lists_first(node: Node) -> bool:
    """Whether a node of the captured graph lists the numbers from 0 on."""
    value = value_of(node)
    return name_of(node) == "arange" and len(node.args) == 1 and value.dtype == torch.int64

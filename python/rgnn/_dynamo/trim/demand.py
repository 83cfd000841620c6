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

from ..._capture.serialize import live_nodes
from ..._run.trimming import Cut, List, Prefix, Size, Trimming
from ..expressions import expression_of
from ..functional import Functional, Subgraph, placeholders_of, value_of
from ..normalise.changes import name_of
from .row_ops import rows_read

_aten = torch.ops.aten


@dataclass(frozen=True)
class Demand:
    """``"rows"`` of a prefix or ``"edges"`` of a cut, by its number; ``"all"``."""

    kind: str = "all"
    number: int = -1


ALL = Demand()


@dataclass(frozen=True)
class OverEdges:
    """What an operator reads of the edges of a graph, as positions of its operands.

    Attributes:
        rows: a row per edge; of a degree, whatever has the wanted dtype.
        ends: of each edge, the node whose edges it reads at once; None for an operator of each edge by itself.
        count: of such nodes, how many.
        types: of each edge.
        num_types: how many; from the first size of the weights (``weights``) where that is not an operand.
        is_sum: whether it gives a row per node instead of one per edge.
    """

    rows: int = 0
    ends: int | None = 1
    count: int | None = 2
    types: int | None = None
    num_types: int | None = None
    weights: int | None = None
    is_sum: bool = False


_rgnn = torch.ops.rgnn
OVER_EDGES = {
    _rgnn.aggregate.default: OverEdges(is_sum=True),
    _rgnn.edge_softmax.default: OverEdges(),
    _rgnn.pair_softmax.default: OverEdges(types=2, count=3, num_types=4),
    _rgnn.pair_degree.default: OverEdges(rows=4, ends=0, types=1, count=2, num_types=3),
    _rgnn.typed_linear.default: OverEdges(ends=None, count=None, types=1, weights=2),
}


def is_sum(node: Node) -> bool:
    return node.target in OVER_EDGES and OVER_EDGES[node.target].is_sum


class Demands:
    """Of the nodes of a function.

    Attributes:
        of: the demand of each.
        trimming: the prefixes and cuts that these refer to.
        nodes: the operators that results depend on.
        positions: of the function's inputs.
    """

    def __init__(self, part: Subgraph, functional: Functional):
        self.trimming = Trimming()
        self._asked: dict[Node, set[Any]] = {}  # demands, sizes that count rows, and lists with the cut of their edges
        constants = {node for node, _ in functional.constants}
        given = [node for node in placeholders_of(functional.graph) if node not in constants]
        self.positions = {node: number for number, node in enumerate(given)}
        self._first_numbers = {node for node, source in zip(given, part.inputs) if _lists_first(source)}
        self._places: dict[sympy.Expr, tuple[int, int]] = {}
        for number, node in enumerate(given):
            for dim, size in enumerate(node.meta["val"].shape):
                if isinstance(size, torch.SymInt):
                    self._places.setdefault(expression_of(size), (number, dim))
        self._behind_sums = _behind_sums(functional.graph)
        output = next(node for node in functional.graph.nodes if node.op == "output")
        self.of: dict[Node, Demand] = dict.fromkeys((output, *placeholders_of(functional.graph)), ALL)
        self._ask(output.all_input_nodes, ALL)
        self.nodes = live_nodes(functional.graph)
        for node in reversed(self.nodes):
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
                     if prefix == Prefix(frozenset([self._rows_of(node)]))), None)  # fmt: skip

    def _settle(self, node: Node) -> Demand:
        """One demand that covers all that is asked of a node."""
        asked = self._asked.get(node, set())
        if not asked or ALL in asked:
            return ALL
        if any(isinstance(one, Demand) and one.kind == "edges" for one in asked):
            return next(iter(asked)) if len(asked) == 1 else ALL
        if node not in self._behind_sums:
            only = next(iter(asked)) if len(asked) == 1 else ALL
            return only if isinstance(only, Demand) else ALL
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
        if node.target in OVER_EDGES:
            return self._pass_to_edges(node, OVER_EDGES[node.target], demand)
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
            count = self._rows_of(index)
            self.trimming.limits.add((count, size))
            self._ask([x], count)
        elif demand.kind == "edges" and nodes is not None:
            self.trimming.sizes.setdefault(nodes, set()).add(size)
            self._ask([x], (nodes, demand.number))
        else:
            return False
        self._ask([index], ALL)
        return True

    def _pass_to_edges(self, node: Node, operator: OverEdges, demand: Demand) -> bool:
        if operator.is_sum is not (demand.kind == "rows"):
            return False
        counted: dict[List, Size] = {}
        rows = node.args[operator.rows]
        for place, size in self._lists_of(node, operator):
            nodes = self.list_of(node.args[place])
            if nodes is None or size is None or not _are_as_many(node.args[place], rows):
                return False
            counted[nodes] = size
        if operator.is_sum:
            cut = Cut(self.list_of(node.args[operator.ends]), demand.number)
            demand = Demand("edges", _number(self.trimming.cuts, cut))
        elif operator.ends is not None and (
                self.trimming.cuts[demand.number].ends != self.list_of(node.args[operator.ends])):  # fmt: skip
            return False  # of other ends' edges, some are left out
        for nodes, size in counted.items():
            self.trimming.sizes.setdefault(nodes, set()).add(size)
        self._ask([rows], demand)
        self._ask(set(node.all_input_nodes) - {rows}, ALL)
        return True

    def _lists_of(self, node: Node, operator: OverEdges) -> list[tuple[int, Size | None]]:
        """The operands that are lists of the edges' ends and types, and how many of these there are."""
        lists = []
        if operator.ends is not None:
            lists.append((operator.ends, self._size_of(_value(node.args[operator.count]))))
        if operator.types is not None:
            count = node.args[operator.num_types] if operator.weights is None else (
                node.args[operator.weights].meta["val"].shape[0])  # fmt: skip
            lists.append((operator.types, self._size_of(_value(count))))
        return lists

    def _rows_of(self, node: Node) -> Size:
        return Size(((self.positions[node], 0),))

    def _size_of(self, size: Any) -> Size | None:
        """A size as the sum of sizes of inputs; None where it is none."""
        expression = expression_of(size)
        if expression is None:
            return None
        if expression in self._places:
            return Size((self._places[expression],))
        terms = expression.args if expression.is_Add else (expression,)
        places = [self._places.get(term) for term in terms if not term.is_Integer]
        constant = sum(int(term) for term in terms if term.is_Integer)
        return None if None in places else Size(tuple(sorted(places)), constant)


def _are_as_many(one: Node, other: Node) -> bool:
    return expression_of(one.meta["val"].shape[0]) == expression_of(other.meta["val"].shape[0])


def _value(operand: Any) -> Any:
    return operand.meta["val"] if isinstance(operand, Node) else operand


def _behind_sums(graph: Graph) -> set[Node]:
    """What sums over edges go into.

    Of what edges read in front of them, such as encoders, samplers find what is needed. What else is there, such as a
    product of the nodes' own rows, is computed of the rows that are asked for.
    """
    found: set[Node] = set()
    for node in graph.nodes:
        if is_sum(node) or not found.isdisjoint(node.all_input_nodes):
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

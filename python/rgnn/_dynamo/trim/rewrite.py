"""A function as it is computed of what is needed."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node

from ..._run.trimming import Cut
from ..functional import Functional, fake_mode, placeholders_of
from .demand import ALL, OVER_EDGES, Demand, Demands
from .row_ops import SHAPES, row_dim, rows_read

_aten = torch.ops.aten


class Rewrite:
    def __init__(self, functional: Functional, demands: Demands):
        self._old, self._demands, self._of, self._graph = functional, demands, demands.of, Graph()
        self._new: dict[Node, Node] = {}
        self._lists: dict[tuple, Node] = {}  # arguments by what they are (Trimming.made)
        self._counts: dict[Demand, Node] = {}
        self._picked: dict[tuple[Node, Demand], Node] = {}
        arguments = placeholders_of(functional.graph)
        self._argument_at = {number: node for node, number in demands.positions.items()}
        self._mode = fake_mode(node.meta["val"] for node in arguments)
        self._device = next(iter(demands.positions)).meta["val"].device
        self._sizes: dict[Demand, Any] = {}
        for node in arguments:
            self._new[node] = self._graph.node_copy(node)
        self._last = self._new[arguments[-1]]

    def make(self) -> Functional:
        for node in self._demands.nodes:
            self._new[node] = self._copy(node)
        self._demands.trimming.made[:] = self._lists
        constants = [(self._new[node], value) for node, value in self._old.constants]
        outputs = [self._new[node] if isinstance(node, Node) else node for node in self._old.outputs]
        self._graph.output(tuple(outputs))
        return Functional(self._graph, outputs, constants, self._old.changed, [], list(self._lists.values()))

    def _copy(self, node: Node) -> Node:
        demand = self._of[node]
        if node.target is _aten.index_select.default:
            x, dim, index = node.args
            if self._demands.list_of_first(self._of[x]) is index:
                return self._new[x]
            if demand != ALL:  # of numbers of nodes, and the first nodes are there
                return self._call(node, (self._new[x], dim, self._ends(index, demand.number)), demand)
        elif demand == ALL:
            pass
        elif node.target in OVER_EDGES:
            return self._copy_over_edges(node, demand)
        else:
            rows = rows_read(node)
            copy = self._graph.node_copy(node, lambda source: self._at(source, demand) if source in rows
                                         else self._new[source])  # fmt: skip
            if node.target in SHAPES:
                shape = list(copy.args[1])
                shape[0] = self._count(demand) if node.target is _aten.expand.default or -1 in shape[1:] else -1
                copy.args = (copy.args[0], shape, *copy.args[2:])
            copy.meta = {**node.meta, "val": self._like(node, demand)}
            return copy
        return self._graph.node_copy(node, self._new.__getitem__)

    def _copy_over_edges(self, node: Node, demand: Demand) -> Node:
        operator, cuts, args = OVER_EDGES[node.target], self._demands.trimming.cuts, list(node.args)
        cut = demand.number
        if operator.is_sum:
            ends = self._demands.list_of(args[operator.ends])
            cut = cuts.index(Cut(ends, demand.number))
        for place, operand in enumerate(args):
            if place == operator.rows:
                args[place] = self._at(operand, Demand("edges", cut))
            elif place in (operator.ends, operator.types):
                args[place] = self._ends(operand, cut)
            elif place == operator.count:
                args[place] = self._count(Demand("rows", cuts[cut].prefix))
            elif isinstance(operand, Node):
                args[place] = self._new[operand]
        return self._call(node, tuple(args), demand)

    def _call(self, like: Node, args: tuple, demand: Demand) -> Node:
        copy = self._graph.call_function(like.target, args, dict(like.kwargs))
        copy.meta = {**like.meta, "val": self._like(like, demand)}
        return copy

    def _at(self, source: Node, demand: Demand) -> Node:
        """The rows of a value that are asked for: all that are there, or some of them."""
        if self._of[source] == demand:
            return self._new[source]
        if (source, demand) not in self._picked:
            rows = self._rows_of(demand)
            picked = self._graph.call_function(_aten.index_select.default, (self._new[source], 0, rows))
            picked.meta = {**source.meta, "val": self._like(source, demand), "origin": None}
            self._picked[source, demand] = picked
        return self._picked[source, demand]

    def _ends(self, index: Node, cut: int) -> Node:
        """The ends of the edges that a cut leaves."""
        ends = self._demands.list_of(index)
        left = self._list("input", cut, ends.position)
        if ends.end is None:
            return left
        key = left, ends.end
        if key not in self._picked:
            row = self._graph.call_function(_aten.select.int, (left, 0, ends.end))
            row.meta = {**index.meta, "val": self._like(index, Demand("edges", cut))}
            self._picked[key] = row
        return self._picked[key]

    def _rows_of(self, demand: Demand) -> Node:
        first = self._demands.list_of_first(demand)
        return self._list(demand.kind, demand.number) if first is None else self._new[first]

    def _count(self, demand: Demand) -> Node:
        if demand not in self._counts:
            rows = self._rows_of(demand)
            self._counts[demand] = self._graph.call_function(_aten.sym_size.int, (rows, 0))
            self._counts[demand].meta = {"val": rows.meta["val"].shape[0], "origin": None}
        return self._counts[demand]

    def _list(self, kind: str, number: int, position: int | None = None) -> Node:
        """An argument behind all others."""
        key = (kind, number) if position is None else (kind, number, position)
        if key not in self._lists:
            demand = Demand("rows" if kind == "rows" else "edges", number)
            with self._graph.inserting_after(self._last):
                self._last = self._lists[key] = self._graph.placeholder("left")
            like = torch.int64 if position is None else self._argument_at[position].meta["val"].dtype
            shape = (2,) if position is not None and self._argument_at[position].meta["val"].dim() == 2 else ()
            with self._mode:
                value = torch.empty((*shape, self._size(demand)), dtype=like, device=self._device)
            self._lists[key].meta = {"val": value, "origin": None, "distinct": position is None}
        return self._lists[key]

    def _size(self, demand: Demand) -> Any:
        """A symbol for how many there are."""
        first = self._demands.list_of_first(demand)
        if first is not None:
            return first.meta["val"].shape[0]
        if demand not in self._sizes:
            environment = self._mode.shape_env
            with environment.ignore_fresh_unbacked_symbols():
                self._sizes[demand] = environment.create_unbacked_symint()
            torch._check(self._sizes[demand] >= 0)
        return self._sizes[demand]

    def _like(self, node: Node, demand: Demand) -> Tensor:
        value, dim = node.meta["val"], row_dim(node)
        shape = [self._size(demand) if number == dim else size for number, size in enumerate(value.shape)]
        with self._mode:
            return torch.empty(shape, dtype=value.dtype, device=value.device)

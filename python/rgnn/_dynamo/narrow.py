"""A part of what is ATen already, which need not be traced again."""

from __future__ import annotations

from typing import Any

from torch import Tensor
from torch.fx import Graph, Node

from .expressions import expression_of
from .functional import Functional, Sizes, Subgraph, is_settled, placeholders_of, value_of
from .lists_of_nodes import counted_by
from .partition import storages


def narrow(whole: Subgraph, functional: Functional, part: Subgraph) -> Functional | None:
    """``part`` as ATen, out of the form of ``whole``, which has all of its nodes; None where it has to be traced.

    That is where inputs are to have another dtype; where it changes memory that others see, or reads what is changed
    later; where sizes do not follow from those of its inputs, or have become numbers.
    """
    if whole.widens or part.widens or _changes_others(whole, functional, set(part.nodes)):
        return None
    if not all(is_settled(node.meta["val"]) for node in placeholders_of(functional.graph)):
        return None
    return _Narrowed(whole, functional, part).make()


def _changes_others(whole: Subgraph, functional: Functional, inside: set[Node]) -> bool:
    """Whether one of some nodes changes a tensor in place that lies in the memory of other nodes, too."""
    changed = {place for node, sources in functional.changed.items() if whole.origins.get(node) in inside
               for source in sources for place in storages(whole.origins[source])}  # fmt: skip
    return bool(changed) and any(storages(node) & changed for node in next(iter(inside)).graph.nodes
                                 if node not in inside and node.op != "output")  # fmt: skip


class _Narrowed:
    """A part that is made of nodes of the whole's form."""

    def __init__(self, whole: Subgraph, functional: Functional, part: Subgraph):
        self._whole, self._functional, self._part = whole, functional, part
        copies = {node: copy for copy, node in whole.origins.items()}
        self._values = {node: functional.values[copy] for node, copy in copies.items() if copy in functional.values}
        numbered = list(whole.module.graph.nodes)
        own = {part.origins.get(copy): number for number, copy in enumerate(part.module.graph.nodes)}
        inside = set(part.nodes)
        # Of the numbers that nodes of the whole have, those that they have in the part.
        self._numbers = {number: own[origin] for number, copy in enumerate(numbered)
                         if (origin := whole.origins.get(copy)) in inside}  # fmt: skip
        self._graph = Graph()
        self._sizes = Sizes(self._graph)
        self._new: dict[Node, Any] = {}
        self._constants: list[tuple[Node, Tensor]] = []

    def make(self) -> Functional | None:
        self._add_inputs()
        outputs = [self._values.get(node) for node in self._part.outputs]
        if None in outputs:
            return None
        needed = self._find_needed(outputs)
        if needed is None:
            return None
        for constant, value in self._functional.constants:
            if constant in needed:
                self._new[constant] = self._graph.placeholder(constant.name)
                self._new[constant].meta = dict(constant.meta)
                self._constants.append((self._new[constant], value))
        for node in self._functional.graph.nodes:
            if node in needed and node not in self._new:
                self._new[node] = self._copy(node)
        results = [self._new[node] for node in outputs]
        self._graph.output(tuple(results))
        return Functional(self._graph, results, self._constants, {}, [])

    def _add_inputs(self) -> None:
        for source, given in zip(self._part.inputs, placeholders_of(self._part.module.graph), strict=True):
            value = self._values.get(source)
            node = self._graph.placeholder(given.name)
            node.meta = {"val": value_of(given) if value is None else value.meta["val"], "origin": None}
            self._sizes.add_tensor(node, node.meta["val"])
            if value is not None:
                self._new.setdefault(value, node)

    def _find_needed(self, outputs: list[Node]) -> set[Node] | None:
        """What the outputs are computed of; None where the part has not all of that."""
        constants = {node for node, _ in self._functional.constants if not counted_by(node)}
        needed: set[Node] = set()
        left = list(outputs)
        while left:
            node = left.pop()
            if node in needed or node in self._new:
                continue
            needed.add(node)
            if node in constants or self._is_known_size(node):
                continue
            if node.op != "call_function":  # an input that is not the part's, or a list of joined rows
                return None
            if expression_of(node.meta["val"]) is None and node.meta["origin"] not in self._numbers:
                return None
            left += node.all_input_nodes
        return needed

    def _copy(self, node: Node) -> Any:
        if self._is_known_size(node):
            return self._sizes.emit(expression_of(node.meta["val"]))
        copy = self._graph.node_copy(node, self._new.__getitem__)
        copy.meta["origin"] = self._numbers.get(node.meta["origin"])
        return copy

    def _is_known_size(self, node: Node) -> bool:
        """Whether a node is a size that sizes of inputs make."""
        size = expression_of(node.meta.get("val"))
        return size is not None and self._sizes.has(size)

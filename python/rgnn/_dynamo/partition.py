"""Parts a graph into regions that are compiled and nodes that PyTorch runs.

A region runs when the nodes of the levels before are done; a node of PyTorch runs after the region of its own level.
Whatever path leads from a region through PyTorch comes back in a later level, so that the compiled nodes of a level can
always be one region.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.fx import Graph, Node
from torch.utils import _pytree as pytree

from . import private
from .expressions import expression_of, is_symbolic
from .functional import value_of


class Reason(NamedTuple):
    """Why PyTorch runs a node.

    Attributes:
        text: empty where it is only for the sake of others.
        op: the operator that it is about; empty for the node's own.
        others: the same of further operators that the node is made of.
    """

    text: str = ""
    op: str = ""
    others: tuple[Reason, ...] = ()


class Partition:
    """Which nodes of a graph PyTorch runs, and which are compiled together.

    Args:
        graph: the graph.
        changes: the nodes that change tensors in place, with those whose tensors they change.

    Attributes:
        reasons: of each node that PyTorch runs, why.
    """

    def __init__(self, graph: Graph, changes: dict[Node, list[Node]]):
        self.graph = graph
        self.reasons: dict[Node, Reason] = {}
        self._after: dict[Node, set[Node]] = {}
        self._ordered: set[Node] = set()
        self._changes = changes
        self._changed = {place for sources in changes.values() for node in sources for place in storages(node)}
        values = map(value_of, graph.nodes)
        self._has_gradients = any(isinstance(value, Tensor) and value.requires_grad for value in values)
        self._order_changes()

    @property
    def nodes(self) -> list[Node]:
        return [node for node in self.graph.nodes if node.op not in ("placeholder", "output")]

    def is_compiled(self, node: Node) -> bool:
        return node.op not in ("placeholder", "output") and node not in self.reasons

    def order(self, nodes: list[Node]) -> None:
        """Has nodes run one after the other."""
        self._ordered.update(nodes)
        for first, second in zip(nodes, nodes[1:]):
            self._after.setdefault(second, set()).add(first)

    def order_like(self, copy: Node, node: Node) -> None:
        """Has a copy of a node wait for what that waits for, and what waits for the node wait for it, too: both see the
        same changes."""
        if node in self._after:
            self._after[copy] = set(self._after[node])
        for others in self._after.values():
            if node in others:
                others.add(copy)

    def separate(self, barrier: Node) -> None:
        """Has all nodes before a node run before it, and all behind it after."""
        nodes = self.nodes
        place = nodes.index(barrier)
        self._after.setdefault(barrier, set()).update(nodes[:place])
        for node in nodes[place + 1 :]:
            self._after.setdefault(node, set()).add(barrier)

    def regions(self) -> list[list[Node]]:
        """The nodes of each region, in their order.

        Sorts out first what cannot be compiled for the sake of what surrounds it: nodes that change what others see.
        """
        while True:
            levels = self._levels()
            if not self._settle_changes(levels):
                break
        regions: dict[int, list[Node]] = {}
        for node in self.nodes:
            if self.is_compiled(node):
                regions.setdefault(levels[node], []).append(node)
        return [regions[level] for level in sorted(regions)]

    def after(self, node: Node) -> set[Node]:
        """What a node has to wait for besides what it reads; itself where it draws random numbers."""
        return self._after.get(node, set()) | ({node} & self._ordered)

    def changed_by(self, node: Node) -> set[int]:
        """The memory that a node changes in place."""
        return {place for source in self._changes.get(node, ()) for place in storages(source)}

    def changed_places(self) -> dict[int, list[Node]]:
        """Of all memory that is changed in place: the nodes that see it, up to the last that changes it."""
        found = {}
        for place, nodes in self._seeing(self._changed).items():
            last = max((number for number, node in enumerate(nodes, 1) if place in self.changed_by(node)), default=0)
            if last:
                found[place] = nodes[:last]
        return found

    def is_changed(self, node: Node) -> bool:
        """Whether a node gives a tensor that is changed in place, or changes one."""
        return node in self._changes or bool(storages(node) & self._changed)

    def drop_if_dead(self, node: Node) -> bool:
        """Erases a node that nothing reads, unless others see what it changes; whether it did."""
        if node.users:
            return False
        for place in self.changed_by(node):
            if place in self.given() or any(node < other for other in self._seeing({place})[place]):
                return False
        self.graph.erase_node(node)
        self._changes.pop(node, None)
        self._ordered.discard(node)
        self._after.pop(node, None)
        for others in self._after.values():
            others.discard(node)
        return True

    def sources(self, node: Node) -> set[Node]:
        """What must have run before a node."""
        return {*node.all_input_nodes, *self._after.get(node, ())}

    def _levels(self) -> dict[Node, int]:
        found: dict[Node, int] = {}
        nodes = self.nodes
        free: set[Node] = set()  # what PyTorch makes of inputs alone, before all else
        for node in nodes:
            compiled, sources = self.is_compiled(node), self.sources(node)
            if not compiled and all(source in free or source.op == "placeholder" for source in sources):
                free.add(node)
            steps = [found[source] + (compiled and not self.is_compiled(source)) for source in sources
                     if source in found and source not in free]  # fmt: skip
            found[node] = max(steps, default=0)
        # What only later regions read is computed there, so that little crosses over.
        # Who changes a tensor, or a view of it, is made of it.
        held = {source for node, sources in self._after.items() for source in sources
                if not storages(source) & (storages(node) | self.changed_by(node))}  # fmt: skip
        for node in reversed(nodes):
            if not self.is_compiled(node) or node in held or self._sees_changes(node) or _is_one_of_several(node):
                continue
            if _has_rows(value_of(node)) is False and any(map(_has_rows, map(value_of, node.all_input_nodes))):
                continue  # a sum of all rows crosses as the few numbers that it is
            parts = [user for user in node.users if _is_one_of_several(user)]
            readers = [found.get(user) for part in parts or [node] for user in part.users]
            if readers and None not in readers:
                found[node] = min(readers)
                found.update((part, found[node]) for part in parts)
        return found

    def _sees_changes(self, node: Node) -> bool:
        """Whether a node gives memory that is changed in place, and not memory of its own that only others change."""
        changed = storages(node) & self._changed
        is_given = any(changed & storages(read) for read in node.all_input_nodes)
        return bool(changed) and (node in self._changes or is_given)

    def given(self) -> set[int]:
        """The memory of the graph's inputs."""
        return {place for node in self.graph.nodes if node.op == "placeholder" for place in storages(node)}

    def _seeing(self, places: set[int]) -> dict[int, list[Node]]:
        """Of each place in memory, the nodes that give or read a tensor there, the graph's output among them."""
        found: dict[int, list[Node]] = {place: [] for place in places}
        own = {node: storages(node) & places for node in self.graph.nodes}
        for node in self.graph.nodes:
            if node.op != "placeholder":
                for place in own[node].union(*(own[source] for source in node.all_input_nodes)):
                    found[place].append(node)
        return found

    def _order_changes(self) -> None:
        """Keeps the order of what changes a tensor and what sees it."""
        for place, seeing in self._seeing(self._changed).items():
            seen: list[Node] = []
            last: Node | None = None
            for node in seeing:
                if node.op == "output":
                    continue
                if any(place in storages(source) for source in self._changes.get(node, ())):
                    self._after.setdefault(node, set()).update(seen)
                    last = node
                elif last is not None:
                    self._after.setdefault(node, set()).add(last)
                seen.append(node)

    def check_before_changes(self, checks: list[Node]) -> None:
        """Has what the graph is given change behind the checks that a model makes before."""
        given = self.given()
        for node in self._changes:
            if self.changed_by(node) & given:
                self._after.setdefault(node, set()).update(check for check in checks if check < node)

    def count_before_reads(self, checks: list[Node]) -> None:
        """Has PyTorch read lists behind the checks that they have rows: it finds no largest number in an empty one."""
        for check in checks:
            counts = value_of(check.args[0]).node.expr.free_symbols
            for node in self.reasons:
                values = [value_of(source) for source in node.all_input_nodes] if node > check else []
                sizes = [size for value in values if isinstance(value, Tensor) for size in value.shape]
                if any(counts & expression_of(size).free_symbols for size in sizes):
                    self._after.setdefault(node, set()).add(check)

    def _settle_changes(self, levels: dict[Node, int]) -> bool:
        """Leaves changes to PyTorch that are not all within one region; whether there were any."""
        settled = False
        given = self.given()
        for place, seeing in self.changed_places().items():
            inside = {levels[node] if self.is_compiled(node) else None for node in seeing}
            if place in given or len(inside) > 1 or None in inside:
                for node in filter(self.is_compiled, seeing):
                    if place in self.changed_by(node):
                        self.reasons[node] = Reason("it changes a tensor that others see")
                        settled = True
                    elif self._has_gradients and any(place in storages(read) for read in node.all_input_nodes):
                        # A region keeps its inputs for the backward, which has to find them as they were.
                        self.reasons[node] = Reason("it reads a tensor that is changed later")
                        settled = True
        return settled


def _has_rows(value: Any) -> bool | None:
    """Whether a tensor has as many rows as a call says; None for what is no tensor."""
    return any(map(is_symbolic, value.shape)) if isinstance(value, Tensor) else None


def _is_one_of_several(node: Node) -> bool:
    """Whether a node is one of an operator's results, which are where the operator is."""
    source = node.args[0] if node.target is operator.getitem else None
    return isinstance(source, Node) and source.op != "placeholder" and isinstance(value_of(source), (tuple, list))


def storages(node_or_value: Any) -> set[int]:
    """What memory the tensors of a value, or of a node's, lie in."""
    value = value_of(node_or_value) if isinstance(node_or_value, Node) else node_or_value
    return {leaf.untyped_storage()._cdata for leaf in pytree.tree_leaves(value)
            if isinstance(leaf, Tensor) and leaf.layout is torch.strided}  # fmt: skip


def odd_tensor(node: Node) -> str:
    """What is odd about a tensor that a node reads or gives; empty where nothing is."""
    values = [value_of(node), *map(value_of, node.all_input_nodes)]
    for tensor in pytree.tree_leaves(values):
        if not isinstance(tensor, Tensor):
            continue
        if tensor.layout is not torch.strided or tensor.dtype not in _REAL | _INTEGERS:
            return f"it works on a tensor of {tensor.dtype}, {str(tensor.layout).removeprefix('torch.')}"
        if type(tensor) not in _PLAIN and not isinstance(tensor, private.FakeTensor):
            return f"it works on a {type(tensor).__name__}"
    return ""


_REAL = {torch.float64, torch.float32, torch.bfloat16, torch.float16}
_INTEGERS = {torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool}
_PLAIN = (Tensor, torch.nn.Parameter)

"""What crosses from compiled regions to what PyTorch runs, and back."""

from __future__ import annotations

import operator

import torch
from torch import Tensor
from torch.fx import Node

from .analyse import read_elsewhere
from .derived import find_derived
from .expressions import expression_of, is_contiguous
from .functional import value_of
from .partition import Partition, Reason, storages


def _is_integers(node: Node) -> bool:
    """Whether a node makes integers of integers: comparisons of rows are no such."""
    leaves = torch.utils._pytree.tree_leaves(value_of(node))
    read = torch.utils._pytree.tree_leaves([value_of(source) for source in node.all_input_nodes])
    return all(isinstance(leaf, Tensor) and not leaf.is_floating_point() for leaf in leaves) and not any(
        isinstance(leaf, Tensor) and leaf.is_floating_point() for leaf in read)  # fmt: skip


def repeat_integers(partition: Partition) -> bool:
    """Has PyTorch compute integers that it reads itself, besides the regions that do; whether the graph changed.

    And floats that are made of integers, where what PyTorch makes of them is, too: all that is computed once for a
    graph. What is changed in place is PyTorch's alone: a copy would miss changes, or make them once more.
    """
    graph, copies, left, derived = partition.graph, {}, set(), find_derived(partition)

    def repeated(node: Node, reader: Node) -> Node:
        if not partition.is_compiled(node) or not (_is_integers(node) or {node, reader} <= derived):
            return node
        if partition.is_changed(node):
            left.add(node)
            return node
        if node not in copies:
            with graph.inserting_after(node):
                copies[node] = copy = graph.node_copy(node, lambda source: repeated(source, node))
            partition.reasons[copy] = Reason()
            partition.order_like(copy, node)
        return copies[node]

    for node in list(graph.nodes):
        if node.op != "placeholder" and not partition.is_compiled(node) and node not in copies.values():
            node.args = torch.fx.map_arg(node.args, lambda source, node=node: repeated(source, node))
            node.kwargs = torch.fx.map_arg(node.kwargs, lambda source, node=node: repeated(source, node))
    for seeing in partition.changed_places().values():
        if derived.issuperset(seeing) and not all(map(partition.is_compiled, seeing)):
            left.update(filter(partition.is_compiled, seeing))
    partition.reasons.update((node, Reason()) for node in left)
    # What only PyTorch reads is not computed twice.
    dropped = [node for node in reversed(list(graph.nodes))
               if partition.is_compiled(node) and (_is_integers(node) or node in derived)
               and partition.drop_if_dead(node)]  # fmt: skip
    return bool(copies or left or dropped)


def take_single_rows(regions: list[list[Node]], operators: dict[Node, list[str]]) -> dict[Node, Reason]:
    """Nodes that take the one row that a region reads of a list of edges: PyTorch takes it, for the region is to know
    nothing of the other, which may count other nodes; but where tables are looked up, whose ends are the same nodes.
    However often the region takes it, it is one list."""
    left: dict[Node, Reason] = {}
    for region in regions:
        if any(not _LOOKUPS.isdisjoint(operators.get(node, ())) for node in region):
            continue
        inside = set(region)
        for source in dict.fromkeys(source for node in region for source in node.all_input_nodes):
            value = value_of(source)
            if source in inside or not isinstance(value, Tensor) or value.is_floating_point() or value.dim() != 2:
                continue
            readers = [node for node in region if source in node.all_input_nodes]
            rows = {user.args[1] if _takes_row(user) else None for user in readers}
            if len(rows) == 1 and None not in rows:
                for reader in readers[1:]:
                    reader.replace_all_uses_with(readers[0], inside.__contains__)
                left.update(dict.fromkeys(readers, Reason()))
    return left


def take_rows_again(partition: Partition, regions: list[list[Node]]) -> bool:
    """Has a region take a row of a list of edges itself where it takes the same row elsewhere, though PyTorch has it:
    as two lists they would be ends of two graphs. Returns whether the graph changed."""
    changed = False
    for region in regions:
        inside = set(region)
        taken = {node.args for node in region if _takes_row(node)}
        read = dict.fromkeys(source for node in region for source in node.all_input_nodes)
        for source in read:
            steps = [] if source in inside or _AGAIN in source.meta else _steps_to_row(source)
            if not steps or steps[-1].args not in taken or any(map(partition.is_changed, steps)):
                continue
            copies: dict[Node, Node] = {}
            for step in reversed(steps):
                with partition.graph.inserting_after(copies.get(step.args[0], source)):
                    copies[step] = partition.graph.node_copy(step, lambda arg, copies=copies: copies.get(arg, arg))
                copies[step].meta[_AGAIN] = True
            source.replace_all_uses_with(copies[source], inside.__contains__)
            changed = True
    return changed


_AGAIN = "rgnn_again"  # of nodes that take a row for a region


def _steps_to_row(node: Node) -> list[Node]:
    """The nodes from a list of integers back to the one that takes it as a row of a list of edges; none for others."""
    steps = [node]
    while not _takes_row(steps[-1]):
        source = steps[-1].all_input_nodes[0] if len(steps[-1].all_input_nodes) == 1 else None
        if source is None or not _is_same_list(value_of(steps[-1]), value_of(source)) or (
                storages(steps[-1]).isdisjoint(storages(source))):  # fmt: skip
            return []
        steps.append(source)
    return steps if _is_same_list(value_of(node), value_of(steps[-1])) else []


def _is_same_list(one: object, other: object) -> bool:
    """Whether two values are lists of integers of one length, such as a list and ``list.long()``."""
    lists = [value for value in (one, other)
             if isinstance(value, Tensor) and value.dim() == 1 and not value.is_floating_point()]  # fmt: skip
    return len(lists) == 2 and expression_of(lists[0].shape[0]) == expression_of(lists[1].shape[0])


_LOOKUPS = {"rgnn.lookup", "rgnn.basis_lookup"}


def _takes_row(node: Node) -> bool:
    return node.target is operator.getitem and type(node.args[1]) is int


def unfit_results(partition: Partition, region: list[Node]) -> dict[Node, Reason]:
    """Nodes whose values must not leave the region: views of what others see, and other forms of tensors.

    What nobody changes, and no caller gets, is as good as a copy.
    """
    inside = set(region)
    results = next(node for node in partition.graph.nodes if node.op == "output").all_input_nodes
    given_back = {place for result in results for place in storages(result)}
    given = {place for node in region for source in node.all_input_nodes if source not in inside
             for place in storages(source)}  # fmt: skip
    unfit: dict[Node, Reason] = {}
    seen = set(given)
    for node in read_elsewhere(region):
        value = value_of(node)
        is_view = any(storages(source) & storages(node) for source in node.all_input_nodes)
        if not isinstance(value, Tensor) or not value.is_floating_point():
            unfit[node] = Reason("it gives PyTorch what no kernel gives")
        elif (partition.is_changed(node) or storages(node) & given_back) and (
                not is_contiguous(value) or is_view and storages(node) & seen):  # fmt: skip
            unfit[node] = Reason()
        seen |= storages(node)
    return unfit

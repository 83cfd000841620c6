"""What crosses from compiled regions to what PyTorch runs, and back."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.fx import Node

from .analyse import read_elsewhere
from .functional import value_of
from .partition import Partition, Reason, storages


def _is_integers(node: Node) -> bool:
    """Whether a node makes integers of integers: comparisons of rows are no such."""
    leaves = torch.utils._pytree.tree_leaves(value_of(node))
    read = torch.utils._pytree.tree_leaves([value_of(source) for source in node.all_input_nodes])
    return all(isinstance(leaf, Tensor) and not leaf.is_floating_point() for leaf in leaves) and not any(
        isinstance(leaf, Tensor) and leaf.is_floating_point() for leaf in read)  # fmt: skip


def repeat_integers(partition: Partition) -> bool:
    """Has PyTorch compute integers that it reads itself, besides the regions that do; whether there were any."""
    graph, copies = partition.graph, {}

    def repeated(node: Node) -> Node:
        if not partition.is_compiled(node) or not _is_integers(node):
            return node
        if node not in copies:
            with graph.inserting_after(node):
                copies[node] = copy = graph.node_copy(node, repeated)
            partition.reasons[copy] = Reason()
        return copies[node]

    for node in list(graph.nodes):
        if node.op != "placeholder" and not partition.is_compiled(node) and node not in copies.values():
            node.args = torch.fx.map_arg(node.args, repeated)
            node.kwargs = torch.fx.map_arg(node.kwargs, repeated)
    for node in reversed(list(graph.nodes)):  # what only PyTorch reads is not computed twice
        if partition.is_compiled(node) and not node.users and _is_integers(node):
            graph.erase_node(node)
    return bool(copies)


def unfit_results(region: list[Node]) -> dict[Node, Reason]:
    """Nodes whose values must not leave the region: views of what others see, and other forms of tensors."""
    inside = set(region)
    given = {place for node in region for source in node.all_input_nodes if source not in inside
             for place in storages(source)}  # fmt: skip
    unfit: dict[Node, Reason] = {}
    seen = set(given)
    for node in read_elsewhere(region):
        value = value_of(node)
        is_view = any(storages(source) & storages(node) for source in node.all_input_nodes)
        if not isinstance(value, Tensor) or not value.is_floating_point():
            unfit[node] = Reason("it gives PyTorch what no kernel gives")
        elif not value.is_contiguous() or (is_view and storages(node) & seen):
            unfit[node] = Reason()
        seen |= storages(node)
    return unfit

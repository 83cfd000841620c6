"""Rows in the order of their values, and the largest: PyTorch says which they are, and regions pick them."""

from __future__ import annotations

import operator

from torch import Tensor
from torch.fx import Graph, Node

from ...functional import value_of
from ..changes import name_of
from ..emit import call


def pick_in_order(graph: Graph) -> None:
    """``values, order = x.sort()`` becomes ``values = x[order]``, for a list of floats; so for ``topk``."""
    for node in list(graph.nodes):
        if name_of(node) not in ("sort", "topk") or node.op not in ("call_function", "call_method"):
            continue
        x = node.args[0] if node.args else node.kwargs["input"]
        parts = {user.args[1]: user for user in node.users if user.target is operator.getitem}
        if len(parts) != len(node.users) or 0 not in parts or not _is_list_of_floats(x):
            continue
        with graph.inserting_after(node):
            order = parts[1] if 1 in parts else call(graph, node, operator.getitem, node, 1)
        with graph.inserting_after(order):
            picked = call(graph, node, "index_select", x, 0, order)
        parts[0].replace_all_uses_with(picked)
        graph.erase_node(parts[0])


def _is_list_of_floats(x: Node) -> bool:
    value = value_of(x)
    return isinstance(value, Tensor) and value.is_floating_point() and value.dim() == 1

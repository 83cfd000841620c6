"""Integers that a graph computes of nothing but integers: lists of edges, types, masks, counts."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node
from torch.utils import _pytree as pytree

from .. import private
from ..expressions import expression_of
from ..functional import value_of
from ..partition import storages
from .changes import changed_by


def share_integers(graph: Graph) -> None:
    """Makes ``kind == 0`` in two places one mask, and ``int(batch.max())`` one number, where what they are made of is
    not changed between them."""
    integers = made_of_integers(graph)
    known: dict[tuple, Node] = {}
    for node in list(graph.nodes):
        if node.target not in _COMPARISONS and (node.target not in _COUNTS or node not in integers or node.kwargs):
            continue
        first = known.setdefault((node.target, node.args), node)
        seen = storages(first).union(storages(node), *map(storages, node.all_input_nodes))
        if first is node or is_changed(graph, seen, first):
            continue
        if node.target == "item":
            _unify(value_of(node), value_of(first))
        node.replace_all_uses_with(first)
        graph.erase_node(node)


def _unify(one: Any, other: Any) -> None:
    """Has sizes that are made of one integer be those that are made of the other."""
    if isinstance(one, torch.SymInt) and one.node.expr.is_Symbol:
        one.node.shape_env._set_replacement(one.node.expr, expression_of(other), "rgnn: the same integer")


_COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
_COUNTS = ("max", "min", "sum", "item")


def made_of_integers(graph: Graph) -> set[Node]:
    """The nodes that are integers or truths, or tensors of them, and made of such alone; ``0.5 * n`` may be between."""
    changes = [(node, changed) for node in graph.nodes for changed in changed_by(node)]
    foreign: set[int] = set()  # memory that something else is written to
    while True:
        found: set[Node] = set()
        for node in graph.nodes:
            leaves = pytree.tree_leaves(value_of(node))
            is_whole = bool(leaves) and all(
                expression_of(value) is not None or isinstance(value, Tensor) and not value.is_floating_point()
                or isinstance(value, _BETWEEN) and node.op != "placeholder" for value in leaves)  # fmt: skip
            is_made = node.op in ("placeholder", "call_function", "call_method")
            is_of_integers = found.issuperset(node.all_input_nodes) or _is_size_of_call(node)
            if is_whole and is_made and is_of_integers and not (foreign and storages(node) & foreign):
                found.add(node)
        more = set().union(*(storages(changed) for node, changed in changes
                             if not found.issuperset(node.all_input_nodes)))  # fmt: skip
        if more <= foreign:
            return found
        foreign |= more


_BETWEEN = torch.SymFloat, torch.SymBool, bool


def _is_size_of_call(node: Node) -> bool:
    """Whether a node is a size that those of the call say, of whatever tensor, and no data do."""
    return node.target is torch.ops.aten.sym_size.int and not private.free_unbacked_symbols(value_of(node))


def is_changed(graph: Graph, memory: set[int], since: Node) -> bool:
    """Whether some node behind ``since`` may change memory in place, through whatever view of it."""
    return bool(changes_of(graph, memory, since))


def changes_of(graph: Graph, memory: set[int], since: Node) -> list[Node]:
    """The nodes behind ``since`` that may change memory in place."""
    return [node for node in graph.nodes
            if since < node and any(storages(changed) & memory for changed in changed_by(node))]  # fmt: skip

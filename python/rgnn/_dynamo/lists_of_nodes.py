"""Graphs without edges, for rows that a model joins to others and that no graph has: weights of edges to which those of
self loops are added, and parameters that are nodes, to which all others are linked.

The compiler computes on rows of graphs alone. An empty list of edges, a constant of the region, says that the rows of
an argument are nodes of a graph of their own; where they are rows of another graph, it is of no use and has no effect.
"""

from __future__ import annotations

import sympy
import torch
from torch import Tensor
from torch.fx import Node

from .expressions import expression_of
from .functional import Functional, fake_mode, placeholders_of

_KEY = "nodes_of"


def add_lists(functional: Functional) -> bool:
    """Adds a list for each number of rows that a concatenation joins; whether there was one to add."""
    counted: dict[sympy.Expr, Node] = {}
    for node in placeholders_of(functional.graph):
        value = node.meta["val"]
        if isinstance(value, Tensor) and value.is_floating_point() and value.dim() > 0:
            counted.setdefault(_rows_of(node), node)
    joined = dict.fromkeys(_rows_of(part) for node in functional.graph.nodes if _joins_rows(node)
                           for part in node.args[0])  # fmt: skip
    wanted = [counted[rows] for rows in joined if rows in counted and (rows.is_Symbol or rows.is_Integer)]
    for argument in wanted:
        value = argument.meta["val"]
        with functional.graph.inserting_after(placeholders_of(functional.graph)[-1]):
            edges = functional.graph.placeholder("no_edges")
        with fake_mode([value]):
            edges.meta["val"] = torch.empty(0, dtype=torch.int64, device=value.device)
        edges.meta[_KEY] = argument
        functional.constants.append((edges, torch.empty(0, dtype=torch.int64, device=value.device)))
    return bool(wanted)


def remove_lists(functional: Functional) -> None:
    for node, _ in functional.constants:
        if counted_by(node):
            functional.graph.erase_node(node)
    functional.constants[:] = [(node, value) for node, value in functional.constants if not counted_by(node)]


def counted_by(constant: Node) -> Node | None:
    """The argument whose rows are nodes of the graph that a constant is the edges of."""
    return constant.meta.get(_KEY)


def _joins_rows(node: Node) -> bool:
    if node.target is not torch.ops.aten.cat.default or len(node.args[0]) < 2:
        return False
    return node.args[1:] in ((), (0,)) and node.meta["val"].is_floating_point()


def _rows_of(node: Node) -> sympy.Expr:
    return expression_of(node.meta["val"].shape[0])

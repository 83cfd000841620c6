"""Graphs without edges, for rows that a model joins and that no graph has.

Such are weights of edges to which those of self loops are added, parameters that are nodes, to which all others are
linked, and the scores of pairs of two lists, for one loss. The compiler computes on rows of graphs alone. An empty list
of edges, a constant of the region, says that the rows of arguments, one behind the other, are nodes of a graph of their
own; where they are rows of another graph, it is of no use and has no effect.
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
    held = {*(node for node, _ in functional.constants), *functional.lists}
    for node in placeholders_of(functional.graph):
        if node not in held and (size := _counts(node)) is not None:
            counted.setdefault(size, node)
    joined = dict.fromkeys(_rows_of(rows) for node in functional.graph.nodes if _joins_rows(node)
                           for rows in (*node.args[0], node))  # fmt: skip
    wanted = [arguments for rows in joined if (arguments := _arguments_of(rows, counted))]
    for arguments in wanted:
        value = arguments[0].meta["val"]
        with functional.graph.inserting_after(placeholders_of(functional.graph)[-1]):
            edges = functional.graph.placeholder("no_edges")
        with fake_mode([value]):
            edges.meta["val"] = torch.empty(0, dtype=torch.int64, device=value.device)
        edges.meta[_KEY] = arguments
        functional.constants.append((edges, torch.empty(0, dtype=torch.int64, device=value.device)))
    return bool(wanted)


def remove_lists(functional: Functional) -> None:
    for node, _ in functional.constants:
        if counted_by(node):
            functional.graph.erase_node(node)
    functional.constants[:] = [(node, value) for node, value in functional.constants if not counted_by(node)]


def counted_by(constant: Node) -> list[Node]:
    """The arguments whose rows, or entries, are nodes of the graph that a constant is the edges of; none for others."""
    return constant.meta.get(_KEY, [])


def _counts(argument: Node) -> sympy.Expr | None:
    """The number of rows, or of edges in lists of integers, that an argument has."""
    value = argument.meta["val"]
    if not isinstance(value, Tensor) or value.dim() == 0 or value.dtype == torch.bool:
        return None
    if value.is_floating_point() or value.dim() == 1:
        return expression_of(value.shape[0])
    return expression_of(value.shape[1]) if value.dim() == 2 and expression_of(value.shape[0]) == 2 else None


def _arguments_of(rows: sympy.Expr, counted: dict[sympy.Expr, Node]) -> list[Node]:
    """The arguments that have so many rows together; none where there are no such."""
    terms = [term for part in sympy.Add.make_args(sympy.expand(rows)) for term in _repeated(part)]
    return [counted[term] for term in terms] if all(term in counted for term in terms) else []


def _repeated(term: sympy.Expr) -> list[sympy.Expr]:
    """``3 n`` as ``n`` three times."""
    times, symbol = term.as_coeff_Mul()
    if term.is_Integer or not times.is_Integer or not 1 <= times <= _MAX_TIMES:
        return [term]
    return [symbol] * int(times)


_MAX_TIMES = 8


def _joins_rows(node: Node) -> bool:
    if node.target is not torch.ops.aten.cat.default or len(node.args[0]) < 2:
        return False
    return node.args[1:] in ((), (0,)) and node.meta["val"].is_floating_point()


def _rows_of(node: Node) -> sympy.Expr:
    return expression_of(node.meta["val"].shape[0])

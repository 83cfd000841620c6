"""Rows that are filled up with zeros to as many as others have.

    torch.cat([h, zeros(m - n, 8)])      becomes      zeros(m, 8).index_add(0, arange(n), h)
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node

from ...expressions import is_symbolic
from ...functional import value_of
from ..changes import name_of
from ..emit import call
from .slices import holds_now, size_of


def fill_up_rows(graph: Graph) -> None:
    """Writes rows that zeros follow, or ``F.pad`` adds, as the first ones of as many as there are then."""
    for node in list(graph.nodes):
        padded = _padded(node)
        if padded is None:
            continue
        x, more = padded
        like = value_of(x)
        with graph.inserting_before(node):
            count = call(graph, node, torch.ops.aten.sym_size.int, x, 0)
            if not isinstance(more, int) and isinstance(value_of(more), Tensor):
                more = call(graph, node, torch.ops.aten.sym_size.int, more, 0)
            shape = call(graph, node, operator.add, count, more), *like.shape[1:]
            zeros = call(graph, node, torch.zeros, shape, dtype=like.dtype, device=like.device)
            first = call(graph, node, torch.arange, count, device=like.device)
            made = call(graph, node, "index_add", zeros, 0, first, x)
        node.replace_all_uses_with(made)
        graph.erase_node(node)


def _padded(node: Node) -> tuple[Node, Node | int] | None:
    """Rows, and how many zeros follow: as a number, or as a tensor that has as many."""
    if node.target in (torch.cat, torch.concat):
        given = dict(zip(("tensors", "dim"), node.args), **node.kwargs)
        parts = given["tensors"]
        if given.get("dim", 0) != 0 or not isinstance(parts, tuple | list) or len(parts) != 2:
            return None
        x, zeros = parts
        are_zeros = _has_rows(zeros, node) and name_of(zeros) in _ZEROS and all(
            user is node or isinstance(value_of(user), torch.SymInt) for user in zeros.users)  # none writes them
        return (x, zeros) if are_zeros and _has_rows(x, node) else None
    if name_of(node) != "pad":
        return None
    given = dict(zip(("input", "pad", "mode", "value"), node.args), **node.kwargs)
    x, pad = given["input"], given["pad"]
    if given.get("mode", "constant") != "constant" or given.get("value") not in (None, 0) or not _has_rows(x, node):
        return None
    rank = value_of(x).dim()
    if not isinstance(pad, tuple | list) or len(pad) != 2 * rank or any(
            type(each) is not int or each != 0 for each in pad[:-1]):  # fmt: skip
        return None
    return (x, pad[-1]) if holds_now(size_of(pad[-1]), operator.ge, 0) else None  # else it cuts rows off


_ZEROS = ("zeros", "new_zeros")


def _has_rows(x: Any, like: Node) -> bool:
    """Whether it is floats, a row for each of something, of the type that results have."""
    value = value_of(x) if isinstance(x, Node) else None
    if not isinstance(value, Tensor) or not value.is_floating_point() or value.dtype != value_of(like).dtype:
        return False
    return is_symbolic(value.shape[0]) and not any(map(is_symbolic, value.shape[1:]))

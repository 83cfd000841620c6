"""Rows that are filled up with zeros to as many as others have.

    torch.cat([h, zeros(m - n, 8)])      becomes      zeros(m, 8).index_add(0, arange(n), h)
    F.pad(h, (0, 0, 2, 1))               becomes      zeros(n + 3, 8).index_add(0, arange(2, n + 2), h)
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
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
    """Writes rows that zeros follow or precede, or ``F.pad`` adds, as some of as many as there are then."""
    for node in list(graph.nodes):
        padded = _padded(node)
        if padded is None:
            continue
        before, x, after = padded
        like, make = value_of(x), functools.partial(call, graph, node)
        with graph.inserting_before(node):
            count = make(torch.ops.aten.sym_size.int, x, 0)
            first, more = (_number(make, zeros) for zeros in (before, after))
            end = make(operator.add, count, first) if first != 0 else count
            total = make(operator.add, end, more) if more != 0 else end
            zeros = make(torch.zeros, (total, *like.shape[1:]), dtype=like.dtype, device=like.device)
            places = make(torch.arange, *([first] if first != 0 else []), end, device=like.device)
            made = make("index_add", zeros, 0, places, x)
        node.replace_all_uses_with(made)
        graph.erase_node(node)


def _number(make: Callable[..., Node], zeros: Node | int) -> Node | int:
    """How many rows zeros are."""
    is_tensor = not isinstance(zeros, int) and isinstance(value_of(zeros), Tensor)
    return make(torch.ops.aten.sym_size.int, zeros, 0) if is_tensor else zeros


def _padded(node: Node) -> tuple[Node | int, Node, Node | int] | None:
    """Rows, and how many zeros precede and follow: as a number, or as a tensor that has as many."""
    if node.target in (torch.cat, torch.concat):
        given = dict(zip(("tensors", "dim"), node.args), **node.kwargs)
        parts = given["tensors"]
        if given.get("dim", 0) != 0 or not isinstance(parts, tuple | list) or not 2 <= len(parts) <= 3:
            return None
        rows = [number for number, part in enumerate(parts) if not _are_zeros(part, node)]
        if len(rows) != 1 or not _has_rows(parts[rows[0]], node) or len(parts) == 3 and rows != [1]:
            return None
        before, x, after = (0, *parts, 0)[rows[0] :][:3] if len(parts) == 2 else parts
        return before, x, after
    if name_of(node) != "pad":
        return None
    given = dict(zip(("input", "pad", "mode", "value"), node.args), **node.kwargs)
    x, pad = given["input"], given["pad"]
    if given.get("mode", "constant") != "constant" or given.get("value") not in (None, 0) or not _has_rows(x, node):
        return None
    rank = value_of(x).dim()
    if not isinstance(pad, tuple | list) or len(pad) != 2 * rank or any(
            type(each) is not int or each != 0 for each in pad[:-2]):  # fmt: skip
        return None
    adds = all(holds_now(size_of(each), operator.ge, 0) for each in pad[-2:])  # else it cuts rows off
    return (pad[-2], x, pad[-1]) if adds else None


def _are_zeros(part: Any, node: Node) -> bool:
    """Whether it is rows of zeros, which nothing else reads or writes."""
    return _is_like(part, node) and name_of(part) in _ZEROS and all(
        user is node or isinstance(value_of(user), torch.SymInt) for user in part.users)  # fmt: skip


_ZEROS = ("zeros", "new_zeros")


def _is_like(x: Any, like: Node) -> bool:
    """Whether it is rows of floats of the type that results have."""
    value = value_of(x) if isinstance(x, Node) else None
    return (isinstance(value, Tensor) and value.is_floating_point() and value.dtype == value_of(like).dtype
            and value.dim() == value_of(like).dim() > 0)  # fmt: skip


def _has_rows(x: Any, like: Node) -> bool:
    """Whether it is such, a row for each of something."""
    return _is_like(x, like) and is_symbolic(value_of(x).shape[0]) and not any(map(is_symbolic, value_of(x).shape[1:]))

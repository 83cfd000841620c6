"""Parts of a tensor that are set, as calls that have a result."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node

from ..functional import fake_mode, value_of
from ..partition import storages

_IN_PLACE = {operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul,
             operator.itruediv: operator.truediv, operator.ipow: operator.pow}  # fmt: skip


def change_apart(graph: Graph) -> None:
    """``x[part] += y`` is ``x[part] = x[part] + y``: Python changes a view, and then sets the part to what it is."""
    for node in list(graph.nodes):
        if node.target is not operator.setitem:
            continue
        x, index, given = node.args
        if not isinstance(given, Node) or given.target not in _IN_PLACE or set(given.users) != {node}:
            continue
        part = given.args[0]
        readers = {user for user in part.users if isinstance(value_of(user), Tensor)}  # others read its sizes
        if part.target is not operator.getitem or part.args != (x, index) or readers != {given}:
            continue
        own = storages(x)
        if any(given < other < node and any(storages(source) & own for source in other.all_input_nodes)
               for other in graph.nodes):  # fmt: skip
            continue
        given.target = _IN_PLACE[given.target]
        with fake_mode(map(value_of, given.all_input_nodes)):
            given.meta["example_value"] = given.target(*torch.fx.map_arg(given.args, value_of))


def write_assignments(graph: Graph) -> None:
    """``x[:, :4] = y`` is ``x[:, :4].copy_(y)``, and ``x[..., 0] = 1`` is ``x[..., 0].fill_(1)``; where a mask has a
    truth for each column, ``x[:, mask] = 1`` is ``x.masked_fill_(mask, 1)``."""
    for node in list(graph.nodes):
        if node.target is not operator.setitem:
            continue
        x, index, given = node.args
        value = value_of(x)
        if not isinstance(value, Tensor) or not value.is_floating_point():
            continue
        if isinstance(given, (int, float)) and (mask := _mask_of_columns(index, value)):
            with graph.inserting_before(node):
                filled = graph.call_method("masked_fill_", (x, mask, given))
                filled.meta = {**node.meta, "example_value": value}
            graph.erase_node(node)
        if not _is_of_columns(index, value):
            continue
        change = "copy_" if isinstance(given, Node) else "fill_"
        with fake_mode([value]):
            set_part = value[index]
        if isinstance(given, Node) and not (isinstance(value_of(given), Tensor)
                                            and value_of(given).dim() <= set_part.dim()):  # fmt: skip
            continue  # `copy_` drops no dimension
        with graph.inserting_before(node):
            part = graph.call_function(operator.getitem, (x, index))
            part.meta = {**node.meta, "example_value": set_part}
            changed = graph.call_method(change, (part, given))
            changed.meta = {**node.meta, "example_value": set_part}
        graph.erase_node(node)


def _mask_of_columns(index: Any, value: Tensor) -> Node | None:
    """The truths, one for each column of rows, of which an index takes the true ones."""
    if not isinstance(index, tuple) or len(index) != 2 or index[0] not in (slice(None), Ellipsis):
        return None
    mask = value_of(index[1]) if isinstance(index[1], Node) else None
    is_mask = isinstance(mask, Tensor) and mask.dtype == torch.bool and mask.dim() == 1
    width = value.shape[-1] if value.dim() == 2 or (index[0] is Ellipsis and value.dim() > 2) else None
    sizes = [width, *mask.shape] if is_mask else []
    return index[1] if sizes and all(type(size) is int for size in sizes) and sizes[0] == sizes[1] else None


def _is_of_columns(index: Any, value: Tensor) -> bool:
    """Whether an index takes a part of all rows, or of as many as a constant says, by numbers that are known."""
    parts = index if isinstance(index, tuple) else (index,)
    if not parts or any(not _is_known(part) for part in parts) or len(parts) > value.dim():
        return False
    is_of_all = parts[0] == slice(None) or (parts[0] is Ellipsis and len(parts) <= value.dim())
    return is_of_all or type(value.shape[0]) is int


def _is_known(part: Any) -> bool:
    if isinstance(part, slice):
        return all(bound is None or type(bound) is int for bound in (part.start, part.stop, part.step))
    return part is Ellipsis or type(part) is int

"""What is added to one place of each row or column."""

from __future__ import annotations

import functools
import operator
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node

from ...functional import value_of
from ..emit import call

_ADDS = {"scatter_add": False, torch.scatter_add: False, "scatter_add_": True, Tensor.scatter_add_: True}
"""Operators, and whether they are in place."""


def add_once(graph: Graph) -> None:
    """``x.scatter_add(1, index, y)`` of ``y`` with the shape ``[B, 1, F]`` is ``x + where(mask, y, 0)``: no two numbers
    are added to one, and the mask is made of integers alone."""
    for node in list(graph.nodes):
        if node.target not in _ADDS:
            continue
        given = dict(zip(("input", "dim", "index", "src"), node.args), **node.kwargs)
        x, dim, index, source = (given.get(name) for name in ("input", "dim", "index", "src"))
        if not _is_of_one(x, dim, index, source):
            continue
        make = functools.partial(call, graph, node)
        with graph.inserting_before(node):
            places, shape = index, []
            for number, stride in enumerate(value_of(index).stride()):
                is_same = type(stride) is int and stride == 0  # for all along this dimension; of a symbol, a guard
                places = make(torch.narrow, places, number, 0, 1) if is_same else places
                shape.append(1 if is_same else make(torch.ops.aten.sym_size.int, index, number))
            shape[dim] = make(torch.ops.aten.sym_size.int, x, dim)
            none = make(torch.zeros, tuple(shape), dtype=torch.bool, device=value_of(x).device)
            mask = make("scatter", none, dim, places, True)  # or an error where a place is out of range
            numbers = make("to", mask, value_of(x).dtype)  # which regions take
            zeros = make(torch.zeros, (), dtype=value_of(x).dtype, device=value_of(x).device)
            added = make(torch.where, make(operator.gt, numbers, 0), source, zeros)
            result = make("add_" if _ADDS[node.target] else "add", x, added)
        node.replace_all_uses_with(result)
        graph.erase_node(node)


def _is_of_one(x: Any, dim: Any, index: Any, source: Any) -> bool:
    """Whether floats are added up along a dimension behind the first, in which there is one of what is added."""
    if type(dim) is not int or not all(isinstance(each, Node) for each in (x, index, source)):
        return False
    values = value_of(x), value_of(index), value_of(source)
    if not values[0].is_floating_point() or not 0 < dim < values[0].dim():
        return False
    same = all(a is b or str(a) == str(b) for a, b in zip(values[1].shape, values[2].shape))
    ones = [type(value.shape[dim]) is int and value.shape[dim] == 1 for value in values[1:]]
    others = [str(value.shape[place]) for value in values for place in range(value.dim()) if place != dim]
    count = values[0].dim() - 1
    return same and all(ones) and others[:count] == others[count : 2 * count]

"""Rows behind other dimensions that lists set: those of a view, which has them first."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node

from ...functional import value_of
from ..changes import name_of
from ..emit import call

_SETS = ("index_copy", "index_copy_", "index_fill", "index_fill_")


def set_rows_behind(graph: Graph) -> None:
    """``x.index_copy_(1, index, y)`` is ``x.movedim(1, 0).index_copy_(0, index, y.movedim(1, 0))``, and
    ``x.index_copy(1, index, y)`` the same of a copy of ``x``."""
    for node in list(graph.nodes):
        if name_of(node) not in _SETS or len(node.args) != 4 or node.kwargs:
            continue
        x, dim, index, given = node.args
        value = value_of(x)
        if type(dim) is not int or not value.is_floating_point() or dim % max(value.dim(), 1) == 0:
            continue
        make = functools.partial(call, graph, node)
        with graph.inserting_before(node):
            name = name_of(node)
            whole = x if name.endswith("_") else make("clone", x)
            rows = make(torch.movedim, whole, dim, 0)
            given = make(torch.movedim, given, dim, 0) if _has_rows(given) else given
            make(name.removesuffix("_") + "_", rows, 0, index, given)
        node.replace_all_uses_with(whole)
        graph.erase_node(node)


def _has_rows(given: Any) -> bool:
    return isinstance(given, Node) and isinstance(value_of(given), Tensor) and value_of(given).dim() > 0

"""Parts of rows that a mask, or a list, picks."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node

from ...functional import value_of
from ..emit import call


def part_before(graph: Graph) -> None:
    """``x[mask, 0]`` is ``x[:, 0][mask]``, and ``x[list, :3] = y`` is ``x[:, :3][list] = y``."""
    for node in list(graph.nodes):
        if node.target not in (operator.getitem, operator.setitem):
            continue
        x, index = node.args[:2]
        if not isinstance(index, tuple) or not isinstance(value_of(x) if isinstance(x, Node) else None, Tensor):
            continue
        picked, *rest = index
        if not _is_list(picked, is_set=node.target is operator.setitem) or not _are_columns(rest):
            continue
        with graph.inserting_before(node):
            part = call(graph, node, operator.getitem, x, (slice(None), *rest))
        node.args = (part, picked, *node.args[2:])


def _is_list(picked: Any, is_set: bool) -> bool:
    """Whether it is a mask of rows, or a list of those that are set; other lists are read with their columns."""
    value = value_of(picked) if isinstance(picked, Node) else None
    return isinstance(value, Tensor) and value.dim() == 1 and (
        value.dtype is torch.bool or is_set and not value.is_floating_point())  # fmt: skip


def _are_columns(rest: list) -> bool:
    """Whether constants take a part of each row."""
    bounds = [bound for part in rest if isinstance(part, slice) for bound in (part.start, part.stop, part.step)]
    return (any(part not in (slice(None), Ellipsis) for part in rest)
            and all(isinstance(part, slice) or part is None or part is Ellipsis or type(part) is int for part in rest)
            and all(bound is None or type(bound) is int for bound in bounds))  # fmt: skip

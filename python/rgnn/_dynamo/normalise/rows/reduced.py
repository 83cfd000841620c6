"""Greatest and least of all rows, and softmaxes over them: the rows are the edges of one node."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.fx import Graph, Node

from ... import private
from ...expressions import is_symbolic
from ...functional import fake_mode, value_of
from ..changes import name_of


def reduce_all_rows(graph: Graph) -> None:
    """``x.amax(0)``, ``x.max()`` and softmaxes over all rows get a list of edges, where no constant says how many rows
    there are."""
    for node in list(graph.nodes):
        x = node.args[0] if node.args else None
        value = value_of(x) if isinstance(x, Node) else None
        if name_of(node) not in _REDUCED or not isinstance(value, Tensor) or not _has_rows(value):
            continue
        if name_of(node) in _SOFTMAXES:
            _give_ends_to_softmax(graph, node, x)
        else:
            _give_ends_to_extreme(graph, node, x)


_REDUCED = ("amax", "amin", "max", "min", "softmax", "log_softmax")


def _has_rows(value: Tensor) -> bool:
    return value.is_floating_point() and value.dim() > 0 and is_symbolic(value.shape[0])


def _give_ends_to_softmax(graph: Graph, node: Node, x: Node) -> None:
    dims = [*node.args[1:], *(value for name, value in node.kwargs.items() if name == "dim")]
    others = {name: value for name, value in node.kwargs.items() if name not in ("dim", "_stacklevel")}
    if dims[:1] not in ([0], [-value_of(x).dim()]) or any(value is not None for value in others.values()):
        return
    with graph.inserting_before(node):
        ends = _ends(graph, node, x)
    node.op, node.target, node.args, node.kwargs = "call_function", _SOFTMAXES[name_of(node)], (x, ends), {}


def _give_ends_to_extreme(graph: Graph, node: Node, x: Node) -> None:
    kind, rank = name_of(node).removeprefix("a"), value_of(x).dim()
    given = [*node.args[1:], *node.kwargs.values()]
    dims, keepdim = list(range(rank)), False
    if name_of(node).startswith("a"):
        named = dict(zip(("dim", "keepdim"), node.args[1:]), **node.kwargs)
        keepdim = named.pop("keepdim", False)
        asked = named.pop("dim", ())
        asked = [asked] if isinstance(asked, int) else list(asked)
        dims = sorted({dim % rank for dim in asked}) if asked else dims
        given = [*named]
    if given or not isinstance(keepdim, bool) or dims[0] != 0:
        return
    with graph.inserting_before(node):
        ends = _ends(graph, node, x)
    node.op, node.target, node.args, node.kwargs = "call_function", extreme_of_all, (x, ends, kind, dims, keepdim), {}


def _ends(graph: Graph, node: Node, x: Node) -> Node:
    """For each row, the node 0."""
    count = graph.call_function(torch.ops.aten.sym_size.int, (x, 0))
    count.meta = {**node.meta, "example_value": value_of(x).shape[0]}
    ends = graph.call_function(torch.zeros, (count,), {"dtype": torch.int64, "device": value_of(x).device})
    with fake_mode([value_of(x)]):
        value = torch.zeros(value_of(x).shape[0], dtype=torch.int64, device=value_of(x).device)
    ends.meta = {**node.meta, "example_value": value}
    return ends


def extreme_of_all(x: Tensor, ends: Tensor, kind: str, dims: list[int], keepdim: bool) -> Tensor:
    """The greatest or least number over the rows and other dimensions; to the compiler, of the edges of one node."""
    reduce = torch.amax if kind == "max" else torch.amin
    if not _is_traced(x):
        return reduce(x, dims, keepdim)
    rows = reduce(x, dims[1:], True) if dims[1:] else x
    most = torch.ops.rgnn.aggregate(rows if x.dim() > 1 else rows.unsqueeze(1), ends, 1, kind)
    most = most if x.dim() > 1 else most.squeeze(1)
    if dims[1:]:  # Equal numbers have equal parts of the gradient, in whichever rows they are.
        most = most.detach()
        is_most = (x == most) & (x.abs() < float("inf"))
        count = torch.where(is_most, 1.0, 0.0).to(x.dtype).sum(dims, True).clamp_min(1.0)
        most = most + torch.where(is_most, x - most, 0.0).sum(dims, True) / count
    shape = [1 if dim in dims else size for dim, size in enumerate(x.shape)]
    # All rows share it: by way of another shape, it is no row any more.
    shared = most.reshape(shape[1:] if math.prod(shape) != 1 else [])
    return shared.reshape(shape if keepdim else [size for dim, size in enumerate(shape) if dim not in dims])


def softmax_of_all(x: Tensor, ends: Tensor) -> Tensor:
    """The softmax over all rows; to the compiler, over the edges of one node."""
    return torch.ops.rgnn.edge_softmax(x, ends, 1) if _is_traced(x) else F.softmax(x, 0)


def log_softmax_of_all(x: Tensor, ends: Tensor) -> Tensor:
    if not _is_traced(x):
        return F.log_softmax(x, 0)
    most = extreme_of_all(x, ends, "max", [0], keepdim=True).detach()
    shifted = x - torch.where(most.abs() == float("inf"), 0.0, most)
    return shifted - shifted.exp().sum(0, keepdim=True).log()


_SOFTMAXES = {"softmax": softmax_of_all, "log_softmax": log_softmax_of_all}


def _is_traced(x: Any) -> bool:
    return isinstance(x, (private.FunctionalTensor, private.FakeTensor))

"""Batch normalisation in training: a function of its batch, and apart from it the averages that it keeps."""

from __future__ import annotations

import math
import operator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.fx import Graph, Node

from .. import private
from ..functional import fake_mode, value_of

_NAMES = ("input", "running_mean", "running_var", "weight", "bias", "training", "momentum", "eps")
_DEFAULTS = {"weight": None, "bias": None, "training": False, "momentum": 0.1, "eps": 1e-5}
_OPERATOR = torch.ops.aten._native_batch_norm_legit_functional.default


def split_batch_norms(graph: Graph) -> None:
    """So that a region can compute the first, which changes nothing; PyTorch stores the averages."""
    for node in list(graph.nodes):
        if node.target is not F.batch_norm:
            continue
        given = {**_DEFAULTS, **dict(zip(_NAMES, node.args)), **node.kwargs}
        averages = given["running_mean"], given["running_var"]
        if given["training"] is True:
            _check_count(graph, node, given["input"])
        if given["training"] is not True or not all(isinstance(average, Node) for average in averages):
            continue
        if any(average.op not in ("placeholder", "get_attr") for average in averages):
            continue  # they may be part of what has a gradient
        _split(graph, node, given, averages)


def _check_count(graph: Graph, node: Node, x: Node) -> None:
    """Where data say how many rows there are, a call asks whether it is a single one; others guard that it is not."""
    value = value_of(x)
    if not isinstance(value, Tensor) or not private.free_unbacked_symbols(value.shape[0]):
        return
    with graph.inserting_before(node):
        rows = graph.call_function(torch.ops.aten.sym_size.int, (x, 0))
        rows.meta = {**node.meta, "example_value": value.shape[0]}
        made = graph.call_function(refuse_single_value, (rows, list(value.shape[1:])))
        made.meta = {**node.meta, "example_value": None}


def _split(graph: Graph, node: Node, given: dict[str, Any], averages: tuple[Node, Node]) -> None:
    def make(target: Any, *args: Any, value: Any) -> Node:
        is_method = isinstance(target, str)
        made = graph.call_method(target, args) if is_method else graph.call_function(target, args)
        made.meta = {**node.meta, "example_value": value}
        return made

    with graph.inserting_before(node):
        # The backward of PyTorch's own would miss what was there before.
        before = [make("clone", average, value=torch.empty_like(value_of(average))) for average in averages]
        args = (given["input"], given["weight"], given["bias"], *before, True, given["momentum"], given["eps"])
        values = [value_of(arg) if isinstance(arg, Node) else arg for arg in args]
        with fake_mode(values):
            results = _OPERATOR(*values)
        batch = make(normalise_rows, *args, value=results)
        result = make(operator.getitem, batch, 0, value=value_of(node))
        rows = make(torch.ops.aten.sym_size.int, given["input"], 0, value=values[0].shape[0])
        for number, average in zip((3, 4), averages):
            moved = make(operator.getitem, batch, number, value=results[number])
            detached = make("detach", moved, value=results[number].detach())
            make(store_average, average, detached, rows, value=value_of(average))
    node.replace_all_uses_with(result)
    graph.erase_node(node)


def refuse_single_value(rows: int, others: list[int]) -> None:
    """Raises PyTorch's ValueError for a batch of a single number per channel."""
    if math.prod((rows, *others[1:])) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size "
                         f"{torch.Size((rows, *others))}")  # fmt: skip


def normalise_rows(x: Tensor, weight: Tensor | None, bias: Tensor | None, *others: Any) -> tuple[Tensor, ...]:
    """The normalised rows, their means and deviations, and averages that take these in.

    PyTorch's operator refuses a batch without rows, which its function returns as it is.
    """
    if type(x.shape[0]) is not int or x.shape[0] > 0:
        return _OPERATOR(x, weight, bias, *others)
    mean, spread = others[:2]
    result = x.clone() if weight is None else x * weight[0]
    return result if bias is None else result + bias[0], mean, spread, mean, spread


def store_average(average: Tensor, moved: Tensor, rows: int) -> Tensor:
    """Stores an average; it stays what it is where the batch has no rows, of which there is no mean."""
    if type(rows) is not int or rows > 0:
        average.copy_(moved)
    return average

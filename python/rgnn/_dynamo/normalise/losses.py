"""Losses of class numbers: what each row has for its class."""

from __future__ import annotations

import functools
import operator
from typing import Any

import torch
import torch.nn.functional as F
from torch.fx import Graph, Node

from ..functional import value_of
from .emit import call
from .integers import made_of_integers

_NAMES = {
    F.cross_entropy: ("input", "target", "weight", "size_average", "ignore_index", "reduce", "reduction",
                      "label_smoothing"),
    F.nll_loss: ("input", "target", "weight", "size_average", "ignore_index", "reduce", "reduction"),
}  # fmt: skip


_WIDE = (torch.float32, torch.float64)  # narrower numbers are added up in wider ones, which PyTorch rounds once


def write_losses(graph: Graph) -> None:
    """``F.cross_entropy(x, y)`` is the mean of ``-x.log_softmax(1)[arange(N), y]``, with weights of classes, numbers
    that are left out, and smoothed labels; so is ``F.nll_loss``. ``F.kl_div`` over the number of rows is
    a sum that is divided."""
    for node in list(graph.nodes):
        if node.target is F.kl_div and node.kwargs.get("reduction") == "batchmean":
            _divide_by_batch(graph, node)
    losses = [node for node in graph.nodes if node.target in _NAMES]
    integers = made_of_integers(graph) if losses else set()
    for node in losses:
        given = {**dict(zip(_NAMES[node.target], node.args)), **node.kwargs}
        if _is_of_rows(given, integers) and value_of(node).dtype == value_of(given["input"]).dtype in _WIDE:
            node.replace_all_uses_with(_write(graph, node, given))
            graph.erase_node(node)


def _divide_by_batch(graph: Graph, node: Node) -> None:
    make = functools.partial(call, graph, node)
    with graph.inserting_before(node):
        total = make(F.kl_div, *node.args, **{**node.kwargs, "reduction": "sum"})
        x = node.args[0] if node.args else node.kwargs["input"]
        mean = make(operator.truediv, total, make(torch.ops.aten.sym_size.int, x, 0))
    node.replace_all_uses_with(mean)
    graph.erase_node(node)


def _is_of_rows(given: dict[str, Any], integers: set[Node]) -> bool:
    x, target = given["input"], given["target"]
    if given.get("size_average") is not None or given.get("reduce") is not None or target not in integers:
        return False
    is_known = given.get("reduction", "mean") in ("mean", "sum", "none")
    return is_known and value_of(x).dim() == 2 and type(value_of(x).shape[1]) is int and value_of(target).dim() == 1


def _write(graph: Graph, node: Node, given: dict[str, Any]) -> Node:
    make = functools.partial(call, graph, node)
    x, target, weight, smoothing = given["input"], given["target"], given.get("weight"), given.get("label_smoothing", 0)
    classes, device, reduction = value_of(x).shape[1], value_of(x).device, given.get("reduction", "mean")

    def reduced(losses: Node, weights: Node) -> Node:
        if reduction == "none":
            return losses
        total = make("sum", losses)
        return total if reduction == "sum" else make(operator.truediv, total, make("sum", weights))

    with graph.inserting_before(node):
        logarithms = make(F.log_softmax, x, 1) if node.target is F.cross_entropy else x
        counts = make(operator.ne, target, given.get("ignore_index", -100))
        # PyTorch's error where there is no such class; an index in brackets would count from the end.
        every = make(torch.arange, classes, device=device)
        numbers = make("index_select", every, 0, make(torch.where, counts, target, 0))
        rows = make(torch.arange, make(torch.ops.aten.sym_size.int, target, 0), device=device)
        losses = make("neg", make(operator.getitem, logarithms, (rows, numbers)))
        weights = make(torch.ones, (), dtype=value_of(x).dtype, device=device)
        if weight is not None:
            weight = make("detach", weight)
            weights = make("index_select", weight, 0, numbers)
            losses = make(operator.mul, losses, weights)
        weights = make(torch.where, counts, weights, 0.0)
        losses = make(torch.where, counts, losses, 0.0)
        found = reduced(losses, weights)
        if not smoothing:
            return found
        even = logarithms if weight is None else make(operator.mul, logarithms, weight)
        even = make(torch.where, counts, make("neg", make("sum", even, 1)), 0.0)
        even = make(operator.mul, reduced(even, weights), smoothing / classes)
        return make(operator.add, make(operator.mul, found, 1 - smoothing), even)

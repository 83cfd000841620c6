"""Bags of embeddings: sums and means of the rows of a table that each bag has in a list."""

from __future__ import annotations

import operator
from typing import Any

import torch
import torch.nn.functional as F
from torch.fx import Graph, Node

from ..functional import value_of
from .emit import call

_NAMES = ("input", "weight", "offsets", "max_norm", "norm_type", "scale_grad_by_freq", "mode", "sparse",
          "per_sample_weights", "include_last_offset", "padding_idx")  # fmt: skip


def write_bags(graph: Graph) -> None:
    """``embedding_bag(numbers, table, offsets)`` picks rows of the table and adds them up per bag.

    A bag is a row of ``numbers``, or begins where ``offsets`` says. Maxima, and tables that change with a call or have
    sparse gradients, stay PyTorch's.
    """
    for node in list(graph.nodes):
        if node.target is F.embedding_bag:
            given = {"mode": "mean", **dict(zip(_NAMES, node.args)), **node.kwargs}
            odd = [given.get(name) for name in ("max_norm", "scale_grad_by_freq", "sparse")]
            if given["mode"] in ("sum", "mean") and not any(odd):
                with graph.inserting_before(node):
                    _write(graph, node, given)


def _write(graph: Graph, node: Node, given: dict[str, Any]) -> None:
    def make(target: Any, *args: Any, **settings: Any) -> Node:
        return call(graph, node, target, *args, **settings)

    def size(x: Node, dim: int) -> Any:
        known = value_of(x).shape[dim]
        return known if type(known) is int else make(torch.ops.aten.sym_size.int, x, dim)

    numbers, table, offsets = given["input"], given["weight"], given.get("offsets")
    weights, padding = given.get("per_sample_weights"), given.get("padding_idx")
    value, width = value_of(numbers), value_of(table).shape[1]
    kind = {"dtype": value_of(table).dtype, "device": value.device}
    if value.dim() == 2:
        length = value.shape[1]
        if type(length) is not int or length == 0:
            return
        count = size(numbers, 0)
        numbers = make("reshape", numbers, -1)
        bags = make(operator.floordiv, make(torch.arange, size(numbers, 0), device=value.device), length)
        weights = None if weights is None else make("reshape", weights, -1)
    elif not isinstance(offsets, Node):
        return
    else:
        many = size(numbers, 0)
        if given.get("include_last_offset"):
            offsets = make(operator.getitem, offsets, slice(None, -1))
        count = size(offsets, 0)
        places = make(torch.arange, many, device=value.device, dtype=value_of(offsets).dtype)
        bags = make(operator.sub, make(torch.searchsorted, offsets, places, right=True), 1)
        # Offsets that do not fit the list are errors, as they are to PyTorch: no bag has such a number.
        ends = make(torch.cat, [make(operator.getitem, offsets, slice(1, None)), make("new_full", offsets, (1,), many)])
        is_wrong = make("any", make(operator.gt, offsets, ends))
        bags = make(torch.where, is_wrong, -1, bags)
    rows = make("index_select", table, 0, numbers)
    counts = None
    if padding is not None:
        padding = padding % value_of(table).shape[0]
        counts = make(operator.ne, numbers, padding)
        rows = make(torch.where, make("unsqueeze", counts, 1), rows, 0.0)
    if weights is not None:
        rows = make(operator.mul, rows, make("unsqueeze", weights, 1))
    total = make("index_add", make(torch.zeros, (count, width), **kind), 0, bags, rows)
    if given["mode"] == "mean":
        ones = make("to", counts, kind["dtype"]) if counts else make(torch.ones, (size(numbers, 0),), **kind)
        lengths = make("index_add", make(torch.zeros, (count,), **kind), 0, bags, ones)
        total = make(operator.truediv, total, make("unsqueeze", make("clamp", lengths, 1), 1))
    node.replace_all_uses_with(total)
    graph.erase_node(node)

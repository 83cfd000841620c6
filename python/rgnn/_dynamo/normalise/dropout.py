"""Dropout is a product with a mask that PyTorch draws, in the model's order."""

from __future__ import annotations

import itertools
import operator

import sympy
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.fx import Graph, Node

from ..._run.masks import Draw
from ..expressions import expression_of, is_contiguous, is_symbolic
from ..functional import value_of
from .shapes import emit_size

_ORDER = "draws in this order of dimensions"  # a key of ``meta``


def draw_mask(keep: float, dtype: torch.dtype, device: torch.device, order: tuple[int, ...], *shape: int) -> Tensor:
    """What dropout multiplies by: zeros, and ``1 / keep`` with probability ``keep``.

    Args:
        order: the dimensions, from the one whose entries are furthest apart in memory; numbers are drawn in this order.
    """
    if keep == 1:  # PyTorch draws nothing
        return torch.ones(shape, dtype=dtype, device=device)
    drawn = Draw(dtype, keep, keep, [[(shape[dim], [])] for dim in order])([], device)
    return drawn.permute(*map(order.index, range(len(order)))).contiguous()


def note_orders(graph: Graph) -> None:
    """Has each dropout remember in which order PyTorch draws for it: that in which the numbers that it reads lie in
    memory, before they are computed otherwise."""
    for node in _dropouts(graph):
        if isinstance(source := _arguments(node)["input"], Node):
            node.meta[_ORDER] = order_of(value_of(source))


def _dropouts(graph: Graph) -> list[Node]:
    return [node for node in graph.nodes if node.op == "call_function" and node.target in (F.dropout, torch.dropout)]


def _arguments(node: Node) -> dict[str, object]:
    names = ("input", "p", "training", "inplace") if node.target is F.dropout else ("input", "p", "train")
    return {"p": 0.5, "training": True, "inplace": False, **dict(zip(names, node.args)), **node.kwargs}


def order_of(value: Tensor) -> tuple[int, ...] | None:
    """The dimensions of a tensor from the furthest apart in memory; None where there are gaps between its entries."""
    empty, dims = torch.empty_like(value), range(value.dim())
    orders = itertools.permutations(dims) if value.dim() <= 5 else [dims]
    return next((tuple(order) for order in orders if is_contiguous(empty.permute(*order))), None)


def _rows_first(value: Tensor) -> list[int]:
    """The dimensions of a tensor, that of the rows in front: regions take them so."""
    rows = [dim for dim, size in enumerate(value.shape) if is_symbolic(size)]
    return sorted(range(value.dim()), key=lambda dim: [dim] != rows)


def split_dropout(graph: Graph, symbols: dict[sympy.Expr, Node]) -> None:
    for node in _dropouts(graph):
        given = _arguments(node)
        source, rate, training = given["input"], given["p"], given.get("train", given["training"])
        if not isinstance(source, Node) or isinstance(training, Node):
            continue
        if not training or rate == 0:
            node.replace_all_uses_with(source)
            graph.erase_node(node)
            continue
        value = value_of(source)
        order = node.meta.get(_ORDER) or order_of(value)
        if order is None:
            continue
        with graph.inserting_before(node):
            shape = [emit_size(graph, sympy.sympify(expression_of(size)), symbols, node) for size in value.shape]
            if None in shape:
                continue
            keep = graph.call_function(operator.sub, (1, rate)) if isinstance(rate, Node) else 1 - rate
            dims = _rows_first(value)
            sizes = [shape[dim] for dim in dims]
            mask = drawn = graph.call_function(
                draw_mask, (keep, value.dtype, value.device, tuple(map(dims.index, order)), *sizes))
            if dims[0] > 0:
                mask = graph.call_function(Tensor.movedim, (drawn, 0, dims[0]))
            product = graph.call_function(operator.imul if given["inplace"] else operator.mul, (source, mask))
        if isinstance(rate, Node):
            keep.meta = {"example_value": 1 - value_of(rate)}
        example = torch.empty_like(value, memory_format=torch.contiguous_format).detach()
        mask.meta = {"example_value": example, "stack_trace": node.meta.get("stack_trace")}
        drawn.meta = {**mask.meta, "example_value": example.new_empty([value.shape[dim] for dim in dims])}
        product.meta = {**node.meta}
        node.replace_all_uses_with(product)
        graph.erase_node(node)

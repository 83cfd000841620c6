"""Dropout is a product with a mask that PyTorch draws, in the model's order."""

from __future__ import annotations

import operator

import sympy
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.fx import Graph, Node

from ..._run.masks import Draw
from ..expressions import expression_of
from ..functional import value_of
from .shapes import emit_size


def draw_mask(keep: float, dtype: torch.dtype, device: torch.device, *shape: int) -> Tensor:
    """What dropout multiplies by: zeros, and ``1 / keep`` with probability ``keep``."""
    if keep == 1:  # PyTorch draws nothing
        return torch.ones(shape, dtype=dtype, device=device)
    return Draw(dtype, keep, keep, [[(size, [])] for size in shape])([], device)


def split_dropout(graph: Graph, symbols: dict[sympy.Expr, Node]) -> None:
    for node in list(graph.nodes):
        if node.op != "call_function" or node.target not in (F.dropout, torch.dropout):
            continue
        names = ("input", "p", "training", "inplace") if node.target is F.dropout else ("input", "p", "train")
        given = {"p": 0.5, "training": True, "inplace": False, **dict(zip(names, node.args)), **node.kwargs}
        source, rate, training = given["input"], given["p"], given.get("train", given["training"])
        if not isinstance(source, Node) or isinstance(training, Node):
            continue
        if not training or rate == 0:
            node.replace_all_uses_with(source)
            graph.erase_node(node)
            continue
        value = value_of(source)
        if not torch.empty_like(value).is_contiguous():  # then numbers are drawn in another order
            continue
        with graph.inserting_before(node):
            shape = [emit_size(graph, sympy.sympify(expression_of(size)), symbols, node) for size in value.shape]
            if None in shape:
                continue
            keep = graph.call_function(operator.sub, (1, rate)) if isinstance(rate, Node) else 1 - rate
            mask = graph.call_function(draw_mask, (keep, value.dtype, value.device, *shape))
            product = graph.call_function(operator.imul if given["inplace"] else operator.mul, (source, mask))
        if isinstance(rate, Node):
            keep.meta = {"example_value": 1 - value_of(rate)}
        mask.meta = {"example_value": torch.empty_like(value).detach(), "stack_trace": node.meta.get("stack_trace")}
        product.meta = {**node.meta}
        node.replace_all_uses_with(product)
        graph.erase_node(node)

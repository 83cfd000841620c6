"""Masks and other integers that floats are computed with."""

from __future__ import annotations

import math
import operator

import torch
from torch import Tensor
from torch.fx import Graph, Node

from ..expressions import expression_of
from ..functional import value_of
from .changes import name_of
from .integers import made_of_integers


def fill_by_masks(graph: Graph) -> None:
    """``x[mask] = number`` is ``x.masked_fill_(mask, number)``, which has a result."""
    for node in list(graph.nodes):
        if node.target is not operator.setitem:
            continue
        x, mask, number = node.args
        if not _is_truth(mask) or not _starts_with(x, mask) or not _holds(value_of(x).dtype, number):
            continue
        with graph.inserting_before(node):
            for dim in range(value_of(mask).dim(), value_of(x).dim()):
                truths = value_of(mask).unsqueeze(dim)
                mask = graph.call_method("unsqueeze", (mask, dim))
                mask.meta = {**node.meta, "example_value": truths}
            number = int(number) if isinstance(number, bool) else number
            filled = graph.call_method("masked_fill_", (x, mask, number))
            filled.meta = {**node.meta, "example_value": value_of(x)}
        graph.erase_node(node)


def take_numbers(graph: Graph) -> None:
    """What is computed of floats with integers or truths reads them as floats, which regions take."""
    integers = made_of_integers(graph)
    for node in list(graph.nodes):
        value = value_of(node)
        if not isinstance(value, Tensor) or not value.is_floating_point() or name_of(node) not in _ELEMENTWISE:
            continue
        for source in node.all_input_nodes:
            if source not in integers or not isinstance(value_of(source), Tensor) or value_of(source).dim() == 0:
                continue
            is_truth = _is_truth(source) and name_of(node) in _CHOOSING
            number = torch.empty_like(value_of(source), dtype=value.dtype)
            with graph.inserting_before(node):
                made = graph.call_method("to", (source, value.dtype))
                made.meta = {**node.meta, "example_value": number}
                if is_truth:
                    made = graph.call_function(operator.gt, (made, 0))
                    made.meta = {**node.meta, "example_value": number > 0}
            node.replace_input_with(source, made)


_CHOOSING = {"where", "masked_fill", "masked_fill_"}
_ELEMENTWISE = _CHOOSING | {"add", "sub", "mul", "div", "truediv", "true_divide", "add_", "sub_", "mul_", "div_",
                            "iadd", "isub", "imul", "itruediv", "pow", "maximum", "minimum"}  # fmt: skip


def _starts_with(x: Node, mask: Node) -> bool:
    """Whether a mask has the first sizes of a tensor: others are errors, where `masked_fill_` would repeat the mask."""
    found, wanted = ([expression_of(size) for size in value_of(node).shape] for node in (x, mask))
    return found[: len(wanted)] == wanted


def _holds(dtype: torch.dtype, number: object) -> bool:
    """Whether a tensor of floats can be filled with a number: what does not fit is an error there, and cast here."""
    if not dtype.is_floating_point or not isinstance(number, (bool, int, float)):
        return False
    return not math.isfinite(number) or abs(number) <= torch.finfo(dtype).max


def _is_truth(node: object) -> bool:
    return isinstance(node, Node) and isinstance(value_of(node), Tensor) and value_of(node).dtype == torch.bool

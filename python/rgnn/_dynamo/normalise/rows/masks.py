"""Masks, what is set by them, and other integers that floats are computed with."""

from __future__ import annotations

import math
import operator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.fx import Graph, Node

from ...expressions import expression_of
from ...functional import value_of
from ...partition import storages
from ..changes import changed_by, name_of
from ..emit import call
from ..integers import changes_of, made_of_integers


def set_by_masks(graph: Graph) -> None:
    """``x[mask] = f(y[mask], w)`` is ``x.copy_(where(mask, f(y, w), x))``: how many the mask picks is of no account.

    Where it picks none, ``f`` reads ones, so that its gradient there is a number, and passes nothing on. Rows that
    integers choose are listed instead (:mod:`.rows`), and computed alone.
    """
    integers = made_of_integers(graph)
    for node in list(graph.nodes):
        if node.target is not operator.setitem:
            continue
        x, index, given = node.args
        mask, *columns = index if isinstance(index, tuple) else (index,)
        is_number = not isinstance(given, Node)
        if not isinstance(x, Node) or not _is_truth(mask) or not value_of(x).is_floating_point():
            continue
        if not _starts_with(x, mask) or any(type(part) not in (int, slice) for part in columns):
            continue
        if mask in integers and not columns:
            continue
        if is_number and (not columns or not _holds(value_of(x).dtype, given)):
            continue  # `fill_by_masks` sets it, or PyTorch refuses it
        if not is_number and (not isinstance(value_of(given), Tensor) or value_of(given).dtype != value_of(x).dtype):
            continue
        with graph.inserting_before(node):
            chosen = _Chosen(graph, node, mask, columns)
            made = given if is_number else chosen.compute(given)
            if made is not None:
                part = chosen.part_of(x)
                truths = chosen.spread(value_of(part).dim())
                call(graph, node, "copy_", part, call(graph, node, torch.where, truths, made, part))
        if made is not None:
            graph.erase_node(node)
            _erase_unread(graph, given)


def _erase_unread(graph: Graph, node: Any) -> None:
    """Erases what nobody reads but to ask how many rows it has, and what it was made of."""
    if not isinstance(node, Node) or not node.op.startswith("call") or changed_by(node):
        return
    asking = list(node.users)
    for user in asking:
        asking += [each for each in user.users if each not in asking]
    if not all(isinstance(value_of(each), _SIZES) or each.target in _CHECKS for each in asking):
        return
    for each in sorted(asking, reverse=True):
        graph.erase_node(each)
    sources = node.all_input_nodes
    graph.erase_node(node)
    for source in sources:
        if value_of(source) is not None:
            _erase_unread(graph, source)


_SIZES = (torch.SymInt, torch.SymBool)
_CHECKS = (torch.ops.aten._assert_scalar.default, torch.ops.aten.sym_constrain_range_for_size.default,
           torch._check, torch._check_is_size)  # fmt: skip


class _Chosen:
    """What is computed of those that a mask picks, for all."""

    def __init__(self, graph: Graph, node: Node, mask: Node, columns: list):
        self._graph, self._node, self._mask, self._columns = graph, node, mask, columns
        self._known: dict[Node, Node | None] = {}

    def part_of(self, x: Node) -> Node:
        if not self._columns:
            return x
        index = (*[slice(None)] * value_of(self._mask).dim(), *self._columns)
        return self._call(operator.getitem, x, index)

    def spread(self, rank: int) -> Node:
        """The mask for tensors of some rank."""
        mask = self._mask
        for dim in range(value_of(mask).dim(), rank):
            mask = self._call("unsqueeze", mask, dim)
        return mask

    def compute(self, node: Node) -> Node | None:
        """The same of all as a node is of those that are picked; None where that is not known."""
        if node not in self._known:
            self._known[node] = self._compute(node)
        return self._known[node]

    def _compute(self, node: Node) -> Node | None:
        value = value_of(node)
        if not isinstance(value, Tensor) or not value.is_floating_point():
            return None
        if self._is_picked(node):
            y = self.part_of(node.args[0])
            return self._call(torch.where, self.spread(value_of(y).dim()), y, 1.0)
        inner = value_of(self._mask).dim()
        sizes = [size for size in value.shape if type(size) is int]
        if len(sizes) == value.dim():  # it is the same for all
            rank = value_of(self._node.args[0]).dim() - inner - sum(type(part) is int for part in self._columns)
            return node if value.dim() <= rank or value.dim() == rank + 1 and sizes[0] == 1 else None
        sources, name = node.all_input_nodes, name_of(node)
        if changed_by(node) or any(given is True for given in (*node.args, *node.kwargs.values())):  # `relu(x, True)`
            return None
        is_direct = all(self._is_picked(source) or value_of(source).dim() == 0 for source in sources)
        is_product = node.target is F.linear and inner == 1  # with weights that are the same for all
        if not (name in _SMOOTH or name in _STEEP and is_direct or is_product):
            return None
        made = [source if is_product and source is not node.args[0] else self.compute(source) for source in sources]
        if None in made:
            return None
        replaced = dict(zip(sources, made))
        arguments = torch.fx.map_arg((node.args, node.kwargs), replaced.__getitem__)
        return self._call(node.target, *arguments[0], **arguments[1])

    def _is_picked(self, node: Node) -> bool:
        """Whether a node gives those that the mask picks, of what nothing changes before they are set."""
        if node.target is not operator.getitem or not isinstance(node.args[0], Node):
            return False
        y, index = node.args
        mask, *columns = index if isinstance(index, tuple) else (index,)
        is_float = isinstance(value_of(y), Tensor) and value_of(y).is_floating_point()
        return (_is_truth(mask) and columns == self._columns and is_float and _starts_with(y, mask)
                and self._is_same(mask, self._mask) and not self._is_changed(y, node))  # fmt: skip

    def _is_same(self, mask: Node, other: Node) -> bool:
        if mask is other:
            return True
        first, last = sorted((mask, other))
        return ((mask.op, mask.target, mask.args, mask.kwargs) == (other.op, other.target, other.args, other.kwargs)
                and mask.op.startswith("call") and not any(self._is_changed(source, first)
                                                           for source in last.all_input_nodes))  # fmt: skip

    def _is_changed(self, x: Node, since: Node) -> bool:
        return any(change < self._node for change in changes_of(self._graph, storages(x), since))

    def _call(self, target: Any, *args: Any, **settings: Any) -> Node:
        return call(self._graph, self._node, target, *args, **settings)


_SMOOTH = {"add", "sub", "mul", "neg", "tanh", "sigmoid", "relu", "leaky_relu", "gelu", "elu", "silu", "softplus",
           "sin", "cos", "abs", "square"}  # fmt: skip
"""Functions of numbers whose gradients are finite wherever they are."""
_STEEP = {"truediv", "div", "sqrt", "rsqrt", "log", "log1p", "exp", "reciprocal", "pow"}
"""Those whose gradients are finite at one."""


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

"""Functions with a backward of their own (``torch.autograd.Function``), element by element."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, GraphModule, Node

from ..expressions import expression_of
from ..functional import placeholders_of, value_of
from ..partition import storages
from .changes import changed_by, name_of
from .contexts import CONTEXTS
from .emit import call


def write_own_backwards(module: GraphModule) -> None:
    """``f.apply(x)`` is ``with_slope(f(x), x, f.backward(1))``, where the backward scales what it gets: then it gives
    the slope for ones. So are estimators that pass gradients straight through, reversed gradients, and backwards
    that are written for numbers at the border of a domain."""
    for node in list(module.graph.nodes):
        if getattr(node.target, "__name__", "") == "autograd_function_apply":
            function = _Function(module, node)
            if function.is_of_elements():
                function.write()


class _Function:
    """One call of such a function.

    Args:
        module: whose graph it is in, and which has the graphs of its forward and its backward.
        node: the call.
    """

    def __init__(self, module: GraphModule, node: Node):
        self._graph, self._node = module.graph, node
        self._forward, self._backward = (getattr(module, body.target).graph for body in node.args[:2])
        self._inputs = node.args[2:]
        self._results, self._saved = _returned(self._forward)
        self._gradients = _returned(self._backward)

    def is_of_elements(self) -> bool:
        """Whether the backward scales the gradient of one result, element by element, for each input that has one."""
        inner = placeholders_of(self._forward)
        if len(self._results) != 1 or len(inner) != len(self._inputs) or len(self._gradients) != len(inner):
            return False
        if any(source.op == "get_attr" for graph in (self._forward, self._backward) for source in graph.nodes):
            return False
        if not all(isinstance(source, Node) for source in self._inputs):
            return False
        given = {place for source in inner for place in storages(source)}
        if any(storages(changed) & given for source in self._forward.nodes for changed in changed_by(source)):
            return False
        if not all(user.target is operator.getitem for user in self._node.users):
            return False
        first, *others = placeholders_of(self._backward)
        scaled = _scaled(self._backward, first)
        shape = _shape(value_of(self._results[0]))
        return len(others) == len(self._saved) and all(
            gradient is None or gradient in scaled and _shape(value_of(gradient)) == _shape(value_of(source)) == shape
            for gradient, source in zip(self._gradients, self._inputs))  # fmt: skip

    def write(self) -> None:
        with self._graph.inserting_before(self._node):
            detached = [self._call("detach", source) if _is_float(source) else source for source in self._inputs]
            known = self._inline(self._forward, detached)
            value = known[self._results[0]]
            ones = self._call(torch.ones_like, value)
            slopes = self._inline(self._backward, [ones, *(known.get(saved) for saved in self._saved)])
            for gradient, source in zip(self._gradients, self._inputs):
                if gradient is not None and value_of(source).requires_grad:
                    value = self._call(torch.ops.rgnn.with_slope.default, value, source, slopes[gradient])
        for user in list(self._node.users):
            user.replace_all_uses_with(value)
            self._graph.erase_node(user)
        self._graph.erase_node(self._node)

    def _inline(self, body: Graph, inputs: list[Any]) -> dict[Node, Any]:
        known: dict[Node, Any] = dict(zip(placeholders_of(body), inputs, strict=True))
        for node in body.nodes:
            if node.op in ("call_function", "call_method") and node.target not in CONTEXTS:
                known[node] = self._graph.node_copy(node, known.__getitem__)
                known[node].meta = {**self._node.meta, "example_value": value_of(node)}
        return known

    def _call(self, target: Any, *args: Any) -> Node:
        return call(self._graph, self._node, target, *args)


def _scaled(backward: Graph, gradient: Node) -> set[Node]:
    """What is a gradient times numbers that do not depend on it; nothing where something else is made of it."""
    scaled = {gradient}
    for node in backward.nodes:
        read = [source for source in node.all_input_nodes if source in scaled]
        if not read or node.op == "output" or node.target == "size":
            continue
        name, times = name_of(node), sum(argument in scaled for argument in node.args if isinstance(argument, Node))
        is_fit = node.args[0] in scaled and (name in _PASSING or name in _FILLING and node.args[2] == 0)
        is_fit |= name in ("mul", "zeros_like")
        changes_it = any(storages(changed) & storages(gradient) for changed in changed_by(node))
        if not is_fit or times != 1 or changes_it or "rounding_mode" in node.kwargs:
            return set()
        scaled.add(node)
        if name == "setitem":
            scaled.update(changed_by(node))
    return scaled


_PASSING = {"clone", "contiguous", "neg", "detach", "to", "view_as", "truediv", "div"}
_FILLING = {"masked_fill", "setitem"}


def _returned(body: Graph) -> Any:
    return next(node for node in body.nodes if node.op == "output").args[0]


def _is_float(node: Node) -> bool:
    value = value_of(node)
    return isinstance(value, Tensor) and value.is_floating_point()


def _shape(value: Any) -> Any:
    return (value.dtype, *map(expression_of, value.shape)) if isinstance(value, Tensor) else None

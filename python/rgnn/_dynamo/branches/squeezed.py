"""``squeeze`` drops what has one entry, so the rank of its result is a branch on how many rows data pick.

    gate = score[mask].squeeze()      becomes      picked = score[mask]; took(picked.size(0) == 1, False)
                                                   gate = picked.squeeze((1,))
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from .. import private
from ..expressions import expression_of
from ..functional import value_of

_SQUEEZES = ("squeeze", torch.squeeze, Tensor.squeeze)


@contextlib.contextmanager
def squeezed(is_another: Callable[[Any, Node], bool]) -> Iterator[None]:
    """Captures go on behind a ``squeeze`` of rows that data count, where the call at hand has another number than one.

    Args:
        is_another: of a capture and a condition in its graph, whether it is noted to be false.
    """
    utils = private.dynamo_utils
    stock = utils.run_node

    def run_node(output: Any, node: Node, args: Any, kwargs: Any, module: Any) -> Any:
        if node.target in _SQUEEZES and (dims := _dims_to_drop(output, node, args[0], is_another)) is not None:
            node.args, node.kwargs = (node.args[0], dims), {}
            args, kwargs = (args[0], dims), {}
        return stock(output, node, args, kwargs, module)

    utils.run_node = run_node
    try:
        yield
    finally:
        utils.run_node = stock


def _dims_to_drop(output: Any, node: Node, x: Tensor, is_another: Callable[[Any, Node], bool]) -> tuple | None:
    """Those of one entry; None where data count none, or the call at hand has one such row."""
    asked = node.kwargs.get("dim", node.args[1] if len(node.args) > 1 else None)
    asked = range(x.dim()) if asked is None else asked if isinstance(asked, tuple | list) else (asked,)
    if not all(type(dim) is int and -x.dim() <= dim < x.dim() for dim in asked):
        return None
    counted = [dim for dim in asked if private.free_unbacked_symbols(x.shape[dim])]
    for dim in counted:
        if not is_another(output, _one_row(node, dim, x.shape[dim])):
            return None
    return tuple(dim for dim in asked if dim not in counted and x.shape[dim] == 1) if counted else None


def _one_row(node: Node, dim: int, size: Any) -> Node:
    """The condition that what a node squeezes has one row, which asks integers where some have as many."""
    graph, meta = node.graph, {key: value for key, value in node.meta.items() if key != "example_value"}
    counted, dim = next(_like(node, size), (node.args[0], dim))
    with graph.inserting_before(node):
        rows = graph.call_method("sum", (counted,)) if dim is None else graph.call_method("size", (counted, dim))
        condition = graph.call_function(operator.eq, (rows, 1))
    count = value_of(counted).sum() if dim is None else size
    rows.meta, condition.meta = {**meta, "example_value": count}, {**meta, "example_value": count == 1}
    return condition


def _like(node: Node, size: Any) -> Iterator[tuple[Node, int | None]]:
    """Lists of integers before a node that have as many rows, and masks that pick as many: dim is None."""
    expression = expression_of(size)
    for known in node.graph.nodes:
        if known is node:
            return
        value = value_of(known)
        if not isinstance(value, Tensor):
            continue
        for dim, length in enumerate(value.shape):
            if expression_of(length) == expression and not value.is_floating_point():
                yield known, dim
            elif expression_of(length) == expression and known.target is operator.getitem:
                index = known.args[1]
                mask = index[0] if isinstance(index, tuple) and index else index
                if isinstance(mask, Node) and isinstance(truths := value_of(mask), Tensor) and (
                        truths.dtype is torch.bool and truths.dim() == 1 and dim == 0):  # fmt: skip
                    yield mask, None

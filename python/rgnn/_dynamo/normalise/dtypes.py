"""Conversions to what another tensor has name it, so that they do not read the other tensor."""

from __future__ import annotations

from torch import Tensor
from torch.fx import Graph, Node

from ..functional import value_of


def name_dtypes(graph: Graph) -> None:
    """``degrees.to(x)`` and ``degrees.type_as(x)`` are ``degrees.to(torch.float32)``: computed of integers alone."""
    for node in graph.nodes:
        if node.op != "call_method" or node.target not in ("to", "type_as") or len(node.args) < 2:
            continue
        own, other = (value_of(arg) if isinstance(arg, Node) else None for arg in node.args[:2])
        if not isinstance(own, Tensor) or not isinstance(other, Tensor):
            continue
        named = {"dtype": other.dtype}
        if own.device != other.device:
            named["device"] = other.device
        rest = dict(zip(("non_blocking", "copy"), node.args[2:]))
        node.target, node.args, node.kwargs = "to", node.args[:1], {**rest, **node.kwargs, **named}

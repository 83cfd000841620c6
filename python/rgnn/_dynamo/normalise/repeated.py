"""What is computed twice, as one value."""

from __future__ import annotations

import types
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.fx import Graph, Node

from ..expressions import unify
from ..functional import value_of
from ..partition import storages
from .changes import changed_by
from .contexts import CONTEXTS


def merge_repeated(graph: Graph) -> None:
    """Layers that normalise the same edges do so once, and steps of time: ``GCNConv`` removes and adds self loops in
    every call.

    What results are, or lie in the memory of, stays apart: callers may change one of them. So do views, which cost
    nothing: PyTorch may run what reads one of them.
    """
    if any(node.target in CONTEXTS for node in graph.nodes):
        return
    output = next(iter(reversed(graph.nodes)))
    given = {place for node in graph.nodes if node.op == "placeholder" for place in storages(node)}
    apart = {place for node in output.all_input_nodes for place in storages(node)} - given
    apart |= {place for node in graph.nodes for source in _may_change(node) for place in storages(source)}
    first: dict[Any, Node] = {}
    same: dict[Node, Node] = {}
    for node in list(graph.nodes):
        if output in node.users or not _is_pure(node) or not _is_apart(node, apart):
            continue
        kept = first.setdefault((node.op, node.target, _key(node.args, same), _key(node.kwargs, same)), node)
        if kept is node or not unify(value_of(kept), value_of(node)):
            continue
        same[node] = kept
        if all(storages(node).isdisjoint(storages(source)) for source in node.all_input_nodes):
            node.replace_all_uses_with(kept)
            graph.erase_node(node)


def _is_apart(node: Node, places: set[int]) -> bool:
    return all(storages(each).isdisjoint(places) for each in (node, *node.all_input_nodes))


def _may_change(node: Node) -> list[Node]:
    """What a node changes in place, as far as is known: of functions that say nothing, all that it reads."""
    if node.op in ("placeholder", "get_attr", "output") or _is_pure(node):
        return []
    if node.op == "call_method" or isinstance(node.target, types.BuiltinFunctionType):
        return changed_by(node)
    is_torchs = isinstance(node.target, torch._ops.OpOverload) or getattr(node.target, "__module__", "") == F.__name__
    return changed_by(node) if is_torchs else node.all_input_nodes


def _is_pure(node: Node) -> bool:
    """Whether what a node gives, a tensor or an integer, follows from what it reads."""
    if not isinstance(value_of(node), (Tensor, torch.SymInt, int)):
        return False
    if node.target is torch.sym_sum:
        return True
    if isinstance(node.target, torch._ops.OpOverload):
        return _is_deterministic(node.target)
    if node.op == "call_function" and isinstance(node.target, types.BuiltinFunctionType):
        module = (getattr(node.target, "__module__", None) or "").split(".")[0]
        if module == "_operator":
            return not changed_by(node)
        name = node.target.__name__ if module == "torch" else ""
    else:
        name = node.target if node.op == "call_method" else ""
        if name in _CASTS:
            return True
    packet = getattr(torch.ops.aten, name, None) if name else None
    if not isinstance(packet, torch._ops.OpOverloadPacket):  # a method that Python has, too, such as `__rpow__`
        return False
    return all(_is_deterministic(getattr(packet, overload)) for overload in packet.overloads() if "out" not in overload)


# Methods that have no operator of their name
_CASTS = frozenset(("long", "int", "short", "float", "double", "half", "bfloat16", "bool", "type_as"))


def _is_deterministic(operator: torch._ops.OpOverload) -> bool:
    return not operator._schema.is_mutable and torch.Tag.nondeterministic_seeded not in operator.tags


def _key(value: Any, same: dict[Node, Node]) -> Any:
    """Something with a hash that is equal for equal arguments alone, where 1, 1.0 and True differ."""
    if isinstance(value, (tuple, list)):
        return type(value), tuple(_key(part, same) for part in value)
    if isinstance(value, dict):
        return tuple((name, _key(part, same)) for name, part in value.items())
    if isinstance(value, slice):
        return slice, _key((value.start, value.stop, value.step), same)
    if isinstance(value, Node):
        return Node, same.get(value, value)
    return type(value), repr(value) if isinstance(value, float) else value

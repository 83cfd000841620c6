"""What of a captured graph depends on nothing but integers of its inputs: self loops, masks, degrees, GCN's weights."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node
from torch.utils import _pytree as pytree

from .functional import value_of
from .partition import Partition, odd_tensor, storages

_OWN_OPERATORS = ("aten", "prims", "rgnn")


def find_derived(partition: Partition) -> set[Node]:
    """The nodes that give the same for the same integers, and change nothing that others see.

    Changes in place are among them where all that sees the tensor until it is as it stays is derived, too. Nothing of
    the memory that the graph gives its caller is: the caller may change it.
    """
    output = next(node for node in partition.graph.nodes if node.op == "output")
    changed = partition.changed_places()
    spoilt = {place for node in output.all_input_nodes for place in storages(node)}
    spoilt |= partition.given() & changed.keys()
    while True:
        derived = _collect(partition, spoilt)
        more = {place for place, seeing in changed.items() if place not in spoilt and not derived.issuperset(seeing)}
        if not more:
            return derived
        spoilt |= more


def _collect(partition: Partition, spoilt: set[int]) -> set[Node]:
    """Those that neither hold nor change spoilt memory."""
    found: set[Node] = set()
    for node in partition.nodes:
        spoils = (storages(node) | partition.changed_by(node)) & spoilt
        if not spoils and partition.after(node) <= found and _is_derived(node, found):
            found.add(node)
    return found


def _is_derived(node: Node, derived: set[Node]) -> bool:
    if node.op not in ("call_function", "call_method") or isinstance(node.target, torch._ops.HigherOrderOperator):
        return False
    if not all(source in derived or _is_integer_input(source) for source in node.all_input_nodes):
        return False
    value = value_of(node)
    if value is None:
        return node.target is operator.setitem
    tensors = _tensors([value, *map(value_of, node.all_input_nodes)])
    if any(tensor.requires_grad for tensor in tensors) or odd_tensor(node):
        return False
    return not any(tensor.is_floating_point() for tensor in tensors) or is_known(node.target)


def _is_integer_input(node: Node) -> bool:
    value = value_of(node)
    if node.op != "placeholder" or isinstance(value, torch.SymFloat | float):
        return False
    return isinstance(value, int | torch.SymInt) or isinstance(value, Tensor) and not value.is_floating_point()


def is_known(target: Callable | str) -> bool:
    """Whether a function is PyTorch's or RGNN's own: others may read what no one sees."""
    if isinstance(target, torch._ops.OpOverload | torch._ops.OpOverloadPacket):
        return str(target).split(".", 1)[0] in _OWN_OPERATORS
    module = getattr(target, "__module__", None) or ""
    return isinstance(target, str) or module.split(".", 1)[0] in ("torch", "_operator", "math")


def _tensors(values: Any) -> list[Tensor]:
    return [leaf for leaf in pytree.tree_leaves(values) if isinstance(leaf, Tensor)]

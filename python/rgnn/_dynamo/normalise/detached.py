"""What is detached in place, or detached and then changed in place."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.fx import Graph, Node

from ..._capture.error import CaptureError
from ..functional import fake_mode, value_of
from ..partition import storages
from .changes import changed_by, is_unseen, name_of
from .contexts import change_without_gradients
from .emit import call


def detach_apart(graph: Graph) -> None:
    """``x.detach_()`` is ``x.detach()``, and that a copy where it is changed in place, perhaps by what has a gradient.
    What changes ``x``, too, but not its gradients, runs by itself.

    Raises:
        CaptureError: others see what is changed, by what has a gradient.
    """
    for node in list(graph.nodes):
        if name_of(node) in ("detach", "detach_"):
            _detach(graph, node)


def _detach(graph: Graph, node: Node) -> None:
    # In place, the capture has detached what was computed too, which is as it was before.
    source, left = node.args[0], value_of(node)
    changes = [other for other in graph.nodes if other > node and any(
        storages(changed) & storages(left) for changed in changed_by(other))]  # fmt: skip
    in_place = name_of(node) == "detach_"
    if not in_place and not changes:
        return
    is_own = source.op in ("call_function", "call_method") and is_unseen(source, node)
    if not is_own or not in_place and set(source.users) != {node}:
        if any(isinstance(value := value_of(read), Tensor) and value.requires_grad for change in changes
               for read in change.all_input_nodes if not storages(read) & storages(left)):  # fmt: skip
            raise CaptureError("it changes a tensor in place that it has detached, by what has a gradient")
        if value_of(source).requires_grad:
            for change in changes:
                if not any(value_of(changed).requires_grad for changed in changed_by(change)):
                    change_without_gradients(change)
        return
    node.op, node.target, node.meta["example_value"] = "call_method", "detach", left
    source.replace_all_uses_with(node, lambda user: user > node)
    wanted = any(isinstance(value := value_of(read), Tensor) and value.requires_grad for read in source.all_input_nodes)
    with fake_mode([left]):
        before = torch.empty_like(left) if changes else left.detach()
        source.meta["example_value"] = before.detach().requires_grad_(wanted)
    if changes:
        with graph.inserting_before(node):
            node.target, node.args = "clone", (call(graph, node, "detach", source),)

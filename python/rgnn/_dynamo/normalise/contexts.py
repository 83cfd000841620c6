"""Modes and checkpoints of a graph: nodes that say how others are run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.fx import Graph, GraphModule, Node
from torch.utils import _pytree as pytree
from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop

from ..functional import fake_mode, is_parameter, placeholders_of, value_of
from ..partition import storages
from .changes import changed_by

# Checkpoints


def run_checkpointed(function: Callable, *inputs: Any, held: Sequence[int] = (), **settings: Any) -> Any:
    """Runs a function whose intermediate results are computed again for the backward, with the same random numbers.

    Args:
        function: of tensors.
        inputs: these.
        held: positions of those that a module holds: they may change until the backward, as averages of batches do.
        settings: as of :func:`torch.utils.checkpoint.checkpoint`.
    """
    known = {name: settings[name] for name in ("preserve_rng_state", "determinism_check") if name in settings}
    given = [None if number in held else value for number, value in enumerate(inputs)]

    def run(*values: Any) -> Any:
        return function(*(inputs[number] if number in held else value for number, value in enumerate(values)))

    # Compiled code keeps all that its backward needs in one go, before PyTorch stores the averages.
    with set_checkpoint_early_stop(False):
        return checkpoint(run, *given, use_reentrant=False, **{"preserve_rng_state": True, **known})


def restore_checkpoints(module: GraphModule) -> None:
    """TorchDynamo's own operator for checkpoints leaves random numbers to its backend."""
    for node in module.graph.nodes:
        if node.target is torch.ops.higher_order.tag_activation_checkpoint:
            held = [number for number, source in enumerate(node.args[1:]) if isinstance(source, Node)
                    and source.op == "placeholder" and ("_buffers" in source.name or is_parameter(source))]  # fmt: skip
            node.target, node.kwargs = run_checkpointed, {**node.kwargs, "held": held}
            module.recompile()


def checkpointed(module: GraphModule) -> dict[Node, GraphModule]:
    """The nodes that run checkpointed functions, and these as graphs."""
    return {node: body for node in module.graph.nodes if node.target is run_checkpointed
            and isinstance(body := getattr(module, node.args[0].target, None), GraphModule)}  # fmt: skip


def has_body(node: Node) -> bool:
    return node.target is run_checkpointed or getattr(node.target, "__name__", "") == "autograd_function_apply"


def written_by(node: Node) -> set[int]:
    """The memory that a node may write to, in a function that it runs as well."""
    changed = changed_in_body(node) if has_body(node) else changed_by(node)
    return {place for source in changed for place in storages(source)}


def changed_in_body(node: Node) -> list[Node]:
    """What a function may change that is checkpointed, or has a backward of its own."""
    bodies = [source for source in node.args if isinstance(source, Node) and source.op == "get_attr"]
    body = getattr(node.graph.owning_module, bodies[0].target, None) if bodies else None
    if not isinstance(body, GraphModule):
        return node.all_input_nodes
    if any(isinstance(each.target, torch._ops.HigherOrderOperator) for each in body.graph.nodes):
        return node.all_input_nodes
    changed = {place for each in body.graph.nodes for source in changed_by(each) for place in storages(source)}
    inner = placeholders_of(body.graph)
    return [source for source, each in zip(node.args[len(bodies) :], inner, strict=True)
            if isinstance(source, Node) and storages(each) & changed]  # fmt: skip


def inline_checkpoints(graph: Graph) -> None:
    """Has checkpointed functions called like others: what they keep for the backward is the compiler's to say."""
    for node in graph.nodes:
        if node.target is torch.ops.higher_order.tag_activation_checkpoint:
            node.target, node.kwargs = _call, {}


def _call(function: Callable, *inputs: Any) -> Any:
    return function(*inputs)


# Modes


def leave_contexts(graph: Graph) -> set[Node]:
    """Takes modes out of a graph; what is computed without gradients is detached where it is read with.

    Returns:
        What is computed without gradients.
    """
    without = _without_gradients(graph)
    _detach(graph, without)
    for node in reversed(list(graph.nodes)):
        if node.target in CONTEXTS:
            graph.erase_node(node)
    return set(without)


def leave_no_grad(graph: Graph) -> None:
    """Has what is computed without gradients be computed like all else, and detached: what runs in PyTorch under a mode
    of its own would part the graph. What it writes to tensors that others hold, such as averages, is detached, too; and
    what changes numbers that want gradients runs by itself, since these pass as if nothing had changed."""
    modes = [node for node in graph.nodes if node.target in CONTEXTS]
    without = _without_gradients(graph) if torch.is_grad_enabled() else {}
    changes = _changes_of_others(without, graph)
    for node, wants in changes.items():
        if wants and node.args[:1] == tuple(changed_by(node)):
            change_without_gradients(node)
    if not all(node.target is torch._C._set_grad_enabled for node in modes) or not all(
            changes_without_gradients(node) for node, wants in changes.items() if wants):  # fmt: skip
        return
    if not torch.is_grad_enabled() and any(node.args[0] for node in modes):
        return
    for node in without:
        if changes.get(node) is False:
            _detach_read(graph, node)
        value, read = value_of(node), [value_of(source) for source in node.all_input_nodes]
        wanting = any(isinstance(leaf, Tensor) and leaf.requires_grad for leaf in pytree.tree_leaves(read))
        if isinstance(value, Tensor) and value.is_floating_point() and wanting and not changes_without_gradients(node):
            with fake_mode([value]):
                node.meta["example_value"] = value.detach().requires_grad_()
    _detach(graph, without)
    for node in modes:
        graph.erase_node(node)


def change_without_gradients(node: Node) -> None:
    """Has what changes its first operand run by itself, where the gradients of that pass as if nothing had changed."""
    function = getattr(Tensor, node.target) if node.op == "call_method" else node.target
    node.op, node.target = "call_function", without_gradients_(function)


def without_gradients_(function: Callable) -> Callable:
    """The function of a node that changes its first operand, whose gradients pass as if it did not."""

    def change_without_gradients_(changed: Tensor, *args: Any, **settings: Any) -> Any:
        with torch.no_grad():
            return function(changed, *args, **settings)

    return change_without_gradients_


def changes_without_gradients(node: Node) -> bool:
    """Whether a node changes what gradients pass, and these do not know."""
    return getattr(node.target, "__name__", "") == "change_without_gradients_"


def _changes_of_others(without: dict[Node, None], graph: Graph) -> dict[Node, bool]:
    """What is computed without gradients and changes numbers that others hold, and whether these want gradients.
    Averages of batch norms are stored apart from the graph."""
    changes = {node: changed for node in without if node.target is not F.batch_norm
               and (changed := [value for value in changed_by(node) if isinstance(value_of(value), Tensor)
                                and value_of(value).is_floating_point()])}  # fmt: skip
    others = [node for node in graph.nodes if changes and node not in without]
    found = {}
    for node, changed in changes.items():
        places = {place for value in changed for place in storages(value)}
        holders = [other for other in others if not places.isdisjoint(storages(other))]
        if holders:
            found[node] = any(isinstance(value := value_of(holder), Tensor) and value.requires_grad
                              for holder in holders)  # fmt: skip
    return found


def _detach_read(graph: Graph, node: Node) -> None:
    """Detaches what a node reads."""
    for source in node.all_input_nodes:
        value = value_of(source)
        if isinstance(value, Tensor) and value.requires_grad:
            with graph.inserting_before(node):
                detached = graph.call_method("detach", (source,))
            with fake_mode([value]):
                detached.meta = {**source.meta, "example_value": value.detach()}
            node.replace_input_with(source, detached)


def _without_gradients(graph: Graph) -> dict[Node, None]:
    """What is computed without gradients, in order."""
    enabled, without, inference = True, {}, []
    for node in list(graph.nodes):
        if node.target is torch._C._set_grad_enabled:
            enabled = node.args[0]
        elif node.target is torch.autograd.grad_mode._enter_inference_mode:
            inference.append(node.args[0])
        elif node.target is torch.autograd.grad_mode._exit_inference_mode:
            inference.pop()
        elif (not enabled or inference[-1:] == [True]) and node.op not in ("placeholder", "output"):
            without[node] = None
    return without


def _detach(graph: Graph, without: dict[Node, None]) -> None:
    """Detaches what is computed without gradients where it is read with."""
    for node in without:
        value, readers = value_of(node), [user for user in node.users if user not in without]
        if readers and isinstance(value, Tensor) and value.is_floating_point():
            with graph.inserting_after(node):
                detached = graph.call_method("detach", (node,))
            with fake_mode([value]):
                detached.meta = {**node.meta, "example_value": value.detach()}
            node.replace_all_uses_with(detached, lambda user, readers=readers: user in readers)


CONTEXTS = {torch._C._set_grad_enabled, torch.amp.autocast_mode._enter_autocast,
            torch.amp.autocast_mode._exit_autocast, torch.autograd.grad_mode._enter_inference_mode,
            torch.autograd.grad_mode._exit_inference_mode}  # fmt: skip

"""Captures a call as one graph, for what runs without TorchDynamo: saved and frozen models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.fx import GraphModule, Node
from torch.utils import _pytree as pytree

from .._capture.captured import Captured
from .._capture.error import CaptureError
from .._capture.inputs import InputSpec, made_up, size_groupings
from .._capture.places import location_of
from .._errors import FallbackError
from .._function import Function, forward_of, traceable
from .._ops.lowering import lower
from . import private
from .analyse import decompose, has_autocast
from .describe import Size, describe_call
from .effects import check_side_effects, check_sizes, describe_break
from .frames import REFUSALS, Captures, describe, optimize
from .functional import Functional, Subgraph, extract, fake_mode, trace, value_of
from .normalise.attention import write_attention
from .normalise.contexts import inline_checkpoints, leave_contexts
from .normalise.own_backward import write_own_backwards
from .normalise.plain_calls import detach_all_padding
from .normalise.shapes import drop_trivial_checks, take_sizes_from_inputs
from .text import describe_source


def capture(model: nn.Module | Callable, args: tuple, kwargs: dict[str, Any] | None = None,
            function: Callable | None = None) -> Captured:
    """Captures what ``model(*args, **kwargs)`` computes, for graphs of any size.

    Nothing is run, and no module is changed.

    Args:
        model: a module, whose parameters and buffers are read anew at each call; or a function, with the modules that
            it refers to. Other tensors are constants.
        args: positional arguments: tensors, None, numbers, strings, or lists, tuples and dictionaries of them. Only
            structure, widths and dtypes matter: rows of tensors and columns of ``[2, E]`` integer tensors are the sizes
            that may change.
        kwargs: keyword arguments.
        function: what a call of the model runs; None for what it runs by itself.

    Raises:
        CaptureError: it is more than one graph, has side effects, depends on the sizes of its inputs, or takes or
            returns what is not a tensor. The text names the line.
    """
    if private.missing:
        raise CaptureError(private.missing)
    function = function or (forward_of(model) if isinstance(model, nn.Module) else traceable(model))
    model = model if isinstance(model, nn.Module) else Function(model)
    kwargs = kwargs or {}
    inputs = InputSpec(function, args, kwargs)
    tensors = inputs.flatten(args, kwargs)
    own = [*model.parameters(), *model.buffers()]
    if any(isinstance(tensor, nn.parameter.UninitializedTensorMixin) for tensor in own):
        raise CaptureError("the model has uninitialized parameters: call it once before")
    avoid = {size for tensor in own for size in tensor.shape}
    reason = ""
    for keys in size_groupings(inputs.paths, tensors):
        examples = [example.requires_grad_(tensor.requires_grad)
                    for example, tensor in zip(made_up(tensors, keys, avoid), tensors)]  # fmt: skip
        try:
            graph, result = capture_graph(model, function, *inputs.unflatten(examples))
            return describe_call(graph, model, inputs, examples, result)
        except CaptureError as error:
            reason = reason or str(error)
    raise CaptureError(reason)


@dataclass
class FullGraph:
    """A call as one graph.

    Attributes:
        part: the graph as a function of tensors.
        functional: the same as ATen.
        given: of each input of the function, the tensor that it stood for: an argument, a parameter, or another.
        results: of each tensor that the function gives, what stands for it in the result of the call.
        has_autocast: whether autocast is on for a part of it.
    """

    part: Subgraph
    functional: Functional
    given: list[Tensor]
    results: list[Tensor]
    has_autocast: bool


def capture_graph(model: nn.Module, function: Callable, args: tuple, kwargs: dict[str, Any]) -> tuple[FullGraph, Any]:
    """The graph, and the result of the call, with stand-ins for its tensors."""
    found: list[FullGraph] = []
    leaves = pytree.tree_leaves((args, kwargs))

    def backend(module: GraphModule, inputs: list[Any]) -> Callable:
        try:
            graph, stand_ins = _make_graph(module)
            check_side_effects(model)
            check_sizes()
        except CaptureError as error:
            refusal = FallbackError(str(error))
            refusal.is_callers = True
            raise refusal from error
        found.append(graph)
        return lambda *_: stand_ins

    run = optimize(function, backend, True, Captures(inputs=[leaf for leaf in leaves if isinstance(leaf, Tensor)]))
    try:
        with torch.enable_grad():  # so that parts of the model without are seen
            result = run(*args, **kwargs)
    except FallbackError as error:
        raise CaptureError(str(error)) from error
    except REFUSALS as error:
        raise CaptureError(describe_break(error)) from error
    except Exception as error:
        raise CaptureError(describe(error)) from error
    if not found:
        raise CaptureError("it computes nothing of tensors")
    return found[0], result


def _make_graph(module: GraphModule) -> tuple[FullGraph, list[Any]]:
    """The graph, and what TorchDynamo makes the result of the call of: stand-ins for tensors and sizes."""
    autocast = has_autocast(module.graph)
    lower(module.graph, fake_mode(map(value_of, module.graph.nodes)))
    inline_checkpoints(module.graph)
    write_own_backwards(module)
    take_sizes_from_inputs(module.graph)
    without_gradients = leave_contexts(module.graph)
    detach_all_padding(module.graph)
    write_attention(module.graph)
    drop_trivial_checks(module.graph)
    module.recompile()
    returned = next(node for node in module.graph.nodes if node.op == "output").args[0]
    outputs = [node for node in returned if isinstance(node, Node) and isinstance(value_of(node), Tensor)]
    nodes = [node for node in module.graph.nodes if node.op not in ("placeholder", "output")]
    part = extract(module, nodes, outputs, autocast)
    for node in part.inputs:
        if not isinstance(value_of(node), Tensor):
            raise CaptureError(f"{_name_of(node)}: it reads a number that may change")
    functional, _ = decompose(part, trace(part, keeps_detached=True), keeps_detached=True)
    if functional.written:
        raise CaptureError(f"the model changes {_name_of(part.inputs[functional.written[0]])}")
    for node, sources in functional.changed.items():
        if part.origins[node] in without_gradients and not without_gradients.issuperset(map(part.origins.get, sources)):
            raise CaptureError(f"{location_of(part.origins[node])}: it changes a tensor where gradients are off")
    given = [node.meta["grapharg"].example for node in part.inputs]
    stand_ins = {node: torch.empty(0, dtype=value_of(node).dtype) for node in outputs}
    graph = FullGraph(part, functional, given, list(stand_ins.values()), autocast)
    return graph, [stand_ins.get(node) if node in stand_ins else Size() for node in returned]


def _name_of(node: Node) -> str:
    source = getattr(node.meta.get("grapharg"), "source", None)
    return node.name if source is None else describe_source(source)

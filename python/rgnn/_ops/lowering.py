"""Puts code that the compiler lifts in the place of registered operators of a captured graph, and back."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node
from torch.utils import _pytree as pytree

from .._capture.places import location_of
from .._errors import CompileError, first_line
from .registry import RegisteredOp, find


def lower(graph: Graph, mode: Any) -> None:
    """Has a graph call lowerings, of the operators that have one, as single nodes.

    Args:
        graph: as TorchDynamo captured it.
        mode: the mode that its tensors without data are of.

    Raises:
        CompileError: a lowering fails, gives other shapes than the operator, or has a gradient of its own.
    """
    for node in graph.nodes:
        op = find(node.target) if node.op == "call_function" else None
        if op is not None and op.lowering is not None:
            _check(op, node, mode)
            node.target = _caller(op, node.target)


def op_of(node: Node) -> RegisteredOp | None:
    """The registered operator that a node calls, or whose lowering it calls; None for others."""
    lowered = _lowered(node)
    return lowered[0] if lowered else find(node.target)


def is_lowered(node: Node) -> bool:
    """Whether a node calls a lowering."""
    return _lowered(node) is not None


def _lowered(node: Node) -> tuple[RegisteredOp, Any] | None:
    """The operator whose lowering a node calls, and what it called before."""
    return getattr(node.target, "rgnn_lowered", None) if isinstance(node.target, types.FunctionType) else None


def restore(nodes: Iterable[Node]) -> None:
    """Has nodes call the operators again: what PyTorch runs is what the model called."""
    for node in nodes:
        if lowered := _lowered(node):
            node.target = lowered[1]


def _caller(op: RegisteredOp, target: Any) -> Callable:
    """A function of its own, which graphs name after the operator."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return op.movement.call(op.lowering, op.movement.bind(args, kwargs))

    call.__name__ = call.__qualname__ = op.name.replace("::", "_").replace(".", "_")
    call.rgnn_lowered = op, target
    return call


def _check(op: RegisteredOp, node: Node, mode: Any) -> None:
    """Runs a lowering on tensors without data."""
    where = f"{location_of(node) or 'unknown line'}: {op.name}"
    args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda source: source.meta.get("example_value"))
    args, kwargs = pytree.tree_map_only(
        Tensor, lambda value: value.detach().requires_grad_(value.requires_grad), (args, kwargs))  # fmt: skip
    sizes = mode.shape_env
    fresh, known = len(sizes.pending_fresh_unbacked_symbols), set(sizes.replacements)
    try:
        with mode, torch.enable_grad():
            result = op.movement.call(op.lowering, op.movement.bind(args, kwargs))
    except Exception as error:
        raise CompileError(f"{where}: its lowering raises {type(error).__name__}: {first_line(error)}") from error
    if len(sizes.pending_fresh_unbacked_symbols) > fresh:
        del sizes.pending_fresh_unbacked_symbols[fresh:]
        raise CompileError(f"{where}: its lowering reads numbers of a tensor, by .item() or x[mask] for example: "
                           "expected operators whose results have the same sizes for all numbers")  # fmt: skip
    fixed = [size for symbol, size in sizes.replacements.items() if symbol not in known and size.is_number]
    if any(size > 1 for size in fixed):
        raise CompileError(f"{where}: its lowering makes the number {max(fixed)} of a size that may change: expected "
                           "x.shape[0], got len(x), int(x.shape[0]) or a comparison")  # fmt: skip
    expected = node.meta.get("example_value")
    ones, others = ([leaf for leaf in pytree.tree_leaves(value)] for value in (result, expected))
    if len(ones) != len(others) or not all(map(_is_like, ones, others)):
        raise CompileError(f"{where}: expected its lowering to give {_describe(others)}, got {_describe(ones)}")
    if name := _own_gradient([leaf.grad_fn for leaf in ones]):
        raise CompileError(f"{where}: its lowering calls {name}, an autograd.Function, whose backward the compiler "
                           "would not call: expected PyTorch's operators")  # fmt: skip


def _is_like(one: Any, other: Tensor) -> bool:
    if not isinstance(one, Tensor) or one.dtype != other.dtype or one.dim() != other.dim():
        return False
    return all(bool(size == wanted) for size, wanted in zip(one.shape, other.shape))


def _describe(values: list[Any]) -> str:
    return ", ".join(f"{list(value.shape)} of {value.dtype}" if isinstance(value, Tensor) else type(value).__name__
                     for value in values) or "nothing"  # fmt: skip


def _own_gradient(functions: list[Any]) -> str:
    """The name of an ``autograd.Function`` that a result comes from; operators of PyTorch are none."""
    seen: set[Any] = set()
    while functions:
        function = functions.pop()
        if function is None or function in seen:
            continue
        seen.add(function)
        name = type(function).__name__
        if isinstance(function, torch.autograd.function.BackwardCFunction) and not name.startswith("GeneratedBackward"):
            return name.removesuffix("Backward")
        functions += [other for other, _ in function.next_functions]
    return ""

"""Rewrites of TorchDynamo's graph before it is parted: each leaves what it computes as it was."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import sympy
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.fx import Graph, GraphModule, Node
from torch.utils.checkpoint import checkpoint

from .._run.masks import Draw
from . import private
from .batch_norm import split_batch_norms
from .functional import expression_of, value_of
from .rows import fill_by_masks, list_rows, take_numbers


def normalise(module: GraphModule) -> None:
    """Makes sizes come from the graph's inputs, dropout a product with a mask that is drawn apart, what is set by a
    mask a tensor that is filled, and shapes lists of sizes."""
    list_rows(module.graph)
    split_batch_norms(module.graph)
    symbols = take_sizes_from_inputs(module.graph)
    _split_dropout(module.graph, symbols)
    fill_by_masks(module.graph)
    take_numbers(module.graph)
    _spread_shapes(module.graph, symbols)
    _keep_rows(module.graph)
    drop_trivial_checks(module.graph)
    module.graph.lint()
    module.recompile()


def _symbol_nodes(graph: Graph) -> dict[sympy.Expr, Node]:
    """The node that gives each symbol."""
    found: dict[sympy.Expr, Node] = {}
    for node in graph.nodes:
        expression = expression_of(value_of(node))
        if expression is not None and expression.is_Symbol:
            found.setdefault(expression, node)
    return found


def take_sizes_from_inputs(graph: Graph) -> dict[sympy.Expr, Node]:
    """So that a size of an intermediate result does not need the result. Returns the node that gives each symbol."""
    symbols = _symbol_nodes(graph)
    for node in list(graph.nodes):
        expression = expression_of(value_of(node))
        if expression is None or node.op == "placeholder" or node in symbols.values():
            continue
        with graph.inserting_before(node):
            made = emit_size(graph, expression, symbols, node)
        if made is not None:
            node.replace_all_uses_with(made) if isinstance(made, Node) else _replace(node, made, node.users)
            graph.erase_node(node)
    return symbols


def _spread_shapes(graph: Graph, symbols: dict[sympy.Expr, Node]) -> None:
    """Tensors are made of the sizes that shapes are made of, or that those of tensors are."""
    for node in list(graph.nodes):
        shape = value_of(node)
        if not isinstance(shape, torch.Size):
            continue
        readers = [user for user in node.users if isinstance(value_of(user), Tensor)]
        if node.target is torch.Size and not node.kwargs and isinstance(node.args[0], (list, tuple)):
            sizes = list(node.args[0])
        else:
            with graph.inserting_after(node):
                sizes = [emit_size(graph, sympy.sympify(expression_of(size)), symbols, node) for size in shape]
            if None in sizes:
                continue
        _replace(node, sizes, readers)
        if not node.users:
            graph.erase_node(node)


def _keep_rows(graph: Graph) -> None:
    """Views with one size that is not known have as many rows as their elements say: ``x.view(n, 2, -1)`` is
    ``x.view(-1, 2, 8)``."""
    for node in graph.nodes:
        if node.target not in ("view", "reshape") or node.kwargs or not isinstance(value_of(node), Tensor):
            continue
        shape = [size if isinstance(size, int) else -1 for size in value_of(node).shape]
        if shape.count(-1) == 1 and 0 not in shape and all(isinstance(arg, int | Node) for arg in node.args):
            node.args = (node.args[0], *shape)


def _replace(node: Node, value: int | list, users: Iterable[Node]) -> None:
    """Gives users of a node what is no node."""
    for user in list(users):
        user.args = torch.fx.map_arg(user.args, lambda other: value if other is node else other)
        user.kwargs = torch.fx.map_arg(user.kwargs, lambda other: value if other is node else other)


def emit_size(graph: Graph, size: sympy.Expr, symbols: dict[sympy.Expr, Node], before: Node) -> Node | int | None:
    """A size made of nodes in front of ``before``; None where it is no sum, product or the like of them."""
    if size.is_Integer:
        return int(size)
    if size.is_Symbol:
        node = symbols.get(size)
        return node if node is not None and node < before else None
    function = {sympy.Add: operator.add, sympy.Mul: operator.mul, private.Min: torch.sym_min,
                private.Max: torch.sym_max}.get(size.func)  # fmt: skip
    if function is None:
        return None
    parts = [emit_size(graph, part, symbols, before) for part in size.args]
    if None in parts:
        return None
    made = parts[0]
    for part in parts[1:]:
        value = function(*(value_of(p) if isinstance(p, Node) else p for p in (made, part)))
        made = graph.call_function(function, (made, part))
        made.meta["example_value"] = value
    return made


def drop_trivial_checks(graph: Graph) -> None:
    """Drops checks that a size is not negative, and the sizes that nothing reads then."""
    for node in reversed(list(graph.nodes)):
        if node.target is torch.ops.aten._assert_scalar.default and isinstance(node.args[0], Node):
            condition = node.args[0]
            if condition.target is operator.ge and condition.args[1] == 0 and _is_size(condition.args[0]):
                graph.erase_node(node)
        elif not node.users and is_arithmetic(node):
            graph.erase_node(node)


def is_arithmetic(node: Node) -> bool:
    """Whether a node computes sizes of sizes; the same operators work on tensors."""
    return node.op == "call_function" and node.target in _PURE and _is_number(value_of(node))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, torch.SymInt, torch.SymBool))


_PURE = {torch.ops.aten.sym_size.int, operator.ge, operator.le, operator.eq, operator.ne, operator.gt, operator.lt,
         operator.add, operator.mul, operator.floordiv, operator.mod, operator.getitem, torch.sym_sum,
         torch.sym_min, torch.sym_max}  # fmt: skip


def _is_size(node: object) -> bool:
    return isinstance(node, Node) and node.target is torch.ops.aten.sym_size.int


# Checkpoints


def run_checkpointed(function: Callable, *inputs: Any, **settings: Any) -> Any:
    """Runs a function whose intermediate results are computed again for the backward, with the same random numbers."""
    known = {name: settings[name] for name in ("preserve_rng_state", "determinism_check") if name in settings}
    return checkpoint(function, *inputs, use_reentrant=False, **{"preserve_rng_state": True, **known})


def restore_checkpoints(module: GraphModule) -> None:
    """TorchDynamo's own operator for checkpoints leaves random numbers to its backend."""
    for node in module.graph.nodes:
        if node.target is torch.ops.higher_order.tag_activation_checkpoint:
            node.target = run_checkpointed
            module.recompile()


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
    for node in without:
        value, readers = value_of(node), [user for user in node.users if user not in without]
        if readers and isinstance(value, Tensor) and value.is_floating_point():
            with graph.inserting_after(node):
                detached = graph.call_method("detach", (node,))
            detached.meta = {**node.meta}
            node.replace_all_uses_with(detached, lambda user, readers=readers: user in readers)
    for node in reversed(list(graph.nodes)):
        if node.target in CONTEXTS:
            graph.erase_node(node)
    return set(without)


CONTEXTS = {torch._C._set_grad_enabled, torch.amp.autocast_mode._enter_autocast,
            torch.amp.autocast_mode._exit_autocast, torch.autograd.grad_mode._enter_inference_mode,
            torch.autograd.grad_mode._exit_inference_mode}  # fmt: skip


# Dropout


def draw_mask(keep: float, dtype: torch.dtype, device: torch.device, *shape: int) -> Tensor:
    """What dropout multiplies by: zeros, and ``1 / keep`` with probability ``keep``."""
    if keep == 1:  # PyTorch draws nothing
        return torch.ones(shape, dtype=dtype, device=device)
    return Draw(dtype, keep, keep, [[(size, [])] for size in shape])([], device)


def _split_dropout(graph: Graph, symbols: dict[sympy.Expr, Node]) -> None:
    for node in list(graph.nodes):
        if node.op != "call_function" or node.target not in (F.dropout, torch.dropout):
            continue
        names = ("input", "p", "training", "inplace") if node.target is F.dropout else ("input", "p", "train")
        given = {"p": 0.5, "training": True, "inplace": False, **dict(zip(names, node.args)), **node.kwargs}
        source, rate, training = given["input"], given["p"], given.get("train", given["training"])
        if not isinstance(source, Node) or isinstance(training, Node):
            continue
        if not training or rate == 0:
            node.replace_all_uses_with(source)
            graph.erase_node(node)
            continue
        value = value_of(source)
        if not torch.empty_like(value).is_contiguous():  # then numbers are drawn in another order
            continue
        with graph.inserting_before(node):
            shape = [emit_size(graph, sympy.sympify(expression_of(size)), symbols, node) for size in value.shape]
            if None in shape:
                continue
            keep = graph.call_function(operator.sub, (1, rate)) if isinstance(rate, Node) else 1 - rate
            mask = graph.call_function(draw_mask, (keep, value.dtype, value.device, *shape))
            product = graph.call_function(operator.imul if given["inplace"] else operator.mul, (source, mask))
        if isinstance(rate, Node):
            keep.meta = {"example_value": 1 - value_of(rate)}
        mask.meta = {"example_value": torch.empty_like(value).detach(), "stack_trace": node.meta.get("stack_trace")}
        product.meta = {**node.meta}
        node.replace_all_uses_with(product)
        graph.erase_node(node)

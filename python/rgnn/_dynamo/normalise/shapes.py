"""Sizes come from a graph's inputs, and shapes are lists of sizes, so that no result is needed for its size alone."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import sympy
import torch
from torch import Tensor
from torch.fx import Graph, Node

from .. import private
from ..expressions import expression_of
from ..functional import fake_mode, value_of
from .changes import name_of


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


def spread_shapes(graph: Graph, symbols: dict[sympy.Expr, Node]) -> None:
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


def keep_rows(graph: Graph) -> None:
    """Views with one size that is not known have as many rows as their elements say: ``x.view(n, 2, -1)`` is
    ``x.view(-1, 2, 8)``."""
    for node in graph.nodes:
        if node.target not in ("view", "reshape") or node.kwargs or not isinstance(value_of(node), Tensor):
            continue
        shape = [size if isinstance(size, int) else -1 for size in value_of(node).shape]
        if shape.count(-1) == 1 and 0 not in shape and all(isinstance(arg, int | Node) for arg in node.args):
            node.args = (node.args[0], *shape)


def name_dimensions(graph: Graph) -> None:
    """Sums, means and deviations of all numbers name the dimensions that they are over: ``x.mean()`` all of them."""
    for node in graph.nodes:
        name = node.target if isinstance(node.target, str) else _REDUCTIONS.get(node.target, "")
        if name not in _REDUCTIONS.values() or len(node.args) != 1 or not isinstance(node.args[0], Node):
            continue
        rank = value_of(node.args[0]).dim() if isinstance(value_of(node.args[0]), Tensor) else 0
        if rank and set(node.kwargs) <= {"unbiased", "correction"}:
            node.kwargs = {**node.kwargs, "dim": list(range(rank))}


_REDUCTIONS = {torch.sum: "sum", torch.mean: "mean", torch.std: "std", torch.var: "var"}


def fill_by_sizes(graph: Graph) -> None:
    """What is filled with a number reads sizes alone, no tensor that has them: ``x.new_zeros(n)``."""
    for node in list(graph.nodes):
        value = value_of(node)
        if node.target not in _FILLED or not isinstance(value, Tensor) or value.requires_grad:
            continue
        size = node.args[1:] or (node.kwargs.get("size"),)
        first = value_of(size[0]) if isinstance(size[0], Node) else size[0]
        is_shape = isinstance(first, (list, tuple))  # as sizes of tensors are
        with graph.inserting_before(node):
            filled = graph.call_function(_FILLED[node.target], (size[0] if is_shape else list(size),),
                                         {"dtype": value.dtype, "device": value.device})  # fmt: skip
        filled.meta = {**node.meta}
        node.replace_all_uses_with(filled)
        graph.erase_node(node)


_FILLED = {"new_zeros": torch.zeros, "new_ones": torch.ones}


def take_counts(graph: Graph) -> None:
    """What is computed of floats with a size, or with a number made of sizes, reads a tensor of that number."""
    made: dict[tuple, Node] = {}
    for node in list(graph.nodes):
        value = value_of(node)
        name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
        is_binary = name.strip("_").removeprefix("i") in _BINARY
        if not is_binary or not isinstance(value, Tensor) or value.dtype not in _WIDE:
            continue
        numbers = [arg for arg in node.args if isinstance(arg, Node) and isinstance(value_of(arg), _SYMBOLIC)]
        if len(node.args) != 2 or len(numbers) != 1 or node.kwargs:
            continue
        key = numbers[0], value.dtype, value.device
        if key not in made:
            with graph.inserting_before(node), fake_mode([value]):
                made[key] = graph.call_function(torch.full, ((), numbers[0]), {"dtype": key[1], "device": key[2]})
                made[key].meta = {"example_value": torch.empty((), dtype=key[1], device=key[2])}
        node.replace_input_with(numbers[0], made[key])


_SYMBOLIC = (torch.SymInt, torch.SymFloat)
_WIDE = (torch.float32, torch.float64)  # narrower ones would round the number
_BINARY = {"add", "sub", "mul", "div", "truediv", "true_divide"}


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


def drop_empty_parts(graph: Graph) -> None:
    """``cat([x, empty], 1)`` is ``cat([x], 1)`` where ``empty`` has no columns, as of rows that are padded."""
    for node in graph.nodes:
        if name_of(node) not in ("cat", "concat", "concatenate") or not node.args or node.kwargs.get("out") is not None:
            continue
        parts = node.args[0]
        if not isinstance(parts, (tuple, list)) or not all(isinstance(value_of(part), Tensor) for part in parts):
            continue
        kept = [part for part in parts if not _is_empty(value_of(part))]
        if kept and len({value_of(part).dtype for part in parts}) == 1:
            node.args = (kept, *node.args[1:])


def _is_empty(value: Tensor) -> bool:
    """Whether a tensor without gradient has a dimension of size 0, for all calls, that is not that of rows."""
    sizes = value.shape[1:] if value.dim() > 1 else value.shape
    return not value.requires_grad and any(type(size) is int and size == 0 for size in sizes)

"""Decomposes operators of a graph in their places, which takes less time than to trace all of it again."""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Sequence
from typing import Any

import torch
from torch.fx import Node, map_arg
from torch.fx.experimental.proxy_tensor import make_fx

from .. import private, sizes
from ..functional import Functional, fake_mode, is_settled, placeholders_of

Table = dict[torch._ops.OpOverload, Callable]


def expand(functional: Functional, operators: Container, table: Table) -> Functional | None:
    """The same with some operators decomposed; None where that needs another trace, as it does where sizes become
    numbers.

    Args:
        functional: is changed, whatever is given.
        operators: those to decompose.
        table: how; of others, too, that these are made of.
    """
    graph = functional.graph
    for node in [node for node in graph.nodes if node.op == "call_function" and node.target in operators]:
        try:
            results = _insert(node, table)
        except _NotAppliedError:
            continue
        except Exception:
            return None
        for old, new in results.items():
            old.replace_all_uses_with(new)
            graph.erase_node(old)
        functional.values = {known: results.get(value, value) for known, value in functional.values.items()}
    if not all(is_settled(node.meta["val"]) for node in placeholders_of(graph)):
        return None
    output = next(iter(reversed(graph.nodes)))
    functional.outputs = list(output.args[0])[len(functional.written) :]
    return functional


class _NotAppliedError(Exception):
    """The decomposition is none for these arguments."""


def _insert(node: Node, table: Table) -> dict[Node, Node]:
    """Puts what a node's operator is made of in front of it; gives what stands for the node, or picks of its results.

    Raises:
        ValueError: it needs numbers that are no argument.
    """
    given = node.all_input_nodes
    values = [source.meta["val"] for source in given]

    def run(*values: Any) -> Any:
        args, kwargs = map_arg((node.args, node.kwargs), dict(zip(given, values)).__getitem__)
        result = table[node.target](*args, **kwargs)
        if result is NotImplemented:
            raise _NotAppliedError
        return result

    with fake_mode(values), torch.no_grad(), private.enable_python_dispatcher(), sizes.layouts_unasked():
        module = make_fx(run, decomposition_table=table, pre_dispatch=True)(*values)
    new: dict[Node, Node] = {}
    results: Any = None
    sources = iter(given)
    with node.graph.inserting_before(node):
        for inner in module.graph.nodes:
            if inner.op == "placeholder":
                new[inner] = next(sources)
            elif inner.op == "output":
                results = map_arg(inner.args[0], new.__getitem__)
            elif inner.op == "call_function":
                new[inner] = node.graph.node_copy(inner, new.__getitem__)
                new[inner].meta = {**node.meta, "val": inner.meta["val"]}
            else:
                raise ValueError(f"{node.target}: no constant was expected, got {inner.op}")
    if isinstance(results, Node):
        return {node: results}
    return _pick(node, results)


def _pick(node: Node, results: Sequence[Node]) -> dict[Node, Node]:
    """What stands for those nodes that take one of a node's results each, and for the node, which nobody reads then."""
    picks = list(node.users)
    if not all(user.target is operator.getitem for user in picks):
        raise ValueError(f"{node.target}: all of its results are read at once")
    return {**{user: results[user.args[1]] for user in picks}, node: results[0]}

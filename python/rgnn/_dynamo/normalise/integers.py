"""Integers that a graph computes of nothing but integers: lists of edges, types, masks, counts."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node, map_arg
from torch.utils import _pytree as pytree

from .. import private
from ..expressions import expression_of
from ..functional import fake_mode, value_of
from ..partition import storages
from .changes import changed_by, name_of
from .contexts import written_by
from .emit import call


def copy_changed(graph: Graph) -> None:
    """Integers that are changed in place are read from a copy behind the last change: that is a list like any other."""
    output = next(iter(reversed(graph.nodes)))
    last = {place: node for node in graph.nodes for place in written_by(node)}
    given = {place for node in output.all_input_nodes if node.op != "placeholder" for place in storages(node)}
    for x in list(graph.nodes) if last else ():
        value, ends = value_of(x), [last[place] for place in storages(x) if place in last]
        is_list = isinstance(value, Tensor) and not (value.is_floating_point() or value.is_complex())
        if not (is_list and ends) or storages(x) & given or x > max(ends):
            continue
        readers = [user for user in x.users if user > max(ends) and user is not output]
        if readers:
            with graph.inserting_after(max(ends)):
                copy = call(graph, max(ends), "clone", x)
            x.replace_all_uses_with(copy, lambda user, readers=readers: user in readers)
            _look_at(copy, storages(x))


def _look_at(copy: Node, places: set[int]) -> None:
    """Makes views of a tensor, which lie at some places in memory, those of a copy that they read now."""
    for view in copy.users:
        if storages(view) & places:
            function = getattr(Tensor, view.target) if view.op == "call_method" else view.target
            with fake_mode([value_of(copy)]):
                view.meta["example_value"] = function(*map_arg(view.args, value_of), **map_arg(view.kwargs, value_of))
            _look_at(view, places)


def _read_before_adding(graph: Graph) -> None:
    """``int(batch.max() + 1)`` is ``int(batch.max()) + 1``, so that both are one number."""
    for node in list(graph.nodes):
        added = node.args[0] if node.target == "item" else None
        if not isinstance(added, Node) or name_of(added) not in ("add", "__add__", "__radd__") or added.kwargs:
            continue
        given = [arg for arg in added.args if isinstance(arg, Node)]
        offsets = [arg for arg in added.args if type(arg) is int]
        if len(given) != 1 or len(offsets) != 1 or len(added.args) != 2:
            continue
        (source,), (offset,), number = given, offsets, value_of(node)
        value = value_of(source)
        is_integer = isinstance(value, Tensor) and value.dtype == value_of(added).dtype == torch.int64
        if not (is_integer and isinstance(number, torch.SymInt)) or is_changed(graph, storages(source), source):
            continue
        with graph.inserting_before(node):
            read = graph.call_method("item", (source,))
            read.meta = {**node.meta, "example_value": number - offset}
            read.meta.pop("unbacked_bindings", None)
            total = graph.call_function(operator.add, (read, offset))
            total.meta = {**read.meta, "example_value": number}
        node.replace_all_uses_with(total)
        graph.erase_node(node)


def share_integers(graph: Graph) -> None:
    """Makes ``kind == 0`` in two places one mask, and ``int(batch.max())`` one number, where what they are made of is
    not changed between them."""
    _read_before_adding(graph)
    integers = made_of_integers(graph)
    known: dict[tuple, Node] = {}
    for node in list(graph.nodes):
        if node.target not in _COMPARISONS and (node.target not in _COUNTS or node not in integers or node.kwargs):
            continue
        first = known.setdefault((node.target, node.args), node)
        seen = storages(first).union(storages(node), *map(storages, node.all_input_nodes))
        if first is node or is_changed(graph, seen, first):
            continue
        if node.target == "item":
            _unify(value_of(node), value_of(first))
        node.replace_all_uses_with(first)
        graph.erase_node(node)


def _unify(one: Any, other: Any) -> None:
    """Has sizes that are made of one integer be those that are made of the other."""
    if isinstance(one, torch.SymInt):
        constant, symbol = one.node.expr.as_coeff_Add()
        if symbol.is_Symbol:
            one.node.shape_env._set_replacement(symbol, expression_of(other) - constant, "rgnn: the same integer")


_COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
_COUNTS = ("max", "min", "sum", "item")


def made_of_integers(graph: Graph) -> set[Node]:
    """The nodes that are integers or truths, or tensors of them, and made of such alone; ``0.5 * n`` may be between.
    Lists that say which floats are not zero, or in what order they are, are among them: no kernel makes these."""
    changes = [(node, changed) for node in graph.nodes for changed in changed_by(node)]
    foreign: set[int] = set()  # memory that something else is written to
    while True:
        found: set[Node] = set()
        for node in graph.nodes:
            leaves = pytree.tree_leaves(value_of(node))
            is_whole = bool(leaves) and all(
                expression_of(value) is not None or isinstance(value, Tensor) and not value.is_floating_point()
                or isinstance(value, _BETWEEN) and node.op != "placeholder" for value in leaves)  # fmt: skip
            is_made = node.op in ("placeholder", "call_function", "call_method")
            is_of_integers = found.issuperset(node.all_input_nodes) or _is_size_of_call(node) or _is_list(node)
            if is_whole and is_made and is_of_integers and not (foreign and storages(node) & foreign):
                found.add(node)
        more = set().union(*(storages(changed) for node, changed in changes
                             if not found.issuperset(node.all_input_nodes)))  # fmt: skip
        if more <= foreign:
            return found
        foreign |= more


_BETWEEN = torch.SymFloat, torch.SymBool, bool


def _is_list(node: Node) -> bool:
    """Whether a node says which rows others pick: of floats, or of truths that compare them."""
    if node.target is operator.getitem:
        whole, part = node.args[0], node.args[1]
        if name_of(whole) in _ORDERS:
            return part == 1
        picks = isinstance(part, tuple) and part or (part,)
        return isinstance(value_of(whole), Tensor) and any(isinstance(pick, Node) for pick in picks)
    return name_of(node) in _LISTS


_LISTS = {"nonzero", "argwhere", "argsort"}
_ORDERS = {"sort", "topk"}


def _is_size_of_call(node: Node) -> bool:
    """Whether a node is a size that those of the call say, of whatever tensor, and no data do."""
    return node.target is torch.ops.aten.sym_size.int and not private.free_unbacked_symbols(value_of(node))


def is_changed(graph: Graph, memory: set[int], since: Node) -> bool:
    """Whether some node behind ``since`` may change memory in place, through whatever view of it."""
    return bool(changes_of(graph, memory, since))


def changes_of(graph: Graph, memory: set[int], since: Node) -> list[Node]:
    """The nodes behind ``since`` that may change memory in place."""
    return [node for node in graph.nodes
            if since < node and any(storages(changed) & memory for changed in changed_by(node))]  # fmt: skip

"""What changes memory that nobody else sees, as new values."""

from __future__ import annotations

import operator
from collections import defaultdict

import torch
from torch import Tensor
from torch.fx import Graph, Node, map_arg
from torch.utils import _pytree as pytree

from ..functional import fake_mode, value_of
from ..partition import storages
from .changes import changed_by, name_of
from .contexts import CONTEXTS
from .emit import call

_METHODS = {"abs", "add", "addcmul", "clamp", "clamp_max", "clamp_min", "div", "exp", "index_add", "lerp", "log",
            "masked_fill", "mul", "neg", "pow", "reciprocal", "relu", "rsqrt", "scatter", "scatter_add",
            "scatter_reduce", "sigmoid", "sqrt", "sub", "tanh"}  # fmt: skip
_OPERATORS = {operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul,
              operator.itruediv: operator.truediv, operator.ipow: operator.pow}  # fmt: skip


def write_new_values(graph: Graph) -> None:
    """``x.pow_(-0.5)`` is ``x.pow(-0.5)``, and who reads ``x`` later reads that.

    So it is where a node makes ``x``, up to the first view of it.
    """
    if any(node.target in CONTEXTS for node in graph.nodes):
        return
    nodes = [node for node in graph.nodes if node.op != "output"]
    sharing: dict[int, list[Node]] = defaultdict(list)
    for node in nodes:
        for place in storages(node):
            sharing[place].append(node)
    changing = [node for node in nodes if changed_by(node)]
    for place in dict.fromkeys(place for node in changing for source in changed_by(node) for place in storages(source)):
        maker, *others = sharing[place]
        changes = [node for node in changing if any(place in storages(source) for source in changed_by(node))]
        if chain := _chain(maker, others, changes):
            _rewrite(graph, maker, chain)


def _chain(maker: Node, others: list[Node], changes: list[Node]) -> list[Node]:
    """The nodes that change the whole memory that one node makes, before anybody has views of it."""
    chain: list[Node] = []
    if maker.op not in ("call_function", "call_method") or not _is_made(maker):
        return chain
    for node, other in zip(changes, others):
        if node is not other or node.args[0] not in (maker, *chain) or not _keeps_kind(maker, node):
            break
        chain.append(node)
    return chain


def _is_made(node: Node) -> bool:
    """Whether a node gives one tensor, in memory of its own, whose sizes are known before it runs."""
    value = value_of(node)
    if not isinstance(value, Tensor) or not storages(node).isdisjoint(
            place for source in node.all_input_nodes for place in storages(source)):  # fmt: skip
        return False
    known = {symbol for source in node.all_input_nodes for symbol in _symbols(value_of(source))}
    return _symbols(value) <= known


def _symbols(value: object) -> set:
    sizes = [size for leaf in pytree.tree_leaves(value)
             for size in (leaf.shape if isinstance(leaf, Tensor) else [leaf])]  # fmt: skip
    return {symbol for size in sizes if isinstance(size, torch.SymInt) for symbol in size.node.expr.free_symbols}


def _new_name(node: Node) -> object:
    """What gives the new value: a function, or a method's name; None where nothing does."""
    if node.op == "call_function":
        return _OPERATORS.get(node.target)
    name = name_of(node)
    return name[:-1] if node.op == "call_method" and name.endswith("_") and name[:-1] in _METHODS else None


def _keeps_kind(maker: Node, node: Node) -> bool:
    """Whether there is a new value, with the dtype and the sizes of the old one."""
    old, name = value_of(maker), _new_name(node)
    if _is_replaced(node):
        new = value_of(node.args[1])
    elif name is None:
        return False
    else:
        function = getattr(Tensor, name) if isinstance(name, str) else name
        with fake_mode([old]):
            new = function(*map_arg(node.args, value_of), **map_arg(node.kwargs, value_of))
    return new.dtype == old.dtype and len(new.shape) == len(old.shape) and all(
        one is other or str(one) == str(other) for one, other in zip(new.shape, old.shape))


def _is_replaced(node: Node) -> bool:
    """Whether memory is filled with a value that nobody else reads."""
    if node.target != "copy_" or len(node.args) != 2 or not isinstance(node.args[1], Node):
        return False
    return set(node.args[1].users) == {node} and _is_made(node.args[1])


def _rewrite(graph: Graph, maker: Node, changes: list[Node]) -> None:
    places = {node: number for number, node in enumerate(graph.nodes)}
    last = value_of(changes[-1])
    function = getattr(Tensor, maker.target) if maker.op == "call_method" else maker.target
    with fake_mode([last]):  # its own value says what it is in the end, and whether that has a gradient
        maker.meta = {**maker.meta, "example_value": function(*map_arg(maker.args, value_of),
                                                              **map_arg(maker.kwargs, value_of))}  # fmt: skip
    current = maker
    for node in changes:
        later = [user for alias in (maker, current) for user in alias.users if places.get(user, -1) > places[node]]
        if _is_replaced(node):
            new = node.args[1]
        else:
            with graph.inserting_before(node):
                new = call(graph, node, _new_name(node), current, *node.args[1:], **node.kwargs)
        places[new] = places[node]
        for user in later:
            user.replace_input_with(maker, new)
            user.replace_input_with(current, new)
        node.replace_all_uses_with(new)
        graph.erase_node(node)
        current = new
    current.meta["example_value"] = last  # views of it lie in that memory

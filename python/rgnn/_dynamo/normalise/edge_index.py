"""PyG's ``EdgeIndex`` and ``Index`` as the plain tensors that they hold.

They are integers with notes: how many nodes there are, in which order edges stand. PyTorch's operators give the same
numbers with and without, except products, for which an ``EdgeIndex`` is a sparse matrix. What a caller gets, what
multiplies, and what asks an ``EdgeIndex`` itself keep it.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node
from torch.utils import _pytree as pytree
from torch_geometric import EdgeIndex, Index

from ..functional import value_of


def take_plain(graph: Graph) -> list[int]:
    """Has what reads an ``EdgeIndex`` read the tensor in it, where that gives the same.

    Returns:
        Positions of the graph's inputs whose tensors, ``input._data``, are inputs behind all others from now on.
    """
    wrapped = [node for node in graph.nodes if _is_wrapped(node)]
    if not wrapped or any(_changes_wrapped(node) for node in graph.nodes):
        return []
    plain = _Plain(graph)
    for node in list(graph.nodes):
        plain.visit(node)
    plain.drop_unread()
    return plain.positions


def _is_wrapped(node: Node) -> bool:
    return any(isinstance(leaf, _TYPES) for leaf in pytree.tree_leaves(value_of(node)))


def _changes_wrapped(node: Node) -> bool:
    """Whether a node may change an ``EdgeIndex`` in place, so that its order among others counts."""
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    is_in_place = node.target is operator.setitem or name.endswith("_") and not name.endswith("__") or name in _IN_PLACE
    changed = [part for part in (*node.args[:1], node.kwargs.get("out")) if isinstance(part, Node)]
    return (is_in_place or "out" in node.kwargs) and any(map(_is_wrapped, changed))


class _Plain:
    """Attributes: positions: of the inputs whose tensors are inputs, too."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self._inputs = [node for node in graph.nodes if node.op == "placeholder"]
        self._plain: dict[Node, Node] = {}
        self.positions: list[int] = []

    def visit(self, node: Node) -> None:
        """Notes the plain form of what a node gives; has what reads others read theirs."""
        if node.op == "placeholder":
            if isinstance(value_of(node), _TYPES):
                self._plain[node] = self._add_input(node)
        elif node.target in _TYPES:
            if node.args and isinstance(node.args[0], Node):  # what it is made of is a tensor, or one of them
                self._plain[node] = self._plain.get(node.args[0], node.args[0])
        elif node.op == "output" or not any(source in self._plain for source in node.all_input_nodes):
            return
        elif node.target is getattr and node.args[1] == "_data":
            self._plain[node] = self._plain[node.args[0]]
            node.replace_all_uses_with(self._plain[node])
        elif not _asks_for_more(node):
            self._read_plain(node)

    def _add_input(self, node: Node) -> Node:
        """The tensor in an input as an input of its own."""
        with self._graph.inserting_after(self._inputs[-1]):
            made = self._graph.placeholder(f"{node.name}_data")
        made.meta = {"example_value": value_of(node)._data}
        self.positions.append(self._inputs.index(node))
        self._inputs.append(made)
        return made

    def _read_plain(self, node: Node) -> None:
        def plain(source: Node) -> Node:
            return self._plain.get(source, source)

        if not _is_wrapped(node):
            node.args, node.kwargs = torch.fx.map_arg((node.args, node.kwargs), plain)
            return
        with self._graph.inserting_before(node):
            made = self._graph.node_copy(node, plain)
        made.meta = {**node.meta, "example_value": pytree.tree_map_only(_TYPES, _data_of, value_of(node))}
        self._plain[node] = made

    def drop_unread(self) -> None:
        """Drops what nothing reads any more."""
        for node in reversed(list(self._graph.nodes)):
            if not node.users and node in self._plain and node.op != "placeholder":
                self._graph.erase_node(node)


def _data_of(wrapped: Any) -> Tensor:
    return wrapped._data


def _asks_for_more(node: Node) -> bool:
    """Whether a node asks for what a plain tensor lacks, or gives something else for it."""
    if node.op == "call_method":
        return node.target in _PRODUCTS or node.target in _METHODS
    if isinstance(node.target, torch._ops.OpOverload | torch._ops.OpOverloadPacket):
        return False
    # Of other functions and of graphs within the graph, such as a checkpoint's, nothing is known here.
    module = (getattr(node.target, "__module__", None) or "torch").partition(".")[0]
    is_known = node.op == "call_function" and module in ("torch", "_operator")
    return (not is_known or isinstance(node.target, torch._ops.HigherOrderOperator)
            or getattr(node.target, "__name__", "") in _PRODUCTS)  # fmt: skip


_TYPES = (EdgeIndex, Index)
_METHODS = {name for kind in _TYPES for name in vars(kind) if not name.startswith("__")}
_PRODUCTS = {"matmul", "mm", "addmm", "mv", "spmm", "_sparse_mm", "_spmm_reduce", "sparse_mm"}
_IN_PLACE = {"iadd", "isub", "imul", "ifloordiv", "imod", "iand", "ior", "ixor"}

"""What is told of what PyTorch runs: which of it is a fallback, and which is meant so."""

from __future__ import annotations

import operator
import re

import sympy
import torch
from torch import Tensor
from torch.fx import Graph, Node

from .._capture.places import location_of
from .._ops.lowering import is_lowered, op_of
from . import private
from .analyse import describe
from .expressions import expression_of, is_symbolic
from .functional import value_of
from .leading.movement import movements, moves, moves_along
from .normalise.batch_norm import store_average
from .normalise.changes import name_of
from .normalise.draws import DRAWS, FILLS
from .normalise.shapes import is_arithmetic
from .partition import Reason, storages
from .text import path_of

Told = list[tuple[str, str, str]]
"""Operators, reasons and source lines."""


def sort_out(graph: Graph, reasons: dict[Node, Reason], once: list[list[Node]]) -> tuple[Told, Told]:
    """Of nodes that PyTorch runs: fallbacks, first those that read no others, and what works on dense batches.

    Args:
        graph: which they are in.
        reasons: why PyTorch runs them.
        once: those that it runs once for a graph.
    """
    unreported, counts = {node for group in once for node in group}, _constant_counts(graph)
    unreported |= _state_of(graph) | _draws_of(graph) | _choosing(graph)
    left = {node: why for node, why in reasons.items()
            if why.text and node not in unreported and is_reported(node) and not _is_small(node, counts)}  # fmt: skip
    pairs = _pairs_of_rows(graph, counts)
    dense = {node for node in left if _is_dense(node, pairs)}
    dense |= _read_off(graph, dense)
    causes_first = sorted(left, key=lambda node: any(source in left for source in node.all_input_nodes))
    names = _names_of_rows(graph)
    fallbacks, meant = ([describe(node, _with_rows(node, left[node], names)) for node in causes_first
                         if (node in dense) is is_meant] for is_meant in (False, True))  # fmt: skip
    return fallbacks, meant


def _names_of_rows(graph: Graph) -> dict[sympy.Expr, str]:
    """What the sizes of the graphs of :mod:`rgnn.dgl` in a call count: nodes, edges, or both, where these are equally
    many."""
    edges: set[sympy.Expr] = set()
    nodes: set[sympy.Expr] = set()
    for node in graph.nodes:
        value, path = value_of(node), path_of(node)[0]
        if node.op == "placeholder" and isinstance(value, Tensor) and value.dim() == 2:
            if re.search(r"\._edges\[\d+\]$", path):
                edges.add(expression_of(value.shape[1]))
            elif re.search(r"\._rows\[\d+\]$", path):
                nodes.add(expression_of(value.shape[0]))
    if edges:  # what is added up into has rows of nodes
        nodes |= {expression_of(sizes[0]) for sizes, dim, adds in movements(graph) if adds and dim == 0}
    return {size: " or ".join(name for name, sizes in (("nodes", nodes), ("edges", edges)) if size in sizes)
            for size in nodes | edges if size.free_symbols}  # fmt: skip


def _with_rows(node: Node, reason: Reason, names: dict[sympy.Expr, str]) -> Reason:
    """A reason that also says what a node's operands have rows of, where that is known."""
    operands = [value for value in map(value_of, node.all_input_nodes) if isinstance(value, Tensor) and value.dim()]
    found = dict.fromkeys(names[size] for value in operands if (size := expression_of(value.shape[0])) in names)
    return reason._replace(text=f"{reason.text}, on rows of {' and '.join(found)}") if found else reason


def _read_off(graph: Graph, dense: set[Node]) -> set[Node]:
    """Nodes that compute a number, or one for each row, of what dense ones gave and nothing else: as losses do."""
    found: set[Node] = set()
    for node in graph.nodes:
        value, read = value_of(node), node.all_input_nodes
        if isinstance(value, Tensor) and value.dim() < 2 and read and (dense | found).issuperset(read):
            found.add(node)
    return found


def _state_of(graph: Graph) -> set[Node]:
    """Nodes that set rows of what a call is given or a model holds, such as a memory of nodes; and those that read rows
    of what it holds: these are few of all, and are copied, since regions keep what they read for the backward."""
    given, held = ({place for node in graph.nodes if node.op == "placeholder" and part in node.name
                    for place in storages(node)} for part in ("", "_buffers"))  # fmt: skip
    sets = [node for node in graph.nodes if node.target is operator.setitem and storages(node.args[0]) & given]
    memory = {place for node in sets for place in storages(node.args[0])} & held
    reads = [node for node in graph.nodes if node.target in (operator.getitem, "index_select")
             and isinstance(node.args[0], Node) and storages(node.args[0]) & memory]  # fmt: skip
    return {*sets, *reads}


def _choosing(graph: Graph) -> set[Node]:
    """Nodes that make lists of floats, or their order, for nothing but integers and sizes, which say what a graph has:
    ``(ratio * count).ceil().long()``, ``score.sort()[1]``."""
    found: set[Node] = set()
    for node in reversed(graph.nodes):
        if not node.users or not node.op.startswith("call") or not _lists_floats(node):
            continue
        if _gives_integers(node) or all(user in found or _gives_integers(user) for user in node.users):
            found.add(node)
    return found


def _lists_floats(node: Node) -> bool:
    values = torch.utils._pytree.tree_leaves([value_of(node), *map(value_of, node.all_input_nodes)])
    return all(value.dim() < 2 for value in values if isinstance(value, Tensor) and value.is_floating_point())


def _gives_integers(node: Node) -> bool:
    value = value_of(node)
    return expression_of(value) is not None or isinstance(value, Tensor) and not value.is_floating_point()


def _draws_of(graph: Graph) -> set[Node]:
    """Nodes that make truths and integers of random numbers and nothing else, as ``(p + torch.rand(E)).floor().bool()``
    does: part of the draw."""
    drawn: set[Node] = set()
    for node in graph.nodes:
        read = [source for source in node.all_input_nodes if isinstance(value_of(source), Tensor)]
        if node.target in _DRAWS or read and drawn.issuperset(read):
            drawn.add(node)
    for node in reversed(graph.nodes):
        value = value_of(node)
        is_float = isinstance(value, Tensor) and value.is_floating_point()
        if node in drawn and is_float and not drawn.issuperset(node.users):
            drawn.remove(node)
    return drawn


def _pairs_of_rows(graph: Graph, counts: set[int]) -> set[tuple[sympy.Expr, ...]]:
    """The sizes of matrices that have a number for each pair of two tensors' rows: ``h[queries] @ h.t()``; or what a
    difference has, ``h[queries].unsqueeze(1) - h``. Numbers of rows that are constants are among ``counts``."""
    found = set()
    for node in graph.nodes:
        value = value_of(node)
        if not isinstance(value, Tensor) or value.dim() < 2:
            continue
        if name_of(node) in _PRODUCTS:
            sizes = tuple(map(expression_of, value.shape[-2:]))
        elif name_of(node) in _DIFFERENCES and value.dim() == 3:
            sizes, read = _sizes(value), map(value_of, node.all_input_nodes)
            if any(isinstance(each, Tensor) and each.dim() == 3 and _sizes(each) == sizes for each in read):
                continue
        else:
            continue
        if all(size.free_symbols or size in counts for size in sizes) and any(size.free_symbols for size in sizes):
            found |= {sizes, sizes[::-1]}
    return found


def _sizes(value: Tensor) -> tuple[sympy.Expr, ...]:
    """The first two."""
    return tuple(map(expression_of, value.shape[:2]))


_PRODUCTS = {"matmul", "mm", "bmm", "linear", "einsum", "cdist"}
_DIFFERENCES = {"add", "sub", "mul"}


def _is_dense(node: Node, pairs: set[tuple[sympy.Expr, ...]]) -> bool:
    """Whether a node makes, computes or reads dense batches: the rows of each graph, filled up to as many as the
    largest has. Two of their sizes are symbols, or one is a product of such, and one of them only data say. Or
    numbers of all pairs of nodes, or a convolution of images."""
    if name_of(node) in ("conv2d", "conv3d"):
        return all(size != 1 for size in value_of(node.args[1]).shape[2:])
    values = torch.utils._pytree.tree_leaves([value_of(node), *map(value_of, node.all_input_nodes)])
    if any(isinstance(value, Tensor) and _is_filled(value.shape) for value in values) and not moves_along(node):
        return True
    if moves(node):
        return False
    return any(isinstance(value, Tensor) and _is_of_pairs(value, pairs) for value in values) or _is_turned(node, pairs)


def _is_of_pairs(value: Tensor, pairs: set[tuple[sympy.Expr, ...]]) -> bool:
    """Whether a tensor has a number for each pair of nodes, as all similarities ``h @ h.t()`` are."""
    if not value.is_floating_point() or value.dim() < 2:
        return False
    first, second = map(expression_of, value.shape[-2:])
    return (first, second) in pairs or value.dim() == 3 and _sizes(value) in pairs or (
        first == second and bool(first.free_symbols))  # fmt: skip


def _is_turned(node: Node, pairs: set[tuple[sympy.Expr, ...]]) -> bool:
    """Whether a node turns rows into columns, or into those of a single matrix, for numbers of pairs."""
    is_turn = node.target in _TURNS or node.target is getattr and node.args[1] in _TURNS
    is_view = is_turn or node.target is operator.getitem and bool(
        isinstance(node.args[0], Node) and storages(node) & storages(node.args[0]))  # fmt: skip
    return is_view and all(_is_of_pairs(value, pairs) for user in node.users
                           if isinstance(value := value_of(user), Tensor))  # fmt: skip


def _is_filled(shape: torch.Size) -> bool:
    if not private.free_unbacked_symbols(shape):
        return False
    sizes = list(map(expression_of, shape))
    is_product = any(len(part.free_symbols) > 1 for size in sizes for part in size.atoms(sympy.Mul))
    return is_product or sum(bool(size.free_symbols) for size in sizes) > 1


def sort_out_registered(reasons: dict[Node, Reason]) -> tuple[dict[Node, Reason], list[tuple[str, str, str]]]:
    """The reasons of nodes that PyTorch is not meant to run; and operator, promise and source line of those that it is:
    registered ones, but for those whose lowering cannot be compiled."""
    rest, registered = {}, []
    for node, why in reasons.items():
        op = op_of(node)
        if op is None:
            rest[node] = why
        elif is_lowered(node) and why.text:
            cause = f"{why.op}: {why.text}" if why.op else why.text
            rest[node] = Reason(f"its lowering is not compiled: {cause}", op.name)
        else:
            registered.append((op.name, str(op), location_of(node)))
    return rest, registered


def _constant_counts(graph: Graph) -> set[int]:
    """The numbers of rows that a graph moves which are constants, but for those that are in front of rows."""
    moved = list(movements(graph))
    counts = {sizes[dim] for sizes, dim, adds in moved if type(sizes[dim]) is int and (adds or dim == 0)}
    return counts - {size for sizes, dim, _ in moved for size in sizes[:dim] if type(size) is int}


def _is_small(node: Node, counts: set[int]) -> bool:
    """Whether neither nodes nor edges are in what a node works on: all sizes are constants, and none of the numbers of
    rows that the graph moves."""
    values = torch.utils._pytree.tree_leaves([value_of(node), *map(value_of, node.all_input_nodes)])
    sizes = [size for value in values if isinstance(value, Tensor) for size in value.shape]
    return all(type(size) is int and size not in counts for size in sizes)


def is_reported(node: Node) -> bool:
    """Whether a node is work on tensors of floats: that of integers is PyTorch's, once for a graph; so are draws, what
    keeps the averages of batches, views of rows that the graph gives, and those whose rows are parts of others."""
    is_view = node.target in (operator.getitem, "narrow") and storages(node) & storages(node.args[0])
    if is_view and all(user.op == "output" for user in node.users) or name_of(node) in _PARTING:
        return False
    if node.target in _REGROUPING and storages(node) & storages(node.args[0]):
        return False
    if expression_of(value_of(node)) is not None or is_arithmetic(node):
        return False
    if node.target in _DRAWS or node.target in ("detach", torch.detach, "item"):
        return False
    result = value_of(node)
    if isinstance(result, Tensor) and (result.dtype == torch.bool or node.target in _CASTS
                                       and not result.is_floating_point()):  # fmt: skip
        return False  # it says which edges or nodes a graph has
    values = torch.utils._pytree.tree_leaves([result, *map(value_of, node.all_input_nodes)])
    floats = [value for value in values if isinstance(value, Tensor) and value.is_floating_point()]
    if node.target == "to" and len(floats) == 1 and floats[0] is result:  # integers and truths, as regions take them
        return False
    stores = node.target in ("copy_", "clone", store_average)
    return any(not stores or any(map(is_symbolic, value.shape)) for value in floats)


_DRAWS = (torch.rand, torch.rand_like, torch.randn, torch.randn_like, torch.bernoulli, "bernoulli", torch.normal,
          *DRAWS, *FILLS)
"""Numbers that PyTorch draws in the model's order, as it draws masks of dropout."""
_TURNS = ("t", "T", "transpose", "permute", "mT", torch.permute, torch.t, torch.transpose, "unsqueeze", torch.unsqueeze)
_CASTS = ("to", "long", "int", "type")
_PARTING = ("split", "split_with_sizes", "chunk", "tensor_split", "unbind")
"""Functions whose results are views of parts of a tensor."""
_REGROUPING = ("view", "reshape", "flatten", "unflatten", torch.flatten, torch.unflatten, torch.reshape)
"""Views, in memory as it is: of ``[N * R, F]`` as ``[N, R, F]``."""

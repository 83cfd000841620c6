"""Finds the sizes in front of rows that a captured graph moves, and the numbers of such rows."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import sympy
import torch
from torch import Tensor
from torch._guards import detect_fake_mode
from torch.fx import Graph, Node

from ..expressions import expression_of, is_symbolic
from ..functional import is_parameter, value_of
from . import LeadingSizes, size_name


def look_for_rows(graph: Graph, seen: dict[str, set], leading: LeadingSizes) -> set[str]:
    """Adds what a graph shows to what is known. Returns what is a symbol although it is in front of rows.

    Args:
        graph: as TorchDynamo captured it.
        seen: the numbers that were constants in it.
        leading: what is known.

    Raises:
        CaptureAgainError: the graph moves rows behind a symbol, or as many as a constant says, and this was not known.
    """
    moved = list(movements(graph))
    first = {symbol for sizes, dim, _ in moved if dim == 0 for symbol in _symbols(sizes[:1])}
    in_front: set[str] = set()
    rows: set[str] = set()
    for sizes, dim, adds in moved:
        symbols = _symbols(sizes[:dim])
        if dim == 0 or len(sizes) < 3 or symbols & (first | _symbols(sizes[dim:])):
            continue
        in_front |= _sources_of(sizes, symbols)
        if isinstance(sizes[dim], int):
            rows |= _sizes_of_call(graph, sizes, dim) or (_integers(seen, sizes[dim]) if adds else set())
    before, behind = _sizes_of_slices(graph)
    before |= _numbers_of_matrices(graph)
    before_fixing, fixing = _sizes_that_fix_others(graph)
    rows |= behind | fixing | _rows_of_parameters(graph) | _lengths_of_tables(graph)
    leading.learn(in_front | before | before_fixing, rows)
    return in_front


def movements(graph: Graph) -> Iterator[tuple[torch.Size, int, bool]]:
    """The shapes of floats that lists of a call pick from, or add up into, the dimension that they do so along, and
    whether they add up."""
    for node in graph.nodes:
        x, dim, index = _movement(node)
        if not isinstance(x, Node) or type(dim) is not int or not isinstance(value_of(x), Tensor):
            continue
        if value_of(x).is_floating_point() and value_of(x).dim() > 0 and _is_list_of_call(index):
            yield value_of(x).shape, dim % value_of(x).dim(), _name(node) in _ADDING


def moves(node: Node) -> bool:
    """Whether a node picks by a list of a call, or adds up into, some dimension."""
    x, dim, index = _movement(node)
    return isinstance(x, Node) and type(dim) is int and _is_list_of_call(index)


def moves_along(node: Node) -> bool:
    """Whether a node picks by a list of a call, or adds up into, another dimension than the first."""
    x, dim, index = _movement(node)
    is_tensor = isinstance(x, Node) and isinstance(value_of(x), Tensor)
    return is_tensor and type(dim) is int and dim % max(value_of(x).dim(), 1) > 0 and _is_list_of_call(index)


def moves_otherwise(node: Node) -> bool:
    """Whether a node picks, or adds up into, another dimension than the first, by what is no list of a call."""
    x, dim, index = _movement(node)
    if node.target is operator.getitem or not isinstance(x, Node) or type(dim) is not int:
        return False
    is_late = isinstance(value_of(x), Tensor) and dim % max(value_of(x).dim(), 1) > 0
    return is_late and value_of(x).is_floating_point() and not _is_list_of_call(index)


def _movement(node: Node) -> tuple[Any, Any, Any]:
    """Of an operator that moves rows: these, the dimension and the index."""
    if node.target is operator.getitem:
        x, index = node.args
        *others, last = index if isinstance(index, tuple) and index else (index,)
        return (x, len(others), last) if all(other == slice(None) for other in others) else (None, None, None)
    if _name(node) in ("index_select", "gather", *_ADDING):
        given = dict(zip(("input", "dim", "index"), node.args), **node.kwargs)
        return given.get("input"), given.get("dim"), given.get("index")
    return None, None, None


_ADDING = {"index_add", "index_reduce", "scatter", "scatter_add", "scatter_reduce"}


def _name(node: Node) -> str:
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    return name.removesuffix("_")


def _is_list_of_call(index: Any) -> bool:
    """Whether an index is a list of integers, or one that is repeated along other dimensions; not a model's own."""
    while isinstance(index, Node) and isinstance(value_of(index), Tensor) and value_of(index).dim() > 1:
        is_repeated = index.target in ("expand", "expand_as", "view", "unsqueeze", "reshape")
        index = index.args[0] if is_repeated else None
    if not isinstance(index, Node) or not isinstance(value_of(index), Tensor) or value_of(index).dim() != 1:
        return False
    return is_symbolic(value_of(index).shape[0]) and "_buffers" not in index.name


def _symbols(sizes: Any) -> set[sympy.Symbol]:
    return {symbol for size in sizes for symbol in expression_of(size).free_symbols}


def _sources_of(sizes: torch.Size, symbols: set[sympy.Symbol]) -> set[str]:
    """What TorchDynamo calls the sizes that symbols stand for."""
    environments = [size.node.shape_env for size in sizes if isinstance(size, torch.SymInt)]
    return {source.name for environment in environments[:1] for symbol, sources in environment.var_to_sources.items()
            if environment.replace(symbol).free_symbols & symbols for source in sources}  # fmt: skip


def _sizes_of_call(graph: Graph, sizes: torch.Size, dim: int) -> set[str]:
    """What TorchDynamo calls the sizes of a call's tensors that are as large: in the same dimension from the end, or
    where there are none, in any behind the first."""
    found: dict[int, set[str]] = {}
    for node in graph.nodes:
        source, value = getattr(node.meta.get("grapharg"), "source", None), value_of(node)
        if node.op == "placeholder" and source is not None and isinstance(value, Tensor) and not is_parameter(node):
            for place, size in enumerate(value.shape):
                if place > 0 and type(size) is int and size == sizes[dim] and value.is_floating_point():
                    found.setdefault(place - value.dim(), set()).add(size_name(source, place))
    return found.get(dim - len(sizes)) or set().union(*found.values())


def _sizes_of_slices(graph: Graph) -> tuple[set[str], set[str]]:
    """What TorchDynamo calls the sizes in front of rows, and the numbers of rows, of a call's tensors ``[T, N, F]`` of
    which the graph moves ``x[t]``, where the numbers were constants."""
    in_front: set[str] = set()
    rows: set[str] = set()
    seen: set[tuple[Node, int, int]] = set()
    pending = [(x, value_of(x).shape[0], value_of(x).dim()) for node in graph.nodes if moves(node)
               for x, dim, _ in [_movement(node)] if _name(node) not in _ADDING and isinstance(value_of(x), Tensor)
               and dim % max(value_of(x).dim(), 1) == 0 and type(value_of(x).shape[0]) is int]  # fmt: skip
    while pending:
        node, size, rank = entry = pending.pop()
        value = value_of(node)
        if entry in seen or not isinstance(value, Tensor) or not value.is_floating_point():
            continue
        seen.add(entry)
        places = [place for place, other in enumerate(value.shape) if type(other) is int and other == size]
        if not places:
            continue
        source = getattr(node.meta.get("grapharg"), "source", None)
        if node.op == "placeholder" and source is not None and not is_parameter(node):
            places = places if len(places) == 1 else [place for place in places if place == value.dim() - rank]
            rows |= {size_name(source, place) for place in places if place > 0}
            in_front |= {size_name(source, place) for last in places for place in range(last)}
        pending += [(other, size, rank) for other in node.all_input_nodes]
    return in_front, rows


def _rows_of_parameters(graph: Graph) -> set[str]:
    """What TorchDynamo calls the numbers of rows of Parameters that edges pick rows from, after operators that keep
    them: learned features of nodes. To TorchDynamo these numbers are constants, as those of weights."""
    rows: set[str] = set()
    seen: set[Node] = set()
    pending: list[Any] = []
    for node in graph.nodes:
        x, _, index = _movement(node)
        if moves(node) and not moves_along(node) and _is_end(index):
            pending.append(x)
    while pending:
        node = pending.pop()
        value = value_of(node)
        if node in seen or not isinstance(value, Tensor) or value.dim() == 0 or type(value.shape[0]) is not int:
            continue
        seen.add(node)
        source = getattr(node.meta.get("grapharg"), "source", None)
        if source is not None and is_parameter(node):
            rows.add(size_name(source, 0))
        pending += [other for other in _with_its_rows(node) if _is_as_long(other, value.shape[0])]
    return rows


def _lengths_of_tables(graph: Graph) -> set[str]:
    """What TorchDynamo calls the lengths of a call's tables ``[K, M]`` of integers, where they were constants and a row
    of the table picks rows, or adds them up: the edges of triangles, or facts with their relations and times."""
    lengths: set[str] = set()
    for node in graph.nodes:
        index = _movement(node)[2]
        row = _list_of(index) if isinstance(index, Node) else None
        table = row.all_input_nodes[0] if row is not None and row.all_input_nodes else None
        if table is not None and _name(table) == "unbind":
            table = table.args[0]
        source = getattr(table.meta.get("grapharg"), "source", None) if table is not None else None
        value = value_of(table) if source is not None else None
        is_table = isinstance(value, Tensor) and value.dim() == 2 and not value.is_floating_point()
        if is_table and value_of(row).dim() == 1 and type(value.shape[1]) is int and _takes_one(row):
            lengths.add(size_name(source, 1))
    return lengths


def _takes_one(row: Node) -> bool:
    """Whether a node takes one entry along the first dimension."""
    return row.target is operator.getitem and type(row.args[1]) is int or (
        _name(row) == "select" and row.args[1] == 0)  # fmt: skip


def has_rows_of_parameters(graph: Graph) -> bool:
    """Whether the number of rows of a Parameter is a symbol."""
    values = [value_of(node) for node in graph.nodes if is_parameter(node)]
    return any(value.dim() > 0 and is_symbolic(value.shape[0]) for value in values if isinstance(value, Tensor))


def _is_as_long(node: Node, size: int) -> bool:
    value = value_of(node)
    return isinstance(value, Tensor) and value.dim() > 0 and type(value.shape[0]) is int and value.shape[0] == size


def _with_its_rows(node: Node) -> list[Node]:
    """Operands whose first dimension may be the result's; of a product of two, there may be weights as long as it."""
    operands, name = node.all_input_nodes, _name(node)
    if name in ("t", "transpose", "permute", "movedim", "swapaxes", "swapdims") or node.target is getattr:
        return []
    if name in ("linear", "matmul", "mm", "bmm", "outer", "ger", "inner", "tensordot"):
        return operands[:1]
    if name == "einsum":
        sources, _, result = str(node.args[0]).replace(" ", "").partition("->")
        letters = sources.split(",")
        if not result or len(letters) != len(operands):
            return []
        return [operand for operand, of in zip(operands, letters) if of[:1] == result[:1]]
    return operands


def _numbers_of_matrices(graph: Graph) -> set[str]:
    """What TorchDynamo calls the sizes of a call's tensors ``[R, K, M]`` of which types pick a matrix for each row: how
    many there are is a constant, as of weights. Lists that may be ends of edges, as others are picked or added up by
    them too, are no types."""
    picks: dict[Node, list[Node]] = {}
    for node in graph.nodes:
        if moves(node):
            picks.setdefault(_list_of(_movement(node)[2]), []).append(node)
    found: set[str] = set()
    numbers_of_nodes = {expression_of(value_of(x).shape[0]) for node in graph.nodes if _name(node) in _ADDING
                        for x, dim, _ in [_movement(node)] if dim == 0}  # fmt: skip
    for index, nodes in picks.items():
        is_of_types = not _is_end(index) and not any(_name(node) in _ADDING for node in nodes) and len(nodes) == 1
        for node in nodes if is_of_types else ():
            x, dim, _ = _movement(node)
            source, value = getattr(x.meta.get("grapharg"), "source", None), value_of(x)
            is_table = source is not None and dim == 0 and isinstance(value, Tensor) and value.dim() == 3
            # Rows that edges pick, too, are rows.
            is_alone = all(_movement(user)[0] is not x or user is node for user in x.users)
            if not is_table or not is_alone or type(value.shape[0]) is int:
                continue
            if expression_of(value.shape[0]) not in numbers_of_nodes and any(
                    _multiplies(user, node) for user in node.users):  # fmt: skip
                found.add(size_name(source, 0))
    return found


def _list_of(index: Node) -> Node:
    """The list itself, of one that was converted or repeated."""
    while index.target in ("contiguous", "expand", "long", "reshape", "to", "unsqueeze", "view"):
        index = index.args[0]
    return index


def _multiplies(product: Node, matrices: Node) -> bool:
    """Whether a node multiplies rows by a matrix for each."""
    if _name(product) in ("bmm", "matmul"):
        return product.args[1] is matrices
    if _name(product) != "einsum" or len(product.args) != 3:
        return False
    sources, _, result = str(product.args[0]).replace(" ", "").partition("->")
    letters = sources.split(",")
    if len(letters) != 2 or product.args[1:].count(matrices) != 1:
        return False
    own, other = letters if product.args[1] is matrices else reversed(letters)
    summed, kept = set(own[1:]) & set(other), set(own[1:]) - set(other)
    return own[:1] == other[:1] == result[:1] and len(summed) == len(kept) == 1


def _is_end(index: Any) -> bool:
    """Whether a list is the sources or destinations of a list ``[2, E]``: others may pick weights by types."""
    index = _list_of(index) if isinstance(index, Node) else index
    if not isinstance(index, Node) or not index.all_input_nodes:
        return False
    if index.target is operator.getitem and _name(index.all_input_nodes[0]) == "unbind":
        index = index.all_input_nodes[0]
    if _name(index.all_input_nodes[0]).startswith("ends"):  # of a table whose rows are picked by numbers
        return False
    edges = value_of(index.all_input_nodes[0])
    picks = index.target is operator.getitem or _name(index) in ("select", "unbind")
    return picks and isinstance(edges, Tensor) and edges.dim() == 2 and type(edges.shape[0]) is int and (
        edges.shape[0] == 2)  # fmt: skip


def _sizes_that_fix_others(graph: Graph) -> tuple[set[str], set[str]]:
    """What TorchDynamo calls the sizes of a call's tensors, behind the first, that were constants and made numbers of
    edges or of nodes so, and those in front of them: features ``[B, E, F]``, or targets ``[T, N, F]``, fix how many
    there are."""
    given = {node.meta["grapharg"].source: value_of(node) for node in graph.nodes if node.op == "placeholder"
             and isinstance(value_of(node), Tensor) and "grapharg" in node.meta and not is_parameter(node)}  # fmt: skip
    fixed = _fixed_numbers_of_rows(graph, {source.name: value.is_floating_point() for source, value in given.items()})
    # Of two dimensions that are as large, rows are the one that is as far from the end as in what has them first.
    behind = {value.dim() for source, value in given.items() if size_name(source, 0) in fixed}
    rows: set[str] = set()
    in_front: set[str] = set()
    for source, value in given.items():
        places = [place for place, size in enumerate(value.shape)
                  if place > 0 and type(size) is int and size in fixed.values()]  # fmt: skip
        if any(size_name(source, dim) in fixed for dim in range(value.dim())):
            continue
        if len(places) > 1:
            places = [place for place in places if value.dim() - place in behind] or places
        rows |= {size_name(source, place) for place in places}
        in_front |= {size_name(source, front) for place in places for front in range(place)}
    return in_front - rows, rows


def _fixed_numbers_of_rows(graph: Graph, are_floats: dict[str, bool]) -> dict[str, int]:
    """The sizes of a call's lists, and of its rows that the graph moves, that were symbols and became constants, by
    what TorchDynamo calls them."""
    fake = detect_fake_mode([value_of(node) for node in graph.nodes if node.op == "placeholder"])
    if fake is None or fake.shape_env is None:
        return {}
    moved = {expression_of(sizes[0]) for sizes, dim, _ in movements(graph) if dim == 0}
    fixed: dict[str, int] = {}
    for symbol, sources in fake.shape_env.var_to_sources.items():
        number = fake.shape_env.replacements.get(symbol)
        if number is None or not number.is_Integer:
            continue
        for source in sources:
            is_float = are_floats.get(getattr(getattr(source, "base", None), "name", None))
            if is_float is False or is_float and number in moved:
                fixed[source.name] = int(number)
    return fixed


def _integers(seen: dict[str, set], number: int) -> set[str]:
    """What TorchDynamo calls the integers that were nothing but a number."""
    return {name for name, values in seen.items() if values == {number} and ".shape[" not in name}

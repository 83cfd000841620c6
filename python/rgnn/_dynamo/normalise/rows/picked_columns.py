"""Columns of rows that integers pick."""

from __future__ import annotations

import functools
import itertools
import operator
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.fx import Graph, Node, map_arg

from ...expressions import is_symbolic
from ...functional import value_of
from ..changes import changed_by, name_of
from ..emit import call

_MAX_RUNS = 64
_MAX_COMPARED = 4096  # pairs of a column and one that is picked
_MAX_NUMBERS = 65536


def pick_columns(graph: Graph) -> None:
    """``x[:, [2, 0]]`` becomes slices that are joined. So does ``x[..., p]`` where the numbers of ``p`` follow from the
    program alone; the columns of other lists are found by comparing their numbers with all columns."""
    for node in list(graph.nodes):
        found = _find(node)
        if found is None:
            continue
        x, dim, index = found
        size, shape = value_of(x).shape[dim], _shape_of(index)
        numbers = _numbers_of(index)
        if numbers is not None and not all(-size <= number < size for number in numbers):
            continue  # an error of PyTorch's
        runs = _runs_of([number % size for number in numbers]) if numbers is not None else []
        if 0 < len(runs) <= _MAX_RUNS:
            picked = _join(graph, node, x, dim, runs)
        elif isinstance(index, Node) and 0 < shape.numel() * size <= _MAX_COMPARED:
            picked = _compare(graph, node, x, dim, index)
        else:
            continue
        if len(shape) != 1:
            with graph.inserting_before(node):
                picked = call(graph, node, "unflatten", picked, dim, tuple(shape))
        node.replace_all_uses_with(picked)
        graph.erase_node(node)


def _find(node: Node) -> tuple[Node, int, Node | list[int]] | None:
    """The rows, the dimension and the list where columns are picked."""
    given = dict(zip(("input", "dim", "index"), node.args), **node.kwargs)
    x = given.get("input")
    if node.target is operator.getitem:
        dim, index = _list_among(node.args[1], value_of(x).dim() if isinstance(value_of(x), Tensor) else 0)
    elif name_of(node) == "index_select" and "out" not in given:
        dim, index = given["dim"], given["index"]
    else:
        return None
    value = value_of(x) if isinstance(x, Node) else None
    if not isinstance(value, Tensor) or not value.is_floating_point() or value.dim() < 2 or type(dim) is not int:
        return None
    dim %= value.dim()
    if dim == 0 or type(value.shape[dim]) is not int or not is_symbolic(value.shape[0]) or not _is_list(index):
        return None
    return x, dim, index


def _list_among(parts: Any, dims: int) -> tuple[int | None, Any]:
    """The one list among whole slices."""
    if not isinstance(parts, tuple):
        return None, None
    others = [part for part in parts if part != slice(None)]
    lists = [part for part in others if part is not Ellipsis]
    if len(lists) != 1 or len(others) - len(lists) > 1:
        return None, None
    place = next(place for place, part in enumerate(parts) if part is lists[0])
    after = len(parts) - 1 - place
    return (dims - 1 - after if Ellipsis in parts[:place] else place), lists[0]


def _is_list(index: Any) -> bool:
    if isinstance(index, list):
        return all(type(number) is int for number in index)
    value = value_of(index) if isinstance(index, Node) else None
    return (isinstance(value, Tensor) and value.dtype in (torch.int64, torch.int32) and value.dim() > 0
            and all(type(length) is int for length in value.shape))  # fmt: skip


def _shape_of(index: Node | list[int]) -> torch.Size:
    return value_of(index).shape if isinstance(index, Node) else torch.Size([len(index)])


def _numbers_of(index: Node | list[int]) -> list[int] | None:
    if isinstance(index, list):
        return index
    if value_of(index).numel() > _MAX_NUMBERS or not _is_constant(index):
        return None
    with unset_fake_temporarily(), torch.no_grad():
        return _compute(index, {}).flatten().tolist()


_FROM_NUMBERS = {"arange", "tensor", "full", "zeros", "ones", "eye"}
_OF_CONSTANTS = {"view", "reshape", "flatten", "unsqueeze", "squeeze", "expand", "repeat", "t", "transpose", "permute",
                 "flip", "roll", "add", "sub", "mul", "mod", "remainder", "floordiv", "neg", "cat", "stack", "to",
                 "long", "contiguous", "clone"}  # fmt: skip


def _is_constant(node: Node) -> bool:
    """Whether a tensor follows from the program alone, and nothing changes it."""
    known = name_of(node) in (_OF_CONSTANTS if node.all_input_nodes else _FROM_NUMBERS)
    return known and node.op != "placeholder" and not any(changed_by(user) for user in node.users) and all(
        map(_is_constant, node.all_input_nodes))  # fmt: skip


def _compute(node: Node, known: dict[Node, Tensor]) -> Tensor:
    if node not in known:
        args, settings = map_arg((node.args, node.kwargs), lambda part: _compute(part, known))
        function = getattr(Tensor, node.target) if isinstance(node.target, str) else node.target
        known[node] = function(*args, **settings)
    return known[node]


def _runs_of(numbers: list[int]) -> list[tuple[int, int]]:
    """Consecutive numbers, as the first and how many."""
    runs = []
    for _, run in itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in run]
        runs.append((run[0], len(run)))
    return runs


def _join(graph: Graph, node: Node, x: Node, dim: int, runs: list[tuple[int, int]]) -> Node:
    with graph.inserting_before(node):
        parts = [call(graph, node, torch.narrow, x, dim, begin, length) for begin, length in runs]
        return call(graph, node, torch.cat, parts, dim)


def _compare(graph: Graph, node: Node, x: Node, dim: int, index: Node) -> Node:
    size, count, after = value_of(x).shape[dim], value_of(index).numel(), value_of(x).dim() - 1 - dim
    make = functools.partial(call, graph, node)
    with graph.inserting_before(node):
        columns = make(torch.arange, size, device=value_of(x).device)
        flat = make("reshape", index, count)
        # Wrong numbers are PyTorch's errors; brackets count negative ones from the end.
        numbers = (make(operator.getitem, columns, flat) if node.target is operator.getitem
                   else make("index_select", columns, 0, flat))  # fmt: skip
        is_it = make(operator.eq, make("unsqueeze", numbers, 1), columns)
        chosen = make(torch.where, make("view", is_it, count, size, *[1] * after), make("unsqueeze", x, dim), 0.0)
        return make("sum", chosen, dim + 1)

"""Products without dimensions of one; ``einsum`` of several tensors as products of two; and ``einsum`` and
``tensordot`` of weights alone, such as a decomposition into bases, as products of matrices."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.fx import Graph, Node

from ..expressions import is_symbolic
from ..functional import fake_mode, value_of
from .changes import name_of
from .emit import call


def drop_ones(graph: Graph) -> None:
    """``einsum("bnd,bdk->bnk", x, y)`` of batches of one is ``einsum("nd,dk->nk", x[0], y[0])[None]``; ``bilinear``
    of such rows is an ``einsum``, too."""
    for node in list(graph.nodes):
        operands = _operands_of(node)
        if node.target is F.bilinear:
            _drop_first_ones(graph, node)
        if node.target is not torch.einsum or not isinstance(node.args[0], str) or len(node.args) != len(operands) + 1:
            continue
        sources, arrow, result = node.args[0].replace(" ", "").partition("->")
        letters = sources.split(",")
        plain = arrow and (sources.replace(",", "") + result).isalpha() and len(letters) == len(operands) and all(
            len(set(of)) == len(of) == value_of(operand).dim() for of, operand in zip(letters, operands))
        if not plain:
            continue
        large = {letter for of, operand in zip(letters, operands)
                 for letter, size in zip(of, value_of(operand).shape) if not _is_one(size)}  # fmt: skip
        if all(large.issuperset(of) for of in letters) or not all(large.intersection(of) for of in letters):
            continue
        with graph.inserting_before(node):
            parts = [_squeeze(graph, node, operand, of, large) for of, operand in zip(letters, operands)]
            kept = ["".join(letter for letter in of if letter in large) for of in (*letters, result)]
            made = call(graph, node, torch.einsum, f"{','.join(kept[:-1])}->{kept[-1]}", *parts)
            for dim, letter in enumerate(result):
                made = made if letter in large else call(graph, node, "unsqueeze", made, dim)
        node.replace_all_uses_with(made)
        graph.erase_node(node)


def _drop_first_ones(graph: Graph, node: Node) -> None:
    x, y, weight, *bias = node.args
    ones = len(value_of(x).shape) - 2
    if ones < 1 or node.kwargs or not all(_is_one(size) for part in (x, y) for size in value_of(part).shape[:ones]):
        return
    with graph.inserting_before(node):
        for _ in range(ones):
            x, y = (call(graph, node, "squeeze", part, 0) for part in (x, y))
        made = call(graph, node, torch.einsum, "ni,oij,nj->no", x, weight, y)
        for added in bias:
            made = made if added is None else call(graph, node, operator.add, made, added)
        for _ in range(ones):
            made = call(graph, node, "unsqueeze", made, 0)
    node.replace_all_uses_with(made)
    graph.erase_node(node)


def _is_one(size: Any) -> bool:
    return type(size) is int and size == 1


def _squeeze(graph: Graph, node: Node, operand: Node, of: str, large: set[str]) -> Node:
    for dim, letter in reversed(list(enumerate(of))):
        operand = operand if letter in large else call(graph, node, "squeeze", operand, dim)
    return operand


def split_einsums(graph: Graph) -> None:
    """Multiplies three tensors or more two at a time, from the left, as PyTorch does."""
    for node in list(graph.nodes):
        operands = _operands_of(node)
        if node.target is not torch.einsum or len(operands) < 3 or len(node.args) != len(operands) + 1:
            continue
        sources, arrow, result = str(node.args[0]).replace(" ", "").partition("->")
        letters = sources.split(",")
        if not arrow or not (sources.replace(",", "") + result).isalpha() or len(letters) != len(operands):
            continue
        if any(value_of(operand).dtype != value_of(node).dtype for operand in operands):  # autocast converts them
            continue
        with graph.inserting_before(node), fake_mode(map(value_of, operands)):
            made, (product, *rest) = _Products(graph, node), operands
            of = letters[0]
            for number, (operand, letter) in enumerate(zip(rest, letters[1:]), start=2):
                later = set("".join(letters[number:]) + result)
                kept = result if number == len(letters) else "".join(
                    one for one in dict.fromkeys(of + letter) if one in later)  # fmt: skip
                product = made.call(torch.einsum, f"{of},{letter}->{kept}", product, operand)
                of = kept
            node.replace_all_uses_with(product)
        graph.erase_node(node)


def turn_twice(graph: Graph) -> None:
    """``x @ y`` of ``x`` ``[R, N]`` is ``x.t().t() @ y``: a sum over ``N`` nodes, whose rows are those of the first
    turn."""
    for node in list(graph.nodes):
        operands = _operands_of(node)
        if name_of(node) not in ("matmul", "mm", "__matmul__") or len(operands) != 2:
            continue
        x, y = map(value_of, operands)
        if x.dim() != 2 or y.dim() != 2 or not is_symbolic(x.shape[1]) or is_symbolic(x.shape[0]):
            continue
        if is_symbolic(y.shape[1]) or name_of(operands[0]) in ("t", "transpose", "permute", "getattr"):
            continue
        with graph.inserting_before(node):
            twice = call(graph, node, "t", call(graph, node, "t", operands[0]))
        node.args = (twice, *node.args[1:])


def write_products(graph: Graph) -> None:
    """Writes products of two tensors whose sizes are constants as products of matrices.

    Those of rows the compiler reads as they are.
    """
    for node in list(graph.nodes):
        operands, indices = _operands_of(node), _indices_of(node)
        if indices is None or not all(map(_is_constant, operands)) or not _is_plain(node, operands, indices):
            continue
        with graph.inserting_before(node), fake_mode(map(value_of, operands)):
            node.replace_all_uses_with(_Products(graph, node).multiply(*operands, *indices))
        graph.erase_node(node)


def _operands_of(node: Node) -> list[Node]:
    return [arg for arg in node.args if isinstance(arg, Node)]


def _is_constant(node: Node) -> bool:
    value = value_of(node)
    return isinstance(value, Tensor) and value.is_floating_point() and all(type(size) is int for size in value.shape)


def _is_plain(node: Node, operands: list[Node], indices: tuple[str, str, str]) -> bool:
    """Whether no size of 1 is repeated for another, and autocast leaves the dtype."""
    a, b = map(value_of, operands)
    sizes = dict(zip(indices[0], a.shape))
    fits = all(sizes.get(letter, size) == size for letter, size in zip(indices[1], b.shape))
    return fits and value_of(node).dtype == a.dtype


def _indices_of(node: Node) -> tuple[str, str, str] | None:
    """The letters of both operands and of the result; None for other products."""
    if node.target is torch.einsum and len(node.args) == 3 and isinstance(node.args[0], str):
        sources, arrow, result = node.args[0].replace(" ", "").partition("->")
        a, _, b = sources.partition(",")
        lone, both = set(a).symmetric_difference(b) - set(result), set(a).intersection(b)
        plain = arrow and (a + b + result).isalpha() and all(len(set(part)) == len(part) for part in (a, b, result))
        is_batched = both - set(result) and both.intersection(result)  # the compiler has no such product of weights
        return (a, b, result) if plain and not lone and not is_batched else None
    if node.target is torch.tensordot and len(node.args) == 3 and isinstance(node.args[2], int):
        ranks = [value_of(operand).dim() for operand in _operands_of(node)]
        if len(ranks) < 2 or min(ranks) < node.args[2]:
            return None
        letters = "".join(map(chr, range(ord("a"), ord("a") + sum(ranks) - node.args[2])))
        inner = letters[ranks[0] - node.args[2] : ranks[0]]
        return letters[: ranks[0]], letters[ranks[0] - node.args[2] :], letters.replace(inner, "") if inner else letters
    return None


class _Products:
    """Nodes in the place of another."""

    def __init__(self, graph: Graph, instead: Node):
        self._graph, self._meta, self._wants = graph, instead.meta, value_of(instead).requires_grad

    def multiply(self, a: Node, b: Node, of_a: str, of_b: str, of_result: str) -> Node:
        batch = [letter for letter in of_a if letter in of_b and letter in of_result]
        inner = [letter for letter in of_a if letter in of_b and letter not in of_result]
        left, right = ([letter for letter in of if letter not in other] for of, other in ((of_a, of_b), (of_b, of_a)))
        sizes = dict(zip(of_a + of_b, (*value_of(a).shape, *value_of(b).shape)))
        product = self.call(torch.matmul if inner else torch.mul, self._arrange(a, of_a, sizes, batch, left, inner),
                             self._arrange(b, of_b, sizes, batch, inner, right))  # fmt: skip
        made = [*batch, *left, *right]
        spread = self.call(torch.reshape, product, [sizes[letter] for letter in made])
        return self.call(torch.permute, spread, [made.index(letter) for letter in of_result])

    def _arrange(self, operand: Node, of: str, sizes: dict[str, int], *groups: list[str]) -> Node:
        """The operand as a matrix, or several, whose dimensions are groups of its own."""
        order = [of.index(letter) for group in groups for letter in group]
        shape = [math.prod(sizes[letter] for letter in group) for group in groups if group is not groups[0] or group]
        return self.call(torch.reshape, self.call(torch.permute, operand, order), shape)

    def call(self, function: Callable, *args: Any) -> Node:
        made = self._graph.call_function(function, args)
        value = function(*(value_of(arg) if isinstance(arg, Node) else arg for arg in args))
        made.meta = {**self._meta, "example_value": value if self._wants else value.detach()}
        return made

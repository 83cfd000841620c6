"""Weights that several types pick, ``w[e.src.ntype, e.etype]``: edges get types that stand for all of these.

Each weight that edges pick becomes a table with an entry for each such type, and the graph's list of types is made of
the caller's lists once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from .places import refuse
from .program import Element, Program, Value, operands_of, used_values

_FIELDS = ("etype", "src", "dst")


def field_of(element: Element, of_edge: bool, loop: Any) -> str:
    """Which of an edge's types a key is: its own, or that of an end."""
    return "etype" if of_edge else element.end or loop.origin


@dataclass(frozen=True)
class Joint:
    """Types of edges that stand for several.

    Attributes:
        sizes: how many types of each kind there are, by kind, the last one counting fastest.
        tables: of each table, the place of a weight in the program, and the kinds that pick its entries.
    """

    sizes: dict[str, int]
    tables: list[tuple[int, tuple[str, ...]]]

    @property
    def count(self) -> int:
        return math.prod(self.sizes.values())

    def part(self, types: Tensor, kind: str) -> Tensor:
        """The types of one kind."""
        later = list(self.sizes)[list(self.sizes).index(kind) + 1 :]
        return types // math.prod(self.sizes[other] for other in later) % self.sizes[kind]

    def join(self, parts: dict[str, Tensor]) -> Tensor:
        """The types of edges, given those of each kind, int64."""
        return join([parts[kind].long() for kind in self.sizes], list(self.sizes.values()))

    @property
    def picks(self) -> list[tuple[tuple[str, ...], tuple[int, ...]]]:
        """The kinds of types that pick entries together, and how many there are of each."""
        kinds = dict.fromkeys(kinds for _, kinds in self.tables if len(kinds) > 1)
        return [(own, tuple(self.sizes[kind] for kind in own)) for own in kinds]

    def expand(self, weights: list[Tensor]) -> list[Tensor]:
        """The tables, made of the weights of a call."""
        found = []
        for place, kinds in self.tables:
            weight = weights[place]
            types = torch.arange(self.count, device=weight.device)
            numbers = torch.zeros_like(types)
            for kind in kinds:
                numbers = numbers * self.sizes[kind] + self.part(types, kind)
            found.append(weight.flatten(0, len(kinds) - 1).index_select(0, numbers))
        return found


def join(types: Sequence[Tensor], sizes: Sequence[int]) -> Tensor:
    """Numbers of the entries that several types pick of a table ``[*sizes, ...]``, flattened."""
    numbers, *rest = types
    for own, size in zip(rest, sizes[1:]):
        numbers = numbers * size + own
    return numbers


def kinds_of(value: Value) -> tuple[str, ...]:
    """What picks an entry that edges have; nothing where a node's type does."""
    if value.table is None or not value.element.is_edge:
        return ()
    return tuple(field_of(element, of_edge, value.element.loop) for element, of_edge in value.keys)


def find_joint(program: Program, types: dict[bool, int]) -> Joint | None:
    """The types that a program's edges need; None where their own are enough.

    Args:
        program: the program, whose weights that several types pick are arguments.
        types: how many types edges (True) and nodes have.

    Raises:
        LanguageError: types pick entries of what is computed of weights, beside weights that several types pick.
    """
    used = used_values(program)
    picked = {operand: statement.place for statement in program.statements() for operand in operands_of(statement)
              if isinstance(operand, Value) and operand in used and kinds_of(operand)}  # fmt: skip
    if not any(len(value.keys) > 1 for value in picked):
        return None
    kinds = {kind for value in picked for kind in kinds_of(value)}
    sizes = {kind: types[kind == "etype"] for kind in _FIELDS if kind in kinds}
    places = list(program.weights.values())
    for value, place in picked.items():
        if value.table not in places:
            refuse("a type picks an entry of what is computed, and elsewhere several types pick one of a weight: "
                   "expected it to pick entries of arguments, and what is computed behind that", place)  # fmt: skip
    return Joint(sizes, list(dict.fromkeys((places.index(value.table), kinds_of(value)) for value in picked)))

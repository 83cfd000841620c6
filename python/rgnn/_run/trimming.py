"""Edges and rows that the first rows of a call's nodes depend on, where a result depends on no others."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from .._errors import InputError
from . import graphs

_MAX_KEPT = 16  # calls whose lists are known; the oldest go


@dataclass(frozen=True)
class List:
    """Nodes that edges have at one end: an input of a region, or a row of one."""

    position: int
    end: int | None

    def of(self, tensors: list[Tensor]) -> Tensor:
        tensor = tensors[self.position]
        return tensor if self.end is None else tensor[self.end]


@dataclass(frozen=True)
class Size:
    """A number of nodes: the sum of sizes of inputs, by position and dimension, and of a constant."""

    sizes: tuple[tuple[int, int], ...]
    constant: int = 0

    def of(self, tensors: list[Tensor]) -> int:
        return self.constant + sum([tensors[position].shape[dim] for position, dim in self.sizes])


@dataclass(frozen=True)
class Prefix:
    """The first nodes of a type, as many as all who ask for some of them need.

    Attributes:
        counts: numbers of rows that are asked for.
        sources: lists of the nodes that edges start from, and the numbers of the cuts that leave these edges.
    """

    counts: frozenset[Size]
    sources: frozenset[tuple[List, int]] = frozenset()


@dataclass(frozen=True)
class Cut:
    """The edges whose ends are in a prefix."""

    ends: List
    prefix: int


@dataclass
class Trimming:
    """Computes lists for a region: of what is left, given the inputs of the region.

    Attributes:
        prefixes, cuts: what others refer to by its number.
        sizes: of each list that is cut or read behind a cut, how many nodes, or types, it counts.
        limits: numbers of rows that are asked for, and how many there are.
        made: what the region reads behind its other inputs: the rows of a prefix (``"rows"``, number), the edges of a
            cut (``"edges"``, number), or an input at those edges (``"input"``, number of the cut, position).
    """

    prefixes: list[Prefix] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    sizes: dict[List, set[Size]] = field(default_factory=dict)
    limits: set[tuple[Size, Size]] = field(default_factory=set)
    made: list[tuple] = field(default_factory=list)

    def __post_init__(self):
        self._kept: graphs.Cache = {}

    def __call__(self, tensors: list[Tensor]) -> list[Tensor]:
        """The lists, the same ones for the same inputs; an input itself where none of its edges is left out.

        Raises:
            InputError: an index is out of range, of an edge that is left out as well.
        """
        sources = [tensors[position] for position in sorted({one.position for one in self.sizes})]
        sizes = dict.fromkeys(size for sizes in self.sizes.values() for size in sizes)
        sizes |= dict.fromkeys(size for limit in self.limits for size in limit)
        key = (*(size.of(tensors) for size in sizes), *map(id, sources))
        found = graphs.lookup(self._kept, key, sources)
        if found is None:
            with torch.inference_mode(False), torch.no_grad():
                found = self._make(tensors)
            for other in list(self._kept)[: 1 - _MAX_KEPT]:
                self._kept.pop(other, None)
            graphs.keep(self._kept, key, sources, found)
        return [tensors[one] if isinstance(one, int) else one for one in found]

    def _make(self, tensors: list[Tensor]) -> list[Tensor | int]:
        """The lists; in the place of an input itself, which would live as long as what is kept, its position."""
        for count, size in self.limits:
            if count.of(tensors) > size.of(tensors):
                raise InputError(f"expected at most {size.of(tensors)} rows to be picked, got {count.of(tensors)}")
        return _Call(self, tensors).make()


class _Call:
    """What is left in one call. Prefixes and cuts only refer to those in front of them."""

    def __init__(self, trimming: Trimming, tensors: list[Tensor]):
        self._trimming, self._tensors = trimming, tensors
        self._greatest = {position: _check(tensors[position], ends) for position, ends in self._ranges().items()}
        self._counts: dict[int, int] = {}
        self._edges: dict[int, Tensor | None] = {}  # of cuts; None for all
        self._inputs: dict[tuple[int, int], Tensor] = {}

    def make(self) -> list[Tensor | int]:
        return [self._make(*wanted) for wanted in self._trimming.made]

    def _ranges(self) -> dict[int, dict[int, int]]:
        """Of each input that has lists, how many nodes each of its lists counts."""
        ranges: dict[int, dict[int, int]] = {}
        for one, sizes in self._trimming.sizes.items():
            ranges.setdefault(one.position, {})[one.end or 0] = min(size.of(self._tensors) for size in sizes)
        return ranges

    def _make(self, kind: str, number: int, position: int = 0) -> Tensor | int:
        if kind == "rows":
            return torch.arange(self._count(number), device=self._tensors[next(iter(self._greatest))].device)
        edges = self._edges_of(number)
        if kind == "input":
            return position if edges is None else self._input_at(number, position)
        ends = self._trimming.cuts[number].ends.of(self._tensors)
        return torch.arange(ends.shape[0], device=ends.device) if edges is None else edges

    def _count(self, number: int) -> int:
        """How many nodes a prefix has."""
        if number not in self._counts:
            prefix = self._trimming.prefixes[number]
            counts = [size.of(self._tensors) for size in prefix.counts]
            self._counts[number] = max([*counts, *(self._greatest_at(cut, one) + 1 for one, cut in prefix.sources)])
        return self._counts[number]

    def _greatest_at(self, number: int, nodes: List) -> int:
        """The greatest number of a node in a list, of the edges that a cut leaves."""
        if self._edges_of(number) is None:
            return self._greatest[nodes.position][nodes.end or 0]
        left = self._input_at(number, nodes.position)
        left = left if nodes.end is None else left[nodes.end]
        return int(left.max()) if left.numel() else -1

    def _edges_of(self, number: int) -> Tensor | None:
        if number not in self._edges:
            cut = self._trimming.cuts[number]
            count = self._count(cut.prefix)
            are_all = self._greatest[cut.ends.position][cut.ends.end or 0] < count
            self._edges[number] = None if are_all else (cut.ends.of(self._tensors) < count).nonzero().view(-1)
        return self._edges[number]

    def _input_at(self, number: int, position: int) -> Tensor:
        if (number, position) not in self._inputs:
            self._inputs[number, position] = self._tensors[position].index_select(-1, self._edges_of(number))
        return self._inputs[number, position]


def _check(lists: Tensor, counts: dict[int, int]) -> list[int]:
    """The greatest number of a node in each list, of as many nodes as ``counts`` has for it."""
    lists = lists if lists.dim() == 2 else lists.unsqueeze(0)
    if lists.shape[1] == 0:
        return [-1] * len(lists)
    least, greatest = (found.tolist() for found in torch.aminmax(lists, dim=1))
    for end, count in counts.items():
        if least[end] < 0 or greatest[end] >= count:
            wrong = least[end] if least[end] < 0 else greatest[end]
            raise InputError(f"expected numbers in [0, {count}), got {wrong}")
    return greatest

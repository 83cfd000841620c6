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
    """A number of nodes: the size of an input, or a constant."""

    position: int | None
    value: int

    def of(self, tensors: list[Tensor]) -> int:
        return self.value if self.position is None else tensors[self.position].shape[self.value]


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
        sizes: of each list that is cut or read behind a cut, how many nodes it counts.
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
        """The lists, the same ones for the same inputs.

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
        return found

    def _make(self, tensors: list[Tensor]) -> list[Tensor]:
        return _Call(self, tensors).make()


class _Call:
    """What is left in one call. Prefixes and cuts only refer to those in front of them."""

    def __init__(self, trimming: Trimming, tensors: list[Tensor]):
        self._trimming, self._tensors = trimming, tensors
        for count, size in trimming.limits:
            if count.of(tensors) > size.of(tensors):
                raise InputError(f"expected at most {size.of(tensors)} rows to be picked, got {count.of(tensors)}")
        for one, sizes in trimming.sizes.items():
            _check(one.of(tensors), min(size.of(tensors) for size in sizes))
        self._edges: dict[int, Tensor | None] = {}  # of cuts; None for all
        self._inputs: dict[tuple[int, int], Tensor] = {}

    def make(self) -> list[Tensor]:
        return [self._make(*wanted) for wanted in self._trimming.made]

    def _make(self, kind: str, number: int, position: int = 0) -> Tensor:
        device = self._tensors[next(iter(self._trimming.sizes)).position].device
        if kind == "rows":
            return torch.arange(self._count(number), device=device)
        if kind == "input":
            return self._input_at(number, position)
        edges = self._edges_of(number)
        return edges if edges is not None else torch.arange(self._ends(number).shape[0], device=device)

    def _count(self, number: int) -> int:
        prefix = self._trimming.prefixes[number]
        count = max((size.of(self._tensors) for size in prefix.counts), default=0)
        for one, cut in prefix.sources:
            left = self._input_at(cut, one.position)
            left = left if one.end is None else left[one.end]
            if left.numel():
                count = max(count, int(left.max()) + 1)
        return count

    def _ends(self, number: int) -> Tensor:
        return self._trimming.cuts[number].ends.of(self._tensors)

    def _edges_of(self, number: int) -> Tensor | None:
        if number not in self._edges:
            is_left = self._ends(number) < self._count(self._trimming.cuts[number].prefix)
            edges = is_left.nonzero().view(-1)
            self._edges[number] = None if edges.shape == is_left.shape else edges
        return self._edges[number]

    def _input_at(self, number: int, position: int) -> Tensor:
        if (number, position) not in self._inputs:
            edges, given = self._edges_of(number), self._tensors[position]
            self._inputs[number, position] = given if edges is None else given.index_select(-1, edges)
        return self._inputs[number, position]


def _check(indices: Tensor, count: int) -> None:
    if indices.numel() == 0:
        return
    least, greatest = (int(number) for number in torch.aminmax(indices))
    if least < 0 or greatest >= count:
        wrong = least if least < 0 else greatest
        raise InputError(f"expected numbers of nodes in [0, {count}), got {wrong}")

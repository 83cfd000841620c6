"""What a graph is: node types with a number of nodes each, and edge types with a list of edges each.

Numbers of nodes are kept as the sizes of tensors without columns, and lists of edges as ``[2, E]``: what is captured of
a model then takes all sizes for sizes, and holds for graphs of any.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import segments
from .base import DGLError

EdgeType = tuple[str, str, str]


class Structure:
    """Types, sizes and edges of a graph; a part of :class:`rgnn.dgl.DGLGraph`."""

    def __init__(
        self, ntypes: Sequence[str] = (), canonical: Sequence[EdgeType] = (), ends: Sequence[tuple[int, int]] = (),
        edges: Sequence[Tensor] = (), sizes: Sequence[int] = (), block: int | None = None,
    ):  # fmt: skip
        """Takes a graph as its parts; see :func:`rgnn.dgl.graph`, :func:`rgnn.dgl.heterograph` for what users give.

        Args:
            ntypes: the names of the node types; of a block, those of sources first, then those of destinations.
            canonical: the edge types, as names.
            ends: of each edge type, the numbers of its source and destination types.
            edges: of each edge type, ``[2, E]`` sources and destinations, int64 or int32.
            sizes: the number of nodes of each node type.
            block: of a block, how many of ``ntypes`` are those of sources.
        """
        if not ntypes:
            raise DGLError("expected rgnn.dgl.graph((src, dst), num_nodes=n), or rgnn.dgl.heterograph, got DGLGraph()")
        self._ntypes, self._canonical, self._ends = list(ntypes), list(canonical), list(ends)
        self._edges = list(edges)
        self._rows = [edges[0].new_empty((size, 0)) for size in sizes]
        self._block = block
        self._node_frames: list[dict[str, Tensor]] = [{} for _ in ntypes]
        self._edge_frames: list[dict[str, Tensor]] = [{} for _ in canonical]
        self._type_frames: tuple[dict[str, Tensor], dict[str, Tensor]] = ({}, {})
        self._batch: tuple[dict, dict] | None = None
        self._unreached = [_some_unreached(own, sizes[target]) for own, (_, target) in zip(edges, ends)]
        sources, destinations = _sides(len(self._ntypes), self._ends, block)
        self._sources = {self._ntypes[number]: number for number in sources}
        self._destinations = {self._ntypes[number]: number for number in destinations}

    # Types

    @property
    def ntypes(self) -> list[str]:
        """The names of the node types; of a block, those of sources, then those of destinations."""
        return self._ntypes

    @property
    def etypes(self) -> list[str]:
        """The names of the edge types, without those of their ends."""
        return [name for _, name, _ in self._canonical]

    @property
    def canonical_etypes(self) -> list[EdgeType]:
        """The edge types as (source type, name, destination type)."""
        return self._canonical

    @property
    def srctypes(self) -> list[str]:
        """The node types that edges lead from, where no type is both; else all."""
        return list(self._sources)

    @property
    def dsttypes(self) -> list[str]:
        """The node types that edges lead to, where no type is both; else all."""
        return list(self._destinations)

    @property
    def is_homogeneous(self) -> bool:
        """Whether there is one node type and one edge type."""
        return len(self._ntypes) == 1 and len(self._canonical) == 1

    @property
    def is_block(self) -> bool:
        """Whether this is a block: nodes of a type as sources, and as destinations, are apart."""
        return self._block is not None

    @property
    def is_unibipartite(self) -> bool:
        """Whether all edges lead from one set of node types to another."""
        return self._block is not None or len(self._sources) < len(self._ntypes) or not self._ntypes

    def get_ntype_id(self, ntype: str | None) -> int:
        """The number of a node type; of the only one for None. ``"SRC/x"`` and ``"DST/x"`` are sides of a block."""
        side, _, name = (ntype or "").partition("/")
        if self.is_block and name and side in ("SRC", "DST"):
            return self.get_ntype_id_from_src(name) if side == "SRC" else self.get_ntype_id_from_dst(name)
        numbers = {**self._destinations, **self._sources}
        if ntype is None and len(self._ntypes) == 1:
            return 0
        return self._type_number(ntype, numbers, "name one")

    def get_ntype_id_from_src(self, ntype: str | None) -> int:
        """The number of a node type among those of sources; of the only one for None."""
        return self._type_number(ntype, self._sources, "name one of the sources'")

    def get_ntype_id_from_dst(self, ntype: str | None) -> int:
        """The number of a node type among those of destinations; of the only one for None."""
        return self._type_number(ntype, self._destinations, "name one of the destinations'")

    def _type_number(self, ntype: str | None, numbers: dict[str, int], hint: str) -> int:
        if ntype is None:
            if len(numbers) != 1:
                hint = hint or "name one"
                raise DGLError(f"expected the name of a node type, since the graph has several ({', '.join(numbers)}): "
                               f"{hint}")  # fmt: skip
            return next(iter(numbers.values()))
        if ntype not in numbers:
            raise DGLError(f"expected one of the node types {', '.join(numbers)}, got {ntype!r}")
        return numbers[ntype]

    def get_etype_id(self, etype: str | EdgeType | None) -> int:
        """The number of an edge type, by name or (source type, name, destination type); of the only one for None."""
        found = self._find_etypes(etype)
        if len(found) != 1:
            names = ", ".join(map(str, self._canonical))
            came = "none" if etype is None else repr(etype)
            raise DGLError(f"expected an edge type that is one of {names}, got {came}"
                           + ("" if not found else f", which may be each of {len(found)}"))  # fmt: skip
        return found[0]

    def _find_etypes(self, etype: Any) -> list[int]:
        """The numbers of the edge types that a name, or three of which some are ``:``, may mean."""
        every = range(len(self._canonical))
        if etype is None:
            return list(every)
        if isinstance(etype, tuple):
            if len(etype) != 3:
                raise DGLError(f"expected an edge type as (source type, name, destination type), got {etype!r}")
            wanted = [None if isinstance(part, slice) else part for part in etype]
            pairs = [(number, zip(wanted, self._canonical[number])) for number in every]
            return [number for number, parts in pairs if all([want is None or want == own for want, own in parts])]
        return [number for number in every if self._canonical[number][1] == etype]

    def to_canonical_etype(self, etype: str | EdgeType | None) -> EdgeType:
        """An edge type as (source type, name, destination type)."""
        return self._canonical[self.get_etype_id(etype)]

    # Sizes

    def _size(self, number: int) -> int:
        return self._rows[number].shape[0]

    def _sizes_of(self, ntype: str | None, numbers: dict[str, int]) -> int:
        if ntype is None:
            return sum([self._size(number) for number in numbers.values()])
        return self._size(self._type_number(ntype, numbers, ""))

    def num_nodes(self, ntype: str | None = None) -> int:
        """The number of nodes of a type (of a block, that of sources where both have it); of all for None."""
        if ntype is None:
            return sum([self._size(number) for number in range(len(self._ntypes))])
        return self._size(self.get_ntype_id(ntype))

    def num_src_nodes(self, ntype: str | None = None) -> int:
        """The number of nodes that edges may lead from, of a type; of all for None."""
        return self._sizes_of(ntype, self._sources)

    def num_dst_nodes(self, ntype: str | None = None) -> int:
        """The number of nodes that edges may lead to, of a type; of all for None."""
        return self._sizes_of(ntype, self._destinations)

    def num_edges(self, etype: str | EdgeType | None = None) -> int:
        """The number of edges of a type; of all for None."""
        if etype is None:
            return sum([edges.shape[1] for edges in self._edges])
        return self._edges[self.get_etype_id(etype)].shape[1]

    number_of_nodes, number_of_edges = num_nodes, num_edges
    number_of_src_nodes, number_of_dst_nodes = num_src_nodes, num_dst_nodes

    # Where it is

    @property
    def device(self) -> torch.device:
        """Where the lists of edges are."""
        return self._edges[0].device

    @property
    def idtype(self) -> torch.dtype:
        """The dtype of numbers of nodes and edges: int64 or int32."""
        return self._edges[0].dtype

    def _source(self, number: int) -> Tensor:
        """The sources of an edge type, int64."""
        return self._edges[number][0].long()

    def _destination(self, number: int) -> Tensor:
        """The destinations of an edge type, int64."""
        return self._edges[number][1].long()

    def _both_ends(self, number: int) -> tuple[Tensor, Tensor]:
        """The sources and the destinations. What is captured reads the same lists as long as these are passed on."""
        return self._source(number), self._destination(number)

    def _sides_sizes(self, number: int) -> tuple[int, int]:
        """The numbers of nodes of the source and the destination type of an edge type."""
        source, destination = self._ends[number]
        return self._size(source), self._size(destination)


def _some_unreached(edges: Tensor, size: int) -> bool | None:
    """Whether there are nodes that no edge leads to.

    It is noted when a graph is made, so that a capture holds for graphs with the same answer. Of a graph that a model
    makes while it is captured, only data would say: None.
    """
    if torch.compiler.is_compiling():
        return None
    return bool((segments.count(edges[1].long(), size) == 0).any())


def _sides(count: int, ends: list[tuple[int, int]], block: int | None) -> tuple[list[int], list[int]]:
    """The node types that edges lead from, and those that they lead to, where these are apart; else all, twice."""
    if block is not None:
        return list(range(block)), list(range(block, count))
    sources, destinations = {source for source, _ in ends}, {destination for _, destination in ends}
    if sources & destinations or not ends:
        return list(range(count)), list(range(count))
    return [number for number in range(count) if number not in destinations], sorted(destinations)

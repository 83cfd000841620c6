"""Graph views built by PyTorch's operators, on the device that the edges are on: the same numbers as the runtime builds
for processors. ``include/RGNN/Support/GraphViews.def`` says what each view is.

Views are kept as int32, and so are edges: on large graphs they take as much memory as a layer's rows. Keys of a node
and a type may not fit it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable

import torch
from torch import Tensor

from .._errors import InputError

_makers: dict[str, tuple[Callable[[ViewBuilder], tuple[Tensor, ...]], tuple[str, ...]]] = {}


def _makes(*names: str):
    """Says which views a method makes, in the order in which it returns them."""

    def register(method):
        _makers.update(dict.fromkeys(names, (method, names)))
        return method

    return register


class ViewBuilder:
    """The views of one graph.

    Args:
        edges: ``[2, E]`` integers, one tensor with global node indices, or one for each edge type; or ``[E]``: sources
            and destinations, or one that is both.
        types: ``[E]`` integers, or None where ``edges`` are by type.
        num_types: number of edge types.
        num_nodes: of each node type; nodes are numbered type by type.
        src_types, dst_types: the node types that each of ``edges`` connects, whose indices count within these; empty
            where indices are global.
        bipartite: whether ``num_nodes`` has the numbers of sources and of destinations, which the two ends count.

    Attributes:
        in_range: whether all indices and types are those of nodes and edge types. Views are only built if so.
    """

    def __init__(self, edges: list[Tensor], types: Tensor | None, num_types: int, num_nodes: tuple[int, ...],
                 src_types: tuple[int, ...] = (), dst_types: tuple[int, ...] = (),
                 bipartite: bool = False):  # fmt: skip
        self._device = edges[0].device
        if edges[0].dim() == 1:
            edges = [torch.stack((edges[0], edges[-1]))]
        self._num_nodes, self._num_types = num_nodes, num_types
        self._nodes, self._edges = sum(num_nodes), sum(e.shape[1] for e in edges)
        self._num_src, self._num_dst = num_nodes if bipartite else (self._nodes, self._nodes)
        self._first_nodes = [sum(num_nodes[:i]) for i in range(len(num_nodes) + 1)]
        self._made: dict[tuple[str, int], Tensor] = {}
        self._num_whole_edges: int | None = None  # of a part: the number of edges of the graph
        self._parts: dict[str, ViewBuilder] = {}
        outside = torch.zeros((), dtype=torch.bool, device=self._device)
        rows = []
        for end, of_type in enumerate((src_types, dst_types)):
            parts = []
            for number, edge_index in enumerate(edges):
                first, count = (self._first_nodes[of_type[number]], num_nodes[of_type[number]]) if of_type else (
                    0, (self._num_src, self._num_dst)[end])  # fmt: skip
                indices = edge_index[end].long()
                outside |= ((indices < 0) | (indices >= count)).any()
                parts.append((indices + first).int())
            rows.append(torch.cat(parts))
        self._src, self._dst = rows
        if types is not None:
            outside |= ((types < 0) | (types >= num_types)).any()
            self._type = types.int()
        else:
            counts = torch.tensor([e.shape[1] for e in edges], device=self._device)
            numbers = self._range(len(edges)) if len(edges) > 1 else self._range(1)
            self._type = numbers.int().repeat_interleave(counts, output_size=self._edges)
        self.in_range = not outside.item()

    def __call__(self, kind: str, param: int = 0) -> Tensor:
        """A view as contiguous int32; ``param`` is the number of rows of tiles."""
        return self._tiles(kind, param).int() if kind.endswith("_tiles") else self._get(kind)

    def part(self, name: str) -> ViewBuilder:
        """The builder of the views of a part: ``"src"`` or ``"dst"``, or of this graph, ``"whole"``."""
        if name == "whole":
            return self
        if not self._parts:
            fewer_sources = self._unique_ends(self._get("src_of_edge")) <= self._unique_ends(self._get("dst_of_edge"))
            in_src = fewer_sources[self._get("etype_of_edge")]
            self._parts = {"src": self._make_part(in_src), "dst": self._make_part(~in_src)}
        return self._parts[name]

    def _make_part(self, is_in: Tensor) -> ViewBuilder:
        """Its edges are in the order of their positions here, so that what is by position needs no sorting."""
        positions = is_in.nonzero().flatten()
        part = copy.copy(self)
        part._parts, part._edges, part._num_whole_edges = {}, len(positions), self._edges
        views = {kind: self._get(kind)[positions] for kind in ("src_of_edge", "dst_of_edge", "etype_of_edge")}
        views |= {"whole_edge": positions, "edge_id": self._range(len(positions)),
                  "dst_offsets": self._offsets(views["dst_of_edge"], self._num_dst)}  # fmt: skip
        part._made = {(kind, 0): view.int().contiguous() for kind, view in views.items()}
        return part

    def _unique_ends(self, ends: Tensor) -> Tensor:
        """Of each edge type, how many different ends its edges have."""
        keys = self._get("etype_of_edge").long() * self._nodes + ends
        return torch.bincount(torch.unique(keys) // max(self._nodes, 1), minlength=self._num_types)

    def _get(self, name: str) -> Tensor:
        """A view as int32, kept, with those that are made with it."""
        if (name, 0) not in self._made:
            maker, names = _makers[name]
            for other, view in zip(names, maker(self), strict=True):
                self._made[other, 0] = view.int().contiguous()
        return self._made[name, 0]

    def _range(self, count: int) -> Tensor:
        return torch.arange(count, device=self._device)

    def _offsets(self, keys: Tensor, count: int) -> Tensor:
        """Where each of ``count`` keys, and the end, begins among sorted ones."""
        return torch.searchsorted(keys, torch.arange(count + 1, dtype=keys.dtype, device=self._device))

    def _table(self, edges: Tensor, ends: Tensor) -> Tensor:
        """Where each pair of an edge type and an end begins in a list of edges that is sorted by them."""
        keys = self._get("etype_of_edge")[edges].long() * self._nodes + ends[edges]
        return self._offsets(keys, self._num_types * self._nodes)

    def _tiles(self, kind: str, rows: int) -> Tensor:
        """(type, begin, end) of ranges of at most ``rows`` rows."""
        of = kind.removesuffix("_tiles")
        offsets = self._get({"etype": "etype_offsets", "ntype": "ntype_offsets"}.get(of, f"{of}_etype_offsets")).long()
        step = min(rows, self._edges + self._nodes + 1)
        tiles = (offsets.diff() + step - 1) // step
        types = self._range(len(tiles)).repeat_interleave(tiles)
        begin = offsets[types] + step * (self._range(len(types)) - (tiles.cumsum(0) - tiles)[types])
        return torch.stack([types, begin, torch.minimum(begin + step, offsets[types + 1])], dim=1)

    @_makes("edge_id", "dst_of_edge", "src_of_edge", "etype_of_edge", "dst_offsets")
    def _order(self) -> tuple[Tensor, ...]:
        _, ids = torch.sort(self._dst.long() * self._num_types + self._type, stable=True)
        dst = self._dst[ids]
        return ids, dst, self._src[ids], self._type[ids], self._offsets(dst, self._num_dst)

    @_makes("edge_position")
    def _positions(self) -> tuple[Tensor, ...]:
        return (_inverse(self._get("edge_id")),)

    @_makes("src_of_id", "dst_of_id", "etype_of_id")
    def _by_id(self) -> tuple[Tensor, ...]:
        positions = self._get("edge_position")
        return tuple([self._get(f"{what}_of_edge")[positions] for what in ("src", "dst", "etype")])

    @_makes("dst_pair_of_edge", "dst_pair_offsets")
    def _dst_runs(self) -> tuple[Tensor, ...]:
        firsts, run = _runs(self._get("dst_of_edge").long() * self._num_types + self._get("etype_of_edge"))
        return run, torch.cat([firsts, torch.full((1,), self._edges, device=self._device)])

    @_makes("dst_pair_runs", "dst_pair_node", "dst_pair_etype", "dst_pair_etype_offsets", "dst_pair_rank",
            "dst_pair_dst_offsets")  # fmt: skip
    def _dst_pairs(self) -> tuple[Tensor, ...]:
        firsts = self._get("dst_pair_offsets")[:-1]
        node, etype = self._get("dst_of_edge")[firsts], self._get("etype_of_edge")[firsts]
        etypes, runs = torch.sort(etype, stable=True)
        return (runs, node[runs], etypes, self._offsets(etypes, self._num_types), _inverse(runs),
                self._offsets(node, self._num_dst))  # fmt: skip

    @_makes("etype_edges", "etype_offsets", "etype_src", "etype_dst", "etype_edge_id")
    def _by_etype(self) -> tuple[Tensor, ...]:
        etypes, positions = torch.sort(self._get("etype_of_edge"), stable=True)
        return (positions, self._offsets(etypes, self._num_types), self._get("src_of_edge")[positions],
                self._get("dst_of_edge")[positions], self._get("edge_id")[positions])  # fmt: skip

    @_makes("ntype_of_node", "ntype_offsets")
    def _by_ntype(self) -> tuple[Tensor, ...]:
        counts = torch.tensor(self._num_nodes, device=self._device)
        types = self._range(len(self._num_nodes)).repeat_interleave(counts, output_size=self._nodes)
        return types, torch.tensor(self._first_nodes, device=self._device)

    @_makes("src_edges", "src_offsets")
    def _by_src(self) -> tuple[Tensor, ...]:
        src, positions = torch.sort(self._get("src_of_edge"), stable=True)
        return positions, self._offsets(src, self._num_src)

    @_makes("src_pair_of_edge", "src_pair_node", "src_pair_etype", "src_pair_etype_offsets", "src_pair_edges",
            "src_pair_offsets", "src_pair_src_pairs", "src_pair_src_offsets")  # fmt: skip
    def _src_pairs(self) -> tuple[Tensor, ...]:
        src, etype = self._get("src_of_edge"), self._get("etype_of_edge")
        keys, positions = torch.sort(etype.long() * self._nodes + src, stable=True)
        firsts, pair = _runs(keys)
        node, etypes = src[positions][firsts], etype[positions][firsts]
        nodes, pairs = torch.sort(node, stable=True)
        end = torch.full((1,), self._edges, device=self._device)
        return (torch.empty_like(pair).scatter_(0, positions, pair), node, etypes,
                self._offsets(etypes, self._num_types), positions, torch.cat([firsts, end]), pairs,
                self._offsets(nodes, self._num_src))  # fmt: skip

    @_makes("src_table_offsets")
    def _src_table(self) -> tuple[Tensor, ...]:
        """Alone: a row for each pair of a type and a node may be more than all the rest."""
        return (self._table(self._get("src_pair_edges"), self._get("src_of_edge")),)

    @_makes("dst_table_offsets")
    def _dst_table(self) -> tuple[Tensor, ...]:
        return (self._table(self._get("etype_edges"), self._get("dst_of_edge")),)

    @_makes("whole_edge")
    def _whole_edge(self) -> tuple[Tensor, ...]:  # a part is made with them
        raise InputError("whole_edge: expected a part of a graph, got a whole one")

    @_makes("whole_offsets")
    def _whole_offsets(self) -> tuple[Tensor, ...]:
        if self._num_whole_edges is None:
            raise InputError("whole_offsets: expected a part of a graph, got a whole one")
        return (self._offsets(self._get("whole_edge"), self._num_whole_edges),)


def _runs(keys: Tensor) -> tuple[Tensor, Tensor]:
    """Of sorted keys, the first place of each, and the number of the key at each place."""
    is_first = torch.ones_like(keys, dtype=torch.bool)
    is_first[1:] = keys[1:] != keys[:-1]
    return is_first.nonzero().flatten(), is_first.cumsum(0) - 1


def _inverse(order: Tensor) -> Tensor:
    places = torch.arange(len(order), dtype=torch.int32, device=order.device)
    return torch.empty_like(places).scatter_(0, order.long(), places)

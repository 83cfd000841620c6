"""Questions about the nodes and edges of a graph: which there are, where they lead, how many."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import segments
from .base import ALL, DGLError, is_all, missing
from .degrees import Degrees
from .frames import Frames

_FORMS = ("uv", "eid", "all")


class Queries(Frames):
    """Questions about nodes and edges; a part of :class:`rgnn.dgl.DGLGraph`.

    Numbers of nodes and edges are given as tensors, lists or single integers; results are of ``idtype``.
    """

    def _all_nodes(self, number: int) -> Tensor:
        return torch.arange(self._size(number), dtype=self.idtype, device=self.device)

    def _all_edges(self, number: int) -> Tensor:
        return torch.arange(self._edges[number].shape[1], dtype=self.idtype, device=self.device)

    # Degrees

    def in_degrees(self, v: Any = ALL, etype: Any = None) -> Any:
        """How many edges of a type lead to each node, ``[N]``; a number for a single node."""
        number = self.get_etype_id(etype)
        degrees = self._degrees(self._edges[number][1], self._ends[number][1], v)
        if is_all(v) and torch.compiler.is_compiling():
            return Degrees(degrees, lambda: self._unreached[number])  # which is a guard only where it is asked
        return degrees

    def out_degrees(self, u: Any = ALL, etype: Any = None) -> Any:
        """How many edges of a type lead from each node, ``[N]``; a number for a single node."""
        number = self.get_etype_id(etype)
        return self._degrees(self._edges[number][0], self._ends[number][0], u)

    def _degrees(self, index: Tensor, ntype: int, which: Any) -> Any:
        degrees = segments.count(index.long(), self._size(ntype)).to(self.idtype)
        if is_all(which):
            return degrees
        self._check_nodes(which, ntype)
        found = degrees.index_select(0, self._numbers(which))
        return int(found[0]) if isinstance(which, int) else found

    def _check_nodes(self, which: Any, ntype: int) -> None:
        """Refuses numbers that no node has, but in captured code, where the compiler looks at them."""
        if torch.compiler.is_compiling():
            return
        numbers = self._numbers(which)
        wrong = numbers[(numbers < 0) | (numbers >= self._size(ntype))]
        if len(wrong):
            raise DGLError(f"expected {self._nodes_name(ntype)}, of which there are {self._size(ntype)}, got number "
                           f"{int(wrong[0])}")  # fmt: skip

    # Edges

    def all_edges(self, form: str = "uv", order: str = "eid", etype: Any = None) -> Any:
        """The edges of a type.

        Args:
            form: "uv" gives sources and destinations, "eid" numbers, "all" all three.
            order: "eid" by number, "srcdst" by source and then destination.
        """
        number = self.get_etype_id(etype)
        if order not in ("eid", "srcdst", None):
            raise DGLError(f"order: expected eid or srcdst, got {order!r}")
        if order == "srcdst":
            source, target = self._source(number), self._destination(number)
            by_target = target.argsort(stable=True)
            return self._form(number, by_target[source[by_target].argsort(stable=True)], form)
        return self._form(number, None, form)

    def _form(self, number: int, which: Tensor | None, form: str) -> Any:
        if form not in _FORMS:
            raise DGLError(f"form: expected one of {', '.join(_FORMS)}, got {form!r}")
        numbers = self._all_edges(number) if which is None else which.to(self.idtype)
        if form == "eid":
            return numbers
        source, target = self._edges[number][0], self._edges[number][1]
        if which is not None:
            source, target = source.index_select(0, which), target.index_select(0, which)
        return (source, target) if form == "uv" else (source, target, numbers)

    def find_edges(self, eid: Any, etype: Any = None) -> tuple[Tensor, Tensor]:
        """Sources and destinations of edges by number."""
        number = self.get_etype_id(etype)
        numbers = self._numbers(eid)
        wrong = numbers[(numbers < 0) | (numbers >= self._edges[number].shape[1])]
        if len(wrong):
            raise DGLError(f"expected {self._edges_name(number)}, of which there are {self._edges[number].shape[1]}, "
                           f"got number {int(wrong[0])}")  # fmt: skip
        return self._form(number, numbers, "uv")

    def in_edges(self, v: Any, form: str = "uv", etype: Any = None) -> Any:
        """The edges that lead to nodes, one node after the other."""
        number = self.get_etype_id(etype)
        self._check_nodes(v, self._ends[number][1])
        return self._form(number, self._of_nodes(self._destination(number), v), form)

    def out_edges(self, u: Any, form: str = "uv", etype: Any = None) -> Any:
        """The edges that lead from nodes, one node after the other."""
        number = self.get_etype_id(etype)
        self._check_nodes(u, self._ends[number][0])
        return self._form(number, self._of_nodes(self._source(number), u), form)

    def _of_nodes(self, index: Tensor, nodes: Any) -> Tensor:
        """The numbers of the edges whose end is the first of the nodes, then those of the second, and so on."""
        nodes = self._numbers(nodes)
        order = index.argsort(stable=True)
        ordered = index[order]
        first, last = torch.searchsorted(ordered, nodes), torch.searchsorted(ordered, nodes, right=True)
        counts = last - first
        places = torch.arange(int(counts.sum()), device=nodes.device)
        places = places + (first - (counts.cumsum(0) - counts)).repeat_interleave(counts)
        return order[places]

    def predecessors(self, v: int, etype: Any = None) -> Tensor:
        """The nodes that edges lead from to a node, one for each edge."""
        return self.in_edges(v, etype=etype)[0]

    def successors(self, v: int, etype: Any = None) -> Tensor:
        """The nodes that edges lead to from a node, one for each edge."""
        return self.out_edges(v, etype=etype)[1]

    def edge_ids(self, u: Any, v: Any, return_uv: bool = False, etype: Any = None) -> Any:
        """The number of an edge from each of ``u`` to each of ``v``: of the first, where there are several.

        With ``return_uv``: sources, destinations and numbers of all of them.

        Raises:
            DGLError: there is none.
        """
        number = self.get_etype_id(etype)
        source, target = torch.broadcast_tensors(self._numbers(u), self._numbers(v))
        width = self._sides_sizes(number)[1]
        keys, wanted = self._source(number) * width + self._destination(number), source * width + target
        order = keys.argsort(stable=True)
        ordered = keys[order]
        first, last = torch.searchsorted(ordered, wanted), torch.searchsorted(ordered, wanted, right=True)
        none = (first == last).nonzero().view(-1)
        if len(none):
            one = int(none[0])
            raise DGLError(f"expected an edge between the nodes, got {int(source[one])} and {int(target[one])}, which "
                           "have none")  # fmt: skip
        if not return_uv:
            found = order[first].to(self.idtype)
            return int(found[0]) if isinstance(u, int) and isinstance(v, int) else found
        counts = last - first
        places = torch.arange(int(counts.sum()), device=order.device)
        places = places + (first - (counts.cumsum(0) - counts)).repeat_interleave(counts)
        return self._form(number, order[places], "all")

    def has_edges_between(self, u: Any, v: Any, etype: Any = None) -> Any:
        """Whether there are edges from ``u`` to ``v``, ``[M]``; a bool for single nodes."""
        number = self.get_etype_id(etype)
        source, target = torch.broadcast_tensors(self._numbers(u), self._numbers(v))
        width = self._sides_sizes(number)[1]
        keys = self._source(number) * width + self._destination(number)
        found = torch.isin(source * width + target, keys)
        return bool(found[0]) if isinstance(u, int) and isinstance(v, int) else found

    def has_nodes(self, vid: Any, ntype: str | None = None) -> Any:
        """Whether there are nodes of these numbers, ``[M]``; a bool for a single one."""
        numbers = self._numbers(vid)
        found = (numbers >= 0) & (numbers < self._size(self.get_ntype_id(ntype)))
        return bool(found[0]) if isinstance(vid, int) else found

    @property
    def is_multigraph(self) -> bool:
        """Whether two edges of a type lead from the same node to the same node."""
        for number in range(len(self._canonical)):
            keys = self._source(number) * self._sides_sizes(number)[1] + self._destination(number)
            if len(torch.unique(keys)) != len(keys):
                return True
        return False

    def filter_nodes(self, predicate: Any, nodes: Any = ALL, ntype: str | None = None) -> Tensor:
        """The numbers of the nodes for which a function of nodes gives True, ``[M]``."""
        from .udf import NodeBatch

        number = self.get_ntype_id(ntype)
        which = self._all_nodes(number).long() if is_all(nodes) else self._numbers(nodes)
        mask = predicate(NodeBatch(self, number, which, self._node_frames[number]))
        return which[mask.view(-1)].to(self.idtype)

    def filter_edges(self, predicate: Any, edges: Any = ALL, etype: Any = None) -> Tensor:
        """The numbers of the edges for which a function of edges gives True, ``[M]``."""
        from .udf import EdgeBatch

        number = self.get_etype_id(etype)
        which = self._all_edges(number).long() if is_all(edges) else self._numbers(edges)
        mask = predicate(EdgeBatch(self, number, which))
        return which[mask.view(-1)].to(self.idtype)

    # Matrices

    def adj_external(
        self, transpose: bool = False, ctx: Any = None, scipy_fmt: Any = None, etype: Any = None
    ) -> Tensor:
        """The matrix of an edge type as PyTorch's, sparse: a row for each source, or with ``transpose`` destination."""
        if scipy_fmt is not None:
            raise missing("adj_external(scipy_fmt=...)", "make it of g.edges() by scipy.sparse.coo_matrix")
        number = self.get_etype_id(etype)
        shape = self._sides_sizes(number)
        edges = self._edges[number].long()
        edges, shape = (edges.flip(0), shape[::-1]) if transpose else (edges, shape)
        values = torch.ones(edges.shape[1], device=ctx or self.device)
        return torch.sparse_coo_tensor(edges.to(ctx or self.device), values, shape, check_invariants=False)

    def adj(self, etype: Any = None, eweight_name: str | None = None) -> Tensor:
        """The matrix of an edge type, ``[sources, destinations]``: PyTorch's, sparse, where DGL gives one of its own.

        Args:
            eweight_name: the feature of edges that its numbers are; 1 for None.
        """
        number = self.get_etype_id(etype)
        edges = self._edges[number].long()
        values = torch.ones(edges.shape[1], device=self.device)
        if eweight_name is not None:
            values = self._get_edges(number, eweight_name, ALL)
        shape = (*self._sides_sizes(number), *values.shape[1:])
        return torch.sparse_coo_tensor(edges, values, shape, check_invariants=False)

    def adj_tensors(self, fmt: str, etype: Any = None) -> tuple[Tensor, ...]:
        """The edges of a type as "coo" (sources, destinations), "csr" or "csc" (offsets, ends, numbers)."""
        number = self.get_etype_id(etype)
        if fmt == "coo":
            return self._form(number, None, "uv")
        if fmt not in ("csr", "csc"):
            raise DGLError(f"fmt: expected coo, csr or csc, got {fmt!r}")
        by, other = self._edges[number] if fmt == "csr" else self._edges[number].flip(0)
        size = self._sides_sizes(number)[0 if fmt == "csr" else 1]
        order = by.argsort(stable=True)
        counts = segments.count(by.long(), size)
        offsets = torch.cat([counts.new_zeros(1), counts.cumsum(0)]).to(self.idtype)
        return offsets, other[order], order.to(self.idtype)

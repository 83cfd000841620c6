"""The graph class, put together of its parts, under the name and in the module that DGL has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from . import traversal
from .base import ALL, ETYPE, NTYPE, DGLError, missing
from .messages import MessagePassing
from .queries import Queries
from .typed import TypedMatrices
from .udf import Rows
from .view import DataView, EdgeView, NodeView

_NOT_THERE = {
    "remove_nodes": "use rgnn.dgl.node_subgraph, which gives a graph of the nodes that stay",
    "inc": "make it of g.edges() by torch.sparse_coo_tensor",
    "pin_memory_": "pin the tensors of a batch, and use g.to(device)",
    "unpin_memory_": "use g.to(device)",
    "shared_memory": "torch.multiprocessing shares tensors: share those of g.edges()",
    "set_n_initializer": "set all rows; where some rows alone are set, the others are 0",
    "set_e_initializer": "set all rows; where some rows alone are set, the others are 0",
    "record_stream": "use PyTorch's Tensor.record_stream of the tensors of g.edges()",
    "metagraph": "use g.canonical_etypes",
    "sample_neighbors": "use a sampler of PyG, and rgnn.dgl.create_block of what it gives",
    "get_node_storage": "use g.nodes[ntype].data",
    "get_edge_storage": "use g.edges[etype].data",
}


class DGLGraph(MessagePassing, Queries):
    """A graph with features: types of nodes and edges, lists of edges, and message passing over them.

    Made by :func:`rgnn.dgl.graph`, :func:`rgnn.dgl.heterograph` and :func:`rgnn.dgl.create_block`. It is the argument
    of models that were written for DGL 2.1, and means what ``dgl.DGLGraph`` means; what is not there says what to use
    instead.
    """

    prop_nodes = traversal.prop_nodes
    prop_edges = traversal.prop_edges

    def __getattr__(self, name: str) -> Any:
        if name in _NOT_THERE:
            raise missing(f"DGLGraph.{name}", _NOT_THERE[name])
        raise AttributeError(f"'DGLGraph' object has no attribute '{name}'")

    def __repr__(self) -> str:
        if self.is_block:
            kind, sides = "Block", (("src", self._sources), ("dst", self._destinations))
            nodes = ", ".join(f"num_{side}_nodes={self._summary(numbers)}" for side, numbers in sides)
        else:
            kind, numbers = "Graph", dict(zip(self._ntypes, range(len(self._ntypes))))
            nodes = f"num_nodes={self._summary(numbers)}"
        edges = {etype: own.shape[1] for etype, own in zip(self._canonical, self._edges)}
        edges = next(iter(edges.values())) if len(edges) == 1 else edges
        return f"{kind}({nodes}, num_edges={edges})"

    def _summary(self, numbers: dict[str, int]) -> Any:
        sizes = {name: self._size(number) for name, number in numbers.items()}
        return next(iter(sizes.values())) if len(sizes) == 1 else sizes

    # Features

    def _nodes_view(self, numbers: dict[str, int]) -> DataView:
        return DataView(self, list(numbers), list(numbers.values()), len(numbers) == 1, ALL, True)

    @property
    def ndata(self) -> DataView:
        """Features of nodes by name: tensors, or where there are several node types dictionaries of them by type."""
        names = self._ntypes
        return DataView(self, names, list(range(len(names))), len(names) == 1, ALL, True)

    @property
    def srcdata(self) -> DataView:
        """Features of the nodes that edges lead from."""
        return self._nodes_view(self._sources)

    @property
    def dstdata(self) -> DataView:
        """Features of the nodes that edges lead to."""
        return self._nodes_view(self._destinations)

    @property
    def edata(self) -> DataView:
        """Features of edges by name: tensors, or where there are several edge types dictionaries of them by type."""
        names = self._canonical
        return DataView(self, names, list(range(len(names))), len(names) == 1, ALL, False)

    @property
    def nodes(self) -> NodeView:
        """``g.nodes(ntype)`` are numbers of nodes, ``g.nodes[ntype].data`` their features."""
        return NodeView(self, self.get_ntype_id)

    @property
    def srcnodes(self) -> NodeView:
        """As :attr:`nodes`, of those that edges lead from."""
        return NodeView(self, self.get_ntype_id_from_src)

    @property
    def dstnodes(self) -> NodeView:
        """As :attr:`nodes`, of those that edges lead to."""
        return NodeView(self, self.get_ntype_id_from_dst)

    @property
    def edges(self) -> EdgeView:
        """``g.edges(form, order, etype)`` are the edges, ``g.edges[etype].data`` their features."""
        return EdgeView(self)

    # Data of types (Graphiler, MLSys 2022, sec. 4), which DGL has not

    @property
    def ntypedata(self) -> dict[str, Tensor]:
        """Data of node types by name, ``[node types, *]``, such as weights: ``edges.srctype["W"]`` reads them.

        The type of a node is its feature ``"_TYPE"`` where a graph has one node type, else that node type's number.
        """
        return self._type_frames[0]

    @property
    def etypedata(self) -> dict[str, Tensor]:
        """Data of edge types by name, ``[edge types, *]``: ``edges.type["W"]`` reads them."""
        return self._type_frames[1]

    def _node_type_rows(self, number: int, which: Tensor | None, is_ends: bool = False) -> Rows:
        types, count = self._node_frames[number].get(NTYPE), self._size(number)
        return self._type_rows(self.ntypedata, types, number, which, count, "node types", is_ends)

    def _edge_type_rows(self, number: int, which: Tensor | None) -> Rows:
        frame, count = self._edge_frames[number], self._edges[number].shape[1]
        return self._type_rows(self.etypedata, frame.get(ETYPE), number, which, count, "edge types")

    def _type_rows(
        self, data: dict[str, Tensor], types: Tensor | None, number: int, which: Tensor | None, count: int, what: str,
        is_ends: bool = False,
    ) -> Rows:  # fmt: skip
        """Data of types, a row for each node or edge: by the type of each, or the one of all.

        Where ``which`` are the ends of all edges, nodes get their rows first: they are fewer than edges.
        """

        def read(key: str) -> Any:
            if types is not None:
                if is_ends and data[key].dim() != 3:
                    return data[key].index_select(0, types.long()).index_select(0, which)
                own = types.long() if which is None else types.long().index_select(0, which)
                if data[key].dim() == 3:
                    return TypedMatrices(data[key], own)
                return data[key].index_select(0, own)
            rows = count if which is None else which.shape[0]
            return data[key][number].expand(rows, *data[key].shape[1:])

        return Rows(data, read, what)

    # Parts

    def __getitem__(self, key: Any) -> DGLGraph:
        """The graph of one edge type, with the same frames: what is set of it is set of this one."""
        found = self._find_etypes(key)
        if not found:
            raise DGLError(f"expected an edge type, one of {', '.join(map(str, self._canonical))}, got {key!r}")
        if len(found) > 1:
            meant = ", ".join(str(self._canonical[number]) for number in found)
            raise missing("a slice of several edge types", "use rgnn.dgl.edge_type_subgraph and "
                          f"rgnn.dgl.to_homogeneous; {key!r} means {meant}")  # fmt: skip
        number = found[0]
        ends = self._ends[number]
        numbers = [ends[0]] if ends[0] == ends[1] else list(ends)
        own = (0, len(numbers) - 1)
        names = [self._ntypes[one] for one in numbers]
        part = type(self)(names, [self._canonical[number]], [own], [self._edges[number]],
                          [self._size(one) for one in numbers], None if self._block is None else 1)  # fmt: skip
        part._node_frames = [self._node_frames[one] for one in numbers]
        part._edge_frames = [self._edge_frames[number]]
        part._type_frames = self._type_frames
        part._unreached = [self._unreached[number]]
        return part

    # Graphs in a batch

    @property
    def batch_size(self) -> int:
        """The number of graphs that this one joins; 1 for a graph that joins none."""
        if self._batch is None:
            return 1
        return next(iter(self._batch[0].values())).shape[0]

    def batch_num_nodes(self, ntype: str | None = None) -> Tensor:
        """The number of nodes of a type in each graph, ``[B]``."""
        return self._batch_sizes(0, self._ntypes[self.get_ntype_id(ntype)], self.num_nodes, ntype)

    def batch_num_edges(self, etype: Any = None) -> Tensor:
        """The number of edges of a type in each graph, ``[B]``."""
        return self._batch_sizes(1, self.to_canonical_etype(etype), self.num_edges, etype)

    def _batch_sizes(self, place: int, name: Any, count: Any, given: Any) -> Tensor:
        if self._batch is None or name not in self._batch[place]:
            return torch.full((1,), count(name), dtype=self.idtype, device=self.device)
        return self._batch[place][name]

    def set_batch_num_nodes(self, val: Tensor | Mapping[str, Tensor]) -> None:
        """Says how many nodes each graph has: a tensor, or one for each node type."""
        val = val if isinstance(val, Mapping) else {self._ntypes[self.get_ntype_id(None)]: val}
        self._batch = (dict(val), {} if self._batch is None else self._batch[1])

    def set_batch_num_edges(self, val: Tensor | Mapping[Any, Tensor]) -> None:
        """Says how many edges each graph has: a tensor, or one for each edge type."""
        val = {self.to_canonical_etype(key): sizes for key, sizes in val.items()} if isinstance(val, Mapping) else {
            self.to_canonical_etype(None): val}  # fmt: skip
        self._batch = ({} if self._batch is None else self._batch[0], val)

    def node_attr_schemes(self, ntype: str | None = None) -> dict[str, Any]:
        """Shape, without rows, and dtype of each feature of nodes."""
        frame = self._node_frames[self.get_ntype_id(ntype)]
        return {key: (tuple(rows.shape[1:]), rows.dtype) for key, rows in frame.items()}

    def edge_attr_schemes(self, etype: Any = None) -> dict[str, Any]:
        """Shape, without rows, and dtype of each feature of edges."""
        frame = self._edge_frames[self.get_etype_id(etype)]
        return {key: (tuple(rows.shape[1:]), rows.dtype) for key, rows in frame.items()}


DGLHeteroGraph = DGLGraph


class DGLBlock(DGLGraph):
    """A block, as :func:`rgnn.dgl.create_block` makes."""

"""Graphs that keep their views."""

from __future__ import annotations

from typing import Any

import torch
from _rgnn_runtime import InputError
from torch import Tensor


class Graph:
    """The edges of a typed graph, checked once.

    Pass ``graph.edge_index`` and ``graph.edge_type`` to a compiled model: the integer arrays that its kernels need
    are built at the first call and live as long as these tensors.

    Args:
        edge_index: ``[2, E]`` int64 or int32; row 0 holds sources, row 1 destinations.
        edge_type: ``[E]`` integers from 0, or None for a single type.
        node_type: ``[N]`` integers from 0, or None for a single type.
        num_nodes: N; by default one more than the largest index, or the length of ``node_type``.

    Raises:
        InputError: wrong rank or dtype, lengths that differ, an index or type out of range.
    """

    def __init__(
        self,
        edge_index: Tensor,
        edge_type: Tensor | None = None,
        node_type: Tensor | None = None,
        num_nodes: int | None = None,
    ):
        if edge_index.dim() != 2 or edge_index.shape[0] != 2:
            raise InputError(f"edge_index: expected shape [2, E], got {list(edge_index.shape)}")
        for name, tensor in (("edge_index", edge_index), ("edge_type", edge_type), ("node_type", node_type)):
            if tensor is not None and tensor.dtype not in (torch.int64, torch.int32):
                raise InputError(f"{name}: expected int64 or int32, got {tensor.dtype}")
        edges = edge_index.shape[1]
        if edge_type is not None and tuple(edge_type.shape) != (edges,):
            raise InputError(f"edge_type: expected shape [{edges}], got {list(edge_type.shape)}")
        if num_nodes is None:
            num_nodes = len(node_type) if node_type is not None else int(edge_index.max()) + 1 if edges else 0
        if node_type is not None and tuple(node_type.shape) != (num_nodes,):
            raise InputError(f"node_type: expected shape [{num_nodes}], got {list(node_type.shape)}")
        if edges and (int(edge_index.min()) < 0 or int(edge_index.max()) >= num_nodes):
            raise InputError(
                f"edge_index: expected node indices in [0, {num_nodes}), "
                f"got {int(edge_index.min())} to {int(edge_index.max())}"
            )
        for name, tensor in (("edge_type", edge_type), ("node_type", node_type)):
            if tensor is not None and len(tensor) and int(tensor.min()) < 0:
                raise InputError(f"{name}: expected types of at least 0, got {int(tensor.min())}")
        self.edge_index, self.edge_type, self.node_type, self.num_nodes = edge_index, edge_type, node_type, num_nodes

    @property
    def num_edges(self) -> int:
        """E."""
        return self.edge_index.shape[1]

    @classmethod
    def from_pyg(cls, data: Any) -> Graph:
        """The graph of a ``torch_geometric.data.HeteroData``, nodes numbered type by type, or of a ``Data``."""
        if hasattr(data, "to_homogeneous"):
            data = data.to_homogeneous(add_node_type=True, add_edge_type=True)
        return cls(data.edge_index, data.get("edge_type"), data.get("node_type"), data.num_nodes)

    def to(self, device: torch.device | str) -> Graph:
        """The same graph on another device."""
        moved = [None if t is None else t.to(device) for t in (self.edge_index, self.edge_type, self.node_type)]
        return Graph(moved[0], moved[1], moved[2], self.num_nodes)

    def __repr__(self) -> str:
        return f"Graph(num_nodes={self.num_nodes}, num_edges={self.num_edges})"

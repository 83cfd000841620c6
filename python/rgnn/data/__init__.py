"""Heterogeneous graphs to run models on: real ones from npz files, and generated ones of published sizes.

>>> from rgnn import data
>>> graph = data.load("aifb")
>>> out = model(x, graph.edge_index, graph.edge_type)            # RGCNConv, RGATConv
>>> out = hgt(graph.split_nodes(x), graph.edge_index_dict)       # HGTConv(..., metadata=graph.metadata)

Only PyTorch and NumPy are needed; nothing here imports the compiler.
"""

from .facts import FACTS, Facts
from .graph import DatasetError, HeteroGraph
from .npz import DatasetNotFoundError, available, load, search_paths
from .synthetic import synthetic

__all__ = [
    "FACTS",
    "DatasetError",
    "DatasetNotFoundError",
    "Facts",
    "HeteroGraph",
    "available",
    "load",
    "search_paths",
    "synthetic",
]

"""DGL's message passing in PyTorch: models that were written for DGL run, and compile, with their import line changed.

>>> import rgnn.dgl as dgl, rgnn.dgl.function as fn      # instead of: import dgl, dgl.function as fn
>>> g = dgl.graph((src, dst), num_nodes=n)
>>> out = rgnn.compile(model)(g, x)

Meant to be DGL 2.1's, which is not needed: see docs/DGL.md for what is there.
"""

from typing import Any

import torch

from . import batch as _batch
from . import convert, function, nn, ops, readout, subgraph, transforms, traversal
from . import traversal as propagate
from .base import ALL, EID, ETYPE, NID, NTYPE, DGLError, missing
from .batch import *  # noqa: F403
from .convert import *  # noqa: F403
from .heterograph import DGLGraph, DGLHeteroGraph
from .readout import *  # noqa: F403
from .subgraph import *  # noqa: F403
from .transforms import *  # noqa: F403
from .traversal import *  # noqa: F403
from .utils import apply_each

__all__ = ["ALL", "EID", "ETYPE", "NID", "NTYPE", "DGLError", "DGLGraph", "DGLHeteroGraph", "apply_each", "convert",
           "function", "nn", "ops", "propagate", "readout", "seed", "subgraph", "transforms", "traversal",
           *_batch.__all__, *convert.__all__, *readout.__all__, *subgraph.__all__, *transforms.__all__,
           *traversal.__all__]  # fmt: skip

_NOT_THERE = {
    "data": "use torch_geometric.datasets, and rgnn.dgl.graph of their edge_index",
    "dataloading": "use a loader of PyG, and rgnn.dgl.create_block or rgnn.dgl.graph of its batches",
    "sampling": "use a sampler of PyG, and rgnn.dgl.create_block of what it gives",
    "sample_neighbors": "use a sampler of PyG, and rgnn.dgl.create_block of what it gives",
    "to_block": "use a sampler of PyG, and rgnn.dgl.create_block of what it gives",
    "sparse": "use torch.sparse, or message passing",
    "distributed": "use torch.distributed and a sampler of PyG",
    "graphbolt": "use a loader of PyG",
    "optim": "use torch.optim, with torch.nn.Embedding(sparse=True)",
    "geometry": "use torch_geometric.nn.fps and its kin",
    "from_scipy": "use rgnn.dgl.graph((matrix.row, matrix.col)) of matrix.tocoo()",
    "bipartite_from_scipy": "use rgnn.dgl.heterograph of matrix.tocoo()",
    "from_networkx": "use rgnn.dgl.graph(tuple(zip(*graph.edges)))",
    "bipartite_from_networkx": "use rgnn.dgl.heterograph of the edges",
    "to_networkx": "use networkx.DiGraph(list(zip(*map(list, g.edges()))))",
    "from_dgl": "use rgnn.dgl.graph(g.edges(), num_nodes=g.num_nodes())",
    "knn_graph": "use torch_geometric.nn.knn_graph, and rgnn.dgl.graph of what it gives",
    "radius_graph": "use torch_geometric.nn.radius_graph, and rgnn.dgl.graph of what it gives",
    "line_graph": "use torch_geometric.transforms.LineGraph",
    "metis_partition": "use torch_geometric.loader.ClusterData",
    "load_graphs": "use torch.load of what torch.save wrote",
    "save_graphs": "use torch.save of g.edges() and of features",
    "khop_graph": "use powers of torch.sparse matrices of g.adj()",
    "remove_nodes": "use rgnn.dgl.node_subgraph, which gives a graph of the nodes that stay",
    "lap_pe": "use torch_geometric.transforms.AddLaplacianEigenvectorPE",
    "random_walk_pe": "use torch_geometric.transforms.AddRandomWalkPE",
    "prop_edges_dfs": "use a loop over g.send_and_recv",
    "dfs_edges_generator": "use networkx.dfs_edges",
    "dfs_labeled_edges_generator": "use networkx.dfs_labeled_edges",
    "merge": "use rgnn.dgl.graph of the edges of both, by torch.cat",
    "compact_graphs": "use rgnn.dgl.edge_subgraph",
}


def __getattr__(name: str) -> Any:
    if name in _NOT_THERE:
        raise missing(f"dgl.{name}", _NOT_THERE[name])
    raise AttributeError(f"module 'rgnn.dgl' has no attribute '{name}'")


def seed(val: int) -> None:
    """Seeds what random numbers are drawn from, which is PyTorch's generator."""
    torch.manual_seed(val)

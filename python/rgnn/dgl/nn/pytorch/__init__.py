"""Layers, as ``dgl.nn.pytorch`` has them: arguments, parameters, their names and their first values are DGL's."""

from typing import Any

from ...base import missing
from . import conv, glob, hetero, linear, utils
from .conv import *  # noqa: F403
from .glob import *  # noqa: F403
from .hetero import *  # noqa: F403
from .linear import *  # noqa: F403
from .softmax import edge_softmax
from .utils import *  # noqa: F403

__all__ = ["edge_softmax", *conv.__all__, *glob.__all__, *hetero.__all__, *linear.__all__, *utils.__all__]

_OWN = "write it with rgnn.dgl's message passing, or as a layer of PyG"
_NOT_THERE = {
    "AtomicConv": _OWN, "CFConv": "use torch_geometric.nn.CFConv of models.schnet", "ChebConv": "use "
    "torch_geometric.nn.ChebConv", "CuGraphGATConv": "use GATConv", "CuGraphRelGraphConv": "use RelGraphConv",
    "CuGraphSAGEConv": "use SAGEConv", "DGNConv": _OWN, "DenseChebConv": "use torch_geometric.nn.ChebConv",
    "DenseGraphConv": "use GraphConv", "DenseSAGEConv": "use SAGEConv", "EGATConv": _OWN, "EdgeGATConv": _OWN,
    "EGNNConv": _OWN, "GatedGCNConv": "use torch_geometric.nn.ResGatedGraphConv", "GroupRevRes": "use "
    "torch_geometric.nn.GroupAddRev", "PNAConv": "use torch_geometric.nn.PNAConv", "TWIRLSConv": _OWN,
    "GNNExplainer": "use torch_geometric.explain", "HeteroGNNExplainer": "use torch_geometric.explain",
    "SubgraphX": "use torch_geometric.explain", "PGExplainer": "use torch_geometric.explain",
    "EdgePredictor": "write the product of the rows of both ends", "TransE": "use torch_geometric.nn.TransE",
    "TransR": _OWN, "KNNGraph": "use torch_geometric.nn.knn_graph", "RadiusGraph": "use "
    "torch_geometric.nn.radius_graph", "NodeEmbedding": "use torch.nn.Embedding", "DeepWalk": "use "
    "torch_geometric.nn.Node2Vec", "MetaPath2Vec": "use torch_geometric.nn.MetaPath2Vec", "Set2Set": "use "
    "torch_geometric.nn.aggr.Set2Set", "SetTransformerEncoder": "use torch_geometric.nn.aggr.SetTransformerAggregation",
    "SetTransformerDecoder": "use torch_geometric.nn.aggr.SetTransformerAggregation", "LabelPropagation": "use "
    "torch_geometric.nn.LabelPropagation", "GraphormerLayer": _OWN, "BiasedMHA": "use torch.nn.MultiheadAttention",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _NOT_THERE:
        raise missing(f"dgl.nn.{name}", _NOT_THERE[name])
    raise AttributeError(f"module 'rgnn.dgl.nn.pytorch' has no attribute '{name}'")

"""Convolutions."""

from .dotgatconv import AGNNConv, DotGatConv
from .edgeconv import EdgeConv
from .gatconv import GATConv
from .gatedgraphconv import GatedGraphConv, GCN2Conv
from .gatv2conv import GATv2Conv
from .ginconv import GINConv, GINEConv
from .gmmconv import GMMConv, NNConv
from .graphconv import EdgeWeightNorm, GraphConv
from .hgtconv import HGTConv
from .relgraphconv import RelGraphConv
from .sageconv import SAGEConv
from .sgconv import APPNPConv, SGConv, TAGConv

__all__ = ["AGNNConv", "APPNPConv", "DotGatConv", "EdgeConv", "EdgeWeightNorm", "GATConv", "GATv2Conv", "GCN2Conv",
           "GINConv", "GINEConv", "GMMConv", "GatedGraphConv", "GraphConv", "HGTConv", "NNConv", "RelGraphConv",
           "SAGEConv", "SGConv", "TAGConv"]  # fmt: skip

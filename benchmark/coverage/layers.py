"""The layers of torch_geometric.nn.conv, as they are used."""

from __future__ import annotations

import torch
import torch_geometric.nn.conv as conv

from .case import EDGE_WIDTH, KINDS, RELATIONS, Case, mlp

ABSENT = {
    **dict.fromkeys(("DynamicEdgeConv", "GravNetConv", "XConv"), "needs torch-cluster"),
    **dict.fromkeys(("CuGraphSAGEConv", "CuGraphGATConv", "CuGraphRGCNConv"), "needs cuGraph"),
    "SplineConv": "needs torch-spline-conv",
    "PANConv": "needs torch-sparse",
    "FusedGATConv": "needs dgNN",
    "MessagePassing": "what layers are made of",
    "WLConv": "gives colours, no features",
}


def plain(g):
    return g.x, g.edge_index


def weighted(g):
    return g.x, g.edge_index, g.edge_weight


def with_edges(g):
    return g.x, g.edge_index, g.edge_attr


def typed(g):
    return g.x, g.edge_index, g.edge_type


def bipartite(g):
    return g.both, g.to_targets


def by_kind(g):
    return g.features_by_kind, g.edges_by_kind


def _mesh(g):
    """Four neighbours for each edge of a mesh."""
    return g.x, torch.stack([g.integers("mesh", g.nodes, 4 * g.nodes), torch.arange(g.nodes).repeat_interleave(4)])


def _signed(g):
    half = g.edges // 2
    return g.x, g.edge_index[:, :half].contiguous(), g.edge_index[:, half:].contiguous()


def _gcns(g):
    return conv.HeteroConv({kind: conv.SAGEConv((g.width, g.width), g.width) for kind in g.kinds[1]})


def _general(g):
    return conv.GeneralConv(g.width, g.width, EDGE_WIDTH, attention=True, heads=2)


def _pna(g):
    names = ["mean", "max", "min", "std"], ["identity", "amplification", "attenuation"]
    return conv.PNAConv(g.width, g.width, *names, g.degree_counts)


def _towers(g):
    return conv.PNAConv(g.width, g.width, ["mean", "max"], ["identity", "linear"], g.degree_counts,
                        edge_dim=EDGE_WIDTH, towers=2)  # fmt: skip


def _heat(g):
    return conv.HEATConv(g.width, g.width, KINDS, RELATIONS, 5, EDGE_WIDTH, 6, heads=2)


CASES = [
    Case("AGNN", conv.AGNNConv, lambda g: conv.AGNNConv(), plain),
    Case("AntiSymmetric", conv.AntiSymmetricConv, lambda g: conv.AntiSymmetricConv(g.width), plain),
    Case("APPNP", conv.APPNP, lambda g: conv.APPNP(3, 0.1), plain),
    Case("ARMA", conv.ARMAConv, lambda g: conv.ARMAConv(g.width, g.width, 2, 2), plain),
    Case("CG", conv.CGConv, lambda g: conv.CGConv(g.width, EDGE_WIDTH), with_edges),
    Case("Cheb", conv.ChebConv, lambda g: conv.ChebConv(g.width, g.width, 3), plain),
    Case("ClusterGCN", conv.ClusterGCNConv, lambda g: conv.ClusterGCNConv(g.width, g.width), plain),
    Case("DirGNN", conv.DirGNNConv, lambda g: conv.DirGNNConv(conv.GCNConv(g.width, g.width)), plain),
    Case("DNA", conv.DNAConv, lambda g: conv.DNAConv(g.width, 8),
         lambda g: (g.floats("layers", g.nodes, 3, g.width), g.edge_index)),
    Case("EdgeConv", conv.EdgeConv, lambda g: conv.EdgeConv(mlp(2 * g.width, g.width)), plain),
    Case("EG", conv.EGConv, lambda g: conv.EGConv(g.width, g.width), plain),
    Case("EG (four aggregations)", conv.EGConv,
         lambda g: conv.EGConv(g.width, g.width, ["sum", "mean", "max", "std"]), plain),
    Case("FA", conv.FAConv, lambda g: conv.FAConv(g.width), lambda g: (g.x, g.x, g.edge_index)),
    Case("FeaSt", conv.FeaStConv, lambda g: conv.FeaStConv(g.width, g.width, 2), plain),
    Case("FiLM", conv.FiLMConv, lambda g: conv.FiLMConv(g.width, g.width), plain),
    Case("FiLM (relations)", conv.FiLMConv, lambda g: conv.FiLMConv(g.width, g.width, RELATIONS), typed),
    Case("GAT", conv.GATConv, lambda g: conv.GATConv(g.width, g.width // 4, 4), plain),
    Case("GAT (edge features)", conv.GATConv,
         lambda g: conv.GATConv(g.width, g.width // 4, 4, edge_dim=EDGE_WIDTH), with_edges),
    Case("GAT (bipartite)", conv.GATConv,
         lambda g: conv.GATConv((g.width, g.width), g.width // 4, 4, add_self_loops=False), bipartite),
    Case("GATv2", conv.GATv2Conv, lambda g: conv.GATv2Conv(g.width, g.width // 4, 4), plain),
    Case("GATv2 (edge features)", conv.GATv2Conv,
         lambda g: conv.GATv2Conv(g.width, g.width // 4, 4, edge_dim=EDGE_WIDTH), with_edges),
    Case("GatedGraph", conv.GatedGraphConv, lambda g: conv.GatedGraphConv(g.width, 2), plain),
    Case("GCN", conv.GCNConv, lambda g: conv.GCNConv(g.width, g.width), plain),
    Case("GCN (weights)", conv.GCNConv, lambda g: conv.GCNConv(g.width, g.width), weighted),
    Case("GCN (not normalised)", conv.GCNConv, lambda g: conv.GCNConv(g.width, g.width, normalize=False), plain),
    Case("GCN2", conv.GCN2Conv, lambda g: conv.GCN2Conv(g.width, 0.1, 0.5, 1), lambda g: (g.x, g.x, g.edge_index)),
    Case("GEN", conv.GENConv, lambda g: conv.GENConv(g.width, g.width), plain),
    Case("General", conv.GeneralConv, lambda g: conv.GeneralConv(g.width, g.width), plain),
    Case("General (attention)", conv.GeneralConv, _general, with_edges),
    Case("GIN", conv.GINConv, lambda g: conv.GINConv(mlp(g.width, g.width)), plain),
    Case("GINE", conv.GINEConv, lambda g: conv.GINEConv(mlp(g.width, g.width), edge_dim=EDGE_WIDTH), with_edges),
    Case("GMM", conv.GMMConv, lambda g: conv.GMMConv(g.width, g.width, 3, 2),
         lambda g: (g.x, g.edge_index, g.floats("pseudo", g.edges, 3))),
    Case("GPS", conv.GPSConv, lambda g: conv.GPSConv(g.width, conv.GINConv(mlp(g.width, g.width)), 4),
         lambda g: (g.x, g.edge_index, g.batch)),
    Case("GraphConv", conv.GraphConv, lambda g: conv.GraphConv(g.width, g.width), plain),
    Case("GraphConv (weights)", conv.GraphConv, lambda g: conv.GraphConv(g.width, g.width), weighted),
    Case("GraphConv (maximum)", conv.GraphConv, lambda g: conv.GraphConv(g.width, g.width, aggr="max"), plain),
    Case("GraphConv (bipartite)", conv.GraphConv, lambda g: conv.GraphConv((g.width, g.width), g.width), bipartite),
    Case("HAN", conv.HANConv, lambda g: conv.HANConv(g.width, g.width, g.kinds, heads=2), by_kind),
    Case("HEAT", conv.HEATConv, _heat, lambda g: (g.x, g.edge_index, g.node_type, g.edge_type, g.edge_attr)),
    Case("HeteroConv (SAGE)", conv.HeteroConv, _gcns, by_kind),
    Case("HGT", conv.HGTConv, lambda g: conv.HGTConv(g.width, g.width, g.kinds, heads=2), by_kind),
    Case("Hypergraph", conv.HypergraphConv, lambda g: conv.HypergraphConv(g.width, g.width), plain),
    Case("Hypergraph (attention)", conv.HypergraphConv,
         lambda g: conv.HypergraphConv(g.width, g.width, use_attention=True, heads=2),
         lambda g: (g.x, g.edge_index, None, g.x)),
    Case("LE", conv.LEConv, lambda g: conv.LEConv(g.width, g.width), weighted),
    Case("LG", conv.LGConv, lambda g: conv.LGConv(), plain),
    Case("MeshCNN", conv.MeshCNNConv, lambda g: conv.MeshCNNConv(g.width, g.width), _mesh),
    Case("MF", conv.MFConv, lambda g: conv.MFConv(g.width, g.width, 3), plain),
    Case("MixHop", conv.MixHopConv, lambda g: conv.MixHopConv(g.width, g.width), plain),
    Case("NN", conv.NNConv,
         lambda g: conv.NNConv(g.width // 4, g.width // 4, mlp(EDGE_WIDTH, (g.width // 4) ** 2)),
         lambda g: (g.narrow, g.edge_index, g.edge_attr)),
    Case("PDN", conv.PDNConv, lambda g: conv.PDNConv(g.width, g.width, EDGE_WIDTH, 16), with_edges),
    Case("PNA", conv.PNAConv, _pna, plain),
    Case("PNA (towers)", conv.PNAConv, _towers, with_edges),
    Case("PointGNN", conv.PointGNNConv,
         lambda g: conv.PointGNNConv(mlp(g.width, 3), mlp(g.width + 3, g.width), mlp(g.width, g.width)),
         lambda g: (g.x, g.positions, g.edge_index)),
    Case("PointNet", conv.PointNetConv, lambda g: conv.PointNetConv(mlp(g.width + 3, g.width)),
         lambda g: (g.x, g.positions, g.edge_index)),
    Case("PointTransformer", conv.PointTransformerConv, lambda g: conv.PointTransformerConv(g.width, g.width),
         lambda g: (g.x, g.positions, g.edge_index)),
    Case("PPF", conv.PPFConv, lambda g: conv.PPFConv(mlp(g.width + 4, g.width)),
         lambda g: (g.x, g.positions, g.normals, g.edge_index)),
    Case("ResGated", conv.ResGatedGraphConv, lambda g: conv.ResGatedGraphConv(g.width, g.width), plain),
    Case("RGAT", conv.RGATConv, lambda g: conv.RGATConv(g.width, g.width, RELATIONS), typed),
    Case("RGAT (within relations)", conv.RGATConv,
         lambda g: conv.RGATConv(g.width, g.width, RELATIONS, attention_mechanism="within-relation"), typed),
    Case("RGCN", conv.RGCNConv, lambda g: conv.RGCNConv(g.width, g.width, RELATIONS, aggr="sum"), typed),
    Case("RGCN (bases)", conv.RGCNConv,
         lambda g: conv.RGCNConv(g.width, g.width, RELATIONS, num_bases=2, aggr="sum"), typed),
    Case("RGCN (blocks)", conv.RGCNConv,
         lambda g: conv.RGCNConv(g.width, g.width, RELATIONS, num_blocks=4, aggr="sum"), typed),
    Case("RGCN (maximum)", conv.RGCNConv, lambda g: conv.RGCNConv(g.width, g.width, RELATIONS, aggr="max"), typed),
    Case("FastRGCN", conv.FastRGCNConv, lambda g: conv.FastRGCNConv(g.width, g.width, RELATIONS), typed),
    Case("SAGE", conv.SAGEConv, lambda g: conv.SAGEConv(g.width, g.width), plain),
    Case("SAGE (projected maximum)", conv.SAGEConv,
         lambda g: conv.SAGEConv(g.width, g.width, "max", project=True, normalize=True), plain),
    Case("SAGE (bipartite)", conv.SAGEConv, lambda g: conv.SAGEConv((g.width, g.width), g.width), bipartite),
    Case("SAGE (size=)", conv.SAGEConv, lambda g: conv.SAGEConv((g.width, g.width), g.width),
         lambda g: ((g.x, g.x[: g.targets]), g.to_targets, (g.nodes, g.targets))),
    Case("SAGE (LSTM)", conv.SAGEConv, lambda g: conv.SAGEConv(g.width, g.width, "lstm"),
         lambda g: (g.x, g.by_target)),
    Case("SG", conv.SGConv, lambda g: conv.SGConv(g.width, g.width, 2), plain),
    Case("SSG", conv.SSGConv, lambda g: conv.SSGConv(g.width, g.width, 0.1, 2), plain),
    Case("Signed", conv.SignedConv, lambda g: conv.SignedConv(g.width, g.width, True), _signed),
    Case("Simple", conv.SimpleConv, lambda g: conv.SimpleConv(), plain),
    Case("SuperGAT", conv.SuperGATConv, lambda g: conv.SuperGATConv(g.width, g.width // 4, 4), plain, trains=False),
    Case("TAG", conv.TAGConv, lambda g: conv.TAGConv(g.width, g.width), plain),
    Case("Transformer", conv.TransformerConv, lambda g: conv.TransformerConv(g.width, g.width // 4, 4), plain),
    Case("Transformer (edge features)", conv.TransformerConv,
         lambda g: conv.TransformerConv(g.width, g.width // 4, 4, edge_dim=EDGE_WIDTH, beta=True), with_edges),
    Case("WLContinuous", conv.WLConvContinuous, lambda g: conv.WLConvContinuous(), weighted),
]  # fmt: skip

"""The aggregations of torch_geometric.nn.aggr: of edges to nodes, or of the nodes of each graph of a batch."""

from __future__ import annotations

import torch_geometric.nn.aggr as aggr

from .case import Case, mlp

ABSENT = {"Aggregation": "what aggregations are made of"}


def edges(g):
    return g.messages, g.edge_index[1], None, g.nodes


def nodes(g):
    return g.x, g.batch, None, g.graphs


def _scaled(g):
    return aggr.DegreeScalerAggregation(["mean"], ["identity", "amplification"], g.degree_counts)


CASES = [
    Case("Sum", aggr.SumAggregation, lambda g: aggr.SumAggregation(), edges),
    Case("Mean", aggr.MeanAggregation, lambda g: aggr.MeanAggregation(), edges),
    Case("Max", aggr.MaxAggregation, lambda g: aggr.MaxAggregation(), edges),
    Case("Min", aggr.MinAggregation, lambda g: aggr.MinAggregation(), edges),
    Case("Mul", aggr.MulAggregation, lambda g: aggr.MulAggregation(), edges),
    Case("Var", aggr.VarAggregation, lambda g: aggr.VarAggregation(), edges),
    Case("Std", aggr.StdAggregation, lambda g: aggr.StdAggregation(), edges),
    Case("Several", aggr.MultiAggregation, lambda g: aggr.MultiAggregation(["mean", "max", "std"]), edges),
    Case("Softmax", aggr.SoftmaxAggregation, lambda g: aggr.SoftmaxAggregation(learn=True), edges),
    Case("PowerMean", aggr.PowerMeanAggregation, lambda g: aggr.PowerMeanAggregation(2.0), edges),
    Case("VariancePreserving", aggr.VariancePreservingAggregation,
         lambda g: aggr.VariancePreservingAggregation(), edges),
    Case("DegreeScaler", aggr.DegreeScalerAggregation, _scaled, edges),
    Case("Median", aggr.MedianAggregation, lambda g: aggr.MedianAggregation(), nodes),
    Case("Quantile", aggr.QuantileAggregation, lambda g: aggr.QuantileAggregation(0.3), nodes),
    Case("Attentional", aggr.AttentionalAggregation, lambda g: aggr.AttentionalAggregation(mlp(g.width, 1)), nodes),
    Case("DeepSets", aggr.DeepSetsAggregation,
         lambda g: aggr.DeepSetsAggregation(mlp(g.width, g.width), mlp(g.width, g.width)), nodes),
    Case("Set2Set", aggr.Set2Set, lambda g: aggr.Set2Set(g.width, 2), nodes),
    Case("LSTM", aggr.LSTMAggregation, lambda g: aggr.LSTMAggregation(g.width, g.width), nodes),
    Case("GRU", aggr.GRUAggregation, lambda g: aggr.GRUAggregation(g.width, g.width), nodes),
    Case("Sort", aggr.SortAggregation, lambda g: aggr.SortAggregation(5), nodes),
    Case("MLP", aggr.MLPAggregation,
         lambda g: aggr.MLPAggregation(g.width, g.width, int(g.batch.bincount().max()), num_layers=1), nodes),
    Case("LCM", aggr.LCMAggregation, lambda g: aggr.LCMAggregation(g.width, g.width), nodes),
    Case("Equilibrium", aggr.EquilibriumAggregation,
         lambda g: aggr.EquilibriumAggregation(g.width, g.width, num_layers=[g.width]), nodes),
    Case("SetTransformer", aggr.SetTransformerAggregation,
         lambda g: aggr.SetTransformerAggregation(g.width, heads=4), nodes),
    Case("GraphMultisetTransformer", aggr.GraphMultisetTransformer,
         lambda g: aggr.GraphMultisetTransformer(g.width, k=5, heads=4), nodes),
    Case("PatchTransformer", aggr.PatchTransformerAggregation,
         lambda g: aggr.PatchTransformerAggregation(g.width, g.width, patch_size=5, hidden_channels=g.width), nodes),
]  # fmt: skip

"""The normalisations of torch_geometric.nn.norm, over the graphs of a batch where they take one."""

from __future__ import annotations

import torch_geometric.nn.norm as norm

from .case import KINDS, Case

ABSENT: dict[str, str] = {}


def batched(g):
    return g.x, g.batch


def rows(g):
    return (g.x,)


def by_type(g):
    return g.x, g.node_type


CASES = [
    Case("BatchNorm", norm.BatchNorm, lambda g: norm.BatchNorm(g.width), rows),
    Case("DiffGroupNorm", norm.DiffGroupNorm, lambda g: norm.DiffGroupNorm(g.width, 4), rows),
    Case("GraphNorm", norm.GraphNorm, lambda g: norm.GraphNorm(g.width), batched),
    Case("GraphSizeNorm", norm.GraphSizeNorm, lambda g: norm.GraphSizeNorm(), batched),
    Case("HeteroBatchNorm", norm.HeteroBatchNorm, lambda g: norm.HeteroBatchNorm(g.width, KINDS), by_type),
    Case("HeteroLayerNorm", norm.HeteroLayerNorm, lambda g: norm.HeteroLayerNorm(g.width, KINDS), by_type),
    Case("InstanceNorm", norm.InstanceNorm, lambda g: norm.InstanceNorm(g.width, affine=True), batched),
    Case("LayerNorm (graphs)", norm.LayerNorm, lambda g: norm.LayerNorm(g.width), batched),
    Case("LayerNorm (nodes)", norm.LayerNorm, lambda g: norm.LayerNorm(g.width, mode="node"), rows),
    Case("MeanSubtractionNorm", norm.MeanSubtractionNorm, lambda g: norm.MeanSubtractionNorm(), batched),
    Case("MessageNorm", norm.MessageNorm, lambda g: norm.MessageNorm(True), lambda g: (g.x, g.x + 1)),
    Case("PairNorm", norm.PairNorm, lambda g: norm.PairNorm(), batched),
]

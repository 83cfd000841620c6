"""DGL 2.1: RelGraphConv with PyG's normalisation and parameters (equal), and HGTConv (another function)."""

from __future__ import annotations

import torch

from .dgl_stub import import_dgl
from .problem import Peer, Problem


class Dgl(Peer):
    def __init__(self, problem: Problem):
        super().__init__(problem)
        self.dgl = import_dgl()
        layers, width, graph = self.dgl.nn.pytorch, problem.width, problem.graph
        if problem.model == "rgcn":
            self.note = "RelGraphConv, norm given"
            self.module = layers.RelGraphConv(width, width, graph.num_edge_types)
            like = problem.module()
            with torch.no_grad():
                self.module.linear_r.W.copy_(like.weight)
                self.module.loop_weight.copy_(like.root)
                self.module.h_bias.copy_(like.bias)
        else:
            self.note = "HGTConv differs from PyG's: no biases, no GELU"
            self.equal = False
            self.module = layers.HGTConv(width, width, 1, graph.num_node_types, graph.num_edge_types, dropout=0.0)
        self.module.eval()

    def inputs(self, graph):
        return graph

    def prepare(self, graph):
        result = self.dgl.graph((graph.src, graph.dst), num_nodes=graph.num_nodes)
        if self.problem.model == "hgt":
            return result, self.problem.x, graph.node_type, graph.edge_type
        _, pair, count = torch.unique(
            graph.edge_type * graph.num_nodes + graph.dst, return_inverse=True, return_counts=True
        )
        norm = (1.0 / count)[pair].unsqueeze(1)
        return result, self.problem.x, graph.edge_type, norm

    def run(self, prepared):
        return self.module(*prepared, presorted=True)

    def parameters(self):
        module = self.module
        if self.problem.model == "rgcn":
            return {"weight": module.linear_r.W, "root": module.loop_weight, "bias": module.h_bias}
        return super().parameters()

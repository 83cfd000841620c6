"""The models that several files of tests compile, and inputs for them."""

import rgnn
import torch
from pyg import R, error, gnn, random_graph, rows
from torch import nn


def inputs(nodes=23, edges=80, width=16, seed=0, dtype=torch.float64):
    return rows(nodes, width, seed, dtype), *random_graph(nodes, edges, seed)[1:]


class Net(nn.Module):
    def __init__(self, dropout=0.5):
        super().__init__()
        self.conv = gnn.FastRGCNConv(16, 20, R)
        self.dropout = nn.Dropout(dropout)
        self.attention = gnn.RGATConv(20, 7, R)

    def forward(self, x, edge_index, edge_type):
        h = self.dropout(self.conv(x, edge_index, edge_type).relu())
        return self.attention(h, edge_index, edge_type)


def compiled_net():
    model = Net().double().eval()
    return model, rgnn.compile(model, fullgraph=True)


def same(model, compiled, args):
    """Compares with the model as it is, which stays uncompiled."""
    with torch.no_grad():
        return error(compiled(*args), model(*args)) <= 1e-10


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = gnn.FastRGCNConv(16, 20, R)

    def forward(self, x, edge_index, edge_type):
        h = self.conv(x, edge_index, edge_type)
        return h if h.sum() > 0 else -h


def layer_inputs(nodes=23, edges=80, seed=0):
    return *inputs(nodes, edges, seed=seed), rows(edges, 4, seed + 1)

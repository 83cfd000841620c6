"""The models that several files of tests compile, and inputs for them."""

import rgnn
import torch
import torch.nn.functional as F
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


class InParts(Net):
    """PyTorch runs an operator of it."""

    def forward(self, x, edge_index, edge_type):
        return super().forward(x.cumsum(0), edge_index, edge_type).cumsum(0)


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


class Between(nn.Module):
    """Two layers with an operator between them that no kernel computes."""

    def __init__(self):
        super().__init__()
        self.first, self.second = gnn.RGATConv(16, 16, R, heads=2), gnn.FastRGCNConv(32, 8, R)

    def forward(self, x, edge_index, edge_type):
        h = torch.cumsum(self.first(x, edge_index, edge_type), 0).relu()
        return self.second(h, edge_index, edge_type)


def layer_inputs(nodes=23, edges=80, seed=0):
    return *inputs(nodes, edges, seed=seed), rows(edges, 4, seed + 1)


# ---- models of configurations.py -------------------------------------------------------------------------------------


class Stack(nn.Module):
    """Two layers with ReLU, dropout, a skip connection through a linear layer and one without, and log-softmax."""

    def __init__(self, make, width, hidden, classes):
        super().__init__()
        self.first, self.second, self.third = make(width, hidden), make(hidden, hidden), make(hidden, classes)
        self.skip = nn.Linear(width, hidden)
        self.dropout = nn.Dropout(0.4)

    def forward(self, x, edge_index, edge_type):
        h = self.first(x, edge_index, edge_type).relu() + self.skip(x)
        h = self.dropout(h)
        h = F.relu(self.second(h, edge_index, edge_type)) + h
        h = F.dropout(h, 0.5, training=self.training)
        return F.log_softmax(self.third(h, edge_index, edge_type), dim=-1)


class Skipped(nn.Module):
    """Layers of two kinds, and a linear one beside both."""

    def __init__(self):
        super().__init__()
        self.first, self.second = gnn.FastRGCNConv(33, 20, R, num_bases=3), gnn.RGATConv(20, 7, R, heads=2)
        self.skip = nn.Linear(33, 14)

    def forward(self, x, edge_index, edge_type):
        h = self.first(x, edge_index, edge_type).relu()
        return (self.second(h, edge_index, edge_type) + self.skip(x)).log_softmax(dim=-1)


class Entities(nn.Module):
    """Entity classification without features: the first layer looks rows up."""

    def __init__(self, nodes, hidden, classes, relations, bases=None, layer=gnn.RGCNConv):
        super().__init__()
        self.first = layer(nodes, hidden, relations, num_bases=bases)
        self.second = layer(hidden, classes, relations, num_bases=bases)

    def forward(self, edge_index, edge_type):
        h = self.first(None, edge_index, edge_type).relu()
        return self.second(h, edge_index, edge_type).log_softmax(dim=1)


class Mixed(nn.Module):
    """Layers of two kinds, a hidden state that is also returned, and linear layers before and after."""

    def __init__(self):
        super().__init__()
        self.input = nn.Sequential(nn.Linear(33, 64), nn.ReLU(), nn.Dropout(0.1))
        self.attention = gnn.RGATConv(64, 16, R, heads=3)
        self.convolution = gnn.FastRGCNConv(48, 20, R, num_blocks=4)
        self.output = nn.Linear(20, 7, bias=False)

    def forward(self, x, edge_index, edge_type):
        h = self.attention(self.input(x), edge_index, edge_type).relu()
        return {"hidden": h, "out": (self.output(self.convolution(h, edge_index, edge_type)), [h.relu()])}


class Scores(nn.Module):
    """A number for each edge, from its ends, in the order in which the caller has the edges."""

    def __init__(self):
        super().__init__()
        self.conv = gnn.FastRGCNConv(6, 5, R)

    def forward(self, x, edge_index, edge_type):
        h = self.conv(x, edge_index, edge_type)
        return (h[edge_index[0]] * h[edge_index[1]]).sum(dim=-1)


class HeteroStack(nn.Module):
    """Two HGT layers after linear ones of each type, with skips where a type is not reached."""

    def __init__(self, metadata, widths, hidden=64, classes=7, heads=2):
        super().__init__()
        self.inputs = nn.ModuleDict({name: nn.Linear(width, hidden) for name, width in widths.items()})
        self.layers = nn.ModuleList([gnn.HGTConv(hidden, hidden, metadata, heads=heads) for _ in range(2)])
        self.output = nn.Linear(hidden, classes)

    def forward(self, x_dict, edge_index_dict):
        x_dict = {name: self.inputs[name](x).relu() for name, x in x_dict.items()}
        for layer in self.layers:
            out = layer(x_dict, edge_index_dict)
            x_dict = {name: out[name].relu() + x if name in out else x for name, x in x_dict.items()}
        x_dict = {name: F.dropout(x, 0.5, training=self.training) for name, x in x_dict.items()}
        first = next(iter(x_dict))
        return self.output(x_dict[first]).log_softmax(dim=-1), x_dict


class Before(nn.Module):
    """A layer behind a function of its features."""

    def __init__(self, function):
        super().__init__()
        self.function, self.conv = function, gnn.FastRGCNConv(16, 12, R)

    def forward(self, x, edge_index, edge_type):
        return self.conv(self.function(x), edge_index, edge_type)


class Untyped(nn.Module):
    def __init__(self, conv):
        super().__init__()
        self.conv = conv

    def forward(self, x, edge_index, edge_type):
        return self.conv(x, edge_index)


class Extremum(gnn.MessagePassing):
    """Messages that are computed, not moved: by edges, or by nodes before they are sent."""

    def __init__(self, aggr, by_edges):
        super().__init__(aggr=aggr, node_dim=0)
        self.by_edges = by_edges

    def forward(self, x, edge_index):
        return self.propagate(edge_index, x=x if self.by_edges else torch.exp(x) / (x.abs() + 3))

    def message(self, x_i, x_j):
        return torch.exp(x_j) / (x_i.abs() + 3) if self.by_edges else x_j


class Sums(gnn.MessagePassing):
    """Messages that are sums of what products give for both ends, as of EdgeConv."""

    def __init__(self, aggr, width):
        super().__init__(aggr=aggr, node_dim=0)
        self.of_source, self.of_destination = (torch.nn.Linear(width, width) for _ in range(2))

    def forward(self, x, edge_index):
        return self.propagate(edge_index, source=self.of_source(x), destination=self.of_destination(x))

    def message(self, source_j, destination_i):
        return torch.nn.functional.leaky_relu(source_j + destination_i, 0.2)


class Typed(gnn.MessagePassing):
    """Messages of two relations of equal weights are equal."""

    def __init__(self, width):
        super().__init__(aggr="max", node_dim=0)
        weight = torch.randn(R, width)
        weight[1] = weight[0]
        self.weight = torch.nn.Parameter(weight)

    def forward(self, x, edge_index, edge_type):
        return self.propagate(edge_index, x=x, edge_type=edge_type)

    def message(self, x_j, edge_type):
        return torch.exp(x_j) * self.weight[edge_type]


class GCN(nn.Module):
    """``D A E x W``, with ``D`` and ``E`` on rows of nodes or on edges and ``W`` first or last."""

    def __init__(self, width, out, on_edges, first):
        super().__init__()
        self.weight = nn.Parameter(rows(width, out))
        self.on_edges, self.first = on_edges, first

    def forward(self, x, edge_index, d, e):
        torch._check(d.shape[0] == x.shape[0])
        torch._check(e.shape[0] == x.shape[0])
        src, dst = edge_index
        if self.first:
            x = x @ self.weight
        if not self.on_edges:
            x = x * e
        message = x.index_select(0, src)
        if self.on_edges:
            message = message * (d.index_select(0, dst) * e.index_select(0, src))
        x = torch.ops.rgnn.aggregate.default(message, dst, x.shape[0], "sum")
        if not self.on_edges:
            x = x * d
        return x if self.first else x @ self.weight

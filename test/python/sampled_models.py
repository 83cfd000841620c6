"""Models that are trained on sampled heterogeneous batches, as relational learning writes them."""

from __future__ import annotations

import torch.nn.functional as F
from pyg import gnn
from torch import Tensor, nn
from torch_geometric.utils import trim_to_layer


class HeteroSAGE(nn.Module):
    """A layer of SAGE per relation, a normalisation per type, ReLU; several times. As RelBench's HeteroGraphSAGE."""

    def __init__(self, node_types, edge_types, width, layers=2, aggr="mean", lazy=False, trims=False):
        super().__init__()
        widths = (-1, -1) if lazy else (width, width)
        make = lambda: gnn.HeteroConv({relation: gnn.SAGEConv(widths, width, aggr=aggr) for relation in edge_types})  # noqa: E731
        self.convs = nn.ModuleList(make() for _ in range(layers))
        self.norms = nn.ModuleList(nn.ModuleDict({kind: gnn.LayerNorm(width, mode="node") for kind in node_types})
                                   for _ in range(layers))  # fmt: skip
        self.trims = trims

    def forward(self, x, edge_index, num_sampled_nodes=None, num_sampled_edges=None):
        for number, (conv, norms) in enumerate(zip(self.convs, self.norms)):
            if self.trims:
                x, edge_index, _ = trim_to_layer(number, num_sampled_nodes, num_sampled_edges, x, edge_index)
            x = conv(x, edge_index)
            x = {kind: norms[kind](rows) for kind, rows in x.items()}
            x = {kind: rows.relu() for kind, rows in x.items()}
        return x


class RelBench(nn.Module):
    """Encoders per type, of features, of times before the seed's and of nodes themselves; SAGE; a head on the seeds."""

    def __init__(self, database, entity, width=8, shallow=(), lazy=False, trims=False, norm="batch_norm"):
        super().__init__()
        node_types, edge_types = database.metadata
        self.entity = entity
        self.encoder = nn.ModuleDict({kind: nn.Linear(x.shape[1], width) for kind, x in database.x.items()})
        self.when = nn.ModuleDict({kind: gnn.PositionalEncoding(width) for kind in database.times})
        self.time = nn.ModuleDict({kind: nn.Linear(width, width) for kind in database.times})
        self.embedding = nn.ModuleDict({kind: nn.Embedding(database.num_nodes[kind], width) for kind in shallow})
        self.gnn = HeteroSAGE(node_types, edge_types, width, lazy=lazy, trims=trims)
        self.head = gnn.MLP([width, width, 1], norm=norm)

    def forward(self, x_dict, edge_index_dict, seed_time, time_dict, batch_dict, n_id_dict, nodes, edges):
        x_dict = {kind: self.encoder[kind](x) for kind, x in x_dict.items()}
        for kind, time in time_dict.items():
            age = (seed_time[batch_dict[kind]] - time) / (60 * 60 * 24)
            x_dict[kind] = x_dict[kind] + self.time[kind](self.when[kind](age))
        for kind, embedding in self.embedding.items():
            if kind in n_id_dict:
                x_dict[kind] = x_dict[kind] + embedding(n_id_dict[kind])
        x_dict = self.gnn(x_dict, edge_index_dict, nodes, edges)
        return self.head(x_dict[self.entity][: seed_time.size(0)])


class MAG(nn.Module):
    """R-GAT by a layer of GAT per relation, whose widths are not given; or another layer."""

    def __init__(self, database, width=8, classes=5, make=None, aggr="sum"):
        super().__init__()
        make = make or (lambda: gnn.GATConv((-1, -1), width // 2, heads=2, add_self_loops=False))
        _, edge_types = database.metadata
        self.convs = nn.ModuleList(gnn.HeteroConv({relation: make() for relation in edge_types}, aggr=aggr)
                                   for _ in range(2))  # fmt: skip
        self.lin = nn.Linear(width, classes)

    def forward(self, x_dict, edge_index_dict, batch_size: int):
        for number, conv in enumerate(self.convs):
            x_dict = conv(x_dict, edge_index_dict)
            if number == 0:
                x_dict = {kind: F.leaky_relu(x) for kind, x in x_dict.items()}
        return self.lin(x_dict["paper"])[:batch_size]


class HGT(nn.Module):
    """Linear layers of unknown widths per type, then HGT."""

    def __init__(self, database, width=8, classes=5, heads=2, trims=False):
        super().__init__()
        self.lins = nn.ModuleDict({kind: gnn.Linear(-1, width) for kind in database.num_nodes})
        self.convs = nn.ModuleList(gnn.HGTConv(width, width, database.metadata, heads) for _ in range(2))
        self.lin, self.trims = nn.Linear(width, classes), trims

    def forward(self, x_dict, edge_index_dict, nodes, edges, batch_size: int):
        x_dict = {kind: self.lins[kind](x).relu_() for kind, x in x_dict.items()}
        for number, conv in enumerate(self.convs):
            if self.trims:
                x_dict, edge_index_dict, _ = trim_to_layer(number, nodes, edges, x_dict, edge_index_dict)
            x_dict = conv(x_dict, edge_index_dict)
        return self.lin(x_dict["paper"][:batch_size])


class GNN(nn.Module):
    """What to_hetero makes a model of types of."""

    def __init__(self, width=8, classes=5):
        super().__init__()
        self.conv1, self.conv2 = gnn.SAGEConv((-1, -1), width), gnn.SAGEConv((-1, -1), width)
        self.lin = gnn.Linear(-1, classes)

    def forward(self, x, edge_index):
        x = self.conv1(x, edge_index).relu()
        return self.lin(self.conv2(x, edge_index).relu())


class RGCN(nn.Module):
    """Of batches with one type of nodes, whose relations are numbers."""

    def __init__(self, width, relations, classes=5, num_bases=None, trims=False):
        super().__init__()
        self.convs = nn.ModuleList(gnn.FastRGCNConv(width, out, relations, num_bases=num_bases)
                                   for out in (width, classes))  # fmt: skip
        self.trims = trims

    def forward(self, x: Tensor, edge_index: Tensor, edge_type: Tensor, nodes: list, edges: list, batch_size: int):
        for number, conv in enumerate(self.convs):
            if self.trims:
                x, edge_index, edge_type = trim_to_layer(number, nodes, edges, x, edge_index, edge_type)
            x = conv(x, edge_index, edge_type)
            x = x.relu() if number == 0 else x
        return x[:batch_size]


class Link(nn.Module):
    """Scores of pairs of two types, encoded by any model of dictionaries."""

    def __init__(self, database, source, target, width=8):
        super().__init__()
        self.encoder = nn.ModuleDict({kind: nn.Linear(x.shape[1], width) for kind, x in database.x.items()})
        self.gnn, self.ends = HeteroSAGE(*database.metadata, width), (source, target)

    def forward(self, x_dict, edge_index_dict, pairs):
        x_dict = self.gnn({kind: self.encoder[kind](x) for kind, x in x_dict.items()}, edge_index_dict)
        source, target = (x_dict[kind][rows] for kind, rows in zip(self.ends, pairs))
        return (source * target).sum(-1)

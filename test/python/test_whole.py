"""Layers of PyG, besides the relational ones, of which nothing is left to PyTorch."""

import pytest
from odd import Case, check, plain
from pyg import gnn, random_graph, rows
from torch import nn

SIZES = ((6, 11), (9, 9), (5, 0), (1, 3))


def edges_with_features(number):
    nodes, edges = SIZES[number]
    return rows(nodes, 4, number), random_graph(nodes, edges, number)[1], rows(edges, 4, number)


def of(make, inputs=None):
    return Case(lambda: make().double(), inputs or plain(sizes=SIZES), calls=4, options={"fullgraph": True})


CASES = {
    "SAGE": of(lambda: gnn.SAGEConv(4, 3)), "SAGE max": of(lambda: gnn.SAGEConv(4, 3, aggr="max")),
    "SAGE projected": of(lambda: gnn.SAGEConv(4, 3, project=True)),
    "Graph": of(lambda: gnn.GraphConv(4, 3)), "GIN": of(lambda: gnn.GINConv(nn.Linear(4, 3))),
    "GINE": of(lambda: gnn.GINEConv(nn.Linear(4, 3)), edges_with_features),
    "GCN": of(lambda: gnn.GCNConv(4, 3, add_self_loops=False, normalize=False)),
    "GAT": of(lambda: gnn.GATConv(4, 3, heads=2, add_self_loops=False)),
    "GATv2": of(lambda: gnn.GATv2Conv(4, 3, heads=2, add_self_loops=False)),
    "SuperGAT": of(lambda: gnn.SuperGATConv(4, 3, add_self_loops=False).eval()),
    "Transformer": of(lambda: gnn.TransformerConv(4, 3, heads=2)),
    "Edge": of(lambda: gnn.EdgeConv(nn.Linear(8, 3))), "LE": of(lambda: gnn.LEConv(4, 3)),
    "FiLM": of(lambda: gnn.FiLMConv(4, 3)), "ResGated": of(lambda: gnn.ResGatedGraphConv(4, 3)),
    "General": of(lambda: gnn.GeneralConv(4, 3)),
}  # fmt: skip


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", CASES)
def test_layers(name):
    """Results and gradients are PyTorch's, and no operator is refused."""
    check(CASES[name])

"""Rows that are joined: those of each type of nodes, made by a layer each, to those of all nodes, and weights of edges
to those of self loops. Models with such rows are compiled whole."""

import pytest
import rgnn
import torch
from pyg import error, gnn, random_graph, rows, versions
from torch import nn
from torch_geometric import utils

WIDTHS, WIDTH, R = (3, 5, 4), 6, 4
LAYERS = {
    "rgcn": lambda: gnn.RGCNConv(WIDTH, WIDTH, R),
    "sage": lambda: gnn.SAGEConv(WIDTH, WIDTH),
    "gat": lambda: gnn.GATConv(WIDTH, 3, heads=2),  # with self loops
}


class Joined(nn.Module):
    """A linear layer per type, and a layer on all nodes, in the order of their types."""

    def __init__(self, order, layer):
        super().__init__()
        self.order, self.layer = order, layer
        self.lins = nn.ModuleList([nn.Linear(width, WIDTH) for width in WIDTHS])

    def forward(self, xs, *edges):
        xs = [lin(x).relu() for lin, x in zip(self.lins, xs)]
        x = torch.cat([xs[number] for number in self.order])
        return x + self.layer(x, *edges)


@pytest.mark.sample(3)
@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (0, 2)], ids=str)
@pytest.mark.parametrize("name", LAYERS)
def test_like_pytorch(name, order):
    """Types without nodes, with as many as another, and with one."""
    check(Joined(order, LAYERS[name]()).double(), fullgraph=True)


@pytest.mark.filterwarnings("ignore:rgnn")
def test_twice():
    """Rows that are joined twice are made by PyTorch."""
    check(Joined((1, 1, 0), LAYERS["sage"]()).double(), fullgraph=False)


def check(model, fullgraph):
    compiled = rgnn.compile(model, fullgraph=fullgraph)
    for counts in ((4, 7, 5), (5, 5, 5), (3, 0, 2), (1, 1, 1), (9, 20, 6), (0, 0, 4)):
        nodes = sum(counts[number] for number in model.order)
        xs = [rows(count, width).requires_grad_() for count, width in zip(counts, WIDTHS)]
        _, edge_index, edge_type = random_graph(nodes, 3 * nodes, relations=R)
        args = (xs, edge_index, *([edge_type] if isinstance(model.layer, gnn.RGCNConv) else []))
        factor, wanted = rows(nodes, WIDTH), [*model.parameters(), *xs]
        outcomes = []
        for call in (model, compiled):
            out = call(*args)
            outcomes.append((out, *torch.autograd.grad((out * factor).sum(), wanted, allow_unused=True)))
        for own, got in zip(*outcomes, strict=True):
            assert (own is None) == (got is None)
            assert own is None or error(got.detach(), own.detach()) <= 1e-10
    assert not fullgraph or versions(compiled) <= 2


class Weighted(nn.Module):
    """A layer that adds self loops to edges with weights, and a matrix of joined weights."""

    def __init__(self):
        super().__init__()
        self.third = nn.Parameter(torch.randn(2, WIDTH))

    def forward(self, x, edge_index, weight):
        count = x.size(0)
        edges, weight = utils.add_self_loops(edge_index, weight.sigmoid(), fill_value=1.0, num_nodes=count)
        degree = utils.scatter(weight, edges[1], 0, count)
        x = x @ torch.cat([self.third, -self.third, self.third * 2])
        return utils.scatter(x[edges[0]] * (weight / degree[edges[1]]).view(-1, 1), edges[1], 0, count)


@pytest.mark.usefixtures("strict")
def test_weights_of_self_loops(tmp_path):
    model = Weighted().double()
    compiled = rgnn.compile(model, fullgraph=True)
    for nodes, edges in ((20, 60), (7, 0), (9, 1), (31, 40)):
        x, weight = rows(nodes, WIDTH).requires_grad_(), rows(edges, 1)[:, 0].requires_grad_()
        edge_index, factor = random_graph(nodes, edges)[1], rows(nodes, WIDTH)
        outcomes = []
        for call in (model, compiled):
            out = call(x, edge_index, weight)
            outcomes.append((out, *torch.autograd.grad((out * factor).sum(), [x, weight, model.third])))
        assert all(error(got.detach(), own.detach()) <= 1e-10 for own, got in zip(*outcomes, strict=True))
    assert versions(compiled) <= 2
    with torch.no_grad():
        own = model(x, edge_index, weight)
        compiled(x, edge_index, weight)
    compiled.save(tmp_path / "model.rgnn")
    for run in (rgnn.load(tmp_path / "model.rgnn"), compiled.freeze()):
        assert error(run(x, edge_index, weight).detach(), own) <= 1e-10

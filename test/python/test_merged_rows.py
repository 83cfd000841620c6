"""Features [B, N, F] that a model merges to [B * N, F] for a while: what it does to them is compiled with the rest."""

import copy

import pytest
import rgnn
import torch
from pyg import gnn, versions
from test_steps import check, graph
from torch import nn
from torch.nn import functional as F

WIDTH = 6


class Merging(nn.Module):
    """A convolution, rows that are merged and parted by a function, and another convolution."""

    def __init__(self, between):
        super().__init__()
        self.first, self.last = gnn.SAGEConv(WIDTH, WIDTH), gnn.GCNConv(WIDTH, WIDTH)
        self.lin, self.norm = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH)
        self.weight, self.bias = nn.Parameter(torch.randn(WIDTH, WIDTH)), nn.Parameter(torch.randn(WIDTH))
        self.batch_norm, self.between = nn.BatchNorm1d(WIDTH), between

    def forward(self, x, edge_index):
        return self.last(self.between(self, self.first(x, edge_index)), edge_index)


def products(m, h):
    batch, nodes, _ = h.shape
    merged = h.reshape(batch * nodes, WIDTH)
    return torch.tanh(torch.matmul(merged, m.weight) + m.bias).view(batch, nodes, WIDTH)


def layers(m, h):
    merged = h.reshape(-1, WIDTH)
    merged = F.dropout(m.lin(merged).relu(), 0.0) * merged
    return m.norm(merged).reshape(h.shape)


def joined(m, h):
    merged = h.flatten(0, 1)
    wide = torch.cat([m.lin(merged), merged / 2], dim=-1).view(-1, 2, WIDTH)
    return (wide.sigmoid() - m.bias).view(h.size(0), h.size(1), 2 * WIDTH)[..., :WIDTH]


def twice(m, h):
    merged = m.lin(h.reshape(-1, WIDTH))
    return merged.view(h.shape) + merged.exp().reshape(h.size(0), -1, WIDTH)


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("between", [products, layers, joined, twice])
def test_is_compiled(between, float64):
    model = Merging(between)
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for nodes, edges in ((9, 30), (3, 12), (WIDTH, 0), (4, 1)):
        check(model, compiled, torch.randn(3, nodes, WIDTH), graph(nodes, edges))
    assert versions(compiled) == 1


def normed(m, h):
    return m.batch_norm(h.reshape(-1, WIDTH)).relu().view(h.shape)


def changed(m, h):
    merged = h.reshape(-1, WIDTH)
    merged += 1
    return m.lin(merged).view(h.shape) * h


def read(m, h):
    merged = m.lin(h.reshape(-1, WIDTH))
    return merged.view(h.shape) * merged.mean(0)


@pytest.mark.filterwarnings("ignore:rgnn")
@pytest.mark.parametrize("between", [normed, changed, read])
def test_what_reads_all_rows(between, float64):
    model = Merging(between)
    compiled = rgnn.compile(copy.deepcopy(model))
    for nodes, edges in ((9, 30), (3, 12), (WIDTH, 0)):
        check(model, compiled, torch.randn(3, nodes, WIDTH), graph(nodes, edges))


def dropped(m, h):
    merged = h.reshape(-1, WIDTH)
    return (merged + F.dropout(m.lin(merged).relu(), 0.4)).view(h.shape)


def dropped_apart(m, h):
    return F.dropout(m.lin(h).relu(), 0.4) * h


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("between", [dropped, dropped_apart])
def test_dropout_draws_as_pytorch_does(between, float64):
    model = Merging(between)
    compiled = rgnn.compile(model, fullgraph=True)
    for nodes, edges in ((9, 30), (WIDTH, 0), (4, 1)):
        x, edge_index, found = torch.randn(3, nodes, WIDTH, requires_grad=True), graph(nodes, edges), []
        for function in (model, compiled):
            torch.manual_seed(nodes)
            result = function(x, edge_index)
            found.append([result, *torch.autograd.grad(result.sin().sum(), [x, model.lin.weight])])
        for own, got in zip(*found, strict=True):
            torch.testing.assert_close(got, own, rtol=1e-10, atol=1e-12)

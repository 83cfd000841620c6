"""PyG's ``EdgeIndex`` as a list of edges: compiled like a plain tensor, and itself where a model wants it."""

import copy

import pytest
import rgnn
import torch
from checks import compare, step
from pyg import gnn, rows
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch_geometric import EdgeIndex

LAYERS = {"GCN": lambda: gnn.GCNConv(6, 4), "SAGE": lambda: gnn.SAGEConv(6, 4), "GAT": lambda: gnn.GATConv(6, 4),
          "RGCN": lambda: gnn.RGCNConv(6, 4, 3)}  # fmt: skip


def graph(nodes, edges):
    """Edges, some of them self loops."""
    ends = torch.randint(max(nodes, 1), (2, edges))
    ends[1, : edges // 4] = ends[0, : edges // 4]
    return ends


def wrapped(edges, nodes, order):
    return EdgeIndex(edges) if order is None else EdgeIndex(edges, sparse_size=(nodes, nodes)).sort_by(order).values


@pytest.mark.sample(4)
@pytest.mark.parametrize("order", [None, "row"])
@pytest.mark.parametrize("name", LAYERS)
def test_layers(name, order, strict):
    model = LAYERS[name]().double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    sizes = ((9, 30), (5, 5), (12, 0), (1, 3)) if order is None else ((9, 30), (5, 5))
    for nodes, edges in sizes:
        ends = wrapped(graph(nodes, edges), nodes, order)
        types = [torch.randint(3, (edges,))] if name == "RGCN" else []
        args = rows(nodes, 6), ends, *types
        compare(step(compiled, args), step(model, args))
    assert len(compiled._compiled_call_impl.runner.versions) == (1 if order is None else len(sizes))


@pytest.mark.filterwarnings("ignore:rgnn")
def test_what_torchdynamo_fails_on_runs_in_pytorch():
    model = gnn.SAGEConv(6, 4).double()
    compiled = rgnn.compile(model)
    for ends in (wrapped(graph(9, 30), 9, "col"), EdgeIndex(graph(9, 0), sparse_size=(9, 9))):
        args = rows(9, 6), ends
        compare(step(compiled, args), step(model, args))


class Asks(nn.Module):
    """Messages, and an EdgeIndex and its rows as results."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 8)

    def forward(self, x, edges):
        h = self.linear(x)
        summed = torch.zeros_like(h).index_add_(0, edges[1], h[edges[0]].sigmoid())
        return summed, edges, edges.flip(0), edges[0]


def test_an_edge_index_stays_one_where_the_model_wants_it():
    model = Asks()
    edges = wrapped(graph(9, 30), 9, "row")
    x = torch.randn(9, 6)
    compiled = rgnn.compile(model)
    summed, same, flipped, row = compiled(x, edges)
    assert [len(version.regions) for version in compiled._compiled_call_impl.runner.versions] == [1]
    expected = model(x, edges)
    torch.testing.assert_close(summed, expected[0])
    assert same is edges
    assert [type(value) for value in (flipped, row)] == [type(value) for value in expected[2:]]
    assert flipped.equal(expected[2]) and flipped.is_sorted_by_col and row.equal(expected[3])


class Checkpointed(nn.Module):
    """Edges that are made of tensors by name, read in a graph within the graph."""

    def __init__(self):
        super().__init__()
        self.conv = gnn.SAGEConv(6, 4)

    def forward(self, x, edges):
        made = EdgeIndex(data=edges.flip(0).as_tensor())
        return checkpoint(self.conv, x, edges, use_reentrant=False) + self.conv(x, made)


@pytest.mark.filterwarnings("ignore:rgnn")
def test_graphs_within_the_graph():
    model = Checkpointed().double()
    compiled = rgnn.compile(copy.deepcopy(model))
    for nodes, edges in ((9, 30), (5, 5), (12, 0)):
        args = rows(nodes, 6), EdgeIndex(graph(nodes, edges))
        compare(step(compiled, args), step(model, args))


class Shifts(nn.Module):
    """Changes its edges in place between two readings."""

    def forward(self, x, edges):
        edges = edges.clone()
        before = torch.zeros_like(x).index_add_(0, edges[1], x[edges[0]])
        edges.sub_(1)
        return before + torch.zeros_like(x).index_add_(0, edges[1], x[edges[0]]) * 2


@pytest.mark.filterwarnings("ignore:rgnn")
def test_an_edge_index_that_changes_in_place():
    model, edges, x = Shifts(), EdgeIndex(graph(8, 30) + 1), rows(9, 6)
    compiled = rgnn.compile(model)
    for _ in range(2):
        torch.testing.assert_close(compiled(x, edges), model(x, edges))


def test_its_tensor_changes_in_place(strict):
    model, edges, x = gnn.SAGEConv(6, 4).double(), EdgeIndex(graph(9, 30)), rows(9, 6)
    compiled = rgnn.compile(model, fullgraph=True)
    for number in range(3):
        edges.as_tensor()[0, number] = 8 - edges.as_tensor()[0, number]
        torch.testing.assert_close(compiled(x, edges), model(x, edges))


def test_an_index_is_too_large():
    model, edges = gnn.SAGEConv(6, 4).double(), EdgeIndex(torch.tensor([[0, 9], [1, 2]]))
    with pytest.raises(rgnn.InputError, match="9"):
        rgnn.compile(model)(rows(9, 6), edges)

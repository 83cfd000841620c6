"""Sizes that a call gives as integers: one version for all batches, also where the first has no other beside it."""

import copy

import pytest
import rgnn
import torch
from pyg import gnn, versions
from test_steps import check
from torch import nn

pytestmark = pytest.mark.usefixtures("strict", "float64")

WIDTH = 6
SIZES = ((30, 20, 10), (41, 25, 10), (37, 20, 8), (9, 6, 6), (5, 5, 2))  # nodes of the input, of each layer's result


def lists(*sizes):
    return torch.stack([torch.randint(size, (3 * max(sizes),)) for size in sizes])


class Sampled(nn.Module):
    """Batches of PyG's first samplers: edges and the sizes of their ends for each layer."""

    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList(gnn.SAGEConv(WIDTH, WIDTH) for _ in range(2))

    def forward(self, x, layers):
        for conv, (edge_index, size) in zip(self.convs, layers, strict=True):
            x = conv((x, x[: size[1]]), edge_index).relu()
        return x


class Sized(nn.Module):
    """A layer that is told how many nodes there are, and compares."""

    def __init__(self):
        super().__init__()
        self.conv = gnn.SAGEConv((WIDTH, WIDTH), WIDTH)

    def forward(self, x, edge_index, size):
        return self.conv((x, x[: size[1]]), edge_index, size=size)


class Counted(nn.Module):
    """As many rows of zeros as an argument says."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(WIDTH, WIDTH)

    def forward(self, x, edge_index, num_nodes):
        zeros = torch.zeros(num_nodes, WIDTH)
        return zeros.index_add(0, edge_index[1], self.lin(x)[edge_index[0]])


@pytest.mark.parametrize("make", [Sampled, Sized, Counted])
def test_one_version(make):
    model = make()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for first, second, third in SIZES:
        given = {
            Sampled: [[(lists(first, second), (first, second)), (lists(second, third), (second, third))]],
            Sized: [lists(first, second), (first, second)],
            Counted: [lists(first, first), first],
        }[make]
        check(model, compiled, torch.randn(first, WIDTH), *given)
    assert versions(compiled) == 1


def test_more_than_there_are():
    """A slice ends with the rows; a size that is none raises what PyTorch does."""
    model = Sampled()
    compiled = rgnn.compile(copy.deepcopy(model))
    for size in (20, 31, 30):
        layers = [(lists(30, 20), (30, size)), (lists(20, 10), (20, 10))]
        check(model, compiled, torch.randn(30, WIDTH), layers)
    sized = Sized()
    for call in (sized, rgnn.compile(sized)):
        with pytest.raises(ValueError, match="expected size 29"):
            call(torch.randn(30, WIDTH), lists(30, 20), (29, 20))


class OneNode(nn.Module):
    """The row of a node whose number is an argument, for itself and added to all."""

    def __init__(self):
        super().__init__()
        self.conv = gnn.GraphConv(WIDTH, WIDTH)

    def forward(self, x, edge_index, number):
        h = self.conv(x, edge_index).tanh()
        return self.conv(h + h[number].view(1, -1), edge_index)[number]


def test_one_node():
    model = OneNode()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for nodes, number in ((9, 3), (12, 0), (12, 11), (30, 7), (1, 0)):
        args = torch.randn(nodes, WIDTH), torch.randint(nodes, (2, 3 * nodes)), number
        check(model, compiled, *args)
    assert versions(compiled) <= 2  # a constant at first
    x, edge_index, _ = args
    torch.testing.assert_close(compiled(x, edge_index, -1), model(x, edge_index, -1))
    for wrong in (1, -2):
        for each in (model, compiled):
            with pytest.raises(IndexError):
                each(x, edge_index, wrong)

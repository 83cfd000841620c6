"""Convolutions within rows: over the steps of each node's path, or the entries of two embeddings."""

import copy

import pytest
import rgnn
import torch
import torch.nn.functional as F
from checks import compare, outcome
from pyg import versions
from torch import nn

CHANNELS, LENGTH = 3, 7

WAYS = {
    "plain": lambda c: nn.Conv1d(c, 5, 3),
    "padded": lambda c: nn.Conv1d(c, 5, 3, padding=1),
    "far apart": lambda c: nn.Conv1d(c, 4, 2, dilation=3, padding=4, bias=False),
    "by steps": lambda c: nn.Conv1d(c, 2, 4, stride=2, padding=3),
    "as long": lambda c: nn.Conv1d(c, 4, 4, padding="same"),
    "all": lambda c: nn.Conv1d(c, 4, LENGTH),
    "one": lambda c: nn.Conv1d(c, 4, 1),
    "two": lambda c: nn.Sequential(nn.Conv1d(c, 4, 3, bias=False), nn.BatchNorm1d(4), nn.ReLU(), nn.Conv1d(4, 2, 3)),
}


class Paths(nn.Module):
    """Each node has a path, of which neighbours hear."""

    def __init__(self, conv):
        super().__init__()
        self.conv = conv

    def forward(self, x, edges):
        heard = torch.zeros_like(x).index_add(0, edges[1], x[edges[0]])
        return F.elu(self.conv(heard)) * 2


def inputs(nodes, edges, length=LENGTH):
    return torch.randn(nodes, CHANNELS, length, requires_grad=True), torch.randint(nodes, (2, edges))


@pytest.mark.sample(4)
@pytest.mark.parametrize("way", WAYS)
def test_equal_pytorchs(way, strict, float64):
    model = Paths(WAYS[way](CHANNELS))
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for sizes in ((9, 30), (20, 70), (2, 1), (3, 0)):
        args = inputs(*sizes)
        compare(outcome(compiled, args), outcome(model, args))
    assert versions(compiled) <= 2


@pytest.mark.filterwarnings("ignore:rgnn")
@pytest.mark.parametrize("conv", [nn.Conv1d(3, 6, 3, groups=3), nn.ConvTranspose1d(3, 4, 3)])
def test_others_are_pytorchs(conv, float64):
    model = Paths(conv.double())
    compiled = rgnn.compile(copy.deepcopy(model))
    args = inputs(9, 30)
    compare(outcome(compiled, args), outcome(model, args))


def test_errors_are_pytorchs(float64):
    model = Paths(nn.Conv1d(CHANNELS, 5, 3).double())
    compiled = rgnn.compile(copy.deepcopy(model))
    compiled(*inputs(9, 30))
    for call in (model, compiled):
        with pytest.raises(RuntimeError, match="Kernel size can't be greater than actual input size"):
            call(*inputs(9, 30, 2))

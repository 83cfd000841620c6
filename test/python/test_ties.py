"""Gradients of maxima and minima, which go to the rows that they were taken from: equal ones share them."""

import pytest
import rgnn
import torch
from pyg import GRAPHS, R, error, gnn, to
from test_training import F64, check_gradients, gradients

pytestmark = pytest.mark.usefixtures("threads")


class Extremum(gnn.MessagePassing):
    """Messages that are computed, not moved: by edges, or by nodes before they are sent."""

    def __init__(self, aggr, by_edges):
        super().__init__(aggr=aggr, node_dim=0)
        self.by_edges = by_edges

    def forward(self, x, edge_index):
        return self.propagate(edge_index, x=x if self.by_edges else torch.exp(x) / (x.abs() + 3))

    def message(self, x_i, x_j):
        return torch.exp(x_j) / (x_i.abs() + 3) if self.by_edges else x_j


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


def steps(nodes, width, dtype):
    """Few different numbers, which are far from each other."""
    return torch.randint(-2, 3, (nodes, width), generator=torch.Generator().manual_seed(7)).to(dtype) / 2


@pytest.mark.parametrize("width", [1, 7, 16, 33])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("by_edges", [True, False])
@pytest.mark.parametrize("aggr", ["max", "min"])
def test_ties(aggr, by_edges, dtype, width):
    model = Extremum(aggr, by_edges).eval()
    compiled = rgnn.compile(model, fullgraph=True)
    for nodes, edge_index, _ in GRAPHS.values():
        check_gradients(model, compiled, (steps(nodes, width, dtype), edge_index), dtype)


@pytest.mark.parametrize("width", [1, 7, 16, 33])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_ties_between_types(dtype, width):
    torch.manual_seed(0)
    model = Typed(width).to(dtype).eval()
    compiled = rgnn.compile(model, fullgraph=True)
    for nodes, *edges in GRAPHS.values():
        check_gradients(model, compiled, (steps(nodes, width, dtype), *edges), dtype)


@pytest.mark.parametrize("width", [1, 7, 16, 33])
@pytest.mark.parametrize("by_edges", [True, False])
def test_rounded(by_edges, width):
    """Messages are rounded before they are compared, in the forward and in the backward."""
    model = Extremum("max", by_edges).eval()
    compiled = rgnn.compile(model, fullgraph=True)
    for nodes, edge_index, _ in GRAPHS.values():
        args = (steps(nodes, width, torch.bfloat16), edge_index)
        (got,), (right,) = gradients(compiled, [], args), gradients(model, [], to(F64, args))
        assert got.dtype == torch.bfloat16 and error(got, right) <= 2e-2

"""Gradients of maxima and minima, which go to the rows that they were taken from: equal ones share them."""

import pytest
import rgnn
import torch
from checks import F64, check_gradients, gradients
from models import Extremum, Sums, Typed
from pyg import GRAPHS, error, rows, to

pytestmark = pytest.mark.usefixtures("threads")


def steps(nodes, width, dtype):
    """Few different numbers, which are far from each other."""
    return torch.randint(-2, 3, (nodes, width), generator=torch.Generator().manual_seed(7)).to(dtype) / 2


@pytest.mark.sample(4)
@pytest.mark.parametrize("width", [1, 7, 16, 33])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("by_edges", [True, False])
@pytest.mark.parametrize("aggr", ["max", "min"])
def test_ties(aggr, by_edges, dtype, width):
    model = Extremum(aggr, by_edges).eval()
    compiled = rgnn.compile(model, fullgraph=True)
    for nodes, edge_index, _ in GRAPHS.values():
        check_gradients(model, compiled, (steps(nodes, width, dtype), edge_index), dtype)


@pytest.mark.sample(10)
@pytest.mark.parametrize("width", [1, 7, 16, 33])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("postpone", [False, True])
@pytest.mark.parametrize("aggr", ["max", "min"])
def test_candidates_computed_again(aggr, postpone, dtype, width):
    """What a maximum is of is not kept: the backward computes it again, bit for bit."""
    torch.manual_seed(0)
    model = Sums(aggr, width).to(dtype).eval()
    options = rgnn.Options(postpone=postpone)
    compiled = rgnn.compile(model, fullgraph=True, options=options)
    for nodes, edge_index, _ in GRAPHS.values():
        for x in (rows(nodes, width).to(dtype), steps(nodes, width, dtype)):
            check_gradients(model, compiled, (x, edge_index), dtype)
    x = rows(nodes, width).to(dtype)
    report = rgnn.explain(model, x, edge_index, options=options)
    assert report.saved_bytes <= 3 * x.nbytes  # rows of nodes alone
    assert postpone or ("rgnn-recompute", "taken") in {(d.name, d.outcome) for d in report.decisions}


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

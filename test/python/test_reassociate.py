"""The orders in which a layer without types can be written, compiled as written and in the one that is chosen."""

import copy

import pytest
import rgnn
import torch
from models import GCN
from pyg import GRAPHS, error, random_graph, rows, versions

pytestmark = pytest.mark.usefixtures("strict")


def reference(model, x, edge_index, d, e):
    adjacency = torch.zeros(len(x), len(x), dtype=x.dtype)
    ones = torch.ones(edge_index.shape[1], dtype=x.dtype)
    adjacency.index_put_((edge_index[1], edge_index[0]), ones, accumulate=True)
    # Of a node without edges, no factor is read.
    d = torch.where(adjacency.sum(1, keepdim=True) > 0, d, 0)
    e = torch.where(adjacency.sum(0)[:, None] > 0, e, 0)
    return d * (adjacency @ (e * x)) @ model.weight


@pytest.mark.sample(6)
@pytest.mark.parametrize("reassociate", [True, False])
@pytest.mark.parametrize("first", [True, False], ids=["first", "last"])
@pytest.mark.parametrize("on_edges", [True, False], ids=["edges", "nodes"])
@pytest.mark.parametrize("width, out", [(3, 24), (24, 3)])
def test_orders(width, out, on_edges, first, reassociate):
    model = GCN(width, out, on_edges, first)
    options = rgnn.Options(reassociate=reassociate)
    compiled = rgnn.compile(model, options=options, fullgraph=True)
    for graph in ("awkward", "one node", "no edges", "large"):
        nodes, edge_index, _ = GRAPHS[graph]
        degrees = (edge_index[i].bincount(minlength=nodes).double()[:, None] for i in (1, 0))
        # On edges, factors are infinite at nodes without any.
        factors = [degree.clamp(min=0 if on_edges else 1).rsqrt() for degree in degrees]
        args = rows(nodes, width).requires_grad_(), edge_index, *factors
        results = []
        for y in (compiled(*args), reference(model, *args)):
            gradients = torch.autograd.grad((y * rows(nodes, out, seed=1)).sum(), (args[0], model.weight))
            results.append((y, *gradients))
        for got, expected in zip(*results, strict=True):
            assert error(got, expected) <= 1e-10

    decisions = rgnn.explain(model, *args, options=options).decisions
    taken = [d for d in decisions if (d.half, d.name, d.outcome) == ("forward", "rgnn-reassociate", "taken")]
    # Rows so narrow cost less to scale than factors of edges to read.
    assert bool(taken) == (reassociate and (on_edges or (out < width) != first))


def test_variants(tmp_path):
    """Graphs with few edges for each node, and with many, run the order that suits them, saved and loaded too."""
    model = GCN(24, 32, on_edges=False, first=True)
    compiled = rgnn.compile(model, fullgraph=True)
    cases = []
    for nodes, edges in ((50, 20), (20, 1500), (50, 0), (3, 600), (40, 60)):
        _, edge_index, _ = random_graph(nodes, edges)
        degrees = (edge_index[i].bincount(minlength=nodes).double()[:, None] for i in (1, 0))
        args = rows(nodes, 24), edge_index, *(degree.clamp(min=1).rsqrt() for degree in degrees)
        cases.append((args, reference(model, *args)))
    with torch.no_grad():
        for args, expected in cases:
            assert error(compiled(*args), expected) <= 1e-10
        # With few edges as written, to the bit; with many not.
        written = rgnn.compile(copy.deepcopy(model), options=rgnn.Options(reassociate=False), fullgraph=True)
        assert [torch.equal(compiled(*args), written(*args)) for args, _ in cases] == [True, False, True, False, True]
        assert versions(compiled) == 1
        version = compiled._compiled_call_impl.runner.versions[0]
        (variant,) = version.regions[0].region.manifest["variants"]
        assert 1.5 < variant["edges_per_node_below"] < 75
        compiled.save(tmp_path / "gcn.rgnn")
        loaded = rgnn.load(tmp_path / "gcn.rgnn")
        for args, _ in cases:
            assert torch.equal(loaded(*args), compiled(*args))
    # Of the order for many edges: factors of rows, the sum with the others, the product.
    for args, _ in cases:
        args[0].requires_grad_()
        sources = (args[0], model.weight)
        results = compiled(*args), reference(model, *args)
        got, expected = (torch.autograd.grad(y.square().sum(), sources) for y in results)
        assert all(error(*pair) <= 1e-10 for pair in zip(got, expected, strict=True))
    report = rgnn.explain(compiled, *cases[0][0])
    assert len(report.kernels) == 3
    orders = [decision.reason for decision in report.decisions if decision.name == "rgnn-reassociate"]
    assert {"in @forward_1" in reason for reason in orders} == {True, False}


def test_variants_of_the_backward():
    """The backward is a product of its own, over edges the other way round, and has variants of its own."""
    model = GCN(24, 32, on_edges=True, first=True).requires_grad_(False)
    compiled = rgnn.compile(model, fullgraph=True)
    cases = []
    for nodes, edges in ((50, 20), (20, 1500), (50, 0), (3, 600), (40, 60)):
        _, edge_index, _ = random_graph(nodes, edges)
        degrees = (edge_index[i].bincount(minlength=nodes).double()[:, None] for i in (1, 0))
        args = rows(nodes, 24).requires_grad_(), edge_index, *(degree.clamp(min=1).rsqrt() for degree in degrees)
        results = compiled(*args), reference(model, *args)
        cases.append([torch.autograd.grad(y.square().sum(), args[0])[0] for y in results])
    assert all(error(got, expected) <= 1e-10 for got, expected in cases)
    version = compiled._compiled_call_impl.runner.versions[0]
    training = version.regions[0].training
    (variant,) = training.backward.manifest["variants"]
    assert 1.5 < variant["edges_per_node_below"] < 75

"""`rgnn-stack-relations`: relations that are computed at once give what PyTorch computes one by one."""

import copy
import os

import hetero_models as hetero
import pytest
import rgnn
import torch
import torch_geometric.nn as gnn
from hetero_models import WIDTH as W
from hetero_models import Hetero, Loop

PASS = "rgnn-stack-relations"
ENDS = (W, W)
#: A model, and how many groups of relations it has.
MODELS = {
    "sage": (lambda: Hetero(lambda: gnn.SAGEConv(ENDS, W)), 2),
    "mean": (lambda: Hetero(lambda: gnn.SAGEConv(ENDS, W, aggr="max"), aggr="mean", layers=1), 1),
    "alone": (lambda: Hetero(lambda: gnn.SAGEConv(ENDS, W, root_weight=False, bias=False), layers=1), 1),
    "normalised": (lambda: Hetero(lambda: gnn.SAGEConv(ENDS, W, normalize=True), layers=1), 1),
    "joined": (lambda: gnn.HeteroConv({r: gnn.GraphConv(ENDS, W) for r in hetero.RELATIONS}, aggr="cat"), 1),
    "gat": (lambda: Hetero(lambda: gnn.GATConv(ENDS, 3, heads=2, add_self_loops=False)), 2),
    "gat of one head": (lambda: Hetero(lambda: gnn.GATConv(ENDS, W, add_self_loops=False), layers=1), 1),
    "gatv2": (lambda: Hetero(lambda: gnn.GATv2Conv(ENDS, 3, heads=2, add_self_loops=False), layers=1), 1),
    "loop": (Loop, 1),
}

LONG = {"alone", "gat"}  # with RGNN_CHECK=all


def build(make):
    torch.manual_seed(0)
    model = make().double()
    return model, rgnn.compile(copy.deepcopy(model), options=rgnn.Options(stack_relations=True), fullgraph=True)


def get_tensors(result):
    return [tensor for rows in result.values() for tensor in (rows if isinstance(rows, list) else [rows])]


def compare(model, compiled, inputs):
    x, edges, *more = inputs
    results = []
    for each in (model, compiled):
        rows = {kind: features.clone().requires_grad_() for kind, features in x.items()}
        outputs = get_tensors(each(rows, edges, *more))
        total = sum((output * output).sum() for output in outputs)
        leaves = [*rows.values(), *each.parameters()]
        results.append(outputs + list(torch.autograd.grad(total, leaves, allow_unused=True)))
        with torch.no_grad():
            results[-1] += get_tensors(each(rows, edges, *more))
    for wanted, got in zip(*results):
        assert (wanted is None) == (got is None)
        if wanted is not None:
            torch.testing.assert_close(got, wanted, rtol=1e-10, atol=1e-10)


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", MODELS if os.environ.get("RGNN_CHECK") == "all" else sorted(MODELS.keys() - LONG))
def test_like_pytorch(name):
    make, groups = MODELS[name]
    model, compiled = build(make)
    awkward = [] if name.startswith("gat") else hetero.AWKWARD
    for seed, (sizes, numbers) in enumerate(hetero.BATCHES + awkward):
        compare(model, compiled, hetero.batch(sizes, numbers, seed=seed))
    assert len(compiled._compiled_call_impl.runner.versions) == 2
    report = rgnn.explain(model, *hetero.batch(*hetero.BATCHES[0]), options=rgnn.Options(stack_relations=True))
    taken = [each.reason for each in report.decisions if each.name == PASS and each.outcome == "taken"]
    assert taken == [f"{len(hetero.RELATIONS)} relations are computed at once"] * groups


def test_widths():
    """Relations from rows of another width are a group of their own."""
    model, compiled = build(lambda: Hetero(lambda: gnn.SAGEConv((-1, -1), W), layers=1))
    inputs = hetero.batch(*hetero.BATCHES[0], widths=dict(a=3, b=5))
    model(*inputs)
    compiled.load_state_dict(model.state_dict())
    compare(model, compiled, inputs)


class Weighted(torch.nn.Module):
    """Relations with features of edges, or numbers, beside the lists."""

    def __init__(self):
        super().__init__()
        self.convs = gnn.HeteroConv({r: gnn.GraphConv(ENDS, W) for r in hetero.RELATIONS})
        self.attention = gnn.HeteroConv(
            {r: gnn.GATConv(ENDS, W, edge_dim=2, add_self_loops=False) for r in hetero.RELATIONS}
        )

    def forward(self, x, edges, weights, features):
        x = self.convs(x, edges, weights) | {"d": x["d"]}
        return self.attention(x, edges, features)


@pytest.mark.long
def test_edges():
    model, compiled = build(Weighted)
    for sizes, numbers in hetero.BATCHES:
        x, edges = hetero.batch(sizes, numbers)
        draw = torch.Generator().manual_seed(0)
        weights, features = (
            {r: torch.rand(e.shape[1], *shape, generator=draw, dtype=torch.float64) for r, e in edges.items()}
            for shape in ((), (2,))
        )
        compare(model, compiled, (x, edges, weights, features))


class Nested(torch.nn.Module):
    """Terms that are not zero where a relation has no edges."""

    def forward(self, x, edges):
        out = {kind: torch.zeros_like(rows) for kind, rows in x.items()}
        for (start, _, end), (src, dst) in edges.items():
            total = torch.zeros_like(x[end]).index_add(0, dst, x[start][src])
            number = torch.zeros_like(x[end][:, :1]).index_add(0, dst, torch.ones_like(x[start][src, :1]))
            out[end] = out[end] + torch.cos(total) + total / number.clamp(min=1)
        return out


def test_not_zero():
    model, compiled = build(Nested)
    for sizes, numbers in hetero.BATCHES + hetero.AWKWARD:
        compare(model, compiled, hetero.batch(sizes, numbers))


def test_few_stay():
    """Few relations are computed one by one, unless something else is asked for."""
    model = gnn.HeteroConv({r: gnn.GraphConv(ENDS, W) for r in hetero.RELATIONS}).double()
    report = rgnn.explain(model, *hetero.batch(*hetero.BATCHES[0]))
    reasons = [each.reason for each in report.decisions if each.name == PASS]
    assert reasons == ["relations are computed one by one: only 8 are alike"]


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ["sage", "gat"])
def test_a_loss_of_some_types(name):
    """Weights of relations into other types have no gradient, so that no optimiser moves them."""
    model, compiled = build(MODELS[name][0])
    x, edges = hetero.batch(*hetero.BATCHES[0])
    for kind in ("a", "b"):
        found = []
        for each in (model, compiled):
            each.zero_grad()
            each(x, edges)[kind].square().sum().backward()
            found.append([parameter.grad for parameter in each.parameters()])
        assert [each is None for each in found[1]] == [each is None for each in found[0]]
        assert any(each is None for each in found[0])
        for wanted, got in zip(*found):
            torch.testing.assert_close(got, wanted, rtol=1e-10, atol=1e-10)

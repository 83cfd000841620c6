"""What integers of a graph alone decide, such as degrees and GCN's weights, is computed once, as PyTorch does."""

import pytest
import rgnn
import torch
from checks import build, gradients
from pyg import GRAPHS, error, gnn, rows
from rgnn._dynamo import memoize
from torch import nn

W = 8


class Net(nn.Module):
    """A linear layer and a sum over edges, and behind them what a subclass makes of the graph's integers."""

    def __init__(self):
        super().__init__()
        self.conv, self.linear = gnn.GraphConv(W, W), nn.Linear(W, W)

    def forward(self, x, edge_index):
        return self.mix(self.conv(self.linear(x), edge_index), edge_index)


def degrees(x, edge_index):
    ones = torch.ones(edge_index.shape[1], dtype=x.dtype)
    return torch.zeros(x.shape[0], dtype=x.dtype).scatter_add_(0, edge_index[1], ones)


class ByHand(Net):
    """GCN's factors, with changes in place of what is made here."""

    def mix(self, x, edge_index):
        factor = degrees(x, edge_index).pow_(-0.5)
        factor[torch.isinf(factor)] = 0
        factor.masked_fill_(factor > 0.9, 2)
        factor[edge_index[0, :2]] = 0.5  # PyTorch's: a list of integers sets it
        return x * factor.unsqueeze(-1)


class Changes(Net):
    """Degrees that features are added to in place."""

    def mix(self, x, edge_index):
        degree = degrees(x, edge_index)
        degree += x.sum(-1)
        return x * degree.unsqueeze(-1)


class Returns(Net):
    """Degrees that the caller gets, and a view of them."""

    def mix(self, x, edge_index):
        degree = degrees(x, edge_index)
        return x * degree.unsqueeze(-1), degree.view(-1, 1)


class Draws(Net):
    """Random numbers, real and complex ones, as many as there are edges."""

    def mix(self, x, edge_index):
        noise = torch.rand(x.shape[0], dtype=x.dtype) + torch.randn(x.shape[0], dtype=torch.complex128).real
        return x * noise.unsqueeze(-1)


class Learns(Net):
    """Degrees under a weight that is learned."""

    def mix(self, x, edge_index):
        return x * torch.pow(degrees(x, edge_index).unsqueeze(-1) + 1, self.linear.bias)


class Looks(Net):
    """A dense matrix of the graph, which is large."""

    def mix(self, x, edge_index):
        dense = torch.zeros(x.shape[0], x.shape[0], dtype=x.dtype)
        dense[edge_index[0], edge_index[1]] = 1
        return x + dense @ dense.sum(1, keepdim=True)


LAYERS = {
    "GCN": lambda: gnn.GCNConv(W, W),
    "SG": lambda: gnn.SGConv(W, W, 2), "Cheb": lambda: gnn.ChebConv(W, W, 3),
    "ClusterGCN": lambda: gnn.ClusterGCNConv(W, W),
}  # fmt: skip


@pytest.fixture
def computed(monkeypatch):
    """A list that grows with each computation of what is kept."""
    found, stock = [], memoize._are_kept
    monkeypatch.setattr(memoize, "_are_kept", lambda *tensors: found.append(tensors) or stock(*tensors))
    return found


@pytest.mark.sample(6)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=["double", "single"])
@pytest.mark.parametrize("name", LAYERS)
def test_layers(name, dtype, computed, strict):
    """They are whole, in inference and in training; a second call computes nothing, a change of the graph all anew."""
    model, compiled = build(LAYERS[name], dtype)
    bound = 1e-10 if dtype == torch.float64 else 1e-5
    nodes, edge_index, _ = GRAPHS["awkward"]
    edge_index = edge_index.clone()
    for case in ("first", "second", "changed", "new"):
        if case == "changed":
            edge_index[:, :5] = edge_index[:, 5:10].flip(0)
        elif case == "new":
            nodes, edge_index, _ = GRAPHS["large"]
        before, args = len(computed), (rows(nodes, W, dtype=dtype), edge_index)
        with torch.no_grad():
            assert error(compiled(*args), model(*args)) <= bound
        both = [gradients(call, list(call.parameters()), args) for call in (compiled, model)]
        assert all(error(got, expected) <= bound for got, expected in zip(*both, strict=True))
        assert (len(computed) > before) == (case != "second")


@pytest.mark.parametrize("convert", [lambda count, x: count.to(x), lambda count, x: count.type_as(x)])
def test_conversions_to_what_others_have(convert, computed, strict):
    """The dtype of another tensor is read while a model is captured, not the tensor."""

    def function(x, edge_index):
        ones = torch.ones_like(edge_index[1])
        count = convert(ones.new_zeros(x.shape[0]).index_add(0, edge_index[1], ones), x).clamp(min=1)
        return x.new_zeros(x.shape).index_add(0, edge_index[1], x[edge_index[0]]) / count.unsqueeze(1)

    compiled = rgnn.compile(function, fullgraph=True)
    nodes, edge_index, _ = GRAPHS["awkward"]
    for seed in range(2):
        x = rows(nodes, W, seed)
        assert error(compiled(x, edge_index), function(x, edge_index)) <= 1e-10
        assert computed or seed
        del computed[:]


@pytest.mark.sample(3)
@pytest.mark.filterwarnings("ignore:rgnn")
@pytest.mark.parametrize("cls", [ByHand, Changes, Returns, Draws, Learns, Looks])
def test_values(cls, computed):
    """PyTorch's numbers in each call, also where the caller changes what it got."""
    torch.manual_seed(0)
    model = cls().double()
    compiled = rgnn.compile(model)
    edges = GRAPHS["awkward"][1].clone()
    for number, grad in enumerate((False, False, True, True)):
        outcomes = []
        for call in (compiled, model):
            torch.manual_seed(number)
            with torch.set_grad_enabled(grad):
                results = call(rows(23, W), edges)
            results = results if isinstance(results, tuple) else (results,)
            outcomes.append([result.detach().clone() for result in results])
            results[-1].detach().zero_()
        assert all(error(got, expected) <= 1e-10 for got, expected in zip(*outcomes, strict=True))
    assert computed or cls not in (ByHand, Looks)
    assert len(computed) <= 2 * 2  # once for each of two captures, of what their parts have in common


@torch.no_grad()
@pytest.mark.filterwarnings("ignore:rgnn")
def test_large_results_are_not_kept(computed, monkeypatch):
    for limit in ("_ALWAYS_KEPT", "_MAX_GROWTH"):
        monkeypatch.setattr(memoize, limit, 0)
    model = Looks().double()
    compiled, args = rgnn.compile(model), (rows(150, W), GRAPHS["large"][1])
    for _ in range(2):
        before = len(computed)
        assert error(compiled(*args), model(*args)) <= 1e-10 and len(computed) > before


@pytest.mark.filterwarnings("ignore:rgnn")
def test_modes():
    """With autocast and without, in inference mode and without, each call gives what PyTorch gives then."""
    torch.manual_seed(0)
    model = gnn.GCNConv(W, W)
    compiled, edges = rgnn.compile(model), GRAPHS["awkward"][1].clone()
    x = rows(23, W, dtype=torch.float32)
    for inference, autocast in ((False, True), (True, False), (False, False), (True, True), (False, True)):
        with torch.inference_mode(inference), torch.autocast("cpu", enabled=autocast, dtype=torch.bfloat16):
            got, expected = compiled(x, edges), model(x, edges)
        assert got.dtype == expected.dtype
        assert error(got.double(), expected.double()) <= (2e-2 if autocast else 1e-5)


def test_what_pytorch_runs_alone_is_reported():
    """Without a region nothing is kept, and all of it is a reason."""

    class Alone(nn.Module):
        def forward(self, x, edge_index):
            return x.cumsum(0) * torch.zeros(x.shape[0], dtype=x.dtype).index_fill(0, edge_index[1], 2.0).unsqueeze(-1)

    ops = {op for op, *_ in rgnn.explain(Alone(), rows(23, W), GRAPHS["awkward"][1]).fallbacks}
    assert {"aten.cumsum", "aten.zeros"} <= ops


def test_batches_of_their_own_tensors_are_not_kept(computed):
    """What no call finds again is computed without being kept; once a graph comes back, it is again."""
    def looped(x, edge_index):
        edge_index = torch.cat([edge_index, torch.arange(len(x)).repeat(2, 1)], 1)
        return x.new_zeros(x.shape).index_add(0, edge_index[1], x[edge_index[0]].tanh())

    compiled = rgnn.compile(looped, fullgraph=True)
    x = rows(9, 6)
    count = 2 * memoize._MAX_KEPT
    batches = [torch.randint(9, (2, 5 + number)) for number in range(2 * count)]
    for edge_index in batches:
        assert torch.allclose(compiled(x, edge_index), looped(x, edge_index))
    before = len(computed)
    for _ in range(count):
        assert torch.allclose(compiled(x, batches[0]), looped(x, batches[0]))
    assert len(computed) - before <= memoize._MAX_KEPT
    batches[0][:, 0] = 1  # a change is seen
    assert torch.allclose(compiled(x, batches[0]), looped(x, batches[0]))

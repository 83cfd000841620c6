"""Attention among the nodes of each graph, which PyTorch runs on dense batches, in models that are compiled whole."""

import copy

import pytest
import rgnn
import torch
from pyg import error, gnn, versions
from rgnn._runner import runner_of
from torch import nn

WIDTH = 8
# Nodes of each graph: one each, one graph, and one without nodes that is not the last.
COUNTS = ((3, 5, 2), (1, 1, 1), (4,), (2, 0, 3), (6, 1))


class Attention(nn.Module):
    """Layers of GPS, and means of the rows of each graph."""

    def __init__(self, norm, layers):
        super().__init__()
        self.layers = nn.ModuleList(gnn.GPSConv(WIDTH, gnn.SAGEConv(WIDTH, WIDTH), heads=2, norm=norm)
                                    for _ in range(layers))  # fmt: skip

    def forward(self, x, edge_index, batch):
        for layer in self.layers:
            x = layer(x, edge_index, batch)
        return gnn.global_mean_pool(x, batch)


class Pools(nn.Module):
    """Norms and pools of the same graphs, each of which asks how many they are."""

    def __init__(self):
        super().__init__()
        self.layer, self.norm, self.last = gnn.SAGEConv(WIDTH, WIDTH), gnn.GraphNorm(WIDTH), gnn.LayerNorm(WIDTH)

    def forward(self, x, edge_index, batch):
        x = self.last(self.layer(self.norm(x, batch), edge_index).relu(), batch)
        return gnn.global_mean_pool(x, batch), gnn.global_max_pool(x, batch), gnn.global_add_pool(x, batch)


def batches(all_counts=COUNTS):
    for counts in all_counts:
        nodes = sum(counts)
        batch = torch.repeat_interleave(torch.arange(len(counts)), torch.tensor(counts))
        yield torch.randn(nodes, WIDTH, requires_grad=True), torch.randint(0, nodes, (2, 2 * nodes)), batch


def check(model, compiled, counts=COUNTS):
    torch.manual_seed(0)
    for args in batches(counts):
        outcomes = []
        for one in (model, compiled):
            out = one(*args)
            out = torch.cat(out) if isinstance(out, tuple) else out
            factor = torch.linspace(-1, 1, out.numel()).view(out.shape)
            wanted = [args[0], *one.parameters()]
            outcomes.append((out, *torch.autograd.grad((out * factor).sum(), wanted, allow_unused=True)))
        for own, got in zip(*outcomes, strict=True):
            assert (own is None) == (got is None)
            assert own is None or error(got, own) <= 1e-10


@pytest.mark.usefixtures("strict", "float64")
@pytest.mark.parametrize("norm, layers", [pytest.param("layer_norm", 2, marks=pytest.mark.long), (None, 1)])
def test_attention(norm, layers):
    model = Attention(norm, layers)
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    check(model, compiled)
    for version in runner_of(compiled).versions:
        assert "multi_head_attention_forward" in {op for op, *_ in version.dense}
    report = rgnn.explain(compiled, *next(batches()))
    assert not report.fallbacks
    assert "runs in PyTorch, on dense batches:" in str(report)


@pytest.mark.usefixtures("float64")
@pytest.mark.filterwarnings("ignore:rgnn")
@pytest.mark.long
def test_one_node():
    """How many rows a mask picks is not known to be one: the pool runs in PyTorch."""
    model = Attention(None, 1)
    check(model, rgnn.compile(copy.deepcopy(model)), ((1,), (3, 2), (1,)))


@pytest.mark.usefixtures("strict", "float64")
def test_one_count():
    model = Pools()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    check(model, compiled)
    versions(compiled)
    assert all(len(version.regions) == 1 for version in runner_of(compiled).versions)


@pytest.mark.usefixtures("float64")
@pytest.mark.filterwarnings("ignore:rgnn")
@pytest.mark.parametrize("squeeze", [lambda x: x.squeeze(), lambda x: x.squeeze(0)], ids=["all", "first"])
def test_one_row_that_a_mask_picks(squeeze):
    """How many rows a mask picks only data say: where it is one, `squeeze` drops the dimension."""

    def model(x, edge_index, mask):
        return squeeze(torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]].exp())[mask]).sum(-1)

    compiled = rgnn.compile(model)
    for picked in (4, 1, 0, 9, 1):
        args = torch.randn(9, WIDTH), torch.randint(0, 9, (2, 20)), torch.arange(9) < picked
        assert error(compiled(*args), model(*args)) <= 1e-12


@pytest.mark.parametrize("scores", [
    lambda h, queries: 9 - torch.norm(h[queries].unsqueeze(1) - h, p=1, dim=2),
    lambda h, queries: (h[queries][:, None] * h[None]).sum(-1).sigmoid(),
    lambda h, queries: h[queries] @ h.t(),
])
def test_scores_of_all_pairs(scores):
    """PyTorch computes them, which is no fallback: what makes the rows is compiled."""

    def function(x, edge_index, queries):
        return scores(torch.zeros_like(x).index_add(0, edge_index[1], x.tanh()[edge_index[0]]), queries)

    compiled = rgnn.compile(function)
    for nodes, count in ((7, 3), (9, 5)):
        x, edges = torch.randn(nodes, 4, dtype=torch.float64, requires_grad=True), torch.randint(nodes, (2, 20))
        queries = torch.randint(nodes, (count,))
        expected, got = function(x, edges, queries), compiled(x, edges, queries)
        torch.testing.assert_close(got, expected)
        for one, other in zip(*(torch.autograd.grad(out.square().sum(), x) for out in (expected, got)), strict=True):
            torch.testing.assert_close(other, one)
    (version,) = runner_of(compiled).versions
    assert version.regions and version.dense and not version.fallbacks


def test_convolutions_of_images():
    """As ConvE scores triples by; along one dimension, as of each node's time steps, they are a fallback."""

    class Scores(nn.Module):
        def __init__(self, kernel):
            super().__init__()
            self.relations, self.conv = nn.Parameter(torch.randn(3, 12)), nn.Conv2d(1, 2, kernel)

        def forward(self, x, edge_index, source, kind):
            h = torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])
            images = torch.cat([h[source].view(-1, 1, 3, 4), self.relations[kind].view(-1, 1, 3, 4)], 2)
            return self.conv(images).relu().flatten(1)

    x, edge_index = torch.randn(9, 12), torch.randint(9, (2, 30))
    inputs = x, edge_index, torch.randint(9, (7,)), torch.randint(3, (7,))
    model = Scores((2, 3))
    compiled = rgnn.compile(model, fullgraph=True)
    assert torch.allclose(compiled(*inputs), model(*inputs), atol=1e-5)
    with pytest.raises(rgnn.FallbackError, match="conv2d"):
        rgnn.compile(Scores((2, 1)), fullgraph=True)(*inputs)


def test_losses_of_pairs():
    """A contrastive loss compares all pairs of rows of a batch."""

    def model(x, edge_index, batch):
        h = torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])
        one, other = nn.functional.normalize(x[batch], dim=1), nn.functional.normalize(h[batch], dim=1)
        return -torch.diag(nn.functional.log_softmax(one @ other.T / 0.2, dim=1)).mean()

    compiled = rgnn.compile(model, fullgraph=True)
    for nodes, count in ((9, 5), (14, 8)):
        x, edge_index = torch.randn(nodes, 4, requires_grad=True), torch.randint(nodes, (2, 30))
        batch = torch.randint(nodes, (count,))
        right, got = (torch.autograd.grad(run(x, edge_index, batch), x)[0] for run in (model, compiled))
        assert torch.allclose(got, right, atol=1e-5)

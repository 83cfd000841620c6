"""Functions that a model runs under ``torch.utils.checkpoint``: compiled, and computed again for the backward."""

import copy

import pytest
import rgnn
import torch
from pyg import gnn
from rgnn._run.region import Region
from rgnn._runner import runner_of
from test_rows import graph, rows
from test_two_sets import step
from torch import nn
from torch.utils.checkpoint import checkpoint


class Residual(nn.Module):
    """Layers with averages of batches and dropout; what is around them is compiled for itself."""

    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList(gnn.GraphConv(6, 6) for _ in range(2))
        self.norms = nn.ModuleList(nn.BatchNorm1d(6) for _ in range(2))
        self.first, self.drop = gnn.GraphConv(6, 6), nn.Dropout(0.3)

    def forward(self, x, edge_index):
        x = self.first(x.sin(), edge_index)
        for conv, norm in zip(self.convs, self.norms):
            inner = checkpoint(lambda x, conv=conv, norm=norm: self.drop(norm(conv(x, edge_index)).relu()), x,
                               use_reentrant=False)  # fmt: skip
            x = x + inner
        return self.first(x, edge_index)


class Deep(nn.Module):
    """PyG's layers, of which every other is checkpointed."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(
            gnn.DeepGCNLayer(gnn.GENConv(6, 6, aggr="softmax", learn_t=True, num_layers=2, norm="layer"),
                             nn.LayerNorm(6), nn.ReLU(inplace=True), dropout=0.1, ckpt_grad=number % 2 == 1)
            for number in range(3))  # fmt: skip

    def forward(self, x, edge_index):
        x = self.layers[0].conv(x, edge_index)
        for layer in self.layers[1:]:
            x = layer(x, edge_index)
        return x


@pytest.mark.parametrize("cls", [Residual, Deep])
@pytest.mark.parametrize("training", [True, False])
def test_values_gradients_and_averages(cls, training):
    torch.manual_seed(3)
    model = cls().double().train(training)
    own = copy.deepcopy(model)
    compiled = rgnn.compile(own)
    for sizes in ((9, 20), (7, 0), (30, 80), (2, 5)):
        args, results = (rows(sizes[0], 6), graph(*sizes)), []
        for each in (compiled, model):
            torch.manual_seed(sum(sizes))
            results.append(step(each, args))
        for got, expected in zip(*results, strict=True):
            torch.testing.assert_close(got, expected, rtol=1e-10, atol=1e-12)
        for got, expected in zip(own.buffers(), model.buffers(), strict=True):  # counted twice, as in PyTorch
            torch.testing.assert_close(got, expected)
    (version,) = runner_of(compiled).versions
    assert len(version.regions) >= 2 and not [told for told in version.fallbacks if "checkpoint" in told[0]]


def test_the_backward_computes_again(monkeypatch):
    model = Residual().double()
    compiled = rgnn.compile(model)
    compiled(rows(9, 6), graph(9, 20))
    runs = []
    stock = Region.run
    monkeypatch.setattr(Region, "run", lambda self, tensors: runs.append(self) or stock(self, tensors))
    out = compiled(rows(9, 6), graph(9, 20))
    forward = list(runs)
    out.sum().backward()
    again = [region for region in runs[len(forward) :] if region in forward]
    assert len(forward) == 4 and len(again) == 2, "each checkpoint runs once more"


@pytest.mark.filterwarnings("ignore:rgnn")
@pytest.mark.parametrize("draw", [torch.rand_like, lambda h: nn.functional.dropout(h.relu(), 0.3)])
def test_what_is_drawn_behind(draw):
    """Random numbers come in the model's order: those of the checkpointed function first."""

    class Draws(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = gnn.SAGEConv(6, 6), gnn.SAGEConv(6, 6)

        def forward(self, x, edge_index):
            inner = lambda x: nn.functional.dropout(self.first(x, edge_index), 0.3)  # noqa: E731
            h = checkpoint(inner, x, use_reentrant=False)
            return self.second(h + draw(h), edge_index)

    model = Draws().double()
    compiled = rgnn.compile(copy.deepcopy(model))
    for nodes, edges in ((9, 30), (5, 7)):
        x, edge_index = torch.randn(nodes, 6).double().requires_grad_(), torch.randint(nodes, (2, edges))
        found = []
        for one in (model, compiled):
            torch.manual_seed(nodes)
            out = one(x, edge_index)
            found.append([out, *torch.autograd.grad((out**2).sum(), [x, *one.parameters()])])
        torch.testing.assert_close(*found)

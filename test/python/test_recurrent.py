"""Recurrent layers in a model: short ones are compiled with what is around them, within which PyTorch runs others."""

import pytest
import rgnn
import torch
from checks import seeded
from pyg import error, gnn, random_graph, rows
from rgnn._runner import runner_of
from torch import nn

WHOLE = {
    "gru": (nn.GRU, {}),
    "gru without biases": (nn.GRU, {"bias": False, "num_layers": 2}),
    "lstm": (nn.LSTM, {"num_layers": 2}),
    "lstm both ways": (nn.LSTM, {"bidirectional": True, "num_layers": 2}),
    "rnn": (nn.RNN, {"bidirectional": True}),
    "rnn relu": (nn.RNN, {"nonlinearity": "relu"}),
}
OTHERS = {
    "lstm with dropout": (nn.LSTM, {"num_layers": 2, "dropout": 0.5}),
    "lstm projected": (nn.LSTM, {"proj_size": 5}),
    "rnn_tanh of many cells": (nn.RNN, {"num_layers": 9}),
}


class Temporal(nn.Module):
    """A layer on the graph of each step, and a recurrent one along the steps."""

    def __init__(self, kind, options):
        super().__init__()
        self.layer, self.recurrent = gnn.GraphConv(8, 16), kind(16, 10, batch_first=True, **options)
        self.head = nn.Linear(self.recurrent(torch.zeros(1, 1, 16))[0].shape[-1], 3)

    def forward(self, x, edge_index):
        steps = [self.layer(x[:, step], edge_index).relu() for step in range(x.shape[1])]
        return self.head(self.recurrent(torch.stack(steps, dim=1))[0][:, -1])


@pytest.mark.sample(9)
@pytest.mark.parametrize("name", [*WHOLE, *OTHERS])
@pytest.mark.filterwarnings("ignore:rgnn")
def test_like_pytorch(name, tmp_path):
    """Values and gradients with the same draws of dropout, for several sizes, and saved."""
    torch.manual_seed(0)
    kind, options = {**WHOLE, **OTHERS}[name]
    model = Temporal(kind, options).double()
    compiled = rgnn.compile(model)
    for number, nodes in enumerate((30, 41, 5)):
        model.train(number < 2), compiled.train(number < 2)
        x = torch.stack([rows(nodes, 8) for _ in range(2)], dim=1).requires_grad_()
        edge_index = random_graph(nodes, 3 * nodes)[1]
        outcomes = []
        for call in (model, compiled):
            out = seeded(call)(x, edge_index)
            outcomes.append((out, *torch.autograd.grad(out.square().sum(), [x, *model.parameters()])))
        assert all(error(got.detach(), own.detach()) <= 1e-10 for own, got in zip(*outcomes, strict=True))
    versions = runner_of(compiled).versions
    assert len(versions) == 2 and all(len(version.regions) == 1 and not version.broken for version in versions)
    if name in WHOLE:
        assert not any(version.fallbacks for version in versions)
    else:
        (op, reason, _), *others = versions[0].fallbacks
        assert op == name.split()[0] and reason == "no rule for it" and not others
    with torch.no_grad():
        own = model(x, edge_index)
        compiled(x, edge_index)
    compiled.save(tmp_path / "model.rgnn")
    assert error(rgnn.load(tmp_path / "model.rgnn").eval()(x, edge_index), own) <= 1e-10


class Steps(nn.Module):
    """One step of a sequence per layer, whose states the nodes keep, in front of which layers have a dimension."""

    def __init__(self, kind):
        super().__init__()
        self.layers, self.recurrent = nn.ModuleList(gnn.SAGEConv(8, 8) for _ in range(3)), kind(8, 8)

    def forward(self, x, edge_index):
        state = x.unsqueeze(0)
        state = (state, torch.zeros_like(state)) if isinstance(self.recurrent, nn.LSTM) else state
        for layer in self.layers:
            out, state = self.recurrent(layer(x, edge_index).relu().unsqueeze(0), state)
            x = out.squeeze(0)
        return x


@pytest.mark.parametrize("kind", [nn.GRU, nn.LSTM, nn.RNN])
def test_one_step(kind):
    torch.manual_seed(0)
    model = Steps(kind).double()
    compiled = rgnn.compile(model, fullgraph=True)
    for nodes in (30, 41, 5, 1):
        x, edge_index = rows(nodes, 8).requires_grad_(), random_graph(nodes, 3 * nodes)[1]
        outcomes = []
        for call in (model, compiled):
            out = call(x, edge_index)
            outcomes.append((out, *torch.autograd.grad(out.square().sum(), [x, *model.parameters()])))
        assert all(error(got.detach(), own.detach()) <= 1e-10 for own, got in zip(*outcomes, strict=True))


@pytest.mark.parametrize("nonlinearity", ["tanh", "relu"])
def test_cells(nonlinearity):
    """A memory of nodes, some rows of which a cell computes anew."""
    torch.manual_seed(0)

    class Memory(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.cell = gnn.GraphConv(8, 8), nn.RNNCell(8, 8, nonlinearity=nonlinearity)

        def forward(self, x, edge_index, nodes):
            h = self.conv(x, edge_index)
            h[nodes, :] = self.cell(h[nodes], x[nodes])
            return self.conv(h, edge_index)

    model = Memory().double()
    compiled = rgnn.compile(model, fullgraph=True)
    for count in (30, 41, 5):
        x, edge_index = rows(count, 8).requires_grad_(), random_graph(count, 3 * count)[1]
        nodes = torch.randperm(count)[: count // 2]
        outcomes = []
        for call in (model, compiled):
            out = call(x, edge_index, nodes)
            outcomes.append((out, *torch.autograd.grad(out.square().sum(), [x, *model.parameters()])))
        assert all(error(got.detach(), own.detach()) <= 1e-10 for own, got in zip(*outcomes, strict=True))

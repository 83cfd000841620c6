"""Recurrent layers in a model: PyTorch runs them within the graph, and what is around them is compiled."""

import pytest
import rgnn
import torch
from checks import seeded
from pyg import error, gnn, random_graph, rows
from rgnn._runner import runner_of
from torch import nn

KINDS = {
    "gru": (nn.GRU, {}),
    "lstm": (nn.LSTM, {"num_layers": 2, "dropout": 0.5}),
    "rnn": (nn.RNN, {"bidirectional": True}),
    "projected": (nn.LSTM, {"proj_size": 5}),
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


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.filterwarnings("ignore:rgnn")
def test_like_pytorch(name, tmp_path):
    """Values and gradients with the same draws of dropout, for several sizes, and saved."""
    torch.manual_seed(0)
    kind, options = KINDS[name]
    model = Temporal(kind, options).double()
    compiled = rgnn.compile(model)
    for number, nodes in enumerate((30, 41, 5)):
        model.train(number < 2), compiled.train(number < 2)
        x = torch.stack([rows(nodes, 8) for _ in range(4)], dim=1).requires_grad_()
        edge_index = random_graph(nodes, 3 * nodes)[1]
        outcomes = []
        for call in (model, compiled):
            out = seeded(call)(x, edge_index)
            outcomes.append((out, *torch.autograd.grad(out.square().sum(), [x, *model.parameters()])))
        assert all(error(got.detach(), own.detach()) <= 1e-10 for own, got in zip(*outcomes, strict=True))
    versions = runner_of(compiled).versions
    assert len(versions) == 2 and all(len(version.regions) == 1 and not version.broken for version in versions)
    (op, reason, _), *others = versions[0].fallbacks
    assert op.startswith(name if name != "projected" else "lstm") and reason == "no rule for it" and not others
    with torch.no_grad():
        own = model(x, edge_index)
        compiled(x, edge_index)
    compiled.save(tmp_path / "model.rgnn")
    assert error(rgnn.load(tmp_path / "model.rgnn").eval()(x, edge_index), own) <= 1e-10

"""Errors that a model catches itself, of what is captured."""

import copy

import pytest
import rgnn
import torch
from pyg import gnn
from torch import nn

pytestmark = [pytest.mark.usefixtures("float64"), pytest.mark.filterwarnings("ignore:rgnn")]
N, F = 6, 4


def on_data(conv, x, edge_index):
    h = conv(x, edge_index)
    if (edge_index >= N).any():
        raise IndexError("too large")
    return h


FUNCTIONS = {
    "in a region": lambda conv, x, edge_index: conv(x, edge_index),
    "behind a branch": on_data,
    "behind a region": lambda conv, x, edge_index: conv(x, edge_index)[edge_index[0, :3] * 2 - edge_index[0, :3]],
    "by a number": lambda conv, x, edge_index: conv(x, edge_index)[int(edge_index.max())],
    "of a shape": lambda conv, x, edge_index: conv(x, edge_index).view(-1, 3 if edge_index.size(1) == 7 else F),
}


class Catches(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.conv, self.other, self.function, self.calls = gnn.SAGEConv(F, F), nn.Linear(F, F), function, 0

    def forward(self, x, edge_index):
        self.calls += 1
        try:
            return self.function(self.conv, x, edge_index)
        except (IndexError, RuntimeError):
            return self.other(x)


@pytest.mark.parametrize("case", FUNCTIONS)
def test_the_model_goes_on(case, capfd):
    model = Catches(FUNCTIONS[case])
    compiled = rgnn.compile(own := copy.deepcopy(model))
    for edges, offset in ((11, 0), (11, 0), (7, 0), (11, 9), (7, 0), (11, 0), (7, 9)):
        x, edge_index = torch.randn(N, F, requires_grad=True), torch.randint(N, (2, edges)) + offset
        found = []
        for one, held in ((model, model), (compiled, own)):
            held.zero_grad()
            out = one(x, edge_index)
            (out**2).sum().backward()
            found.append([out, x.grad, [parameter.grad for parameter in held.parameters()]])
            x.grad = None
        torch.testing.assert_close(*found)
    assert compiled.calls == model.calls == 7
    assert "FX-traced" not in capfd.readouterr().err


def test_with_a_sparse_matrix():
    class OfMatrix(Catches):
        def forward(self, x, adjacency, picked):
            self.calls += 1
            try:
                return self.conv(x, adjacency)[picked]
            except IndexError:
                return self.other(x)

    model = OfMatrix(None)
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for edges, offset in ((11, 0), (7, N), (9, 0), (9, N)):
        x, picked = torch.randn(N, F, requires_grad=True), torch.arange(3) + offset
        adjacency = torch.sparse_coo_tensor(torch.randint(N, (2, edges)), torch.rand(edges), (N, N))
        found = []
        for one in (model, compiled):
            x.grad = None
            (out := one(x, adjacency, picked)).square().sum().backward()
            found.append([out, x.grad])
        torch.testing.assert_close(*found)
    assert compiled.calls == model.calls == 4


def test_others_errors_come_once():
    """PyTorch is not asked again for errors that the model's own code raises."""

    class Refuses(Catches):
        def forward(self, x, edge_index):
            h = self.conv(x, edge_index)
            if x.size(0) > N:
                self.calls += 1
                raise ValueError("too many rows")
            return h

    compiled = rgnn.compile(Refuses(None))
    compiled(torch.randn(N, F), torch.randint(N, (2, 9)))
    with pytest.raises(ValueError, match="^too many rows$"):
        compiled(torch.randn(N + 1, F), torch.randint(N, (2, 9)))
    assert compiled.calls == 1


def test_what_pytorch_wraps_is_refused():
    """A model that raises nothing by itself catches nothing: ids that count from the end are wrong for RGCN."""
    compiled = rgnn.compile(gnn.RGCNConv(N, F, 2))
    args = torch.randint(N, (2, 9)), torch.randint(2, (9,))
    compiled(torch.arange(N), *args)
    wrong = torch.full((N,), -1)
    with pytest.raises(rgnn.InputError, match="got -1"):
        compiled(wrong, *args)

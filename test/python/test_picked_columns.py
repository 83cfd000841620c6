"""Columns of rows that integers pick."""

import copy

import pytest
import rgnn
import torch
from torch import nn

pytestmark = pytest.mark.usefixtures("float64", "strict")


def correlation(a, b):
    size = a.size(-1)
    numbers = torch.arange(size, device=a.device)
    return (a.unsqueeze(-2) * b[..., (numbers.view(1, -1) + numbers.view(-1, 1)) % size]).sum(-1)


class Correlation(nn.Module):
    """Circular correlation, as CompGCN composes an entity with a relation."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(5, 4))

    def forward(self, x, relations, edge_index, edge_type):
        source, target = edge_index
        message = correlation(x[source], relations[edge_type]) @ self.weight
        return torch.zeros(len(x), 4).index_add(0, target, message)


class Shuffled(nn.Module):
    """Columns in an order that a buffer has, which a caller may change."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(5, 6)
        self.register_buffer("order", torch.tensor([4, -6, 2, 1, 0]))

    def forward(self, x, edge_index):
        source, target = edge_index
        h = torch.zeros(len(x), 6).index_add(0, target, self.linear(x)[source])
        return h[:, self.order]


class Heads(nn.Module):
    """The second of three dimensions, by ``index_select`` and by a list."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(5, 12)
        self.register_buffer("order", torch.tensor([2, 0]))

    def forward(self, x, edge_index):
        source, target = edge_index
        h = self.linear(x).view(-1, 3, 4)[source]
        h = h.index_select(1, self.order) - h[:, [1, 2]] + h[:, torch.tensor([0, 0]), :]
        return torch.zeros(len(x), 2, 4).index_add(0, target, h).relu()


def batches(count=5):
    for nodes, edges in ((7, 20), (11, 30), (3, 0), (1, 4)):
        yield (torch.randn(nodes, count), torch.randint(0, nodes, (2, edges)), torch.randint(0, 3, (edges,)))


def equal(model, *args):
    compiled = rgnn.compile(copy.deepcopy(model))
    for x, edge_index, edge_type in batches():
        relations = (torch.randn(3, 5),) if isinstance(model, Correlation) else ()
        types = (edge_type,) if relations else ()
        found, gradients = [], []
        for function in model, compiled:
            given = x.clone().requires_grad_()
            found.append(function(given, *relations, edge_index, *types))
            weights = list(function.parameters())
            gradients.append(torch.autograd.grad((found[-1] ** 2).sum(), [given, *weights]))
        torch.testing.assert_close(found[1], found[0])
        torch.testing.assert_close(gradients[1], gradients[0])
    explained = rgnn.explain(compiled, x, *relations, edge_index, *types)
    assert not explained.fallbacks and len(explained.versions) == 1
    return compiled


@pytest.mark.parametrize("model", [Correlation, Shuffled, Heads])
def test_columns(model):
    torch.manual_seed(0)
    equal(model())


def test_order_is_read_in_each_call():
    model = Shuffled()
    compiled = rgnn.compile(copy.deepcopy(model))
    x, edge_index, _ = next(batches())
    for order in ([0, 1, 2, 3, 4], [5, 5, 5, 0, -1]):
        for each in (model, compiled):
            each.order.copy_(torch.tensor(order))
        torch.testing.assert_close(compiled(x, edge_index), model(x, edge_index))


def test_infinite_columns_stay_apart():
    model = Shuffled()
    compiled = rgnn.compile(copy.deepcopy(model))
    x, edge_index, _ = next(batches())
    for each in (model, compiled):
        with torch.no_grad():
            each.linear.bias[3] = torch.inf
    torch.testing.assert_close(compiled(x, edge_index), model(x, edge_index))


def test_wrong_column():
    model = Shuffled()
    compiled = rgnn.compile(copy.deepcopy(model))
    x, edge_index, _ = next(batches())
    compiled(x, edge_index)
    compiled.order[0] = 6
    with pytest.raises(IndexError, match="out of"):
        compiled(x, edge_index)

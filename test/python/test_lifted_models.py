"""Numbers of all rows, products of weights, and whole layers as users write them: values and gradients of PyTorch."""

import pytest
import rgnn
import torch
import torch.nn.functional as F
from lifting import WIDTH, check, outcome
from pyg import GRAPHS, error, gnn, rows
from torch import nn

pytestmark = pytest.mark.usefixtures("strict")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_numbers_of_rows(dtype):
    """How many nodes and edges there are, as numbers that features are computed with."""

    def model(x, edge_index):
        h = (x / x.shape[0] ** 0.5)[edge_index[0]] / (edge_index.shape[1] + 1)
        h = (x.shape[0] - h) / (x.shape[0] * 2 + 1)
        return h.new_zeros(len(x), WIDTH).index_add(0, edge_index[1], h.tanh())

    check(model, dtype)


OF_ALL_ROWS = {
    "layer": gnn.LayerNorm(WIDTH),
    "pair": gnn.PairNorm(2.0),
    "graph": gnn.GraphNorm(WIDTH),
    "deviation": lambda x: x / (1 + x.std(0)) - torch.var(x, dim=0, unbiased=False) + x.std(0, keepdim=True),
    "total": lambda x: x * x.sum() + torch.mean(x) + x.var(),
}


@pytest.mark.parametrize("name", OF_ALL_ROWS)
def test_numbers_of_all_rows(name):
    """Normalisations without a list of graphs: means and deviations of all rows, and of all numbers."""
    norm = OF_ALL_ROWS[name]
    if isinstance(norm, nn.Module):
        norm = norm.double()

    def model(x, edge_index):
        return norm(x.index_add(0, edge_index[1], x[edge_index[0]]).tanh())

    compiled = rgnn.compile(model, fullgraph=True)
    for nodes, edge_index, _ in GRAPHS.values():
        x = rows(nodes, WIDTH, dtype=torch.float64).requires_grad_()
        own, got = (outcome(call, x, edge_index, []) for call in (model, compiled))
        for one, other in zip(own, got, strict=True):
            torch.testing.assert_close(other, one, rtol=1e-9, atol=1e-12, equal_nan=True)


PRODUCTS = {
    "bases": lambda c, b: torch.einsum("rb,bij->rij", c, b),
    "bases, the other way": lambda c, b: torch.einsum("bij, rb -> rji", b, c).transpose(1, 2),
    "scaled": lambda c, b: torch.einsum("r,rij->rij", c.sum(1), b),
    "tensordot": lambda c, b: torch.tensordot(c, b, 1),
    "with both kept": lambda c, b: torch.einsum("rb,rij->rbij", c, b).sum(1),
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_of_weights(name):
    """Weights of relations that are made of others."""

    def model(x, edge_index, coefficients, bases):
        weight, out = PRODUCTS[name](coefficients, bases), x
        for number in range(3):
            kept = edge_index[:, number::3]
            out = out.index_add(0, kept[1], x[kept[0]] @ weight[number])
        return out

    check(model, torch.float64, [torch.randn(3, 3), torch.randn(3, WIDTH, WIDTH)])


def test_lists_that_are_expanded():
    """As code that is written for rows of any rank does it, numbers among them."""

    def model(x, edge_index):
        number = x[:, 0][edge_index[0]]
        total = torch.zeros(len(x), dtype=x.dtype).scatter_add(0, edge_index[1].expand_as(number), number)
        best = torch.zeros_like(x).scatter_reduce(0, edge_index[1][:, None].expand(-1, x.shape[1]), x[edge_index[0]],
                                                  "amax", include_self=False)  # fmt: skip
        return best * total[:, None]

    check(model, torch.float64)


def test_products_that_repeat_a_size_of_one():
    """PyTorch computes them."""

    def model(x, edge_index, coefficients, bases):
        weight = torch.einsum("rb,bij->rij", coefficients[:, :1], bases)
        return x.index_add(0, edge_index[1], x[edge_index[0]] @ weight[0])

    args = rows(9, WIDTH), torch.randint(9, (2, 20)), rows(3, 3), torch.randn(3, WIDTH, WIDTH, dtype=torch.float64)
    with pytest.warns(match="a part of the model runs in PyTorch: .*einsum"):
        found = rgnn.compile(model)(*args)
    torch.testing.assert_close(found, model(*args))


FILLED = {
    "a shape": lambda x: x.new_zeros(x.shape[:1], dtype=torch.long),
    "the shape of another": lambda x: x.new_zeros(x[:, 0].shape, dtype=torch.long),
    "a list": lambda x: x.new_ones([len(x)], dtype=torch.long) - 1,
    "a number": lambda x: x.new_zeros(x.size(0), dtype=torch.long),
    "by name": lambda x: x.new_zeros(size=(x.size(0),), dtype=torch.long),
}


@pytest.mark.parametrize("name", FILLED)
def test_integers_that_are_filled(name):
    """A list that has all nodes in one graph."""

    def model(x, edge_index):
        batch = FILLED[name](x)
        h = x.index_add(0, edge_index[1], x[edge_index[0]])
        return h - h.new_zeros(1, WIDTH).index_add(0, batch, h)[batch]

    check(model, torch.float64)


class Equivariant(nn.Module):
    """Messages of both ends and their distance, whose column of the weight is one vector; a gate of positions."""

    def __init__(self):
        super().__init__()
        self.message, self.gate = nn.Linear(2 * WIDTH - 5, 4), nn.Linear(4, 1)

    def forward(self, x, edge_index):
        features, position = x[:, 3:], x[:, :3]
        src, dst = edge_index
        apart = position[dst] - position[src]
        distance = (apart * apart).sum(-1, keepdim=True)
        message = F.silu(self.message(torch.cat([features[dst], features[src], distance], -1)))
        moved = position.index_add(0, dst, apart / (distance.sqrt() + 1) * self.gate(message))
        return torch.cat([message.new_zeros(len(x), 4).index_add(0, dst, message), moved], -1)


class TypedBySource(nn.Module):
    """A weight of the type that the source of each edge has."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, WIDTH, 4))

    def forward(self, x, edge_index, node_type):
        of_edge = self.weight[node_type[edge_index[0]]]
        message = torch.bmm(x[edge_index[0]][:, None], of_edge).squeeze(1)
        return message.new_zeros(len(x), 4).index_add(0, edge_index[1], message)


@pytest.mark.parametrize("model", [Equivariant, TypedBySource])
def test_models_of_users(model):
    layer = model().double()
    compiled = rgnn.compile(layer, fullgraph=True)
    for nodes, edge_index, _ in GRAPHS.values():
        edge_index = edge_index[:, edge_index[0] != edge_index[1]]  # the root has no gradient at 0
        more = [torch.arange(nodes) % 3] if model is TypedBySource else []
        x = rows(nodes, WIDTH).requires_grad_()
        own, got = layer(x, edge_index, *more), compiled(x, edge_index, *more)
        assert error(got.detach(), own.detach()) <= 1e-10
        weights = torch.linspace(-1, 1, own.numel(), dtype=x.dtype).view(own.shape)
        own, got = (torch.autograd.grad((out * weights).sum(), [x, *layer.parameters()]) for out in (own, got))
        assert all(error(*pair) <= 1e-9 for pair in zip(got, own, strict=True))

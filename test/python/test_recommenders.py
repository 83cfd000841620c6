"""Recommenders: embeddings are the nodes, as many in each call, and users and items are parted behind the layers."""

import copy

import pytest
import rgnn
import torch
import torch.nn.functional as F
from pyg import versions
from test_two_sets import step
from torch import nn
from torch_geometric.utils import softmax

USERS, ITEMS, WIDTH = 10, 20, 6


class Recommender(nn.Module):
    def __init__(self):
        super().__init__()
        self.users, self.items = nn.Embedding(USERS, WIDTH), nn.Embedding(ITEMS, WIDTH)
        self.first, self.second = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.relations, self.matrices = nn.Embedding(4, WIDTH), nn.Parameter(torch.randn(4, WIDTH, WIDTH))

    def nodes(self):
        return torch.cat([self.users.weight, self.items.weight])


def weights_of(edges):
    degree = torch.zeros(USERS + ITEMS, dtype=torch.float64).index_add(
        0, edges[1], torch.ones(edges.size(1), dtype=torch.float64))  # fmt: skip
    scale = degree.pow(-0.5)
    scale = scale.masked_fill(scale == float("inf"), 0)
    return scale[edges[0]] * scale[edges[1]]


def propagate(rows, edges, weight):
    return torch.zeros_like(rows).index_add(0, edges[1], rows[edges[0]] * weight[:, None])


class LightGCN(Recommender):
    """The mean of all layers, and the first layer of those in the batch."""

    def forward(self, edges, users, items):
        layers = [self.nodes()]
        for _ in range(2):
            layers.append(propagate(layers[-1], edges, weights_of(edges)))
        of_users, of_items = torch.split(torch.stack(layers, 1).mean(1), [USERS, ITEMS])
        return (of_users[users] * of_items[items]).sum(-1), self.users(users), self.items(items)


class NGCF(Recommender):
    """Products of ends, all layers side by side, and a loss of triples."""

    def forward(self, edges, users, items):
        rows = self.nodes()
        near = propagate(rows, edges, weights_of(edges))
        rows = torch.cat([rows, F.normalize(F.leaky_relu(self.first(near) + self.second(rows * near), 0.2))], 1)
        of_users, of_items = rows[:USERS, :], rows[USERS:, :]
        user, item, other = of_users[users, :], of_items[items, :], of_items[items.flip(0), :]
        return -F.logsigmoid((user * item).sum(1) - (user * other).sum(1)).sum() + user.square().sum() * 1e-3


class Dropped(Recommender):
    """Edges that are drawn as whether ``p + rand`` is at least one, and an adjacency matrix that is made of them."""

    def forward(self, edges, users, items):
        edges = edges[:, torch.floor(0.7 + torch.rand(edges.size(1))).type(torch.bool)]
        size = (USERS + ITEMS, USERS + ITEMS)
        matrix = torch.sparse_coo_tensor(edges, weights_of(edges), size)
        rows = torch.sparse.mm(matrix, self.nodes())
        of_users, of_items = rows.split([USERS, ITEMS])
        return (of_users[users] * of_items[items]).sum(1)


class KGAT(Recommender):
    """Attention by relation; users and items are results as they are."""

    def forward(self, edges, users, items):
        rows, kind = self.nodes(), edges.sum(0) % 4
        ends = [torch.bmm(rows[end][:, None], self.matrices[kind])[:, 0] for end in edges]
        score = softmax((ends[1] * (ends[0] + self.relations(kind)).tanh()).sum(1), edges[1], num_nodes=len(rows))
        near = propagate(rows, edges, score)
        rows = self.first(rows + near).relu() + self.second(rows * near)
        return (rows[users] * rows[items + USERS]).sum(1), rows[:USERS], rows[-ITEMS:]


class Ranking(Recommender):
    """Scores of all items for the users of a batch, some of them counted from the end."""

    def forward(self, edges, users, items):
        rows = propagate(self.nodes(), edges, weights_of(edges))
        return torch.sigmoid(rows[:USERS][users - USERS] @ rows[USERS:].t())


class Masked(Recommender):
    """The users of a batch have one row, whichever it is, before anything moves."""

    def __init__(self):
        super().__init__()
        self.token = torch.nn.Parameter(torch.randn(1, WIDTH))

    def forward(self, edges, users, items):
        rows = self.nodes().clone()
        rows[users] = self.token
        rows = propagate(rows, edges, weights_of(edges))
        return rows[items + USERS]


def arguments(edges, batch):
    ends = torch.stack([torch.randint(USERS, (edges,)), torch.randint(ITEMS, (edges,)) + USERS])
    return torch.cat([ends, ends.flip(0)], 1), torch.randint(USERS, (batch,)), torch.randint(ITEMS, (batch,))


SIZES = [(30, 6), (50, 10), (0, 4), (40, ITEMS), (10, USERS + ITEMS), (1, 1), (5, 0)]


@pytest.mark.sample(2)
@pytest.mark.parametrize("cls", [LightGCN, NGCF, Dropped, KGAT, Ranking, Masked])
def test_other_batches(cls, strict):
    torch.manual_seed(3)
    model = cls().double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=cls is not Dropped)
    for sizes in SIZES:
        args, results = arguments(*sizes), []
        for each in (compiled, model):
            torch.manual_seed(sum(sizes))
            results.append(step(each, args))
        for got, expected in zip(*results, strict=True):
            torch.testing.assert_close(got, expected, rtol=1e-10, atol=1e-12)
    assert versions(compiled) == (2 if cls is Ranking else 1)


def test_users_that_there_are_not():
    model = LightGCN().double()
    compiled = rgnn.compile(copy.deepcopy(model))
    edges, users, items = arguments(30, 6)
    compiled(edges, users, items)
    for wrong in (users + USERS, users - USERS - 1):
        for each in (model, compiled):
            with pytest.raises(IndexError):
                each(edges, wrong, items)

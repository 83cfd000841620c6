"""Models that pick rows in the order of what they compute: PyTorch says which these are, regions do the rest."""

import copy

import pytest
import rgnn
import torch
from checks import compare, outcome
from pyg import versions
from torch import nn
from torch.nn import functional as F
from torch_geometric.nn import GraphConv, SAGPooling, TopKPooling, global_max_pool, global_mean_pool

WIDTH = 4


class Pooling(nn.Module):
    """Each level drops the nodes with the least scores, and their edges."""

    def __init__(self, kind, **settings):
        super().__init__()
        self.convs = nn.ModuleList(GraphConv(WIDTH, WIDTH) for _ in range(2))
        self.pools = nn.ModuleList(kind(WIDTH, **settings) for _ in range(2))

    def forward(self, x, edges, batch):
        total = 0
        for conv, pool in zip(self.convs, self.pools, strict=True):
            x = conv(x, edges).relu()
            x, edges, _, batch, *_ = pool(x, edges, batch=batch)
            total = total + torch.cat([global_max_pool(x, batch, 3), global_mean_pool(x, batch, 3)], 1)
        return total


class Largest(nn.Module):
    """What a call gives of ``topk`` and ``sort`` is read on both sides."""

    def __init__(self, largest):
        super().__init__()
        self.lin, self.score, self.largest = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 1), largest

    def forward(self, x, edges, batch):
        h = torch.zeros_like(x).index_add(0, edges[1], self.lin(x)[edges[0]])
        score = self.score(h).view(-1)
        values, top = score.topk(2, largest=self.largest)
        ordered, order = torch.sort(score, descending=self.largest)
        return h[top] * values.tanh().unsqueeze(-1), h[order] * ordered.view(-1, 1), score.argsort()


class Filtered(nn.Module):
    """Each node hears the closer half of its neighbours."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(WIDTH, WIDTH)

    def forward(self, x, edges, batch):
        source, target = edges
        far = (x[source] - x[target]).abs().sum(1)
        order = far.argsort(stable=True)
        order = order[target[order].argsort(stable=True)]
        degree = torch.zeros(x.size(0), dtype=torch.long).index_add(0, target, torch.ones_like(target))
        start = degree.cumsum(0) - degree
        rank = torch.arange(target.size(0)) - start[target[order]]
        kept = order[rank < (degree[target[order]] + 1) // 2]
        return F.elu(torch.zeros_like(x).index_add(0, target[kept], self.lin(x)[source[kept]]))


class Seen(nn.Module):
    """Nodes that close edges reach change; the others stay as they were."""

    def __init__(self):
        super().__init__()
        self.lin, self.cell = nn.Linear(WIDTH, WIDTH), nn.GRUCell(WIDTH, WIDTH)

    def forward(self, x, edges, batch):
        near = ((x[edges[0]] - x[edges[1]]).abs().sum(1) < 2).nonzero().view(-1)
        source, target = edges[:, near]
        seen = torch.zeros(x.size(0), dtype=torch.long).index_add(0, target, torch.ones_like(target)) > 0
        h = torch.zeros_like(x).index_add(0, target, self.lin(x)[source])
        return torch.where(seen.unsqueeze(-1), self.cell(h, x), x)


MODELS = {
    "topk": lambda: Pooling(TopKPooling, ratio=0.6),
    "sag": lambda: Pooling(SAGPooling, ratio=0.6, GNN=GraphConv),
    "counted": lambda: Pooling(TopKPooling, ratio=3),
    "over a score": lambda: Pooling(TopKPooling, min_score=0.1),
    "largest": lambda: Largest(True),
    "least": lambda: Largest(False),
    "filtered": Filtered,
    "seen": Seen,
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", MODELS)
def test_equal_pytorchs(name, strict, float64):
    model = MODELS[name]()
    compiled = rgnn.compile(copy.deepcopy(model))
    for sizes, edges in (((5, 3, 4), 40), ((4, 1, 2), 20), ((9, 9, 9), 0)):
        x = torch.randn(sum(sizes), WIDTH, requires_grad=True)
        batch = torch.arange(3).repeat_interleave(torch.tensor(sizes))
        args = x, torch.randint(sum(sizes), (2, edges)), batch
        compare(outcome(compiled, args), outcome(model, args))
    assert versions(compiled) <= 5  # regions, with and without gradients

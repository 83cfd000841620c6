"""Lists of edges that a model changes in place, and lists of which a model reads one end."""

import pytest
import rgnn
import torch
from checks import compare, outcome
from torch import nn
from torch_geometric.utils import scatter, softmax

WIDTH = 4


def shifted(edge_index):
    """As AllSet has it: hyperedges are numbered behind the nodes."""
    edge_index[1] -= edge_index[1].min()
    return edge_index


def shifted_copy(edge_index):
    edge_index = edge_index.clone()
    edge_index[1].sub_(edge_index[1].min())
    return edge_index


def changed_twice(edge_index):
    edge_index[1] -= 1
    first = edge_index[1] + 0
    edge_index[1] += 1
    return torch.stack([edge_index[0], edge_index[1] - first + edge_index[1] - edge_index[1].min() - 1])


def out_of_place(edge_index):
    return torch.stack([edge_index[0], edge_index[1] - edge_index[1].min()])


def as_it_is(edge_index):
    return edge_index


class Hyperedges(nn.Module):
    def __init__(self, prepare, counts):
        super().__init__()
        self.lin, self.att = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 2)
        self.prepare, self.counts = prepare, counts

    def forward(self, x, edge_index):
        edge_index = self.prepare(edge_index)
        node, edge = edge_index
        count = int(edge.max()) + 1 if self.counts else None
        h = self.lin(x)[node]
        h = h.view(-1, 2, WIDTH // 2) * softmax(self.att(h), edge, num_nodes=count).unsqueeze(-1)
        back = torch.stack([edge_index[1], edge_index[0]])
        edges = scatter(h, edge, dim=0, reduce="sum", dim_size=count).flatten(1).relu()
        return scatter(edges[back[0]], back[1], dim=0, dim_size=x.size(0), reduce="mean")


def graphs():
    for nodes, edges, others in ((20, 60, 8), (9, 40, 15), (5, 1, 1), (3, 7, 30)):
        yield torch.randn(nodes, WIDTH, requires_grad=True), torch.stack(
            [torch.randint(nodes, (edges,)), nodes + torch.randint(others, (edges,))])  # fmt: skip


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("prepare", [shifted, shifted_copy, changed_twice, out_of_place, as_it_is])
def test_equal_pytorchs(prepare, counts, strict, float64):
    model = Hyperedges(prepare, counts)
    compiled = rgnn.compile(model)
    for x, edge_index in graphs():
        given = edge_index.clone(), edge_index.clone()
        compare(outcome(compiled, (x, given[0])), outcome(model, (x, given[1])))
        assert given[0].equal(given[1])  # changed as PyTorch changes it


def test_views_that_are_given_back(float64):
    """They are of the list that was changed, not of a copy."""

    def model(x, edge_index):
        edge_index[1] += 1
        kept = edge_index[1]
        return torch.zeros_like(x).index_add(0, kept, x[edge_index[0]]), kept

    compiled = rgnn.compile(model)
    for nodes in (9, 12):
        x, edge_index = torch.randn(nodes, WIDTH), torch.randint(nodes - 1, (2, 30))
        out, kept = compiled(x, edge_index)
        edge_index[1] -= 1
        torch.testing.assert_close(out, model(x, edge_index)[0])
        edge_index[1] = 0
        assert not kept.any()

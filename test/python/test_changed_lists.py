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


def in_place_function(ends):
    ends[1] -= 5
    torch.nn.functional.relu(ends[1], inplace=True)
    return ends[1]


def function_of_a_copy(ends):
    ends = ends.clone()
    last = ends[1]
    last -= 5
    torch.nn.functional.relu(ends, inplace=True)
    return last


def one_of_several(ends):
    ends = ends.clone()
    last = ends[1]
    last -= 1
    torch._foreach_clamp_max_([ends], 2)
    torch._foreach_clamp_min_([ends], 0)
    return last


def checkpointed(ends):
    ends = ends.clone()
    last = ends[1]
    last -= 1
    torch.utils.checkpoint.checkpoint(lambda each: each.clamp_(0, 2), ends, use_reentrant=False)
    return last


@pytest.mark.parametrize("change", [in_place_function, function_of_a_copy, one_of_several, checkpointed])
@pytest.mark.filterwarnings("ignore:rgnn")
def test_changes_of_other_kinds(change, float64):
    def model(x, edge_index):
        first = edge_index[0] + 0
        return torch.zeros_like(x).index_add(0, change(edge_index), x[first].tanh())

    compiled = rgnn.compile(model)
    for nodes in (9, 12):
        x, edge_index = torch.randn(nodes, WIDTH), torch.randint(nodes, (2, 30))
        given = edge_index.clone(), edge_index.clone()
        torch.testing.assert_close(compiled(x, given[0]), model(x, given[1]))
        assert given[0].equal(given[1])

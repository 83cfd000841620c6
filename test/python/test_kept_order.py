"""What PyTorch runs sees changes in place, and draws random numbers, in the model's order."""

import pytest
import rgnn
import torch
import torch.nn.functional as F
from lifting import rows
from pyg import error


def first_nearest(distances, index, size):
    """The number of the nearest edge of each node; that of none is the number of edges."""
    least = torch.full((size,), float("inf"), dtype=distances.dtype).scatter_reduce(0, index, distances, "amin")
    number = torch.arange(len(distances))
    number = torch.where(distances == least[index], number, len(distances))
    return torch.full((size,), len(distances)).scatter_reduce(0, index, number, reduce="amin")


def test_lists_that_are_changed_in_place():
    """As ComENet finds neighbours: kernels and PyTorch read lists behind the change."""

    def model(x, edge_index):
        source, target = edge_index
        vectors = x[source] - x[target]
        distances = vectors.norm(dim=-1)
        nearest = first_nearest(distances, target, len(x))
        nearest[nearest >= len(target)] = 0
        second = first_nearest(distances + torch.zeros_like(distances), target, len(x))
        second[second >= len(target)] = 0
        mask = source[nearest][target] == source
        reference = source[nearest][target].clone()
        reference[mask] = source[second][target][mask]
        edge = nearest[target]
        edge[mask] = second[target][mask]
        return (vectors[edge] * vectors[first_nearest(distances, source, len(x))[source]]).sum(-1)

    compiled = rgnn.compile(model, fullgraph=True)
    for nodes, edges in ((20, 60), (31, 90)):
        x, edge_index = rows(nodes, 3), torch.randint(1, nodes, (2, edges))
        edge_index[0, :nodes] = torch.arange(nodes)
        assert error(compiled(x, edge_index), model(x, edge_index)) <= 1e-12


DRAWS = {
    "dropout": lambda h: F.dropout(h, 0.5),
    "rrelu": lambda h: F.rrelu(h, training=True),
    "uniform": lambda h: torch.rand(3),
    "normal like": torch.randn_like,
    "truths": lambda h: torch.bernoulli(torch.full((4,), 0.5)),
    "order": lambda h: torch.randperm(5),
    "integers": lambda h: torch.randint(3, (7,)),
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_draws_that_nothing_reads(draw):
    """They change what is drawn behind them, in the call and after it."""

    def model(x, edge_index):
        h = torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])
        draw(h)
        return F.dropout(h, 0.5)

    compiled = rgnn.compile(model)
    x, edge_index = rows(9, 4), torch.randint(9, (2, 30))
    outcomes = []
    for run in (model, compiled, compiled):
        torch.manual_seed(0)
        outcomes.append((run(x, edge_index), torch.rand(1)))
    for result, behind in outcomes[1:]:
        assert error(result, outcomes[0][0]) <= 1e-12
        assert behind == outcomes[0][1]


def test_repeated_rows_and_detached_in_place():
    """``repeat_interleave`` of rows, ``detach_`` of what was computed, and ``to`` that gives the same tensor."""

    def model(x, edge_index, counts):
        h = torch.zeros_like(x).to(x.device)
        h = h.index_add(0, edge_index[1], x[edge_index[0]])
        mean = torch.zeros(len(counts), x.size(1), dtype=x.dtype).to(x)
        graph = torch.arange(len(counts)).repeat_interleave(counts)
        mean = (mean.scatter_add_(0, graph.view(-1, 1).expand_as(h), h).T / counts).T
        fixed = mean.tanh().detach_()
        return (h - mean.repeat_interleave(counts, dim=0)) * fixed.repeat_interleave(counts, 0, output_size=len(x))

    compiled = rgnn.compile(model)
    for counts in ([4, 2, 3], [5, 1], [1, 1, 1, 6]):
        x, edge_index = rows(sum(counts), 4).requires_grad_(), torch.randint(sum(counts), (2, 30))
        outcomes = []
        for run in (model, compiled):
            out = run(x, edge_index, torch.tensor(counts))
            outcomes.append((out, *torch.autograd.grad(out.pow(2).sum(), x)))
        for got, right in zip(*outcomes, strict=True):
            assert error(got, right) <= 1e-12


def test_batch_norm_without_averages():
    norm = torch.nn.BatchNorm1d(4, affine=False, track_running_stats=False)

    def model(x, edge_index):
        return norm(torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]]))

    compiled = rgnn.compile(model, fullgraph=True)
    for is_training in (True, False):
        norm.train(is_training)
        for nodes in (9, 12):
            x, edge_index = rows(nodes, 4).requires_grad_(), torch.randint(nodes, (2, 30))
            outcomes = [(out, *torch.autograd.grad(out.pow(3).sum(), x))
                        for out in (run(x, edge_index) for run in (model, compiled))]  # fmt: skip
            for right, got in zip(*outcomes, strict=True):
                assert error(got, right) <= 1e-10


DETACHED = {
    "in place": lambda h, x: h.detach_().add_(x),
    "apart": lambda h, x: h.detach().add_(x),
    "changed before": lambda h, x: h.mul_(x).detach_().mul_(x),
    "seen by others": lambda h, x: h.view(-1, 2).sum() + h.detach().mul_(2),
}


@pytest.mark.filterwarnings("ignore:rgnn. ")
@pytest.mark.parametrize("function", DETACHED.values(), ids=DETACHED)
def test_detached_and_changed(function):
    def model(x, edge_index):
        return function(torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]]), x)

    compiled = rgnn.compile(model)
    x, edge_index = rows(9, 4).requires_grad_(), torch.randint(9, (2, 30))
    outcomes = []
    for run in (model, compiled):
        out = run(x, edge_index)
        outcomes.append((out, *torch.autograd.grad(out.pow(2).sum(), x)))
    for right, got in zip(*outcomes, strict=True):
        assert error(got, right) <= 1e-12

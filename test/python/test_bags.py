"""Bags of embeddings: sums and means of rows of a table, as features of nodes with several categories have them."""

import copy

import pytest
import rgnn
import torch
from rgnn._runner import runner_of
from torch import nn

WAYS = {
    "sum": {"mode": "sum"},
    "mean": {"mode": "mean"},
    "padded sum": {"mode": "sum", "padding_idx": 3},
    "padded mean": {"mode": "mean", "padding_idx": -2},
    "last offset": {"mode": "sum", "include_last_offset": True},
    "weights": {"mode": "sum"},
    "rows": {"mode": "sum"},
    "padded rows": {"mode": "mean", "padding_idx": 3},
}
SIZES = [(12, 30), (5, 0), (1, 2), (7, 7)]


class Categories(nn.Module):
    """Messages of nodes, scaled by what their categories are."""

    def __init__(self, way):
        super().__init__()
        self.way, self.lin, self.bags = way, nn.Linear(8, 8), nn.EmbeddingBag(11, 8, **WAYS[way])

    def forward(self, x, edges, categories, offsets, weights):
        if self.way.endswith("rows"):
            found = self.bags(categories[: 3 * x.size(0)].view(-1, 3))
        else:
            found = self.bags(categories, offsets, per_sample_weights=weights if self.way == "weights" else None)
        return torch.zeros_like(x).index_add(0, edges[1], (self.lin(x) * found)[edges[0]])


def inputs(way, nodes, edges):
    """Some nodes have no category."""
    lengths = torch.randint(0, 5, (nodes,))
    lengths[-1] = max(int(lengths[-1]), 3 * nodes - int(lengths[:-1].sum()))
    offsets = torch.cat([torch.zeros(1, dtype=torch.int64), lengths.cumsum(0)])
    count = int(offsets[-1])
    kept = offsets if way == "last offset" else offsets[:-1].clone()
    return (torch.randn(nodes, 8, dtype=torch.float64), torch.randint(nodes, (2, edges)),
            torch.randint(11, (count,)), kept, torch.randn(count, dtype=torch.float64))  # fmt: skip


@pytest.mark.sample(4)
@pytest.mark.parametrize("way", WAYS)
def test_bags(way):
    """One region for graphs of all sizes; results and gradients are PyTorch's."""
    torch.manual_seed(0)
    model = Categories(way).double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for nodes, edges in SIZES:
        args, outcomes = inputs(way, nodes, edges), []
        for each in (model, compiled):
            given = [arg.clone().requires_grad_() if arg.is_floating_point() else arg for arg in args]
            out = each(*given)
            sources = [given[0], *([given[4]] if way == "weights" else []), *each.parameters()]
            outcomes.append([out, *torch.autograd.grad((out * out.detach().cos()).sum(), sources)])
        for one, other in zip(*outcomes, strict=True):
            torch.testing.assert_close(other, one, rtol=1e-10, atol=1e-10)
    versions = runner_of(compiled).versions
    assert len(versions) == 1 and len(versions[0].regions) == 1


@pytest.mark.parametrize("offsets", [[1, 3, 3, 7], [0, 3, 3, 40]])
def test_wrong_offsets(offsets):
    """They are refused, as PyTorch refuses them, and the model goes on."""
    model = Categories("sum").double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    args = inputs("sum", 4, 9)
    wrong = (*args[:3], torch.tensor(offsets), args[4])
    for each in (model, compiled):
        each(*args)
        with pytest.raises((RuntimeError, IndexError)):
            each(*wrong)
    assert torch.allclose(model(*args), compiled(*args))

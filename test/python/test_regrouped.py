"""Rows per node and relation that are rows of nodes, and the reverse."""

import copy

import pytest
import rgnn
import torch
from rgnn._runner import runner_of
from torch import nn

R, F = 3, 4
SIZES = [(10, 30), (7, 0), (1, 0), (1, 2), (12, 12), (30, 10)]


def sums(x, src, pair):
    return x.new_zeros(x.size(0) * R, x.size(1)).index_add(0, pair, x[src])


def around(h, src, dst):
    return torch.zeros_like(h).index_add(0, dst, h[src])


WAYS = {
    "all relations side by side": lambda m, x, src, dst, pair: m.wide(sums(x, src, pair).view(x.size(0), R * F)),
    "mean over relations": lambda m, x, src, dst, pair: m.lin(sums(x, src, pair).view(x.size(0), R, F).mean(1)),
    "an open number of rows": lambda m, x, src, dst, pair: m.wide(sums(x, src, pair).reshape(-1, R * F)).relu(),
    "unflatten": lambda m, x, src, dst, pair: sums(x, src, pair).unflatten(0, (-1, R)).amax(1),
    "read by edges": lambda m, x, src, dst, pair: around(m.wide(sums(x, src, pair).view(-1, R * F)), src, dst),
    "one row in several": lambda m, x, src, dst, pair: torch.zeros_like(x).index_add(
        0, dst, m.per(x).view(x.size(0) * R, F)[pair]),
    "flatten": lambda m, x, src, dst, pair: torch.zeros_like(x).index_add(
        0, dst, m.per(x).view(-1, R, F).tanh().flatten(0, 1)[pair]),
    "there and back": lambda m, x, src, dst, pair: torch.zeros_like(x).index_add(
        0, dst, m.square(sums(x, src, pair).view(-1, R * F)).view(-1, F)[pair]),
}  # fmt: skip


class Regrouped(nn.Module):
    def __init__(self, way, is_last):
        super().__init__()
        self.is_last = is_last
        self.way, self.wide, self.lin, self.per = way, nn.Linear(R * F, F), nn.Linear(F, F), nn.Linear(F, R * F)
        self.square = nn.Linear(R * F, R * F)

    def forward(self, x, src, dst, pair):
        h = (WAYS | LAST)[self.way](self, x, src, dst, pair)
        return h if self.is_last else around(h + x, src, dst)


LAST = {  # that are given, or go straight into a product
    "sums": lambda m, x, src, dst, pair: sums(m.lin(x), src, pair).view(x.size(0), R * F),
    "as a product's rows": lambda m, x, src, dst, pair: m.square(sums(x, src, pair).view(-1, R * F)),
    "a part": lambda m, x, src, dst, pair: sums(m.lin(x), src, pair).view(-1, R * F)[:, 2:7],
    "rows of nodes and relations": lambda m, x, src, dst, pair: (m.per(x) + m.wide(sums(x, src, pair).view(
        -1, R * F)).repeat(1, R)).view(-1, F),
    "numbers": lambda m, x, src, dst, pair: around(m.lin(x), src, dst).softmax(1).view(-1),
    "two views": lambda m, x, src, dst, pair: sums(m.lin(x), src, pair).view(-1, R, F).flatten(1),
}


@pytest.mark.sample(6)
@pytest.mark.parametrize("way", [*WAYS, *LAST])
def test_regrouped(way):
    """One compiled region, on graphs of all sizes; results and gradients are PyTorch's."""
    model = Regrouped(way, way in LAST).double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for nodes, edges in SIZES:
        x, src, dst = torch.randn(nodes, F, dtype=torch.float64), *torch.randint(nodes, (2, edges))
        pair = dst * R + torch.randint(R, (edges,))
        outcomes = []
        for each in (model, compiled):
            wanting = x.clone().requires_grad_()
            out = each(wanting, src, dst, pair)
            gradients = torch.autograd.grad((out * out.detach().cos()).sum(), [wanting, *each.parameters()],
                                            allow_unused=True)  # fmt: skip
            with torch.no_grad():
                outcomes.append([out, *gradients, each(x, src, dst, pair)])
        for one, other in zip(*outcomes, strict=True):
            assert (one is None) == (other is None)
            if one is not None:
                torch.testing.assert_close(other, one, rtol=1e-10, atol=1e-10)
    versions = runner_of(compiled).versions
    assert len(versions) == 2  # with and without gradients
    assert all(len(version.regions) == 1 and not version.fallbacks for version in versions)

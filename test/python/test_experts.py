"""Mixtures of experts: the few largest numbers of each row, by ``topk``, which a region finds itself."""

import copy

import pytest
import rgnn
import torch
from checks import compare, outcome
from pyg import versions
from rgnn._runner import runner_of
from torch import nn

WIDTH, EXPERTS, NAN, INFINITE = 4, 5, float("nan"), float("inf")


def gates(logits):
    values, places = logits.topk(2, dim=-1)
    return torch.zeros_like(logits).scatter(-1, places, values.softmax(-1))


def in_place(logits):
    values, places = torch.topk(logits, 3, dim=1)
    return torch.full_like(logits, -INFINITE).scatter_(1, places, values).softmax(1)


def masked(logits):
    places = logits.topk(k=2).indices
    chosen = torch.zeros_like(logits, dtype=torch.bool).scatter_(1, places, True)
    return logits.masked_fill(~chosen, -INFINITE).softmax(1)


def gathered(logits):
    places = logits.topk(2)[1]
    return logits.sigmoid().gather(1, places).sum(1, keepdim=True) * torch.zeros_like(logits).scatter(1, places, 1.0)


def least(logits):
    values, places = logits.topk(2, largest=False)
    return logits.scatter(1, places, values * 2)


def of_heads(logits):
    values, places = torch.stack([logits, logits.neg()], 1).topk(2, -1)
    return torch.zeros(logits.size(0), 2, EXPERTS, dtype=logits.dtype).scatter(-1, places, values).sum(1)


def unknown(logits):
    """Some rows have fewer finite numbers than are asked for, or none that is a number."""
    odd = torch.where(logits > 0.2, logits, -INFINITE)
    odd = torch.where(logits < -0.9, NAN, odd)
    values, places = odd.topk(3)
    return torch.zeros_like(logits).scatter(1, places, values.nan_to_num(7.0, 7.0, 0.0))


def every(logits):
    return logits.topk(EXPERTS)[0].cumsum(1)


class Experts(nn.Module):
    def __init__(self, gate):
        super().__init__()
        self.router, self.gate = nn.Linear(WIDTH, EXPERTS), gate
        self.experts = nn.Parameter(torch.randn(EXPERTS, WIDTH, WIDTH))

    def forward(self, x, edges):
        h = torch.zeros_like(x).index_add(0, edges[1], x[edges[0]])
        gate = self.gate(self.router(h))
        return (gate.unsqueeze(-1) * torch.einsum("nd,edf->nef", h, self.experts)).sum(1), gate


def inputs(nodes, edges):
    return torch.randn(nodes, WIDTH, requires_grad=True), torch.randint(nodes, (2, edges))


@pytest.mark.sample(5)
@pytest.mark.parametrize("gate", [gates, in_place, masked, gathered, least, of_heads, unknown, every])
def test_equal_pytorchs(gate, strict, float64):
    model = Experts(gate)
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for sizes in ((9, 30), (20, 70), (1, 1), (3, 0)):
        args = inputs(*sizes)
        compare(outcome(compiled, args), outcome(model, args))
    assert versions(compiled) <= 2


@pytest.mark.filterwarnings("ignore:rgnn")
def test_places_that_are_read_otherwise(float64):
    """PyTorch finds them: how many rows choose each expert are integers."""

    def counted(logits):
        values, places = logits.topk(2)
        load = torch.zeros(EXPERTS, dtype=torch.long).index_add(0, places.flatten(), torch.ones_like(places.flatten()))
        return torch.zeros_like(logits).scatter(1, places, values) * (load > 0)

    model = Experts(counted)
    compiled = rgnn.compile(copy.deepcopy(model))
    for sizes in ((9, 30), (20, 70)):
        args = inputs(*sizes)
        compare(outcome(compiled, args), outcome(model, args))
    assert any(version.regions for version in runner_of(compiled).versions)

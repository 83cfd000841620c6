"""Models that ask whether what they compute picks any rows: one version for the calls in which it does."""

import copy

import pytest
import rgnn
import torch
from checks import compare, outcome
from rgnn._dynamo.branches import ways
from rgnn._runner import runner_of
from torch import nn
from torch_geometric.nn import global_mean_pool

WIDTH = 4


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.score = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 1)

    def moved(self, x, edges):
        return torch.zeros_like(x).index_add(0, edges[1], self.lin(x)[edges[0]])

    def picked(self, h, least):
        return (self.score(h).view(-1) > least).nonzero().view(-1)

    def forward(self, x, edges, least):
        return self.work(self.moved(x, edges), edges, least).relu()


class Length(Layer):
    def work(self, h, edges, least):
        top = self.picked(h, least)
        if len(top) > 0:
            h = h.index_add(0, top, self.lin(h[top]))
        return h


class Truth(Layer):
    def work(self, h, edges, least):
        top = self.picked(h, least)
        return h.index_add(0, top, self.lin(h[top])) if len(top) else h * 2


class Several(Layer):
    def work(self, h, edges, least):
        lists = []
        for part in (slice(0, 4), slice(4, None)):
            near = torch.nonzero(torch.cdist(h[part], h[part]) >= least)
            if near.size(0) == 0:
                continue
            lists.append(near + (part.start or 0))
        if not lists:
            return h
        pairs = torch.cat(lists).t()
        return h + self.moved(h, pairs)


class Early(Layer):
    def work(self, h, edges, least):
        top = self.picked(h, least)
        if top.numel() < 1:
            return h
        return h.index_add(0, top, self.lin(h[top]))


class Pooled(Layer):
    """PyG asks so itself where it counts the graphs of a batch."""

    def work(self, h, edges, least):
        top = self.picked(h, least)
        return global_mean_pool(h[top], edges[0][:1].new_zeros(h.size(0))[top])


def inputs(nodes, edges, picks):
    return (torch.randn(nodes, WIDTH, requires_grad=True), torch.randint(nodes, (2, edges)),
            torch.tensor(-1e9 if picks else 1e9))  # fmt: skip


@pytest.mark.parametrize("cls", [Length, Truth, Several, Early, Pooled])
def test_equal_pytorchs(cls, strict, float64):
    model = cls()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for nodes, edges, picks in ((9, 30, True), (12, 20, False), (7, 0, True), (8, 40, False), (20, 40, True)):
        args = inputs(nodes, edges, picks)
        compare(outcome(compiled, args), outcome(model, args))
    assert all(version.regions and not version.fallbacks for version in runner_of(compiled).versions)


@pytest.mark.filterwarnings("ignore:rgnn")
def test_calls_without_rows_are_not_run_twice_for_ever(float64, monkeypatch):
    monkeypatch.setattr(ways, "_MAX_WITHOUT_ROWS", 1)
    model = Length()
    compiled = rgnn.compile(copy.deepcopy(model))
    for number in range(5):
        args = inputs(9 + number, 30, picks=number == 4)
        compare(outcome(compiled, args), outcome(model, args))
    versions = runner_of(compiled).versions
    assert [bool(version.broken) for version in versions[:2]] == [False, False] and any(
        version.broken for version in versions[2:])  # fmt: skip
    made = len(versions)
    for picks in (True, False):
        args = inputs(30, 50, picks)
        compare(outcome(compiled, args), outcome(model, args))
    assert len(runner_of(compiled).versions) == made


@pytest.mark.filterwarnings("ignore:rgnn")
def test_what_has_run_is_not_run_again(float64):
    """The norm has changed its averages by then."""

    class Normed(Length):
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm1d(WIDTH)

        def work(self, h, edges, least):
            return super().work(self.norm(h), edges, least)

    models = Normed(), Normed()
    models[1].load_state_dict(models[0].state_dict())
    compiled = rgnn.compile(models[1])
    for picks in (True, False, True):
        args = inputs(9, 30, picks)
        compare(outcome(compiled, args), outcome(models[0], args))
        for one, other in zip(models[1].buffers(), models[0].buffers(), strict=True):
            torch.testing.assert_close(one, other)

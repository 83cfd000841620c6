"""Models that branch on the integers of a call: which types there are, whether a mask has any."""

import copy
import warnings

import pytest
import rgnn
import torch
from pyg import versions
from rgnn._dynamo.branches import ways
from test_two_sets import step
from torch import nn

WIDTH, TYPES = 5, 3


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.root = nn.Linear(WIDTH, WIDTH)
        self.types = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(TYPES))

    def moved(self, layer, x, edges):
        return torch.zeros_like(x).index_add(0, edges[1], layer(x)[edges[0]])


class EmptyMask(Layer):
    def forward(self, x, edges, kind):
        rows = self.root(x) + self.moved(self.root, x, edges)
        for number, layer in enumerate(self.types):
            mask = kind == number
            if mask.sum() == 0:
                continue
            rows = rows + self.moved(layer, x, edges[:, mask])
        return rows.tanh()


class EmptyList(Layer):
    def forward(self, x, edges, kind):
        rows = self.root(x) + self.moved(self.root, x, edges)
        for number, layer in enumerate(self.types):
            chosen = (kind == number).nonzero().view(-1)
            if len(chosen) > 0:
                rows = rows + self.moved(layer, x, edges[:, chosen])
        return rows.tanh()


class Called(Layer):
    """The branch is in a function that is called, and reads a number and a truth."""

    def add(self, rows, x, edges, mask, layer):
        if not bool(mask.any()) or int(mask.sum()) < 2:
            return rows
        return rows + self.moved(layer, x, edges[:, mask])

    def forward(self, x, edges, kind):
        rows = self.root(x) + self.moved(self.root, x, edges)
        for number, layer in enumerate(self.types):
            rows = self.add(rows, x, edges, kind == number, layer)
        return rows.tanh()


class Changed(Layer):
    """What decides is changed in place before, and a mean that is kept is behind the branch."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(WIDTH)

    def forward(self, x, edges, kind):
        rows = self.norm(x)
        mask = kind == 0
        mask[:2] = True
        if mask.all():
            rows = rows * 2
        return rows + self.moved(self.types[0], rows, edges)


class OnState(Layer):
    """An average is gathered over the first calls, as MeshGraphNets does; each of two has its count."""

    def __init__(self):
        super().__init__()
        for name in ("x", "m"):
            self.register_buffer(f"seen_{name}", torch.tensor(0.0))
            self.register_buffer(f"sum_{name}", torch.zeros(1, WIDTH))

    def scaled(self, name, rows):
        seen, total = getattr(self, f"seen_{name}"), getattr(self, f"sum_{name}")
        if seen < 3:
            total += rows.detach().sum(0, keepdim=True)
            seen += 1
        return rows - total / seen

    def forward(self, x, edges, kind):
        rows = self.scaled("x", x)
        moved = self.scaled("m", rows[edges[0]])
        return rows + torch.zeros_like(x).index_add(0, edges[1], self.root(moved))


class Levels(Layer):
    """Nodes hear of others kind by kind, as often as there are kinds."""

    def forward(self, x, edges, kind):
        rows = self.moved(self.root, x, edges)
        kinds = int(kind.max()) + 1 if len(kind) else 0
        for number in range(kinds):
            rows = rows + self.moved(self.types[number % TYPES], rows, edges[:, kind == number])
        for number in range(kinds - 1, -1, -1):
            rows = rows * (number + 1.5)
        return rows.tanh() * kinds


def graph(nodes, edges, kinds):
    kind = torch.tensor(kinds)[torch.arange(edges) % len(kinds)] if edges else torch.zeros(0, dtype=torch.long)
    x = torch.randn(nodes, WIDTH, dtype=torch.float64)
    return x, torch.randint(nodes, (2, edges)), kind


GRAPHS = [(9, 30, [0, 1, 2]), (7, 20, [0, 2]), (12, 24, [1]), (8, 40, [2, 1, 0]), (6, 0, [0]), (5, 9, [0]),
          (7, 25, [2]), (11, 32, [0, 1, 2])]  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize("cls, made", [(EmptyMask, 6), (EmptyList, 6), (Called, 6), (Changed, 2),
                                       (OnState, 2), (Levels, 4)])  # fmt: skip
def test_each_way_is_compiled(cls, made, strict):
    torch.manual_seed(0)
    model = cls().double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for _ in range(2):
        for sizes in GRAPHS:
            args = graph(*sizes)
            for got, expected in zip(step(compiled, args), step(model, args), strict=True):
                torch.testing.assert_close(got, expected, rtol=1e-10, atol=1e-12)
        assert versions(compiled) == made
    for got, expected in zip(compiled.buffers(), model.buffers(), strict=True):
        torch.testing.assert_close(got, expected)


def test_parameters_of_absent_types_have_no_gradient():
    compiled = rgnn.compile(EmptyMask().double(), fullgraph=True)
    compiled(*graph(7, 20, [0, 2])).sum().backward()
    assert [layer.weight.grad is None for layer in compiled.types] == [False, True, False]


def test_no_more_ways_than_there_may_be(monkeypatch):
    monkeypatch.setattr(ways, "_MAX_WAYS", 2)
    model = EmptyMask().double()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        compiled = rgnn.compile(copy.deepcopy(model))
        for sizes in GRAPHS * 3:
            args = graph(*sizes)
            for got, expected in zip(step(compiled, args), step(model, args), strict=True):
                torch.testing.assert_close(got, expected, rtol=1e-10, atol=1e-12)
    assert versions(compiled) == 2 and [each for each in told if "2 ways" in str(each.message)]
    strict = rgnn.compile(model, fullgraph=True)
    with pytest.raises(rgnn.FallbackError, match="2 ways"):
        for sizes in GRAPHS * 2:
            strict(*graph(*sizes))


def test_report():
    model = EmptyMask().double()
    report = rgnn.explain(model, *graph(7, 20, [0, 2]))
    assert not report.fallbacks and "False, True, False" in report.versions[0]
    for keep in (lambda each: each.freeze(), lambda each: each.save("model.rgnn")):
        compiled = rgnn.compile(model)
        compiled(*graph(7, 20, [0, 2]))
        with pytest.raises(rgnn.CompileError, match="Data-dependent branching"):
            keep(compiled)


class OnFloats(Layer):
    def forward(self, x, edges, kind):
        rows = self.root(x)
        if rows.sum() > 0:
            rows = rows * 2
        return rows + self.moved(self.types[0], rows, edges)


class OnDraws(Layer):
    def forward(self, x, edges, kind):
        rows = self.root(x)
        if torch.randint(2, ()) == 0:
            rows = rows * 2
        return rows + self.moved(self.types[0], rows, edges)


class OnWhatItChanges(Layer):
    def forward(self, x, edges, kind):
        rows = self.root(x)
        kind.add_(1)
        if (kind == 2).any():
            rows = rows * 2
        return rows + self.moved(self.types[0], rows, edges)


class OftenLevels(Levels):
    """More often than a capture has loops run."""

    def forward(self, x, edges, kind):
        return super().forward(x, edges, kind + 8)


class BehindABreak(Changed):
    """What has run before a branch could not be undone: an average is kept."""

    def forward(self, x, edges, kind):
        rows = self.norm(x)
        torch._dynamo.graph_break()
        if (kind == 1).any():
            rows = rows * 2
        return rows + self.moved(self.types[0], rows, edges)


@pytest.mark.sample(2)
@pytest.mark.filterwarnings("ignore:rgnn")
@pytest.mark.parametrize("cls", [OnFloats, OnDraws, OnWhatItChanges, OftenLevels, BehindABreak])
def test_other_branches_are_pytorchs(cls):
    model = cls().double()
    compiled = rgnn.compile(copy.deepcopy(model))
    for seed, sizes in enumerate(GRAPHS):
        x, edges, kind = graph(*sizes)
        results = []
        for each in (compiled, model):
            torch.manual_seed(seed)
            results.append([each(x, edges, own := kind.clone()), own, torch.rand(1), *each.buffers()])
        for got, expected in zip(*results, strict=True):
            torch.testing.assert_close(got, expected)
    assert any(version.broken for version in rgnn._runner.runner_of(compiled).versions)


@pytest.mark.parametrize("wrong", [9, -10])
def test_errors_are_pytorchs(wrong):
    class Looked(Layer):
        def forward(self, x, edges, kind):
            if kind[edges[0]].any():
                return x
            return x + self.moved(self.root, x, edges)

    model = Looked().double()
    compiled = rgnn.compile(copy.deepcopy(model))
    x, kind = graph(9, 0, [0])[0], torch.zeros(9, dtype=torch.long)
    edges = torch.randint(9, (2, 20))
    torch.testing.assert_close(compiled(x, edges, kind), model(x, edges, kind))
    edges[0, 3] = wrong
    for call in (model, compiled):
        with pytest.raises(IndexError):
            call(x, edges, kind)

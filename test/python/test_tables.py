"""Tables of neighbours, as padded lists of molecules have, and the rows of each molecule."""

import copy

import pytest
import rgnn
import torch
from rgnn._runner import runner_of
from torch import nn
from torch.nn.functional import embedding, layer_norm, logsigmoid

WIDTH = 6
SIZES = [(20, 4), (31, 3), (17, 5), (9, 2), (6, 1), (1, 3), (1, 1), (5, 5)]


def attention(m, x, table):
    h, near = m.lin(x), m.lin(x)[table]
    scores = (near * h[:, None]).sum(-1).masked_fill(table == 0, -1e9)
    return (torch.softmax(scores, 1)[..., None] * near).sum(1)


def one_behind_the_other(m, x, table):
    rows = m.lin(x).relu().index_select(dim=0, index=table.view(-1))
    return rows.view(table.size() + x.size()[1:]).sum(dim=1)


def heads(m, x, table):
    near = m.lin(x)[table].view(*table.shape, 2, WIDTH // 2)
    return (near.softmax(1) * near).sum(1).flatten(1)


def mean_of_marked(m, x, table):
    marked = table > 0
    total = (m.lin(x)[table] * marked.unsqueeze(-1).to(x.dtype)).sum(1)
    return total / marked.sum(1, keepdim=True).clamp(min=1)


def products(m, x, table):
    """PyTorch multiplies views of rows of edges."""
    return m.lin(torch.bmm(m.lin(x)[table], x[:, :, None]).sum(1) * x)


WAYS = {
    "sum": lambda m, x, table: m.lin(x).relu()[table].sum(1),
    "mean": lambda m, x, table: m.lin(x)[table].mean(dim=-2),
    "maximum": lambda m, x, table: m.lin(x)[table].max(1)[0],
    "minimum": lambda m, x, table: m.lin(x)[table].min(dim=1).values,
    "amax": lambda m, x, table: m.lin(x)[table].amax(1, keepdim=True).squeeze(1),
    "joined": lambda m, x, table: torch.cat([m.lin(x)[table], x[table]], 2).tanh().sum(1),
    "spread": lambda m, x, table: torch.cat(
        [m.lin(x).unsqueeze(1).expand(-1, table.size(1), -1), x[table]], -1).tanh().mean(1),
    "differences": lambda m, x, table: m.lin(x[table] - x[:, None]).relu().sum(1),
    "columns": lambda m, x, table: (m.lin(x)[table][:, :, 1:3] * x[table][..., 0, None]).sum(1),
    "embedding": lambda m, x, table: m.lin(x)[table[:, 0]] + embedding(table, m.lin(x)).mean(dim=1),
    "distances": lambda m, x, table: (m.lin(x)[table] - x[:, None]).norm(dim=-1).square().sum(1),
    "in place": lambda m, x, table: m.lin(m.lin(x)[table].relu_() @ m.lin.weight).sum(1),
    "norm": lambda m, x, table: m.lin(layer_norm(m.lin(x)[table], (WIDTH,))).sum(1)[table].sum(1),
    "self-adversarial": lambda m, x, table: (m.lin(x)[table].sum(2).softmax(1).detach()
                                             * logsigmoid(-m.lin(x)[table].sum(2)).exp().log1p()).sum(1),
    "given": lambda m, x, table: (m.lin(x)[table] - x[:, None]).tanh(),
    **{function.__name__: function for function in (attention, one_behind_the_other, heads, mean_of_marked)},
}  # fmt: skip


class Model(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function, self.lin = function, nn.Linear(WIDTH, WIDTH)

    def forward(self, x, table):
        return self.function(self, x, table)


def check(function, sizes, make=lambda given: given):
    """Results and gradients are PyTorch's; gives the versions that this took."""
    model = Model(function).double()
    compiled = rgnn.compile(copy.deepcopy(model))
    for nodes, width in sizes:
        x = torch.randn(nodes, WIDTH, dtype=torch.float64)
        given = make(width) if isinstance(width, list) else torch.randint(max(1, nodes), (nodes, width))
        outcomes = []
        for each in (model, compiled):
            wanting = x.clone().requires_grad_()
            out = each(wanting, given)
            gradients = torch.autograd.grad((out * out.detach().cos()).sum(), [wanting, *each.parameters()])
            outcomes.append([out, *gradients])
        for one, other in zip(*outcomes, strict=True):
            torch.testing.assert_close(other, one, rtol=1e-10, atol=1e-10)
    return runner_of(compiled).versions


@pytest.mark.sample(6)
@pytest.mark.parametrize("way", sorted(WAYS.keys() - {"embedding"}))
def test_tables(way):
    """A version for the first width, which is a constant, and one for all others."""
    versions = check(WAYS[way], SIZES)
    assert len(versions) == 2
    assert all(len(version.regions) == 1 and not version.fallbacks for version in versions)


ODD = {
    "integers": lambda m, x, table: m.lin(x)[(m.lin(x)[table].detach() > 0).to(torch.int64).sum(1)[:, 0] % x.size(0)],
    "settings": lambda m, x, table: torch.cat(tensors=(m.lin(x)[table], x[table]), dim=-1).sum(dim=1, dtype=x.dtype),
    "set": lambda m, x, table: zeroed(m.lin(x)[table]).sum(1),
    "products": products,
}


def zeroed(near):
    near[:, :, 1] = 0
    return near


@pytest.mark.filterwarnings("ignore:rgnn. ")
@pytest.mark.parametrize("way", ODD)
def test_what_no_rule_knows(way):
    assert len(check(ODD[way], SIZES)) <= 3


def test_embedding():
    """The first width is a constant, with which PyTorch picks; negative numbers are no rows of an embedding."""
    versions = check(WAYS["embedding"], SIZES)
    assert len(versions) == 2 and len(versions[1].regions) == 1 and not versions[1].fallbacks
    compiled = rgnn.compile(Model(WAYS["embedding"]).double())
    for width in (2, 3):
        compiled(torch.randn(4, WIDTH, dtype=torch.float64), torch.randint(4, (4, width)))
    for number in (-1, 4):
        table = torch.zeros(4, 5, dtype=torch.int64)
        table[1, 2] = number
        with pytest.raises(IndexError):
            compiled(torch.randn(4, WIDTH, dtype=torch.float64), table)


def test_rows_from_the_end():
    """Negative numbers count from the end in brackets."""
    model = Model(WAYS["joined"]).double()
    compiled = rgnn.compile(copy.deepcopy(model))
    for nodes, width in SIZES:
        x, table = torch.randn(nodes, WIDTH, dtype=torch.float64), torch.randint(-nodes, nodes, (nodes, width))
        torch.testing.assert_close(compiled(x, table), model(x, table), rtol=1e-10, atol=1e-10)
    (_, version) = runner_of(compiled).versions
    assert len(version.regions) == 1 and not version.fallbacks
    with pytest.raises(IndexError):
        compiled(x, table - 2 * nodes)


@pytest.mark.parametrize("way", ["max", "min", "amax"])
def test_equal_numbers(way):
    """Of those of one node the first gets the gradient of `max`; that of `amax` they share."""

    def function(x, table):
        near = x[table]
        return near.amax(1) if way == "amax" else getattr(near, way)(1)[0]

    compiled = rgnn.compile(function)
    numbers = [0.0, 1.0], [0.0, 2.0], [1.0, float("inf")], [0.0, -float("inf")], [1.0, 0.0, float("nan")]
    for width, values in enumerate(numbers, 2):
        x = torch.tensor(values, dtype=torch.float64)[torch.randint(len(values), (9, WIDTH))].requires_grad_()
        table, outcomes = torch.randint(9, (9, width)), []
        for each in (function, compiled):
            out = each(x, table)
            weights = torch.arange(1, 10, dtype=out.dtype)[:, None].expand_as(out)
            outcomes.append([out, torch.autograd.grad(out, x, weights)[0]])
        for one, other in zip(*outcomes, strict=True):
            torch.testing.assert_close(other, one, equal_nan=True)
    assert len(runner_of(compiled).versions) == 2


def no_maximum(m, x, table):
    return m.lin(x)[table].amax(1)


def test_no_neighbours():
    """They have a sum, but no maximum: PyTorch's error."""
    check(WAYS["sum"], [(4, 2), (5, 3), (6, 0), (0, 3)])
    compiled = rgnn.compile(Model(no_maximum).double())
    for width in (2, 3):
        compiled(torch.randn(4, WIDTH, dtype=torch.float64), torch.randint(4, (4, width)))
    for call in (compiled, Model(no_maximum).double()):
        with pytest.raises(IndexError, match="non-zero size|have to be specified"):
            call(torch.randn(4, WIDTH, dtype=torch.float64), torch.zeros(4, 0, dtype=torch.int64))


@pytest.mark.parametrize("way", ["narrow", "slice"])
def test_rows_of_each_molecule(way):
    """Counts that a list of Python's has: a version for each length of the list."""

    def means(m, x, scope):
        h = m.lin(x)
        rows = [h.narrow(0, first, count) if way == "narrow" else h[first : first + count] for first, count in scope]
        return torch.stack([part.sum(0) / part.size(0) for part in rows])

    versions = check(means, [(12, [(1, 4), (5, 2), (7, 5)]), (9, [(0, 3), (3, 4), (7, 2)]),
                             (15, [(2, 6), (8, 3), (11, 1)])])  # fmt: skip
    assert len(versions) <= 3
    assert all(len(version.regions) == 1 and not version.fallbacks for version in versions)


def split(m, x, counts):
    return torch.stack([part.tanh().sum(0) for part in m.lin(x).split(counts.tolist())])


def test_parts_that_data_count():
    """A version for each number of parts; sizes that do not add up are an error, and lose nothing."""
    versions = check(split, [(12, [4, 3, 5]), (9, [0, 7, 2]), (15, [15, 0, 0]), (8, [5, 3])], torch.tensor)
    assert len(versions) == 2
    assert all(len(version.regions) == 1 and not version.fallbacks for version in versions)
    compiled = rgnn.compile(Model(split).double())
    compiled(torch.randn(5, WIDTH, dtype=torch.float64), torch.tensor([2, 3]))
    for counts in ([2, 2], [4, 3], [-1, 6]):
        with pytest.raises((RuntimeError, rgnn.InputError)):
            compiled(torch.randn(5, WIDTH, dtype=torch.float64), torch.tensor(counts))
    out = compiled(torch.randn(7, WIDTH, dtype=torch.float64), torch.tensor([3, 4]))
    assert out.shape == (2, WIDTH)


class Gated(nn.Module):
    """As CGCNN has it: what all neighbours of all nodes send is normalised together."""

    def __init__(self):
        super().__init__()
        self.lin, self.norm = nn.Linear(2 * WIDTH, 2 * WIDTH), nn.BatchNorm1d(2 * WIDTH)

    def forward(self, x, table):
        count, width = table.shape
        assert x.data.shape[0] == count
        near = torch.cat([x.unsqueeze(1).expand(count, width, WIDTH), x[table, :]], dim=2)
        gates = self.norm(self.lin(near).view(-1, 2 * WIDTH)).view(count, width, 2 * WIDTH)
        gate, core = gates.chunk(2, dim=2)
        return (torch.sigmoid(gate) * torch.tanh(core)).sum(1) + x


@pytest.mark.filterwarnings("error:rgnn")
def test_what_is_normalised_together():
    model = Gated().double()
    compiled = rgnn.compile(copy.deepcopy(model))
    for training in (True, False):
        model.train(training), compiled.train(training)
        for nodes, near in ((20, 4), (31, 4), (9, 3), (4, 4)):
            x, table = torch.randn(nodes, WIDTH, dtype=torch.float64), torch.randint(nodes, (nodes, near))
            found = []
            for each in (model, compiled):
                each.zero_grad()
                out = each(x, table)
                out.sin().sum().backward()
                found.append([out, *(p.grad for p in each.parameters()), *each.buffers()])
            for own, got in zip(*found, strict=True):
                torch.testing.assert_close(got, own, rtol=1e-9, atol=1e-11)
    assert not any(version.fallbacks for version in runner_of(compiled).versions)


@pytest.mark.filterwarnings("ignore:rgnn")
def test_explained_as_the_compiled_model_is():
    """A width that was a constant, and is a symbol now, is one to the report, too."""

    class Summed(nn.Module):
        def forward(self, x, table):
            return torch.cumsum(x.tanh()[table], 1).sum(1)

    compiled = rgnn.compile(Summed())
    for nodes, near in ((20, 4), (30, 5)):
        compiled(torch.randn(nodes, 4), torch.randint(nodes, (nodes, near)))
    args = torch.randn(20, 4), torch.randint(20, (20, 4))
    left = {op for op, *_ in rgnn.explain(compiled, *args).fallbacks}
    assert left == {op for version in runner_of(compiled).versions for op, *_ in version.fallbacks} != set()
    assert not rgnn.explain(Summed(), *args).fallbacks

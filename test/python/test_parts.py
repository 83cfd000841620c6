"""Parts of rows that are picked or set at once, tensors that are written part by part, and rows that are squeezed."""

import copy

import pytest
import rgnn
import torch
from rgnn._runner import runner_of
from torch import nn

WIDTH = 6
SIZES = [(10, 30), (7, 0), (3, 5), (1, 2), (12, 12), (30, 10)]


def around(x, edges):
    return torch.zeros_like(x).index_add(0, edges[1], x[edges[0]])


def changed(x, part, value):
    x = x * 1
    x[part] = value
    return x


PICKED = {
    "a column by a mask": lambda h, x, mask, places: h[mask, 0],
    "columns by a mask": lambda h, x, mask, places: h[mask, 1:4],
    "heads by a mask": lambda h, x, mask, places: h.view(-1, 2, 3)[mask, :, 1],
    "a column set by a mask": lambda h, x, mask, places: changed(h, (mask, -1), 1.0),
    "columns set by a mask": lambda h, x, mask, places: changed(h, (mask, slice(3)), x[mask, :3].tanh()),
    "a column set by a list": lambda h, x, mask, places: changed(h, (places, 2), 2.0),
    "columns set by a list": lambda h, x, mask, places: changed(h, (places, slice(2, None)), x[places, 2:]),
}


def turned(h, edges, turns):
    """Pairs of columns of rows of edges, written one after the other."""
    rows = h[edges[0]].view(-1, 3, 2)
    out = torch.zeros_like(rows)
    for pair in range(2):
        out[:, pair, 0] = rows[:, pair, 0] * turns[0, pair] - rows[:, pair, 1] * turns[1, pair]
        out[:, pair, 1] = rows[:, pair, 0] * turns[1, pair] + rows[:, pair, 1] * turns[0, pair]
    out[:, -1] = rows[:, -1]
    return torch.zeros_like(h).index_add(0, edges[1], out.reshape(-1, WIDTH))


def gated(h, edges, turns):
    edges = edges[:, edges[0] != edges[1]]
    gate = (h[edges[0]] @ turns[0]).unsqueeze(1).sigmoid().squeeze()
    return torch.zeros_like(h).index_add(0, edges[1], gate.view(-1, 1) * h[edges[0]])


def gated_by_a_function(h, edges, turns):
    """It is told of a dimension that has one entry where a mask picks one edge."""
    kept = edges[0] < edges[1]
    gate = torch.squeeze(h[edges[0]][kept][:, None], 0) * turns[0]
    return torch.zeros_like(h).index_add(0, edges[1][kept], gate.reshape(-1, WIDTH))


def picked(h, edges, turns):
    mask = torch.arange(h.size(0)) % 2 == 0
    return (h[mask, :1].squeeze() - h[mask, 1]).square().sum()


class Model(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function, self.lin, self.turns = function, nn.Linear(WIDTH, WIDTH), nn.Parameter(torch.randn(2, WIDTH))

    def forward(self, x, edges, *given):
        h = around(self.lin(x), edges)
        return self.function(h, x, *given) if given else self.function(h, edges, self.turns)


def check(function, given=lambda x: ()):
    """Results and gradients are PyTorch's on graphs of all sizes; gives the versions that this took."""
    model = Model(function).double()
    compiled = rgnn.compile(copy.deepcopy(model))
    for nodes, edges in SIZES:
        x, edges = torch.randn(nodes, WIDTH, dtype=torch.float64), torch.randint(nodes, (2, edges))
        outcomes = []
        for each in (model, compiled):
            wanting = x.clone().requires_grad_()
            out = each(wanting, edges, *given(x))
            gradients = torch.autograd.grad((out * out.detach().cos()).sum(), [wanting, *each.parameters()],
                                            allow_unused=True)  # fmt: skip
            outcomes.append([out, *gradients])
        for one, other in zip(*outcomes, strict=True):
            assert (one is None) == (other is None)
            if one is not None:
                torch.testing.assert_close(other, one, rtol=1e-10, atol=1e-10)
    return runner_of(compiled).versions


def is_whole(version):
    return len(version.regions) == 1 and not version.fallbacks and not version.broken


@pytest.mark.sample(4)
@pytest.mark.parametrize("way", PICKED)
def test_picked(way):
    versions = check(PICKED[way], lambda x: (torch.arange(x.size(0)) % 3 == 0, torch.arange(0, x.size(0), 2)))
    assert len(versions) <= 2 and all(map(is_whole, versions))  # one place is all that are set by a list


def test_written_part_by_part():
    """One version, though layouts without rows are other ones."""
    versions = check(turned)
    assert len(versions) == 1 and is_whole(versions[0])


@pytest.mark.filterwarnings("ignore:rgnn. ")
@pytest.mark.parametrize("function", [gated, gated_by_a_function, picked])
def test_squeezed(function):
    """A version for all numbers of rows but one, where the result has another rank and TorchDynamo breaks the graph."""
    versions = check(function)
    assert is_whole(versions[0]) and versions[0].branches
    assert len([version for version in versions if version.branches]) == 1


PADDED = {
    "joined with zeros": lambda h, more: more + torch.cat(
        [h, torch.zeros(more.size(0) - h.size(0), WIDTH, dtype=h.dtype)]),
    "joined with new zeros": lambda h, more: torch.cat([h, h.new_zeros((more.size(0) - h.size(0), WIDTH))], 0) * more,
    "padded": lambda h, more: torch.nn.functional.pad(h, (0, 0, 0, more.size(0) - h.size(0))) + more,
    "padded in front": lambda h, more: torch.nn.functional.pad(h, (0, 0, more.size(0) - h.size(0), 0)) * more,
    "padded on both sides": lambda h, more: torch.nn.functional.pad(h, (0, 0, 2, 1)).tanh() + more.sum(0),
    "shifted": lambda h, more: h + torch.nn.functional.pad(h[:-1], (0, 0, 1, 0)) * more.sum(0),
    "shifted by zeros": lambda h, more: torch.cat([h.new_zeros(2, WIDTH), h[:-2].tanh()]) + more.sum(0),
    "between zeros": lambda h, more: torch.cat([h.new_zeros(1, WIDTH), h, h.new_zeros(3, WIDTH)]).cos() * more.sum(0),
    "numbers": lambda h, more: torch.nn.functional.pad(h[:, 0], (0, more.size(0) - h.size(0))) + more[:, 1],
}


@pytest.mark.filterwarnings("ignore:rgnn. a part")
def test_filled_up_with_what_is_written():
    """Rows that were zeros, and are not any more, are joined as they are."""

    def function(x, edges, y):
        more = torch.zeros(y.size(0) - x.size(0), WIDTH, dtype=x.dtype)
        more[:, 0] = 1
        return torch.cat([around(x, edges), more]) + y

    compiled = rgnn.compile(function)
    for nodes, more in ((4, 7), (5, 9)):
        x, y = (torch.randn(count, WIDTH, dtype=torch.float64) for count in (nodes, more))
        edges = torch.randint(nodes, (2, 3 * nodes))
        torch.testing.assert_close(compiled(x, edges, y), function(x, edges, y))


@pytest.mark.parametrize("way", PADDED)
def test_filled_up(way):
    """Rows of one graph, and zeros behind them, to as many as another has."""

    def function(x, edges, y, others):
        return PADDED[way](around(x, edges), around(y, others))

    compiled = rgnn.compile(function)
    fewer = ((6, 4),) if "zeros" not in way else ()  # that some are cut off is another version
    for nodes, more in ((4, 7), (5, 9), (6, 6), (1, 3), (0, 2), *fewer):
        x, y = (torch.randn(count, WIDTH, dtype=torch.float64, requires_grad=True) for count in (nodes, more))
        edges, others = (torch.randint(max(1, count), (2, 3 * count)) for count in (nodes, more))
        outcomes = []
        for each in (function, compiled):
            out = each(x, edges, y, others)
            outcomes.append([out, *torch.autograd.grad((out * out.detach().cos()).sum(), [x, y])])
        for one, other in zip(*outcomes, strict=True):
            torch.testing.assert_close(other, one, rtol=1e-10, atol=1e-10)
    versions = runner_of(compiled).versions
    assert len(versions) <= 2 and is_whole(versions[0])


def test_columns_of_other_sizes():
    """One row is written to all, and rows of another number are PyTorch's error."""

    def function(x, y, edges):
        out = torch.zeros(x.size(0), 3, 2, dtype=x.dtype)
        out[:, 1, 0] = around(x, edges)[:, 0]
        out[:, 2] = y
        return out.reshape(-1, WIDTH) * x

    compiled = rgnn.compile(function)
    for nodes, given in ((5, 5), (7, 7), (6, 1), (6, 3), (1, 1), (0, 0)):
        x, y = torch.randn(nodes, WIDTH, dtype=torch.float64), torch.randn(given, 2, dtype=torch.float64)
        edges = torch.randint(max(1, nodes), (2, 2 * nodes))
        if given not in (1, nodes):
            for each in (function, compiled):
                with pytest.raises(RuntimeError, match="must match the existing size"):
                    each(x, y, edges)
        else:
            torch.testing.assert_close(compiled(x, y, edges), function(x, y, edges))

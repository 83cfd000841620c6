"""Functions that are told to work in place, between what shares the memory that they change."""

import itertools

import pytest
import rgnn
import torch
import torch.nn.functional as F
from checks import compare, outcome
from torch import nn
from torch_geometric.utils import scatter

WIDTH = 4


def joined_twice(x, other):
    y = torch.cat([x * 2, other], 1)
    F.relu(y, inplace=True)
    return torch.cat([y, x], 1)


def joined_rows(x, other):
    y = torch.cat([x * 2, other])
    F.leaky_relu(y, 0.1, inplace=True)
    return torch.cat([y[: x.size(0)], y[x.size(0) :]], 1)


def view_of_it(x, other):
    y = x * 2
    first = y[:, :2]
    F.elu(y, inplace=True)
    return torch.cat([first, other], 1)


def heads_of_it(x, other):
    y = x * 2
    heads = y.view(-1, 2, WIDTH // 2)
    F.relu(heads, True)
    return y * other


def detached(x, other):
    y = x * 2
    fixed = y.detach()
    F.relu_(y)
    return fixed * other + y


def several(x, other):
    y = torch.cat([x * 2, other], 1)
    torch._foreach_mul_([y], 3.0)
    return torch.cat([y, x], 1)


def operator_in_place(x, other):
    y = torch.cat([x * 2, other], 1)
    torch.ops.aten.clamp_min_(y, 0.0)
    return torch.cat([y, x], 1)


def dropped(x, other):
    y = torch.cat([x * 2, other], 1)
    F.dropout(y, 1.0, inplace=True)
    return torch.cat([y, x], 1)


def twice(x, other):
    """The same sum, before and behind the change."""
    y = x * 2
    first = y + other
    F.threshold(y, 0.0, 0.0, inplace=True)
    return torch.cat([first, y + other], 1)


def part_changed(x, other):
    y = torch.cat([x, other], 1)
    x += 1
    return torch.cat([y, x], 1)


def largest_changed(x, other):
    most = x.argmax(1)
    x *= -1
    return F.one_hot(most, WIDTH).to(x.dtype) * other


def marked_by_scatter(x, other):
    most = x.argmax(1, True)
    marks = torch.zeros_like(x)
    marks += 1
    F.hardtanh(x, -0.1, 0.1, inplace=True)
    return marks.scatter(1, most, 2.0) * other


def same_row(x, other):
    """The rows of an embedding are changed, its table is not."""
    table = torch.arange(1.0, 9.0, dtype=x.dtype).view(2, WIDTH)
    rows = table.index_select(0, torch.ones(x.size(0), dtype=torch.int64))
    rows += x
    return rows * other


def truthy_flag(x, other):
    y = torch.cat([x * 2, other], 1)
    F.relu(y, inplace=1)
    return torch.cat([y, x], 1)


def by_names_of_operators(x, other):
    y = torch.cat([x * 2, other], 1)
    y.__imul__(3.0)
    torch.Tensor.__iadd__(y, 1.5)
    return torch.cat([y, x], 1)


def list_by_keyword(x, other):
    y = torch.cat([x * 2, other], 1)
    torch._foreach_mul_(self=[y], scalar=3.0)
    return torch.cat([y, x], 1)


def averages_of_operators(x, other):
    averages = torch.cat([x.detach()[:1] * 0, other.detach()[:1] * 0 + 1])
    both = torch.cat([averages, averages])
    torch.batch_norm(x.detach().repeat(2, 1), None, None, averages[0], averages[1], True, 0.1, 1e-5, False)
    return x * torch.cat([both, averages]).sum(0)


def averages_made(x, other):
    mean, var = torch.zeros(WIDTH, dtype=x.dtype), torch.ones(WIDTH, dtype=x.dtype)
    h = F.batch_norm(torch.cat([x, x + 1]), mean, var, training=True)
    return h[: x.size(0)] * mean + other * var


class Model(nn.Module):
    def __init__(self, change):
        super().__init__()
        self.lin, self.other, self.change = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH), change

    def forward(self, x, edge_index):
        h = self.change(self.lin(x), self.other(x))
        return scatter(h[edge_index[0]], edge_index[1], dim=0, dim_size=x.size(0), reduce="sum")


CHANGES = [joined_twice, joined_rows, view_of_it, heads_of_it, detached, several, operator_in_place, dropped, twice,
           part_changed, largest_changed, marked_by_scatter, same_row, truthy_flag, by_names_of_operators,
           list_by_keyword, averages_of_operators, averages_made]  # fmt: skip


def check(change):
    model = Model(change)
    compiled = rgnn.compile(model)
    for nodes, edges in ((9, 30), (9, 30), (5, 0), (1, 4)):
        x, edge_index = torch.randn(nodes, WIDTH, requires_grad=True), torch.randint(nodes, (2, edges))
        compare(outcome(compiled, (x, edge_index)), outcome(model, (x, edge_index)))


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.filterwarnings("ignore:rgnn")
def test_equal_pytorchs(change, float64):
    check(change)


def test_tables(float64):
    def model(x, neighbours):
        table = x[neighbours]
        flat = table.flatten(1)
        F.relu(table, inplace=True)
        return table.sum(1) + flat[:, : x.size(1)]

    compiled = rgnn.compile(model)
    for nodes in (9, 4):
        args = torch.randn(nodes, WIDTH), torch.randint(nodes, (nodes, 3))
        torch.testing.assert_close(compiled(*args), model(*args))


@pytest.mark.filterwarnings("ignore:rgnn")
def test_results_that_are_written(float64):
    def maxima(x, edge_index):
        values, places = x[:, 0] * 1, torch.zeros(x.size(0), dtype=torch.int64)
        y = torch.cat([values, x[:, 1]])
        torch.max(x, 1, out=(values, places))
        return torch.cat([y, values]), scatter(x[edge_index[0]], edge_index[1], dim=0, dim_size=x.size(0))

    def renormed(x, edge_index):
        table = x * 2
        y = torch.cat([table, table])
        F.embedding(edge_index[0], table, max_norm=0.5)
        return torch.cat([y, table]), scatter(x[edge_index[0]], edge_index[1], dim=0, dim_size=x.size(0))

    def strided(x, edge_index):
        ones = torch.ones(2, 3, 4, 5, dtype=torch.int64).double(memory_format=torch.channels_last)
        return ones, scatter(x[edge_index[0]], edge_index[1], dim=0, dim_size=x.size(0))

    for model in (maxima, renormed, strided):
        compiled = rgnn.compile(model)
        for nodes in (9, 5):
            args = torch.randn(nodes, WIDTH), torch.randint(nodes, (2, 20))
            with torch.no_grad():
                for got, expected in zip(compiled(*args), model(*args), strict=True):
                    torch.testing.assert_close(got, expected)
                    assert got.stride() == expected.stride()


SHARED = {"apart": lambda x: x.clone(), "view": lambda x: x.view(x.shape), "half": lambda x: x[: len(x) // 2],
          "last": lambda x: x[-1:]}  # fmt: skip


@pytest.mark.parametrize("order", list(itertools.permutations(SHARED, 2)))
@pytest.mark.filterwarnings("ignore:rgnn")
def test_views_of_arguments(order, float64):
    """What is changed shares memory with what is read in some calls only."""

    def model(x, edge_index, y):
        y.mul_(2)
        h = scatter(x[edge_index[0]], edge_index[1], dim=0, dim_size=x.size(0)) * x
        y.add_(1)
        return h + x, y * 1

    compiled = rgnn.compile(model)
    for kind in (*order, *order):
        for nodes in (9, 5):
            x, edge_index = torch.randn(nodes, WIDTH), torch.randint(nodes, (2, 20))
            found = []
            for one in (compiled, model):
                own = x.clone()
                found.append([*one(own, edge_index, SHARED[kind](own)), own])
            torch.testing.assert_close(*found)


@pytest.mark.parametrize("norm", [nn.BatchNorm1d, lambda width: nn.InstanceNorm1d(width, track_running_stats=True)])
@pytest.mark.filterwarnings("ignore:rgnn")
def test_averages_of_norms(norm, float64):
    """A norm in training changes the averages that it holds."""

    class Averages(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = norm(WIDTH)

        def forward(self, x, edge_index):
            before = self.norm.running_mean * 2
            h = self.norm(x.t()[None])[0].t()
            h = scatter(h[edge_index[0]], edge_index[1], dim=0, dim_size=x.size(0))
            return h, before, self.norm.running_mean * 2

    torch.manual_seed(0)
    model, other = Averages(), Averages()
    compiled = rgnn.compile(other)
    for nodes in (9, 5):
        x, edge_index = torch.randn(nodes, WIDTH), torch.randint(nodes, (2, 20))
        for got, expected in zip(compiled(x, edge_index), model(x, edge_index), strict=True):
            torch.testing.assert_close(got, expected)


class VirtualNode(nn.Module):
    """As OGB has it: rows of one embedding, for each graph."""

    def __init__(self, count):
        super().__init__()
        self.table, self.count = nn.Embedding(2, WIDTH), count

    def forward(self, x, edge_index):
        rows = self.table(torch.zeros(x.size(0), dtype=torch.int64))
        for _ in range(self.count):
            rows += scatter(x[edge_index[0]], edge_index[1], dim=0, dim_size=x.size(0))
        return rows.relu_(), self.table.weight * 1


@pytest.mark.parametrize("count", [0, 1, 2])
@pytest.mark.filterwarnings("ignore:rgnn")
def test_rows_of_an_embedding_that_are_changed(count, float64):
    model = VirtualNode(count)
    compiled = rgnn.compile(model)
    for nodes, edges in ((9, 30), (5, 0)):
        x, edge_index = torch.randn(nodes, WIDTH, requires_grad=True), torch.randint(nodes, (2, edges))
        compare(outcome(compiled, (x, edge_index)), outcome(model, (x, edge_index)))

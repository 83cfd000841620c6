"""Models that run layers once for each step of time, and what such calls compute again: all is compiled whole, once for
batches of all sizes, and what repeats is there once."""

import copy
import warnings

import pytest
import rgnn
import torch
from pyg import gnn, versions
from torch import nn
from torch.nn import functional as F

pytestmark = pytest.mark.usefixtures("strict")

WIDTH = 6
BATCHES = ((20, 60), (11, 30), (WIDTH, 12), (7, 0), (1, 3))  # nodes, edges


class Recurrent(nn.Module):
    """T-GCN: three convolutions in each step, which all normalise the same edges."""

    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList(gnn.GCNConv(WIDTH, WIDTH) for _ in range(3))
        self.lins = nn.ModuleList(nn.Linear(2 * WIDTH, WIDTH) for _ in range(3))

    def gate(self, number, x, edge_index, h):
        return self.lins[number](torch.cat([self.convs[number](x, edge_index), h], dim=1))

    def forward(self, x, edge_index):
        h = x.new_zeros(x.shape[1], WIDTH)
        for step in range(x.shape[0]):
            update, reset = (self.gate(number, x[step], edge_index, h).sigmoid() for number in range(2))
            h = update * h + (1 - update) * self.gate(2, x[step], edge_index, h * reset).tanh()
        return h


class EachStep(nn.Module):
    """A cell behind a convolution; a result for each step."""

    def __init__(self):
        super().__init__()
        self.conv, self.cell = gnn.GCNConv(WIDTH, WIDTH), nn.GRUCell(WIDTH, WIDTH)

    def forward(self, x, edge_index):
        h, results = x.new_zeros(x.shape[1], WIDTH), []
        for rows in x:
            h = self.cell(self.conv(rows, edge_index).relu(), h)
            results.append(h)
        return torch.stack(results)


class Named(nn.Module):
    """Steps by their numbers, whose count nothing asks for."""

    def __init__(self):
        super().__init__()
        self.conv = gnn.GCNConv(WIDTH, WIDTH)

    def forward(self, x, edge_index):
        return self.conv(x[1], edge_index) - self.conv(x[0], edge_index) + x[-1]


class Columns(nn.Module):
    """Features of nodes as columns, in and out."""

    def __init__(self):
        super().__init__()
        self.conv = gnn.GCNConv(3, 3)

    def forward(self, x, edge_index):
        return self.conv(x.sum(-1).t(), edge_index).t() * x[..., 0]


def graph(nodes, edges):
    ends = torch.randint(nodes, (2, edges))
    ends[1, : edges // 4] = ends[0, : edges // 4]  # self loops
    return ends


def is_float(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def check(model, compiled, *args):
    """Compares results and gradients by parameters and features."""
    found = []
    for function in (model, compiled):
        given = [arg.clone().requires_grad_() if is_float(arg) else arg for arg in args]
        result = function(*given)
        by = [*function.parameters(), *filter(is_float, given)]
        found.append((result, torch.autograd.grad(result.square().sum(), by, allow_unused=True)))
    (expected, gradients), (result, others) = found
    torch.testing.assert_close(result, expected, rtol=1e-10, atol=1e-12)
    for gradient, other in zip(gradients, others, strict=True):
        assert (gradient is None) == (other is None)
        if gradient is not None:
            torch.testing.assert_close(other, gradient, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("make", [pytest.param(Recurrent, marks=pytest.mark.long), EachStep, Named, Columns])
def test_whole_on_batches(make, float64):
    model = make()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    # One node is a number of rows of its own to PyTorch, whose columns lie as its rows do.
    for nodes, edges in BATCHES[:-1] if make is Columns else BATCHES:
        check(model, compiled, torch.randn(3, nodes, WIDTH), graph(nodes, edges))
    assert versions(compiled) <= 2


def test_another_number_of_steps(float64):
    model = EachStep()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for steps in (2, 4):
        check(model, compiled, torch.randn(steps, 9, WIDTH), graph(9, 30))


# ---- what repeats ----------------------------------------------------------------------------------------------------


class Compared(nn.Module):
    """Steps that are compared with targets, of which nothing else says that they have a row for each node."""

    def __init__(self, compare):
        super().__init__()
        self.conv, self.compare = gnn.SAGEConv(WIDTH, WIDTH), compare

    def forward(self, x, edge_index, targets):
        first = self.conv(x, edge_index)
        return self.compare(torch.stack([first, self.conv(first.relu(), edge_index)]), targets)


@pytest.mark.parametrize("compare", [
    lambda steps, targets: F.mse_loss(steps[1], targets[0]),
    lambda steps, targets: F.mse_loss(steps, targets[1:]),
    lambda steps, targets: F.l1_loss(steps, targets[:-1], reduction="none"),
    lambda steps, targets: F.binary_cross_entropy_with_logits(steps, targets[1:]) + (steps - targets[:2]).sum(),
], ids=["one", "some", "each", "several"])  # fmt: skip
def test_targets_of_steps(compare, float64):
    model = Compared(compare)
    compiled = rgnn.compile(model)
    for nodes, edges in ((WIDTH, 20), *BATCHES):
        x, targets = torch.randn(nodes, WIDTH), torch.rand(3, nodes, WIDTH)
        check(model, compiled, x, graph(nodes, edges), targets)
    assert versions(compiled) == 1


class Triangles(nn.Module):
    """Edges that hear the two others of a triangle, which a table ``[3, T]`` names."""

    def __init__(self, unpack):
        super().__init__()
        self.lin, self.unpack = nn.Linear(WIDTH, WIDTH), unpack

    def forward(self, x, edge_index, triangles):
        edges = self.lin(x)[edge_index[0]]
        first, second, third = self.unpack(triangles)
        edges = edges.index_add(0, third, edges[first] * edges[second])
        return torch.zeros_like(x).index_add(0, edge_index[1], edges)


@pytest.mark.parametrize("unpack", [lambda table: table, lambda table: table.unbind(0),
                                    lambda table: (table[0].long(), table[1], table.select(0, 2))])  # fmt: skip
def test_tables_of_edges(unpack, float64):
    model = Triangles(unpack)
    compiled = rgnn.compile(model, fullgraph=True)
    for nodes, edges, count in ((9, 30, 25), (9, 30, 12), (7, 20, 0), (5, 9, 1), (5, 3, 3)):
        check(model, compiled, torch.randn(nodes, WIDTH), graph(nodes, edges), torch.randint(edges, (3, count)))
    assert versions(compiled) == 1


class Stack(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.convs = nn.ModuleList(gnn.GCNConv(WIDTH, WIDTH) for _ in range(count))

    def forward(self, x, edge_index):
        for conv in self.convs:
            x = conv(x, edge_index).tanh()
        return x


def num_kernels(model, *args):
    return len(rgnn.explain(model, *args).kernels)


def test_edges_are_normalised_once(float64):
    args = torch.randn(9, WIDTH), graph(9, 30)
    one, two, three = (num_kernels(Stack(count), *args) for count in (1, 2, 3))
    assert three - two == two - one < one


def test_weights_of_edges_tell_normalisations_apart(float64):
    class Weighted(nn.Module):
        def __init__(self):
            super().__init__()
            self.convs = nn.ModuleList(gnn.GCNConv(WIDTH, WIDTH) for _ in range(3))

        def forward(self, x, edge_index, one, other):
            return sum(conv(x, edge_index, by) for conv, by in zip(self.convs, (one, other, one)))

    model = Weighted()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for nodes, edges in BATCHES:
        check(model, compiled, torch.randn(nodes, WIDTH), graph(nodes, edges), torch.rand(edges), torch.rand(edges))
    assert versions(compiled) == 1


def test_equal_results_have_memory_of_their_own(float64):
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = gnn.SAGEConv(WIDTH, WIDTH)

        def forward(self, x, edge_index):
            return self.conv(x, edge_index), self.conv(x, edge_index)

    model = Twice()
    x, edge_index = torch.randn(9, WIDTH), graph(9, 30)
    first, second = rgnn.compile(copy.deepcopy(model), fullgraph=True)(x, edge_index)
    with torch.no_grad():
        first.zero_()
    torch.testing.assert_close(second, model(x, edge_index)[1], rtol=1e-10, atol=1e-12)


def test_each_mask_is_drawn(float64):
    def drop(x, edge_index):
        one, other = (nn.functional.dropout(x, 0.5)[edge_index[0]] for _ in range(2))
        return torch.zeros_like(x).index_add(0, edge_index[1], one - other)

    compiled = rgnn.compile(drop, fullgraph=True)
    x, edge_index = torch.randn(9, WIDTH), graph(9, 30)
    torch.manual_seed(3)
    found = compiled(x, edge_index)
    torch.manual_seed(3)
    torch.testing.assert_close(found, drop(x, edge_index), rtol=1e-10, atol=1e-12)
    assert found.any()


def test_what_changes_its_own_memory(float64):
    """What is read in front of a change is as it was; a view that is made before sees the change."""

    class Changing(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = nn.Linear(WIDTH, WIDTH)

        def forward(self, x, edge_index):
            ones = x.new_ones(edge_index.shape[1])
            degree = x.new_zeros(x.shape[0]).index_add(0, edge_index[1], ones)
            before = degree * 2
            scale = degree.pow_(-0.5)
            scale.masked_fill_(scale == float("inf"), 0.0)
            h = self.lin(x)
            view = h.view(-1, 2, WIDTH // 2)
            h += before.view(-1, 1)
            h *= 2
            out = torch.zeros_like(h).index_add(0, edge_index[1], (degree.view(-1, 1) * h)[edge_index[0]])
            return out + view.sum(1).repeat(1, 2)

    model = Changing()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for nodes, edges in BATCHES:
        check(model, compiled, torch.randn(nodes, WIDTH), graph(nodes, edges))


def test_changes_that_only_the_second_sees(float64):
    """Equal expressions of what changes in between are two values."""

    def between(x, edge_index):
        h = x * 2
        first = h.sum(1, keepdim=True)
        h.add_(first)
        change = h.sum(1, keepdim=True) - first
        return torch.zeros_like(x).index_add(0, edge_index[1], (h + change)[edge_index[0]])

    compiled = rgnn.compile(between, fullgraph=True)
    for nodes, edges in BATCHES:
        x, edge_index = torch.randn(nodes, WIDTH), graph(nodes, edges)
        torch.testing.assert_close(compiled(x, edge_index), between(x, edge_index), rtol=1e-10, atol=1e-12)


@torch.library.custom_op("rgnn_test_steps::double", mutates_args={"rows"})
def double(rows: torch.Tensor) -> None:
    rows.mul_(2)


@pytest.mark.parametrize("change", [double, lambda rows: nn.functional.relu(rows, True), lambda rows: rows.relu_()])
def test_what_others_change_is_not_shared(change, float64):
    def twice(x, edge_index):
        h = x * 3
        change(h)
        h = h + x * 3
        return torch.zeros_like(x).index_add(0, edge_index[1], h[edge_index[0]])

    x, edge_index = torch.randn(9, WIDTH), graph(9, 30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the operator of somebody else has PyTorch run this
        found = rgnn.compile(twice)(x, edge_index)
    torch.testing.assert_close(found, twice(x, edge_index), rtol=1e-10, atol=1e-12)

"""Rows that a model picks by masks, sets, joins or takes from the front; those behind another dimension, and of all."""

import copy
import warnings

import pytest
import rgnn
import torch
from pyg import gnn, versions
from test_two_sets import step
from torch import nn
from torch_geometric import utils


def rows(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def graph(nodes, edges):
    """Edges with self loops, one of them twice, and duplicates."""
    ends = torch.randint(max(nodes, 1), (2, edges if nodes else 0))
    ends[1, : edges // 4] = ends[0, : edges // 4]
    ends[:, edges // 4 : edges // 2] = ends[:, : edges // 2 - edges // 4]
    return ends


class Weighted(nn.Module):
    """Self loops with weights: the remaining ones, ones, and means of the others' features."""

    def __init__(self):
        super().__init__()
        self.weighted, self.attends = gnn.GCNConv(6, 8), gnn.GATConv(8, 4, heads=2, edge_dim=3)
        self.second = gnn.GATv2Conv(8, 4, edge_dim=3, fill_value="add")

    def forward(self, x, edge_index, weight, features):
        x = self.weighted(x, edge_index, weight).relu()
        return self.second(self.attends(x, edge_index, features), edge_index, features)


class Masked(nn.Module):
    """Two kinds of nodes, each of which a layer of its own computes and sets; edges of a kind alone."""

    def __init__(self):
        super().__init__()
        self.one, self.other, self.conv = nn.Linear(6, 5), nn.Linear(6, 5), gnn.SimpleConv("add")

    def forward(self, x, edge_index, kind, near):
        h = x.new_zeros(x.shape[0], 5)
        h[kind == 0] = self.one(x[kind == 0])
        h[kind == 1] = self.other(x[kind == 1]).tanh()
        kept = self.conv(h * (kind + 1).view(-1, 1), edge_index[:, near])
        return kept, torch.where(near[:, None], 2.0, h[edge_index[0]])


class Seeds(nn.Module):
    """Nodes that are reached from others, which come first."""

    def __init__(self):
        super().__init__()
        self.first, self.second = gnn.SAGEConv((6, 6), 5), gnn.GCN2Conv(5, 0.3)

    def forward(self, x, edge_index, y):
        seeds = y.shape[0]
        h = self.first((x, x[:seeds]), edge_index)
        return self.second(h + y[:, None], x[:, :5], edge_index[:, edge_index[0] < seeds])


class Written(nn.Module):
    """Rows that a list sets, some of them twice; of what an earlier change made, too."""

    def __init__(self):
        super().__init__()
        self.conv = gnn.GraphConv(6, 6)

    def forward(self, x, edge_index, places):
        h = self.conv(x, edge_index)
        new = h.clone()
        new[places] = x[: places.shape[0]]
        new.index_copy_(0, places.flip(0), h[: places.shape[0]].exp())
        return self.conv(new, edge_index)


class Tokens(nn.Module):
    """Rows that masks and lists set to numbers and to one row, or add these to; a list that is drawn."""

    def __init__(self):
        super().__init__()
        self.conv, self.token, self.label = gnn.GraphConv(6, 6), nn.Parameter(rows(1, 6)), nn.Parameter(rows(6))

    def forward(self, x, edge_index, mask, places):
        drawn = torch.randperm(x.size(0))[: int(0.4 * x.size(0))]
        x = x.clone()
        x[drawn] = 0.0
        x[drawn] += self.token
        x[mask] = self.token
        h = self.conv(x, edge_index).index_fill(0, places - x.size(0), 2.0)
        h = h.index_put((places,), self.label, accumulate=True)
        h.index_put_((places,), self.token, accumulate=True)
        h[drawn] = 0
        return self.conv(h, edge_index)


class Normalised(nn.Module):
    """Batches that are normalised in training, and readouts of all rows."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.second = gnn.GINConv(nn.Linear(6, 8)), nn.BatchNorm1d(8), gnn.BatchNorm(8)
        self.plain = nn.BatchNorm1d(8, affine=False)

    def forward(self, x, edge_index):
        h = self.second(self.norm(self.conv(x, edge_index)).relu())
        return self.plain(h), h.mean(0), h.sum(dim=0, keepdim=True) * h


class Stacked(nn.Module):
    """Rows behind the hops that they are of, and attention over these."""

    def __init__(self):
        super().__init__()
        self.conv, self.score, self.matrices = gnn.SimpleConv(), nn.Linear(6, 4), nn.Parameter(rows(3, 6, 4))

    def forward(self, x, edge_index):
        hops = [x]
        for _ in range(2):
            hops.append(self.conv(hops[-1], edge_index))
        hops = torch.stack(hops)
        weight = self.score(hops).tanh().mean(1).sum(-1).softmax(0)
        first = (weight.view(-1, 1, 1) * hops).sum(0)
        each = torch.matmul(hops, self.matrices)
        least = torch.cat([hops, hops], 0).permute(1, 2, 0).min(2).values
        return first, each.transpose(0, 1).flatten(1), each.max(0)[0], least


def hetero(aggr):
    class Hetero(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = gnn.HeteroConv({("a", str(i), "a"): gnn.SAGEConv(6, 5) for i in range(3)}, aggr)

        def forward(self, x, edge_index):
            edges = {("a", "0", "a"): edge_index, ("a", "1", "a"): edge_index.flip(0),
                     ("a", "2", "a"): edge_index[:, ::2]}  # fmt: skip
            return self.conv({"a": x}, edges)["a"]

    return Hetero()


SIZES = [(9, 20), (7, 12), (30, 80), (12, 40)]
CASES = {
    "weighted": (Weighted, lambda n, e: (rows(n, 6), graph(n, e), rows(e).exp(), rows(e, 3))),
    "masked": (Masked, lambda n, e: (rows(n, 6), graph(n, e), torch.randint(3, (n,)), torch.rand(e) < 0.5)),
    "seeds": (Seeds, lambda n, e: (rows(n, 6), torch.stack([graph(n, e)[0], graph(n // 2, e)[1]]), rows(n // 2))),
    "written": (Written, lambda n, e: (rows(n, 6), graph(n, e), torch.randint(n, (n // 2,)))),
    "tokens": (Tokens, lambda n, e: (rows(n, 6), graph(n, e), torch.rand(n) < 0.5, torch.randint(n, (n // 2,)))),
    "normalised": (Normalised, lambda n, e: (rows(n, 6), graph(n, e))),
    "stacked": (Stacked, lambda n, e: (rows(n, 6), graph(n, e))),
    "maximum of relations": (lambda: hetero("max"), lambda n, e: (rows(n, 6), graph(n, e))),
    "minimum of relations": (lambda: hetero("min"), lambda n, e: (rows(n, 6), graph(n, e))),
}


def agree(compiled, model, args):
    results = []
    for each in (compiled, model):
        with torch.random.fork_rng():
            torch.manual_seed(7)
            results.append(step(each, args))
    for got, expected in zip(*results, strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-9, atol=1e-11)
    for got, expected in zip(compiled.buffers(), model.buffers(), strict=True):
        torch.testing.assert_close(got, expected)


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", CASES)
def test_other_sizes_in_each_call(name, strict):
    torch.manual_seed(3)
    make_model, make_args = CASES[name]
    model = make_model().double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for sizes in SIZES:
        agree(compiled, model, make_args(*sizes))
    assert len(compiled._compiled_call_impl.runner.versions) <= 2


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", ["weighted", "masked", "stacked", "maximum of relations"])
@pytest.mark.parametrize("sizes", [(5, 0), (1, 3), (1, 0), (4, 1)])
def test_awkward_sizes(name, sizes):
    torch.manual_seed(4)
    make_model, make_args = CASES[name]
    model = make_model().double()
    compiled = rgnn.compile(copy.deepcopy(model))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agree(compiled, model, make_args(7, 12))
        agree(compiled, model, make_args(*sizes))


def test_no_self_loops_and_nothing_else(strict):
    """Masks that take all rows and none."""
    model = gnn.GCNConv(6, 4).double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    loops = torch.arange(5).repeat(2, 2)
    for edges in (loops, utils.remove_self_loops(graph(5, 30))[0], loops[:, :3]):
        agree(compiled, model, (rows(5, 6), edges, rows(edges.shape[1]).exp()))


@pytest.mark.parametrize("bias", [True, False])
def test_rows_of_products_scaled(bias, strict):
    """Factors that are known before the product, of one number a row: a mask, an input, degrees."""
    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.second, self.gate = nn.Linear(4, 3, bias), nn.Linear(3, 3, bias), nn.Linear(3, 1, bias)

        def forward(self, x, edge_index, mask, time):
            h = self.linear(torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])) * mask[:, None]
            h = h + self.second(h) * time.view(-1, 1)
            gate = self.gate(h).squeeze(-1)
            weight = torch.sigmoid(gate[edge_index[0]] + gate[edge_index[1]])
            sent = torch.zeros_like(h).index_add(0, edge_index[1], weight[:, None] * h[edge_index[0]])
            return self.second(sent) * utils.degree(edge_index[1], x.shape[0], x.dtype)[:, None]

    model = Scaled().double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for nodes, edges in SIZES:
        args = rows(nodes, 4), graph(nodes, edges), torch.rand(nodes) > 0.5, rows(nodes).requires_grad_(False)
        with torch.no_grad():
            torch.testing.assert_close(compiled(*args), model(*args))
        agree(compiled, model, args)


@torch.no_grad()
def test_the_first_of_equal_maxima_and_nan(strict):
    def first(x, edge_index):
        return utils.scatter(x[edge_index[0]].max(1).values, edge_index[1], 0, x.shape[0])

    x = torch.tensor([[1.0, 1.0], [torch.nan, 2.0], [2.0, torch.nan], [-torch.inf, -torch.inf]])
    edge_index = torch.tensor([[0, 1, 2, 3], [0, 1, 2, 3]])
    got = rgnn.compile(first)(x, edge_index)
    torch.testing.assert_close(got, first(x, edge_index), equal_nan=True)


def test_rows_of_several_graphs(strict):
    """An input that two graphs have as many rows as: of nodes, and, by chance of the model, of edges."""
    def both(x, e, edge_index):
        total = torch.zeros_like(x).index_add(0, edge_index[1], e)
        return total + x, e * x

    args = rows(6, 4), rows(6, 4), graph(6, 6)
    compiled = rgnn.compile(both)
    torch.testing.assert_close(compiled(*args), both(*args))
    with pytest.raises((RuntimeError, rgnn.InputError), match="size|expected"):
        compiled(args[0], rows(7, 4), graph(6, 7))


def test_a_mask_of_the_wrong_length():
    model = Masked().double()
    compiled = rgnn.compile(model)
    x, edge_index, kind, near = CASES["masked"][1](6, 10)
    with pytest.raises((IndexError, RuntimeError, rgnn.InputError), match="shape|size|index"):
        compiled(x, edge_index, kind[:-1], near)


class OneForMany(nn.Module):
    """One row that a mask, or a list, sets in many places; the last rows, counted from the end."""

    def forward(self, x, edge_index, mask, places, row, count):
        h = torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])
        h[mask] = row
        other = h.clone()
        other[places] = row
        return h, other, h[: -row.shape[0]], h[: -count.shape[0]]


@torch.no_grad()
def test_one_row_for_many():
    model = OneForMany()
    compiled = rgnn.compile(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for nodes in (9, 7, 12):
            for number in (1, 3):
                mask = torch.arange(nodes) < (4 if number == 1 else 3)
                args = rows(nodes, 4), graph(nodes, 20), mask, torch.arange(number + 2 * (number == 1)), rows(number, 4)
                torch.testing.assert_close(compiled(*args, rows(2)), model(*args, rows(2)))


class PutElsewhere(nn.Module):
    """Other things than rows, by masks, lists of columns and elements, or one number for all, in a copy."""

    def forward(self, x, edge_index):
        src, dst = edge_index
        h = torch.zeros_like(x).index_add(0, dst, x[src])
        even, columns = torch.arange(x.shape[0]) % 2 == 0, torch.tensor([0, 2])
        made = [h.index_put((even,), h.new_tensor(0.5)), h.index_put((src,), h.new_ones(x.shape[1])),
                h.index_put((src, dst % x.shape[1]), h.new_tensor(1.0)), h.index_copy(1, columns, h[:, :2]),
                h.index_put((src,), h[dst], accumulate=True)]  # fmt: skip
        return torch.zeros_like(x).index_add(0, dst, sum(made)[src])


def test_what_is_put_elsewhere():
    model = PutElsewhere()
    compiled = rgnn.compile(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for nodes, edges in ((9, 20), (7, 30), (4, 0)):
            edge_index = graph(nodes, edges)
            results = []
            for call in (model, compiled):
                x = torch.linspace(-1, 2, 4 * nodes, dtype=torch.float64).view(nodes, 4).requires_grad_()
                out = call(x, edge_index)
                results.append((out, *torch.autograd.grad(out.sin().sum(), x)))
            for own, got in zip(*results):
                torch.testing.assert_close(got, own)


class Reused(nn.Module):
    """Masks and first rows of what is changed afterwards, through another view of the same memory."""

    def forward(self, x, edge_index, kind, y):
        h = torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])
        kind = kind.clone()
        before = h[kind == 0].sum()
        kind.view(-1).add_(1).remainder_(2)
        first, flat = h[: y.shape[0]], h.view(-1)
        flat.mul_(2)
        return before, h[kind == 0].sum(), first * 1


@torch.no_grad()
def test_changes_through_another_view():
    model = Reused()
    compiled = rgnn.compile(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for nodes in (9, 7, 12):
            args = rows(nodes, 4), graph(nodes, 20), torch.arange(nodes) % 2, rows(nodes // 2)
            torch.testing.assert_close(compiled(*args), model(*args))


@torch.no_grad()
def test_rows_that_are_given():
    """A view of the result and a mask are no work of PyTorch's, and rows that a mask picks are compiled."""
    def picks(x, edge_index):
        h = torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])
        return h[:2], h[h[:, 0] > 0]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fallbacks = rgnn.explain(picks, rows(6, 4), graph(6, 9)).fallbacks
    assert not fallbacks


@pytest.mark.parametrize("threshold", [0.0, 9.0])
def test_edges_by_a_mask_of_data(threshold, strict):
    """Which edges a graph has may be said by floats, which may differ in each call."""
    def model(x, edge_index, sign):
        kept = edge_index[:, sign > threshold]
        return torch.zeros_like(x).index_add(0, kept[1], x[kept[0]]).tanh()

    compiled = rgnn.compile(model, fullgraph=True)
    for nodes, edges in ((6, 9), (9, 30), (5, 5)):
        x, edge_index, sign = rows(nodes, 4), graph(nodes, edges), rows(edges, 1)[:, 0]
        torch.testing.assert_close(compiled(x, edge_index, sign), model(x, edge_index, sign))


def test_products_of_rows_that_masks_pick():
    """Each kind's product is of its rows alone, not of all rows for each kind."""
    model = Masked()
    report = rgnn.explain(model, torch.randn(9, 6), graph(9, 20), torch.randint(3, (9,)), torch.rand(20) < 0.5)
    assert any("the list names no row twice" in decision.reason for decision in report.decisions)
    assert sum("hetkernel.gemm" in kernel and "gather" in kernel for kernel in report.kernels) == 2


@pytest.mark.parametrize("numbers", [(7, 9, 0, 1, 2), (2, 3, 0)])
def test_ends_that_are_given_apart(numbers):
    """The second row of a list lies as many numbers behind the first as there are edges, 0 and 1 among them."""

    def sums(x, src, dst):
        return torch.zeros_like(x).index_add(0, dst, x[src])

    compiled = rgnn.compile(sums)
    for edges in numbers:
        x, ends = rows(5, 3), torch.randint(5, (2, edges))
        torch.testing.assert_close(compiled(x, ends[0], ends[1]), sums(x, *ends))
    assert versions(compiled) == 1

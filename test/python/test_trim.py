"""Where a model reads the first rows of its last layer alone, what these do not depend on is not computed."""

from __future__ import annotations

import copy
import weakref

import pytest
import rgnn
import torch
from pyg import gnn
from rgnn._run.trimming import Trimming
from rgnn._runner import runner_of
from torch import Tensor, nn

pytestmark = pytest.mark.usefixtures("float64")
F, H = 6, 4
RELATIONS = [("a", "to", "b"), ("b", "back", "a"), ("a", "in", "a"), ("c", "at", "a")]


class Layers(nn.Module):
    """An encoder, layers with what is often between them, and a head on the first rows."""

    def __init__(self, make, count=2, norm=None, dropout=0.0):
        super().__init__()
        self.encoder = nn.Linear(F, H)
        self.convs = nn.ModuleList(make() for _ in range(count))
        self.norm, self.dropout, self.head = norm, nn.Dropout(dropout), nn.Linear(H, 3)

    def forward(self, x: Tensor, edge_index: Tensor, count: int, *more: Tensor):
        x = self.encoder(x)
        for conv in self.convs:
            x = x + conv(x, edge_index, *more)
            x = self.dropout((x if self.norm is None else self.norm(x)).relu())
        return self.head(x[:count])


class Hetero(nn.Module):
    def __init__(self, make, aggr="sum"):
        super().__init__()
        self.convs = nn.ModuleList(gnn.HeteroConv({r: make() for r in RELATIONS}, aggr=aggr) for _ in range(2))
        self.lin = nn.Linear(F, 2)

    def forward(self, x: dict, edges: dict, count: int):
        for conv in self.convs:
            x = {**x, **{kind: rows.relu() for kind, rows in conv(x, edges).items()}}
        return self.lin(x["a"])[:count]


class Own(nn.Module):
    """Gates of features of edges, from destination to source, a maximum and a mean, and two heads on other counts."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.gate = nn.Linear(F, H), nn.Linear(2 * H, H), nn.Linear(3, H)

    def forward(self, x, edge_index, attr, count, fewer):
        target, source = edge_index
        h = self.first(x)
        m = h.index_select(0, source) * self.gate(attr).sigmoid()
        top = h.new_zeros(h.shape).index_reduce(0, target, m, "amax", include_self=False)
        h = self.second(torch.cat([top, h], -1)).tanh()
        m = h.index_select(0, source) - h.index_select(0, target)
        h = h + torch.zeros_like(h).index_add_(0, target, m)
        return h[:count].sum(-1), h[:fewer] * 2


def make_graph(nodes: int, edges: int, seed=0) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    ends = torch.randint(max(nodes, 1), (2, edges), generator=generator)
    return torch.randn(nodes, F, generator=generator), ends


SIZES = [(30, 60, 5), (12, 80, 12), (40, 30, 1), (9, 0, 4), (7, 20, 0), (1, 3, 1)]
CONVS = {
    "sage": lambda: gnn.SAGEConv(H, H),
    "sage-max": lambda: gnn.SAGEConv(H, H, aggr="max"),
    "gat": lambda: gnn.GATConv(H, H // 2, heads=2),
    "gatv2": lambda: gnn.GATv2Conv(H, H, heads=3, concat=False, add_self_loops=False),
    "gin": lambda: gnn.GINConv(nn.Sequential(nn.Linear(H, H), nn.ReLU(), nn.Linear(H, H))),
    "gcn": lambda: gnn.GCNConv(H, H),
    "transformer": lambda: gnn.TransformerConv(H, H // 2, heads=2, beta=True),
    "edge": lambda: gnn.EdgeConv(nn.Sequential(nn.Linear(2 * H, H), nn.ReLU(), nn.Linear(H, H))),
}


def compare(model: nn.Module, calls: list[tuple], trains=True) -> nn.Module:
    """Results and gradients of each call, and that the model is whole and leaves something out."""
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for args in calls:
        results = []
        for one in (model, compiled):
            one.zero_grad()
            torch.manual_seed(0)
            given = [arg.clone().requires_grad_() if isinstance(arg, Tensor) and arg.is_floating_point() else arg
                     for arg in args]  # fmt: skip
            found = one(*given)
            found = found if isinstance(found, tuple) else (found,)
            if trains:
                sum((result * torch.arange(1.0, result.numel() + 1).view(result.shape)).sum()
                    for result in found).backward()  # fmt: skip
            leaves = [*given, *one.parameters()] if trains else []
            results.append([*found, *(leaf.grad for leaf in leaves if isinstance(leaf, Tensor))])
        for own, other in zip(*results):
            assert (own is None) == (other is None)
            if own is not None:
                torch.testing.assert_close(other, own, rtol=1e-9, atol=1e-10)
    return compiled


@pytest.fixture
def left(monkeypatch):
    """How many edges each cut of each call leaves."""
    found, make = [], Trimming._make
    monkeypatch.setattr(Trimming, "_make", lambda self, tensors: found.append(make(self, tensors)) or found[-1])
    return found


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", CONVS)
def test_layers(name, left):
    model = Layers(CONVS[name], norm=nn.LayerNorm(H) if name in ("gat", "gin") else None)
    calls = [(*make_graph(nodes, edges), count) for nodes, edges, count in SIZES]
    compiled = compare(model, calls)
    assert len(left) == len(calls)
    assert len(runner_of(compiled).versions) <= 2  # the count is a number, until it changes


class Typed(nn.Module):
    def __init__(self, make):
        super().__init__()
        self.convs = nn.ModuleList(make(width) for width in (F, H))

    def forward(self, x, edge_index, edge_type, count: int):
        for conv in self.convs:
            x = conv(x, edge_index, edge_type).relu()
        return x[:count]


TYPED = {
    "rgcn": lambda width: gnn.RGCNConv(width, H, 3),
    "bases": lambda width: gnn.FastRGCNConv(width, H, 3, num_bases=2),
    "rgat": lambda width: gnn.RGATConv(width, H, 3, heads=1),
    "rgat-within": lambda width: gnn.RGATConv(width, H, 3, attention_mechanism="within-relation"),
    "film": lambda width: gnn.FiLMConv(width, H, 3),
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", TYPED)
def test_types(name, left):
    types = lambda count: torch.arange(count) % 3  # noqa: E731
    calls = [(*make_graph(nodes, edges), types(edges), count) for nodes, edges, count in SIZES if edges]
    compare(Typed(TYPED[name]), calls)
    assert len(left) == len(calls)


def test_inference():
    model = Layers(CONVS["sage"]).eval()
    with torch.no_grad():
        compare(model, [(*make_graph(nodes, edges), count) for nodes, edges, count in SIZES], trains=False)


def test_dropout():
    compare(Layers(CONVS["sage"], dropout=0.4).train(), [(*make_graph(30, 60), 5), (*make_graph(20, 9), 3)])


def test_own():
    calls = [(*make_graph(nodes, edges), torch.randn(edges, 3), count, count // 2) for nodes, edges, count in SIZES]
    compare(Own(), calls)


@pytest.mark.sample(6)
@pytest.mark.parametrize("aggr", ["sum", "mean", "max"])
@pytest.mark.parametrize("name", ["sage", "gat"])
def test_relations(name, aggr, left):
    makes = {"sage": lambda: gnn.SAGEConv((F, F), F),
             "gat": lambda: gnn.GATConv((F, F), F // 2, heads=2, add_self_loops=False)}  # fmt: skip
    model, calls = Hetero(makes[name], aggr), []
    for sizes, edges, count in [((9, 7, 3), 20, 4), ((20, 3, 5), 8, 2), ((4, 1, 1), 0, 4), ((5, 30, 0), 0, 1)]:
        generator = torch.Generator().manual_seed(count)
        x = {kind: torch.randn(size, F, generator=generator) for kind, size in zip("abc", sizes)}
        ends = {relation: torch.stack([torch.randint(max(len(x[kind]), 1), (edges,), generator=generator)
                                       for kind in (relation[0], relation[2])])
                for relation in RELATIONS}  # fmt: skip
        calls.append((x, ends, count))
    compare(model, calls)
    assert len(left) == (0 if aggr == "max" else len(calls))  # which relation has the maximum is a second result


def test_what_is_left(left):
    """Of a path, the edges that lead to the first nodes within as many steps as there are layers."""
    model = Layers(CONVS["sage"], count=3)
    path = torch.stack([torch.arange(1, 20), torch.arange(19)])
    compare(model, [(torch.randn(20, F), path, 2)])
    assert sorted(made.shape[1] for made in left[0] if isinstance(made, Tensor) and made.dim() == 2) == [2, 3, 4]


class OwnRows(nn.Module):
    """Neighbours' encoded rows, and the nodes' own, of each of two relations."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(F, H)
        self.first, self.second = CONVS["sage"](), CONVS["sage"]()

    def forward(self, x: Tensor, edge_index: Tensor, count: int):
        x = self.encoder(x).relu()
        return (self.first(x, edge_index) + self.second(x, edge_index.flip(0)))[:count]


def test_own_rows_in_front_of_sums():
    """Products of the first nodes' own rows are not computed of all nodes, and are one product."""
    model, (x, edges) = OwnRows(), make_graph(30, 60)
    compiled = compare(model, [(*make_graph(*sizes), count) for *sizes, count in SIZES])
    profile = rgnn.profile(compiled, x, edges, 5, repeat=1)
    rows = [kernel.rows for kernel in profile.kernels if kernel.phase == "forward" and kernel.name == "gemm"]
    assert sorted(rows) == [5, 5, 5, 30]  # of the encoder, of neighbours in each direction, and of the nodes themselves


def test_lists_of_known_edges_are_kept(left):
    model, (x, edges) = rgnn.compile(Layers(CONVS["sage"])), make_graph(30, 60)
    for _ in range(3):
        model(x, edges, 5)
    assert len(left) == 1
    edges[1, 0] = 3  # another graph
    model(x, edges, 5)
    assert len(left) == 2


def test_lists_die_with_a_graph():
    """What is kept for a graph, of which no edge is left out, does not keep it."""
    model, (x, edges) = rgnn.compile(Layers(CONVS["sage"])), make_graph(6, 20)
    edges[0, 0] = edges[1, 0] = 5
    model(x, edges, 6)
    seen = weakref.ref(edges)
    del edges
    assert seen() is None


@pytest.mark.parametrize("end", [0, 1])
@pytest.mark.parametrize("wrong", [-1, 30])
def test_out_of_range(end, wrong):
    """An edge that is left out is an error where it is one in PyTorch."""
    model, (x, edges) = Layers(CONVS["gat"]), make_graph(30, 60)
    compiled = rgnn.compile(model)
    compiled(x, edges, 2)
    edges = edges.clone()
    edges[:, -1] = 29
    edges[end, -1] = wrong
    with pytest.raises(Exception) as expected:
        model(x, edges, 2)
    with pytest.raises(type(expected.value)):
        compiled(x, edges, 2)


class Lists(nn.Module):
    """Picks rows by numbers, of which there may be too many."""

    def __init__(self):
        super().__init__()
        self.conv = gnn.SAGEConv(F, H)

    def forward(self, x, edge_index, count: int):
        return self.conv(x, edge_index).index_select(0, torch.arange(count))


def test_too_many():
    model, (x, edges) = Lists(), make_graph(8, 20)
    compiled = compare(model, [(x, edges, 3), (x, edges, 8)])
    with pytest.raises(IndexError):
        compiled(x, edges, 9)


class Shown(nn.Module):
    """Gives what was computed on the way, or reads all rows: nothing is left out."""

    def __init__(self, how):
        super().__init__()
        self.convs, self.norm = nn.ModuleList(gnn.SAGEConv(F, F) for _ in range(2)), nn.BatchNorm1d(F)
        self.how = how

    def forward(self, x, edge_index, count: int):
        first = self.convs[0](x, edge_index).relu()
        second = self.convs[1](first, edge_index)
        if self.how == "rows":
            return second[:count], first, second
        return self.norm(second)[:count] if self.how == "norm" else second[:count] - second.mean(0)


@pytest.mark.parametrize("how", ["rows", "norm", "mean"])
def test_all_rows(how, left):
    compare(Shown(how), [(*make_graph(30, 60), 5), (*make_graph(12, 9), 3)])
    assert not left

"""Inputs and results as users have them: views, dictionaries in other orders, numbers, names, and the same twice."""

import collections
import dataclasses

import pytest
import rgnn
import torch
from odd import EMPTY, SIZES, SMALL, Case, Keywords, aggregate, check, linear, model, plain, sage, typed
from pyg import gnn, random_graph, rows
from torch import nn
from torch_geometric.data import Data

pytestmark = pytest.mark.usefixtures("float64")
Out = collections.namedtuple("Out", ["h", "logits", "count"])


# ---- changes in place, and memory that is shared ---------------------------------------------------------------------


def changes_input(m, x, edge_index):
    x.mul_(2)
    return m.conv(x, edge_index)


def changes_view(m, x, edge_index):
    x[:, 0] = 1
    x[1:].add_(3)
    return m.out(m.conv(x, edge_index)), x.sum()


def adds_into(m, out, x, edge_index):
    h = m.conv(x, edge_index)
    out.index_add_(0, edge_index[1], h[edge_index[0]])
    return h


def changes_result(m, x, edge_index):
    h = m.conv(x, edge_index)
    h[:1] = 0
    h[:, 1:3] *= 2
    h.relu_()
    return m.out(h)


def gives_inputs(m, x, edge_index):
    return m.conv(x, edge_index), x, x.view(-1), x[:1], edge_index


def gives_shared(m, x, edge_index):
    h = m.conv(x, edge_index)
    return h, h.t(), h.chunk(2, dim=1), h, m.conv.lin_l.weight


def gives_mixture(m, x, edge_index):
    h = m.conv(x, edge_index)
    return {"out": Out(h, m.out(h), x.size(0)), "none": None, "list": [h.sum(0), "text", 2.5], "shape": tuple(h.shape)}


def changes_containers(m, xs, options):
    h = m.conv(*xs) * options.pop("gain", 1)
    xs.append(h.detach())
    options["rows"] = h.size(0)
    return h


# ---- numbers, names and arguments that may be missing ----------------------------------------------------------------


def optional(m, x, edge_index, edge_weight=None, *, skip=False, names=("a",)):
    h = m.conv(x, edge_index, edge_weight)
    return {name: h + x if skip else h for name in names}


def numbers(m, x, edge_index, depth, gain, take):
    for _ in range(depth):
        x = m.conv(x, edge_index).tanh()
    return x[:take] * gain


def mode(m, x, edge_index, kind):
    h = m.conv(x, edge_index)
    return {"sum": lambda: h.sum(0), "mean": lambda: h.mean(0), "max": lambda: h.amax(0)}[kind]()


def scalars(m, x, edge_index, gain, shift):
    return m.conv(x, edge_index) * gain + shift.item()


def listed(m, x, pairs, flags):
    edge_index = torch.tensor(pairs, dtype=torch.long).view(-1, 2).t()
    h = m.conv(x, edge_index)
    return h[torch.tensor(flags)] if flags else h


# ---- masks and indices -----------------------------------------------------------------------------------------------


def masked(m, x, edge_index, mask):
    h = m.conv(x, edge_index[:, mask[edge_index[0]]])
    return h[mask], h.masked_fill(mask.unsqueeze(1), -1), mask.nonzero()


def indexed(m, x, edge_index, index):
    h = m.conv(x, edge_index)
    return h[index], h.index_select(0, index.abs()), h[-index.long() - 1]


def pooled(m, x, edge_index, batch, size=None):
    h = m.conv(x, edge_index)
    pools = gnn.global_add_pool, gnn.global_mean_pool, gnn.global_max_pool
    return m.out(sum(pool(h, batch, size) for pool in pools))


def decoded(m, x, edge_index, edge_label_index):
    z = m.conv(x, edge_index)
    return (z[edge_label_index[0]] * z[edge_label_index[1]]).sum(-1)


def scattered(m, x, edge_index):
    src, dst = edge_index
    index = dst.unsqueeze(1).expand(-1, x.size(1))
    kinds = "sum", "mean", "amax", "amin", "prod"
    return [x.new_zeros(x.shape).scatter_reduce(0, index, x[src], kind, include_self=False) for kind in kinds]


def sparse(m, x, edge_index):
    n = x.size(0)
    matrix = torch.sparse_coo_tensor(edge_index, torch.ones(edge_index.size(1)), (n, n))
    return m.lin(torch.sparse.mm(matrix, x))


# ---- several tensors -------------------------------------------------------------------------------------------------


def of_list(m, xs, edge_index):
    return m.conv(torch.cat(xs), edge_index).split([len(x) for x in xs])


def of_dict(m, x_dict, edges):
    out = {}
    for (src, dst), edge_index in edges.items():
        out[dst] = out.get(dst, 0) + aggregate(m.lin(x_dict[src]), edge_index, x_dict[dst].size(0))
    return out


def of_data(m, data):
    data.h = m.conv(data.x, data.edge_index)
    return data.h.relu()


def across(m, x, y, edge_index):
    return m.out(m.conv((x, y), edge_index))


def same_twice(m, x, y, edge_index):
    x.add_(1)
    return m.conv(x + y, edge_index), y * 2


@dataclasses.dataclass
class Batch:
    x: torch.Tensor
    edge_index: torch.Tensor
    name: str = "batch"


def of_dataclass(m, batch):
    return Batch(m.conv(batch.x, batch.edge_index), batch.edge_index, batch.name + "'")


# ---- inputs ----------------------------------------------------------------------------------------------------------


def after(*more, inputs=None):
    """Plain inputs and what each of ``more`` makes of the features, the edges and the number of the call."""
    inputs = inputs or plain()
    return lambda number: (*inputs(number), *(make(*inputs(number)[:2], number) for make in more))


def by_name(*sets, inputs=None):
    return lambda number: (*(inputs or plain())(number), Keywords(sets[number]))


def strided(number):
    x, edge_index = plain()(number)
    wide = torch.cat([x, x], dim=1)
    x = (wide[:, ::2], x.t().contiguous().t(), x[:, :1].expand(-1, 4))[number]
    return x, edge_index.t().contiguous().t()


def of_types(number):
    n, e = EMPTY[number]
    dtype = torch.float32 if number == 1 else torch.float64
    return rows(n, 4, number, dtype), random_graph(n, e, number)[1]


def heterogeneous(number):
    sizes = {"a": 5, "b": 3} if number != 1 else {"b": 4, "a": 4}
    x = {key: rows(count, 4, count) for key, count in sizes.items()}
    edges = {}
    for src, dst in ([("a", "b"), ("b", "a")], [("b", "a"), ("a", "b")], [("a", "b")])[number]:
        count = 0 if (number, src) == (2, "a") else 6
        edge_index = torch.stack([torch.arange(count) % sizes[src], torch.arange(count) * 2 % sizes[dst]])
        edges[src, dst] = edge_index
    return x, edges


def relational(number):
    x, edges = heterogeneous(number)
    return x, {(src, "to", dst): edge_index for (src, dst), edge_index in edges.items()}


def hetero_conv():
    keys = [("a", "to", "b"), ("b", "to", "a")]
    return gnn.HeteroConv({key: gnn.SAGEConv((4, 4), 3) for key in keys}, aggr="sum")


def two_sides(number):
    sources, targets, edges = ((6, 4, 9), (5, 5, 5), (1, 0, 0))[number]
    edge_index = torch.stack([torch.arange(edges) % max(sources, 1), torch.arange(edges) * 3 % max(targets, 1)])
    return rows(sources, 4, 1), rows(targets, 4, 2), edge_index


def one_twice(number):
    x, edge_index = plain()(number)
    return (x, x, edge_index) if number == 1 else (x, x[:], edge_index)


def pieces(number):
    counts = ((2, 3), (4, 1, 1), (0, 1))[number]
    return [rows(count, 4, count) for count in counts], random_graph(sum(counts), 7, number)[1]


def flags(x, edge_index, number):
    return torch.arange(len(x)) % 2 == number % 2


def asks(number):
    x, edge_index = plain()(number)
    return x.requires_grad_(number == 1), edge_index


weights = [{"edge_weight": rows(11, 1)[:, 0].exp()}, {"skip": True, "names": ["b", "a"]}, {"names": ()}]
conv, head = {"conv": sage}, {"conv": sage, "out": linear}
square = {"conv": lambda: gnn.GraphConv(4, 4)}
in_place = {"leaves": False}
CASES = {
    "input changed": Case(model(changes_input, **conv), **in_place),
    "view of input changed": Case(model(changes_view, **head), plain(sizes=EMPTY), **in_place),
    "added into input": Case(
        model(adds_into, **conv), lambda number: (rows(SIZES[number][0], 5, 9), *plain()(number)), **in_place),
    "result changed": Case(model(changes_result, **head)), "inputs given back": Case(model(gives_inputs, **conv)),
    "results share memory": Case(model(gives_shared, **conv)), "mixture": Case(model(gives_mixture, **head)),
    "containers changed": Case(
        model(changes_containers, **conv),
        lambda number: ([*plain()(number)], {"gain": 2 + number, "other": 1} if number != 1 else {})),
    "arguments by name": Case(model(optional, **square), by_name(*weights)),
    "numbers": Case(model(numbers, **square), after(
        lambda *a: 3 - a[2], lambda *a: (0.5, 1.0, -2.0)[a[2]], lambda *a: (4, 9, 0)[a[2]])),
    "names": Case(model(mode, **conv), after(lambda *a: ("sum", "mean", "max")[a[2]])),
    "scalars": Case(model(scalars, **conv), after(
        lambda *a: torch.tensor(1.5 + a[2]), lambda *a: torch.tensor(a[2] - 1)), grads=True),
    "lists of numbers": Case(model(listed, **conv), lambda number: (
        rows(4, 4, number), [(0, 1), (2, 3), (3, 3)][: 3 - number], ([True] * 4, [], [False, True] * 2)[number])),
    "masks": Case(model(masked, **conv), after(flags)),
    "int32": Case(model(indexed, **conv), after(
        lambda x, *a: torch.arange(len(x), dtype=torch.int32)[a[1] :])),
    "pools": Case(model(pooled, **head), after(
        lambda x, *a: torch.arange(len(x)) // 3, lambda *a: (3, 4, None)[a[2]], inputs=plain(sizes=EMPTY))),
    "links": Case(model(decoded, **conv), after(lambda x, e, number: e[:, number : number + 4].flip(0))),
    "scattered": Case(model(scattered), plain(sizes=EMPTY)),
    "sparse": Case(model(sparse, lin=lambda: nn.Linear(4, 2))), "list": Case(model(of_list, **conv), pieces),
    "dictionary": Case(model(of_dict, lin=lambda: nn.Linear(4, 3)), heterogeneous),
    "HeteroConv": Case(hetero_conv, relational),
    "Data": Case(model(of_data, **conv), lambda number: (Data(*plain()(number)),), grads=False),
    "two sides": Case(model(across, conv=lambda: gnn.SAGEConv((4, 4), 5), out=linear), two_sides),
    "one input twice": Case(model(same_twice, **conv), one_twice, grads=False),
    "dataclass": Case(model(of_dataclass, **conv), lambda number: (Batch(*plain()(number)),)),
    "strided": Case(lambda: gnn.GINConv(nn.Linear(4, 3)), strided),
    "precisions": Case(sage, of_types), "asks for gradients": Case(sage, asks, grads=False),
    "attention": Case(lambda: gnn.RGATConv(4, 3, 3, heads=2), typed(sizes=SMALL)),
    "transformer": Case(lambda: gnn.TransformerConv(4, 3, heads=2, beta=True), plain(sizes=SMALL)),
}  # fmt: skip


@pytest.mark.sample(9)
@pytest.mark.parametrize("name", CASES)
def test_inputs(name):
    """Results, gradients and what the inputs are afterwards are those of the same calls in PyTorch."""
    check(CASES[name])


class Frees(nn.Module):
    """Gives the memory of its input back, as reversible models do."""

    def __init__(self):
        super().__init__()
        self.conv = gnn.GraphConv(4, 4)

    def forward(self, x, edge_index):
        h = self.conv(x, edge_index)
        x.untyped_storage().resize_(0)
        return h


@torch.no_grad()
@pytest.mark.filterwarnings("ignore:rgnn")
def test_input_is_freed_after_its_last_use():
    one = Frees()
    compiled = rgnn.compile(one)
    for number in range(2):
        (x, edge_index), (again, _) = plain()(number), plain()(number)
        assert torch.allclose(compiled(x, edge_index), one(again, edge_index), atol=1e-9)
        assert x.untyped_storage().size() == 0

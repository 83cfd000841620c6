"""Operators of PyTorch that a model spells by itself, on rows of nodes and edges: values and gradients of PyTorch.

Each model is compiled whole and called on graphs of several sizes, one after the other.
"""

import math
import warnings

import pytest
import rgnn
import torch
import torch.nn.functional as F
from lifting import WIDTH, check, in_both_precisions, summed
from pyg import GRAPHS, R, error, gnn, random_graph, rows
from torch import nn
from torch_geometric import utils

pytestmark = pytest.mark.usefixtures("strict")

# ---- rows by an index ------------------------------------------------------------------------------------------------


def column(index, like):
    return index.view(-1, 1).expand_as(like)


def zeros(x):
    return torch.zeros_like(x)


def averaged(x, edge_index):
    """A mean as users write it."""
    source, target = edge_index
    count = x.new_zeros(x.size(0)).index_add(0, target, x.new_ones(source.size(0)))
    total = zeros(x).scatter_add(0, target.unsqueeze(-1).expand(-1, x.size(1)), x[source])
    return total / count.clamp(min=1).view(-1, 1)


def both_ways(x, edge_index):
    """Two lists of both directions, and one of them repeated for each column."""
    first, second = torch.cat([edge_index[0], edge_index[1]]), torch.cat([edge_index[1], edge_index[0]])
    return zeros(x).scatter_add_(0, second.unsqueeze(1).expand(-1, WIDTH), x[first].sin())


def normalised(x, edge_index):
    """Factors of nodes without edges are infinite, and filled with zero."""
    source, target = edge_index
    degree = x.new_zeros(x.size(0)).scatter_add_(0, target, torch.ones(source.size(0), dtype=x.dtype))
    factor = degree.pow(-0.5)
    factor = factor.masked_fill(factor == float("inf"), 0)
    return zeros(x).index_add(0, target, (factor[source] * factor[target]).unsqueeze(-1) * x[source])


SCATTERS = {
    "mean by hand": averaged,
    "both ways": both_ways,
    "degrees": normalised,
    "gather": lambda x, e: zeros(x).scatter_add(0, column(e[1], x[e[0]]), x.gather(0, column(e[0], x[e[0]]))),
    "index_put": lambda x, e: zeros(x).index_put((e[1],), x[e[0]], accumulate=True),
    "onto rows": lambda x, e: (x * 2).index_add(0, e[1], x[e[0]], alpha=0.5),
    "repeat": lambda x, e: (x * 2).scatter_add(0, e[1].view(-1, 1).repeat(1, x.size(1)), x[e[0]]),
    "most": lambda x, e: zeros(x).scatter_reduce(0, column(e[1], x[e[0]]), x[e[0]].relu(), "amax", include_self=False),
    "least of all": lambda x, e: torch.full_like(x, math.inf)
    .scatter_reduce(0, column(e[1], x[e[0]]), x[e[0]], "amin")
    .clamp(max=3),
    "index_reduce": lambda x, e: zeros(x).index_reduce(0, e[1], x[e[0]], "mean", include_self=False),
}  # fmt: skip


def reduced(kind, itself):
    """Rows reduced into others, which take part or not."""

    def model(x, edge_index):
        made = x[edge_index[0]].tanh()
        return (x * 2).scatter_reduce(0, column(edge_index[1], made), made, kind, include_self=itself)

    return model


for _kind, _itself in [("sum", True), ("sum", False), ("mean", True), ("mean", False), ("amax", False),
                       ("amin", False), ("prod", True), ("prod", False)]:  # fmt: skip
    SCATTERS[f"{_kind}, {'with' if _itself else 'without'} itself"] = reduced(_kind, _itself)


@pytest.mark.sample(5)
@pytest.mark.parametrize("name, dtype", in_both_precisions(SCATTERS))
def test_scatters(name, dtype):
    check(SCATTERS[name], dtype)


def products(x, edge_index):
    """Of none: one in PyG's product, and what was there in PyTorch's."""
    source, target = edge_index
    messages = x[source]
    mine = (x * 2).scatter_reduce(0, column(target, messages), messages, "prod")
    return utils.scatter(messages, target, 0, len(x), "mul") + mine + x.view(-1, 2, 3).prod(2).repeat(1, 3)


@pytest.mark.parametrize("values", [[0, 1, 2], [-1.5, 0], [0], [-1.5, 1, 2]], ids=str)
def test_products_with_zeros(values):
    """The only zero among factors gets the product of the others."""
    compiled = rgnn.compile(products, fullgraph=True)
    for nodes, edges in ((5, 9), (12, 20), (1, 3), (7, 0), (40, 200)):
        graph = random_graph(nodes, edges)[1]
        x = torch.tensor(values, dtype=torch.float64)[torch.randint(len(values), (nodes, WIDTH))].requires_grad_()
        factor = rows(nodes, WIDTH)
        own, got = (call(x, graph) for call in (products, compiled))
        assert error(got.detach(), own.detach()) <= 1e-12
        (own,), (got,) = (torch.autograd.grad((out * factor).sum(), x) for out in (own, got))
        assert error(got, own) <= 1e-12


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_infinite_factors_with_gradients(dtype):
    """NaN where PyTorch has NaN: at nodes whose edges' weights add up to zero, not at those without edges."""
    edge_index = torch.tensor([[0, 1, 2, 2, 0], [1, 1, 0, 0, 3]])
    x, weight = rows(5, WIDTH, dtype=dtype), torch.tensor([0.5, 1.5, 2.0, 0.25, 0.0], dtype=dtype).requires_grad_()

    def model(x, edge_index, weight):
        source, target = edge_index
        factor = x.new_zeros(x.size(0)).index_add(0, target, weight).pow(-0.5)
        factor = factor.masked_fill(factor == float("inf"), 0)
        scale = factor[source] * weight * factor[target]
        return zeros(x).index_add(0, target, scale.unsqueeze(-1) * x[source])

    compiled = rgnn.compile(model, fullgraph=True)
    own, got = (call(x, edge_index, weight) for call in (model, compiled))
    assert error(got.detach(), own.detach()) <= 1e-6
    (own,), (got,) = (torch.autograd.grad(out.square().sum(), weight) for out in (own, got))
    assert own.isnan().any() and not own.isnan().all()
    assert error(got, own) <= 1e-5


# ---- selections ------------------------------------------------------------------------------------------------------


def assigned(x):
    """Numbers and whole rows that a mask picks are set, one after the other."""
    most = x.amax(dim=1)
    y = x * 2
    y[y < -1] = -1
    y[(most > 1) & (most < 2)] = 0.5
    y[most[:, None] > x + 3] = True
    return y


SELECTIONS = {
    "where": lambda x: torch.where(x > 0.25, x * 2, x.exp()),
    "where with numbers": lambda x: torch.where((x < 0.5) & ~(x <= -0.5), 3.0, x * x),
    "masked_fill": lambda x: x.masked_fill((x >= 1) | (x.abs() < 0.1), -1.0),
    "two readers": lambda x: (x > 0) * x + (x > 0).to(x.dtype),
    "by row": lambda x: x.masked_fill(x.sum(dim=1, keepdim=True) > 0, 2.0),
    "of another": lambda x: torch.where(x.sum(dim=1, keepdim=True) > x, x.sin(), x.cos()),
    "by row, as a view": lambda x: x.masked_fill((x.sum(dim=1) > 0).view(-1, 1), 2.0),
    "assigned": assigned,
    "classes": lambda x: torch.where(torch.isfinite(x / (x > 0)), x, x.new_full((), 0.5)),
    "logical": lambda x: torch.where(torch.logical_xor(x > 0, x > 1).logical_not(), x, -x),
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("name, dtype", in_both_precisions(SELECTIONS))
def test_selections(name, dtype):
    check(summed(SELECTIONS[name]), dtype)


@pytest.mark.parametrize("dtype, number", [(torch.half, 1e10), (torch.int64, 1.5), (torch.bool, 2)])
def test_assigned_numbers_are_cast(dtype, number):
    """As an assignment does, where filling a tensor would be an error."""

    def model(x):
        y = x.clone()
        y[x > 0] = number
        return y

    warnings.simplefilter("ignore")  # it runs in PyTorch
    x = torch.tensor([0, 1, 3]).to(dtype)
    assert torch.equal(rgnn.compile(model)(x), model(x))


# ---- features --------------------------------------------------------------------------------------------------------


def parts(x):
    first, second = x.chunk(2, dim=1)
    third, fourth, fifth = second.unbind(dim=1)
    stacked = torch.stack([third, fourth * fifth], dim=-1)
    return torch.cat([first, stacked, torch.ones(x.size(0), 1, dtype=x.dtype)], dim=1)


FEATURES = {
    "parts": parts,
    "stack in front": lambda x: torch.stack([x, x * 2, x.exp()], dim=1).flatten(1),
    "repeat": lambda x: x.repeat(1, 3).tanh(),
    "expand": lambda x: x.sum(dim=1, keepdim=True).expand(-1, 4) * 2,
    "normalize": lambda x: F.normalize(x, p=2.0, dim=-1),
    "softmax in front": lambda x: x.view(-1, 2, 3).softmax(dim=1).flatten(1),
    "prod": lambda x: x.view(-1, 2, 3).prod(1) + x.prod(-1, keepdim=True),
    "var": lambda x: x.view(-1, 2, 3).var(dim=2) + x.var(dim=1, unbiased=False, keepdim=True),
    "std": lambda x: x.std(dim=1, keepdim=True) * x,
    "std of equal numbers": lambda x: (x * 0).std(dim=1, keepdim=True) + x,
    "layer_norm": lambda x: F.layer_norm(x, (WIDTH,)),
    "rms_norm": lambda x: F.rms_norm(x, (WIDTH,)),
    "group_norm": lambda x: F.group_norm(x, 2),
    "matrices": lambda x: torch.bmm(x.view(-1, 2, 3), x.view(-1, 3, 2)).flatten(1),
    "row and matrix": lambda x: (x[:, :2].unsqueeze(1) @ x[:, 2:].reshape(-1, 2, 2)).squeeze(1),
    "matrix and column": lambda x: torch.matmul(x[:, :4].reshape(-1, 2, 2), x[:, 4:].unsqueeze(-1)).squeeze(-1),
    "atan2": lambda x: torch.atan2(x, x.exp()) + torch.atan2(x[:, :1], x),
    "lerp": lambda x: torch.lerp(x, x.exp(), 0.3),
    "addcmul": lambda x: torch.addcmul(x, x, x, value=0.5) + torch.addcdiv(x, x, x.exp(), value=2),
    "steps": lambda x: x[:, 1::2] * x[:, ::2] + x[:, :3] * torch.cat([x[:, 2::3], x[:, 1:5:3]], dim=1)[:, :1],
    "norms": lambda x: x.view(-1, 2, 3).norm(dim=1) + x.view(-1, 3, 2).norm(dim=-2, keepdim=True).sum(1)[:, :1],
    "rounding": lambda x: (3 * x).round() * x + x.floor() - x.ceil() * x + (2 * x).trunc() * x.frac(),
    "remainders": lambda x: torch.fmod(3 * x, x.exp()) + torch.remainder(3 * x, x.tanh()) + x % 0.7
        + torch.fmod(x, -0.4) + x % -0.3 + torch.floor_divide(x.detach(), x.detach().exp() * 0.1) * x,
    "erfc": lambda x: (2 * x).erfc() + torch.hypot(x, x.exp()) + torch.copysign(x.exp(), x),
    "hyperbolic": lambda x: x.sinh() * x.cosh() + (0.5 * x.tanh()).atanh() + (1 + x * x).acosh(),
    "products of equal sizes": lambda x: torch.einsum("nik,iok->no", x.view(-1, 2, 3), torch.linspace(-1, 2, 12,
        dtype=x.dtype).view(2, 2, 3)),
    "products of equal sizes, transposed": lambda x: torch.einsum("nik,iko->no", x.view(-1, 3, 2), torch.linspace(
        -1, 2, 18, dtype=x.dtype).view(3, 2, 3)) * torch.einsum("nik,oik->no", x.view(-1, 3, 2), torch.linspace(
        2, -1, 18, dtype=x.dtype).view(3, 3, 2)),
    "rows, stretched": lambda x: ((x[:, :2].unsqueeze(2).expand(-1, 2, 2).reshape(-1, 2, 2, 1)
        * x[:, 2:4].view(-1, 1, 1, 2)).sum(2) * x[:, 4:].unsqueeze(1)).flatten(1),
    "angles": lambda x: x.tanh().tan() - x.atan(),
    "angles of cosines": lambda x: x.tanh().asin() * (0.9 * x.tanh()).acos(),
    "asinh": lambda x: x.asinh() + (1e-3 * x).asinh() + (1e6 * x).asinh() + (1e30 * x).asinh(),
    "sign": lambda x: (x - 0.1).sign() * x,
    "pow": lambda x: x.abs().add(0.5).pow(x) + 2**x + (x.abs() + 1).pow(0.3),
}


@pytest.mark.sample(7)
@pytest.mark.parametrize("name, dtype", in_both_precisions(FEATURES))
def test_features(name, dtype):
    check(summed(FEATURES[name]), dtype, bound=1e-9 if dtype == torch.float64 else 1e-5)


WEIGHTED = {
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (WIDTH,), w, b), [(WIDTH,), (WIDTH,)]),
    "group_norm": (lambda x, w, b: F.group_norm(x, 3, w, b), [(WIDTH,), (WIDTH,)]),
    "vector": (lambda x, w: x @ w, [(WIDTH,)]),
    "vectors of heads": (lambda x, w: torch.matmul(x.view(-1, 2, 3).exp(), w), [(3,)]),
    "vector by mv": (lambda x, w: torch.mv(x, w / w.norm()).sigmoid(), [(WIDTH,)]),
    "einsum of heads": (lambda x, w: torch.einsum("nhf,hf->nh", x.view(-1, 2, 3), w), [(2, 3)]),
    "einsum of a matrix": (lambda x, w: torch.einsum("nf,gf->ng", x, w), [(4, WIDTH)]),
    "einsum of matrices": (lambda x, w: torch.einsum("nhf,hfg->ngh", x.view(-1, 2, 3), w).flatten(1), [(2, 3, 2)]),
    "einsum of three": (lambda x, w: torch.einsum("ni,ij,nj->n", x, w, x.tanh()).view(-1, 1), [(WIDTH, WIDTH)]),
    "norm of a weight": (lambda x, w, v: x * (w / w.norm()) + v.norm(dim=0), [(WIDTH,), (2, WIDTH)]),
    "einsum of rows": (lambda x, w: torch.einsum("nhf,ngf->ngh", x.view(-1, 2, 3), (x * w).view(-1, 2, 3)).flatten(1),
                       [(WIDTH,)]),
    "prelu": (F.prelu, [(1,)]),
    "addmm": (lambda x, w: torch.addmm(x, x, w, beta=0.3, alpha=0.7), [(WIDTH, WIDTH)]),
    "addmm with a vector": (lambda x, w, b: torch.addmm(b, x, w, beta=2, alpha=0.5), [(WIDTH, 3), (3,)]),
    "gru_cell": (lambda x, *w: torch.gru_cell(x, x.tanh(), *w),
                 [(3 * WIDTH, WIDTH), (3 * WIDTH, WIDTH), (3 * WIDTH,), (3 * WIDTH,)]),
    "gru_cell without bias": (lambda x, *w: torch.gru_cell(x, x.tanh(), *w), [(3 * WIDTH, WIDTH), (3 * WIDTH, WIDTH)]),
    "lstm_cell": (lambda x, *w: torch.cat(torch.lstm_cell(x, (x.tanh(), x.sin()), *w), dim=1),
                  [(4 * WIDTH, WIDTH), (4 * WIDTH, WIDTH), (4 * WIDTH,), (4 * WIDTH,)]),
}  # fmt: skip


@pytest.mark.sample(5)
@pytest.mark.parametrize("name, dtype", in_both_precisions(WEIGHTED))
def test_weighted(name, dtype):
    function, shapes = WEIGHTED[name]
    check(summed(function), dtype, [torch.randn(shape, dtype=torch.float64) for shape in shapes],
          bound=1e-9 if dtype == torch.float64 else 1e-5)  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_batch_norm_in_evaluation(dtype):
    """Each feature is scaled and shifted by what training left behind."""

    def norm(x, mean, spread, weight, bias):
        return F.batch_norm(x, mean.detach(), spread.detach().exp(), weight, bias, training=False)

    check(summed(norm), dtype, [torch.randn(WIDTH, dtype=torch.float64) for _ in range(4)])


# ---- layers that make their edges ------------------------------------------------------------------------------------

LAYERS = {
    "GCN": lambda: gnn.GCNConv(WIDTH, 4),
    "two of GCN": lambda: gnn.Sequential("x, e", [(gnn.GCNConv(WIDTH, 4), "x, e -> x"), nn.ReLU(),
                                                  (gnn.GCNConv(4, 3), "x, e -> x")]),
    "GAT": lambda: gnn.GATConv(WIDTH, 2, heads=2),
    "GATv2": lambda: gnn.GATv2Conv(WIDTH, 2, heads=2),
    "AGNN": lambda: gnn.AGNNConv(),
    "GatedGraph": lambda: gnn.GatedGraphConv(WIDTH, 2),
    "Hypergraph": lambda: gnn.HypergraphConv(WIDTH, 4),
}  # fmt: skip


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", LAYERS)
def test_layers(name):
    layer = LAYERS[name]().double()
    compiled = rgnn.compile(layer, fullgraph=True)
    for nodes, edge_index, _ in GRAPHS.values():
        if not nodes:  # PyG's softmax asks whether there are edges, which a computed list does not say then
            continue
        if name == "Hypergraph" and not edge_index.numel():  # no edge says that there is a hyperedge
            continue
        x = rows(nodes, WIDTH).requires_grad_()
        own, got = layer(x, edge_index), compiled(x, edge_index)
        assert error(got.detach(), own.detach()) <= 1e-10
        weights = torch.linspace(-1, 1, own.numel(), dtype=x.dtype).view(own.shape)
        own, got = (torch.autograd.grad((out * weights).sum(), [x, *layer.parameters()]) for out in (own, got))
        assert all(error(*pair) <= 1e-9 or pair[1].abs().max() < 1e-12 for pair in zip(got, own, strict=True))


RELATIONS = {
    "RGCN, maximum": lambda: gnn.RGCNConv(WIDTH, 4, R, aggr="max"),
    "FiLM": lambda: gnn.FiLMConv(WIDTH, 4, num_relations=R),
}


@pytest.mark.parametrize("name", RELATIONS)
def test_loops_over_relations(name):
    """The edges of each type are a graph of their own, of the same nodes."""
    layer = RELATIONS[name]().double()
    compiled = rgnn.compile(layer, fullgraph=True)
    for nodes, edge_index, edge_type in GRAPHS.values():
        x = rows(nodes, WIDTH).requires_grad_()
        own, got = layer(x, edge_index, edge_type), compiled(x, edge_index, edge_type)
        assert error(got.detach(), own.detach()) <= 1e-10
        weights = torch.linspace(-1, 1, own.numel(), dtype=x.dtype).view(own.shape)
        inputs = [x, *layer.parameters()]
        own, got = (torch.autograd.grad((out * weights).sum(), inputs, allow_unused=True) for out in (own, got))
        assert [one is None for one in got] == [one is None for one in own]
        assert all(error(*pair) <= 1e-9 for pair in zip(got, own, strict=True) if pair[0] is not None)


def test_layers_in_parts():
    """Comparisons of rows between what is compiled and what PyTorch runs."""
    layer = gnn.DNAConv(8, heads=2).double().eval()
    compiled = rgnn.compile(layer)
    warnings.simplefilter("ignore")  # a part runs in PyTorch
    for nodes, edge_index, _ in list(GRAPHS.values())[:2]:
        args = rows(nodes, 24).view(nodes, 3, 8), edge_index
        with torch.no_grad():
            assert error(compiled(*args), layer(*args)) <= 1e-10
    assert any(version.regions for version in compiled._compiled_call_impl.runner.versions)

"""Models in bfloat16 and float16, against PyG in float64; PyG in the same precision sets the bound."""

import copy

import pytest
import rgnn
import torch
from checks import check_half
from configurations import BF16, F16, F32, HALF, each
from models import Skipped
from pyg import GRAPHS, R, gnn, random_graph, rows, versions
from torch import nn
from torch_geometric.utils import softmax


@pytest.mark.sample(3)
@pytest.mark.parametrize("configuration, dtype", each(HALF))
def test_half(configuration, dtype):
    torch.manual_seed(0)
    model = configuration.make().to(dtype).eval()
    compiled = rgnn.compile(model, fullgraph=True)
    for graph in configuration.graphs:
        check_half(model, compiled, configuration.inputs(graph, dtype))
    assert versions(compiled) == 1


@pytest.mark.parametrize("dtype", [BF16, F16], ids=["bfloat16", "float16"])
@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v3"])
def test_half_on_other_processors(cpu, dtype):
    """Without instructions for these types, conversions are functions."""
    torch.manual_seed(0)
    model = Skipped().to(dtype).eval()
    compiled = rgnn.compile(model, options=rgnn.Options(cpu=cpu), fullgraph=True)
    nodes, *edges = GRAPHS["awkward"]
    check_half(model, compiled, (rows(nodes, 33, dtype=dtype), *edges))


def star(edges):
    """Edges from the other nodes into the last but one; the last is isolated."""
    edge_index = torch.stack([torch.arange(edges), torch.full((edges,), edges)])
    return edges + 2, edge_index, torch.zeros(edges, dtype=torch.long)


@pytest.mark.parametrize("dtype", [BF16, F16], ids=["bfloat16", "float16"])
def test_sum_of_many_rows(dtype):
    """In 16 bits a sum of ones stops at 256, or 2048; here it is that of float32, rounded once."""
    conv = gnn.FastRGCNConv(3, 3, 1, aggr="add", root_weight=False, bias=False).to(dtype)
    conv.weight.data.copy_(torch.eye(3))
    compiled = rgnn.compile(conv, fullgraph=True)
    zeros = torch.zeros(2, 2500, dtype=torch.long)
    loops, nothing = (zeros, zeros[0]), (zeros[:, :0], zeros[0, :0])
    for nodes, *edges in (star(5000), (1, *loops), (3, *loops), (2, *nothing)):
        x = torch.ones(nodes, 3, dtype=dtype)
        with torch.no_grad():
            got, expected = compiled(x, *edges), copy.deepcopy(conv).float()(x.float(), *edges)
        assert torch.equal(got, expected.to(dtype))
    assert versions(compiled) == 1


def test_mean_of_large_rows():
    """In float16 the sum of 2,000 rows of 100 overflows; their mean does not, whichever side has the products."""
    conv = gnn.FastRGCNConv(3, 3, 2, aggr="mean", root_weight=False, bias=False).half()
    conv.weight.data.copy_(torch.eye(3).expand(2, 3, 3))
    edges = torch.stack([torch.arange(1, 2001), torch.zeros(2000, dtype=torch.long)])
    edges, types = torch.cat([edges, torch.tensor([[0], [1]])], dim=1), torch.tensor([0] * 2000 + [1])
    x = torch.full((2001, 3), 100.0, dtype=torch.float16)
    for split in (True, False):
        with torch.no_grad():
            got = rgnn.compile(conv, fullgraph=True, options=rgnn.Options(split_sides=split))(x, edges, types)
        assert torch.equal(got[:2], x[:2]) and not got[2:].any()


def rgat_bound(conv, x, edge_index, edge_type, out):
    """The error of a layer in bfloat16 where only what kernels store is rounded, to first order in the roundoff ``u``.

    Kernels store rows ``z = W x``, off by ``u |z|``, and their scores ``s = q z``, off by ``u (|q| |z| + |s|)``. The
    slope of the leaky ReLU is a number in bfloat16. A logit off by ``d`` changes ``out``, the mean of ``z`` weighted by
    ``a``, by ``a d (z - out)``. The result is rounded once more.
    """
    u, shape = torch.finfo(BF16).eps / 2, (conv.heads, conv.out_channels)
    source, target = edge_index
    z = [torch.einsum("ei,eio->eo", x[end], conv.weight[edge_type]) for end in edge_index]
    scores = [rows @ q for rows, q in zip(z, (conv.k, conv.q), strict=True)]
    off = [rows.abs() @ q.abs() + s.abs() for rows, q, s in zip(z, (conv.k, conv.q), scores, strict=True)]
    logits = sum(scores)
    d = u * (sum(off) + logits.abs())
    a = softmax(nn.functional.leaky_relu(logits, conv.negative_slope), target, num_nodes=len(x))
    mean = (out - conv.bias).view(len(x), *shape)[target]
    z = z[0].view(len(source), *shape)
    each = a[..., None] * (u * z.abs() + d[..., None] * (z - mean).abs())
    return u * out.abs() + torch.zeros_like(out).index_add(0, target, each.flatten(1))


@pytest.mark.parametrize("name", [*GRAPHS, "star", "dense"])
def test_attention_is_rounded_where_it_is_stored(name):
    nodes, *edges = {**GRAPHS, "star": star(5000), "dense": random_graph(4, 4000)}[name]
    torch.manual_seed(0)
    conv = gnn.RGATConv(8, 6, R, heads=2).to(BF16)
    nn.init.normal_(conv.bias)
    x, double = rows(nodes, 8, dtype=BF16), copy.deepcopy(conv).double()
    with torch.no_grad():
        got = rgnn.compile(conv, fullgraph=True)(x, *edges)
        exact = double(x.double(), *edges)
        bound = rgat_bound(double, x.double(), *edges, exact)
    assert got.dtype == BF16 and got.shape == exact.shape
    assert ((got - exact).abs() <= 1.05 * bound).all()


@pytest.mark.parametrize("dtype", [BF16, F16], ids=["bfloat16", "float16"])
def test_rounding_is_that_of_pytorch(dtype):
    """Ties, numbers below the smallest and above the largest, NaN and infinities."""
    conv = gnn.FastRGCNConv(1, 1, 1, root_weight=False, bias=False)

    def model(x, edge_index, edge_type):
        return x.to(dtype), conv(x, edge_index, edge_type)

    bits = torch.arange(0, 2**32, 2**32 // 5003, dtype=torch.int64)
    ties = torch.arange(0x3F800000, 0x3F900000, 0x800, dtype=torch.int64)
    x = torch.cat([bits, ties]).to(torch.uint32).view(F32).view(-1, 1)
    edges = torch.zeros(2, 3, dtype=torch.int64), torch.zeros(3, dtype=torch.int64)
    with torch.no_grad():
        got, _ = rgnn.compile(model, fullgraph=True)(x, *edges)
    expected = x.to(dtype)
    assert torch.equal(got.isnan(), expected.isnan())
    assert torch.equal(got[~got.isnan()], expected[~got.isnan()])

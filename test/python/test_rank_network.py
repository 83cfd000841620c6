"""rgnn.tune.rank's network: its parts against plain formulas, and the whole of it compiled as one region."""

import copy
import math

import pytest
import rgnn
import torch
import torch.nn.functional as F
from pyg import GRAPHS, error, gnn, versions
from rgnn._runner import runner_of
from rgnn.tune.rank import network as parts
from rgnn.tune.rank.loss import pairwise_hinge, squared_error
from rgnn.tune.rank.network import Block, CrossAttention, InstanceNorm, Network, Sage, SelfAttention, Standardise
from rgnn.tune.rank.settings import Settings
from torch import nn

pytestmark = pytest.mark.usefixtures("float64")

NUMBERS, LAYOUTS, FIELDS, OPS, WIDTH = 5, 3, 6, 9, 32
C, N, E = 4, 7, 15
AUTHORS = {"sum": False, "project": False, "normalise": False, "activate_sum": True}
COMPILED = [("layout", {}), ("tile", {"blocks": 1}),
            *((kind, flags) for kind in ("layout", "tile")
              for flags in (AUTHORS, {"cross_attention": False}, {"self_attention": False}))]  # fmt: skip


def settings(kind="layout", **flags):
    sizes = {"numbers": NUMBERS, "layouts": LAYOUTS, "fields": FIELDS, "ops": OPS, "width": WIDTH}
    return Settings(kind, **(sizes | flags))


def pairs(configurations, nodes, edges):
    """Edges of copies of a graph, and the node and the copy of each row."""
    edges = torch.cat([edges + nodes * copy for copy in range(configurations)], 1)
    return edges, torch.arange(nodes).repeat(configurations), torch.arange(configurations).repeat_interleave(nodes)


def inputs(kind, configurations=C, nodes=N, edges=E):
    edge_index, shape = torch.randint(nodes, (2, edges)), (nodes, LAYOUTS)
    of_nodes = 3 * torch.randn(nodes, NUMBERS) + 1, torch.randint(-1, 6, shape), torch.randint(OPS, (nodes,))
    if kind == "tile":
        module_of = torch.zeros(configurations, dtype=torch.int64)
        return (*of_nodes, torch.randn(configurations, FIELDS), *pairs(1, nodes, edge_index), module_of)
    features = torch.randint(-1, 6, (configurations * nodes, FIELDS))
    return (*of_nodes, features, *pairs(configurations, nodes, edge_index))


# ---- parts, against formulas on [C, N, F] ----------------------------------------------------------------------------


def linear(layer, x):
    return torch.einsum("...i,oi->...o", x, layer.weight) + layer.bias


def gelu(x):
    return x * (1 + torch.erf(x / math.sqrt(2))) / 2


def plain_sage(sage, x, edges, *, mean=False, relu=False, normalise=True):
    """Equation 2, one node at a time."""
    rows = []
    for node in range(x.shape[1]):
        found = [x[:, int(source)] for source, target in edges.T if target == node]
        found = [linear(sage.f1, one) for one in found] if isinstance(sage.f1, nn.Linear) else found
        found = [one.clamp(min=0) for one in found] if relu else found
        total = sum(found, torch.zeros_like(x[:, 0]))
        total = total / max(len(found), 1) if mean else total
        row = linear(sage.f2, torch.cat([x[:, node], total], -1))
        rows.append(row / row.square().sum(-1, keepdim=True).sqrt() if normalise else row)
    return torch.stack(rows, 1)


def plain_norm(x):
    mean = x.mean(1, keepdim=True)
    return (x - mean) / ((x - mean).square().mean(1, keepdim=True) + 1e-5).sqrt()


def plain_self_attention(layer, x):
    return x / (1 + torch.exp(-linear(layer.squeeze, linear(layer.excitation, x).clamp(min=0))))


def plain_cross_attention(layer, x):
    weights = (x / layer.temperature).exp()
    return x * weights / weights.sum(0)


def plain_block(block, x, edges):
    eta = plain_self_attention(block.self_attention, plain_sage(block.sage, plain_norm(x), edges))
    return x + gelu(torch.cat([eta, plain_cross_attention(block.cross_attention, eta)], -1))


def plain_perceptron(layer, x):
    return gelu(linear(layer.second, gelu(linear(layer.first, x))))


def plain_pool(network, numbers, layouts, ops, features, edges):
    """Equation 7 without f_out, of features ``[C, N, D]``."""
    table = network.categories.table
    of_nodes = torch.cat([(numbers - network.standardise.mean) / network.standardise.scale,
                          table[layouts + 1].flatten(-2), network.op.weight[ops]], -1)  # fmt: skip
    of_configurations = table[features + 1].flatten(-2)
    x = torch.cat([of_nodes.expand(len(features), -1, -1), of_configurations], -1)
    x = plain_perceptron(network.f_in, x)
    for block in network.blocks:
        x = plain_block(block, x, edges)
    return x.mean(1)


def plain_fusion(fusion, pooled, vectors):
    joined = torch.cat([pooled.expand(len(vectors), -1), vectors], -1)
    eta = plain_perceptron(fusion.layers, joined)
    return torch.cat([eta, plain_cross_attention(fusion.cross_attention, eta)], -1)


@pytest.fixture
def graph():
    edges = torch.randint(N, (2, E))
    return torch.randn(C, N, WIDTH, requires_grad=True), edges, pairs(C, N, edges)


def check_part(part, x, got, expected):
    """Values, and gradients by rows and parameters."""
    assert got.shape == expected.shape and error(got, expected) <= 1e-13
    weights, wanted = torch.randn(got.shape), [x, *part.parameters()]
    for one, other in zip(*(torch.autograd.grad((out * weights).sum(), wanted) for out in (got, expected))):
        assert torch.allclose(one, other, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("flags", [{}, {"sum": False}, {"relu": True}, {"normalise": False}, AUTHORS],
                         ids=lambda flags: ", ".join(flags) or "paper")  # fmt: skip
def test_sage(graph, flags):
    x, edges, (edge_index, *_) = graph
    sage = Sage(WIDTH, 10, settings(**flags))
    expected = plain_sage(sage, x, edges, mean=not flags.get("sum", True), relu=flags.get("relu", False),
                          normalise=flags.get("normalise", True))  # fmt: skip
    check_part(sage, x, sage(x.flatten(0, 1), edge_index).view(C, N, 10), expected)


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("flags, options", [
    ({"relu": True}, {"aggr": "sum", "project": True, "normalize": True}), (AUTHORS, {}),
    ({"sum": False, "project": False}, {"normalize": True}),
], ids=["sum", "authors", "mean"])  # fmt: skip
def test_sage_of_pyg(flags, options, graph):
    sage, layer = Sage(WIDTH, 10, settings(**flags)), gnn.SAGEConv(WIDTH, 10, **options)
    with torch.no_grad():
        layer.lin_r.weight.copy_(sage.f2.weight[:, :WIDTH])
        layer.lin_l.weight.copy_(sage.f2.weight[:, WIDTH:])
        layer.lin_l.bias.copy_(sage.f2.bias)
        if "project" in options:
            layer.lin.load_state_dict(sage.f1.state_dict())
    nodes, edges, _ = GRAPHS[graph]
    x = torch.randn(nodes, WIDTH)
    assert torch.allclose(sage(x, edges), layer(x, edges), rtol=1e-12, atol=1e-13)


def test_instance_norm(graph):
    x, _, (_, _, configuration_of) = graph
    got = InstanceNorm()(x.flatten(0, 1), configuration_of).view(x.shape)
    check_part(InstanceNorm(), x, got, plain_norm(x))
    assert error(got, nn.InstanceNorm1d(WIDTH)(x.transpose(1, 2)).transpose(1, 2)) <= 1e-13


def test_self_attention(graph):
    x, *_ = graph
    layer = SelfAttention(WIDTH)
    assert layer.excitation.weight.shape == (WIDTH // 8, WIDTH)
    check_part(layer, x, layer(x), plain_self_attention(layer, x))


def test_cross_attention(graph):
    x, _, (_, node_of, _) = graph
    layer = CrossAttention(0.3)
    got = layer(x.flatten(0, 1), node_of, N).view(x.shape)
    check_part(layer, x, got, plain_cross_attention(layer, x))
    assert error(got, x * torch.softmax(x / 0.3, 0)) <= 1e-13


def test_block(graph):
    x, edges, (edge_index, node_of, configuration_of) = graph
    block = Block(settings())
    got = block(x.flatten(0, 1), edge_index, node_of, configuration_of, N).view(x.shape)
    check_part(block, x, got, plain_block(block, x, edges))


def test_block_of_the_authors(graph):
    """Its activation is that of the sum with the input."""
    x, _, (edge_index, node_of, configuration_of) = graph
    paper = Block(settings())
    other = Block(settings(activate_sum=True))
    other.load_state_dict(paper.state_dict())
    rows = x.flatten(0, 1)
    eta = paper.self_attention(paper.sage(paper.norm(rows, configuration_of), edge_index))
    eta = torch.cat([eta, paper.cross_attention(eta, node_of, N)], -1)
    assert error(other(rows, edge_index, node_of, configuration_of, N), gelu(rows + eta)) <= 1e-13


def test_categories():
    layer, values = parts.Categories(7), torch.randint(-1, 6, (5, 3))
    assert torch.equal(layer(values), F.embedding(values + 1, layer.table).flatten(1))


def test_standardise():
    layer = Standardise(3)
    layer.fit([torch.tensor([[1.0, 5, 1e9 + 0.1], [3, 5, 1e9 + 0.1]]), torch.tensor([[8.0, 5, 1e9 + 0.1]])])
    assert layer.mean[:2].tolist() == [4, 5]
    assert torch.allclose(layer.scale, torch.tensor([(26 / 3) ** 0.5, 1, 1]))
    assert set(layer.state_dict()) == {"mean", "scale"}
    with pytest.raises(ValueError, match="expected rows to standardise, got none"):
        layer.fit([torch.empty(0, 3)])


def test_network():
    network = Network(settings())
    network.standardise.fit([3 * torch.randn(50, NUMBERS)])
    numbers, layouts, ops, features, edge_index, node_of, configuration_of = inputs("layout")
    got = network(numbers, layouts, ops, features, edge_index, node_of, configuration_of)
    pooled = plain_pool(network, numbers, layouts, ops, features.view(C, N, FIELDS), edge_index[:, :E])
    assert got.shape == (C,) and error(got, linear(network.f_out, pooled)[:, 0]) <= 1e-12


def test_network_of_tiles():
    """Nodes are seen once, without features of configurations."""
    network = Network(settings("tile"))
    numbers, layouts, ops, vectors, edge_index, *others = inputs("tile")
    pooled = plain_pool(network, numbers, layouts, ops, torch.empty(1, N, 0, dtype=torch.int64), edge_index)
    got = network(numbers, layouts, ops, vectors, edge_index, *others)
    expected = linear(network.f_out, plain_fusion(network.fusion, pooled, vectors))[:, 0]
    assert got.shape == (C,) and error(got, expected) <= 1e-12


@pytest.mark.parametrize("kind", ["layout", "tile"])
def test_gradients(kind):
    network = Network(settings(kind, width=16, blocks=1))
    args = inputs(kind, 3, 4, 6)
    names, values = zip(*network.named_parameters())

    def call(*values):
        return torch.func.functional_call(network, dict(zip(names, values)), args)

    assert torch.autograd.gradcheck(call, values, fast_mode=True)


@pytest.mark.parametrize("kind", ["layout", "tile"])
def test_order_of_configurations(kind):
    network = Network(settings(kind))
    numbers, layouts, ops, features, *structure = inputs(kind, 6)
    order = torch.randperm(6)
    permuted = features[order] if kind == "tile" else features.view(6, N, FIELDS)[order].flatten(0, 1)
    scores = network(numbers, layouts, ops, features, *structure)
    assert error(network(numbers, layouts, ops, permuted, *structure), scores[order]) <= 1e-12


@pytest.mark.parametrize("kind", ["layout", "tile"])
def test_configurations_are_compared(kind):
    """The score of one depends on the others, by the attention among configurations alone."""
    args = inputs(kind, 3)
    rows = 1 if kind == "tile" else N
    changed = (*args[:3], torch.cat([args[3][:-rows], 4 - args[3][-rows:]]), *args[4:])
    for flag in (True, False):
        network = Network(settings(kind, cross_attention=flag))
        assert (error(network(*args)[:2], network(*changed)[:2]) > 1e-9) == flag


@pytest.mark.parametrize("flags, message", [
    ({"kind": "tiles"}, "kind: expected layout or tile, got 'tiles'"), ({"width": 40}, "width: expected a multiple of"),
    ({"blocks": 0}, "blocks: expected a positive number, got 0"),
])  # fmt: skip
def test_wrong_settings(flags, message):
    with pytest.raises(ValueError, match=message):
        settings(**flags)


# ---- loss ------------------------------------------------------------------------------------------------------------


def test_hinge():
    """Times 3, 1, 2 and 2; pairs in which the first takes longer: 0 of all others, 2 and 3 of 1."""
    scores, times = torch.tensor([0.0, 1, 3, 0.5], requires_grad=True), torch.tensor([3.0, 1, 2, 2])
    # 1 - (0 - 1) + 1 - (0 - 3) + 1 - (0 - 0.5), no loss of 2 above 1 by 2, 1 - (0.5 - 1)
    loss = pairwise_hinge(scores, times)
    assert loss.item() == 2 + 4 + 1.5 + 0 + 1.5
    assert torch.autograd.grad(loss, scores)[0].tolist() == [-3, 2, 1, 0]


def test_squared_error():
    """Standardised, the times are -1, 1, -1 and 1."""
    assert squared_error(torch.tensor([-1.0, 1, 0, 3]), torch.tensor([10.0, 30, 10, 30])).item() == pytest.approx(5 / 4)
    assert squared_error(torch.tensor([1.0, 3]), torch.tensor([7.0, 7])).item() == 5


# ---- compiled --------------------------------------------------------------------------------------------------------

SIZES = [(4, 20, 60), (7, 11, 30), (1, 5, 6), (16, 6, 0), (64, 9, 20), (3, 1, 2)]
"""Configurations, nodes and edges."""


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("kind, flags", [
    pytest.param(kind, flags, marks=[] if number < 2 else pytest.mark.long, id=", ".join([kind, *flags]))
    for number, (kind, flags) in enumerate(COMPILED)])  # fmt: skip
def test_compiled(kind, flags):
    """All sizes run one version of one region, forward and backward."""
    network = Network(settings(kind, **flags))
    network.standardise.fit([3 * torch.randn(50, NUMBERS) + 1])
    compiled = rgnn.compile(copy.deepcopy(network), fullgraph=True)
    for sizes in SIZES:
        args, outcomes = inputs(kind, *sizes), []
        times = torch.randperm(sizes[0]).double()
        for one in (network, compiled):
            scores = one(*args)
            loss = pairwise_hinge(scores, times) + (scores * times.cos()).sum()
            outcomes.append((scores, *torch.autograd.grad(loss, list(one.parameters()))))
        for own, got in zip(*outcomes):
            assert torch.allclose(got, own, rtol=1e-10, atol=1e-10)
    assert versions(compiled) == 1
    assert [len(version.regions) for version in runner_of(compiled).versions] == [1]
    assert not rgnn.explain(compiled, *args).fallbacks


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("kind", ["layout", "tile"])
def test_compiled_inference(kind):
    network = Network(settings(kind)).eval()
    compiled = rgnn.compile(network, fullgraph=True)
    with torch.no_grad():
        for sizes in SIZES:
            args = inputs(kind, *sizes)
            assert error(compiled(*args), network(*args)) <= 1e-10
    assert versions(compiled) == 1

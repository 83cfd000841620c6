"""Compiled layers and stacks of them against PyG, on awkward graphs, compiled once for all of them."""

import itertools

import pytest
import rgnn
import torch
import torch.nn.functional as F
from pyg import GRAPHS, LARGE, TINY, R, as_reference, check, error, gnn, random_graph, rows, versions
from rgnn import data
from torch import nn

pytestmark = pytest.mark.usefixtures("threads")

F32, F64 = torch.float32, torch.float64


def build(make, dtype, seed=0):
    """The model of ``make()`` in evaluation mode, and the same model compiled."""
    torch.manual_seed(seed)
    model = make().to(dtype).eval()
    with torch.no_grad():
        for parameter in model.parameters():  # biases start as zeros, skips as ones
            parameter.add_(0.1 * torch.randn_like(parameter))
    return model, rgnn.compile(model, fullgraph=True)


def check_all(make, inputs, dtype, graphs):
    model, compiled = build(make, dtype)
    for graph in graphs:
        check(model, compiled, inputs(graph, dtype))
    assert versions(compiled) == 1


# Relational layers: inputs of a graph (nodes, edge_index, edge_type)


def features(width):
    def inputs(graph, dtype):
        return rows(graph[0], width, dtype=dtype), *graph[1:]

    return inputs


def features_and_edges(width, edge_width):
    def inputs(graph, dtype):
        shape = (len(graph[2]),) if edge_width is None else (len(graph[2]), edge_width)
        edge_attr = torch.randn(shape, generator=torch.Generator().manual_seed(9), dtype=dtype)
        return rows(graph[0], width, dtype=dtype), *graph[1:], edge_attr

    return inputs


def featureless(graph, dtype):
    return None, *graph[1:]


TABLE = 150  # rows of the weights of featureless layers: as many as the largest graph has nodes
HOMOGENEOUS = {}  # name: (model, inputs, precisions)

RGCN = {"RGCNConv": gnn.RGCNConv, "FastRGCNConv": gnn.FastRGCNConv}
WEIGHTS = {  # in and out widths, arguments
    "full": [(16, 20), (33, 64), (64, 128), (20, 33)],
    "bases": [(33, 16), (20, 64), (128, 33), (64, 64)],
    "blocks": [(16, 20), (64, 128), (20, 64), (128, 16)],
}
ARGUMENTS = {"full": {}, "bases": {"num_bases": 3}, "blocks": {"num_blocks": 4}}
for (_name, _layer), _aggr, _weights, _flags in itertools.product(RGCN.items(), ("add", "mean"), WEIGHTS, range(4)):
    if _name == "RGCNConv" and _flags in (1, 2):  # both are captured as one
        continue
    _root, _bias = _flags // 2 == 0, _flags % 2 == 0
    _arguments = {"aggr": _aggr, "root_weight": _root, "bias": _bias, **ARGUMENTS[_weights]}
    _widths = WEIGHTS[_weights][(_flags + (_aggr == "mean")) % 4]
    HOMOGENEOUS[f"{_name}-{_aggr}-{_weights}{'-root' * _root}{'-bias' * _bias}"] = (
        lambda layer=_layer, widths=_widths, flags=_arguments: layer(*widths, R, **flags),
        features(_widths[0]),
        (F64, F32) if _flags == 0 else (F64,),
    )
for (_name, _layer), _aggr, _weights in itertools.product(RGCN.items(), ("add", "mean"), ("full", "bases")):
    HOMOGENEOUS[f"{_name}-{_aggr}-{_weights}-featureless"] = (
        lambda layer=_layer, flags={"aggr": _aggr, **ARGUMENTS[_weights]}: layer(TABLE, 33, R, **flags),
        featureless,
        (F64, F32) if _aggr == "mean" else (F64,),
    )
HOMOGENEOUS["RGCNConv-featureless-bare"] = (
    lambda: gnn.RGCNConv(TABLE, 16, R, root_weight=False, bias=False), featureless, (F64,))  # fmt: skip

ACROSS = {"attention_mechanism": "across-relation"}
WITHIN = {"attention_mechanism": "within-relation"}
RGAT_WIDTHS = [(16, 20), (33, 16), (64, 33), (20, 64), (128, 16), (64, 64)]
for _i, (_how, _heads, _concat, _edge_width) in enumerate(
    itertools.product((ACROSS, WITHIN), (1, 3), (True, False), (None, 3))
):
    _widths = RGAT_WIDTHS[_i % len(RGAT_WIDTHS)]
    _flags = {**_how, "heads": _heads, "concat": _concat, "edge_dim": _edge_width}
    _name = f"{_how['attention_mechanism']}-{_heads}-{'concat' if _concat else 'mean'}{'-edges' if _edge_width else ''}"
    HOMOGENEOUS[f"RGATConv-{_name}"] = (
        lambda widths=_widths, flags=_flags: gnn.RGATConv(*widths, R, **flags),
        features_and_edges(_widths[0], _edge_width) if _edge_width else features(_widths[0]),
        (F64, F32) if _i % 2 == _heads // 2 else (F64,),
    )
RGAT_OTHER = {
    "no-bias": ({"bias": False}, features(20)),
    "slope": ({"negative_slope": 0.7, "dropout": 0.6}, features(20)),
    "edges-of-rank-1": ({"edge_dim": 1}, features_and_edges(20, None)),
    "edge-dim-unused": ({"edge_dim": 4}, features(20)),
    "bases": ({"num_bases": 3, "heads": 2}, features(20)),
    "blocks": ({"num_blocks": 4, "heads": 2}, features(20)),
}
for _name, (_flags, _inputs) in RGAT_OTHER.items():
    HOMOGENEOUS[f"RGATConv-{_name}"] = (lambda flags=_flags: gnn.RGATConv(20, 16, R, **flags), _inputs, (F64,))

CASES = [
    pytest.param(make, inputs, dtype, id=f"{name}-{str(dtype)[6:]}")
    for name, (make, inputs, precisions) in HOMOGENEOUS.items()
    for dtype in precisions
]


def graphs_for(inputs):
    """Featureless layers count the nodes by their weights, and so does PyG."""
    if inputs is featureless:
        return [(TABLE, *graph[1:]) for graph in GRAPHS.values()]
    return GRAPHS.values()


@pytest.mark.parametrize("make, inputs, dtype", CASES)
def test_layer(make, inputs, dtype):
    check_all(make, inputs, dtype, graphs_for(inputs))


# Stacks


class Stack(nn.Module):
    """Two layers with ReLU, dropout, a skip connection through a linear layer and one without, and log-softmax."""

    def __init__(self, make, width, hidden, classes):
        super().__init__()
        self.first, self.second, self.third = make(width, hidden), make(hidden, hidden), make(hidden, classes)
        self.skip = nn.Linear(width, hidden)
        self.dropout = nn.Dropout(0.4)

    def forward(self, x, edge_index, edge_type):
        h = self.first(x, edge_index, edge_type).relu() + self.skip(x)
        h = self.dropout(h)
        h = F.relu(self.second(h, edge_index, edge_type)) + h
        h = F.dropout(h, 0.5, training=self.training)
        return F.log_softmax(self.third(h, edge_index, edge_type), dim=-1)


class Entities(nn.Module):
    """Entity classification without features: the first layer looks rows up."""

    def __init__(self, nodes, hidden, classes, relations, bases=None, layer=gnn.RGCNConv):
        super().__init__()
        self.first = layer(nodes, hidden, relations, num_bases=bases)
        self.second = layer(hidden, classes, relations, num_bases=bases)

    def forward(self, edge_index, edge_type):
        h = self.first(None, edge_index, edge_type).relu()
        return self.second(h, edge_index, edge_type).log_softmax(dim=1)


class Mixed(nn.Module):
    """Layers of two kinds, a hidden state that is also returned, and linear layers before and after."""

    def __init__(self):
        super().__init__()
        self.input = nn.Sequential(nn.Linear(33, 64), nn.ReLU(), nn.Dropout(0.1))
        self.attention = gnn.RGATConv(64, 16, R, heads=3)
        self.convolution = gnn.FastRGCNConv(48, 20, R, num_blocks=4)
        self.output = nn.Linear(20, 7, bias=False)

    def forward(self, x, edge_index, edge_type):
        h = self.attention(self.input(x), edge_index, edge_type).relu()
        return {"hidden": h, "out": (self.output(self.convolution(h, edge_index, edge_type)), [h.relu()])}


STACKS = {
    "RGCNConv": (lambda: Stack(lambda i, o: gnn.RGCNConv(i, o, R), 33, 64, 4), features(33)),
    "FastRGCNConv-bases": (lambda: Stack(lambda i, o: gnn.FastRGCNConv(i, o, R, num_bases=2), 16, 20, 3), features(16)),
    "RGATConv": (lambda: Stack(lambda i, o: gnn.RGATConv(i, o, R), 20, 33, 5), features(20)),
    "RGATConv-within": (lambda: Stack(lambda i, o: gnn.RGATConv(i, o, R, **WITHIN), 64, 16, 4), features(64)),
    "featureless": (lambda: Entities(TABLE, 16, 4, R, 3), lambda graph, dtype: graph[1:]),
    "mixed": (Mixed, features(33)),
}


@pytest.mark.parametrize("dtype", [F64, F32], ids=["float64", "float32"])
@pytest.mark.parametrize("name", STACKS)
def test_stack(name, dtype):
    check_all(*STACKS[name], dtype, GRAPHS.values())


class Scores(nn.Module):
    """A number for each edge, from its ends, in the order in which the caller has the edges."""

    def __init__(self):
        super().__init__()
        self.conv = gnn.FastRGCNConv(6, 5, R)

    def forward(self, x, edge_index, edge_type):
        h = self.conv(x, edge_index, edge_type)
        return (h[edge_index[0]] * h[edge_index[1]]).sum(dim=-1)


@pytest.mark.parametrize("dtype", [F32, F64], ids=["f32", "f64"])
def test_values_of_edges(dtype):
    inputs = features(6)
    check_all(Scores, inputs, dtype, graphs_for(inputs))


# Heterogeneous layers


def schema(node_types, *edge_types):
    return list(node_types), [tuple(name.split(".")) for name in edge_types]


PAPERS = schema(
    ["paper", "author", "venue"],
    "paper.cites.paper", "author.writes.paper", "paper.rev_writes.author", "venue.hosts.paper",
)  # fmt: skip
METADATA = {
    "papers": PAPERS,  # a venue has no incoming edges
    "one": schema("a", "a.to.a"),
    "parallel": schema("ab", "a.x.b", "a.y.b", "b.x.a", "a.x.a"),  # names used again, two relations of the same ends
    "star": schema("abcd", "a.t.d", "b.t.d", "c.t.d"),  # one type is reached, three only give
    "many": (["a", "b"], [("ab"[i % 2], f"r{i}", "ab"[i % 3 == 0]) for i in range(20)]),
}
SIZES = {  # node counts by position, edges of each type by position; counts repeat
    "awkward": ([9, 5, 2, 7], [12, 0, 5, 3]),
    "one of each": ([1, 1, 1, 1], [2, 1, 3, 1]),
    "no edges": ([3, 2, 2, 1], [0]),
    "nothing": ([0, 0, 0, 0], [0]),
    "first type empty": ([0, 6, 4, 3], [8, 9]),
    "large": ([200, 90, 40, 60], [900, 150, 0, 400]),
}


def hetero(metadata, widths, sizes, dtype, order=None, edge_types=None):
    counts, edges = SIZES[sizes]
    count = {name: counts[i % len(counts)] for i, name in enumerate(metadata[0])}
    x = {name: rows(count[name], widths[name], i, dtype) for i, name in enumerate(metadata[0])}
    edge_index = {}
    for i, (source, name, target) in enumerate(edge_types or metadata[1]):
        number = edges[i % len(edges)] if count[source] and count[target] else 0
        rng = torch.Generator().manual_seed(i)
        edge_index[source, name, target] = torch.stack([
            torch.randint(0, max(count[end], 1), (number,), generator=rng) for end in (source, target)
        ])  # fmt: skip
    return {name: x[name] for name in order or metadata[0]}, edge_index


HGT = {  # metadata, widths in, width out, heads
    "papers-16": ("papers", [33, 20, 16], 16, 1),
    "papers-20": ("papers", [20, 20, 20], 20, 2),  # with residuals
    "papers-33": ("papers", [64, 33, 16], 33, 1),  # with a residual in one type
    "papers-64": ("papers", [16, 64, 128], 64, 2),
    "papers-128": ("papers", [128], 128, 2),
    "papers-heads-3": ("papers", [20, 33, 33], 33, 3),
    "one-64": ("one", [64], 64, 1),
    "one-20": ("one", [33], 20, 2),
    "parallel-33": ("parallel", [33, 16], 33, 1),
    "parallel-64": ("parallel", [64, 20], 64, 2),
    "star-16": ("star", [16, 20, 33, 64], 16, 2),
    "many-16": ("many", [16, 20], 16, 2),
}


HGT_CASES = [
    pytest.param(name, dtype, id=f"{name}-{str(dtype)[6:]}")
    for i, name in enumerate(HGT)
    for dtype in ((F64, F32) if i % 2 else (F64,))
]


@pytest.mark.parametrize("name, dtype", HGT_CASES)
def test_hgt(name, dtype):
    kind, widths, out, heads = HGT[name]
    metadata = METADATA[kind]
    by_type = {node_type: widths[i % len(widths)] for i, node_type in enumerate(metadata[0])}
    in_channels = widths[0] if len(widths) == 1 else by_type
    check_all(
        lambda: gnn.HGTConv(in_channels, out, metadata, heads=heads),
        lambda sizes, dtype: hetero(metadata, by_type, sizes, dtype),
        dtype,
        SIZES,
    )


@pytest.mark.parametrize("order, edge_types", [
    (["venue", "author", "paper"], PAPERS[1][::-1]),
    (None, [PAPERS[1][3], PAPERS[1][1]]),
    (None, PAPERS[1][:1]),
], ids=["another order", "two relations", "one relation"])  # fmt: skip
def test_hgt_other_edge_types(order, edge_types):
    """Against PyG with relations in the order of the metadata: in another order it mixes their weights up."""
    widths = {"paper": 16, "author": 20, "venue": 33}
    model, compiled = build(lambda: gnn.HGTConv(widths, 20, PAPERS, heads=2), F64)
    for sizes in SIZES:
        x, edge_index = hetero(PAPERS, widths, sizes, F64, order, edge_types)
        with torch.no_grad():
            expected = model(x, {name: edge_index[name] for name in PAPERS[1] if name in edge_index})
            got = compiled(x, edge_index)
        assert got.keys() == expected.keys()
        assert all(error(got[name], expected[name]) <= 1e-10 for name in got)
    assert versions(compiled) == 1


class HeteroStack(nn.Module):
    """Two HGT layers after linear ones of each type, with skips where a type is not reached."""

    def __init__(self, metadata, widths, hidden=64, classes=7, heads=2):
        super().__init__()
        self.inputs = nn.ModuleDict({name: nn.Linear(width, hidden) for name, width in widths.items()})
        self.layers = nn.ModuleList([gnn.HGTConv(hidden, hidden, metadata, heads=heads) for _ in range(2)])
        self.output = nn.Linear(hidden, classes)

    def forward(self, x_dict, edge_index_dict):
        x_dict = {name: self.inputs[name](x).relu() for name, x in x_dict.items()}
        for layer in self.layers:
            out = layer(x_dict, edge_index_dict)
            x_dict = {name: out[name].relu() + x if name in out else x for name, x in x_dict.items()}
        x_dict = {name: F.dropout(x, 0.5, training=self.training) for name, x in x_dict.items()}
        first = next(iter(x_dict))
        return self.output(x_dict[first]).log_softmax(dim=-1), x_dict


@pytest.mark.parametrize("dtype", [F64, F32], ids=["float64", "float32"])
@pytest.mark.parametrize("kind", ["papers", "parallel"])
def test_hgt_stack(kind, dtype):
    metadata = METADATA[kind]
    widths = dict(zip(metadata[0], (33, 16, 20), strict=False))
    check_all(
        lambda: HeteroStack(metadata, widths),
        lambda sizes, dtype: hetero(metadata, widths, sizes, dtype),
        dtype,
        SIZES,
    )


# The very first call, whose sizes must not stick


def first_calls():
    layers = {
        "FastRGCNConv": (lambda: gnn.FastRGCNConv(20, 33, R), features(20)),
        "RGCNConv-add-blocks": (lambda: gnn.RGCNConv(20, 16, R, num_blocks=4, aggr="add"), features(20)),
        "RGATConv": (lambda: gnn.RGATConv(20, 16, R, heads=3), features(20)),
        "RGATConv-within-edges": (
            lambda: gnn.RGATConv(20, 16, R, edge_dim=3, concat=False, heads=2, **WITHIN), features_and_edges(20, 3)),
        "stack": STACKS["RGCNConv"],
        "featureless": STACKS["featureless"],
    }  # fmt: skip
    return [
        pytest.param(*case, TINY[first], id=f"{name}-{first}")
        for i, (name, case) in enumerate(layers.items())
        for first in (TINY if i in (0, 2) else [list(TINY)[i - 1]])
    ]


@pytest.mark.parametrize("make, inputs, first", first_calls())
def test_first_call(make, inputs, first):
    # A width of 20 or 33 and as many nodes or edges is one more agreement by chance.
    chance = [random_graph(20, 33, seed=7), random_graph(33, 33, seed=8), random_graph(5, 5, seed=9)]
    check_all(make, inputs, F64, [first, LARGE["large"], *chance])


@pytest.mark.parametrize("chance", [(20, 20), (5, 5)])
def test_first_call_with_sizes_that_agree(chance):
    make, inputs = STACKS["RGATConv"]
    check_all(make, inputs, F64, [random_graph(*chance), LARGE["large"], TINY["no edges"]])


@pytest.mark.parametrize("first", SIZES)
def test_first_call_hgt(first):
    widths = {"paper": 33, "author": 20, "venue": 16}
    check_all(
        lambda: gnn.HGTConv(widths, 20, PAPERS, heads=2),
        lambda sizes, dtype: hetero(PAPERS, widths, sizes, dtype),
        F64,
        [first, "large", *SIZES],
    )


# A real graph


@pytest.fixture(scope="module")
def aifb():
    return data.load("aifb")


@pytest.mark.parametrize("dtype", [F64, F32], ids=["float64", "float32"])
def test_aifb_entities(aifb, dtype):
    model, compiled = build(lambda: Entities(aifb.num_nodes, 16, 4, aifb.num_edge_types, 30), dtype)
    check(model, compiled, (aifb.edge_index, aifb.edge_type))


@pytest.mark.parametrize("name", ["RGCN", "RGAT", "RGAT-within"])
def test_aifb(aifb, name):
    make = {
        "RGCN": lambda: gnn.FastRGCNConv(64, 64, aifb.num_edge_types),
        "RGAT": lambda: gnn.RGATConv(16, 16, aifb.num_edge_types),
        "RGAT-within": lambda: gnn.RGATConv(16, 16, aifb.num_edge_types, **WITHIN),
    }[name]
    model, compiled = build(make, F32)
    x = rows(aifb.num_nodes, model.in_channels, dtype=F32)
    check(model, compiled, (x, aifb.edge_index, aifb.edge_type))
    reversed_graph = aifb.edge_index.flip(0), aifb.edge_type
    check(model, compiled, (x, *reversed_graph))
    assert versions(compiled) == 1


@pytest.mark.parametrize("dtype", [F64, F32], ids=["float64", "float32"])
def test_aifb_hgt(aifb, dtype):
    model, compiled = build(lambda: gnn.HGTConv(64, 64, aifb.metadata, heads=2), dtype)
    x = aifb.split_nodes(rows(aifb.num_nodes, 64, dtype=dtype))
    check(model, compiled, (x, aifb.edge_index_dict))


# Numbers that are not finite, and large ones


SPECIAL = {
    "FastRGCNConv": (lambda: gnn.FastRGCNConv(16, 20, R), features(16)),
    "RGCNConv-add-bases": (lambda: gnn.RGCNConv(16, 20, R, aggr="add", num_bases=2), features(16)),
    "RGATConv": (lambda: gnn.RGATConv(16, 20, R, heads=3), features(16)),
    "RGATConv-within": (lambda: gnn.RGATConv(16, 20, R, heads=2, concat=False, **WITHIN), features(16)),
    "stack": (lambda: Stack(lambda i, o: gnn.FastRGCNConv(i, o, R), 16, 20, 3), features(16)),
    "attention-stack": (lambda: Stack(lambda i, o: gnn.RGATConv(i, o, R), 16, 20, 3), features(16)),
}


@pytest.mark.parametrize("dtype", [F64, F32], ids=["float64", "float32"])
@pytest.mark.parametrize("name", SPECIAL)
def test_not_finite(name, dtype):
    make, inputs = SPECIAL[name]
    model, compiled = build(make, dtype)
    for value in (float("nan"), float("inf"), float("-inf")):
        x, *graph = inputs(GRAPHS["awkward"], dtype)
        x[7, 3] = value  # one node of many, not the hub
        check(model, compiled, (x, *graph))
        with torch.no_grad():
            finite = compiled(x, *graph).isfinite()
        assert finite.any() and not finite.all()


def test_not_finite_hgt():
    dtype, widths = F64, {"paper": 16, "author": 20, "venue": 33}
    model, compiled = build(lambda: HeteroStack(PAPERS, widths, 16), dtype)
    x, edge_index = hetero(PAPERS, widths, "large", dtype)
    x["venue"][2, 1] = float("nan")
    check(model, compiled, (x, edge_index))


def test_not_finite_weights():
    model, compiled = build(lambda: gnn.FastRGCNConv(16, 20, R), F64)
    with torch.no_grad():
        model.weight[3] = float("nan")  # a relation without edges
        model.root[2, 4] = float("nan")
    check(model, compiled, features(16)(GRAPHS["awkward"], F64))


@pytest.mark.parametrize("how", [ACROSS, WITHIN], ids=["across", "within"])
def test_softmax_of_large_logits(how):
    """The exponential of an attention logit as it is would be infinite."""
    model, compiled = build(lambda: gnn.RGATConv(16, 20, R, heads=3, **how), F64)
    for graph in ("awkward", "one relation"):
        x, *graph = features(16)(GRAPHS[graph], F64)
        check(model, compiled, (x * 1e4, *graph))


def test_reference_is_another_class():
    """The measure itself: a wrong result has an error, and the reference is not RGCNConv."""
    model, compiled = build(lambda: gnn.RGCNConv(16, 20, R), F64)
    assert type(as_reference(model)) is gnn.FastRGCNConv
    args = features(16)(GRAPHS["awkward"], F64)
    with torch.no_grad():
        model.bias[3] += 1e-6
        wrong, right = as_reference(model)(*args), compiled(*args)
    assert error(right, wrong) < 1e-14 and error(right + 1e-8, wrong) > 1e-10

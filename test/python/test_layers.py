"""Compiled layers and stacks of them against PyG, on awkward graphs, compiled once for all of them."""

import pytest
import torch
from checks import build
from configurations import (
    ACROSS,
    F32,
    F64,
    HETERO_STACKS,
    HGT,
    LAYERS,
    PAPERS,
    SIZES,
    STACKS,
    WITHIN,
    each,
    features,
    features_and_edges,
    hetero,
)  # fmt: skip
from models import Entities, HeteroStack, Stack
from pyg import GRAPHS, LARGE, TINY, R, as_reference, check, error, gnn, random_graph, rows, versions
from rgnn import data

pytestmark = pytest.mark.usefixtures("threads")


def check_all(make, inputs, dtype, graphs):
    model, compiled = build(make, dtype)
    for graph in graphs:
        check(model, compiled, inputs(graph, dtype))
    assert versions(compiled) == 1


@pytest.mark.sample(18)
@pytest.mark.parametrize("configuration, dtype", each(LAYERS))
def test_layer(configuration, dtype):
    check_all(configuration.make, configuration.inputs, dtype, configuration.graphs)


@pytest.mark.sample(5)
@pytest.mark.parametrize("configuration, dtype", each(STACKS))
def test_stack(configuration, dtype):
    check_all(configuration.make, configuration.inputs, dtype, configuration.graphs)


@pytest.mark.sample(7)
@pytest.mark.parametrize("configuration, dtype", each(HGT))
def test_hgt(configuration, dtype):
    check_all(configuration.make, configuration.inputs, dtype, configuration.graphs)


@pytest.mark.sample(2)
@pytest.mark.parametrize("configuration, dtype", each(HETERO_STACKS))
def test_hgt_stack(configuration, dtype):
    check_all(configuration.make, configuration.inputs, dtype, configuration.graphs)


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


# The very first call, whose sizes must not stick


def of_stack(name):
    return STACKS[name].make, STACKS[name].inputs


def first_calls():
    layers = {
        "FastRGCNConv": (lambda: gnn.FastRGCNConv(20, 33, R), features(20)),
        "RGCNConv-add-blocks": (lambda: gnn.RGCNConv(20, 16, R, num_blocks=4, aggr="add"), features(20)),
        "RGATConv": (lambda: gnn.RGATConv(20, 16, R, heads=3), features(20)),
        "RGATConv-within-edges": (
            lambda: gnn.RGATConv(20, 16, R, edge_dim=3, concat=False, heads=2, **WITHIN), features_and_edges(20, 3)),
        "stack": of_stack("RGCNConv"),
        "featureless": of_stack("featureless"),
    }  # fmt: skip
    return [
        pytest.param(*case, TINY[first], id=f"{name}-{first}")
        for i, (name, case) in enumerate(layers.items())
        for first in (TINY if i in (0, 2) else [list(TINY)[i - 1]])
    ]


@pytest.mark.sample(2)
@pytest.mark.parametrize("make, inputs, first", first_calls())
def test_first_call(make, inputs, first):
    # A width of 20 or 33 and as many nodes or edges is one more agreement by chance.
    chance = [random_graph(20, 33, seed=7), random_graph(33, 33, seed=8), random_graph(5, 5, seed=9)]
    check_all(make, inputs, F64, [first, LARGE["large"], *chance])


@pytest.mark.parametrize("chance", [(20, 20), (5, 5)])
def test_first_call_with_sizes_that_agree(chance):
    make, inputs = of_stack("RGATConv")
    check_all(make, inputs, F64, [random_graph(*chance), LARGE["large"], TINY["no edges"]])


@pytest.mark.sample(2)
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


@pytest.mark.sample(3)
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


@pytest.mark.sample(2)
@pytest.mark.parametrize("dtype", [F64, F32], ids=["float64", "float32"])
@pytest.mark.long
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


@pytest.mark.sample(3)
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

"""Layers with each rewrite of the mathematics forced on or off: results and gradients are PyG's all the same."""

import dataclasses

import pytest
import rgnn
import torch
from configurations import METADATA, SIZES, hetero
from pyg import GRAPHS, R, check, gnn, rows
from rgnn._options import REWRITES
from test_layers import build
from test_training import check_gradients

pytestmark = pytest.mark.usefixtures("strict")

F64 = torch.float64
PAPERS = METADATA["papers"]
WIDTHS = {node_type: 12 for node_type in PAPERS[0]}
LAYERS = {  # model, and its inputs on some graphs
    "rgcn": (lambda: gnn.RGCNConv(12, 8, R), lambda: ((rows(n, 12), *edges) for n, *edges in GRAPHS.values())),
    "rgat": (lambda: gnn.RGATConv(12, 4, R, heads=2), lambda: ((rows(n, 12), *edges) for n, *edges in GRAPHS.values())),
    "hgt": (lambda: gnn.HGTConv(12, 12, PAPERS), lambda: (hetero(PAPERS, WIDTHS, sizes, F64) for sizes in SIZES)),
}  # fmt: skip
CASES = [
    *((layer, dict.fromkeys(REWRITES, value)) for layer in LAYERS for value in (False, True)),
    # Each one off, where there is most for it to do.
    ("rgcn", {"aggregate_first": False}), ("rgat", {"postpone": False}), ("rgat", {"compact": False}),
    ("hgt", {"reorder": False}), ("hgt", {"stack_types": False}),
    # Sums of products in any order.
    *((layer, {"deterministic": False, "split_sides": False}) for layer in LAYERS),
]  # fmt: skip


@pytest.mark.parametrize("layer, options", CASES)
def test_forced(layer, options):
    make, inputs = LAYERS[layer]
    model, _ = build(make, F64)
    compiled = rgnn.compile(model, options=rgnn.Options(**options), fullgraph=True)
    for args in inputs():
        check(model, compiled, args)
        check_gradients(model, compiled, args, F64)


@pytest.mark.parametrize("name", REWRITES)
def test_refused(name):
    with pytest.raises(ValueError, match=f"{name}: expected 'auto', True or False, got 'yes'"):
        dataclasses.replace(rgnn.Options(), **{name: "yes"})
    with pytest.raises(ValueError, match="deterministic: expected True or False, got 'auto'"):
        rgnn.Options(deterministic="auto")


def test_any_order():
    """Products are added to rows of nodes as they come only where that is asked for."""
    model, _ = build(lambda: gnn.RGCNConv(12, 8, R, aggr="add"), F64)
    nodes, *edges = GRAPHS["awkward"]
    for deterministic in (True, False):
        options = rgnn.Options(deterministic=deterministic, aggregate_first=True, split_sides=False)
        report = rgnn.explain(model, rows(nodes, 12), *edges, options=options)
        assert any("in any order" in decision.reason for decision in report.decisions) != deterministic


def test_off_is_off():
    """What is forced off is neither taken nor refused."""
    model, _ = build(LAYERS["hgt"][0], F64)
    args = hetero(PAPERS, WIDTHS, "large", F64)
    passes = {"stack_types": "rgnn-stack-types", "reorder": "rgnn-reorder-linear", "compact": "rgnn-compact"}
    for field, flag in passes.items():
        for value in (True, False):
            report = rgnn.explain(model, *args, options=rgnn.Options(**{field: value}))
            assert any(name == flag for name, *_ in report.decisions) == value

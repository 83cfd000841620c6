"""Layers with each rewrite of the mathematics forced on or off: results and gradients are PyG's all the same."""

import dataclasses

import pytest
import rgnn
import torch
from _rgnn import rewrites
from checks import F64, build, check_gradients
from configurations import METADATA, SIZES, hetero
from models import Extremum
from pyg import GRAPHS, R, check, gnn, rows
from rgnn._options import REWRITES

pytestmark = pytest.mark.usefixtures("strict")

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


@pytest.mark.sample(9)
@pytest.mark.parametrize("layer, options", CASES)
def test_forced(layer, options):
    make, inputs = LAYERS[layer]
    model, _ = build(make, F64)
    compiled = rgnn.compile(model, options=rgnn.Options(**options), fullgraph=True)
    for args in inputs():
        check(model, compiled, args)
        check_gradients(model, compiled, args, F64)


PASSES = {option.replace("-", "_"): of for option, of in rewrites().items()}


def test_options_are_those_of_the_compiler():
    assert list(PASSES) == list(REWRITES)


def test_each_has_a_model():
    """That it is taken is tested: TAKEN names a model of MODELS for it."""
    assert [name for name in REWRITES if name not in TAKEN] == []


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


class ProductFirst(gnn.MessagePassing):
    """Sums of rows that a product makes wider."""

    def __init__(self):
        super().__init__(aggr="sum", node_dim=0)
        self.product = torch.nn.Linear(12, 64, bias=False)

    def forward(self, x, edge_index):
        return self.propagate(edge_index, x=self.product(x))


class BothWays(torch.nn.Module):
    """What edges bring along and against their direction, and from each node itself."""

    def __init__(self):
        super().__init__()
        self.along, self.against = gnn.SAGEConv(12, 8), gnn.SAGEConv(12, 8)

    def forward(self, x, edge_index):
        return self.along(x, edge_index) + self.against(x, edge_index.flip(0))


def on_awkward():
    nodes, *edges = GRAPHS["awkward"]
    return rows(nodes, 12), *edges


NONE = dict.fromkeys(REWRITES, False)
MODELS = {
    "rgcn": (lambda: gnn.RGCNConv(12, 8, R), on_awkward),
    "rgat": (lambda: gnn.RGATConv(12, 4, R, heads=2), on_awkward),
    "hgt": (LAYERS["hgt"][0], lambda: hetero(PAPERS, WIDTHS, "awkward", F64)),
    "sums": (ProductFirst, lambda: on_awkward()[:2]),
    "both ways": (BothWays, lambda: on_awkward()[:2]),
    "maxima": (lambda: Extremum("max", by_edges=True), lambda: on_awkward()[:2]),
}
TAKEN = {"stack_types": "hgt", "merge_products": "both ways", "stack_relations": "both ways", "reorder": "rgat",
         "reassociate": "sums", "aggregate_first": "rgcn", "normalise_sums": "rgat", "split_sides": "rgcn",
         "postpone": "maxima", "compact": "rgat", "recompute": "rgat",
         "hoist_normalisation": "rgcn", "fuse": "rgat"}  # fmt: skip


@pytest.mark.sample(7)
@pytest.mark.parametrize("name", REWRITES)
def test_off_is_off(name):
    """What is off is neither taken nor refused, and something else is compiled."""
    make, inputs = MODELS[TAKEN[name]]
    model, _ = build(make, F64)
    with torch.set_grad_enabled(name == "recompute"):
        on, off = (rgnn.explain(model, *inputs(), options=rgnn.Options(**{name: value})) for value in (True, False))
    assert "taken" in {decision.outcome for decision in on.decisions if decision.name == PASSES[name]}
    outcomes = {decision.outcome for decision in off.decisions if decision.name == PASSES[name]}
    assert outcomes == (set() if name == "fuse" else {"left out"})  # kernels are made without fusion, too
    level = "backward" if name == "recompute" else "hetkernel"
    assert on.ir[level] != off.ir[level]


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", REWRITES)
def test_alone(name):
    """Each without the others is taken, and results and gradients are PyG's."""
    make, inputs = MODELS[TAKEN[name]]
    model, _ = build(make, F64)
    compiled = rgnn.compile(model, options=rgnn.Options(**NONE | {name: True}), fullgraph=True)
    check(model, compiled, inputs())
    check_gradients(model, compiled, inputs(), F64)
    (region,) = {part.region for version in compiled._compiled_call_impl.runner.versions for part in version.regions}
    remarks = [*region.source.compiled.remarks, *region.trainings.remarks]
    assert any(remark.kind == "passed" and remark.category == PASSES[name] for remark in remarks)
    assert not {remark.category for remark in remarks} & {*PASSES.values()} - {PASSES[name]}

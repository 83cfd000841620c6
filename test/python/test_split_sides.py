"""Graphs split by which side of an edge type is smaller: results and gradients are PyG's, in every part."""

import functools
import itertools

import pytest
import rgnn
import torch
from _rgnn_runtime import Graph
from checks import F64, build, check_half, compare, outcome, run_threads, same_bits, step
from configurations import WITHIN, schema
from pyg import R, as_reference, gnn, rows, to, versions
from sides import CASES, TYPED, edges_of, features
from torch import nn
from torch.utils import _pytree as pytree

pytestmark = pytest.mark.usefixtures("strict", "threads")

TAKEN = ("rgcn", "rgat", "hgt")
INTO_B = schema("ab", "a.x.b", "b.y.b")

# ---- inputs ----------------------------------------------------------------------------------------------------------


def pairs(graph):
    """Destinations are nodes of their own, of other features, two of them without edges."""
    nodes, *edges = graph
    return rows(nodes, 12), rows(nodes + 2, 6, seed=1), *edges


def by_type(case):
    """The first of the same edges between nodes of two types, of which the second has more that have none."""
    nodes, shapes = CASES[case]
    count = {"a": nodes, "b": nodes + nodes // 4}
    linked = nodes - nodes // 4
    edges = {ends: edges_of(shape, linked, seed) for seed, (shape, ends) in enumerate(zip(shapes, INTO_B[1]))}
    return {name: rows(number, 12, seed) for seed, (name, number) in enumerate(count.items())}, edges


# ---- models ----------------------------------------------------------------------------------------------------------


class Layers(nn.Module):
    """Two layers with one graph, whose edges are also read whole."""

    def __init__(self):
        super().__init__()
        self.first, self.second = gnn.RGCNConv(12, 12, R, num_blocks=4), gnn.RGCNConv(12, 8, R, aggr="add")

    def forward(self, x, edge_index, edge_type):
        h = self.second(self.first(x, edge_index, edge_type).relu(), edge_index, edge_type)
        return h, (h[edge_index[0]] * h[edge_index[1]]).sum(-1)


class Bipartite(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = gnn.RGCNConv((12, 6), 8, R)

    def forward(self, x, y, edge_index, edge_type):
        return self.conv((x, y), edge_index, edge_type)


MODELS = {  # what makes it, and what it is called with for a case
    "rgcn": (lambda: gnn.RGCNConv(12, 8, R, num_bases=2), lambda case: features(TYPED[case])),
    "rgcn-layers": (Layers, lambda case: features(TYPED[case])),
    "bipartite": (Bipartite, lambda case: pairs(TYPED[case])),
    "rgat": (lambda: gnn.RGATConv(12, 9, R), lambda case: features(TYPED[case])),
    "rgat-within": (lambda: gnn.RGATConv(12, 8, R, **WITHIN), lambda case: features(TYPED[case])),
    "hgt": (lambda: gnn.HGTConv(12, 16, INTO_B), by_type),
}


def taken(name):
    return name.partition("-")[0] in TAKEN


@functools.cache
def arguments(name, case):
    return MODELS[name][1](case)


def compiled(name, split=True):
    """A model, and the same compiled."""
    model, _ = build(MODELS[name][0], F64)
    return model, rgnn.compile(model, options=rgnn.Options(split_sides=split), fullgraph=True)


# ---- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case, parts", [
    ("sources", (True, False)), ("destinations", (False, True)), ("both", (True, True)), ("ties", (True, False)),
    ("types without edges", (True, True)), ("no edges", (False, False)), ("large", (True, True)),
])  # fmt: skip
def test_parts(case, parts):
    """The graphs have edges in the parts that they are here for."""
    nodes, edge_index, edge_type = TYPED[case]
    graph = Graph([edge_index], edge_type, R, (nodes,))
    count = [len(graph.view("whole_edge", 0, part)) for part in ("src", "dst")]
    assert tuple(number > 0 for number in count) == parts and sum(count) == len(edge_type)


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", MODELS)
def test_values(name):
    """Split and in PyTorch; one of each family also whole. Where the pass does nothing, that is the same code."""
    model, split = compiled(name)
    whole = [compiled(name, split=False)[1]] if name in TAKEN else []
    reference = as_reference(model)
    for case in CASES if name == "hgt" else TYPED:
        args = arguments(name, case)
        compare(outcome(split, args), outcome(reference, args))
        for got, expected in itertools.combinations([step(m, args) for m in (split, *whole, reference)], 2):
            compare(got, expected)
    assert all(versions(one) == 1 for one in (split, *whole))


@pytest.mark.parametrize("name", TAKEN)
def test_half_precision(name):
    make, _ = MODELS[name]
    model = make().bfloat16().eval()
    split = rgnn.compile(model, options=rgnn.Options(split_sides=True), fullgraph=True)
    for case in CASES:
        check_half(model, split, to(torch.bfloat16, arguments(name, case)))


# ---- calls -----------------------------------------------------------------------------------------------------------


@pytest.mark.sample(4)
@pytest.mark.parametrize("first", ["sources", "destinations", "no edges"])
@pytest.mark.parametrize("name", TAKEN)
def test_other_parts_without_compiling_again(name, first):
    """The graph that a model is compiled for decides nothing."""
    model, split = compiled(name)
    reference = as_reference(model)
    for case in (first, "sources", "destinations", "both", first):
        compare(outcome(split, arguments(name, case)), outcome(reference, arguments(name, case)))
    assert versions(split) == 1


@pytest.mark.parametrize("name", TAKEN)
def test_edges_that_change_in_place(name):
    """Turned round, types have their fewer nodes on the other side."""
    model, split = compiled(name)
    args = pytree.tree_map_only(torch.Tensor, torch.clone, arguments(name, "sources"))
    edges = [leaf for leaf in pytree.tree_leaves(args) if leaf.dim() == 2 and not leaf.is_floating_point()]
    for _ in range(3):
        compare(outcome(split, args), outcome(as_reference(model), args))
        for edge_index in edges:
            edge_index.copy_(edge_index.flip(0))


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", TAKEN)
def test_threads_split_one_graph(name):
    """Each call is the first with a graph, whose parts are made once for both threads, and then with another."""
    model, split = compiled(name)
    cases = ["both", "sources", "destinations", "large"]
    expected = {case: outcome(as_reference(model), arguments(name, case)) for case in cases}
    for _ in range(5):
        args = {case: pytree.tree_map_only(torch.Tensor, torch.clone, arguments(name, case)) for case in cases}

        def work(number, args=args):
            with torch.enable_grad():
                for case in [*cases, *cases[number:]]:
                    compare(outcome(split, args[case]), expected[case])

        run_threads(work, count=2)
    assert versions(split) == 1


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", [name for name in MODELS if taken(name)])
def test_bitwise_equal_for_any_number_of_threads(name):
    _, split = compiled(name)
    before, outcomes = torch.get_num_threads(), []
    try:
        for threads in (1, 2, 1, 2):
            torch.set_num_threads(threads)
            outcomes.append(outcome(split, arguments(name, "large")))
    finally:
        torch.set_num_threads(before)
    assert all(same_bits(other, outcomes[0]) for other in outcomes[1:])


@pytest.mark.long
def test_saved(tmp_path, name="rgcn"):
    """The parts of a graph are described in the file; it is saved after calls with one that has a single part."""
    _, split = compiled(name)
    outcome(split, arguments(name, "sources"))
    split.save(tmp_path / "model.rgnn")
    loaded = rgnn.load(tmp_path / "model.rgnn")
    for case in CASES:
        assert same_bits(outcome(loaded, arguments(name, case)), outcome(split, arguments(name, case)))


# ---- decisions -------------------------------------------------------------------------------------------------------


def decisions(model, args, split="auto"):
    """What the pass says of a model: (whether it was taken, the reason)."""
    with torch.no_grad():
        report = rgnn.explain(model.double().eval(), *args, options=rgnn.Options(split_sides=split))
    assert not report.fallbacks
    return [(said.outcome, said.reason) for said in report.decisions if said.name == "rgnn-split-sides"]


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", TAKEN)
def test_taken(name):
    expected = {("taken", "each edge type has its products on its smaller side")}
    # RGAT's softmax has a maximum and a sum of its own, of scores that products make.
    of_softmax = {("refused", f"edge types have their products on one side: {reason}")
                  for reason in ("what is between is not linear",
                                 "they are reduced by something else than a sum or mean")}  # fmt: skip
    if name == "rgat":
        expected |= of_softmax
    assert set(decisions(MODELS[name][0](), arguments(name, "both"))) == expected


def test_off_is_off():
    assert decisions(MODELS["rgcn"][0](), arguments("rgcn", "both"), False) == [("left out", "split_sides=False")]


def test_refused():
    x, edge_index, edge_type = arguments("rgcn", "both")
    said = decisions(gnn.RGCNConv(12, 8, 1), (x, edge_index, torch.zeros_like(edge_type)), True)
    assert said == [("refused", "edge types have their products on one side: there is one edge type")]


def test_options():
    with pytest.raises(ValueError, match="split_sides: expected 'auto', True or False, got 'maybe'"):
        rgnn.Options(split_sides="maybe")

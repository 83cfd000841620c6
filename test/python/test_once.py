"""What a graph alone decides, such as the numbers that a mean divides by, is computed once for it: the results are the
same, with every graph."""

import pytest
import rgnn
import torch
from checks import F64, build, compare, outcome, run_threads, same_bits
from pyg import GRAPHS, R, gnn
from sides import TYPED, features
from torch import nn

pytestmark = pytest.mark.usefixtures("strict", "threads")

PASS = "rgnn-hoist-normalisation"


class Layers(nn.Module):
    """Two means over the same graph."""

    def __init__(self):
        super().__init__()
        self.first, self.second = gnn.RGCNConv(12, 10, R), gnn.RGCNConv(10, 8, R)

    def forward(self, x, edge_index, edge_type):
        return self.second(self.first(x, edge_index, edge_type).relu(), edge_index, edge_type)


def compiled(hoist="auto"):
    """A model, and the same compiled."""
    model, _ = build(Layers, F64)
    return model, rgnn.compile(model, options=rgnn.Options(hoist_normalisation=hoist), fullgraph=True)


def decisions(model, *args):
    return {decision.outcome for decision in rgnn.explain(model, *args).decisions if decision.name == PASS}


@pytest.mark.sample(5)
@pytest.mark.parametrize("case", TYPED)
def test_values_and_gradients(case):
    model, once = compiled()
    _, each = compiled(hoist=False)
    args = features(TYPED[case])
    found = outcome(once, args)
    compare(found, outcome(model, args))
    assert same_bits(found, outcome(each, args))


@pytest.mark.long
def test_decisions():
    model, _ = build(Layers, F64)
    args = features(TYPED["large"])
    assert decisions(model, *args) == {"taken"}
    off = rgnn.compile(model, options=rgnn.Options(hoist_normalisation=False))
    assert decisions(off, *args) == {"left out"}
    assert "@forward_once" not in rgnn.explain(off, *args).ir["hetkernel"]
    assert "@forward_once" in rgnn.explain(model, *args).ir["hetkernel"]


def test_graphs_take_turns():
    model, once = compiled()
    with torch.no_grad():
        for case in ("large", "awkward", "large", "no edges", "awkward", "large"):
            args = features(TYPED[case])
            compare([once(*args)], [model(*args)])


def test_one_graph_on_many_threads():
    model, once = compiled()
    args = features(TYPED["large"])
    with torch.no_grad():
        expected = model(*args)
        once(*features(TYPED["awkward"]))  # compiled; the graph is new to all threads
    run_threads(lambda number: compare([once(*args)], [expected]))


def test_saved(tmp_path):
    model, once = compiled()
    args = features(GRAPHS["awkward"])
    expected = outcome(once, args)
    once.save(tmp_path / "net.rgnn")
    assert same_bits(outcome(rgnn.load(tmp_path / "net.rgnn"), args)[:1], expected[:1])
    rgnn.inspect(tmp_path / "net.rgnn")

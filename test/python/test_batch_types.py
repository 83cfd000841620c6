"""Which types a batch has: what is asked about them, and how often that makes a capture."""

import copy
import re
import warnings

import pytest
import rgnn
import torch
from checks import compare, step
from pyg import gnn, rows
from rgnn._dynamo import limits
from rgnn._runner import runner_of
from torch import nn

pytestmark = pytest.mark.usefixtures("float64")
SIZE = 6


def lists(*counts):
    """Some edges of relations ``a``, ``b``, ..., as many as given; none for None."""
    generator = torch.Generator().manual_seed(sum(count or 0 for count in counts))
    return {name: torch.randint(SIZE, (2, count), generator=generator)
            for name, count in zip("abcdefgh", counts) if count is not None}  # fmt: skip


class PerRelation(nn.Module):
    """A loop over the relations that a call has, which may leave out those without edges."""

    def __init__(self, skips):
        super().__init__()
        self.convs, self.skips = nn.ModuleDict({name: gnn.SAGEConv(4, 4) for name in "abcdefgh"}), skips

    def forward(self, x, edges):
        out = x
        for name, edge_index in edges.items():
            if not (self.skips and edge_index.numel() == 0):
                out = out + self.convs[name](x, edge_index)
        return out


def messages(model, calls):
    """What is said of calls, each of which gives what PyTorch gives."""
    compiled = rgnn.compile(copy.deepcopy(model))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for edges in calls:
            args = rows(SIZE, 4), edges
            compare(step(compiled, args), step(model, args))
    return compiled, [str(warning.message) for warning in caught if "rgnn" in str(warning.message)]


SETS = {
    "keys": (False, [lists(2, 3, 4), lists(2, 3), lists(2, None, 4), lists(None, 3, 4), lists(None, None, 4)],
             "`edges` has other keys than before; give the same keys in the same order in each call, with an empty "),
    "questions": (True, [lists(2, 3, 4), lists(2, 3, 0), lists(2, 0, 4), lists(0, 3, 4), lists(0, 0, 4)],
                  "the model asks whether `edges['"),
}  # fmt: skip


@pytest.mark.parametrize("name", SETS)
def test_sets_of_types_are_told(name, monkeypatch):
    """A model that is captured for each set of types says so once, early, with the way to have one capture."""
    skips, calls, expected = SETS[name]
    compiled, (text,) = messages(PerRelation(skips), calls)
    assert text.startswith("rgnn: forward (test_batch_types.py:")
    assert " is compiled for the 4th time, each time for other types of nodes and edges: " + expected in text
    assert len(runner_of(compiled).versions) == len(calls)
    # And again where captures have run out.
    monkeypatch.setattr(limits, "MAX_VERSIONS", 3)
    _, (text,) = messages(PerRelation(skips), calls)
    assert re.search(r"captured 3 times, .*does not hold now; " + re.escape(expected), text)


def test_no_question_one_capture():
    """Empty lists in the place of missing ones, as the warning says."""
    calls = [lists(2, 3, 4), lists(2, 3, 0), lists(2, 0, 4), lists(0, 3, 4), lists(0, 0, 0), lists(1, 1, 1)]
    compiled, texts = messages(PerRelation(False), calls)
    assert not texts and len(runner_of(compiled).versions) == 1


# ---- layers that ask -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 7])
def test_attention_without_edges(first):
    """GAT asks whether there are edges, and computes the same of none as of some."""
    model = gnn.GATConv(4, 4, heads=2, add_self_loops=False, dropout=0.0)
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for count in (first, 0, 1, 5):
        args = rows(SIZE, 4), *lists(count).values()
        compare(step(compiled, args), step(model, args))
    assert len(runner_of(compiled).versions) == 1


def test_attention_with_edge_features():
    """There the layer of edge features gets no gradient where there are no edges, which is another capture."""
    model = gnn.GATConv(4, 4, edge_dim=3, add_self_loops=False)
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for count in (4, 0, 3, 0):
        args = rows(SIZE, 4), *lists(count).values(), rows(count, 3)
        compare(step(compiled, args)[:-2], step(model, args)[:-2])
    assert len(runner_of(compiled).versions) == 2
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    with torch.no_grad():  # nor does it in inference
        for count in (4, 0, 3):
            args = rows(SIZE, 4), *lists(count).values(), rows(count, 3)
            compare([compiled(*args)], [model(*args)])
    assert len(runner_of(compiled).versions) == 1


@pytest.mark.long
def test_who_asks_is_told():
    """The question of a layer of PyG is named by its line."""
    relations = [("a", name, "a") for name in "abc"]
    convs = {relation: gnn.GATConv((4, 4), 4, edge_dim=3, add_self_loops=False) for relation in relations}
    model = rgnn.compile(gnn.HeteroConv(convs))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for counts in ((2, 3, 4), (2, 3, 0), (2, 0, 4), (0, 3, 4), (0, 0, 4)):
            edges = dict(zip(relations, lists(*counts).values()))
            model({"a": rows(SIZE, 4)}, edges, {name: rows(part.shape[1], 3) for name, part in edges.items()})
    (text,) = (str(one.message) for one in told if "compiled for the" in str(one.message))
    assert re.search(r"is empty \(torch_geometric/nn/conv/gat_conv.py:\d+, in edge_update\)", text)


class Normalised(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.conv, self.norm = gnn.SAGEConv((4, 4), 8), norm

    def forward(self, x, y, edge_index):
        return self.norm(self.conv((x, y), edge_index)).relu()


@pytest.mark.parametrize("first", [0, 5])
@pytest.mark.parametrize("make", [lambda: gnn.BatchNorm(8), lambda: nn.BatchNorm1d(8, affine=False)])
def test_batch_norm_of_no_rows(make, first):
    """Averages stay what they are where a batch has no rows of a type, of which there is no mean; one capture."""
    model = Normalised(make())
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for count in (first, 0, 4, 0, 3):
        args = rows(SIZE, 4), rows(count, 4, seed=count), torch.randint(SIZE, (2, 7 if count else 0)) % max(count, 1)
        compare([*step(compiled, args), *compiled.buffers()], [*step(model, args), *model.buffers()])
    assert len(runner_of(compiled).versions) == 1
    with torch.no_grad():
        model.eval(), compiled.eval()
        for count in (first, 0, 1):
            args = rows(SIZE, 4), rows(count, 4), torch.zeros(2, min(count, 1), dtype=torch.long)
            compare([compiled(*args)], [model(*args)])
    assert len(runner_of(compiled).versions) == 2


# ---- first rows ------------------------------------------------------------------------------------------------------


def first_rows(x, edge_index, count):
    h = x.new_zeros(x.shape).index_add(0, edge_index[1], x[edge_index[0]])
    return h[:count].relu(), h[:3].tanh()


def test_first_rows_are_all_by_chance():
    """How many rows are taken is no question about how many there are; and a number may be given as it is."""
    compiled = rgnn.compile(first_rows, fullgraph=True)
    for size, count in ((6, 4), (6, 6), (6, 5), (9, 9), (4, 3), (5, 0)):
        x = rows(size, 4, seed=size)
        edges = torch.randint(size, (2, 12), generator=torch.Generator().manual_seed(count))
        compare(compiled(x, edges, count), first_rows(x, edges, count))
    assert len(runner_of(compiled).versions) == 2  # the number is a constant until it differs

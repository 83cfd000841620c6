"""What calls take of memory, as known before they run, and plans that fit into a budget."""

import re

import pytest
import rgnn
import torch
from checks import run_threads
from dgl_graphs import check_equal, outcome
from lang_models import cgat, cgat_twin
from pyg import gnn, random_graph, rows
from rgnn._runner import runner_of
from rgnn._trial import record_regions
from rgnn.tune.plans import list_plans
from torch import nn

WIDTH, R = 16, 4


@pytest.fixture(autouse=True)
def few_plans(monkeypatch):
    """Each takes a second to compile."""
    monkeypatch.setattr("rgnn.tune.plans.MOST", 8)


class Two(nn.Module):
    """Two layers with rows of edges."""

    def __init__(self):
        super().__init__()
        self.first, self.last = (gnn.RGATConv(WIDTH, WIDTH, R) for _ in range(2))

    def forward(self, x, edge_index, edge_type):
        return self.last(self.first(x, edge_index, edge_type).relu(), edge_index, edge_type)


def inputs(nodes=60, edges=900, seed=0):
    _, edge_index, edge_type = random_graph(nodes, edges, seed, R)
    return rows(nodes, WIDTH, seed), edge_index, edge_type


def compiled_within(model, budget):
    return rgnn.compile(model, options=rgnn.Options(memory_budget=budget), fullgraph=True)


def least_of(model, budget=1):
    """What the smallest plan takes, by the error of a budget that none fits into. The edges are new: what earlier plans
    looked up in them counts."""
    with pytest.raises(rgnn.CompileError, match="memory_budget: expected at least") as caught:
        outcome(compiled_within(model, budget), inputs(), model.parameters())
    found = re.search(rf"at least (\d+) bytes, .* smallest of \d+ plans .*, got {budget:g}$", str(caught.value))
    return int(found[1])


def predicted(compiled):
    return runner_of(compiled).backend.budget.predicted


@pytest.mark.usefixtures("strict", "float64")
@pytest.mark.parametrize("trains", [False, True])
def test_what_is_predicted_is_taken(trains):
    model, args = Two(), inputs()
    compiled = compiled_within(model, 1e9)
    with torch.set_grad_enabled(trains):
        out = compiled(*args)
    region = runner_of(compiled).versions[0].regions[0]
    [taken] = runner_of(compiled).backend.budget.taken
    codes = [region.training.forward, region.training.backward] if trains else [region.region]
    assert taken.results == pytest.approx(out.nbytes, abs=64)
    saved = 0
    if trains:
        out.sum().backward()
        report = rgnn.explain(model, *args)
        saved = report.saved_bytes
        assert taken.saved == pytest.approx(saved, abs=64 * 8) and taken.saved > 0
        gradients = sum(parameter.grad.nbytes for parameter in model.parameters() if parameter.grad is not None)
        assert taken.gradients == pytest.approx(out.nbytes + gradients, rel=0.05)
    ran = [code.code.workspace_bytes for code in codes]
    assert taken.temporaries == pytest.approx(max(ran[0] - taken.saved, *ran[1:]) if trains else ran[0], abs=64 * 8)
    assert sum(taken.graphs.values()) > 2 * 4 * args[1].shape[1]
    assert predicted(compiled) == taken.peak


@pytest.mark.usefixtures("strict", "float64")
def test_another_plan():
    """Between what the first plan takes and the smallest one, the same results and gradients of less memory."""
    model = gnn.RGATConv(WIDTH, WIDTH, R)
    expected = outcome(model, inputs(), model.parameters())
    first = compiled_within(model, 1e9)
    outcome(first, inputs(), model.parameters())
    most, least = predicted(first), least_of(model)
    assert least < most
    for budget in (most, least):
        compiled, args = compiled_within(model, budget), inputs()
        for _ in range(2):
            check_equal(outcome(compiled, args, model.parameters()), expected)
            assert predicted(compiled) <= budget
    assert least_of(model, least - 1) == least


@pytest.mark.usefixtures("strict", "float64")
def test_calls_of_other_sizes():
    """The first plan is taken where it fits, whatever calls before have taken; an error loses nothing."""
    model, small, large = Two(), inputs(), inputs(80, 1500, seed=1)
    first = compiled_within(model, 1e9)
    outcome(first, large, model.parameters())
    compiled = compiled_within(model, predicted(first) - 1)
    region = None
    for number, args in enumerate((small, large, small, inputs(300, 20000, seed=2), small)):
        if number == 3:
            with pytest.raises(rgnn.CompileError, match="memory_budget: expected at least"):
                outcome(compiled, args, model.parameters())
            continue
        check_equal(outcome(compiled, args, model.parameters()), outcome(model, args, model.parameters()))
        region = region or runner_of(compiled).versions[0].regions[0].region
        assert (runner_of(compiled).versions[0].regions[0].region is region) == (args is small)
    assert len(runner_of(compiled).versions) == 1


@pytest.mark.usefixtures("float64")
def test_regions_share_a_budget():
    """What one region saves is not there for the next."""

    class Apart(Two):
        def forward(self, x, edge_index, edge_type):
            x = self.first(x, edge_index, edge_type).sort(1).values
            return self.last(x, edge_index, edge_type)

    model, args = Apart(), inputs()
    with pytest.warns(UserWarning, match="sort"):
        compiled = rgnn.compile(model, options=rgnn.Options(memory_budget=1e9))
        compiled(*args)
    first, last = runner_of(compiled).backend.budget.taken
    with pytest.raises(rgnn.CompileError, match="beside what parts before"):
        rgnn.compile(model, options=rgnn.Options(memory_budget=first.peak))(*args)
    assert predicted(compiled) > first.peak + last.results + last.saved
    assert list(first.graphs) == list(last.graphs)
    before = predicted(compiled)
    compiled(*args)  # another call, and no more of the same
    assert predicted(compiled) == before


@pytest.mark.usefixtures("strict", "float64")
def test_recompute_keeps_what_maxima_are_taken_of():
    """With True, all else is computed again in the backward."""
    model, args = gnn.SAGEConv(WIDTH, WIDTH, aggr=["mean", "max"], project=True), inputs()[:2]
    kept = rgnn.explain(Two(), *inputs(), options=rgnn.Options(recompute=True)).saved_bytes
    assert kept == 0
    assert rgnn.explain(model, *args, options=rgnn.Options(recompute=True)).saved_bytes > 0
    compiled = rgnn.compile(model, options=rgnn.Options(recompute=True), fullgraph=True)
    check_equal(outcome(compiled, args, model.parameters()), outcome(model, args, model.parameters()))


@pytest.mark.usefixtures("strict", "float64")
def test_other_edges_at_the_same_address():
    """What a call takes follows from its edges: fewer pairs of ends and types take less memory."""
    model, (x, edge_index, edge_type) = gnn.RGATConv(WIDTH, WIDTH, R), inputs()
    compiled, place, found = compiled_within(model, 1e9), edge_index.numpy().copy(), []
    for edges in (edge_index, edge_index % 2):
        place[:] = edges.numpy()
        compiled(x, torch.from_numpy(place), edge_type)
        alone = compiled_within(model, 1e9)
        alone(x, edges.clone(), edge_type)
        found.append((predicted(compiled), predicted(alone)))
    assert found[0][0] == found[0][1] > found[1][0] == found[1][1]


def test_what_is_set_stays_as_it_is():
    for recompute in ("auto", False):
        plans = list_plans([], rgnn.Options(recompute=recompute, compact=False), True, "cuda")
        assert ({"recompute": True} in plans) == (recompute == "auto")
        assert plans and not any("compact" in changes for changes in plans)


@pytest.mark.usefixtures("strict", "float64")
def test_threads_have_calls_of_their_own():
    model = gnn.RGATConv(WIDTH, WIDTH, R)
    first = compiled_within(model, 1e9)
    with torch.no_grad():
        expected = first(*inputs())
        compiled = compiled_within(model, predicted(first))

        def work(number):
            with torch.no_grad():
                for _ in range(5):
                    torch.testing.assert_close(compiled(*inputs()), expected)

        run_threads(work, 4)


@pytest.mark.usefixtures("strict", "float64")
def test_of_the_language():
    x, edge_index, _ = inputs()
    w, a = torch.randn(WIDTH, WIDTH, requires_grad=True), torch.randn(2 * WIDTH, 1, requires_grad=True)
    least = []
    for budget in (1, None, 1e9):
        function = rgnn.function(cgat.__wrapped__, options=rgnn.Options(memory_budget=budget or least[0]))
        if budget == 1:
            with pytest.raises(rgnn.CompileError, match="memory_budget: expected at least") as caught:
                function(edge_index.clone(), h=x, w=w, a=a)
            least.append(int(re.search(r"at least (\d+) bytes", str(caught.value))[1]))
            continue
        for _ in range(2):  # calls do not add up
            got = outcome(lambda e: function(e, h=x, w=w, a=a), [edge_index.clone()], [w, a])  # noqa: B023
            check_equal(got, outcome(lambda e: cgat_twin(rgnn.Graph(e), x, w, a), [edge_index], [w, a]))
        with torch.no_grad():
            function(edge_index.clone(), h=x, w=w, a=a)


@pytest.mark.usefixtures("float64")
def test_with_torch_compile():
    model, args = gnn.GCNConv(WIDTH, WIDTH), inputs()[:2]
    compiled = torch.compile(model, backend="rgnn", options={"memory_budget": 3e5})
    for _ in range(30):  # calls do not add up
        torch.testing.assert_close(compiled(*args), model(*args))
    with pytest.raises(rgnn.CompileError, match="memory_budget: expected at least"):
        torch.compile(model, backend="rgnn", options={"memory_budget": 10})(*args)


@pytest.mark.parametrize(("given", "kind"), [(0, ValueError), (-1.0, ValueError), (float("nan"), ValueError),
                                             ("8e9", TypeError), (True, TypeError)])  # fmt: skip
def test_wrong_budgets(given, kind):
    with pytest.raises(kind, match="memory_budget: expected"):
        rgnn.Options(memory_budget=given)


def test_is_no_option_of_the_compiler():
    model, args = gnn.GCNConv(4, 4), (torch.randn(3, 4), torch.tensor([[0, 1], [1, 2]]))
    assert rgnn.Options(memory_budget=1e9).pipeline() == rgnn.Options().pipeline()
    assert record_regions(model, args, {}, rgnn.Options(memory_budget=1e9)).regions

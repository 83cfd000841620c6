"""Options(plan="costs"): the plan of a region is the one whose kernels are predicted to take the least time."""

import dataclasses

import pytest
import rgnn
import torch
from checks import run_threads
from dgl_graphs import check_equal, outcome
from lang_models import cgat, cgat_twin
from pyg import gnn, random_graph, rows
from rgnn._compiler import compile_region
from rgnn._dynamo.regions import Choosing, Codes
from rgnn._runner import runner_of
from rgnn._target import CPU
from rgnn._trial import record_regions
from rgnn.tune import plans
from rgnn.tune.costs import Costs

pytestmark = pytest.mark.usefixtures("float64")

WIDTH, R = 16, 4


class Fake(Costs):
    """Costs by rows written alone."""

    def __init__(self, seconds_of):
        self.seconds_of = seconds_of

    def total(self, works):
        return sum(map(self.seconds_of, works))


@pytest.fixture
def costs(monkeypatch):
    """Sets what a kernel is predicted to take."""
    return lambda seconds_of: monkeypatch.setattr("rgnn.tune.plans.load_costs", lambda threads: Fake(seconds_of))


def inputs(nodes=60, edges=900, seed=0):
    _, edge_index, edge_type = random_graph(nodes, edges, seed, R)
    return rows(nodes, WIDTH, seed), edge_index, edge_type


def by_costs(model, **options):
    return rgnn.compile(model, options=rgnn.Options(plan="costs", **options), fullgraph=True)


def layer():
    torch.manual_seed(0)
    return gnn.RGATConv(WIDTH, WIDTH, R)


def codes_of(compiled):
    """By whether calls ask for gradients: the code that they run, once a plan was chosen."""
    found = {}
    for version in runner_of(compiled).versions:
        (region,) = version.regions
        for trains in region.finders[0].candidates:
            found[trains] = region.training.forward if trains else region.region
    return found


def changes_of(compiled):
    """By the same: in what the options of the code differ from those that were given."""
    given = runner_of(compiled).options
    return {trains: {field.name: getattr(code.source.options, field.name) for field in dataclasses.fields(given)
                     if getattr(code.source.options, field.name) != getattr(given, field.name)}
            for trains, code in codes_of(compiled).items()}  # fmt: skip


def most_work(work):
    """The more a kernel computes, the faster it is, which no rule thinks."""
    return -float(work.operations)


@pytest.mark.usefixtures("strict")
def test_values_and_gradients_of_a_plan_by_costs(costs):
    costs(most_work)
    model = layer()
    compiled = by_costs(layer())
    for size in ((60, 900), (7, 0), (1, 1), (40, 900)):
        given = inputs(*size)
        got, expected = (outcome(call, given, call.parameters()) for call in (compiled, model))
        check_equal(got, expected)
        with torch.no_grad():
            torch.testing.assert_close(compiled(*given), expected[0][0])
    changes = changes_of(compiled)
    assert set(changes) == {False, True} and all(changes.values())  # other code than that of the rules


def test_each_mode_has_a_plan_of_its_own_that_stays(costs):
    compiled, given = by_costs(layer()), inputs()
    costs(most_work)
    with torch.no_grad():
        compiled(*given)
    before = codes_of(compiled)
    assert list(before) == [False] and changes_of(compiled)[False]
    costs(lambda work: 1.0)
    compiled(*given)
    with torch.no_grad():
        compiled(*inputs(30, 50))
    after = codes_of(compiled)
    assert set(after) == {False, True} and after[False] is before[False]


def test_a_plan_of_a_small_graph_is_chosen_again(costs):
    """For a graph with more than eight times as many edges; the rules' plan may come back."""
    compiled, found = by_costs(layer()), []
    with torch.no_grad():
        for edges, seconds_of in ((60, most_work), (600, lambda _: 0.0), (4000, most_work), (6000, most_work)):
            costs(seconds_of)
            given = inputs(60, edges)
            torch.testing.assert_close(compiled(*given), layer()(*given))
            found.append(bool(changes_of(compiled)[False]))
    assert found == [True, False, False, True]


@pytest.mark.parametrize("factor", [1e-9, 1e-5])
def test_the_rules_plan_stays_where_no_other_is_clearly_faster(costs, monkeypatch, factor):
    """What a plan saves by more work is nothing of a second, or a good part of it."""
    costs(most_work)
    monkeypatch.setattr(Fake, "total", lambda self, works: 1.0 - factor * sum(work.operations for work in works))
    compiled = by_costs(layer())
    with torch.no_grad():
        compiled(*inputs())
    assert bool(changes_of(compiled)[False]) == (factor == 1e-5)


def test_wrong_inputs_are_errors_of_pytorch(costs):
    """Also of the first call, which plans are compared for; the next one is compiled."""
    costs(most_work)
    model, compiled = layer(), by_costs(layer())
    x, edge_index, edge_type = inputs()
    wrong = edge_index.clone()
    wrong[0, 3] = len(x)
    with torch.no_grad():
        for bad in ((x, wrong, edge_type), (x[:, :5], edge_index, edge_type)):
            with pytest.raises(Exception) as expected:  # noqa: PT011 (whatever PyTorch raises)
                model(*bad)
            with pytest.raises(expected.type):
                compiled(*bad)
        torch.testing.assert_close(compiled(x, edge_index, edge_type), model(x, edge_index, edge_type))
    assert changes_of(compiled)[False]


def test_rewrites_that_are_set_stay(costs):
    costs(most_work)
    compiled = by_costs(layer(), compact=True, split_sides=False)
    with torch.no_grad():
        compiled(*inputs())
    (changes,) = changes_of(compiled).values()
    assert not {"compact", "split_sides"} & set(changes)


def test_explain_lists_what_was_compared(costs):
    costs(most_work)
    with torch.no_grad():
        report = rgnn.explain(layer(), *inputs(), options=rgnn.Options(plan="costs"))
    (candidates,) = report.candidates
    chosen = candidates[0]
    assert chosen.changes and chosen.seconds < next(one for one in candidates if not one.changes).seconds
    assert [one.seconds for one in candidates[1:]] == sorted(one.seconds for one in candidates[1:])
    assert f"plans of {len(candidates)} that were compared, the chosen one first:\n    {chosen}\n" in f"{report}\n"
    # The kernels are those of the chosen plan.
    alike = rgnn.explain(layer(), *inputs(), options=rgnn.Options(**chosen.changes))
    assert report.kernels == alike.kernels and not alike.candidates
    assert report.kernels != rgnn.explain(layer(), *inputs()).kernels


def test_explain_measures_what_was_compared(costs, monkeypatch, tmp_path):
    costs(most_work)
    monkeypatch.setattr("rgnn._explain.candidates.MEASURED", 2)
    monkeypatch.setattr("rgnn._explain.candidates.SECONDS", 0.1)
    report = rgnn.explain(layer(), *inputs(), options=rgnn.Options(plan="costs"), measure=True)
    (candidates,) = report.candidates
    assert [one.measured is not None for one in candidates] == [True, True] + [False] * (len(candidates) - 2)
    assert ", measured " in str(candidates[0])
    report.html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert f"{len(candidates)} plans that were compared" in page and f"{candidates[0].measured * 1e3:.3f}" in page


def test_saved_models_have_the_chosen_plan(costs, tmp_path):
    costs(most_work)
    compiled, given = by_costs(layer()), inputs()
    expected = compiled(*given)
    with torch.no_grad():
        compiled(*given)
    compiled.save(tmp_path / "m.rgnn")
    loaded = rgnn.load(tmp_path / "m.rgnn")
    torch.testing.assert_close(loaded(*given), expected)
    torch.testing.assert_close(loaded(*inputs(30, 50)), layer()(*inputs(30, 50)))


def test_within_a_budget(costs):
    costs(most_work)
    given, model, compiled = inputs(), layer(), by_costs(layer(), memory_budget=1e9)
    check_equal(*(outcome(call, given, call.parameters()) for call in (compiled, model)))
    assert changes_of(compiled)[True]
    with pytest.raises(rgnn.CompileError, match="memory_budget: expected at least"):
        by_costs(layer(), memory_budget=1)(*given)


def test_functions_of_the_language(costs, monkeypatch):
    seen, choose = [], plans.choose_plan
    monkeypatch.setattr(plans, "choose_plan", lambda *given: seen.append(choose(*given)) or seen[-1])
    costs(most_work)
    function = rgnn.function(cgat.__wrapped__, options=rgnn.Options(plan="costs"))
    (x, edge_index, _), w, a = inputs(), torch.randn(WIDTH, WIDTH), torch.randn(2 * WIDTH, 1)
    with torch.no_grad():
        for _ in range(2):
            got, expected = function(edge_index, h=x, w=w, a=a), cgat_twin(rgnn.Graph(edge_index), x, w, a)
            torch.testing.assert_close(got, expected)
    assert len(seen) == 1


def test_threads_choose_once(costs, monkeypatch):
    calls, choose = [], plans.choose_plan
    monkeypatch.setattr(plans, "choose_plan", lambda *given: calls.append(1) or choose(*given))
    costs(most_work)
    ((text, tensors),) = record_regions(layer(), inputs(), {}).regions
    choosing = Choosing(Codes(text, rgnn.Options(plan="costs"), CPU, (), lambda *_: None))
    code, found = (compile_region(text, rgnn.Options(), CPU), None), []
    run_threads(lambda number: found.append(choosing.find(code, tensors, trains=False)), 4)
    assert len(calls) == 1 and len(set(found)) == 1 and found[0] != code


def test_wrong_values_of_the_option():
    for value in ("cost", None, True):
        with pytest.raises(ValueError, match="plan: expected 'rules' or 'costs', got "):
            rgnn.Options(plan=value)

"""rgnn.tune: what kernels do and cost, and the choice of options."""

import dataclasses
import fcntl
import json
import platform
import subprocess
import sys

import numpy as np
import pytest
import rgnn
import torch
from _rgnn import differentiate, plan_kernels
from rgnn import tune
from rgnn._profile import Machine
from rgnn._trial import record_regions
from rgnn._work import Work
from rgnn.tune import costs, fit, measure
from rgnn.tune.__main__ import main
from rgnn.tune.choose import SCHEDULES
from rgnn.tune.collect import measure_sample, read_samples
from rgnn.tune.costs import FEATURES, Costs, Trees, read_trees, write_trees
from rgnn.tune.work import Function
from torch import nn
from torch_geometric.nn import GATConv, GCNConv, RGATConv, RGCNConv, SAGEConv

NODES, EDGES, TYPES = 200, 1500, 5
MACHINE = Machine(1e10, {"float32": 1e11, "float64": 5e10})


def inputs(typed=True):
    torch.manual_seed(0)
    graph = torch.randn(NODES, 16), torch.randint(NODES, (2, EDGES))
    return (*graph, torch.randint(TYPES, (EDGES,))) if typed else graph


def work(**changes):
    return Work("gemm", "float32", 100, 0, 6400, 3200, 8000, 51200)._replace(**changes)


def ran(profile, phase):
    return [(kernel.name, kernel.rows, kernel.inner_rows, kernel.bytes_read, kernel.bytes_written, kernel.bytes_needed,
             kernel.operations) for kernel in profile.kernels if kernel.phase == phase and (kernel.rows or 0) >= NODES]


def listed(manifest, tensors):
    """Works of kernels on rows of the graph: small ones on weights are loops of one thread, which no profile has."""
    return [(one.name, *one[2:]) for one in Function(manifest, tensors).works() if one.rows >= NODES]


@pytest.mark.parametrize("layer", [RGATConv, RGCNConv, GATConv, GCNConv, SAGEConv], ids=lambda layer: layer.__name__)
def test_works_are_those_that_run(layer):
    typed = layer in (RGATConv, RGCNConv)
    model = layer(16, 24, TYPES) if typed else layer(16, 24)
    with torch.no_grad():
        profile = rgnn.profile(rgnn.compile(model), *inputs(typed), repeat=1)
    works = []
    for text, tensors in record_regions(model, inputs(typed), {}).regions:
        works += listed(json.loads(plan_kernels(text)[0]), tensors)
    assert sorted(works) == sorted(ran(profile, "forward"))  # kernels run in an order of their own
    assert len(works) > 1


def test_works_of_a_backward():
    model = RGATConv(16, 24, TYPES)
    profile = rgnn.profile(rgnn.compile(model), *inputs(), repeat=1)
    (text, tensors), = record_regions(model, inputs(), {}).regions
    plan = json.loads(differentiate(text, [n for n, tensor in enumerate(tensors) if tensor.requires_grad])[0])
    results = Function(json.loads(plan_kernels(plan["forward"])[0]), tensors).results()
    assert tuple(results[0].shape) == (NODES, 24)
    given = {"argument": tensors, "result": results, "gradient": results}
    sources = [next(iter(source.items())) for source in plan["inputs"]]
    manifest = json.loads(plan_kernels(plan["backward"])[0])
    works = listed(manifest, [given[kind][number] for kind, number in sources])
    assert sorted(works) == sorted(ran(profile, "backward"))


def test_work_on_weights():
    """What is computed of weights alone is no kernel, but takes time."""

    class Exponentials(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(16, 24))

        def forward(self, x, edge_index):
            rows = (x @ self.weight.exp())[edge_index[0]]
            return rows.new_zeros(len(x), 24).index_add(0, edge_index[1], rows)

    with torch.no_grad():
        ((text, tensors),) = record_regions(Exponentials(), inputs(typed=False), {}).regions
    manifest, _, on_weights = plan_kernels(text)
    assert on_weights == [[16 * 24 * 4, 16 * 24 * 4, 16 * 24]]
    works = Function(json.loads(manifest), tensors, on_weights).works()
    assert works[-1] == Work("weights", "", 0, 0, 1536, 1536, 3072, 384)
    learned = costs.Costs(MACHINE, costs.read_trees(costs.SHIPPED)[0], 2)
    assert learned.seconds(works)[-1] == costs.bound(works[-1], MACHINE)  # nothing is learned of such work


@pytest.mark.parametrize("there", ["nothing", "a file", "no JSON", "a list", "another form", "no speed", "no folder"])
def test_speed_of_the_machine_is_kept(tmp_path, monkeypatch, there):
    monkeypatch.setenv("RGNN_CACHE_DIR", str(tmp_path / "cache"))
    calls = []
    monkeypatch.setattr(costs, "measure_machine", lambda threads: calls.append(threads) or MACHINE)
    path = tmp_path / "cache/machines.json"
    if there == "no folder":
        (tmp_path / "cache").write_text("a file")
    elif there != "nothing":
        path.parent.mkdir()
        texts = {"a file": '{"elsewhere 2": {"bandwidth": 1, "operations": {}}}', "no JSON": "{", "a list": "[]",
                 "no speed": json.dumps({f"{platform.node()} 2": {"bandwidth": 0.0, "operations": {}}}),
                 "another form": json.dumps({f"{platform.node()} 2": {"speed": 1}})}  # fmt: skip
        path.write_text(texts[there])
    assert [costs.load_machine(2), costs.load_machine(2), costs.load_machine(1)] == [MACHINE] * 3
    assert calls == ([2, 2, 1] if there == "no folder" else [2, 1])
    if there == "a file":
        assert len(json.loads(path.read_text())) == 3


def test_bounds():
    by_memory, by_speed = work(), work(operations=10**9)
    assert costs.bound(by_memory, MACHINE) == pytest.approx(costs.LAUNCH + 8000 / 1e10)
    assert costs.bound(by_speed, MACHINE) == pytest.approx(costs.LAUNCH + 1e-2)
    assert costs.bound(by_speed._replace(dtype="float64"), MACHINE) == pytest.approx(costs.LAUNCH + 2e-2)
    assert Costs(MACHINE, None, 1).total([by_memory, by_speed]) == pytest.approx(2 * costs.LAUNCH + 8e-7 + 1e-2)
    assert Costs(MACHINE, None, 1).total([]) == 0


def random_kernels(count, seed=0):
    """Kernels whose time is no multiple of their bound: traversals take three times as long, small rows twice."""
    draw = np.random.default_rng(seed)
    samples = []
    for number in range(count):
        works = [work(name=name, rows=int(2 ** draw.uniform(4, 16)))._replace(operations=int(2 ** draw.uniform(10, 30)))
                 for name in draw.choice(costs.TEMPLATES, 10)]  # fmt: skip
        seconds = [costs.bound(one, MACHINE) * (3 if one.name == "traverse" else 1) * (2 if one.rows < 512 else 1)
                   * draw.uniform(0.95, 1.05) for one in works]  # fmt: skip
        samples.append({"sample": number, "threads": 2, "machine": MACHINE, "works": works, "seconds": seconds})
    return samples


def test_fit_and_its_file(tmp_path):
    kernels = fit.gather(random_kernels(80))
    kept, held_out = fit.split(kernels)
    assert set(held_out.sample) == set(range(4, 80, 5)) and len(kept.seconds) + len(held_out.seconds) == 800
    trees = fit.fit(kept)
    off = np.abs(np.log(held_out.bounds * np.exp(trees.predict(held_out.features)) / held_out.seconds))
    assert np.median(off) < 0.05 and np.median(np.abs(np.log(held_out.bounds / held_out.seconds))) > 0.3
    lines = fit.compare(held_out, trees).splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == [*costs.TEMPLATES, "all"]

    write_trees(tmp_path / "costs.json", trees, {"threads": 2})
    again, about = read_trees(tmp_path / "costs.json")
    assert about["threads"] == 2
    np.testing.assert_allclose(again.predict(held_out.features), trees.predict(held_out.features), rtol=1e-4, atol=1e-4)
    assert [path.name for path in tmp_path.iterdir()] == ["costs.json"]
    one = Costs(MACHINE, again, 2)
    slow, fast = one.seconds([work(name="traverse"), work()])
    assert slow > 2 * fast


def test_trees_are_walked_to_their_leaves():
    rows = FEATURES.index("rows")
    feature, threshold, value = np.array([rows, -1, -1, -1]), np.array([4.0, 0, 0, 0]), np.array([0, 10.0, 20.0, 0.5])
    left, right = np.array([1, -1, -1, -1]), np.array([2, -1, -1, -1])
    trees = Trees(1.0, np.array([0, 3]), feature, threshold, left, right, value)
    features = np.zeros((3, len(FEATURES)))
    features[:, rows] = 3.0, 4.0, 5.0
    assert trees.predict(features).tolist() == [11.5, 11.5, 21.5]


@pytest.mark.parametrize(("change", "message"), [
    (lambda fields: fields.update(version=2), "expected a model of costs of version 1, got 2"),
    (lambda fields: fields.update(features=["rows"]), "expected the features gemm, .* got .'rows'."),
    (lambda fields: fields.pop("trees"), "expected trees: 'trees'"),
    (lambda fields: fields["trees"].pop("left"), "expected trees: 'left'"),
    (lambda fields: fields["trees"]["value"].pop(), "expected as many features, thresholds, children and values"),
    (lambda fields: fields["trees"]["left"].__setitem__(0, 0), "expected roots, nodes whose children come behind them"),
    (lambda fields: fields["trees"]["roots"].__setitem__(0, -1), "expected roots, nodes"),
    (lambda fields: fields["trees"].update(roots=[]), "expected roots, nodes"),
    (lambda fields: fields["trees"]["value"].__setitem__(1, float("nan")), "expected numbers that are finite"),
    (lambda fields: fields["trees"]["feature"].__setitem__(0, 99), "and features that there are"),
])  # fmt: skip
def test_wrong_files_of_costs(tmp_path, change, message):
    fields = json.loads(costs.SHIPPED.read_text())
    change(fields)
    (tmp_path / "costs.json").write_text(json.dumps(fields))
    with pytest.raises(ValueError, match=message):
        read_trees(tmp_path / "costs.json")


def test_files_of_costs_that_are_no_json(tmp_path):
    for text in ("", "{", "[1]"):
        (tmp_path / "costs.json").write_text(text)
        with pytest.raises(ValueError, match=r"costs.json: expected"):
            read_trees(tmp_path / "costs.json")


def test_shipped_costs():
    trees, about = read_trees(costs.SHIPPED)
    assert costs.SHIPPED.stat().st_size < 1e6 and about["kernels"] > 1000
    found = Costs(MACHINE, trees, 2).seconds([work(), work(name="traverse", inner_rows=1000)])
    assert (found > 0).all() and (found < 1e-2).all()


def test_times_in_turns():
    calls = []
    programs = {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}
    times = measure.time_in_turns(programs, seconds=0, least=5)
    assert calls == ["a", "b", *"abbaabbaab"]
    assert set(times.seconds) == set(times.ratios) == set(times.worst) == {"a", "b"}
    assert times.ratios["a"] == times.worst["a"] == 1


def test_choose():
    model = RGATConv(16, 24, TYPES)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    base = rgnn.Options(schedule={"gemm": {"tile_rows": 96}})  # other schedules are not tried then
    choice = tune.choose(model, *inputs(), seconds=60, most=2, options=base)
    # PyG leaves l2 unset, which may be NaN.
    torch.testing.assert_close(dict(model.state_dict()), before, rtol=0, atol=0, equal_nan=True)
    assert all(parameter.grad is None for parameter in model.parameters())
    first, *others = choice.tried
    assert first.changes == {} and first.measured > 0
    assert all(one.predicted > 0 for one in choice.tried)
    assert {"aggregate_first": False} in [one.changes for one in others]
    assert any(len(one.changes) > 1 for one in others)
    measured = [one for one in others if one.measured is not None]
    assert measured and all(one.ratio > 0 for one in measured)
    assert choice.options == dataclasses.replace(base, **choice.changes)
    if choice.changes:
        assert next(one.ratio for one in others if one.changes == choice.changes) < 0.99
    assert str(choice).splitlines()[-1].startswith("best: ")
    torch.testing.assert_close(rgnn.compile(model, options=choice.options)(*inputs()), model(*inputs()))


def test_choose_within_a_memory_budget():
    model = RGATConv(16, 24, TYPES)
    unlimited = tune.choose(model, *inputs(), seconds=2, most=0)
    first = unlimited.tried[0].bytes
    assert first > 4 * NODES * 24
    with pytest.raises(ValueError, match=f"memory_budget: expected at least [0-9]+ bytes, .* got {first // 100}"):
        tune.choose(model, *inputs(), seconds=6, memory_budget=first // 100)
    # Products of pairs of ends and types take more memory than those of sources and types.
    choice = tune.choose(model, *inputs(), seconds=6, most=0, memory_budget=first - 1)
    chosen, = (one for one in choice.tried if one.changes == choice.changes)
    assert chosen.bytes < first


@pytest.mark.long
def test_schedules_are_tried_upon_the_best_plan():
    with torch.no_grad():
        choice = tune.choose(SAGEConv(16, 8), *inputs(typed=False), seconds=5)
    schedules = [one.changes["schedule"] for one in choice.tried if "schedule" in one.changes]
    assert {"traverse": {"task_rows": 32}} in schedules
    assert len(schedules) <= len(SCHEDULES)


def test_fields_that_are_set_stay():
    options = rgnn.Options(split_sides=False, schedule={"gemm": {"tile_rows": 48}})
    choice = tune.choose(RGATConv(16, 24, TYPES), *inputs(), seconds=2, options=options, most=1)
    assert choice.options.split_sides is False and choice.options.schedule == options.schedule
    assert not any({"split_sides", "schedule"} & set(one.changes) for one in choice.tried)


def test_models_without_compiled_parts():
    class Sums(nn.Module):
        def forward(self, x):
            return x.cumsum(0)

    choice = tune.choose(Sums(), torch.randn(4, 16), seconds=1)
    assert choice.changes == {} and choice.options == rgnn.Options() and choice.tried == []
    assert "in PyTorch: aten.cumsum: no rule for it" in str(choice)
    hooked = SAGEConv(16, 8)
    hooked.register_forward_hook(lambda module, args, result: result)
    assert "it has hooks" in str(tune.choose(hooked, *inputs(typed=False), seconds=1))


def test_options_of_a_compiled_model_are_those_to_begin_with():
    options = rgnn.Options(deterministic=False, compact=False)
    compiled = rgnn.compile(RGATConv(16, 24, TYPES), options=options)
    choice = tune.choose(compiled, *inputs(), seconds=1, most=0)
    assert choice.options.compact is False and choice.options.deterministic is False


def test_errors_of_the_model_are_its_own():
    layer, (x, edge_index) = SAGEConv(16, 8), inputs(typed=False)
    with pytest.raises(TypeError, match="edge_index"):
        tune.choose(layer, x, seconds=1)
    with pytest.raises(Exception, match="mat1 and mat2|shape"):
        tune.choose(layer, x[:, :5], edge_index, seconds=1)


def test_random_numbers_go_on():
    layer = SAGEConv(16, 8)
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    tune.choose(layer, *inputs_without_seed(), seconds=1, most=0)
    assert torch.equal(torch.rand(1), expected)


def inputs_without_seed():
    return torch.linspace(-1, 1, NODES * 16).view(NODES, 16), torch.arange(2 * EDGES).view(2, EDGES) % NODES


def test_bad_arguments_of_choose():
    layer, graph = SAGEConv(16, 8), inputs(typed=False)
    for seconds in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="seconds: expected a positive number, got "):
            tune.choose(layer, *graph, seconds=seconds)
    for name, value in (("seconds", "5"), ("seconds", True), ("most", -1), ("most", "x"), ("memory_budget", "1 GB"),
                        ("options", {"compact": False})):  # fmt: skip
        with pytest.raises(TypeError, match=f"{name}: expected "):
            tune.choose(layer, *graph, **{name: value})
    with pytest.raises(TypeError, match="model: expected a module or function, got 3"):
        tune.choose(3, *graph)
    with pytest.raises(rgnn.CompileError, match="expected a power of two"):
        tune.choose(layer, *graph, seconds=1, options=rgnn.Options(schedule={"gemm": {"vector_width": 3}}))


@pytest.fixture
def command(capsys):
    def run(*arguments):
        code = main(list(map(str, arguments)))
        out, error = capsys.readouterr()
        assert code == bool(error), error
        return out or error

    return run


def test_commands(tmp_path, command):
    samples, out = tmp_path / "samples.jsonl", tmp_path / "costs.json"
    assert "report: expected measurements in" in command("report", "--samples", samples)
    threads = torch.get_num_threads()
    collect = "collect", "--samples", samples, "--seconds", 0.1, "--threads", threads
    assert command(*collect).splitlines()[-1] == f"1 samples in {samples}"
    # A line that was cut off is measured again.
    samples.write_text(samples.read_text() + '{"sample": 1, "ker')
    assert len(list(read_samples(samples))) == 1
    command(*collect)
    assert [sample["sample"] for sample in read_samples(samples)] == [0, 1]
    samples.write_text("".join(json.dumps(measured(number)) + "\n" for number in range(10)))
    assert "learned from" in command("fit", "--samples", samples, "--out", out)
    assert read_trees(out)[1]["samples"] == 10
    assert "| all |" in command("report", "--samples", samples)
    with samples.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert "that another program does" in command(*collect)
    samples.write_text("{}\n")
    assert "samples.jsonl:1: expected a sample of" in command("fit", "--samples", samples)


def test_the_module_is_a_program():
    done = subprocess.run([sys.executable, "-m", "rgnn.tune"], capture_output=True, text=True, check=False)
    for wrong in (["--threads", "0"], ["--seconds", "nan"]):
        with pytest.raises(SystemExit):
            main(["collect", *wrong])
    assert done.returncode == 2 and "python -m rgnn.tune" in done.stderr and "collect|fit|report" in done.stderr


def measured(number):
    sample = random_kernels(10, seed=1)[number]
    kernels = [[*one, seconds] for one, seconds in zip(sample["works"], sample["seconds"])]
    return {"sample": number, "threads": 2, "machine": dataclasses.asdict(MACHINE), "kernels": kernels}


def test_samples_are_the_same_everywhere():
    one, other = measure_sample(1), measure_sample(1)
    assert [kernel[:-1] for kernel in one["kernels"]] == [kernel[:-1] for kernel in other["kernels"]]
    assert one["kernels"] and {key: one[key] for key in ("layer", "nodes", "edges", "types")} == {
        key: other[key] for key in ("layer", "nodes", "edges", "types")}  # fmt: skip

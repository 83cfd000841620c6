"""rgnn.tune.schedules: spaces of schedules and layouts, what code of them computes, and what is collected."""

import dataclasses
import functools
import json
import math
import types

import numpy as np
import pytest
import torch
from _rgnn import run_pipeline
from rgnn.tune.__main__ import main
from rgnn.tune.graphs import GraphSpec
from rgnn.tune.rank import tpugraphs
from rgnn.tune.rank.inputs import Inputs, settings_for
from rgnn.tune.schedules import collect, features, fields, ir, lower, modules, search, timing
from rgnn.tune.schedules.space import Space

GRAPH = GraphSpec("n60-e300-s2-t2")
SMALL = GraphSpec("n20-e50-s1-t1")


@pytest.fixture(scope="module")
def module():
    """Makes modules of layers, captured once: ``module(name, collection, dtype)`` with its inputs on the graph."""
    made = {}

    def make(name, collection="schedule", dtype=torch.float64):
        if (name, dtype) not in made:
            made[name, dtype] = next(modules.cases(name, [GRAPH], dtype))
        case = made[name, dtype]
        return lower.Module(name, case.text, collection), case

    return make


@pytest.mark.parametrize("name", ["rgcn-32-32.backward", "rgat-32-32.inference", "gatv2-32-32.backward"])
def test_own_is_what_the_compiler_makes(module, name):
    one, case = module(name)
    assert one.own.text == run_pipeline(case.text, "rgnn-to-buffers")


@pytest.mark.parametrize("kind, kernels", [("gemm", ("gemm", "outer_sum")), ("traverse", ("traverse",))])
def test_fields_are_those_of_the_attributes(kind, kernels):
    pipeline = f"func.func(hetkernel-set-schedule{{{kind}=nothing:1}})"
    with pytest.raises(ValueError, match="expected fields of a") as error:
        run_pipeline("func.func @forward() { return }", pipeline)
    listed = str(error.value).partition("(")[2].partition(")")[0].split(", ")
    for kernel in kernels:
        assert {field.name for field in fields.FIELDS if kernel in field.kinds} == set(listed)


def test_variants_are_left_out(module):
    # Of a GCN's orders there are two; what is configured is the first one.
    one, case = module("gcn-32-32.inference")
    assert "@forward_1" in run_pipeline(case.text, "rgnn-to-hetkernel")
    assert "forward_1" not in one.own.text
    assert "variants" not in one.space.function.manifest


@pytest.mark.parametrize("name", ["rgcn-32-32.inference", "sage-32-32.backward", "rgat-within-32-32.inference"])
def test_schedules_are_those_that_are_asked_for(module, name):
    one, _ = module(name)
    for configuration in search.propose("uniform", one.space, {}, 8, [1]):
        asked = one.space.schedules(configuration)
        text = one.space.function.with_schedules(asked)
        read = ir.read(text)
        assert [fields.schedule_of(kernel) for kernel in read.kernels] == asked
        for kernel, schedule in zip(read.kernels, asked):
            if kernel.tiles >= 0:  # a kernel without them has no view
                assert f"%arg{kernel.tiles}: tensor<?x3xi32> {{rgnn.tile_rows = {schedule['tile_rows']} " in text
    rows = {view["param"] for view in read.manifest["views"] if view["kind"].endswith("tiles")}
    assert rows == {schedule["tile_rows"] for kernel, schedule in zip(read.kernels, asked) if kernel.tiles >= 0}


def test_refused_configurations_are_left_out(module):
    one, _ = module("rgcn-32-32.inference")
    space = one.space

    def with_values(**values):
        return tuple(dimension.values.index(values[dimension.name]) if dimension.name in values else dimension.own
                     for dimension in space.dimensions)  # fmt: skip

    with pytest.raises(lower.RefusedError, match=r"blocks of at most 64 vectors, got \d+ and 12 x 8"):
        one.lower(with_values(block_rows=12, block_vectors=8))
    refused = with_values(block_rows=12, block_vectors=8)
    assert not space.is_legal(refused)
    assert space.is_legal(space.own)
    for strategy in search.STRATEGIES:
        for configuration in search.propose(strategy, space, {}, 20, [0]):
            one.lower(configuration)


@pytest.mark.parametrize("name", ["rgat-32-32.inference", "rgcn-32-32.training", "rgcn-sum-32-32.backward",
                                  "sage-maximum-32-32.backward", "gatv2-32-32.backward"])  # fmt: skip
@pytest.mark.parametrize("collection", ["schedule", "layout"])
def test_values_are_those_of_the_default(module, name, collection):
    one, case = module(name, collection)
    expected = one.compile(one.own).run(case.tensors)
    assert any(result.abs().max() > 0 for result in expected)
    for configuration in search.propose("uniform", one.space, {}, 5, [0]):
        found = one.compile(one.lower(configuration)).run(case.tensors)
        for result, wanted in zip(found, expected, strict=True):
            assert torch.allclose(result, wanted, rtol=1e-10, atol=1e-10), configuration


def test_few_configurations_are_listed(module):
    assert len(module("sum-32-32.inference")[0].space) == 1008
    space = module("rgat-32-32.inference", "layout")[0].space
    assert len(space) == math.prod(map(len, fields.LAYOUTS.values())) == 15
    found = search.propose("uniform", space, {}, 100, [0])
    assert found[0] == space.own
    assert sorted(found) == sorted(space.all())
    rest = search.propose("uniform", space, dict.fromkeys(found[:4], 1.0), 100, [0])
    assert sorted(rest) == sorted(found[4:])


@pytest.mark.parametrize("strategy", search.STRATEGIES)
def test_proposals_are_new_and_repeatable(module, strategy):
    space = module("rgcn-32-32.inference")[0].space
    first = search.propose(strategy, space, {}, 20, [3])
    assert len(set(first)) == 20
    assert first[0] == space.own
    tried = {one: 1.0 + number for number, one in enumerate(first)} | {first[5]: math.inf}
    more = search.propose(strategy, space, tried, 20, [3])
    assert not set(more) & set(first)
    assert more == search.propose(strategy, space, dict(reversed(tried.items())), 20, [3])


def test_search_comes_near_the_best(module):
    space = module("rgcn-32-32.inference")[0].space
    target = space.draw(np.random.default_rng(5))

    def cost(configuration):
        return float(sum(one != other for one, other in zip(configuration, target)))

    least, all_of = {}, {}
    for strategy in search.STRATEGIES:
        tried = {}
        for _ in range(30):
            tried |= {one: cost(one) for one in search.propose(strategy, space, tried, 16, [0])}
        least[strategy], all_of[strategy] = min(tried.values()), np.median(list(tried.values()))
    assert least["search"] <= least["uniform"] - 8
    assert all_of["search"] <= all_of["uniform"] - 8


def test_times_are_robust():
    now, calls = [0.0], [0]

    def program(seconds):
        def run():
            calls[0] += 1
            # Every fifth call is slow, and so are the first 36: two parts of five.
            now[0] += seconds * (3 if calls[0] % 5 == 0 or calls[0] <= 36 else 1)
        return run

    found = timing.measure([program(1.0), program(2.0)], parts=5, turns=8, least=1e-4, enough=1e3, clock=lambda: now[0])
    assert found.seconds.tolist() == [1.0, 2.0]
    assert found.noise.tolist() == [2.0, 2.0]


def test_what_takes_long_has_fewer_turns():
    now, calls = [0.0], {1.0: 0, 4.0: 0, 32.0: 0}

    def program(seconds):
        def run():
            calls[seconds] += 1
            now[0] += seconds
        return run

    found = timing.measure([program(one) for one in calls], parts=3, turns=5, least=2.0, enough=16.0,
                           clock=lambda: now[0])  # fmt: skip
    assert found.seconds.tolist() == list(calls)
    # Two to know how long they take, or one where that was enough; then three parts.
    assert calls == {1.0: 2 + 3 * 5 * 2, 4.0: 2 + 3 * 4, 32.0: 1 + 3}


def test_features(module):
    one, case = module("rgcn-32-32.backward", dtype=torch.float32)
    space = one.space
    works = features.Works(space.function.manifest, case.tensors)
    numbers = features.numbers_of(space, works, GRAPH, features.measure_processor(1))
    nodes = len(space.function.ops)
    assert numbers.shape == (nodes, len(features.NUMBERS))
    assert np.isfinite(numbers).all()
    column = {name: numbers[:, place] for place, name in enumerate(features.NUMBERS)}
    assert set(column["nodes"]) == {np.float32(math.log2(61))}
    kernels = [kernel.op for kernel in space.function.kernels]
    assert (column["bytes_read"][kernels] > 0).all()
    assert (column["bytes_read"] > 0).sum() == len(kernels)
    kinds, edges = features.kinds_of(space), features.edges_of(space)
    assert {features.OPS[kind] for kind in kinds[kernels]} == {"hetkernel.gemm", "hetkernel.outer_sum",
                                                               "hetkernel.traverse"}  # fmt: skip
    assert (kinds > 0).all()  # each is one that is known
    assert (edges >= 0).all() and (edges < nodes).all() and (edges[0] != edges[1]).all()
    schemes = features.schemes_of(space)
    assert (schemes[kernels] >= 0).all()
    assert (np.delete(schemes, kernels, axis=0) == -1).all()
    assert {0, 1} <= set(schemes[kernels][:, features.SCHEMES.index("tiles")])
    targets = torch.bincount(GRAPH.edges[0][1], minlength=60).double()
    assert math.isclose(column["in_spread"][0], targets.std(correction=0) / targets.mean(), rel_tol=1e-6)
    assert set(column["in_most"]) == {np.float32(math.log2(1 + targets.max()))}


def plan(folder, **changes):
    given = {"modules": ("sage-32-32.inference", "gat-32-32.inference"), "graphs": (SMALL, GRAPH),
             "configurations": 4, "threads": 1, "jobs": 2}  # fmt: skip
    return collect.Plan(folder, **given | changes)


@functools.cache
def captured(*arguments):
    return list(modules.cases(*arguments))


@pytest.fixture
def fake_times(monkeypatch):
    """Times that are the same in each run, in batches of two, of modules that are captured once; returns what counts
    the measurements, ``done``, and interrupts the one before which as many are done as ``stop`` says."""
    count = types.SimpleNamespace(done=0, stop=None)

    def measure(programs, clock):
        if count.done == count.stop:
            raise KeyboardInterrupt
        for program in programs:
            program()
        count.done += 1
        seconds = np.arange(1.0, len(programs) + 1)
        return timing.Times(seconds, np.full(len(programs), 0.01))

    monkeypatch.setattr(collect, "measure", measure)
    monkeypatch.setattr(collect, "BATCH", 2)
    monkeypatch.setattr(collect, "cases", captured)
    return count


def read_all(folder):
    return {str(path.relative_to(folder)): np.load(path) for path in sorted(folder.rglob("*.npz"))}


def test_collection_is_gone_on_with(tmp_path, fake_times):
    collect.collect(plan(tmp_path / "whole"))
    whole = read_all(tmp_path / "whole")
    assert list(whole) == [f"schedule-uniform/{graph.name}/{name}.npz" for graph in (SMALL, GRAPH)
                           for name in ("gat-32-32.inference", "sage-32-32.inference")]  # fmt: skip
    fake_times.done, fake_times.stop = 0, 3  # two graphs, so that it is in the second batch of the first module
    with pytest.raises(KeyboardInterrupt):
        collect.collect(plan(tmp_path / "parts"))
    journal = tmp_path / "parts/journal/schedule-uniform/sage-32-32.inference.jsonl"
    with journal.open("a") as file:
        file.write('{"configuration": [0, 1')  # cut off
    assert not read_all(tmp_path / "parts")
    fake_times.stop = None
    with pytest.raises(ValueError, match="--resume to go on"):
        collect.collect(plan(tmp_path / "parts"))
    found = collect.collect(plan(tmp_path / "parts", resume=True))
    assert (found.done, found.configurations) == (2, 6)
    parts = read_all(tmp_path / "parts")
    assert list(parts) == list(whole)
    for name, arrays in whole.items():
        assert np.array_equal(parts[name]["node_config_feat"], arrays["node_config_feat"])
        assert np.array_equal(parts[name]["config_runtime"], arrays["config_runtime"])
    # Nothing is left to do; with more configurations there is.
    assert collect.collect(plan(tmp_path / "parts", resume=True)).files == []
    more = collect.collect(plan(tmp_path / "parts", resume=True, configurations=5))
    assert (more.configurations, len(more.files)) == (2, 4)


def test_time_is_limited(tmp_path, fake_times):
    found = collect.collect(plan(tmp_path, seconds=1e-9))
    assert (found.done, found.files) == (0, [])


def test_files_are_read_by_the_ranker(tmp_path):
    found = collect.collect(plan(tmp_path, strategy="search"))
    assert (found.done, found.configurations, len(found.files)) == (2, 8, 4)
    read = list(tpugraphs.read_all([tmp_path / "schedule-search"]))
    assert [one.name for one in read] == 2 * ["gat-32-32.inference", "sage-32-32.inference"]
    for one in read:
        assert one.configurations.fields == len(fields.COLUMNS)
        assert len(one.configurations) == 4
        assert (one.times > 1e3).all() and (one.times < 1e9).all()  # nanoseconds
    settings = settings_for(read)
    assert settings.ops <= len(features.OPS)
    scores = Inputs(read[0], settings).at(np.arange(3))
    assert all(torch.isfinite(tensor).all() for tensor in scores)
    file = np.load(found.files[0])
    about = json.loads(str(file["about"]))
    assert (about["graph"], about["strategy"], about["columns"]) == (SMALL.name, "search", list(fields.COLUMNS))
    assert file["config_noise"].shape == (4,)
    # The chain ends with a ranker.
    ranker = tmp_path / "ranker"
    options = ["--width", "16", "--epochs", "2", "--folds", "2", "--trained", "1", "--best", "1", "--eager"]
    assert main(["rank", "train", str(tmp_path / "schedule-search"), "--out", str(ranker), *options]) == 0
    assert main(["rank", "evaluate", str(ranker), str(found.files[1]), "--eager"]) == 0


def test_configurations_of_the_same_code_are_one(tmp_path, fake_times):
    # Padding changes nothing where widths are multiples of it.
    collect.collect(plan(tmp_path, collection="layout", modules=("gat-32-32.inference",), configurations=15))
    entries = [json.loads(line) for line in (tmp_path / "journal/layout-uniform/gat-32-32.inference.jsonl").open()][1:]
    assert len(entries) == 15
    read = next(tpugraphs.read_all([tmp_path / "layout-uniform"], deduplicate=False))
    assert len(read.times) == len({entry["key"] for entry in entries}) < 15


def test_other_measurements_are_refused(tmp_path, fake_times):
    collect.collect(plan(tmp_path, modules=("sage-32-32.inference",), configurations=1))
    with pytest.raises(ValueError, match=r"graphs: expected \['n20-.*'\], as it was before, got \['n60-"):
        collect.collect(plan(tmp_path, graphs=(GRAPH,), resume=True))
    journal = tmp_path / "journal/schedule-uniform/sage-32-32.inference.jsonl"
    head, *rest = journal.read_text().splitlines()
    journal.write_text("\n".join([head.replace('"rules": "', '"rules": "0'), *rest]) + "\n")
    with pytest.raises(ValueError, match="rules: expected what is measured now"):
        collect.collect(plan(tmp_path, modules=("sage-32-32.inference",), resume=True))
    journal.write_text(head + "\nnothing\n")
    with pytest.raises(ValueError, match="expected measurements of python -m rgnn.tune schedules"):
        collect.collect(plan(tmp_path, modules=("sage-32-32.inference",), resume=True))


@pytest.mark.parametrize("options, message", [
    (["--modules", "rgcm-*"], "modules: expected names such as gcn-32-32.inference, .* got 'rgcm-\\*'"),
    (["--graphs", "aifb"], "graph: expected a name such as n4096-e32768-s2-t3, got 'aifb'"),
    (["--configs", "0"], "configurations: expected a positive number, got 0"),
    (["--time-limit", "-1"], "seconds: expected a positive number, got -1.0"),
    (["--threads", "0"], "threads: expected a positive number, got 0"),
])  # fmt: skip
def test_wrong_options(tmp_path, capsys, options, message):
    assert main(["schedules", "--out", str(tmp_path / "new"), *options]) == 1
    error = capsys.readouterr().err
    pytest.raises(ValueError, exec, f"raise ValueError({error!r})").match(message)
    assert not (tmp_path / "new").exists()


def test_names(capsys):
    assert main(["schedules", "--list", "--modules", "rgcn-64-64.*", "gat-16-128.backward"]) == 0
    assert capsys.readouterr().out.split() == ["gat-16-128.backward", "rgcn-64-64.inference", "rgcn-64-64.training",
                                               "rgcn-64-64.backward"]  # fmt: skip
    assert len(modules.names()) >= 60
    with pytest.raises(ValueError, match="collection: expected schedule or layout, got 'tile'"):
        Space(ir.Function([], {"kernels": []}, 0), "tile")
    with pytest.raises(ValueError, match="expected no schedule and no layout"):
        lower.Module("name", "", options=dataclasses.replace(lower.Options(), layout={"padding": 8}))

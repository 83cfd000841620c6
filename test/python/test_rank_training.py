"""rgnn.tune.rank: training, trained rankers and their files, and python -m rgnn.tune rank."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from rgnn.tune.__main__ import main
from rgnn.tune.rank import tpugraphs
from rgnn.tune.rank.evaluate import evaluate, table
from rgnn.tune.rank.graphs import ModuleConfigurations, ModuleGraph, NodeConfigurations
from rgnn.tune.rank.inputs import Inputs, settings_for
from rgnn.tune.rank.network import Network
from rgnn.tune.rank.prepare import spread
from rgnn.tune.rank.ranker import Ranker
from rgnn.tune.rank.recipe import PRESETS, Recipe, make_optimiser, rate_at, split_folds
from rgnn.tune.rank.train import quality_of, train, train_network

OPS = 4


def layout_module(number, configurations=40):
    """A module whose configurable nodes take longer the further the first field is from what suits their kind, and
    where the second field is not that of the node before."""
    draw = np.random.default_rng(number)
    nodes = int(draw.integers(8, 15))
    ops, configurable = draw.integers(OPS, size=nodes), np.flatnonzero(draw.random(nodes) < 0.5)
    configurable = configurable if len(configurable) else np.array([0])
    features = draw.integers(-1, 6, (configurations, len(configurable), 6))
    misfits = np.abs(features[..., 0] - ops[configurable]).sum(1)
    changes = (np.diff(features[..., 1], axis=1) != 0).sum(1)
    return ModuleGraph(
        name=f"module{number}", numbers=draw.normal(size=(nodes, 3)).astype(np.float32),
        layouts=np.full((nodes, 6), -1), ops=ops, edges=np.stack([np.arange(nodes - 1), np.arange(1, nodes)]),
        configurable=configurable, configurations=NodeConfigurations.of(features),
        times=100.0 + 10 * misfits + changes)  # fmt: skip


def tile_module(number, configurations=40):
    """A module each of whose configurations takes longer the further it is from what suits its nodes on average."""
    module, draw = layout_module(number), np.random.default_rng([number, 1])
    vectors = draw.normal(size=(configurations, 2)).astype(np.float32)
    best = module.ops.mean() - 1.5
    return dataclasses.replace(
        module, configurable=np.empty(0, np.int64), configurations=ModuleConfigurations(vectors),
        times=2 * (1 + np.abs(vectors[:, 0] - best)), normalisers=np.full(configurations, 2.0))  # fmt: skip


MODULES = {"layout": [layout_module(number) for number in range(24)],
           "tile": [tile_module(number) for number in range(24)]}  # fmt: skip
QUICK = {"layout": Recipe(epochs=20, configurations=16, rate=3e-3, folds=4, trained=2, best=1),
         "tile": Recipe(epochs=15, configurations=40, rate=3e-3, folds=4, trained=1, best=1)}  # fmt: skip


def small_ranker(kind="layout", count=2, **options):
    torch.manual_seed(0)
    settings = settings_for(MODULES[kind], width=16)
    return Ranker([Network(settings) for _ in range(count)], {"modules": 24}, **{"compiled": False} | options)


# ---- what networks are given -----------------------------------------------------------------------------------------


def test_inputs():
    module = layout_module(3)
    inputs = Inputs(module, settings_for([module]))
    which = np.array([5, 0, 7])
    numbers, layouts, ops, features, edge_index, node_of, configuration_of = inputs.at(which)
    nodes = len(ops)
    assert torch.equal(numbers, torch.from_numpy(inputs.module.numbers)) and layouts.dtype == torch.int64
    assert np.array_equal(features.view(3, nodes, 6), spread(inputs.module)[which])
    assert torch.equal(node_of.view(3, nodes), torch.arange(nodes).expand(3, -1))
    assert torch.equal(configuration_of.view(3, nodes)[:, 0], torch.arange(3))
    # Both ends are neighbours of each other, in each copy of the graph.
    copies = edge_index.view(2, 3, -1)
    kept = {tuple(edge) for edge in inputs.module.edges.T.tolist()}
    for copy in range(3):
        assert {tuple(edge) for edge in (copies[:, copy] - copy * nodes).T.tolist()} == kept | {(b, a) for a, b in kept}
    assert torch.equal(inputs.times, torch.from_numpy(module.times))
    assert inputs.at(which)[4] is edge_index  # so that what RGNN makes of it is kept


def test_flags_of_inputs():
    module = layout_module(3)
    whole = Inputs(module, settings_for([module], prune=False, both_directions=False))
    assert len(whole.numbers) == len(module.ops) > len(Inputs(module, settings_for([module])).numbers)
    assert np.array_equal(whole.at(np.array([0]))[4], module.edges)


def test_inputs_of_tiles():
    module = tile_module(3)
    inputs = Inputs(module, settings_for([module]))
    *_, vectors, edge_index, node_of, configuration_of, module_of = inputs.at(np.array([4, 2]))
    assert np.array_equal(vectors, module.configurations.vectors[[4, 2]])
    assert edge_index.max() < len(module.ops) and node_of.tolist() == list(range(len(module.ops)))
    assert not configuration_of.any() and module_of.tolist() == [0, 0]


def changed(module, **changes):
    return dataclasses.replace(module, **changes)


MODULE = layout_module(0)
MISFITS = {
    "kind": (tile_module(0), "module0: kind: expected layout, got tile"),
    "numbers": (changed(MODULE, numbers=MODULE.numbers[:, :2]), "module0: numbers: expected 3, got 2"),
    "fields": (changed(MODULE, configurations=NodeConfigurations.of(np.zeros((2, len(MODULE.configurable), 5)))),
               "module0: fields: expected 6, got 5"),
    "nodes": (changed(MODULE, ops=MODULE.ops[:0]), "module0: expected nodes, got none"),
    "ops": (changed(MODULE, ops=MODULE.ops + 3), "module0: expected kinds of nodes below 4, got"),
    "layouts": (changed(MODULE, layouts=MODULE.layouts + 7), "module0: expected layouts of at most 5, got 6"),
    "value": (changed(MODULE, configurations=NodeConfigurations.of(np.full((2, len(MODULE.configurable), 6), 9))),
              "module0: expected configurations of at most 5, got 9"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISFITS)
def test_modules_that_do_not_fit(name):
    module, message = MISFITS[name]
    with pytest.raises(ValueError, match=message):
        small_ranker().scores(module)


def test_settings_of_modules():
    assert settings_for(MODULES["layout"]).categories == 7
    larger = changed(MODULE, configurations=NodeConfigurations.of(np.full((2, len(MODULE.configurable), 6), 9)))
    assert settings_for([MODULE, larger]).categories == 11
    with pytest.raises(ValueError, match="expected modules to be trained on, got none"):
        settings_for([])
    with pytest.raises(ValueError, match="kind: expected layout, got tile"):
        settings_for([layout_module(0), tile_module(1)])


# ---- how they are trained --------------------------------------------------------------------------------------------


def test_rates():
    """Ten of two hundred steps rise; half-way through the others the rate is half of the highest."""
    rates = [rate_at(step, 200, 0.05) for step in range(201)]
    assert rates[:10] == pytest.approx([(step + 1) / 11 for step in range(10)])
    assert rates[10] == 1 == max(rates)
    assert rates[105] == pytest.approx(0.5) and rates[200] == pytest.approx(0)
    assert rate_at(0, 1, 0.0) == 1


def test_decay():
    network = small_ranker().networks[0]
    weights, biases = make_optimiser(network, Recipe()).param_groups
    assert (weights["weight_decay"], biases["weight_decay"], weights["lr"]) == (1e-5, 0, 1e-3)
    named = {id(parameter): name for name, parameter in network.named_parameters()}
    assert {named[id(one)].endswith("bias") for one in biases["params"]} == {True}
    assert len(weights["params"]) + len(biases["params"]) == len(named)


def test_folds():
    modules = [*MODULES["layout"], layout_module(5, 3)]  # two of one name
    folds = split_folds(modules, 5, seed=0)
    assert sorted(len({module.name for module in fold}) for fold in folds) == [4, 5, 5, 5, 5]
    assert sum(map(len, folds)) == 25
    homes = {module.name: number for number, fold in enumerate(folds) for module in fold}
    assert all(homes[module.name] == number for number, fold in enumerate(folds) for module in fold)
    assert split_folds(modules, 5, seed=1) != folds
    with pytest.raises(ValueError, match="expected at least 25 modules for 25 folds, got 24"):
        split_folds(modules, 25, seed=0)


@pytest.mark.parametrize("field, value, message", [
    ("epochs", 0, "epochs: expected a positive number, got 0"), ("warm_up", 1, "warm_up: expected a number from 0"),
    ("best", 6, "expected best <= trained <= folds and at least 2 folds, got 6, 5 and 20"),
    ("loss", "mse", "loss: expected one of hinge, squared, got mse"),
])  # fmt: skip
def test_wrong_recipes(field, value, message):
    with pytest.raises(ValueError, match=message):
        Recipe(**{field: value})


def test_presets():
    assert {name: (one.epochs, one.configurations) for name, one in PRESETS.items()} == {
        "layout-xla-random": (750, 128), "layout-xla-default": (750, 64), "layout-nlp-random": (1000, 128),
        "layout-nlp-default": (1000, 64), "tile-xla": (17.5, 64)}  # fmt: skip


@pytest.mark.parametrize("kind", ["layout", "tile"])
def test_learning(kind):
    """Held-out modules are ranked better than by chance, which is 0, and the best network is kept."""
    ranker, folds = train(MODULES[kind], QUICK[kind], compiled=False, width=32)
    assert len(folds) == QUICK[kind].trained and len(ranker.networks) == 1
    assert ranker.about["qualities"] == [max(fold.quality for fold in folds)]
    steps = QUICK[kind].epochs * 18
    for fold in folds:
        assert len(fold.losses) == steps
        assert list(fold.qualities) == [steps * check // 10 for check in range(1, 11)]
    make = layout_module if kind == "layout" else tile_module
    found = evaluate(ranker, [make(number) for number in range(100, 106)], permutations=2, batch=32)
    assert np.mean([one.tau for one in found]) > 0.3
    assert np.mean([one.tile_score for one in found]) > 0.9


@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_seeds(loss):
    recipe, settings = Recipe(epochs=1, configurations=8, loss=loss, seed=3), settings_for(MODULES["layout"], width=16)

    def states(recipe, number=0):
        fold = train_network(MODULES["layout"][:5], MODULES["layout"][5:7], settings, recipe, number, compiled=False)
        assert len(fold.losses) == 5 and all(map(math.isfinite, fold.losses))
        return fold.network.state_dict()

    first, same = states(recipe), states(recipe)
    assert all(torch.equal(first[name], same[name]) for name in first)
    for other in (states(dataclasses.replace(recipe, seed=4)), states(recipe, 1)):
        assert not torch.equal(first["f_out.weight"], other["f_out.weight"])


def test_compiled_training():
    recipe, settings = Recipe(epochs=2, configurations=16), settings_for(MODULES["layout"][:4], width=16, blocks=1)
    got, expected = [train_network(MODULES["layout"][:4], MODULES["layout"][4:5], settings, recipe, compiled=compiled)
                     for compiled in (True, False)]  # fmt: skip
    assert got.losses == pytest.approx(expected.losses, rel=1e-3)
    assert list(got.qualities) == list(expected.qualities) == list(range(1, 9))
    scores = [Ranker([fold.network], compiled=False).scores(MODULE) for fold in (got, expected)]
    assert np.allclose(*scores, rtol=1e-2, atol=1e-3)


def test_networks_that_are_lost():
    ranker = small_ranker()
    assert -1 < quality_of(ranker, MODULES["layout"][:2]) < 1
    assert quality_of(ranker, []) == -math.inf
    with torch.no_grad():
        ranker.networks[0].f_out.bias.fill_(math.nan)
    assert quality_of(ranker, MODULES["layout"][:2]) == -math.inf
    with pytest.raises(ValueError, match="expected a network whose scores are finite, got none of 1"):
        train(MODULES["layout"][:2], Recipe(epochs=1, rate=1e30, folds=2, trained=1, best=1), compiled=False, width=16)


# ---- trained rankers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["layout", "tile"])
def test_scores(kind):
    """The mean of networks and of orders, each in batches of as many configurations."""
    ranker, module = small_ranker(kind), MODULES[kind][0]
    inputs, orders = Inputs(module, ranker.settings), np.random.default_rng(7)
    seen = {number: [] for number in range(40)}
    with torch.no_grad():
        for _ in range(2):
            order = orders.permutation(40)
            for part in (order[:16], order[16:32], order[24:]):
                for network in ranker.networks:
                    for number, score in zip(part, network(*inputs.at(part)).tolist()):
                        seen[number].append(score)
    scores = ranker.scores(module, permutations=2, batch=16, seed=7)
    assert scores.dtype == np.float64
    assert np.allclose(scores, [np.mean(seen[number]) for number in range(40)], rtol=1e-5)


def test_scores_of_one_batch():
    """All configurations at once: the order changes nothing."""
    ranker, module = small_ranker(), MODULES["layout"][0]
    scores = [ranker.scores(module, permutations=1, seed=seed) for seed in range(2)]
    assert np.allclose(*scores, rtol=1e-4, atol=1e-6)
    for name in ("permutations", "batch"):
        with pytest.raises(ValueError, match=f"{name}: expected a positive number, got 0"):
            ranker.scores(module, **{name: 0})


@pytest.mark.parametrize("kind", ["layout", "tile"])
def test_saved_rankers(tmp_path, kind):
    ranker, module = small_ranker(kind), MODULES[kind][0]
    ranker.save(tmp_path / "ranker")
    loaded = Ranker.load(tmp_path / "ranker", compiled=False)
    assert (loaded.settings, loaded.about) == (ranker.settings, {"modules": 24})
    assert np.array_equal(loaded.scores(module), ranker.scores(module))


def test_files_that_are_no_rankers(tmp_path):
    path = tmp_path / "ranker"
    saved = {"version": 1, "settings": dataclasses.asdict(small_ranker().settings), "networks": [], "about": {}}
    for content in (b"", b"text", {"version": 1}, saved, saved | {"networks": [{}]}, saved | {"settings": {}}):
        path.write_bytes(content) if isinstance(content, bytes) else torch.save(content, path)
        with pytest.raises(ValueError, match="ranker: expected a file of python -m rgnn.tune rank train: "):
            Ranker.load(path)
    torch.save({"version": 9}, path)
    with pytest.raises(ValueError, match="ranker: expected version 1, got 9"):
        Ranker.load(path)


def test_table():
    found = evaluate(small_ranker(), MODULES["layout"][:2], permutations=1)
    assert [(one.name, one.configurations) for one in found] == [("module0", 40), ("module1", 40)]
    found = [dataclasses.replace(found[0], tau=0.5, tau_batches=0.25, tile_score=1.0, regret=0.0),
             dataclasses.replace(found[1], tau=1.0, tau_batches=0.75, tile_score=0.5, regret=0.21)]  # fmt: skip
    assert table(found).split("\n")[2:] == [
        "| module0 | 40 | 0.5000 | 0.2500 | 1.0000 | 0.0% |", "| module1 | 40 | 1.0000 | 0.7500 | 0.5000 | 21.0% |",
        "| all | 80 | 0.7500 | 0.5000 | 0.7500 | 10.0% |"]  # fmt: skip


# ---- python -m rgnn.tune rank ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["layout", "tile"])
def test_command(tmp_path, capsys, kind):
    for module in MODULES[kind][:4]:
        tpugraphs.write(tmp_path / f"{module.name}.npz", module)
    ranker = str(tmp_path / "out" / "ranker")
    train = [str(tmp_path), "--out", ranker, "--folds", "4", "--trained", "2", "--best", "1", "--epochs", "0.7"]
    train += ["--width", "16", "--no-prune", "--loss", "squared", "--plot", str(tmp_path / "plot.svg")]
    assert main(["rank", "train", *train, "--eager"]) == 0
    assert "<svg" in (tmp_path / "plot.svg").read_text()
    shown = capsys.readouterr()
    assert f"the best 1 of 2 networks, of 4 modules: {ranker}" in shown.out
    assert "fold 2 of 2: 100%" in shown.err and "2/2" in shown.err
    settings = Ranker.load(ranker, compiled=False).settings
    assert (settings.kind, settings.width, settings.prune, settings.self_attention) == (kind, 16, False, True)
    assert Ranker.load(ranker, compiled=False).about["recipe"]["loss"] == "squared"
    assert main(["rank", "evaluate", ranker, str(tmp_path), "--permutations", "1", "--eager"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[:2] for line in lines[2:]] == [
        *(["| module" + str(number), "40"] for number in range(4)), ["| all", "160"]]  # fmt: skip


def test_what_the_command_refuses(tmp_path, capsys):
    assert main(["rank", "train", str(tmp_path), "--out", str(tmp_path / "ranker")]) == 1
    assert capsys.readouterr().err == f"python -m rgnn.tune rank: expected .npz files, got none in {tmp_path}\n"
    tpugraphs.write(tmp_path / "one.npz", MODULE)
    assert main(["rank", "train", str(tmp_path), "--out", str(tmp_path / "ranker")]) == 1
    assert "expected at least 20 modules for 20 folds, got 1" in capsys.readouterr().err
    assert main(["rank", "evaluate", str(tmp_path / "ranker"), str(tmp_path)]) == 1
    assert "No such file" in capsys.readouterr().err

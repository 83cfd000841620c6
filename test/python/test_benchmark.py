"""The benchmark compares what computes the same: gradients of its peers against its reference, on generated graphs."""

import csv
import pathlib
import subprocess
import sys

import pytest
import torch

BENCHMARK = pathlib.Path(__file__).resolve().parents[2] / "benchmark"
sys.path.insert(0, str(BENCHMARK))

pyg_peer = pytest.importorskip("peers.pyg_peer")
import worker  # noqa: E402
from peers import make  # noqa: E402
from peers.problem import Problem  # noqa: E402

MODELS = ("rgcn", "rgat", "hgt")


@pytest.fixture(scope="module")
def problems():
    result = {}
    for model in MODELS:
        problem = Problem(model, "synthetic:aifb:0.05", width=16)
        result[model] = problem, pyg_peer.reference_gradients(problem)
    return result


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", ["rgnn", "rgnn-unrewritten", "pyg", "plain", "plain-compact"])
@pytest.mark.parametrize("model", MODELS)
def test_gradients(problems, model, name):
    problem, wanted = problems[model]
    peer = make(name, problem, training=True)
    for graph in (problem.graph, problem.fresh_graph()):  # the second step does not add to the first
        peer.step(peer.prepare(peer.inputs(graph)))
        _, relative = worker.compare_gradients(peer.parameters(), wanted)
        assert relative <= (1e-4 if model == "hgt" else 1e-5)  # HGT's priors: single numbers that nearly cancel


@pytest.mark.parametrize("model", MODELS)
def test_reference_in_pieces(problems, model, monkeypatch):
    """The way that saves memory gives the gradients of the whole graph."""
    problem, wanted = problems[model]
    if model == "hgt":
        layer = problem.module().double()
        problem.loss(pyg_peer.hgt_with_split_sources(problem, layer, problem.x.double())).backward()
        found = {name: value.grad for name, value in layer.named_parameters() if value.grad is not None}
    else:
        monkeypatch.setattr(pyg_peer, "_CHUNK", 100)
        found = pyg_peer.reference_gradients(problem)
    assert found.keys() >= {name for name, value in wanted.items() if value.abs().max() > worker.ROUNDING}
    for name, value in found.items():
        torch.testing.assert_close(value, wanted.get(name, torch.zeros_like(value)), rtol=0, atol=1e-12)


def test_wrong_gradients_are_seen(problems):
    problem, wanted = problems["rgcn"]
    peer = make("plain", problem, training=True)
    peer.step(peer.prepare(peer.inputs(problem.graph)))
    peer.module.bias.grad *= 1.01
    assert worker.compare_gradients(peer.parameters(), wanted)[1] == pytest.approx(0.01, rel=1e-3)
    peer.module.bias.grad = None
    assert worker.compare_gradients(peer.parameters(), wanted)[1] == 1
    peer.module.bias.grad = torch.full_like(peer.module.bias, float("nan"))
    with pytest.raises(RuntimeError, match="wrong gradient of bias"):
        worker.compare_gradients(peer.parameters(), wanted)


@pytest.mark.long
def test_training_mode(tmp_path):
    path = tmp_path / "training.csv"
    options = "--training --datasets synthetic:aifb:0.02 --models rgcn --peers plain,plain-compact --width 8"
    command = [sys.executable, BENCHMARK / "run.py", *options.split(), "--burst", "0.02", "--csv", path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "training steps, width 8" in done.stdout
    with path.open() as file:
        lines = list(csv.DictReader(file))
    assert [line["peer"] for line in lines] == ["plain", "plain-compact"]
    for line in lines:
        assert line["status"] == "ok" and int(line["calls"]) >= 10 and float(line["relative"]) <= 1e-5
        assert float(line["median_ms"]) > 0 and float(line["peak_mib"]) > 0

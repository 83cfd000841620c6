"""The benchmarks compare what computes the same: results and gradients of their peers, on generated graphs."""

import csv
import json
import pathlib
import subprocess
import sys

import pytest
import rgnn.dgl
import torch

BENCHMARK = pathlib.Path(__file__).resolve().parents[2] / "benchmark"
sys.path.insert(0, str(BENCHMARK))

pyg_peer = pytest.importorskip("peers.pyg_peer")
import dgl_cells  # noqa: E402
import worker  # noqa: E402
from dgl_cells import functions, layers, own  # noqa: E402
from dgl_cells.report import report  # noqa: E402
from dgl_cells.session import relative_error  # noqa: E402
from dgl_graphs import has_reference  # noqa: E402
from dgl_layers import CASES  # noqa: E402
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


@pytest.mark.long
def test_plans(tmp_path):
    """Each cell is measured once, and the report says how far from the best plan rules and costs are."""
    command = [sys.executable, str(BENCHMARK / "plans.py"), "--models", "rgcn", "GCN", "--widths", "8x16", "--modes",
               "training", "--datasets", "synthetic:aifb:0.02", "--seconds", "0.1", "--file", str(tmp_path / "p")]
    for measured in (2, 0):
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0 and done.stderr.count(": best ") == measured, done.stdout + done.stderr
    assert "| rgcn | synthetic:aifb:0.02 | 8x16 | training | " in done.stdout and "| all |  | 2 | " in done.stdout
    cell = json.loads((tmp_path / "p").read_text().splitlines()[0])
    assert [plan["changes"] for plan in cell["plans"]].count({}) == 1 and cell["plans"][0]["names"][0] == "automatic"
    assert all(plan["predicted"] > 0 and plan.get("seconds", 1) > 0 for plan in cell["plans"])


def test_cells_beside_dgl():
    """All layers that are compared with DGL's in tests are measured beside them."""
    assert {name.split()[0] for name in CASES} == {name.split()[0] for name in dgl_cells.LAYERS}
    assert tuple(layers.MADE) == dgl_cells.LAYERS and tuple(functions.MADE) == tuple(dgl_cells.MODELS)


@pytest.mark.parametrize("name", [name for name, peers in dgl_cells.MODELS.items() if "dgl-own" in peers])
def test_functions_of_messages(problems, name):
    """What users write is what DGL's layers compute, with the same parameters."""
    graph = problems["rgcn"][0].graph
    model, inputs = functions.build(rgnn.dgl, name, graph)
    with torch.no_grad():
        wanted = own.build(rgnn.dgl, name, graph, model)(*inputs)
        torch.testing.assert_close(model(*inputs), wanted, rtol=0, atol=1e-5 * wanted.abs().max().item())


@pytest.mark.parametrize("name", ["C-GAT", "C-GAT flat"])
def test_constrained_attention(problems, name):
    graph = problems["rgcn"][0].graph
    model, (structure, x, *_) = functions.build(rgnn.dgl, name, graph)
    layer = model.layers[0]
    with torch.no_grad():
        z = layer.fc(x)
        scores = layer.attn_fc(torch.cat([z[graph.src], z[graph.dst]], 1)).relu().view(-1)
        wanted = torch.zeros_like(z)
        for edge, node in enumerate(graph.dst.tolist()):
            above = (scores[edge] - scores[graph.dst == node]).clamp(min=0).sum()
            wanted[node] += above * z[graph.src[edge]]
        torch.testing.assert_close(layer(structure, x), wanted, rtol=0, atol=1e-5 * wanted.abs().max().item())


def test_relative_error():
    wanted = {"a": torch.tensor([3.0, 4.0]), "b": torch.tensor([1e-6])}
    assert relative_error(wanted, wanted) == 0
    assert relative_error({**wanted, "a": torch.tensor([3.0, 4.5])}, wanted) == pytest.approx(0.1)
    assert relative_error({**wanted, "b": torch.tensor([2e-6])}, wanted) == pytest.approx(1e-6 / 5e-4)
    got = relative_error({**wanted, "b": torch.tensor([float("nan")])}, wanted)
    assert got != got
    with pytest.raises(RuntimeError, match=r"expected tensors .*, got"):
        relative_error({"a": wanted["a"]}, wanted)


def test_report_beside_dgl():
    """Means are of the cells in which both were measured and are equal; the others are named."""

    def record(model, mode, own, dgl, relative=1e-7, status="ok"):
        first = {"status": status, "median": own, "relative": relative}
        peers = {"rgnn": first, "dgl": {"status": "ok", "median": dgl}}
        return {"suite": "layer", "model": model, "graph": "g", "mode": mode, "threads": 2, "peers": peers}

    text = report([record("A", "inference", 0.001, 0.002), record("B", "inference", 0.001, 0.008),
                   record("A", "training", 0.002, 0.001), record("B", "training", 1, 9, relative=float("nan")),
                   record("C", "training", 1, 9, status="died")])  # fmt: skip
    assert "| A | g | inference | 1.00 | 2.00 | 2.00 | 1.0e-07 |" in text
    assert "over 2 layers and graphs, inference: 4.00" in text and "over 1 layers and graphs, training: 0.50" in text
    assert "The least: 0.50 (A g training)" in text
    assert "layer B g training: rgnn differs by nan" in text and "layer C g training: rgnn: died" in text


@pytest.mark.long
def test_beside_dgl(tmp_path):
    path = tmp_path / "cells.jsonl"
    command = [sys.executable, BENCHMARK / "beside_dgl.py", "--threads", "1", "--out", path]
    chosen = ["--quick", "--only", "layer SGConv .* training|model GAT .* inference"]
    path.write_text('{"suite": "layer", "mod')  # an earlier run was interrupted
    for _ in range(2):
        done = subprocess.run([*command, *chosen], capture_output=True, text=True, timeout=300)
        assert done.returncode == (0 if has_reference() or "0 to run" in done.stdout else 1), done.stdout + done.stderr
    assert "2 cells, 0 to run" in done.stdout
    records = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    assert [(record["model"], record["mode"]) for record in records] == [("SGConv", "training"), ("GAT", "inference")]
    for record in records:
        for name, peer in record["peers"].items():
            if name != "rgnn" and not has_reference():
                assert "DGL is not installed" in peer["status"]
                continue
            assert peer["status"] == "ok" and peer["median"] > 0 and peer["memory"] >= 0
        if has_reference():
            assert record["peers"]["rgnn"]["relative"] <= 1e-4
    done = subprocess.run([*command, "--report", path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "| SGConv | synthetic:aifb:0.02 | training |" in done.stdout

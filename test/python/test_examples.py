"""What the examples print comes from where they say it comes from, on small data."""

import math
import pathlib
import subprocess
import sys

import demo
import link_prediction
import numpy as np
import pytest
import torch
from pyg import random_graph, rows

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"

# ---- demo.py ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def training():
    return {side: demo.train(side, epochs=3) for side in demo.SIDES}


def test_demo_trains_from_the_same_weights(training):
    pyg, own = training["pyg"], training["rgnn"]
    assert len(own["losses"]) == len(own["seconds"]) == 3
    assert pyg["losses"][2] < pyg["losses"][0]
    assert demo.curve_difference(own["losses"], pyg["losses"]) <= demo.LIMIT
    assert own["accuracy"] == pyg["accuracy"]
    assert own["peak"] > 0 and own["epoch"] > 0


def test_demo_shows_both(training, tmp_path):
    lines = demo.training_table(training).splitlines()
    assert lines[0].split()[0] == "loss" and lines[2].startswith("PyG") and lines[3].startswith("RGNN")
    assert f"{training['rgnn']['losses'][-1]:.7f}" in lines[3] and "x" in lines[3] and "x" not in lines[2]
    demo.plot(training, tmp_path / "new" / "demo.png")
    assert (tmp_path / "new" / "demo.png").read_bytes().startswith(b"\x89PNG")


def test_demo_shows_what_failed(training):
    lines = demo.training_table({"pyg": {"error": "killed"}, "rgnn": training["rgnn"]}).splitlines()
    assert lines[2].split() == ["PyG", "failed"] and "MiB" in lines[3]


@pytest.mark.parametrize(
    "losses, expected",
    [([2.0, 1.0], 0.0), ([2.0, 1.5], 0.5), ([1.0, 1.0], 0.5), ([2.0, math.nan], math.inf), ([2.0], math.inf)],
)
def test_curve_difference(losses, expected):
    assert demo.curve_difference(losses, [2.0, 1.0]) == expected


# ---- link_prediction.py ----------------------------------------------------------------------------------------------


def test_ranks():
    """Against the definition, with duplicate and missing triples, more of them than are ranked at a time, and ties."""
    nodes, ends, relation = random_graph(30, 600, seed=1)
    known = torch.cat([ends, relation[None]])
    embedding, relations = rows(nodes, 4).round(), rows(5, 4, seed=1).round()
    triples = known[:, 100:400]
    expected = []
    for source, target, kind in triples.T.tolist():
        others = set(range(nodes)) - {o for s, o, r in known.T.tolist() if (s, r) == (source, kind)}
        scores = {n: (embedding[source] * relations[kind] * embedding[n]).sum().item() for n in [*others, target]}
        better = sum(scores[n] > scores[target] for n in others)
        expected.append(1 + better + sum(scores[n] == scores[target] for n in others) / 2)
    assert link_prediction.ranks(embedding, relations, triples, known).tolist() == expected
    assert len(set(expected)) > 5 and any(rank % 1 for rank in expected)


def test_corrupt():
    _, ends, relation = random_graph(30, 600, seed=1)
    triples = torch.cat([ends, relation[None]])
    one, other = (link_prediction.corrupt(triples, 30, seed) for seed in (3, 4))
    changed = one != triples
    assert not changed[2].any() and changed.sum(dim=0).max() == 1
    assert changed[0].sum() > 200 and changed[1].sum() > 200 and one.max() < 30
    assert torch.equal(one, link_prediction.corrupt(triples, 30, 3)) and not torch.equal(one, other)


def test_score():
    embedding, relations, triples = rows(6, 4), rows(2, 4, seed=1), torch.tensor([[0, 5], [3, 5], [1, 0]])
    by_hand = [(embedding[0] * relations[1] * embedding[3]).sum(), (embedding[5] * relations[0] * embedding[5]).sum()]
    assert torch.allclose(link_prediction.score(embedding, relations, triples), torch.stack(by_hand))


def save(path, split):
    """A graph with an empty relation, isolated nodes, self loops and duplicate edges."""
    _, ends, relation = random_graph(60, 900, seed=2)
    relation[relation == 3] = 4
    order = relation.argsort(stable=True)
    fields = {"src": ends[0] % 50, "dst": ends[1] % 50, "etype": relation}
    fields = {name: values[order].numpy() for name, values in fields.items()}
    fields |= {"etype_names": np.array([f"n|r{i}|n" for i in range(5)]), "ntype_names": np.array(["n"])}
    if split:
        fields["split"] = np.arange(900) % 10 // 8 * 2  # of 10 edges, 8 train and 2 test
    np.savez(path, ntype=np.zeros(60, np.int64), num_nodes=60, **fields)
    return str(path)


@pytest.mark.long
def test_link_prediction(tmp_path):
    path = save(tmp_path / "tiny.npz", split=True)
    command = [sys.executable, EXAMPLES / "link_prediction.py", "--dataset", path, "--epochs", "5", "--width", "10"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    (header,) = (line.split() for line in lines if "hits@10" in line)
    mrr = header.index("mrr") + 1  # beside the name
    found = {line.split()[0]: float(line.split()[mrr]) for line in lines if line.startswith(("PyG ", "RGNN "))}
    assert abs(found["PyG"] - found["RGNN"]) <= 0.002 and 0.02 < found["PyG"] < 1


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--dataset", "no-such-data"], "no-such-data.npz) is in none of"),
        (["--dataset", "no/such.npz"], "'no/such.npz' does not exist"),
        (["--dataset", "SAVED"], "expected a split of the edges (field split), got none"),
        (["--epochs", "0"], "expected at least one epoch, got 0"),
        (["--width", "12"], "expected a width that is a multiple of 5, got 12"),
    ],
)
def test_link_prediction_refuses(arguments, message, tmp_path, capsys):
    saved = save(tmp_path / "tiny.npz", split=False)
    try:
        status = link_prediction.main([saved if argument == "SAVED" else argument for argument in arguments])
    except SystemExit as exit:  # of argparse
        status = exit.code
    assert status != 0 and message in capsys.readouterr().err

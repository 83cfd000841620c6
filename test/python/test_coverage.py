"""The coverage table: its cases are all that PyG has, and what it says of some is what it was given."""

import csv
import math
import pathlib
import sys

import pytest

BENCHMARK = pathlib.Path(__file__).resolve().parents[2] / "benchmark"
sys.path.insert(0, str(BENCHMARK))

pytest.importorskip("_rgnn")
pytest.importorskip("torch_geometric")
import cover  # noqa: E402
from coverage import PARTS, choose, measure, table, uncovered  # noqa: E402
from coverage.case import AWKWARD, awkward  # noqa: E402


def test_complete():
    """Each class that PyG exports has a case or a reason why not, never both, and names are unique."""
    assert uncovered() == dict.fromkeys(PARTS, [])
    for package, module in PARTS.values():
        names = [case.name for case in module.CASES]
        assert len(set(names)) == len(names) and not any("," in name for name in names)
        exported = {getattr(package, name): name for name in package.__all__}
        assert {exported[case.cls] for case in module.CASES}.isdisjoint(module.ABSENT)
        assert module.ABSENT.keys() <= set(package.__all__)


def test_choice():
    assert {part for part, _ in choose(["norms", "GAT"])} == {"norms", "layers"}
    with pytest.raises(ValueError, match="got GUT"):
        choose(["GUT"])


def test_inputs_are_the_same_everywhere():
    first, second = awkward(8), awkward(8)
    second.edge_attr  # noqa: B018, in another order
    assert (first.x == second.x).all() and (first.edge_attr == second.edge_attr).all()
    degrees = first.edge_index[1].bincount(minlength=first.nodes)
    assert (degrees == 0).any() and (first.edge_index[0] == first.edge_index[1]).any()
    assert first.edge_index.unique(dim=1).shape[1] < first.edges


def spec(part, case, peer="rgnn"):
    return {"part": part, "case": case, "graph": AWKWARD, "peer": peer, "width": 8, "threads": 1, "exact": True}


@pytest.mark.filterwarnings("ignore:rgnn", "ignore:Sparse")
def test_session():
    """What PyTorch runs of a layer is named with its line; a peer's times are those of its call."""
    session = measure.Session(spec("aggregations", "Sort"))
    found = session.explain(False)
    assert not found["whole"] and any(".py:" in text for text in found["left"])
    assert session.check(True)["difference"] <= 1e-10
    sparse = measure.Session(spec("layers", "LG", "pyg-sparse"))
    assert sparse.first(False)["first"] > 0 and len(sparse.measure(0, 0)["times"]) == 1
    with pytest.raises(ValueError, match="no matrix holds its inputs"):
        measure.Session(spec("layers", "RGCN", "pyg-sparse")).first(False)


@pytest.mark.long
def test_quick(tmp_path, capsys):
    """A layer, a norm and an aggregation, and a run that goes on with them; a process that fails is a line."""
    paths = ["--out", str(tmp_path / "table.md"), "--csv", str(tmp_path / "table.csv")]
    asked = ["--quick", "--layers", "SAGE,MessageNorm,Sort", *paths]
    assert cover.main(asked) == 0
    printed = capsys.readouterr().out
    assert "layer SAGE on awkward: whole in inference and training" in printed and "[3/3]" in printed
    assert cover.main(asked) == 0 and "[1/" not in capsys.readouterr().out
    text = (tmp_path / "table.md").read_text()
    assert "| SAGE | yes | yes |" in text and "| Sort | no | no |" in text and "XConv (needs torch-cluster)" in text
    with (tmp_path / "table.csv").open() as file:
        rows = {row["case"]: row for row in csv.DictReader(file)}
    assert rows["SAGE"]["whole in training"] == "True" and float(rows["SAGE"]["error"]) <= 1e-10
    assert cover.main(["--quick", "--layers", "PairNorm", "--memory-limit", "0", *paths]) == 0
    assert "norm PairNorm on awkward: FAILED, " in capsys.readouterr().out


def test_summaries():
    row = {"part": "layers", "status": "ok", "whole in inference": True, "whole in training": True, "graph": "cora"}
    rows = [{**row, "case": "A", "inference": {"rgnn": 1.0, "pyg": 4.0, "pyg-compiled": 2.0}, "training": {"pyg": 1.0}},
            {**row, "case": "B", "inference": {"rgnn": 2.0, "pyg": 1.0}, "whole in training": False},
            {**row, "case": "C", "status": "killed (out of memory)"}]  # fmt: skip
    assert table.speed(rows[0], "inference") == 2 and table.speed(rows[0], "training") is None
    assert table.summaries(rows) == ["1 of 3 are whole in both.", "Inference: 1.0 times faster on geometric mean, "
                                     "least 0.50 (B on cora)."]  # fmt: skip
    assert math.isinf(measure._error(None, awkward(4).x)) and measure._error(awkward(4).x, awkward(4).x) == 0

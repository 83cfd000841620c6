"""Programs of relational learning, on little data: compiled whole, they have PyTorch's losses.

Those that take long to compile are run where RGNN_CHECK is "all".
"""

import os
import warnings

import pytest
import relational
from clients import CLIENTS, make
from clients.client import compare
from rgnn._runner import runner_of

pytestmark = pytest.mark.usefixtures("float64")
STEPS = 3
LONG = {"relbench-gat", "mag-rgat", "mag-rgcn", "hgt", "gps", "nbfnet-add", "nbfnet-rotate"}
NAMES = CLIENTS if os.environ.get("RGNN_CHECK") == "all" else sorted(CLIENTS.keys() - LONG)


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", NAMES)
def test_client(name):
    client = make(name, quick=True)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="rgnn")
        comparison = compare(client, STEPS)
    assert len(comparison.sides["rgnn"].losses) == STEPS
    assert comparison.difference <= 1e-9
    assert comparison.sides["rgnn"].metrics == pytest.approx(comparison.sides["pyg"].metrics, rel=1e-6)
    versions = runner_of(comparison.compiled).versions
    assert not any(version.fallbacks or version.broken for version in versions)
    assert len(versions) == 2, "expected one that trains, and one that does not"


def test_program(tmp_path, capsys):
    """What is printed and drawn is what was found."""
    path = tmp_path / "losses.png"
    assert relational.main(["han", "--quick", "--precision", "float64", "--steps", "2", "--plot", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines[:2]] == ["PyG", "RGNN"]
    assert lines[-1] == "RGNN: compiled whole; 2 versions"
    assert path.read_bytes().startswith(b"\x89PNG")


def test_program_without_matplotlib(monkeypatch, capsys):
    monkeypatch.setattr(relational.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit):
        relational.main(["han", "--plot", "losses.png"])
    assert "pip install matplotlib" in capsys.readouterr().err

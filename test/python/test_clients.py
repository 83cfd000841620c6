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
LONG = {"relbench-gat", "mag-rgat", "hgt"} if os.environ.get("RGNN_CHECK") != "all" else set()

# Linear layers per type whose results are joined to rows of one graph have rows of no graph themselves.
LEFT = {"mag-rgcn": {"aten.linear", "aten.cat"}}


@pytest.mark.parametrize("name", sorted(CLIENTS.keys() - LONG))
def test_client(name):
    client = make(name, quick=True)
    with warnings.catch_warnings():
        warnings.filterwarnings("default" if name in LEFT else "error", message="rgnn")
        comparison = compare(client, STEPS)
    assert len(comparison.sides["rgnn"].losses) == STEPS
    assert comparison.difference <= 1e-9
    assert comparison.sides["rgnn"].metric == pytest.approx(comparison.sides["pyg"].metric, rel=1e-6)
    versions = runner_of(comparison.compiled).versions
    assert len(versions) == 2, "expected one that trains, and one that does not"
    for version in versions:
        assert version.broken is None and {op for op, *_ in version.fallbacks} == LEFT.get(name, set())


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

"""The plugin of ``make check-pyg``, with which PyG's own tests run compiled."""

import os
import pathlib
import subprocess
import sys

PLUGIN = pathlib.Path(__file__).resolve().parents[1] / "pyg"
TESTS = """
import torch
from torch_geometric.nn import SAGEConv

def test_layer():
    assert SAGEConv(4, 3)(torch.randn(5, 4), torch.randint(5, (2, 9))).shape == (5, 3)
"""


def test_modules_are_compiled(tmp_path):
    (tmp_path / "test_pyg.py").write_text(TESTS)
    paths = os.pathsep.join([str(PLUGIN), *sys.path])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "compile_pyg", "-p", "no:cacheprovider", tmp_path]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True)
    assert "1 passed" in done.stdout and "calls of modules: 1 with compiled regions" in done.stdout, done.stdout

"""Compiled code on disk, and other processes."""

import os
import pathlib
import subprocess
import sys

import cache_child
import pytest
import rgnn
from cache_child import cached_model
from models import inputs, same
from pyg import R, gnn

pytestmark = pytest.mark.usefixtures("strict")


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", cache_child.MODELS)
def test_a_second_process_uses_the_cache(tmp_path, monkeypatch, name):
    monkeypatch.setenv("RGNN_CACHE_DIR", str(tmp_path / "cache"))
    paths = os.pathsep.join(filter(None, sys.path))
    command, environment = [sys.executable, cache_child.__file__, name], {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    cached, path = done.stdout.split()
    assert cached == "False" and pathlib.Path(path).is_relative_to(tmp_path / "cache")
    assert cached_model(name) == (True, path)


@pytest.mark.long
def test_a_damaged_entry_of_the_cache_is_made_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("RGNN_CACHE_DIR", str(tmp_path / "cache"))
    cached, path = cached_model()
    assert not cached
    code = pathlib.Path(path).read_bytes()
    pathlib.Path(path).unlink()
    pathlib.Path(path).write_bytes(code[:100])
    cached_model()
    assert pathlib.Path(path).stat().st_size == len(code) and cached_model() == (True, path)


def test_without_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RGNN_CACHE_DIR", str(tmp_path / "cache"))
    model = gnn.FastRGCNConv(16, 20, R).double().eval()
    compiled = rgnn.compile(model, options=rgnn.Options(cache=False), fullgraph=True)
    assert same(model, compiled, inputs())
    assert not list(tmp_path.rglob("*.so"))


@pytest.mark.long
def test_code_that_is_not_cached_leaves_no_file(tmp_path, monkeypatch):
    """Neither without the cache nor where it cannot be written: results, gradients, a report, a saved file."""
    (tmp_path / "cache").touch()
    monkeypatch.setenv("RGNN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for options in (rgnn.Options(cache=False), rgnn.Options()):
        model = gnn.FastRGCNConv(16, 20, R).double()
        compiled = rgnn.compile(model, options=options, fullgraph=True)
        compiled(*inputs()).sum().backward()
        assert model.weight.grad is not None
        assert rgnn.explain(compiled, *inputs()).kernels
        compiled.save(tmp_path / "model.rgnn")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "model.rgnn"]

"""python -m rgnn.explain: the page of a model, from the shell."""

import re
import subprocess
import sys

import pytest
import rgnn
import torch
from models import Net, inputs
from rgnn._page.shell import main

MODULE = """
import torch
from pyg import R, gnn
from beside import WIDTH

def make_model():
    torch.manual_seed(0)
    return gnn.FastRGCNConv(16, WIDTH, R), make_inputs()

def make_inputs():
    return torch.randn(10, 16), torch.randint(10, (2, 30)), torch.randint(R, (30,))

def with_names():
    layer, (x, edge_index, edge_type) = make_model()
    return layer, {"x": x, "edge_index": edge_index, "edge_type": edge_type}

def raises():
    raise RuntimeError("no data")

def wants(one): return one
def model_alone(): return make_model()[0]
def three(): return (*make_model(), 1)
def one_tensor(): return make_model()[0], torch.ones(3)
def no_model(): return "model", make_inputs()
number = 3
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "model.py").write_text(MODULE)
    (tmp_path / "beside.py").write_text("WIDTH = 8\n")
    (tmp_path / "broken.py").write_text("def (:\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("beside", "model", "explained_model"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


@pytest.mark.parametrize("place", ["model.py:make_model", "model:make_model", "model.py:with_names"])
def test_a_function_that_makes_a_model(folder, place, capsys):
    assert main([place, "--out", "page.html"]) == 0
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "<h1>RGNN: FastRGCNConv</h1>" in page and 'class="bar"' in page
    assert re.fullmatch(r"compiled whole: \d+ kernels, .*; written to page.html\n", capsys.readouterr().out)


def test_without_times_and_by_default(folder):
    assert main(["model.py:make_model", "--no-times"]) == 0
    assert "Times were not measured" in (folder / "explain.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "net.rgnn"
    torch.manual_seed(0)
    model = rgnn.compile(Net().train(), fullgraph=True)
    model(*inputs(dtype=torch.float32)).sum().backward()
    model.save(path)
    return path


def test_saved_modules(folder, saved, capsys):
    (folder / "more.py").write_text("from models import inputs\nimport torch\n"
                                    "def make(): return inputs(dtype=torch.float32)\n")  # fmt: skip
    assert main([str(saved), "--out", "page.html"]) == 0
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "<h1>RGNN: Net</h1>" in page and "saved call: " in page and "Times were not measured" in page
    assert len(re.findall('<svg class="plan"', page)) == 2 and "backward" in page
    assert main([str(saved), "--inputs", "more.py:make", "--out", "timed.html"]) == 0
    timed = (folder / "timed.html").read_text(encoding="utf-8")
    assert len(re.findall("<data ", timed)) == 4 and "Times were not measured" not in timed


@pytest.mark.parametrize(("arguments", "message"), [
    (["nothing.py:make_model"], r"expected a Python file at 'nothing.py', got none"),
    (["nothing:make_model"], r"expected a module 'nothing' or a file 'nothing.py', got none by that name"),
    (["no.such.package:make"], r"expected a module 'no.such.package' or a file"),
    (["nothing.rgnn"], r"expected FILE.py:FUNCTION or a saved module, got 'nothing.rgnn', which is no file"),
    (["model.py"], r"expected 'model.py:FUNCTION', .* got no name"),
    (["beside.py:make_model"], r"expected a function 'make_model' in 'beside.py', which has none by that name"),
    (["model.py:number"], r"expected a function 'number' in 'model.py', got int"),
    (["model.py:"], r"expected FILE.py:FUNCTION or MODULE:FUNCTION, got 'model.py:'"),
    (["model.py:raises"], r"'model.py:raises' raised RuntimeError"),
    (["model.py:wants"], r"'model.py:wants' raised TypeError"),
    (["broken.py:make_model"], r"'broken.py' raised SyntaxError"),
    (["model.py:model_alone"], r"expected 'model.py:model_alone' to return \(model, inputs\), got FastRGCNConv"),
    (["model.py:three"], r"expected 'model.py:three' to return \(model, inputs\), got tuple of 3"),
    (["model.py:no_model"], r"to return \(model, inputs\), got tuple of 2"),
    (["model.py:one_tensor"], r"expected 'model.py:one_tensor' to give inputs as a tuple, .* got Tensor"),
    (["model.py:make_model", "--out", "no/such/page.html"], r"--out: expected a folder '.*no/such', got none"),
    (["model.py:make_model", "--out", "."], r"--out: expected a file that can be written, got '.'"),
    (["model.py:make_model", "--target", "gpu"], r"target: expected None, 'cpu', 'cuda' or a chip"),
    (["model.py:make_model", "--inputs", "model.py:make_inputs"], r"--inputs is for a saved module"),
    (["damaged.rgnn"], r"damaged.rgnn"),
    (["SAVED", "--target", "cuda"], r"--target: expected cpu for a saved module, got 'cuda'"),
    (["SAVED", "--inputs", "model.py:raises"], r"'model.py:raises' raised RuntimeError"),
])  # fmt: skip
def test_wrong_input(folder, saved, arguments, message, capsys):
    (folder / "damaged.rgnn").write_bytes(saved.read_bytes()[:500])
    assert main([str(saved) if argument == "SAVED" else argument for argument in arguments]) == 1
    error = capsys.readouterr().err
    assert re.search(f"^python -m rgnn.explain: .*{message}", error, re.MULTILINE), error
    assert not list(folder.glob("*.html"))


def test_the_command_and_the_function():
    done = subprocess.run([sys.executable, "-m", "rgnn.explain", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "model.py:make_model" in done.stdout
    text = "import rgnn, rgnn.explain; assert callable(rgnn.explain); from rgnn import explain; print(explain.__name__)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.stdout == "explain\n", done.stderr

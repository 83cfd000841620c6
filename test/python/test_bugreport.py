"""rgnn.bugreport: an archive from which the tools reproduce a fault, without the user's data."""

import importlib
import io
import os
import pathlib
import re
import struct
import subprocess
import sys
import zipfile

import numpy
import pytest
import rgnn
import torch
from models import Between, Net, inputs
from pyg import R, gnn, rows
from rgnn import _compiler
from rgnn._bugreport import report as module
from rgnn._bugreport.shell import main
from rgnn._bugreport.words import without_paths
from rgnn._dynamo import planner
from rgnn._dynamo.regions import CompiledRegion
from torch import nn

pytestmark = pytest.mark.usefixtures("strict")

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "build" / "bin"


@pytest.fixture
def write(tmp_path):
    """Writes a report and unpacks it: its folder, and its text."""

    def run(*args, **keywords):
        path = rgnn.bugreport(*args, path=tmp_path / "report.zip", **keywords)
        with zipfile.ZipFile(path) as archive:
            archive.extractall(tmp_path / "report")
        return tmp_path / "report", (tmp_path / "report/report.md").read_text(encoding="utf-8")

    return run


def section(report, title):
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", report, re.MULTILINE | re.DOTALL)[1]


def commands(report):
    """The lines for a shell in a report, and what it says of each."""
    block = re.search(r"```sh\n(.*?)```", report, re.DOTALL)
    return [line.split("  # ") for line in block[1].splitlines()] if block else []


def run_commands(folder, report):
    """The commands and what they are to say, with what they do say where that is another thing."""
    assert (TOOLS / "rgnn-translate").exists(), "rgnn-translate is not built"
    environment = os.environ | {"PATH": f"{TOOLS}{os.pathsep}{os.environ['PATH']}"}
    found = commands(report)
    for line, expected in found:
        done = subprocess.run(line, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
        if expected.startswith("fails: "):
            assert done.returncode != 0 and expected.partition("error: ")[2] in done.stderr, (line, done.stderr)
        else:
            assert done.returncode == 0 and "agree" in done.stdout, (line, done.stderr)
    return found


def numbers():
    return inputs(dtype=torch.float32)


def hetero():
    types = [("a", "x", "b"), ("b", "y", "a")]
    model = gnn.HeteroConv({kind: gnn.SAGEConv((16, 16), 8) for kind in types})
    edges = {types[0]: torch.tensor([[0, 4, 4], [1, 3, 3]]), types[1]: torch.tensor([[2], [2]])}
    return model, ({"a": rows(5, 16).float(), "b": rows(4, 16).float()}, edges)


def test_a_trained_model(write):
    compiled = rgnn.compile(gnn.FastRGCNConv(16, 8, R))
    optimizer = torch.optim.SGD(compiled.parameters(), 0.1)
    compiled(*numbers()).sum().backward()
    optimizer.step()
    before = [tensor.clone() for tensor in compiled.parameters()]
    folder, report = write(compiled, *numbers())
    assert all(map(torch.equal, before, compiled.parameters()))
    assert "The model runs as in PyTorch." in section(report, "What happened")
    assert [line.partition(" ")[2].partition(" --seeds")[0] for line, _ in run_commands(folder, report)] == [
        *["--rgnn-check-compiled"] * 3, "--rgnn-check-gradient"]  # fmt: skip
    levels = {path.name for path in (folder / "version_0/region_0").iterdir()}
    texts = {f"{level}.mlir" for level in ("captured", "rgnn", "hetkernel", "buffers", "llvm")}
    assert levels == {*texts, "forward", "backward"}
    assert "rgnn.typed_outer_sum" in (folder / "version_0/region_0/backward/rgnn.mlir").read_text()
    assert re.search(r"^gradient of weight: \d", section(report, "Differences"), re.MULTILINE)
    assert "made before, 0: 1 region" in section(report, "Versions")
    assert re.search(r"region_0/backward: backward: rgnn-\S+: refused at \S+:\d+: ", section(report, "Passes"))
    assert "80 edges of types [15, 17, 17, 22, 9]" in section(report, "Graphs")
    settings = section(report, "Settings")
    assert torch.__version__ in settings and "LLVM" in settings and "Options(cpu='native'" in settings


@pytest.mark.long
def test_dictionaries(write):
    model, args = hetero()
    folder, report = write(model, *args)
    assert len(run_commands(folder, report)) == 3
    graphs = section(report, "Graphs")
    assert "argument 1[('a', 'x', 'b')]: 3 edges, out of sources: 1: 1, 2-3: 1\n" in graphs
    assert "9 nodes of types [5, 4]" in graphs
    assert "argument 0['b']: [4, 16] of float32 on cpu\n" in report


@pytest.mark.long
def test_a_part_in_pytorch(write):
    folder, report = write(Between(), *numbers())
    assert "which runs parts of it" in section(report, "What happened")
    assert re.search(r"models.py:\d+: aten.cumsum: no rule for it", section(report, "In PyTorch"))
    assert "cumsum" in (folder / "graph_0.txt").read_text()
    assert len(run_commands(folder, report)) == 8


def test_a_model_without_a_graph(write):
    folder, report = write(nn.Sequential(nn.Linear(16, 4), nn.ReLU()), rows(5, 16).float())
    assert commands(report) == [] and "none: nothing was given to the compiler" in report
    assert "aten.linear: the rows of argument 0 are neither" in report
    assert "linear" in (folder / "graph_0.txt").read_text()


def test_gpus(write):
    folder, report = write(gnn.FastRGCNConv(16, 8, R), *numbers(), target="sm_80")
    assert "--rgnn-check-gpu --rgnn-to-gpu-options=chip=sm_80" in run_commands(folder, report)[0][0]
    assert ".target sm_80" in (folder / "version_0/region_0/kernels.ptx").read_text()


# ---- faults ----------------------------------------------------------------------------------------------------------


def test_a_model_that_raises(write):
    def step(x, edge_index, edge_type):
        return layer(x, edge_index, edge_type) @ x

    layer = gnn.FastRGCNConv(16, 8, R)
    _, report = write(step, *numbers())
    told = section(report, "What happened")
    assert "The model raises in PyTorch:" in told and "RuntimeError: mat1 and mat2 shapes" in told
    assert 'File "test_bugreport.py", line' in told and "return layer(x, edge_index, edge_type) @ x" in told


def test_options_that_the_compiler_refuses(write):
    options = rgnn.Options(schedule={"gemm": {"vector_width": 3}})
    folder, report = write(rgnn.compile(Net(), options=options), *numbers())
    ((line, expected),) = run_commands(folder, report)
    assert line.startswith("rgnn-opt --rgnn-to-cpu=gemm-schedule=vector_width:3 version_0/region_0/captured.mlir ")
    assert expected.endswith("error: expected a power of two as vector width, got 3")
    told = section(report, "What happened")
    assert "Compiled, the model raises" in told and "The compiler refuses:" in told


def test_text_that_the_compiler_refuses(write, monkeypatch):
    """What is left to PyTorch since a pass fails is in the archive, and fails in the tool."""
    text = planner.write
    monkeypatch.setattr(planner, "write", lambda *args, **keywords: text(*args, **keywords).replace(
        '"aten.index_select"', '"aten.indexselect"'))  # fmt: skip
    folder, report = write(gnn.FastRGCNConv(16, 8, R), *numbers())
    found = run_commands(folder, report)
    assert "version_0/refused_0/captured.mlir" in found[0][0] and "cannot be lowered" in found[0][1]
    assert found[0][1].removeprefix("fails: ") in section(report, "What happened")


def test_no_gradient(write, monkeypatch):
    def refuse(*args, **keywords):
        raise _compiler.CompilerRefusal("no gradient")

    monkeypatch.setattr(_compiler, "differentiate", refuse)
    folder, report = write(gnn.FastRGCNConv(16, 9, R), *numbers())  # another text than those of which code is there
    assert "training is not compiled: no gradient" in section(report, "In PyTorch")
    assert (folder / "version_0/refused_0/captured.mlir").exists() and run_commands(folder, report)


def test_a_fault_in_python(write, monkeypatch):
    def fail(self):
        raise KeyError("oddity")

    monkeypatch.setattr(planner.Planner, "plan", fail)
    _, report = write(Net(), *numbers())
    told = section(report, "What happened")
    assert "A graph was left to PyTorch:" in told and "in fail\n" in told and "KeyError: 'oddity'" in told


@pytest.mark.parametrize("data", [False, True])
def test_a_wrong_result(write, monkeypatch, data):
    run = CompiledRegion._run
    monkeypatch.setattr(CompiledRegion, "_run", lambda self, tensors: [out * 1.01 for out in run(self, tensors)])
    folder, report = write(gnn.FastRGCNConv(16, 8, R), *numbers(), data=data)
    told = section(report, "What happened")
    assert "Compiled code differs from PyTorch, beyond rounding:" in told and "\nresult" in told
    assert ("expected" in told) == data
    assert "\nresult: 0.01\n" in section(report, "Differences")
    assert run_commands(folder, report)  # the compiler is right


def test_what_fails_in_a_report(write, monkeypatch):
    monkeypatch.setattr(module, "run_both", lambda *args: 1 // 0)
    folder, report = write(gnn.FastRGCNConv(16, 8, R), *numbers())
    assert "This report is not complete:" in report and "ZeroDivisionError" in report
    assert (folder / "version_0/region_0/captured.mlir").exists()


# ---- data ------------------------------------------------------------------------------------------------------------


def test_no_data(tmp_path):
    """No number of features, weights or indices is in the archive; with ``data`` all are."""
    torch.manual_seed(1)
    model, (x, edge_index, edge_type) = gnn.FastRGCNConv(16, 8, R), numbers()
    x, edge_index = torch.randn(4000, 16), edge_index + 3900
    floats = torch.cat([x[:50].flatten(), *(parameter.detach().flatten() for parameter in model.parameters())])
    floats = [number for number in floats.tolist() if abs(number) not in (0, 1)]
    for data in (False, True):
        path = tmp_path / f"{data}.zip"
        assert rgnn.bugreport(model, x, edge_index, edge_type, path=path, data=data) == str(path)
        with zipfile.ZipFile(path) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        every = b"\n".join(files.values())
        text = b"\n".join(content for name, content in files.items() if not name.endswith(".npz")).decode()
        words = set(re.findall(r"-?\d+\.\d+", text))
        assert not words & {f"{number:.4f}" for number in floats} and not words & {f"{number:.6g}" for number in floats}
        assert not set(re.findall(r"\b39\d\d\b", text)) & {str(number) for number in edge_index.unique().tolist()}
        assert str(pathlib.Path.home()) not in text and str(tmp_path) not in text and str(TOOLS.parents[1]) not in text
        assert all((struct.pack("<f", number) in every) == data for number in floats)
    assert {"inputs.npz", "parameters.npz"} <= files.keys()
    held = numpy.load(io.BytesIO(files["inputs.npz"]))
    assert numpy.array_equal(held["argument 1"], edge_index) and numpy.array_equal(held["argument 0"], x)
    assert numpy.array_equal(numpy.load(io.BytesIO(files["parameters.npz"]))["bias"], model.bias.detach())


def test_paths():
    text = 'File "/home/me/secret/net.py", in /usr/lib/python3/site-packages/torch/nn/f.py: a / b / c, d/e, /me/x.py'
    assert without_paths(text) == 'File "net.py", in torch/nn/f.py: a / b / c, d/e, x.py'


def test_size(write, monkeypatch):
    monkeypatch.setattr(module, "_MOST_BYTES", 30_000)
    folder, report = write(gnn.FastRGCNConv(16, 8, R), *numbers())
    sizes = {str(path.relative_to(folder)): path.stat().st_size for path in folder.rglob("*.mlir")}
    assert sum(sizes.values()) <= 30_000 and "version_0/region_0/captured.mlir" in sizes
    assert re.search(r"left out, too large: version_0/region_0/llvm.mlir \([\d,]+ bytes\)", section(report, "Files"))


# ---- input that is wrong, and the shell ------------------------------------------------------------------------------


@pytest.mark.parametrize(("model", "keywords", "kind", "message"), [
    (3, {}, TypeError, "model: expected a module or a function, got int"),
    (Net, {"data": rows(2, 2)}, TypeError, "data: expected True or False, got Tensor"),
    (Net, {"path": "no/such/report.zip"}, ValueError, "path: expected a folder '.*no/such', got none"),
    (Net, {"path": "."}, ValueError, "path: expected a file that can be written, got '.'"),
    (Net, {"target": "gpu"}, ValueError, "target: expected None, 'cpu', 'cuda' or a chip"),
])  # fmt: skip
def test_wrong_input(model, keywords, kind, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=message):
        rgnn.bugreport(model() if isinstance(model, type) else model, *numbers(), **keywords)
    assert not list(tmp_path.iterdir())


def test_models_without_what_a_report_needs(write, tmp_path):
    compiled = rgnn.compile(gnn.FastRGCNConv(16, 8, R))
    with torch.no_grad():
        compiled(*numbers())
    compiled.save(tmp_path / "net.rgnn")
    with pytest.raises(TypeError, match="expected the model that was saved, got a module that rgnn.load gave"):
        write(rgnn.load(tmp_path / "net.rgnn"), *numbers())
    _, report = write(gnn.SAGEConv(-1, 8), *numbers()[:2])
    assert "lin_l.weight: uninitialized\n" in report


def test_shell(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "net.py").write_text(
        "from pyg import gnn, rows\nimport torch\n"
        "def make(): return gnn.SAGEConv(16, 8), [rows(3, 16).float(), torch.ones(2, 9).long()]\n")  # fmt: skip
    assert main(["net.py:make"]) == 0
    path = capsys.readouterr().out.strip()
    assert re.fullmatch(r"rgnn-bugreport-\d{4}-\d\d-\d\d-\d{6}\.zip", path)
    assert "report.md" in zipfile.ZipFile(path).namelist()
    for arguments, message in (["net.py"], "expected FILE.py:FUNCTION or MODULE:FUNCTION, got 'net.py'"), (
            ["none.py:make"], "expected a Python file at 'none.py', got none"), (
            ["net.py:make", "--out", "none/report.zip"], "path: expected a folder"):  # fmt: skip
        assert main(arguments) == 1
        assert f"python -m rgnn.bugreport: {message}" in capsys.readouterr().err
    done = subprocess.run([sys.executable, "-m", "rgnn.bugreport", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "model.py:make_model" in done.stdout
    assert importlib.import_module("rgnn.bugreport") is rgnn.bugreport

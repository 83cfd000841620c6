"""Saved modules in C++ programs with LibTorch, and as operators of PyTorch: equal to Python's, without a compiler."""

import concurrent.futures
import fcntl
import pathlib
import re
import subprocess
import sys

import pytest
import torch

rgnn = pytest.importorskip("rgnn")
from models import inputs  # noqa: E402
from pyg import R, gnn, random_graph  # noqa: E402
from torch import nn  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
LIBRARY = BUILD / "lib" / "librgnn_torch.so"
sys.path.insert(0, str(ROOT / "examples"))

import demo  # noqa: E402

pytestmark = pytest.mark.skipif(not LIBRARY.exists(), reason="built with -DRGNN_WITH_LIBTORCH=OFF")


def run(*command, **kwargs):
    """What a command prints; its errors where it fails."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **kwargs)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def programs():
    """The folder of the programs, built against an installed RGNN; anew only where something changed."""
    folder = BUILD / "test" / "libtorch"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for part in ("runtime", "lib/Torch"):
            run("cmake", "--install", BUILD / part, "--prefix", folder / "prefix")
        paths = f"-DCMAKE_PREFIX_PATH={folder / 'prefix'};{torch.utils.cmake_prefix_path}"
        compiler = re.search(r"CMAKE_CXX_COMPILER:\w+=(.*)", (BUILD / "CMakeCache.txt").read_text())[1]
        run("cmake", "-S", ROOT / "test/python/libtorch", "-B", folder / "build", "-G", "Ninja", paths,
            f"-DCMAKE_CXX_COMPILER={compiler}")  # fmt: skip
        run("cmake", "--build", folder / "build")
    return folder / "build"


def flat(arguments):
    """The tensors among arguments, those of dictionaries in their order."""
    return [t for a in arguments
            for t in (a.values() if isinstance(a, dict) else a if isinstance(a, tuple) else [a])]  # fmt: skip


def run_model(programs, folder, model, arguments):
    """The results of a saved model in a C++ program, and the libraries of its process."""
    torch.save(flat(arguments), folder / "inputs.pt")
    names = run(programs / "run_model", model, folder / "inputs.pt", folder / "results.pt", "--libraries")
    return torch.load(folder / "results.pt"), names.splitlines()


# ---- the examples ----------------------------------------------------------------------------------------------------


def build_rgcn():
    from rgnn import data

    graph = data.load("aifb")
    return graph, demo.build_rgcn(graph).eval(), (graph.edge_index, graph.edge_type)


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", ["rgcn", "rgat", "hgt"])
def test_equal_to_python(programs, tmp_path, name):
    """On aifb, bit for bit, in a process that has no compiler and no Python."""
    _, model, arguments = build_rgcn() if name == "rgcn" else demo.build_layer(name)
    compiled = rgnn.compile(model, fullgraph=True)
    with torch.no_grad():
        expected = compiled(*arguments)
    compiled.save(tmp_path / "model.rgnn")
    results, libraries = run_model(programs, tmp_path, tmp_path / "model.rgnn", arguments)
    expected = flat([expected])
    assert len(results) == len(expected) > 0
    assert all(torch.equal(a, b) for a, b in zip(results, expected))
    assert any("librgnn_torch.so" in library for library in libraries)
    assert not [name for name in libraries if re.search(r"LLVM|MLIR|clang|python3|_rgnn\.", pathlib.Path(name).name)]


@pytest.mark.long
def test_trains_to_the_losses_of_python(programs, tmp_path):
    graph, model, edges = build_rgcn()
    compiled = rgnn.compile(model.train(), fullgraph=True)
    compiled(*edges)  # with gradients: their code is saved too
    compiled.save(tmp_path / "model.rgnn")

    labels = graph.y[graph.train_idx]
    torch.save([*edges, graph.train_idx, labels], tmp_path / "data.pt")
    printed = run(programs / "train_rgcn", tmp_path / "model.rgnn", tmp_path / "data.pt", demo.EPOCHS)

    optimizer = torch.optim.Adam(compiled.parameters(), lr=0.01, weight_decay=5e-4)
    losses = []
    for _ in range(demo.EPOCHS):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(compiled(*edges)[graph.train_idx], labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 10
    assert list(map(float, printed.split())) == pytest.approx(losses, rel=0, abs=1e-6)


def test_a_program_says_what_is_wrong(programs, tmp_path):
    (tmp_path / "model.rgnn").write_bytes(b"PK\x03\x04 and nothing more")
    command = [programs / "run_model", tmp_path / "model.rgnn", "inputs.pt", "results.pt"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith("run_model: ") and "expected" in done.stderr


# ---- rgnn::Module ----------------------------------------------------------------------------------------------------


class Classifier(nn.Module):
    """Two results and dropout."""

    def __init__(self):
        super().__init__()
        self.conv, self.dropout = gnn.FastRGCNConv(16, 20, R), nn.Dropout(0.5)
        self.head = nn.ModuleDict({"attention": gnn.RGATConv(20, 7, R)})
        self.head["attention"].bias.requires_grad_(False)

    def forward(self, x, edge_index, edge_type):
        hidden = self.dropout(self.conv(x, edge_index, edge_type).relu())
        return {"hidden": hidden, "scores": self.head["attention"](hidden, edge_index, edge_type)}


class Between(nn.Module):
    """Two layers with an operator between them that no kernel computes."""

    def __init__(self, first):
        super().__init__()
        self.first, self.second = first, gnn.FastRGCNConv(20, 7, R)

    def forward(self, x, edge_index, edge_type):
        hidden = torch.cumsum(self.first(x, edge_index, edge_type), 0).relu()
        return self.second(hidden, edge_index, edge_type)


class Detached(nn.Module):
    """Its gradients are those of two parts."""

    def __init__(self):
        super().__init__()
        self.first, self.second = gnn.FastRGCNConv(16, 20, R), gnn.FastRGCNConv(20, 7, R)

    def forward(self, x, edge_index, edge_type):
        hidden = self.first(x, edge_index, edge_type)
        return hidden, self.second(hidden.detach().relu(), edge_index, edge_type)


CASES = {
    "dropout": Classifier,
    "parts": lambda: Between(gnn.RGATConv(16, 20, R)),
    "detached": Detached,
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore:rgnn. a part of the model runs in PyTorch")
def test_module(programs, tmp_path, case):
    """Results and gradients are Python's, bit for bit, and missing where Python has none."""
    arguments = inputs(dtype=torch.float32)
    torch.manual_seed(0)
    model = CASES[case]()
    compiled = rgnn.compile(model)
    compiled(*arguments)
    compiled.save(tmp_path / "model.rgnn")
    torch.save(list(arguments), tmp_path / "inputs.pt")
    command = [programs / "checks", tmp_path / "model.rgnn", tmp_path / "inputs.pt", tmp_path / "results.pt"]
    lines = run(*command).splitlines()
    assert {line for line in lines if line.startswith("parameter")} == {
        f"parameter {name} {int(parameter.requires_grad)}" for name, parameter in model.named_parameters()
    }

    order = [line.split()[1] for line in lines if line.startswith("parameter")]
    expected, missing = [], []
    for number in range(len(flat([model(*arguments)]))):
        torch.manual_seed(5)
        compiled.zero_grad()
        results = flat([compiled(*arguments)])
        results[number].square().sum().backward()
        gradients = {name: parameter.grad for name, parameter in compiled.named_parameters()}
        expected += [r.detach() for r in results] + [gradients[n] for n in order if gradients[n] is not None]
        missing += [f"no gradient {number} {name}" for name in order if gradients[name] is None]
    expected += [gradients[name] for name in order if gradients[name] is not None]  # a module that is gone
    results = torch.load(tmp_path / "results.pt")
    assert [line for line in lines if line.startswith("no gradient")] == missing
    assert len(results) == len(expected) > 2
    assert all(torch.equal(a, b) for a, b in zip(results, expected))


@torch.no_grad()
@pytest.mark.parametrize("parts", [False, True])
@pytest.mark.filterwarnings("ignore:rgnn. a part of the model runs in PyTorch")
def test_lists_that_the_model_makes(programs, tmp_path, parts):
    """Edges between numbers that nodes have, and operators of PyTorch."""
    nodes, *edges = random_graph(23, 80)
    arguments = (torch.arange(nodes).flip(0), *edges)
    torch.manual_seed(0)
    model = gnn.RGCNConv(nodes, 20, R)
    compiled = rgnn.compile((Between(model) if parts else model).eval())
    expected = compiled(*arguments)
    compiled.save(tmp_path / "model.rgnn")
    (result,), _ = run_model(programs, tmp_path, tmp_path / "model.rgnn", arguments)
    assert torch.equal(result, expected)


def test_module_says_what_is_wrong(programs, tmp_path, strict):
    arguments = inputs(dtype=torch.float32)
    compiled = rgnn.compile(Classifier(), fullgraph=True)
    compiled(*arguments)
    compiled.save(tmp_path / "model.rgnn")
    torch.save(list(arguments), tmp_path / "inputs.pt")
    command = [programs / "checks", tmp_path / "model.rgnn", tmp_path / "inputs.pt", tmp_path / "results.pt"]
    lines = run(*command, "--errors").splitlines()
    assert "call x edge_index edge_type -> ['hidden'] ['scores'] training" in lines
    errors = dict(line.removeprefix("error ").split(": ", 1) for line in lines if line.startswith("error "))
    for name, text in {
        "device": "expected device cpu, got cuda",
        "count": r"expected a call that was saved, \(x, edge_index, edge_type\) in training mode, got 2 tensors",
        "undefined": "input 2: expected a tensor, got none",
        "meta": "input 0: expected device cpu, got meta",
        "width": "input 'x': expected 16 in dimension 1",
        "dtype": "input 'x': expected float32, got float64",
        "range": "edge_index: expected",
        "wanted": "expected gradients by tensors that had some",
        "second": "expected first derivatives",
        "changed": "modified by an inplace operation",
        "autocast": "expected a call without autocast",
        "mode": "got 3 tensors in evaluation mode",
        "file": "missing.rgnn",
    }.items():
        assert re.search(text, errors[name]), (name, errors[name])


# ---- torch.ops.rgnn_module -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ops():
    torch.ops.load_library(LIBRARY)
    return torch.ops.rgnn_module


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A model, compiled, and its file."""
    torch.manual_seed(0)
    compiled = rgnn.compile(gnn.RGATConv(16, 7, R).eval(), fullgraph=True)
    with torch.no_grad():
        compiled(*inputs(dtype=torch.float32))
    path = tmp_path_factory.mktemp("saved") / "model.rgnn"
    compiled.save(path)
    return compiled, str(path)


def test_operators(ops, saved):
    compiled, path = saved
    module = ops.load(path)
    names, values, _ = ops.parameters(module)
    state = compiled.state_dict()
    assert set(names) == set(state)
    for name, value in zip(names, values):  # as bits: RGATConv leaves parameters that it does not use unset
        assert torch.equal(value.view(torch.int32), state[name].view(torch.int32))
    for nodes, edges in ((23, 80), (5, 0), (150, 900)):
        arguments = inputs(nodes, edges, dtype=torch.float32)
        with torch.no_grad():
            expected = compiled(*arguments)
            assert torch.equal(ops.forward(module, list(arguments))[0], expected)
        with torch.inference_mode():
            again = [t.clone() for t in arguments]
            assert torch.equal(ops.forward(module, again)[0], expected)
    x = arguments[0].T.contiguous().T  # other strides
    assert torch.equal(ops.forward(module, [x, *arguments[1:]])[0], expected)
    ops.unload(module)
    with pytest.raises(RuntimeError, match=f"expected a module that is loaded, got number {module}"):
        ops.forward(module, list(arguments))


@torch.no_grad()
def test_graphs_are_those_of_the_tensors(ops, saved):
    """A graph is found again by its tensors, and never by the memory that they are in."""
    compiled, path = saved
    module = ops.load(path)
    x, edge_index, edge_type = inputs(dtype=torch.float32)

    def check(edges, types):
        fresh = compiled(x, edges.clone(), types.clone())
        for _ in range(2):
            assert torch.equal(ops.forward(module, [x, edges, types])[0], fresh)
        return fresh

    before = check(edge_index, edge_type)
    edge_index[0, :9] = 3
    assert not torch.equal(check(edge_index, edge_type), before)
    edge_type.fill_(2)
    check(edge_index, edge_type)
    check(edge_index[:, 1:], edge_type[1:])
    edge_index.data = edge_index.flip(0)
    check(edge_index, edge_type)
    memory = edge_index.numpy().copy()
    for row in range(3):
        memory[0, :] = row
        check(torch.from_numpy(memory), edge_type)  # new tensors in memory that is not PyTorch's
    for seed in range(20):  # more than are kept
        check(*inputs(seed=seed)[1:])
    ops.release(module)
    check(edge_index, edge_type)
    ops.unload(module)


def test_operators_refuse(ops, saved, tmp_path):
    _, path = saved
    module = ops.load(path)
    x, edge_index, edge_type = inputs(dtype=torch.float32)
    with pytest.raises(RuntimeError, match="expected tensors that want no gradients, got one that does"):
        ops.forward(module, [x.requires_grad_(), edge_index, edge_type])
    x = x.detach()
    for wrong, message in (
        ([x, edge_index], "expected a call that was saved"),
        ([x[:, :3], edge_index, edge_type], "input 'x': expected 16 in dimension 1"),
        ([x.to_sparse(), edge_index, edge_type], "sparse"),
        ([x.cfloat(), edge_index, edge_type], "expected real numbers"),
        ([x, edge_index + 23, edge_type], "edge_index: expected"),
        ([x, edge_index, edge_type.float()], "edge_type: expected"),
    ):
        with pytest.raises((RuntimeError, NotImplementedError), match=message):
            ops.forward(module, wrong)
    with pytest.raises(RuntimeError, match="none.rgnn"):
        ops.load(str(tmp_path / "none.rgnn"))
    ops.unload(module)


@torch.no_grad()
@pytest.mark.filterwarnings("ignore:rgnn. a part of the model runs in PyTorch")
def test_operators_refuse_modules(ops, tmp_path):
    """What is saved in a way that only Python, or C++ with more than operators, can run."""
    arguments = inputs(dtype=torch.float32)
    path = str(tmp_path / "model.rgnn")

    def load(model, **options):
        compiled = rgnn.compile(model.eval())
        compiled(*arguments)
        compiled.save(path, **options)
        return ops.load(path)

    with pytest.raises(RuntimeError, match="expected a module with its weights, got one saved without"):
        ops.parameters(load(gnn.RGATConv(16, 7, R), weights=False))
    with pytest.raises(RuntimeError, match=r"rgnn::Module.*: it runs aten.cumsum \(.*py:\d+\) in PyTorch"):
        ops.forward(load(Between(gnn.RGATConv(16, 20, R))), list(arguments))
    with torch.autocast("cpu"):
        module = load(gnn.RGATConv(16, 7, R))
    with pytest.raises(RuntimeError, match="which only Python can run: it was saved under autocast to bfloat16"):
        ops.forward(module, list(arguments))


@torch.no_grad()
def test_threads_may_call_at_once(ops, saved):
    compiled, path = saved
    module = ops.load(path)
    calls = [inputs(20 + seed, 80, seed=seed, dtype=torch.float32) for seed in range(4)]
    expected = [compiled(*arguments) for arguments in calls]

    def equal(i):
        with torch.no_grad():
            return torch.equal(ops.forward(module, list(calls[i % 4]))[0], expected[i % 4])

    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        assert all(threads.map(equal, range(200)))
    ops.unload(module)


def test_only_the_stable_abi_is_linked():
    """No symbol of PyTorch's C++ interface, so that the library loads beside any version from 2.11 on."""
    needed = run("nm", "-D", "--undefined-only", LIBRARY).split()[1::2]
    of_torch = [name for name in needed if re.search(r"torch|c10|2at|aoti", name)]
    assert of_torch and all(re.match(r"(aoti_)?torch_", name) for name in of_torch)
    exported = run("nm", "-D", "--defined-only", LIBRARY)
    assert [line.split()[-1] for line in exported.splitlines()] == ["rgnn_torch_version"]
    libraries = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", LIBRARY))
    assert {name for name in libraries if "torch" in name or "c10" in name} == {"libtorch_cpu.so"}

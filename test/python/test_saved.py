"""Modules saved to a file and loaded again: the same bits, parameters, gradients and errors, without the compiler."""

import copy
import importlib
import json
import os
import pathlib
import subprocess
import sys
import warnings
import zipfile

import pytest
import rgnn
import saved_child
import torch
from configurations import METADATA, SIZES, hetero
from models import Between, Branches, Entities, HeteroStack, Net, inputs
from pyg import GRAPHS, R, gnn, rows
from rgnn import data
from torch import nn
from torch.utils import _pytree as pytree

pytestmark = pytest.mark.usefixtures("strict")

CHILD = pathlib.Path(saved_child.__file__)
PAPERS = METADATA["papers"]
WIDTHS = {"paper": 33, "author": 20, "venue": 16}
AIFB = {
    "rgcn": (lambda graph: Entities(graph.num_nodes, 16, 4, graph.num_edge_types, 30),
             lambda graph: (graph.edge_index, graph.edge_type)),
    "rgat": (lambda graph: gnn.RGATConv(16, 16, graph.num_edge_types),
             lambda graph: (rows(graph.num_nodes, 16, dtype=torch.float32), graph.edge_index, graph.edge_type)),
    "hgt": (lambda graph: gnn.HGTConv(16, 16, graph.metadata),
            lambda graph: (graph.split_nodes(rows(graph.num_nodes, 16, dtype=torch.float32)), graph.edge_index_dict)),
}  # fmt: skip


class Numbered(nn.Module):
    """Picks rows of its first weight by the numbers that it is given."""

    def __init__(self):
        super().__init__()
        self.conv = gnn.RGCNConv(23, 8, R)

    def forward(self, numbers, edge_index, edge_type):
        return self.conv(numbers, edge_index, edge_type)


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def train_step(model, args):
    for leaf in pytree.tree_leaves(model(*args)):
        if leaf.requires_grad:
            leaf.sum().backward(retain_graph=True)


def compiled_for(make, args, training=True):
    model = rgnn.compile(make().double(), fullgraph=True)
    with torch.no_grad():
        model(*args)
    if training:
        train_step(model, args)
        model.zero_grad()
    return model


def saved(tmp_path, make, args, training=True, **options):
    model = compiled_for(make, args, training)
    model.save(tmp_path / "model.rgnn", **options)
    return model, rgnn.load(tmp_path / "model.rgnn")


def equal(one, other):
    pairs = zip(pytree.tree_leaves(one), pytree.tree_leaves(other), strict=True)
    return all(same(a, b) if isinstance(a, torch.Tensor) else a == b for a, b in pairs)


def same(a, b):
    """Parameters that PyG leaves as it got them may be NaN."""
    return a.dtype == b.dtype and a.shape == b.shape and torch.allclose(a, b, rtol=0, atol=0, equal_nan=True)


# ---- another process ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=AIFB)
def aifb_model(request, tmp_path_factory):
    """A model that is compiled for aifb, its arguments, and a folder with the saved file and package."""
    torch.manual_seed(0)
    graph, (make, arguments) = data.load("aifb"), AIFB[request.param]
    model, args = rgnn.compile(make(graph), fullgraph=True), arguments(graph)
    with torch.no_grad():
        model(*args)
    train_step(model, args)
    model.zero_grad()
    folder = tmp_path_factory.mktemp(request.param)
    model.save(folder / "saved_model.rgnn")
    model.export(folder / "saved_package")
    torch.save(args, folder / "inputs.pt")
    return model, args, folder


@pytest.mark.sample(9)
@pytest.mark.parametrize("how", ["load", "importer", "package"])
def test_another_process(aifb_model, how):
    """Bit for bit what this process gives, in inference and training, without LLVM in the process."""
    model, args, folder = aifb_model
    file = folder / ("saved_package" if how == "package" else "saved_model.rgnn")
    paths = os.pathsep.join([str(CHILD.parents[2] / "python"), *filter(None, sys.path)])
    command = [sys.executable, str(CHILD), how, *map(str, (file, folder / "inputs.pt", folder / "results.pt"))]
    child = subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True)
    assert child.returncode == 0, child.stderr
    got, got_state = torch.load(folder / "results.pt", weights_only=True)
    expected, state = saved_child.run(copy.deepcopy(model), args)
    assert equal(got, expected) and equal(got_state, state) and list(got_state) == list(state)


# ---- the same model ----------------------------------------------------------------------------------------------


@pytest.mark.long
def test_other_graphs(tmp_path):
    model, loaded = saved(tmp_path, lambda: Net(0), inputs())
    for nodes, *edges in GRAPHS.values():
        args = torch.randn(nodes, 16, dtype=torch.float64), *edges
        with torch.no_grad():
            assert torch.equal(loaded(*args), model(*args))


def test_state_dict(tmp_path):
    model, loaded = saved(tmp_path, Net, inputs())
    assert equal(loaded.state_dict(), model.state_dict()) and list(loaded.state_dict()) == list(model.state_dict())
    assert [p.requires_grad for p in loaded.parameters()] == [p.requires_grad for p in model.parameters()]
    other = Net().double()
    loaded.load_state_dict(other.state_dict())
    model.load_state_dict(other.state_dict())
    assert torch.equal(loaded.conv.weight, other.conv.weight)
    results = []
    for net in (loaded.train(), model.train()):
        torch.manual_seed(1)
        with torch.no_grad():
            results.append(net(*inputs()))
    assert torch.equal(*results)


@pytest.mark.long
def test_tied_frozen_and_buffers(tmp_path):
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = gnn.RGCNConv(16, 16, R), gnn.RGCNConv(16, 16, R)
            self.second.weight = self.first.weight
            self.second.root.requires_grad_(False)
            self.register_buffer("scale", torch.rand(16))
            self.register_buffer("shift", torch.rand(16), persistent=False)

        def forward(self, x, edge_index, edge_type):
            h = self.first(x, edge_index, edge_type) * self.scale + self.shift
            return self.second(h.relu(), edge_index, edge_type)

    model, loaded = saved(tmp_path, Tied, inputs())
    assert loaded.second.weight is loaded.first.weight
    assert not loaded.second.root.requires_grad
    assert "shift" not in loaded.state_dict() and torch.equal(loaded.shift, model.shift)
    got, expected = saved_child.run(loaded, inputs()), saved_child.run(model, inputs())
    assert equal(got[0], expected[0])


def test_live_weights(tmp_path):
    """A model that is given is read at each call."""
    model, _ = saved(tmp_path, lambda: Net(0), inputs())
    own = Net(0).double()
    loaded = rgnn.load(tmp_path / "model.rgnn", model=own)
    for _ in range(2):
        with torch.no_grad():
            model.load_state_dict(own.state_dict())
            assert torch.equal(loaded(*inputs()), model(*inputs()))
            own.conv.weight.mul_(1.5)
    train_step(loaded, inputs())
    assert own.conv.weight.grad is not None
    assert not list(loaded.parameters())


@pytest.mark.long
def test_without_weights(tmp_path):
    model, loaded = saved(tmp_path, Net, inputs(), weights=False)
    assert not rgnn.inspect(tmp_path / "model.rgnn").has_weights
    with pytest.raises(rgnn.InputError, match="expected a tensor on cpu, got one on meta"), torch.no_grad():
        loaded.eval().train()(*inputs())
    loaded.load_state_dict(model.state_dict(), assign=True)
    torch.manual_seed(1)
    got = loaded(*inputs())
    torch.manual_seed(1)
    assert torch.equal(got, model(*inputs()))


@pytest.mark.long
def test_deepcopy(tmp_path):
    _, loaded = saved(tmp_path, lambda: Net(0), inputs())
    other = copy.deepcopy(loaded)
    with torch.no_grad():
        assert torch.equal(other(*inputs()), loaded(*inputs()))
        other.conv.weight.zero_()
        assert not torch.equal(other(*inputs()), loaded(*inputs()))
    with pytest.raises(TypeError, match="its file and its state_dict"):
        copy.copy(loaded).__reduce__()


def test_function(tmp_path):
    conv = gnn.RGCNConv(16, 8, R).double()

    @rgnn.compile
    def scores(x, edge_index, edge_type, *, scale):
        return {"scores": conv(x, edge_index, edge_type) * scale, "all": [x, (scale, None)]}

    with torch.no_grad():
        expected = scores(*inputs(), scale=2)
    scores.save(tmp_path / "scores.rgnn")
    loaded = rgnn.load(tmp_path / "scores.rgnn")
    with torch.no_grad():
        got = loaded(*inputs(), scale=2)
    assert got["all"][1] == (2, None) and equal(got, expected)
    known, got = r"\(x, edge_index, edge_type, scale=2\) in train mode", r"\(Tensor, Tensor, Tensor, scale=3\)"
    with pytest.raises(rgnn.InputError, match=f"expected a call that the model was saved with, {known}, got {got}"):
        loaded(*inputs(), scale=3)


# ---- modes -------------------------------------------------------------------------------------------------------


def test_dropout(tmp_path):
    """Equal seeds give equal results; both modes are in the file if both were called."""
    model = compiled_for(Net, inputs())
    model.eval()
    compiled_for_eval = model(*inputs())
    model.save(tmp_path / "model.rgnn")
    loaded = rgnn.load(tmp_path / "model.rgnn")
    assert torch.equal(loaded.eval()(*inputs()), compiled_for_eval)
    for seed in range(2):
        outcomes = []
        for one in (model.train(), loaded.train()):
            torch.manual_seed(seed)
            out = one(*inputs())
            out.sum().backward()
            outcomes.append([out, torch.rand(3), *(p.grad for p in one.parameters())])
            one.zero_grad()
        assert equal(*outcomes)


def test_mode_that_was_not_compiled(tmp_path):
    _, loaded = saved(tmp_path, Net, inputs())
    with pytest.raises(rgnn.InputError, match=r"in train mode, got \(Tensor, Tensor, Tensor\) in eval mode"):
        loaded.eval()(*inputs())


def test_autocast(tmp_path):
    args = inputs(dtype=torch.float32)
    model = rgnn.compile(Net(0).eval(), fullgraph=True)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        expected = model(*args)
    model.save(tmp_path / "model.rgnn")
    loaded = rgnn.load(tmp_path / "model.rgnn")
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        got = loaded(*args)
    assert got.dtype == expected.dtype and torch.equal(got, expected)
    with pytest.raises(rgnn.InputError, match="under autocast to torch.bfloat16, got"):
        loaded(*args)


def test_gradients_that_were_not_compiled(tmp_path):
    _, loaded = saved(tmp_path, lambda: Net(0), inputs(), training=False)
    assert not rgnn.inspect(tmp_path / "model.rgnn").trains
    out = loaded(*inputs())
    with pytest.raises(rgnn.TrainingError, match="saved without the code for these gradients"):
        out.sum().backward()


def test_fewer_gradients(tmp_path):
    """Code for the gradients of all parameters serves where some are frozen."""
    model, loaded = saved(tmp_path, lambda: Net(0), inputs())
    for one in (model, loaded):
        one.conv.weight.requires_grad_(False)
        train_step(one, inputs())
    assert loaded.conv.weight.grad is None
    assert torch.allclose(loaded.attention.weight.grad, model.attention.weight.grad, rtol=1e-12)


def test_detach(tmp_path):
    class Detached(Net):
        def forward(self, x, edge_index, edge_type):
            return super().forward(x, edge_index, edge_type) + self.conv(x, edge_index, edge_type).detach()[:, :7]

    model = rgnn.compile(Detached(0).double())
    train_step(model, inputs())
    model.save(tmp_path / "model.rgnn")
    loaded = rgnn.load(tmp_path / "model.rgnn")
    model.zero_grad()
    train_step(model, inputs())
    train_step(loaded, inputs())
    assert equal([p.grad for p in loaded.parameters()], [p.grad for p in model.parameters()])


# ---- parts that PyTorch runs -------------------------------------------------------------------------------------


@pytest.fixture
def parts():
    """Parts that run in PyTorch are no error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_fallback(tmp_path, parts):
    args = inputs(dtype=torch.float32)
    model = rgnn.compile(Between())
    train_step(model, args)
    model.save(tmp_path / "model.rgnn")
    info = rgnn.inspect(tmp_path / "model.rgnn")
    assert [op for op, _ in info.fallbacks if op.startswith("aten.cumsum")] and "runs in PyTorch" in str(info)
    model.zero_grad()
    assert equal(saved_child.run(rgnn.load(tmp_path / "model.rgnn"), args)[0], saved_child.run(model, args)[0])


def test_lists_of_edges(tmp_path):
    """Row numbers from which the model makes graphs, and their errors."""
    model = rgnn.compile(Numbered().double(), fullgraph=True)
    _, edge_index, edge_type = inputs()
    numbers = torch.randperm(23)
    args = (numbers, edge_index, edge_type)
    with torch.no_grad():
        expected = model(*args)
    model.save(tmp_path / "model.rgnn")
    loaded = rgnn.load(tmp_path / "model.rgnn")
    with torch.no_grad():
        assert torch.equal(loaded(*args), expected)
        for one in (model, loaded):
            with pytest.raises(rgnn.InputError, match="23"):
                one(numbers + 1, edge_index, edge_type)


@pytest.mark.long
def test_hetero_stack(tmp_path):
    args = hetero(PAPERS, WIDTHS, "awkward", torch.float64)
    model = compiled_for(lambda: HeteroStack(PAPERS, WIDTHS).eval(), args)
    model.save(tmp_path / "model.rgnn")
    loaded = rgnn.load(tmp_path / "model.rgnn")
    for sizes in SIZES:
        args = hetero(PAPERS, WIDTHS, sizes, torch.float64)
        with torch.no_grad():
            assert equal(loaded(*args), model(*args))


# ---- what is wrong -----------------------------------------------------------------------------------------------


def test_not_compiled(tmp_path):
    model = rgnn.compile(Net())
    with pytest.raises(rgnn.CompileError, match="got one that was not called as it is now"):
        model.save(tmp_path / "model.rgnn")
    assert not list(tmp_path.iterdir())


def test_more_than_one_graph(tmp_path, parts):
    model = rgnn.compile(Branches().double())
    model(*inputs())
    with pytest.raises(rgnn.CompileError, match="cannot be saved: "):
        model.save(tmp_path / "model.rgnn")


def test_wrong_inputs(tmp_path):
    _, loaded = saved(tmp_path, lambda: Net(0), inputs())
    x, edge_index, edge_type = inputs()
    with torch.no_grad():
        with pytest.raises(rgnn.InputError, match=r"edge_index: expected node indices in \[0, 23\)"):
            loaded(x, edge_index + 5, edge_type)
        with pytest.raises(rgnn.InputError, match="float32"):
            loaded(x.float(), edge_index, edge_type)
        with pytest.raises(rgnn.InputError, match=r"expected a call that .*\(x, edge_index, edge_type\) in train mode"):
            loaded(x, edge_index)


def test_other_parameters(tmp_path):
    saved(tmp_path, lambda: Net(0), inputs())
    wrong = {
        "conv.weight: expected float64 .5, 16, 20., got float32": Net(0),
        "conv.weight: expected float64 .5, 16, 20. in the model, got none": nn.Linear(2, 2),
    }
    for message, model in wrong.items():
        with pytest.raises(rgnn.InputError, match=message):
            rgnn.load(tmp_path / "model.rgnn", model=model)


def damaged(path, change):
    """Writes the archive again with the manifest changed."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(entries["manifest.json"])
    change(manifest)
    entries["manifest.json"] = json.dumps(manifest).encode()
    from _rgnn import write_archive

    write_archive(str(path), list(entries.items()))


DAMAGES = {
    "version": lambda m: m.update(version=99),
    "abi": lambda m: m.update(abi=99),
    "arch": lambda m: m.update(arch="vax"),
    "format": lambda m: m.update(format="zip"),
    "no calls": lambda m: m.update(calls=[]),
    "region": lambda m: m["calls"][0].update(region=7),
    "function": lambda m: m["regions"][0].update(function=-1),
    "structure": lambda m: m["calls"][0].update(returns={"pickle": 0}),
    "operator": lambda m: m["plans"].append({"num_inputs": 0, "results": [], "steps": [
        {"torch": "aten.system", "args": [], "inputs": [], "outputs": [0], "where": ""}]}),
    "dtype": lambda m: m["parameters"][0].update(dtype="save"),
    "shape": lambda m: m["parameters"][0].update(shape=[1]),
    "missing field": lambda m: m.pop("regions"),
}  # fmt: skip


@pytest.mark.sample(3)
@pytest.mark.parametrize("what", DAMAGES)
def test_damaged_manifest(tmp_path, what):
    saved(tmp_path, lambda: Net(0), inputs(), training=False)
    damaged(tmp_path / "model.rgnn", DAMAGES[what])
    with pytest.raises(rgnn.LoadError, match=r"model\.rgnn': "):
        rgnn.load(tmp_path / "model.rgnn")


def test_not_a_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="expected a saved module at"):
        rgnn.load(tmp_path / "nothing.rgnn")
    (tmp_path / "text.rgnn").write_text("no archive")
    for use in (rgnn.load, rgnn.inspect):
        with pytest.raises(rgnn.LoadError, match=r"text\.rgnn': "):
            use(tmp_path / "text.rgnn")


def test_importer_of_damaged_file(tmp_path, monkeypatch):
    """The module is found; what is wrong with its file is said when it is read."""
    (tmp_path / "damaged_model.rgnn").write_text("no archive")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("rgnn.importer")
    module = importlib.import_module("damaged_model")
    for use in (lambda: module.model, lambda: module.info, module.load):
        with pytest.raises(rgnn.LoadError, match=r"damaged_model\.rgnn': "):
            use()


def test_truncated(tmp_path):
    saved(tmp_path, lambda: Net(0), inputs(), training=False)
    whole = (tmp_path / "model.rgnn").read_bytes()
    for size in (0, 1, 30, len(whole) // 2, len(whole) - 1):
        (tmp_path / "part.rgnn").write_bytes(whole[:size])
        with pytest.raises(rgnn.LoadError, match=r"part\.rgnn': "):
            rgnn.load(tmp_path / "part.rgnn")


def test_missing_features(tmp_path):
    """Where the processor lacks a feature, the portable code runs, with the same numbers but for rounding."""
    model, _ = saved(tmp_path, lambda: Net(0), inputs())
    damaged(tmp_path / "model.rgnn", lambda m: m["targets"][0].update(features=["no-such-feature"]))
    loaded = rgnn.load(tmp_path / "model.rgnn")
    assert rgnn.inspect(tmp_path / "model.rgnn").target == "portable" and "portable" in repr(loaded)
    with torch.no_grad():
        torch.testing.assert_close(loaded(*inputs()), model(*inputs()), rtol=1e-12, atol=1e-12)
    damaged(tmp_path / "model.rgnn", lambda m: m["targets"][1].update(features=["no-such-feature"]))
    with pytest.raises(rgnn.LoadError, match="no-such-feature"), torch.no_grad():
        rgnn.load(tmp_path / "model.rgnn")(*inputs())


def test_inspect_runs_nothing(tmp_path):
    saved(tmp_path, lambda: Net(0), inputs())
    damaged(tmp_path / "model.rgnn", lambda m: m)
    info = rgnn.inspect(tmp_path / "model.rgnn")
    text = str(info)
    assert info.name == "Net" and info.trains and info.has_weights
    assert "(x: float64[?, 16], edge_index: int64[2, ?], edge_type: int64[?]), train mode" in text
    assert info.parameters[0][:2] == ("conv.weight", "float64")


def test_export_names(tmp_path):
    model = compiled_for(lambda: Net(0), inputs(), training=False)
    with pytest.raises(ValueError, match="expected a name that Python can import, got 'a-b'"):
        model.export(tmp_path / "a-b")
    with pytest.raises(rgnn.CompileError, match="was not called"):
        rgnn.compile(Net(0)).export(tmp_path / "never_called")
    assert not (tmp_path / "never_called").exists()

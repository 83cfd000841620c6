"""Verification: right models pass, wrong ones are named with a report, and nothing that the user has is touched."""

import pathlib
import re
import warnings

import odd
import pytest
import rgnn
import torch
import torch.nn.functional as F
from odd import Base, Case, model, plain, sage
from pyg import error, gnn, rows
from rgnn._dynamo.regions import CompiledRegion
from rgnn._run.training import Training
from rgnn._runner import runner_of
from rgnn._verify.call import RepeatableCall
from rgnn._verify.state import State
from torch import nn

pytestmark = pytest.mark.filterwarnings("ignore:rgnn. (a part of )?the model runs in PyTorch")


def graph(edges=9, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(6, (2, edges), generator=generator)


@pytest.fixture
def wrong(monkeypatch, tmp_path):
    """Compiled code that is wrong where there are 3 edges or more; reports go to the folder."""
    run = CompiledRegion._run
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def changed(self, tensors):
        results = run(self, tensors)
        many = any(tensor.dtype == torch.int64 and tensor.shape[-1] >= 3 for tensor in tensors)
        return [result * 1.01 for result in results] if many else results

    monkeypatch.setattr(CompiledRegion, "_run", changed)


@pytest.fixture
def count(monkeypatch):
    """Of the calls that are verified, and of the states that are copied for it."""
    counts = {"verified": 0, "copied": 0}
    verify, take = RepeatableCall.verify, State.take

    def counted(self, *args):
        counts["verified"] += 1
        return verify(self, *args)

    def copied(*args):
        counts["copied"] += 1
        return take(*args)

    monkeypatch.setattr(RepeatableCall, "verify", counted)
    monkeypatch.setattr(State, "take", copied)
    return counts


# ---- right models ----------------------------------------------------------------------------------------------------


class Trained(Base):
    """Dropout, running statistics, a list that grows, an input that is changed, and results that share memory."""

    def set_up(self):
        self.norm, self.unused, self.seen = nn.BatchNorm1d(5), nn.Linear(2, 2), []

    def forward(self, inputs, edge_index):
        x, scale = inputs["x"], inputs["scale"]
        h = F.dropout(self.norm(self.conv(x, edge_index)), 0.4, self.training)
        self.seen.append(float(h.detach().sum()))
        scale.mul_(2)
        return {"out": self.out(h), "half": h[:, :2], "all": h, "x": x}


def narrow(m, x, edge_index):
    x = x.float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        h = m.conv(x, edge_index)
        low = m.out(h.relu())
    return m.out(h.float()), low


def per_type(number):
    x, edge_index = plain(sizes=((6, 11), (9, 9), (5, 2)))(number)
    return {"x": x, "scale": rows(3, 1, number)}, edge_index


RIGHT = {
    "training": Case(Trained, per_type, leaves=False, tolerance=1e-6),
    "narrow": Case(lambda: odd.Model(narrow, conv=sage().float(), out=nn.Linear(5, 3).float()), tolerance=3e-2),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_models(name, monkeypatch, count, float64):
    """All is as without verification, which all calls have."""
    monkeypatch.setenv("RGNN_VERIFY", "3")
    odd.check(RIGHT[name])
    assert count["verified"] >= RIGHT[name].calls


def test_functions(count, strict):
    """What a function reads and writes around it."""
    layer, weight, sums = gnn.RGCNConv(4, 4, 2), torch.ones(4, requires_grad=True), []

    def run(x, edge_index, edge_type):
        h = layer(x, edge_index, edge_type) * weight
        sums.append(len(h))
        return h

    compiled = rgnn.compile(run, verify=1)
    args = rows(6, 4).float(), graph(), torch.arange(9) % 2
    assert error(compiled(*args), run(*args)) <= 1e-6
    assert sums == [6, 6] and weight.grad is None and count["verified"] == 1


def test_only_first_calls(count, strict):
    """Later calls of a version copy nothing; another version is verified, too."""
    layer = gnn.RGCNConv(4, 5, 2)
    compiled, args = rgnn.compile(layer, verify=2), (rows(6, 4).float(), graph(), torch.arange(9) % 2)
    for _ in range(4):
        compiled(*args)
    assert count == {"verified": 2, "copied": 2}
    with torch.no_grad():
        for _ in range(4):
            compiled(*args)
    assert count == {"verified": 4, "copied": 4}
    rgnn.compile(layer)(*args)
    assert count["copied"] == 4


def test_hooks_and_gradients_are_the_users(strict):
    layer, calls = gnn.RGCNConv(4, 5, 2), []
    layer.weight.register_hook(lambda gradient: calls.append("weight"))
    x = rows(6, 4).float().requires_grad_()
    h = x * layer.bias.exp().sum()  # so that gradients come to the bias by two ways
    h.register_hook(lambda gradient: calls.append("h"))
    h.retain_grad()
    out = rgnn.compile(layer, verify=1)(h, graph(), torch.arange(9) % 2)
    assert not calls and layer.weight.grad is None and h.grad is None
    out.sum().backward()
    assert sorted(calls) == ["h", "weight"] and h.grad is not None and x.grad is not None
    assert layer.bias.grad is not None


# ---- wrong ones ------------------------------------------------------------------------------------------------------


def test_wrong_result(wrong, tmp_path):
    compiled = rgnn.compile(gnn.RGCNConv(4, 5, 2), verify=1)
    args = rows(6, 4).float(), graph(), torch.arange(9) % 2
    with pytest.raises(rgnn.VerificationError, match="PyTorch: result: expected [0-9.-]+, got [0-9.-]+ at ") as caught:
        compiled(*args)
    folder = pathlib.Path(re.search("report: (.*)$", str(caught.value))[1])
    assert folder.parent == tmp_path
    report = (folder / "report.txt").read_text()
    assert "gradient of weight: expected" in report and "Options(cpu='native'" in report and torch.__version__ in report
    assert "[2, 9] of torch.int64" in report and "weight: [2, 4, 5] of torch.float32" in report
    assert "func.func @forward" in (folder / "region_0.mlir").read_text()
    (x, edge_index, edge_type), _ = torch.load(folder / "call.pt")["small_arguments"]
    assert edge_index.shape == (2, 3) and edge_type.shape == (3,) and torch.equal(x, args[0])
    with pytest.raises(rgnn.VerificationError, match=re.escape(str(folder))):
        compiled(*args)  # it stays wrong, and has one report
    assert len(list(tmp_path.iterdir())) == 1
    compiled(args[0], args[1][:, :2], args[2][:2])  # which is right


def test_wrong_gradient(monkeypatch, tmp_path, strict):
    compute = Training.compute_gradients
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(Training, "compute_gradients", lambda self, *args: [
        (number, gradient + (number == 1)) for number, gradient in compute(self, *args)])  # fmt: skip
    layer = gnn.RGCNConv(4, 5, 2)
    compiled, x = rgnn.compile(layer, verify=1), rows(6, 4).float().requires_grad_()
    with pytest.raises(rgnn.VerificationError, match=r"PyTorch: gradient of argument 0: expected [^(]*; report: "):
        compiled(x, graph(), torch.arange(9) % 2)
    assert layer.weight.grad is None
    with torch.no_grad():
        compiled(x, graph(), torch.arange(9) % 2)


class Remembers(Base):
    def set_up(self):
        self.register_buffer("mean", torch.zeros(5))
        self.count = 0

    def forward(self, x, edge_index):
        h = self.conv(x, edge_index)
        self.count += 1
        with torch.no_grad():
            self.mean.add_(h.mean(0))
        x.add_(1)
        return self.out(x[:, :1].expand(-1, 5) * torch.rand(1)), h if self.count > 9 else None


def test_wrong_buffer_and_warning(wrong):
    """With a warning, all is what PyTorch would have left behind."""
    torch.manual_seed(0)
    layer = Remembers()
    compiled, reference = rgnn.compile(layer, verify="warn"), Remembers()
    reference.load_state_dict(layer.state_dict())
    for number in range(2):
        x, other = rows(6, 4).float(), rows(6, 4).float()
        torch.manual_seed(number)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            out, _ = compiled(x, graph())
        (text,) = [str(w.message) for w in caught if "differs" in str(w.message)]
        report = pathlib.Path(re.search("report: (.*);", text)[1], "report.txt").read_text()
        differing = set(re.findall(r"^(\S[^:\n]*): expected", report.partition("## ")[0], re.MULTILINE))
        assert differing == {"result[0]", "state mean", "gradient of out.weight", "gradient of out.bias"}
        assert "differs from PyTorch: result[0]: expected" in text and text.endswith("PyTorch's result is given")
        drawn = torch.rand(1)
        torch.manual_seed(number)
        expected, _ = reference(other, graph())
        assert torch.equal(out, expected) and torch.equal(x, other) and torch.equal(drawn, torch.rand(1))
        assert torch.equal(compiled.mean, reference.mean) and compiled.count == reference.count == number + 1
    out.sum().backward()
    assert layer.out.weight.grad is not None


def test_wrong_error(monkeypatch, tmp_path):
    """Errors that PyTorch does not raise."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    compiled = rgnn.compile(gnn.RGCNConv(4, 5, 2), verify=2)
    args = rows(6, 4).float(), graph(), torch.arange(9) % 2
    compiled(*args)
    with pytest.raises(rgnn.InputError):  # PyTorch raises, too
        compiled(args[0][:3], *args[1:])
    monkeypatch.setattr(CompiledRegion, "_run", lambda self, tensors: 1 // 0)
    with pytest.raises(rgnn.VerificationError, match="raising ZeroDivisionError") as caught:
        compiled(*args)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_what_cannot_be_verified(recwarn):
    """A model that PyTorch itself runs otherwise each time."""
    drawn = torch.Generator().manual_seed(0)
    run = lambda m, x, edge_index: m.conv(x, edge_index) * torch.empty(1).uniform_(generator=drawn)  # noqa: E731
    compiled = rgnn.compile(model(run, conv=sage)(), verify=1)
    compiled(rows(6, 4).float(), graph())
    assert any("cannot be verified: in PyTorch the model gives other results" in str(w.message) for w in recwarn)


@pytest.mark.parametrize("verify", [-1, "always", 1.5])
def test_bad_settings(verify, monkeypatch):
    with pytest.raises(ValueError, match=re.escape(f"verify: expected a number of calls or 'warn', got {verify!r}")):
        rgnn.compile(nn.Linear(1, 1), verify=verify)
    monkeypatch.setenv("RGNN_VERIFY", "often")
    with pytest.raises(ValueError, match="RGNN_VERIFY: expected a number of calls or 'warn', got 'often'"):
        rgnn.compile(nn.Linear(1, 1))


def test_off(monkeypatch):
    monkeypatch.setenv("RGNN_VERIFY", "3")
    assert runner_of(rgnn.compile(nn.Linear(1, 1), verify=0))._verifier is None
    assert runner_of(rgnn.compile(nn.Linear(1, 1)))._verifier is not None

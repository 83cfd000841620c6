"""compiled.freeze: the calls that were made, without guards."""

import copy
import pickle

import pytest
import rgnn
import torch
from models import Branches, Net, inputs
from pyg import R, close, gnn
from rgnn._dynamo import frames
from torch import nn

ARGS = inputs()


def train_step(model, args):
    torch.manual_seed(1)
    out = model(*args)
    out.sum().backward()
    found = [out.detach(), *(parameter.grad for parameter in model.parameters())]
    model.zero_grad()
    return [value for value in found if value is not None]


def frozen_net():
    model = rgnn.compile(Net().double(), fullgraph=True)
    train_step(model, ARGS)
    model.eval()(*ARGS)
    return model, model.freeze()


def test_runs_what_was_called(monkeypatch):
    model, frozen = frozen_net()
    assert isinstance(frozen, Net) and not hasattr(frozen, "freeze")
    with monkeypatch.context() as patch:
        patch.setattr(frames._Callback, "__call__", None)  # TorchDynamo captures nothing for it
        got = [frozen.eval()(*inputs(31, 90)), *train_step(frozen.train(), inputs(9, 5))]
    expected = [model.eval()(*inputs(31, 90)), *train_step(model.train(), inputs(9, 5))]
    for one, other in zip(got, expected, strict=True):
        close(one, other)


def test_parameters_are_live():
    model, frozen = frozen_net()
    frozen.eval()
    with torch.no_grad():
        model.conv.weight.mul_(2)
        close(frozen(*ARGS), model(*ARGS))
        frozen.attention.bias = nn.Parameter(torch.ones_like(model.attention.bias))
        close(frozen(*ARGS), model(*ARGS))


def test_copies():
    _, frozen = frozen_net()
    frozen.eval()
    other, plain = copy.deepcopy(frozen), pickle.loads(pickle.dumps(frozen))
    assert plain._compiled_call_impl is None
    with torch.no_grad():
        close(other(*ARGS), frozen(*ARGS))
        frozen.conv.weight.zero_()
        assert not torch.equal(other(*ARGS), frozen(*ARGS))
    with pytest.raises(rgnn.InputError, match="frozen with"):
        other(*ARGS[:2])


def test_wrong_calls():
    _, frozen = frozen_net()
    x, edge_index, edge_type = ARGS
    with pytest.raises(rgnn.InputError, match=r"edge_index: expected node indices in \[0, 23\)"):
        frozen(x, edge_index + 5, edge_type)
    with pytest.raises(rgnn.InputError, match="float32"):
        frozen(x.float(), edge_index, edge_type)
    with pytest.raises(rgnn.InputError, match="16"):
        frozen(x[:, :8], edge_index, edge_type)
    with pytest.raises(rgnn.InputError, match=r"was frozen with, \(x, edge_index, edge_type\) in train mode; .* eval "
                                              r"mode, got \(Tensor, Tensor\) in eval mode"):  # fmt: skip
        frozen(x, edge_index)


def test_function():
    conv = gnn.FastRGCNConv(16, 8, R).double()

    @rgnn.compile
    def scores(x, edge_index, edge_type, *, scale):
        return {"scores": conv(x, edge_index, edge_type) * scale}

    with torch.no_grad():
        expected = scores(*ARGS, scale=2)
        close(scores.freeze()(*ARGS, scale=2)["scores"], expected["scores"])


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.mode, self.calls = gnn.FastRGCNConv(16, 8, R), "sum", 0

    def forward(self, x, edge_index, edge_type):
        return self.conv(x, edge_index, edge_type) * (2 if self.mode == "sum" else 3)


class Counted(Scaled):
    def forward(self, *args):
        self.calls += 1
        return super().forward(*args)


@torch.no_grad()
@pytest.mark.filterwarnings("ignore")
def test_what_is_refused():
    changed = rgnn.compile(Scaled().double())
    with pytest.raises(rgnn.CompileError, match="cannot be frozen: .* not called"):
        changed.freeze()
    changed(*ARGS)
    close(changed.freeze()(*ARGS), changed(*ARGS))
    changed.mode = "mean"
    changed(*ARGS)
    with pytest.raises(rgnn.CompileError, match="changed between calls: .*mode"):
        changed.freeze()
    for model, message in ((Counted(), "it has a side effect: it sets calls"),
                           (Branches(), r"models.py:\d+: Unsupported: Data-dependent branching")):
        model = rgnn.compile(model.double())
        model(*ARGS)
        with pytest.raises(rgnn.CompileError, match=f"cannot be frozen: {message}"):
            model.freeze()

"""Gradients where a function has no derivative, or an infinite one: PyTorch's zeros, infinities and NaN."""

import pytest
import rgnn
import torch
import torch.nn.functional as F
from pyg import random_graph

pytestmark = pytest.mark.usefixtures("strict")

ZEROS = [0.0, -1.5, 1.0, 2.0]
FUNCTIONS = {
    "atan2": lambda x, y: torch.atan2(x, y),
    "sign": lambda x, y: x.sign() + y.sign() * 2,
    "root of abs": lambda x, y: x.abs().sqrt() + y,
    "log of abs": lambda x, y: x.abs().log() * y,
    "reciprocal root of abs": lambda x, y: x.abs().rsqrt() + y,
    "root of relu": lambda x, y: x.relu().sqrt() + y,
    "root of square": lambda x, y: (x * x).sqrt() + y,
    "pow": lambda x, y: x.abs().pow(y),
    "pow of a number": lambda x, y: x.abs().pow(-0.5) + y.abs().pow(1.5),
    "norm": lambda x, y: torch.stack([x, y], dim=1).norm(dim=1),
    "ratio": lambda x, y: x / y,
    "clamp": lambda x, y: x.clamp(0, 1) + y.clamp(min=-1.5),
    "acosh": lambda x, y: (x.abs() + 1).acosh() + (y.relu() + 1).acosh(),
    "atanh": lambda x, y: x.atanh() + y,
    "fmod": lambda x, y: torch.fmod(x, y) + torch.remainder(y, x) + torch.floor_divide(x.detach(), y.detach()),
    "saturated": lambda x, y: -(1 - (40 * x).sigmoid() + 1e-15).log() + F.binary_cross_entropy(
        (40 * y).sigmoid(), (x > 0).to(x.dtype), reduction="none"),
    "certain": lambda x, y: y + F.binary_cross_entropy(
        x.clamp(0, 1), y.detach().clamp(0, 1), y.abs().detach(), reduction="none"),
    "ties with constants": lambda x, y: torch.maximum(x, torch.zeros_like(x)) + torch.minimum(torch.ones_like(y), y),
    "sinc": lambda x, y: x.sinc() + F.hardsigmoid(torch.where(y < 0, 2 * y, y + 3)),
    "hypot": lambda x, y: torch.hypot(x, y) + torch.hypot(1e200 * x, 1e200 * y) + torch.hypot(1e-200 * x, y - y),
    "copysign": lambda x, y: torch.copysign(x, y) + torch.copysign(2 + x, -y),
    "atan": lambda x, y: x.atan() + y.tan(),
    "asin": lambda x, y: (0.4 * x).asin() + y.asinh(),
    "acos": lambda x, y: (0.4 * x).acos() + (1e100 * y).asinh(),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_like_pytorch(name):
    function = FUNCTIONS[name]

    def model(x, y, edge_index):
        rows = function(x, y)[edge_index[0]]
        return rows.new_zeros(x.shape).index_add(0, edge_index[1], rows)

    compiled = rgnn.compile(model, fullgraph=True)
    pairs = torch.tensor([(a, b) for a in ZEROS for b in ZEROS], dtype=torch.float64)
    x, y = (pairs[:, [number]].expand(-1, 2).clone().requires_grad_() for number in range(2))
    edge_index = random_graph(len(pairs), 60)[1]
    outcomes = []
    for call in (model, compiled):
        out = call(x, y, edge_index)
        outcomes.append((out.detach(), *torch.autograd.grad(out.sum(), (x, y), allow_unused=True)))
    for own, got in zip(*outcomes, strict=True):
        assert (own is None) == (got is None)
        assert own is None or torch.allclose(got, own, rtol=1e-12, atol=1e-12, equal_nan=True)


def test_zeros_or_none():
    """Of what is compared there is no gradient; of a sign there are zeros."""

    def model(x, scale, edge_index):
        rows = (x * torch.where(scale > 0, 2.0, 1.0))[edge_index[0]]
        return torch.zeros_like(x).index_add(0, edge_index[1], rows)

    def signed(x, scale, edge_index):
        return model(x, scale.detach(), edge_index) * scale.sign()

    edge_index = random_graph(9, 30)[1]
    for function, expects in ((model, False), (signed, True)):
        x = torch.randn(9, 3).requires_grad_()
        scale = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
        for call in (function, rgnn.compile(function)):
            gradient = torch.autograd.grad(call(x, scale, edge_index).sum(), [x, scale], allow_unused=True)[1]
            assert (gradient is not None) == expects
            assert gradient is None or torch.equal(gradient, torch.zeros(3))

"""``torch.autograd.Function`` in a model: what scales gradients is compiled, other backwards are PyTorch's."""

import copy

import pytest
import rgnn
import torch
import torch.nn.functional as F
from pyg import versions
from rgnn._runner import runner_of
from test_rows import graph, rows
from test_two_sets import step
from torch import nn


class Artanh(torch.autograd.Function):
    """Of hyperbolic layers: the slope is finite at the border, which float32 rounds to one."""

    @staticmethod
    def forward(ctx, x):
        x = x.clamp(-1 + 1e-7, 1 - 1e-7)
        ctx.save_for_backward(x)
        return torch.log_(1 + x).sub_(torch.log_(1 - x)).mul_(0.5)

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient / (1 - x**2)


class Reversed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        return gradient.neg() * ctx.factor, None


class Sign(torch.autograd.Function):
    """Straight through, but for numbers that are large."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        gradient = gradient.clone()
        gradient[x.abs() > 1] = 0
        return gradient


class Product(torch.autograd.Function):
    """The gradient of one factor is twice what it is."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, gradient):
        x, y = ctx.saved_tensors
        return gradient * y, 2 * gradient.mul(x)


class Infinite(torch.autograd.Function):
    """Slopes that are no numbers leave the values as they are."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.relu()

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient * x.relu().reciprocal()


class Clipped(torch.autograd.Function):
    """No scaling: each gradient is cut off."""

    @staticmethod
    def forward(ctx, x):
        return x.sin()

    @staticmethod
    def backward(ctx, gradient):
        return F.hardtanh(gradient)


class Squared(torch.autograd.Function):
    """No scaling: the gradient times itself."""

    @staticmethod
    def forward(ctx, x):
        return x.tanh()

    @staticmethod
    def backward(ctx, gradient):
        return gradient * gradient


class Summed(torch.autograd.Function):
    """No scaling of elements: the gradient of a row is that of all of them."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient.sum(0, keepdim=True).expand_as(gradient)


FUNCTIONS = {
    "artanh": lambda x: Artanh.apply(x * 2), "reversed": lambda x: Reversed.apply(x, 0.3), "sign": Sign.apply,
    "product": lambda x: Product.apply(x, x.sin()), "infinite": Infinite.apply,
    "of a number": lambda x: Product.apply(x, x[:, :1].sum(1, keepdim=True).expand_as(x).contiguous()),
}  # fmt: skip
LEFT = {"clipped": Clipped.apply, "squared": Squared.apply, "summed": Summed.apply}


class Model(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.lin, self.function = nn.Linear(6, 6), function

    def forward(self, x, edge_index):
        made = self.function(self.lin(x))
        near = torch.zeros_like(made).index_add(0, edge_index[1], self.function(made[edge_index[0]] * 0.3))
        return near, made


def compare(function, dtype):
    torch.manual_seed(3)
    model = Model(function).to(dtype)
    compiled = rgnn.compile(copy.deepcopy(model))
    bound = 1e-10 if dtype == torch.float64 else 2e-4
    for sizes in ((9, 20), (4, 0), (30, 80), (1, 3)):
        args = rows(sizes[0], 6).to(dtype), graph(*sizes)
        for got, expected in zip(step(compiled, args), step(model, args), strict=True):
            torch.testing.assert_close(got, expected, rtol=bound, atol=bound, equal_nan=True)
        with torch.no_grad():
            torch.testing.assert_close(compiled(*args), model(*args), rtol=bound, atol=bound, equal_nan=True)
    return compiled


@pytest.mark.sample(2)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_scaled_gradients(name, dtype):
    assert versions(compare(FUNCTIONS[name], dtype)) <= 2  # with gradients and without


@pytest.mark.parametrize("name", LEFT)
def test_other_backwards(name):
    fallbacks = [told for version in runner_of(compare(LEFT[name], torch.float64)).versions
                 for told in version.fallbacks]  # fmt: skip
    assert any("autograd.Function" in why for _, why, _ in fallbacks)


def test_operator_in_pytorch():
    """The operator that the compiler takes, by its own gradient in PyTorch."""
    value, by, slope = (rows(4, 3).requires_grad_() for _ in range(3))
    out = torch.ops.rgnn.with_slope(value, by, slope)
    assert torch.equal(out, value)
    own, scaled, none = torch.autograd.grad(out.sin().sum(), [value, by, slope], allow_unused=True)
    torch.testing.assert_close(own, value.cos())
    torch.testing.assert_close(scaled, value.cos() * slope)
    assert none is None

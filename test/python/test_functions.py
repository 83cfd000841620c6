"""Functions that kernels compute as polynomials: as close to the right values as libm's are."""

import pytest
import rgnn
import torch

RANGES = [(0.0, 0.8), (-4.0, 4.0), (-1e3, 1e3), (-1e6, 1e6), (-2.1e9, 2.1e9)]
ODD = [0.0, -0.0, 1e-40, -1e-40, 355.0, 2.0**31, -(2.0**31), 3e9, -1e20, float("inf"), float("-inf"), float("nan")]


class OfSources(torch.nn.Module):
    """The function of the rows that edges lead from."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, edge_index):
        return torch.zeros_like(x).index_add(0, edge_index[1], self.function(x[edge_index[0]]))


def compiled(function, x):
    model = rgnn.compile(OfSources(function), fullgraph=True)
    every = torch.arange(len(x))
    with torch.no_grad():
        return model(x, torch.stack([every, every.flip(0)])).flip(0)


@pytest.mark.parametrize("width", [1, 3, 64])
@pytest.mark.parametrize("function", [torch.sin, torch.cos])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_sin_and_cos(dtype, function, width):
    draws = torch.Generator().manual_seed(0)
    x = torch.cat([torch.rand(width * 400, dtype=dtype, generator=draws) * (high - low) + low for low, high in RANGES])
    # Next to whole quarters of turns, where one of the two is nearly 0.
    quarters = torch.arange(-width * 100, width * 100, dtype=torch.float64) * (torch.pi / 2)
    x = torch.cat([x, quarters.to(dtype)]).view(-1, width)
    found, exact = compiled(function, x).double(), function(x.double())
    eps = torch.finfo(dtype).eps
    # libm is within half a last digit, and float64's own values next to zeros are the reference's.
    assert ((found - exact).abs() <= 1.5 * eps * exact.abs()).all()


@pytest.mark.parametrize("function", [torch.sin, torch.cos])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_where_polynomials_end(dtype, function):
    """Zeros, tiny numbers, and those for which libm is asked; each beside others."""
    odd = torch.tensor(ODD, dtype=dtype)
    for x in (odd.view(-1, 1), torch.stack([odd, torch.full_like(odd, 0.5), odd.flip(0)], 1)):
        found, expected = compiled(function, x), function(x) + 0.0
        torch.testing.assert_close(found, expected, rtol=2 * torch.finfo(dtype).eps, atol=0, equal_nan=True)


def test_sine_of_a_zero_has_its_sign():
    x = torch.tensor([[0.0, -0.0]])
    assert compiled(lambda x: 1 / torch.sin(x), x).tolist() == [[float("inf"), float("-inf")]]

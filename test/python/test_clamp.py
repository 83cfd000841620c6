"""Bounds, greatest and least numbers: gradients where numbers are equal are those of the PyTorch at hand."""

import itertools

import pytest
import rgnn
import torch
from torch import nn

NAN = float("nan")
# Of a number and two bounds.
WAYS = {
    "two tensors": lambda x, least, most: x.clamp(least, most),
    "lower tensor": lambda x, least, most: x.clamp(min=least),
    "upper tensor": lambda x, least, most: torch.clamp_max(x, most),
    "two numbers": lambda x, least, most: x.clamp(0, 1),
    "lower number": lambda x, least, most: x.clamp_min(1),
    "upper number": lambda x, least, most: torch.clip(x, max=1.0),
    "equal numbers": lambda x, least, most: x.clamp(1, 1),
    "numbers the wrong way around": lambda x, least, most: x.clamp(2, 0),
    "greatest": lambda x, least, most: torch.fmax(least, most) * x.nan_to_num(),
    "least": lambda x, least, most: torch.fmin(least, most) + x,
    "in place": lambda x, least, most: (x * 1).clamp_(0, 2),
}


class Clamped(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, least, most, edge_index):
        source, target = edge_index
        return torch.zeros_like(x).index_add(0, target, self.function(x, least, most)[source])


@pytest.mark.parametrize("way", WAYS)
def test_bounds(way):
    grid = torch.tensor(list(itertools.product([0, 1, 2, NAN], [0, 1, 2], [0, 1, 2])), dtype=torch.float64)
    edge_index = torch.arange(len(grid)).repeat(2, 1)
    model = Clamped(WAYS[way])
    found = []
    for each in (model, rgnn.compile(model, fullgraph=True)):
        given = [column[:, None].repeat(1, 3).requires_grad_() for column in grid.T]
        out = each(*given, edge_index)
        loss = (out.nan_to_num() * torch.linspace(1, 2, len(grid), dtype=out.dtype)[:, None]).sum()
        gradients = torch.autograd.grad(loss, given, allow_unused=True)
        found.append([out, *gradients])
    for expected, got in zip(*found, strict=True):
        assert (expected is None) == (got is None)
        if expected is not None:
            torch.testing.assert_close(got, expected, rtol=1e-12, atol=1e-12, equal_nan=True)

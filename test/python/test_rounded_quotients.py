"""A layer whose messages are quotients that are rounded: results and gradients are PyTorch's, and all is compiled."""

import copy

import pytest
import rgnn
import torch
from torch import nn
from torch_geometric.nn import MessagePassing


class Binned(MessagePassing):
    """How often the numbers of one end go into those of the other."""

    def __init__(self, mode):
        super().__init__(aggr="sum")
        self.mode = mode
        self.scale = nn.Linear(8, 8, bias=False)

    def forward(self, x, edge_index):
        return self.propagate(edge_index, x=self.scale(x), width=x)

    def message(self, x_i, x_j, width_j):
        by_end = torch.div(x_i, x_j, rounding_mode=self.mode)
        by_number = torch.div(x_i, 0.25, rounding_mode=self.mode)
        parts = [by_end * x_j, by_number + x_i]
        if self.mode is not None:  # the gradient of another quotient is infinite there
            by_some_zeros = torch.div(x_j, width_j.round(), rounding_mode=self.mode)
            parts.append(by_some_zeros.nan_to_num(7.0, 9.0, -9.0))
        return torch.cat(parts, 1)


def values(numbers, dtype):
    return torch.randn(numbers, 8, dtype=dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("mode", [None, "trunc", "floor"])
def test_same_as_pytorch(mode, dtype):
    torch.manual_seed(0)
    model = Binned(mode).to(dtype)
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    bound = 1e-5 if dtype == torch.float32 else 1e-10
    for nodes, edges in [(7, 20), (30, 12), (5, 0)]:
        x, edge_index = values(nodes, dtype), torch.randint(nodes, (2, edges))
        outcomes = []
        for each in (model, compiled):
            wanting = x.clone().requires_grad_()
            out = each(wanting, edge_index)
            outcomes.append([out.detach(), *torch.autograd.grad(out.sin().sum(), [wanting, *each.parameters()])])
        for own, got in zip(*outcomes, strict=True):
            torch.testing.assert_close(got, own, rtol=bound, atol=bound * max([1, *own.abs().flatten().tolist()]),
                                       equal_nan=True)  # fmt: skip


def test_a_divisor_of_zero_passes_no_gradient():
    """Where PyTorch's rounded quotient is infinite, its gradient is zero."""
    x = torch.tensor([[1.0, -1.0, 0.0, 2.0]], dtype=torch.float64).repeat(3, 1)
    by = torch.tensor([[0.0, 0.0, 0.0, -0.0]], dtype=torch.float64).repeat(3, 1)
    edge_index = torch.tensor([[0, 2], [1, 1]])

    def model(x, by, edge_index):
        quotient = torch.div(x, by, rounding_mode="floor")
        return quotient, torch.zeros_like(x).index_add(0, edge_index[1], quotient[edge_index[0]])

    compiled, found = rgnn.compile(model, fullgraph=True), []
    for each in (model, compiled):
        given = [x.clone().requires_grad_(), by.clone().requires_grad_()]
        quotient, total = each(*given, edge_index)
        found.append([quotient.detach(), total.detach(), *torch.autograd.grad(quotient.sum() + total.sum(), given)])
    for own, got in zip(*found, strict=True):
        torch.testing.assert_close(got, own, equal_nan=True)
    assert not found[1][2].any() and not found[1][3].any()

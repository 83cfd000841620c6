"""Functions of rows and lists of edges, compiled and compared with PyTorch on graphs of several sizes."""

import os

import rgnn
import torch
from pyg import GRAPHS, error, rows
from torch import nn

WIDTH = 6


def outcome(call, x, edge_index, parameters):
    """A result and its gradients, of numbers that differ for each."""
    out = call(x, edge_index, *parameters)
    weights = torch.linspace(-1, 1, out.numel(), dtype=out.dtype).view(out.shape)
    return [out.detach(), *torch.autograd.grad((out * weights).sum(), [x, *parameters], allow_unused=True)]


def is_noise(got, expected):
    """Whether two results are zero but for the rounding of terms of the size of 1."""
    return all(bool((tensor.abs() <= torch.finfo(got.dtype).eps).all()) for tensor in (got, expected))


def check(function, dtype, parameters=(), bound=None):
    """``function(x, edge_index, *parameters)`` and its gradients, on all graphs, against PyTorch in float64.

    In float32, twice PyTorch's own error is allowed; a gradient that cancels out is rounding alone.
    """
    bound = bound or (1e-10 if dtype == torch.float64 else 1e-5)
    compiled = rgnn.compile(function, fullgraph=True)
    narrow = [nn.Parameter(p.to(dtype)) for p in parameters]
    exact = [nn.Parameter(p.detach().double()) for p in narrow]
    for nodes, edge_index, _ in GRAPHS.values():
        x = rows(nodes, WIDTH, dtype=dtype).requires_grad_()
        expected = outcome(function, x.detach().double().requires_grad_(), edge_index, exact)
        own, got = (outcome(call, x, edge_index, narrow) for call in (function, compiled))
        for right, one, other in zip(expected, own, got, strict=True):
            assert (one is None) == (other is None)
            assert one is None or is_noise(other, right) or error(other, right) <= max(bound, 2 * error(one, right))
        with torch.no_grad():
            assert error(compiled(x, edge_index, *narrow), expected[0]) <= max(bound, 2 * error(own[0], expected[0]))


def summed(message):
    """A model that adds up what ``message`` makes of the rows of sources, and of parameters."""

    def model(x, edge_index, *parameters):
        made = message(x[edge_index[0]], *parameters)
        return made.new_zeros(x.size(0), *made.shape[1:]).index_add(0, edge_index[1], made)

    return model


def in_both_precisions(names):
    """Each name in float64, and every third in float32, or each where RGNN_CHECK is "all"."""
    narrow = list(names) if os.environ.get("RGNN_CHECK") == "all" else list(names)[::3]
    return [(name, torch.float64) for name in names] + [(name, torch.float32) for name in narrow]

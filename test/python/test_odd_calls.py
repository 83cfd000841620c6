"""What models do while they run: random draws, branches, modes of autograd, and Python of all kinds."""

import functools
import random

import pytest
import torch
import torch.nn.functional as F
from odd import EMPTY, SMALL, Case, Model, check, linear, model, plain, sage, square
from pyg import gnn
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch_geometric.utils import add_self_loops, dropout_edge, softmax, to_dense_batch

pytestmark = pytest.mark.usefixtures("float64")
head, even = {"conv": sage, "out": linear}, {"conv": square}


# ---- random draws ----------------------------------------------------------------------------------------------------


def draws(m, x, edge_index):
    order = torch.randperm(x.size(0))
    x = x[order] + torch.randn_like(x) * 0.1
    h = m.conv(x, edge_index)
    keep = torch.bernoulli(torch.full((h.size(0), 1), 0.7))
    return m.out(h * keep) + torch.rand(3), torch.normal(0.0, 1.0, (2,)), torch.randint(5, (3,))


def python_random(m, x, edge_index):
    x = m.conv(x, edge_index)
    if random.random() < 0.5:
        x = -x
    return m.out(x) * random.choice([1, 2, 3])


def edge_dropout(m, x, edge_index):
    kept, mask = dropout_edge(edge_index, 0.4, training=m.training)
    return m.out(m.conv(x, kept).relu()), mask


# ---- branches --------------------------------------------------------------------------------------------------------


def data_branch(m, x, edge_index):
    h = m.conv(x, edge_index)
    if (h > 0).any():
        h = h - h.max()
    return m.out(h) if h.sum().item() < 0 else h


def converges(m, x, edge_index):
    steps = 0
    while steps < 5:
        new = 0.3 * m.conv(x, edge_index)
        change, x, steps = (new - x).abs().sum(), new, steps + 1
        if change.item() < 5:
            break
    return x, steps


def shapes(m, x, edge_index):
    if edge_index.numel() == 0:
        return torch.zeros(x.size(0), 3)
    h = m.conv(x, edge_index)
    if len(h) == 1:
        return m.out(h).squeeze(0)
    return m.out(h) if x.size(0) < edge_index.size(1) else h


def from_max(m, x, edge_index):
    n = int(edge_index.max()) + 1 if edge_index.numel() else 0
    return m.conv(x[:n], edge_index)


def catches(m, x, edge_index):
    h = m.conv(x, edge_index)
    try:
        return h[3] + [1, 2][len(x) % 3]
    except IndexError:
        return h * 2


def asserts(m, x, edge_index):
    m.tries = getattr(m, "tries", 0) + 1
    h = m.conv(x, edge_index)
    assert x.size(0) == edge_index.size(1), "as many nodes as edges"
    if x.size(0) > 3:
        raise KeyError(x.size(0))
    return h


# ---- modes of autograd -----------------------------------------------------------------------------------------------


def stops(m, x, edge_index):
    with torch.no_grad():
        target = m.conv(x, edge_index)
        with torch.enable_grad():
            h = m.conv(x, edge_index).relu()
    return m.out(h - target), h.detach(), h + (h.round() - h).detach(), target


class Momentum(Model):
    @torch.no_grad()
    def target(self, x, edge_index):
        return self.conv(x, edge_index).mean(0)

    def forward(self, x, edge_index):
        return self.out(self.conv(x, edge_index) - self.target(x, edge_index))


def autocast(m, x, edge_index):
    x = x.float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        h = m.conv(x, edge_index)
        low = m.out(h.relu())
    return m.out(h.float()), low


def checkpointed(m, x, edge_index):
    h = checkpoint(m.conv, x, edge_index, use_reentrant=False).relu()
    return checkpoint(lambda h: F.dropout(m.out(h), 0.3), h, use_reentrant=False)


def inference(m, x, edge_index):
    with torch.inference_mode():
        scale = m.conv(x, edge_index).abs().mean().item() if len(x) else 1.0
    return m.out(m.conv(x, edge_index)) / scale


def forces(m, pos, edge_index):
    """An energy and its derivative, which is differentiated again."""
    with torch.enable_grad():
        pos = pos.requires_grad_()
        src, dst = edge_index
        messages = (pos[src] - pos[dst]).pow(2).tanh()
        energy = m.lin(torch.zeros_like(pos).index_add_(0, dst, messages)).sum()
        (force,) = torch.autograd.grad(energy, pos, create_graph=True)
    return energy, -force


def no_grad(m, args, kwargs):
    with torch.no_grad():
        return m(*args)


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.factor * grad, None


def reverses(m, x, edge_index):
    h = m.conv(x, edge_index)
    return m.out(Reverse.apply(h, 0.5)), h


# ---- Python in forward -----------------------------------------------------------------------------------------------


def recursive(m, x, edge_index, depth=2):
    return x if depth == 0 else recursive(m, m.conv(x, edge_index).tanh(), edge_index, depth - 1) + x


def closures(m, x, edge_index):
    total = 0

    def add(value):
        nonlocal total
        total = total + value
        return value

    steps = [lambda h: add(m.conv(h, edge_index)), functools.partial(F.leaky_relu, negative_slope=0.3), m.out]
    return functools.reduce(lambda h, step: step(h), steps, x), total


def generates(m, x, edge_index):
    def hops(h):
        for hop in range(2):
            h = m.conv(h, edge_index)
            yield hop, h

    return sum(h / (hop + 1) for hop, h in hops(x)), [*range(2)]


def penalised(m, x, edge_index):
    penalty = sum(p.pow(2).sum() for name, p in m.named_parameters() if name.endswith("weight"))
    return m.conv(x, edge_index), penalty


class Gated(gnn.MessagePassing):
    """A layer as users write it, with messages and updates of their own."""

    def __init__(self):
        super().__init__(aggr=["sum", "max"])
        self.gate, self.lin = nn.Linear(8, 4), nn.Linear(8, 3)

    def forward(self, x, edge_index):
        edge_index, _ = add_self_loops(edge_index, num_nodes=x.size(0))
        return self.propagate(edge_index, x=x)

    def message(self, x_i, x_j, index, size_i):
        return softmax(self.gate(torch.cat([x_i, x_j], -1)), index, num_nodes=size_i) * x_j

    def update(self, out):
        return self.lin(out)


def dense(m, x, edge_index):
    h = m.conv(x, edge_index)
    padded, mask = to_dense_batch(h, torch.arange(len(h)) // 2)
    return padded.mean(1), mask


CASES = {
    "draws": Case(model(draws, **head)), "python random": Case(model(python_random, **head)),
    "edge dropout": Case(model(edge_dropout, **head)), "branch on data": Case(model(data_branch, **head)),
    "until it converges": Case(model(converges, **even)), 
    "branches on shapes": Case(model(shapes, **head), plain(sizes=((1, 1), (3, 0), (9, 4)))),
    "size from indices": Case(model(from_max, conv=sage), plain(sizes=EMPTY)),
    "IndexError caught": Case(model(catches, conv=sage), plain(sizes=((5, 8), (2, 2), (3, 4)))),
    "errors raised": Case(model(asserts, conv=sage), plain(sizes=((2, 2), (2, 3), (4, 4)))),
    "stopped gradients": Case(model(stops, **head)),
    "decorated": Case(lambda: Momentum(None, conv=sage(), out=linear())),
    "autocast": Case(lambda: Model(autocast, conv=sage().float(), out=linear().float()), tolerance=3e-2),
    "checkpointed": Case(model(checkpointed, **head)), "inference mode": Case(model(inference, **head)),
    "forces": Case(model(forces, lin=lambda: nn.Linear(4, 1)), plain(sizes=SMALL)),
    "forces without gradients": Case(model(forces, lin=lambda: nn.Linear(4, 1)), call=no_grad),
    "reversed gradient": Case(model(reverses, **head)), "recursion": Case(model(recursive, **even)),
    "closures": Case(model(closures, **head)), "generators": Case(model(generates, **even)),
    "penalty of weights": Case(model(penalised, **head)), "own layer": Case(Gated, plain(sizes=SMALL)),
    "dense": Case(model(dense, conv=sage)),
}  # fmt: skip


@pytest.mark.sample(7)
@pytest.mark.parametrize("name", CASES)
def test_calls(name):
    """Results, gradients and errors are those of the same calls in PyTorch."""
    check(CASES[name])

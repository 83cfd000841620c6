"""Operators of users, models that call them, and what these are compared by."""

import numpy
import rgnn
import torch
from pyg import random_graph, rows
from torch import Tensor, nn
from torch_geometric import utils

SIZES = [(10, 30), (7, 41), (1, 5), (5, 1), (3, 0), (0, 0)]  # nodes and edges of one call after the other


# ---- operators -------------------------------------------------------------------------------------------------------


@rgnn.register_op("rgnn_test::clip", rows="each")
def clip(x: Tensor, limit: float) -> Tensor:
    return torch.tanh(x / limit) * limit


def _clip_by_numpy(x: Tensor, limit: float) -> Tensor:
    return torch.from_numpy(numpy.tanh(x.detach().numpy() / limit) * limit)


def _keep_result(ctx, inputs, output):
    ctx.save_for_backward(output)
    ctx.limit = inputs[1]


def _clip_backward(ctx, gradient):
    (result,) = ctx.saved_tensors
    return gradient * (1 - (result / ctx.limit) ** 2), None


clip_by_numpy = rgnn.register_op("rgnn_test::clip_by_numpy", _clip_by_numpy, rows="each", backward=_clip_backward,
                                 setup_context=_keep_result)  # fmt: skip
lowered_clip = rgnn.register_op("rgnn_test::lowered_clip", _clip_by_numpy, rows="each",
                                lowering=lambda x, limit: torch.tanh(x / limit) * limit)  # fmt: skip


class OldRelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: "Tensor") -> "Tensor":
        ctx.save_for_backward(x)
        return torch.from_numpy(numpy.maximum(x.detach().numpy(), 0))

    @staticmethod
    def backward(ctx, gradient):
        return gradient * (ctx.saved_tensors[0] > 0)


class NewRelu(torch.autograd.Function):
    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return torch.from_numpy(numpy.maximum(x.detach().numpy(), 0))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, gradient):
        return gradient * (ctx.saved_tensors[0] > 0)


old_relu = rgnn.register_op("rgnn_test::old_relu", OldRelu, rows="each")
new_relu = rgnn.register_op("rgnn_test::new_relu", NewRelu, rows="each")


@rgnn.register_op("rgnn_test::halves", rows="each", fake=lambda x: (x[:, ::2].contiguous(), x[:, 1::2].contiguous()))
def halves(x: Tensor) -> tuple[Tensor, Tensor]:
    return x[:, ::2].contiguous(), x[:, 1::2].sin()


@rgnn.register_op("rgnn_test::mix", rows="each", shared=("weight", "bias"),
                  fake=lambda x, y, weight, bias=None: x @ weight)  # fmt: skip
def mix(x: Tensor, y: list[Tensor], weight: Tensor, bias: Tensor | None = None) -> Tensor:
    return (x + sum(y)) @ weight + (0 if bias is None else bias)


@rgnn.register_op("rgnn_test::attend", rows="each", index="edge_index", shared="x")
def attend(x: Tensor, edge_index: Tensor) -> Tensor:
    return torch.sigmoid(x[edge_index[0]] * x[edge_index[1]])


@rgnn.register_op("rgnn_test::normalise", rows="group", index="index")
def normalise(x: Tensor, index: Tensor, nodes: int) -> Tensor:
    return utils.softmax(x, index, num_nodes=nodes)


def _spread(x: Tensor, index: Tensor, nodes: int) -> Tensor:
    """The standard deviation of the rows of each node, but for a constant."""
    zeros = x.new_zeros(nodes, x.shape[1])
    counts = x.new_zeros(nodes).index_add(0, index, x.new_ones(index.shape[0])).clamp(min=1)[:, None]
    mean, square = zeros.index_add(0, index, x) / counts, zeros.index_add(0, index, x * x) / counts
    return (square - mean * mean + 0.1).sqrt()


spread = rgnn.register_op("rgnn_test::spread", _spread, rows="reduce", index="index", size="nodes")
lowered_spread = rgnn.register_op("rgnn_test::lowered_spread", _spread, rows="reduce", index="index", size="nodes",
                                  lowering=_spread)  # fmt: skip


@rgnn.register_op("rgnn_test::push", rows="sum", index="edge_index", size="x", shared=("x",),
                  fake=lambda x, edge_index, weight: torch.empty_like(x))  # fmt: skip
def push(x: Tensor, edge_index: Tensor, weight: Tensor) -> Tensor:
    messages = x[edge_index[0]].sigmoid() * weight[:, None]
    return torch.zeros_like(x).index_add(0, edge_index[1], messages)


class Net(nn.Module):
    """Sums over neighbours before and behind something, which gets rows of nodes and the ends of edges."""

    def __init__(self, body):
        super().__init__()
        self.first, self.second = nn.Linear(6, 8), nn.Linear(8, 4)
        self.mixing, self.body = nn.Parameter(torch.eye(8) + 0.1), body

    def forward(self, x, edges):
        return add_neighbours(self.second(self.body(self, add_neighbours(self.first(x), edges), edges)), edges)


def add_neighbours(x, edges):
    return x.index_add(0, edges[1], x[edges[0]])


def per_edge(make):
    """What adds up, per destination, something made of each edge's rows."""

    def body(net, x, edge_index):
        messages = make(x[edge_index[0]] * x[edge_index[1]].cos(), edge_index[1], x.shape[0])
        return x.new_zeros(x.shape[0], 8).index_add(0, edge_index[1], messages)

    return body


BODIES = {
    "nodes": lambda net, x, edges: clip(x, 1.5),
    "its own gradient": lambda net, x, edges: clip_by_numpy(x, 1.5),
    "old function": lambda net, x, edges: old_relu(x),
    "new function": lambda net, x, edges: new_relu(x),
    "edges": per_edge(lambda x, index, nodes: clip(x, 0.5) * 2),
    "two results": lambda net, x, edges: torch.cat(halves(x), 1).sin(),
    "one of two results": lambda net, x, edges: torch.cat([halves(x)[1]] * 2, 1).sin(),
    "shared": lambda net, x, edges: mix(x, [x * 2, x.sin()], net.mixing).tanh(),
    "optional": lambda net, x, edges: mix(x, [], net.mixing, net.mixing[0]).tanh(),
    "ends": lambda net, x, edges: x.new_zeros(x.shape[0], 8).index_add(0, edges[1], attend(x, edges) * x[edges[0]]),
    "group": per_edge(lambda x, index, nodes: normalise(x.sin(), index, nodes) * x),
    "reduce": lambda net, x, edges: spread(x[edges[0]] * x[edges[1]], edges[1], x.shape[0]) + x,
    "sum": lambda net, x, edges: push(x, edges, x[edges[0]].sum(1)) * x,
}
LOWERED = {
    "nodes": lambda net, x, edges: lowered_clip(x, 1.5),
    "edges": per_edge(lambda x, index, nodes: lowered_clip(x, 0.5) * 2),
    "reduce": lambda net, x, edges: lowered_spread(x[edges[0]] * x[edges[1]], edges[1], x.shape[0]) + x,
}


def inputs(nodes, edges, dtype=torch.float64):
    return rows(nodes, 6, seed=nodes, dtype=dtype), random_graph(nodes, edges, seed=edges)[1]


def run(model, x, edges):
    """The result of a call, and gradients of a sum that weights it, by the rows and all parameters."""
    x = x.clone().requires_grad_()
    out = model(x, edges)
    sources = [x, *model.parameters()]
    found = torch.autograd.grad((out * torch.arange(out.numel()).view_as(out).cos()).sum(), sources, allow_unused=True)
    return [out.detach(), *found]


def check_calls(model, compiled, tolerance=1e-10, dtype=torch.float64, sizes=SIZES):
    for nodes, edges in sizes:
        given = inputs(nodes, edges, dtype)
        for got, expected in zip(run(compiled, *given), run(model, *given), strict=True):
            assert (got is None) == (expected is None)
            if got is not None:
                torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)
    return compiled._compiled_call_impl.runner.versions if hasattr(compiled._compiled_call_impl, "runner") else ()

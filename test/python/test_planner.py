"""Models that are compiled in part, written as users write them: no fault of RGNN's own has PyTorch run them."""

import os
import re
import warnings
from traceback import FrameSummary

import pytest
import rgnn
import torch
import torch.nn.functional as F
import torch_geometric
from checks import gradients
from pyg import R, awkward, error, gnn, rows
from rgnn._capture.places import place_of_frames
from rgnn._dynamo.boundaries import repeat_integers
from rgnn._dynamo.partition import Partition, Reason
from rgnn._dynamo.text import origin_of
from rgnn._runner import runner_of
from torch import nn
from torch.fx import Graph
from torch.utils import _pytree as pytree
from torch_geometric.utils import add_self_loops, degree, remove_self_loops, scatter, softmax

W = 8


class Changed(nn.Module):
    """Changes in place, of results of layers, of a column, and of a slice that others see."""

    def __init__(self):
        super().__init__()
        self.conv, self.skip = gnn.GraphConv(W, W), nn.Linear(W, W)

    def forward(self, x, edge_index, edge_type):
        out = self.conv(x, edge_index)
        out += self.skip(x)
        out.relu_()
        out = out * 0.5
        out[:, 0] = 0
        out += 1
        return out


class Normalised(nn.Module):
    """Attention by the cosine of projected ends."""

    def __init__(self):
        super().__init__()
        self.project, self.out = nn.Linear(W, W), nn.Linear(2 * W, W)

    def forward(self, x, edge_index, edge_type):
        source, target = edge_index
        z = F.normalize(self.project(x), dim=-1)
        alpha = softmax((z[source] * z[target]).sum(-1), target, num_nodes=x.size(0))
        out = scatter(alpha.unsqueeze(-1) * z[source], target, dim=0, dim_size=x.size(0))
        return F.normalize(self.out(torch.cat([out, x], -1)), p=2.0, dim=-1)


class Masked(nn.Module):
    """A loop over relations, each with a mask over edges."""

    def __init__(self):
        super().__init__()
        self.weights = nn.ParameterList([nn.Parameter(torch.randn(W, W)) for _ in range(R)])

    def forward(self, x, edge_index, edge_type):
        out = torch.zeros_like(x)
        for relation, weight in enumerate(self.weights):
            source, target = edge_index[:, edge_type == relation]
            out.index_add_(0, target, x[source] @ weight)
        return out


class Chosen(Masked):
    """The same with torch.where."""

    def forward(self, x, edge_index, edge_type):
        out = 0
        for relation, weight in enumerate(self.weights):
            message = x[edge_index[0]] @ weight
            message = torch.where((edge_type == relation).unsqueeze(-1), message, torch.zeros_like(message))
            index = edge_index[1].unsqueeze(-1).expand_as(message)
            out = out + torch.zeros_like(x).scatter_add_(0, index, message)
        return out


class Stacked(nn.Module):
    """Layers and norms from lists, skips, and the largest of all layers."""

    def __init__(self):
        super().__init__()
        net = nn.Sequential(nn.Linear(W, W), nn.ReLU(), nn.Linear(W, W))
        self.convs = nn.ModuleList([gnn.SAGEConv(W, W, "max"), gnn.GATConv(W, W // 4, 4), gnn.GINConv(net)])
        self.norms = nn.ModuleList([nn.LayerNorm(W), nn.BatchNorm1d(W), gnn.GraphNorm(W)])

    def forward(self, x, edge_index, edge_type):
        seen = []
        for conv, norm in zip(self.convs, self.norms):
            x = x + F.dropout(norm(conv(x, edge_index)).relu(), 0.2, self.training)
            seen.append(x)
        return torch.stack(seen).max(0)[0]


class Gated(nn.Module):
    """Gated messages and a recurrent cell for each hop."""

    def __init__(self):
        super().__init__()
        self.cell, self.gate = nn.GRUCell(W, W), nn.Linear(2 * W, 1)
        self.hops = nn.ModuleDict({"near": nn.Linear(W, W), "far": nn.Linear(W, W)})

    def forward(self, x, edge_index, edge_type):
        state = x
        for hop in ("near", "far"):
            gate = torch.sigmoid(self.gate(torch.cat([state[edge_index[0]], state[edge_index[1]]], 1)))
            message = self.hops[hop](state)[edge_index[0]] * gate
            state = self.cell(torch.zeros_like(state).index_add(0, edge_index[1], message), state)
        return state


class Pooled(nn.Module):
    """Attention over the nodes of each graph of a batch, and two poolings."""

    def __init__(self):
        super().__init__()
        self.conv, self.score, self.out = gnn.GCNConv(W, W), nn.Linear(W, 1), nn.Linear(2 * W, 3)

    def forward(self, x, edge_index, edge_type):
        batch = torch.arange(x.size(0)) % 3
        hidden = self.conv(x, edge_index).relu()
        weighted = softmax(self.score(hidden), batch, num_nodes=3) * hidden
        pooled = [gnn.global_add_pool(weighted, batch, 3), gnn.global_max_pool(hidden, batch, 3)]
        return self.out(torch.cat(pooled, 1)).log_softmax(-1)


class Looped(nn.Module):
    """GCN as it is written by hand."""

    def __init__(self):
        super().__init__()
        self.linear, self.bias = nn.Linear(W, W, bias=False), nn.Parameter(torch.zeros(W))

    def forward(self, x, edge_index, edge_type):
        edge_index, _ = add_self_loops(remove_self_loops(edge_index)[0], num_nodes=x.size(0))
        row, col = edge_index
        factor = degree(col, x.size(0), dtype=x.dtype).pow(-0.5)
        factor[torch.isinf(factor)] = 0
        message = (factor[row] * factor[col]).view(-1, 1) * self.linear(x)[row]
        return torch.zeros_like(x).index_add_(0, col, message) + self.bias


class Rotated(nn.Module):
    """Complex rotations by relation, and a mean by counts that are made with bincount."""

    def __init__(self):
        super().__init__()
        self.phase, self.out = nn.Embedding(R, W // 2), nn.Linear(W, W)

    def forward(self, x, edge_index, edge_type):
        phase = self.phase(edge_type)
        real, imaginary = x[edge_index[0]].chunk(2, -1)
        cos, sin = phase.cos(), phase.sin()
        message = torch.cat([real * cos - imaginary * sin, real * sin + imaginary * cos], -1)
        count = torch.bincount(edge_index[1], minlength=x.size(0)).clamp(min=1).unsqueeze(-1)
        return torch.tanh(self.out(torch.zeros_like(x).index_add(0, edge_index[1], message) / count))


class Edges(nn.Module):
    """States of edges and of nodes in turn."""

    def __init__(self):
        super().__init__()
        self.edge, self.node = nn.Linear(3 * W, W), nn.Linear(2 * W, W)
        self.start = nn.Parameter(torch.randn(R, W))

    def forward(self, x, edge_index, edge_type):
        state = self.start[edge_type]
        for _ in range(2):
            state = state + F.elu(self.edge(torch.cat([x[edge_index[0]], x[edge_index[1]], state], -1)))
            index = edge_index[1].view(-1, 1).expand(-1, W)
            largest = torch.zeros_like(x).scatter_reduce_(0, index, state, "amax", include_self=False)
            x = x + F.gelu(self.node(torch.cat([x, largest], -1)))
        return x, state


class Several(gnn.MessagePassing):
    """A layer of one's own with three aggregations, whose messages are scaled by an integer."""

    def __init__(self):
        super().__init__(aggr=["mean", "max", "std"])
        self.project, self.out = nn.Linear(W, W), nn.Linear(3 * W, W)

    def forward(self, x, edge_index, edge_type):
        return self.out(self.propagate(edge_index, x=self.project(x), edge_type=edge_type))

    def message(self, x_i, x_j, edge_type):
        return F.leaky_relu(x_i - x_j) * (edge_type.view(-1, 1) + 1)


class Kinds(nn.Module):
    """A linear layer for each kind of nodes, written to masked rows."""

    def __init__(self):
        super().__init__()
        self.linears, self.conv = nn.ModuleList(nn.Linear(W, W) for _ in range(3)), gnn.TransformerConv(W, W)

    def forward(self, x, edge_index, edge_type):
        kind = torch.arange(x.size(0)) % 3
        hidden = x.new_zeros(x.size(0), W)
        for number, linear in enumerate(self.linears):
            hidden[kind == number] = linear(x[kind == number])
        return self.conv(hidden, edge_index)


class Scored(nn.Module):
    """Nodes that score low are masked; and the mean of those that stay."""

    def __init__(self):
        super().__init__()
        self.conv, self.weight = gnn.SAGEConv(W, W, project=True), nn.Parameter(torch.randn(W))

    def forward(self, x, edge_index, edge_type):
        hidden = self.conv(x, edge_index)
        score = (hidden * self.weight).sum(-1) / self.weight.norm()
        keep = score > 0
        hidden = (hidden * score.tanh().unsqueeze(-1)).masked_fill(~keep.unsqueeze(-1), 0.0)
        return hidden, hidden.sum(0) / keep.sum().clamp(min=1)


class Counted(nn.Module):
    """Integers that are changed in place, and are read by what is compiled and by PyTorch."""

    def __init__(self):
        super().__init__()
        self.conv = gnn.SAGEConv(W, W)

    def forward(self, x, edge_index, edge_type):
        count = torch.zeros(x.shape[0], dtype=torch.long)
        count.scatter_add_(0, edge_index[1], torch.ones_like(edge_index[1]))
        return self.conv(x, edge_index) * count.unsqueeze(-1), count.cumsum(0), count > 2


class Layer(nn.Module):
    """A layer of PyG, which is called with types where it takes them."""

    def __init__(self, layer):
        super().__init__()
        self.layer, self.typed = layer, isinstance(layer, gnn.RGCNConv)

    def forward(self, x, edge_index, edge_type):
        return self.layer(x, edge_index, edge_type) if self.typed else self.layer(x, edge_index)


MODELS = {cls.__name__: cls for cls in (Changed, Normalised, Masked, Chosen, Stacked, Gated, Pooled, Looped, Rotated,
                                        Edges, Several, Kinds, Scored, Counted)}  # fmt: skip
MODELS |= {
    "projected maxima": lambda: Layer(gnn.SAGEConv(W, W, "max", project=True, normalize=True)),
    "maxima by relation": lambda: Layer(gnn.RGCNConv(W, W, R, aggr="max")),
}


def floats(results):
    return [leaf for leaf in pytree.tree_leaves(results) if leaf.is_floating_point()]


@pytest.mark.sample(10)
@pytest.mark.parametrize("name", MODELS)
def test_values_and_reasons(name):
    """PyTorch's values and gradients, in the first call and in the next; what PyTorch runs of it has a reason."""
    torch.manual_seed(0)
    model = MODELS[name]().double().eval()
    compiled, (nodes, *graph) = rgnn.compile(model), awkward()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(2):
            args = rows(nodes, W, seed), *graph
            with torch.no_grad():
                for got, expected in zip(floats(compiled(*args)), floats(model(*args)), strict=True):
                    assert error(got, expected) <= 1e-10
            both = [gradients(lambda *args, call=call: floats(call(*args)), list(call.parameters()), args)
                    for call in (compiled, model)]  # fmt: skip
            for got, expected in zip(*both, strict=True):
                assert (got is None) == (expected is None)
                assert got is None or torch.allclose(got, expected, rtol=1e-10, atol=1e-10)
    versions = runner_of(compiled).versions
    assert versions[0].regions and not any(version.broken for version in versions)
    for _, reason, where in (fallback for version in versions for fallback in version.fallbacks):
        assert not re.search(r"\b(Key|Value|Assertion|Index|Type|Attribute|Runtime)Error\b", reason), reason
        assert where.startswith(("torch_geometric/nn/", "test_planner.py:")), where


@torch.no_grad()
def test_lines_are_of_layers():
    """What helpers of PyG compute is named by the line of a layer, or of the user, that calls them."""

    class Softmax(nn.Module):
        def forward(self, x, edge_index, edge_type):
            return softmax(x.cumsum(0), edge_index[1].flip(0), num_nodes=x.size(0), dim=0)

    nodes, edge_index, edge_type = awkward()
    found = rgnn.explain(Softmax(), rows(edge_index.shape[1], W), edge_index, edge_type).fallbacks
    assert found and {re.sub(r":\d+$", "", where) for *_, where in found} == {"test_planner.py"}
    files = [f"{os.path.dirname(torch_geometric.__file__)}/{path}" for path in ("nn/conv/rgcn_conv.py", "backend.py")]
    assert place_of_frames([FrameSummary(file, 7, "f") for file in files])[0] == "torch_geometric/nn/conv/rgcn_conv.py"


@torch.no_grad()
def test_sizes_that_pytorch_needs_too():
    """What PyTorch makes in the number of nodes leaves the layer that aggregates to as many compiled."""

    class Filled(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = gnn.SAGEConv(W, W)

        def forward(self, x, edge_index, edge_type):
            return self.conv(x, edge_index), torch.zeros(x.shape[0], dtype=x.dtype).cumsum(0) + x.cumsum(0)[:, 0]

    report = rgnn.explain(Filled().double(), rows(23, W), *awkward()[1:])
    assert report.kernels and not any("sage_conv" in where for *_, where in report.fallbacks)


def test_changed_integers_are_not_repeated():
    """PyTorch reads what compiled nodes change in place: a copy of what is changed would miss the change."""
    graph = Graph()
    given, value = graph.placeholder("given"), torch.arange(3)
    made = graph.call_method("clone", (given,))
    change = graph.call_method("add_", (made, 1))
    other = graph.call_method("neg", (given,))
    read = graph.call_method("cumsum", (made, 0))
    also = graph.call_method("cumsum", (other, 0))
    dead = graph.call_method("clone", (given,))
    dead_change = graph.call_method("add_", (dead, 1))
    graph.output((read, also))
    copy, gone = value.clone(), value.clone()
    for node, result in ((given, value), (made, copy), (change, copy), (other, -value), (read, value.clone()),
                         (also, value.clone()), (dead, gone), (dead_change, gone)):  # fmt: skip
        node.meta["example_value"] = result
    partition = Partition(graph, {change: [made], dead_change: [dead]})
    partition.reasons.update({read: Reason("no rule for it"), also: Reason("no rule for it")})
    assert repeat_integers(partition)
    assert made in partition.reasons and read.args[0] is made
    assert also.args[0] is not other and origin_of(also) is given
    assert dead not in graph.nodes and dead_change not in graph.nodes and change in graph.nodes
    assert partition.regions() == [] or change not in partition.regions()[0]

"""Compiled models among what PyTorch does with modules: copies, optimizers, hooks, other precisions, other modes."""

import copy
import io
import pickle
import warnings

import pytest
import rgnn
import torch
from models import Net, compiled_net, inputs, same
from pyg import GRAPHS, R, error, gnn, rows, versions
from rgnn._runner import runner_of
from torch import nn
from torch.utils._pytree import tree_leaves
from torch_geometric.utils import scatter

pytestmark = pytest.mark.usefixtures("strict")


def is_compiled(module):
    return runner_of(module) is not None


def step(model, args, rate=0.1):
    """One step of training; gives the loss."""
    model.zero_grad()
    loss = model(*args).square().mean()
    loss.backward()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter -= rate * parameter.grad
    return loss.detach()


# ---- copies ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("called_before", [False, True])
def test_deepcopy(called_before):
    """A copy is compiled, and what happens to its parameters is its own."""
    model, compiled = compiled_net()
    args = inputs()
    if called_before:
        step(compiled, args)
    other = copy.deepcopy(compiled)
    reference = copy.deepcopy(model)
    assert is_compiled(other) and type(other) is Net and not is_compiled(reference)
    assert not {id(p) for p in other.parameters()} & {id(p) for p in compiled.parameters()}
    for _ in range(3):
        assert error(step(other, args), step(reference, args)) <= 1e-10
    assert same(reference, other, args) and same(model, compiled, args)
    with torch.no_grad():
        assert error(other(*args), compiled(*args)) > 1e-6
    step(compiled, args, rate=0.5)
    assert same(reference, other, args) and same(model, compiled, args)
    assert versions(other) == 1 and versions(compiled) == 1
    third = copy.deepcopy(other)
    other.eval(), third.train()
    assert is_compiled(third) and third.training and not other.training


def test_deepcopy_keeps_options():
    compiled = rgnn.compile(Net(), options=rgnn.Options(cache=False), fullgraph=True)
    runner = runner_of(copy.deepcopy(compiled))
    assert runner.options == rgnn.Options(cache=False) and runner.fullgraph


class Holder(nn.Module):
    """A compiled layer twice, a plain one with the same parameters, and one of its own."""

    def __init__(self):
        super().__init__()
        self.plain = gnn.FastRGCNConv(16, 16, R).double()
        self.first = self.again = rgnn.compile(self.plain, fullgraph=True)
        self.output = nn.Linear(16, 4).double()

    def forward(self, x, edge_index, edge_type):
        for layer in (self.first, self.again, self.plain):
            x = layer(x, edge_index, edge_type).relu()
        return self.output(x)


def test_deepcopy_of_what_holds_a_compiled_module():
    model, args = Holder(), inputs()
    other = copy.deepcopy(model)
    assert is_compiled(other.first) and other.first is other.again and not is_compiled(other.plain)
    assert other.plain.weight is other.first.weight and other.first.weight is not model.first.weight
    assert error(step(other, args), step(model, args)) <= 1e-10
    assert same(model, other, args) and versions(other.first) == 1
    average = torch.optim.swa_utils.AveragedModel(model)
    average.update_parameters(model)
    assert is_compiled(average.module.first) and same(model, average, args)


def test_pickled_is_the_plain_model():
    model, compiled = compiled_net()
    args = inputs()
    step(compiled, args)
    saved = io.BytesIO()
    torch.save(compiled, saved)
    saved.seek(0)
    loaded = [pickle.loads(pickle.dumps(compiled)), torch.load(saved, weights_only=False), copy.copy(compiled)]
    for other in loaded:
        assert type(other) is Net and vars(other).keys() == vars(copy.copy(model)).keys()
        assert not is_compiled(other) and not is_compiled(copy.deepcopy(other))
        assert same(model, other, args) and same(model, rgnn.compile(other, fullgraph=True), args)
    assert same(model, compiled, args) and versions(compiled) == 1


# ---- parameters between steps ----------------------------------------------------------------------------------------


def pair(fullgraph=True):
    """A model in training mode without dropout, and the same compiled, with parameters of their own."""
    torch.manual_seed(0)
    reference = Net(0.0).double()
    return reference, rgnn.compile(copy.deepcopy(reference), fullgraph=fullgraph)


def follow(reference, compiled, args, change=lambda model, number: None, steps=4, bound=1e-9):
    """Trains both; ``change`` is done to each before each step."""
    for number in range(steps):
        for model in (reference, compiled):
            change(model, number)
        own, got = step(reference, args), step(compiled, args)
        assert got.dtype == own.dtype and error(got, own) <= bound
        for one, other in zip(compiled.parameters(), reference.parameters(), strict=True):
            assert (one.grad is None) == (other.grad is None) and error(one.detach(), other.detach()) <= bound


def test_load_state_dict_between_steps():
    reference, compiled = pair()
    saved = copy.deepcopy(reference.state_dict())
    assert compiled.state_dict().keys() == saved.keys()
    follow(reference, compiled, inputs(), lambda model, number: model.load_state_dict(saved) if number % 2 else None)
    assigned = copy.deepcopy(reference.state_dict())

    def assign(model, number):
        model.load_state_dict(copy.deepcopy(assigned), assign=True)

    follow(reference, compiled, inputs(), assign)
    assert versions(compiled) == 1


def test_precision_between_steps():
    """float64, float32, float64 again; gradients have the precision of their parameters."""
    reference, compiled = pair()
    for dtype, bound in ((torch.float64, 1e-9), (torch.float32, 1e-4), (torch.float64, 1e-4)):
        for model in (reference, compiled):
            model.to(dtype)
        follow(reference, compiled, inputs(dtype=dtype), bound=bound)
        assert all(parameter.grad.dtype == dtype for parameter in compiled.parameters() if parameter.grad is not None)
    assert versions(compiled) == 2


def replace_data(model, number):
    """As optimizers with flat or averaged parameters do."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.data = parameter.data * 0.9 if number % 2 else parameter.data.clone()


def replace_parameters(model, number):
    model.conv.weight = nn.Parameter(model.conv.weight.detach() * 0.9)


def freeze(model, number):
    for index, parameter in enumerate(model.parameters()):
        parameter.requires_grad_(index % 4 != number)


@pytest.mark.parametrize("change", [replace_data, replace_parameters, freeze])
def test_changes_between_steps(change):
    reference, compiled = pair()
    follow(reference, compiled, inputs(), change)
    assert versions(compiled) == 1


@pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.AdamW, torch.optim.LBFGS, torch.optim.Rprop])
def test_optimizers(kind):
    reference, compiled = pair()
    args = inputs()
    for model in (reference, compiled):
        optimizer = kind(model.parameters(), lr=0.01)

        def closure(model=model, optimizer=optimizer):
            optimizer.zero_grad()
            loss = model(*args).square().mean()
            loss.backward()
            return loss

        for _ in range(3):
            optimizer.step(closure)
    for one, other in zip(compiled.parameters(), reference.parameters(), strict=True):
        assert error(one.detach(), other.detach()) <= 1e-9
    assert versions(compiled) == 1


def test_without_gradients_between_steps():
    """A call in inference mode first, whose tensors of the graph are those of the training that follows."""
    reference, compiled = pair()
    args = inputs()

    def evaluate(model, number):
        mode = torch.inference_mode() if number % 2 == 0 else torch.no_grad()
        with mode:
            out = model(*args)
        assert not out.requires_grad and out.is_inference() == (number % 2 == 0)

    follow(reference, compiled, args, evaluate)
    with torch.inference_mode():
        expected = reference(*args)
        assert error(compiled(*args), expected) <= 1e-9
    assert versions(compiled) == 1


def test_graph_of_inference_mode():
    """What inference mode made cannot be kept for a backward, in eager too; a clone can."""
    reference, compiled = pair()
    with torch.inference_mode():
        x, *edges = inputs()
        assert error(compiled(x, *edges), reference(x, *edges)) <= 1e-10
    for model in (reference, compiled):
        with pytest.raises(RuntimeError, match="Inference tensors "):
            model(x, *edges)
    follow(reference, compiled, (x.clone(), *(tensor.clone() for tensor in edges)))


def test_parametrization():
    """Weights that are computed from others at each call."""

    class Scaled(nn.Module):
        def forward(self, weight):
            return weight.tanh() * 2

    reference = Net(0.0).double()
    nn.utils.parametrize.register_parametrization(reference.conv, "root", Scaled())
    compiled = rgnn.compile(copy.deepcopy(reference))
    args = inputs()
    for _ in range(3):
        assert error(step(compiled, args), step(reference, args)) <= 1e-9
    for one, other in zip(compiled.parameters(), reference.parameters(), strict=True):
        assert error(one.detach(), other.detach()) <= 1e-9


def test_tied_weights():
    """One parameter in two layers: its gradient is the sum."""

    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = (gnn.FastRGCNConv(16, 16, R) for _ in range(2))
            self.second.weight = self.first.weight

        def forward(self, x, edge_index, edge_type):
            return self.second(self.first(x, edge_index, edge_type).relu(), edge_index, edge_type)

    reference = Tied().double()
    compiled = rgnn.compile(copy.deepcopy(reference), fullgraph=True)
    assert compiled.second.weight is compiled.first.weight
    follow(reference, compiled, inputs())

    def untie(model, number):
        if number == 0:
            model.second.weight = nn.Parameter(model.first.weight.detach() * 2)

    follow(reference, compiled, inputs(), untie)


# ---- what a loss asks for --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["forward_pre", "forward", "full_backward_pre", "full_backward"])
def test_hooks(way):
    """PyTorch runs a model with hooks, which are called; without them compiled code is used again."""
    reference, compiled = pair(fullgraph=False)
    args, calls = inputs(), []
    follow(reference, compiled, args, steps=1)
    register = f"register_{way}_hook"
    handles = [
        getattr(model.conv, register)(lambda module, *_: calls.append(module)) for model in (reference, compiled)
    ]
    with pytest.warns(UserWarning, match="the model runs in PyTorch: conv: it has hooks"):
        follow(reference, compiled, args, steps=1)
    assert calls == [reference.conv, compiled.conv]
    for handle in handles:
        handle.remove()
    follow(reference, compiled, args, steps=1)
    assert len(calls) == 2
    assert len(compiled._compiled_call_impl.runner.versions) <= 2  # a full backward hook leaves an attribute behind


def test_hooks_of_parameters():
    """They need no PyTorch run: gradients reach them."""
    _, compiled = pair()
    shapes = []
    compiled.conv.weight.register_hook(lambda gradient: shapes.append(gradient.shape) or gradient * 0)
    compiled.conv.weight.register_post_accumulate_grad_hook(lambda parameter: shapes.append(parameter.shape))
    step(compiled, inputs())
    assert shapes == [compiled.conv.weight.shape] * 2 and not compiled.conv.weight.grad.any()
    assert versions(compiled) == 1


class TwoResults(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.attention = gnn.FastRGCNConv(16, 16, R), gnn.RGATConv(16, 7, R)
        self.output = nn.Linear(16, 3)

    def forward(self, x, edge_index, edge_type):
        h = self.conv(x, edge_index, edge_type).relu()
        return self.attention(h, edge_index, edge_type), self.output(h)


@pytest.mark.parametrize("used", [0, 1])
def test_one_result_of_two(used):
    """What only the other result depends on has no gradient."""
    model = TwoResults().double()
    compiled = rgnn.compile(model, fullgraph=True)
    x, *edges = inputs()
    x.requires_grad_()
    sources = [x, *model.parameters()]
    own, got = (
        torch.autograd.grad(call(x, *edges)[used].square().sum(), sources, allow_unused=True)
        for call in (model, compiled)
    )
    assert any(gradient is None for gradient in own)
    for one, other in zip(got, own, strict=True):
        assert (one is None) == (other is None)
        assert one is None or error(one, other) <= 1e-10


CORNERS = {
    "elu": lambda x: nn.functional.elu(x, 1.3),
    "sigmoid": torch.sigmoid,
    "silu": nn.functional.silu,
    "tanh": torch.tanh,
    "gelu": nn.functional.gelu,
    "relu": torch.relu,
    "leaky_relu": nn.functional.leaky_relu,
    "clamp": lambda x: x.clamp(-1.0, 2.0),
    "clamp_min": lambda x: x.clamp(min=0.0),
    "clamp_max": lambda x: x.clamp(max=0.0),
    "abs": torch.abs,
    "softplus": lambda x: nn.functional.softplus(x, beta=2.0),
    "mish": nn.functional.mish,
    "selu": nn.functional.selu,
    "celu": lambda x: nn.functional.celu(x, 0.5),
    "hardtanh": lambda x: nn.functional.hardtanh(x, -1.0, 2.0),
    "relu6": nn.functional.relu6,
    "logsigmoid": nn.functional.logsigmoid,
    "threshold": lambda x: nn.functional.threshold(x, 1.0, -2.0),
    "masked_fill": lambda x: x.masked_fill((x == 0) | ~(x < 80), 1.0),
    "softmax": lambda x: x.softmax(dim=1),
    "log_softmax": lambda x: x.log_softmax(dim=1),
    "norm": lambda x: torch.linalg.vector_norm(x, dim=1),
    "norm of nothing": lambda x: torch.linalg.vector_norm(x * 0, dim=1, keepdim=True),
    "rounded down": lambda x: torch.div(x, x.flip(1).clamp(-9, 9), rounding_mode="floor").clamp(-9, 9),
    "rounded to zero": lambda x: torch.div(x, x.flip(1).clamp(-9, 9), rounding_mode="trunc").clamp(-9, 9),
    "cross": lambda x: torch.cross(x[:, :3], x[:, 3:6], dim=1),
    "cross of heads": lambda x: torch.linalg.cross(x.view(-1, 5, 3), x.view(-1, 5, 3).sigmoid()),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", CORNERS)
def test_corners(name, dtype):
    """Where a branch begins, and far from it, gradients are PyTorch's, and no NaN."""
    values = [0.0, -0.0, -1.0, 1.0, 2.0, 6.0, 20.0, 88.0, -88.0, 709.0, -709.0, 1e3, -1e3, 1e-30, -1e-30]
    x = torch.tensor(values, dtype=dtype).repeat(3, 1).requires_grad_()
    edge_index = torch.tensor([[0, 2], [1, 1]])

    def model(x, edge_index):
        h = CORNERS[name](x)
        return h, scatter(h[edge_index[0]], edge_index[1], 0, x.size(0), "sum")

    own, got = (torch.cat(call(x, edge_index)) for call in (model, rgnn.compile(model, fullgraph=True)))
    (own_gradient,), (got_gradient,) = (torch.autograd.grad(out.sum(), x) for out in (own, got))
    bound = 1e-12 if dtype == torch.float64 else 1e-6
    torch.testing.assert_close(got, own, rtol=bound, atol=bound)
    assert got_gradient.isfinite().all()
    torch.testing.assert_close(got_gradient, own_gradient, rtol=bound, atol=bound)


def test_rows_without_numbers():
    """No kernel has vectors of no numbers: what computes them runs in PyTorch."""
    edge_index = torch.tensor([[0, 2], [1, 1]])

    def model(x, edge_index):
        return scatter(x.sum(dim=1, keepdim=True)[edge_index[0]], edge_index[1], 0, x.size(0), "sum")

    x = torch.randn(3, 0, requires_grad=True)
    with pytest.warns(UserWarning, match="its rows have no numbers"):
        own, got = model(x, edge_index), rgnn.compile(model)(x, edge_index)
    torch.testing.assert_close(got, own)
    (own_gradient,), (got_gradient,) = (torch.autograd.grad(out.sum(), x) for out in (own, got))
    torch.testing.assert_close(got_gradient, own_gradient)


# ---- what is detached ------------------------------------------------------------------------------------------------


class Detached(nn.Module):
    """Two layers and a function of their results that detaches something."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.first, self.second = gnn.FastRGCNConv(16, 16, R), gnn.RGATConv(16, 16, R)

    def forward(self, x, edge_index, edge_type):
        def layer(h):
            return self.second(h, edge_index.detach(), edge_type)

        return self.function(x, self.first(x, edge_index, edge_type).relu(), layer)


def with_no_grad(x, h, layer):
    with torch.no_grad():
        gate = layer(h).softmax(dim=1)
    return gate * h


DETACHED = {  # what is detached, and whether all is compiled
    "a layer's input": (lambda x, h, layer: layer(h.detach()) + h, True),
    "a result of rows": (lambda x, h, layer: layer(h) + h.detach().exp(), True),
    "a layer's result": (lambda x, h, layer: layer(h).detach() * h, True),
    "the model's input": (lambda x, h, layer: layer(x.detach()) * h, True),
    "two results": (lambda x, h, layer: (layer(h.detach()), layer(h.detach() * 2) * h, h * 2), True),
    "a result that is returned": (lambda x, h, layer: (h.detach(), h * 2), True),
    "in parts": (lambda x, h, layer: layer((h / 10).cumsum(0).detach()) * h, False),
    "no_grad": (with_no_grad, True),
    "a maximum": (lambda x, h, layer: layer(h - h.detach().amax(1, keepdim=True)) * h.round(), True),
    "a straight-through estimate": (lambda x, h, layer: layer(h + (h.round() - h).detach()), True),
}  # fmt: skip


@pytest.mark.parametrize("detached", [False, True])
def test_a_gradient_that_is_not_there_is_not_zero_times_infinity(detached):
    """The root of a length of zero has no slope, and a loss that does not read it does not ask."""

    def model(x, edge_index):
        src, dst = edge_index
        way = x[src] - x[dst]
        length = way.square().sum(1, keepdim=True).sqrt()
        scaled = way / (length.detach() + 1) if detached else way
        return torch.zeros_like(x).index_add(0, dst, scaled), length

    x = rows(6, 16).requires_grad_()
    edge_index = torch.tensor([[0, 1, 2, 2, 5], [0, 3, 2, 4, 1]])
    compiled = rgnn.compile(model, fullgraph=True)
    own, got = (torch.autograd.grad(each(x, edge_index)[0].sin().sum(), x)[0] for each in (model, compiled))
    assert own.isfinite().all() and error(got, own) <= 1e-10


@pytest.mark.sample(7)
@pytest.mark.parametrize("name", DETACHED)
def test_detached(name):
    """No gradient passes."""
    torch.manual_seed(0)
    function, fullgraph = DETACHED[name]
    model = Detached(function).double()
    compiled = rgnn.compile(model, fullgraph=fullgraph)
    if not fullgraph:
        warnings.simplefilter("ignore")  # a part runs in PyTorch
    for nodes, *edges in GRAPHS.values():
        x = rows(nodes, 16).requires_grad_()
        outcomes = []
        for call in (model, compiled):
            results = tree_leaves(call(x, *edges))
            loss = sum(result.square().sum() for result in results if result.requires_grad)
            gradients = torch.autograd.grad(loss, [x, *model.parameters()], allow_unused=True)
            outcomes.append([*(result.detach() for result in results), *gradients])
            outcomes[-1].append(torch.tensor([float(result.requires_grad) for result in results]))
        for own, got in zip(*outcomes, strict=True):
            assert (own is None) == (got is None)
            assert own is None or not own.numel() or (got - own).abs().max() <= 1e-12 or error(got, own) <= 1e-10
        with torch.no_grad():
            assert all(
                error(*pair) <= 1e-10
                for pair in zip(tree_leaves(compiled(x, *edges)), tree_leaves(model(x, *edges)), strict=True)
            )
    assert any(version.regions for version in compiled._compiled_call_impl.runner.versions)

"""Gradients of compiled models against PyG's autograd, and how they behave under PyTorch."""

import copy
import functools
import warnings

import pytest
import rgnn
import torch
import torch.utils.checkpoint
from _rgnn import CompileError as CompilerRefusal
from checks import F64, build, check_gradients, gradients
from configurations import HGT, LAYERS
from models import InParts, Net, inputs
from pyg import GRAPHS, R, error, gnn, rows, versions

pytestmark = pytest.mark.usefixtures("threads")


TRAINED = LAYERS | {name: HGT[name] for name in ("papers-20", "papers-33", "papers-heads-3", "parallel-64", "star-16")}


@pytest.mark.sample(20)
@pytest.mark.parametrize("name", TRAINED)
def test_gradients(name):
    configuration = TRAINED[name]
    dtype = configuration.precisions[-1]
    model, compiled = build(configuration.make, dtype)
    for graph in configuration.graphs:
        check_gradients(model, compiled, configuration.inputs(graph, dtype), dtype)


@pytest.mark.parametrize("model", ["rgcn", "rgat"])
def test_gradcheck(model):
    make = {"rgcn": gnn.FastRGCNConv, "rgat": gnn.RGATConv}[model]
    _, compiled = build(lambda: make(4, 3, R), F64)
    for graph in ("one node with loops", "one edge"):
        nodes, *edges = GRAPHS[graph]
        call = functools.partial(lambda edges, x: compiled(x, *edges), edges)
        assert torch.autograd.gradcheck(call, rows(nodes, 4).requires_grad_())


def attention():
    torch.manual_seed(0)
    model = gnn.RGATConv(16, 20, R).double().eval()
    return model, rgnn.compile(model, fullgraph=True)


def test_only_what_is_asked_for():
    model, compiled = attention()
    nodes, *edges = GRAPHS["awkward"]
    x = rows(nodes, 16)
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(name == "bias")
    compiled(x, *edges).sum().backward()
    assert model.bias.grad is not None and model.weight.grad is None and x.grad is None
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    assert not compiled(x, *edges).requires_grad
    compiled(x.requires_grad_(), *edges).sum().backward()
    assert x.grad is not None and model.weight.grad is None


@pytest.mark.parametrize("flags", [{}, {"num_bases": 3}, {"aggr": "add"}], ids=["full", "bases", "add"])
def test_node_ids(flags):
    """Rows of the weights that numbers pick; those that are picked several times, or never.

    Against RGCNConv itself: FastRGCNConv reads the rows of the nodes' places instead.
    """
    torch.manual_seed(0)
    model = gnn.RGCNConv(40, 20, R, **flags).double()
    compiled = rgnn.compile(model, fullgraph=True)
    for nodes, *edges in (graph for graph in GRAPHS.values() if graph[0] <= 40):
        ids = torch.randint(0, 40, (nodes,), generator=torch.Generator().manual_seed(1))
        expected = gradients(model, list(model.parameters()), (ids, *edges))
        for got, right in zip(gradients(compiled, list(compiled.parameters()), (ids, *edges)), expected, strict=True):
            assert (got - right).abs().max() <= 1e-12 or error(got, right) <= 1e-10


def test_training_follows_pyg():
    model, compiled = attention()
    reference = copy.deepcopy(model)
    nodes, *edges = GRAPHS["awkward"]
    x, label = rows(nodes, 16), torch.arange(nodes) % 20
    losses = []
    for module in (reference, compiled):
        optimizer = torch.optim.Adam(module.parameters(), lr=0.01, weight_decay=5e-4)
        steps = []
        for _ in range(20):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(module(x, *edges), label)
            loss.backward()
            optimizer.step()
            steps.append(loss.detach())
        losses.append(torch.stack(steps))
    assert error(losses[1], losses[0]) <= 1e-9
    for one, other in zip(compiled.parameters(), reference.parameters()):
        assert error(one, other) <= 1e-9
    assert compiled.weight is model.weight


def trained(threads, steps=50):
    """Parameters of two layers after training on ``threads`` threads."""
    torch.manual_seed(0)
    model = Net().double().eval()
    compiled = rgnn.compile(model, fullgraph=True)
    nodes, *edges = GRAPHS["large"]
    x, label = rows(nodes, 16), torch.arange(nodes) % 7
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        for _ in range(steps):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(compiled(x, *edges), label).backward()
            optimizer.step()
    finally:
        torch.set_num_threads(before)
    return [parameter for parameter in model.parameters() if parameter.grad is not None]


def test_bitwise_equal_from_run_to_run():
    first = trained(threads=1)
    for threads in (1, 2, 3):
        for one, other in zip(first, trained(threads), strict=True):
            assert torch.equal(one, other)


def test_memory_of_saved_values_is_used_again():
    _, compiled = attention()
    nodes, *edges = GRAPHS["large"]
    x = rows(nodes, 16)

    def kept():
        (version,) = compiled._compiled_call_impl.runner.versions
        (part,) = version.regions
        return part.training.forward.code.workspace_bytes

    compiled(x, *edges).sum().backward()
    after_one = kept()
    for _ in range(3):
        compiled(x, *edges).sum().backward()
    assert kept() == after_one
    out = [compiled(x, *edges), compiled(x, *edges)]  # both wait for their backward
    assert kept() > after_one
    expected = torch.autograd.grad(compiled(x, *edges).sum(), compiled.weight)[0]
    for one in out:
        assert torch.equal(torch.autograd.grad(one.sum(), compiled.weight)[0], expected)


def test_changed_before_the_backward():
    model, compiled = attention()
    nodes, *edges = GRAPHS["awkward"]
    out = compiled(rows(nodes, 16).requires_grad_(), *edges)
    with torch.no_grad():
        model.weight.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


def test_second_derivatives():
    model, compiled = attention()
    nodes, *edges = GRAPHS["awkward"]
    outcomes = []
    for call in (model, compiled):
        x = rows(nodes, 16).requires_grad_()
        sources = [x, *model.parameters()]
        first = torch.autograd.grad(call(x, *edges).square().sum(), sources, create_graph=True, allow_unused=True)
        squares = sum(one.square().sum() for one in first if one is not None)
        second = torch.autograd.grad(squares, sources, allow_unused=True)
        outcomes.append([*first, *second])
    for own, got in zip(*outcomes, strict=True):
        assert (own is None) == (got is None)
        assert own is None or error(got.detach(), own.detach()) <= 1e-10


def test_without_a_gradient(monkeypatch):
    """All that is lifted has one; where the compiler refuses, PyTorch trains the model."""

    def refuse(*args, **options):
        raise CompilerRefusal("'rgnn.new' op expected an op with a gradient")

    monkeypatch.setattr("rgnn._compiler.differentiate", refuse)
    model, _ = attention()
    compiled = rgnn.compile(model, options=rgnn.Options(cache=False))
    nodes, *edges = GRAPHS["awkward"]
    with torch.no_grad():
        assert error(compiled(rows(nodes, 16), *edges), model(rows(nodes, 16), *edges)) <= 1e-10
    with pytest.warns(UserWarning, match="runs in PyTorch: .*rgnn.new"):
        got = gradients(compiled, list(model.parameters()), (rows(nodes, 16), *edges))
    for one, other in zip(got, gradients(model, list(model.parameters()), (rows(nodes, 16), *edges)), strict=True):
        assert (one is None) == (other is None)
        assert one is None or error(one, other) <= 1e-10
    strict = rgnn.compile(model, options=rgnn.Options(cache=False), fullgraph=True)
    with pytest.raises(rgnn.FallbackError, match="rgnn.new"):
        strict(rows(nodes, 16), *edges)


# ---- ways to ask for derivatives -------------------------------------------------------------------------------------


def backward_of_the_input(model, x, rest):
    x.requires_grad_()
    model(x, *rest).sum().backward()
    return [x.grad]


def features_that_torch_func_left(model, x, rest):
    left = []
    torch.func.grad(lambda x: left.append(x) or x.sum())(x)
    return torch.autograd.grad(model(left[0], *rest).sum(), list(model.parameters()), allow_unused=True)


def gradients_of_the_parameters(model, x, rest):
    return torch.autograd.grad(model(x, *rest).square().sum(), list(model.parameters()), allow_unused=True)


def gradient_that_is_differentiable(model, x, rest):
    return torch.autograd.grad(model(x.requires_grad_(), *rest).sum(), x, create_graph=True)


def enable_grad_inside_no_grad(model, x, rest):
    x.requires_grad_()
    with torch.no_grad():
        model(x, *rest)
        with torch.enable_grad():
            loss = model(x, *rest).square().sum()
    return torch.autograd.grad(loss, x)


def checkpointed(model, x, rest):
    out = torch.utils.checkpoint.checkpoint(model, x.requires_grad_(), *rest, use_reentrant=False)
    return torch.autograd.grad(out.square().sum(), [x, *model.parameters()], allow_unused=True)


@pytest.mark.sample(3)
@pytest.mark.parametrize("kind", [Net, InParts])
@pytest.mark.parametrize(
    "derive",
    [
        backward_of_the_input,
        gradients_of_the_parameters,
        gradient_that_is_differentiable,
        enable_grad_inside_no_grad,
        checkpointed,
        features_that_torch_func_left,
    ],
)
def test_ways_to_ask_for_a_derivative(derive, kind):
    model = kind().double().eval()
    reference, compiled = copy.deepcopy(model), rgnn.compile(model)
    x, *rest = inputs()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a part runs in PyTorch
        got = derive(compiled, x.clone(), rest)
    for one, other in zip(got, derive(reference, x.clone(), rest), strict=True):
        assert (one is None) == (other is None)
        assert one is None or error(one.detach(), other.detach()) <= 1e-10
    assert any(version.regions for version in compiled._compiled_call_impl.runner.versions)
    assert kind is InParts or versions(compiled) == 1


def functional_gradient(model, x, rest):
    return [torch.func.grad(lambda x: model(x, *rest).square().sum())(x)]


def gradient_of_a_functional_call(model, x, rest):
    parameters = dict(model.named_parameters())
    found = torch.func.grad(lambda values: torch.func.functional_call(model, values, (x, *rest)).square().sum())(
        parameters
    )
    return list(found.values())


def directional_derivative(model, x, rest):
    return torch.func.jvp(lambda x: model(x, *rest), (x,), (torch.ones_like(x),))


def over_a_batch(model, x, rest):
    return [torch.func.vmap(lambda x: model(x, *rest))(torch.stack([x, x * 2]))]


@pytest.mark.parametrize("kind", [Net, InParts])
@pytest.mark.parametrize(
    "derive", [functional_gradient, gradient_of_a_functional_call, directional_derivative, over_a_batch]
)
def test_transforms_of_functions(derive, kind):
    """The model runs in PyTorch."""
    model, (x, *rest) = kind().double().eval(), inputs()
    compiled = rgnn.compile(model)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a part runs in PyTorch
        compiled(x, *rest)
    for one, other in zip(derive(compiled, x, rest), derive(model, x, rest), strict=True):
        assert error(one.detach(), other.detach()) <= 1e-10
    assert x.grad is None and all(parameter.grad is None for parameter in model.parameters())

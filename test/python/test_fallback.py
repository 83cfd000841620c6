"""Models that are compiled in part."""

import os
import subprocess
import sys
import warnings

import pytest
import rgnn
import torch
import torch.nn.functional as F
from models import Between
from rgnn._capture import custom_ops
from rgnn._runner import runner_of
from torch import nn


def call(nodes, edges):
    return torch.randn(nodes, 16), torch.randint(0, nodes, (2, edges)), torch.randint(0, 5, (edges,))


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return Between().eval()


@torch.no_grad()
def test_regions_around_an_operator(model):
    compiled = rgnn.compile(model)
    first = call(10, 40)
    with pytest.warns(UserWarning, match=r"a part of the model runs in PyTorch: .*models.py:\d+: aten.cumsum"):
        compiled(*first)
    for inputs in (first, call(33, 100), call(1, 0), call(7, 0)):
        torch.testing.assert_close(compiled(*inputs), model(*inputs), rtol=1e-5, atol=1e-5)
    versions = compiled._compiled_call_impl.runner.versions
    for version in versions:  # a graph of one node and no edges has other strides, and the same code
        assert [name for name, *_ in version.fallbacks] == ["aten.cumsum"]
        assert len(version.regions) == 2 and version.texts == versions[0].texts


def test_report_names_the_operator(model):
    ((op, reason, where),) = rgnn.explain(model, *call(10, 40)).fallbacks
    assert op == "aten.cumsum" and reason and "models.py" in where


def test_fullgraph_is_an_error(model):
    with pytest.raises(rgnn.FallbackError, match="aten.cumsum"):
        rgnn.compile(model, fullgraph=True)(*call(10, 40))


def test_fullgraph_names_all():
    """Not the first operator alone, which would be followed by another."""

    def two(x, edge_index):
        gathered = x.cumsum(0)[edge_index[0]]
        return torch.zeros_like(x).index_add(0, edge_index[1], gathered).sort(0).values

    with pytest.raises(rgnn.FallbackError, match=r"fallback.py:\d+: aten.cumsum: .*; .*fallback.py:\d+: aten.sort: "):
        rgnn.compile(two, fullgraph=True)(*call(10, 40)[:2])


@torch.no_grad()
def test_wrong_index_is_an_error_in_a_plan_too(model):
    compiled = rgnn.compile(model)
    with pytest.warns(UserWarning):
        compiled(*call(10, 40))
    x, edge_index, edge_type = call(10, 40)
    edge_index[0, 3] = 10
    with pytest.raises(rgnn.InputError, match="edge_index"):
        compiled(x, edge_index, edge_type)


class Cut(torch.nn.Module):
    """No part of it can be compiled: rows in other orders."""

    def forward(self, x, index, size):
        return x.cumsum(0).sort(0).values.roll(size, 0) * index.sum()


def test_integers_of_calls_in_pytorch():
    """They tell no calls apart: a model that runs in PyTorch is not captured for each size that it is given."""
    compiled = rgnn.compile(Cut())
    with pytest.warns(UserWarning, match="the model runs in PyTorch"):
        compiled(torch.randn(9, 4), torch.randint(5, (9,)), 5)
    versions = compiled._compiled_call_impl.runner.versions
    made = len(versions)
    assert made and not any(version.regions for version in versions)
    for size in range(6, 12):
        args = torch.randn(9, 4), torch.randint(size, (9,)), size
        torch.testing.assert_close(compiled(*args), Cut()(*args))
    assert len(versions) == made


def test_leaves_in_pytorch_run_once():
    """Autograd goes through what a leaf means; its own gradient would compute that again."""
    x = torch.randn(7, 4, requires_grad=True)
    runs = []
    graph = torch.fx.Graph()
    nodes = [graph.placeholder(name) for name in ("src", "index", "size")]
    graph.output(graph.call_function(custom_ops.aggregate, (*nodes, "sum")))
    custom_ops.decompose(graph)
    (call,) = [node for node in graph.nodes if node.op == "call_function"]
    plain = call.target
    assert plain is not custom_ops.aggregate
    call.target = lambda *args: (runs.append(args), plain(*args))[1]
    torch.fx.GraphModule({}, graph)(x, torch.arange(7) % 3, 3).square().sum().backward()
    expected = torch.autograd.grad(custom_ops.aggregate(x, torch.arange(7) % 3, 3, "sum").square().sum(), x)[0]
    torch.testing.assert_close(x.grad, expected)
    assert len(runs) == 1


class Sorted(nn.Module):
    """Many lines that PyTorch runs."""

    def forward(self, x, edge_index, edge_type):
        h = torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])
        h = h.cumsum(0)
        h = h.sort(0)[0]
        h = h.cummax(0)[0]
        h = h.flip(0)
        h = h.roll(1, 0)
        return torch.zeros_like(x).index_add(0, edge_index[1], h[edge_index[0]])


def test_a_warning_names_some_reasons():
    with pytest.warns(UserWarning) as told:
        rgnn.compile(Sorted())(*call(10, 40))
    (text,) = [str(each.message) for each in told if "a part of the model runs" in str(each.message)]
    fallbacks = rgnn.explain(Sorted(), *call(10, 40)).fallbacks
    assert text.endswith(f"; and {len(fallbacks) - 4} more, which rgnn.explain lists") and text.count(";") == 4


class Matched(nn.Module):
    """A loss that compares two numbers of rows which only data say."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(16, 16)

    def forward(self, x, edge_index, edge_type):
        h = torch.zeros_like(x).index_add(0, edge_index[1], self.linear(x)[edge_index[0]])
        nodes, numbers = torch.unique(edge_index[0], return_inverse=True)
        sent = x.new_zeros(nodes.numel(), 16).index_add(0, numbers, h[edge_index[1]])
        return F.smooth_l1_loss(self.linear(sent), h[nodes], reduction="sum")


def test_sizes_that_only_data_say():
    """The operator that compares them runs in PyTorch, not the whole model."""
    torch.manual_seed(0)
    model = Matched()
    report = rgnn.explain(model, *call(10, 40))
    ((op, reason, where),) = report.fallbacks
    assert op == "smooth_l1_loss" and "only data say" in reason and "test_fallback.py" in where and report.kernels
    compiled = rgnn.compile(model)
    for inputs in (call(10, 40), call(7, 3), call(4, 0)):
        inputs[0].requires_grad_()
        results = []
        for each in (model, compiled):
            result = each(*inputs)
            results.append([result, *torch.autograd.grad(result.square().sum(), [inputs[0], *model.parameters()])])
        for expected, got in zip(*results, strict=True):
            torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("is_argument", [False, True])
def test_sparse_matrices_of_blocks_are_named(is_argument):
    """The model runs in PyTorch, which says what to give instead."""

    class Propagate(nn.Module):
        def __init__(self, matrix):
            super().__init__()
            self.lin = nn.Linear(4, 4).double()
            self.register_buffer("adj", matrix)

        def forward(self, x, adj=None):
            return torch.sparse.mm(self.adj if adj is None else adj, self.lin(x)).relu()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # sparse matrices are in beta, PyTorch says
        matrix = torch.eye(6, dtype=torch.float64).roll(1, 0).to_sparse(layout=torch.sparse_bsr, blocksize=(2, 2))
    model = Propagate(None if is_argument else matrix)
    inputs = (torch.randn(6, 4, dtype=torch.float64), *([matrix] if is_argument else []))
    name = "adj" if is_argument else "self.adj"
    with pytest.warns(UserWarning, match=rf"`{name}` is a matrix of layout sparse_bsr; give its edges"):
        assert torch.equal(rgnn.compile(model)(*inputs), model(*inputs))
    assert any(f"`{name}`" in reason for _, reason, _ in rgnn.explain(model, *inputs).fallbacks)


def test_graphs_of_other_sizes_are_of_one_kind():
    """A model that TorchDynamo does not capture is not captured again for each batch."""

    class Batch:
        def __init__(self, nodes, edges):
            self.x, self.edge_index = torch.randn(nodes, 4), torch.randint(nodes, (2, edges))

        def __repr__(self):
            return f"Batch(x={list(self.x.shape)}, edge_index={list(self.edge_index.shape)})"

    class Asking(nn.Module):
        def forward(self, batch):
            total = float(batch.x.sum().item() > 0 and len(repr(batch)))
            return torch.zeros_like(batch.x).index_add(0, batch.edge_index[1], batch.x[batch.edge_index[0]]) + total

    model = Asking()
    compiled = rgnn.compile(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(6):
            batch = Batch(5 + number, 10 + 2 * number)
            torch.testing.assert_close(compiled(batch), model(batch))
    runner = runner_of(compiled)
    assert len(runner.fallbacks) <= 1 and len(runner.versions) <= 2


def test_breaks_are_named_first():
    """With the function; what is captured behind one, and PyTorch runs, leaves the rest compiled."""

    def model(x, edge_index):
        h = torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])
        print(end="")
        return h.sum() + 1

    compiled = rgnn.compile(model)
    x, edge_index = torch.randn(9, 4), torch.randint(9, (2, 30))
    for is_wanted in (False, True):
        x.requires_grad_(is_wanted)
        with pytest.warns(UserWarning, match="a part of the model .*graph break: it calls print"):
            assert torch.allclose(compiled(x, edge_index), model(x, edge_index))
    report = rgnn.explain(model, x, edge_index)
    operator, reason, _ = report.fallbacks[0]
    assert operator == "graph break" and reason == "it calls print, which TorchDynamo does not trace"
    assert report.kernels


CHILD = """
import warnings
import torch
torch.__version__ = "2.99.0"
import rgnn
from torch_geometric.nn import SAGEConv

model, args = SAGEConv(4, 4), (torch.randn(5, 4), torch.randint(5, (2, 9)))
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    assert torch.equal(rgnn.compile(model)(*args), model(*args))
assert "expected PyTorch 2.12 to 2.14, got 2.99.0" in str(told[-1].message), told
"""


def test_another_version_of_pytorch():
    """Models run in PyTorch."""
    paths = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run([sys.executable, "-c", CHILD], env=os.environ | {"PYTHONPATH": paths}, capture_output=True,
                          text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr

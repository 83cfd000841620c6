"""Assertions on what data say, and branches that raise errors: checked by the graph, with Python's own errors."""

import pytest
import rgnn
import torch
from asserting import CHECKS, ODD, OwnError, raises
from lifting import rows
from pyg import error
from torch import nn
from torch_geometric.nn import global_add_pool

NAN = float("nan")


class Checked(nn.Module):
    def __init__(self, check):
        super().__init__()
        self.lin, self.check = nn.Linear(4, 4).double(), check

    def forward(self, x, edge_index):
        h = self.lin(x)
        self.check(h, edge_index)
        return torch.zeros_like(h).index_add(0, edge_index[1], h[edge_index[0]])


def inputs(nodes, edges):
    edge_index = torch.randint(min(nodes, 8), (2, edges))
    edge_index[0, :1] = 3
    return rows(nodes, 4).requires_grad_(), edge_index


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_checked_by_the_graph(check):
    model = Checked(check)
    compiled = rgnn.compile(model, fullgraph=True)
    for nodes, edges in ((9, 30), (12, 20)):
        x, edge_index = inputs(nodes, edges)
        (right,), (got,) = ([torch.autograd.grad(run(x, edge_index).pow(2).sum(), x)[0]] for run in (model, compiled))
        assert error(got, right) <= 1e-12
    x, edge_index = inputs(10, 30)
    with torch.no_grad():
        x[0, 0], edge_index[0, 0] = NAN, 9
    for each in (compiled, model):
        with pytest.raises((AssertionError, OwnError)) as found:
            each(x, edge_index)
        if each is compiled:
            kind, text = found.type, str(found.value)
    assert (kind, text) == (found.type, str(found.value))
    x, edge_index = inputs(11, 30)
    assert error(compiled(x, edge_index), model(x, edge_index)) <= 1e-12


@pytest.mark.filterwarnings("ignore:rgnn. ")
@pytest.mark.parametrize("check", ODD, ids=lambda check: check.__name__)
def test_what_else_a_call_does(check):
    """It is done once, up to the error, and what the model catches is no error."""
    model = Checked(check)
    compiled = rgnn.compile(model)
    for first in (0.0, NAN, 1.0):
        outcomes, (x, edge_index) = [], inputs(10, 30)
        with torch.no_grad():
            x[0, 0] = first
        for each in (compiled, model):
            given = edge_index.clone()
            try:
                outcome = each(x, given)
            except (AssertionError, OwnError) as found:
                outcome = torch.tensor([len(str(found))])
            outcomes.append((outcome, given))
        for got, right in zip(*outcomes, strict=True):
            assert got.dtype == right.dtype and torch.equal(got.isnan(), right.isnan())
            assert error(got.nan_to_num(), right.nan_to_num()) <= 1e-12


@pytest.mark.parametrize("kind", [torch.int8, torch.uint8, torch.int32, torch.bool])
def test_numbers_are_pythons(kind):
    """Of whatever width a tensor is, they do not wrap."""

    def model(x, edge_index, number):
        if number.item() * 10**9 - 2 * number.item() < 0 or number.item() + 100 > 228:
            raise OwnError(number.item())
        return torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])

    compiled = rgnn.compile(model)
    x, edge_index = inputs(9, 30)
    for number in (1, 100, 0):
        right = model(x, edge_index, torch.tensor(1))
        assert error(compiled(x, edge_index, torch.tensor(number, dtype=kind)), right) <= 1e-12


def test_numbers_that_change_unseen():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("weight", torch.ones(1))

        def forward(self, x, edge_index):
            h = torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])
            return h * 2 if self.weight > 0 else h

    model = Model()
    compiled, (x, edge_index) = rgnn.compile(model), inputs(9, 30)
    for number in (1.0, -1.0, 2.0):
        for each in (model, compiled):
            each.weight.data.fill_(number)
        assert error(compiled(x, edge_index), model(x, edge_index)) <= 1e-12


def test_errors_that_the_model_catches():
    """A call that goes the way to an error is run by PyTorch, whatever becomes of it."""

    def model(x, edge_index):
        h = x * 2
        try:
            raises(h, edge_index)
        except OwnError:
            h = torch.nan_to_num(h, nan=1.0)
        return torch.zeros_like(h).index_add(0, edge_index[1], h[edge_index[0]])

    compiled = rgnn.compile(model)
    x, edge_index = inputs(9, 30)
    for first in (0.0, NAN, 1.0):
        with torch.no_grad():
            x[0, 0] = first
        assert error(compiled(x, edge_index), model(x, edge_index)) <= 1e-12


def test_sizes_that_tensors_hold():
    """``batch.max() + 1`` as it is, where PyTorch takes it for a size."""

    def model(x, edge_index, batch):
        graphs = batch.max() + 1
        h = torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])
        pooled = torch.zeros(2, graphs, x.size(1), dtype=x.dtype)
        for place, each in enumerate((x, h)):
            pooled[place, :, :] = global_add_pool(each.tanh(), batch, size=graphs)
        return pooled[0] * pooled[1] + x.new_ones(graphs, 1)

    compiled = rgnn.compile(model, fullgraph=True)
    for nodes in (9, 14, 3):
        x, edge_index = rows(nodes, 4), torch.randint(nodes, (2, 30))
        assert error(compiled(x, edge_index, torch.arange(nodes) // 3),
                     model(x, edge_index, torch.arange(nodes) // 3)) <= 1e-12  # fmt: skip


@pytest.mark.filterwarnings("ignore:rgnn. ")
@pytest.mark.parametrize("is_training", [True, False])
def test_averages_before_an_error(is_training):
    """They are moved once, also by the call that raises it."""

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm1d(4).double()

        def forward(self, x, edge_index):
            h = self.norm(torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]]))
            raises(h, edge_index)
            return h.relu()

    model = Model().train(is_training)
    compiled, (x, edge_index) = rgnn.compile(Model().train(is_training)), inputs(9, 30)
    for first in (0.0, NAN, 1.0):
        with torch.no_grad():
            x[edge_index[0, 0], 0] = first
        for each in (model, compiled):
            try:
                each(x, edge_index)
            except OwnError:
                assert first != first
        for got, right in zip(compiled.buffers(), model.buffers(), strict=True):
            assert torch.equal(got.isnan(), right.isnan())
            assert error(got.double().nan_to_num(), right.double().nan_to_num()) <= 1e-12

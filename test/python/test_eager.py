"""What is not compiled runs in PyTorch."""

import warnings

import pytest
import rgnn
import torch
from models import Branches, inputs
from pyg import R, error, gnn, rows

pytestmark = pytest.mark.usefixtures("strict")


class Sorts(Branches):
    def forward(self, x, edge_index, edge_type):
        return self.conv(x, edge_index, edge_type).sort(dim=0).values


def lstm_inputs():
    x, edge_index, _ = inputs()
    return x, edge_index[:, edge_index[1].argsort()]


class Rows(torch.nn.Module):
    """No kernel has what it does with rows."""

    def __init__(self, function):
        super().__init__()
        self.function, self.linear = function, torch.nn.Linear(16, 20)

    def forward(self, x, edge_index, edge_type):
        return self.function(self.linear(x))


FALLBACKS = {
    "cumsum": lambda x: x.cumsum(0),
    "fft": lambda x: torch.fft.fft(x, dim=0).real,
}


@pytest.mark.parametrize("name", FALLBACKS)
def test_fallback(name):
    model, args = Rows(FALLBACKS[name]).double().eval(), inputs()
    compiled = rgnn.compile(model)
    with torch.no_grad():
        expected = model(*args)
        with pytest.warns(UserWarning, match=r"rgnn: the model runs in PyTorch: test_eager.py:\d+: "):
            assert torch.equal(compiled(*args), expected)
        assert torch.equal(compiled(*args), expected)  # without a second warning
    assert not any(version.regions for version in compiled._compiled_call_impl.runner.versions)
    for candidate in (model, compiled):
        report = rgnn.explain(candidate, *args)
        assert report.fallbacks and report.fallbacks[0][1]
        assert "runs in PyTorch" in str(report) and report.peak_bytes is None and not report.kernels
    strict = rgnn.compile(model, fullgraph=True)
    for _ in range(2), torch.no_grad():
        with pytest.raises(rgnn.FallbackError, match=r"test_eager.py:\d+: "):
            strict(*args)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # once more for gradients
        compiled(*args).sum().backward()  # in PyTorch it trains
    assert next(model.parameters()).grad is not None


BREAKS = {
    "branch on data": (Branches, inputs),
    "lstm": (lambda: gnn.SAGEConv(16, 20, aggr="lstm"), lstm_inputs),
    "size compared with 1": (lambda: gnn.GATConv(16, 20), lambda: inputs()[:2]),
}


@pytest.mark.parametrize("name", BREAKS)
def test_looks_at_data_and_sizes(name):
    """Parts may run in PyTorch; values and gradients are eager's."""
    make, arguments = BREAKS[name]
    model, args = make().double().eval(), arguments()
    compiled = rgnn.compile(model)
    sources = [args[0].requires_grad_(), *model.parameters()]
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a part runs in PyTorch
            with torch.no_grad():
                assert error(compiled(*args), model(*args)) <= 1e-10
            own, got = (torch.autograd.grad(call(*args).square().sum(), sources) for call in (model, compiled))
        assert all(error(*pair) <= 1e-10 for pair in zip(got, own, strict=True))


def test_fallback_names_operator_and_line():
    model = Sorts().double().eval()
    (operator, reason, line), *_ = rgnn.explain(model, *inputs()).fallbacks
    assert operator and reason and line.startswith("test_eager.py:")


def test_fallback_of_dictionaries():
    def model(x_dict):
        return {name: x if x.sum() > 0 else -x for name, x in x_dict.items()}

    compiled = rgnn.compile(model)
    x = {"a": rows(3, 2), "b": rows(4, 2)}
    with pytest.warns(UserWarning, match="runs in PyTorch"):
        first = compiled(x)
    assert all(torch.equal(first[name], value) for name, value in model(x).items())
    assert all(torch.equal(compiled(x)[name], value) for name, value in first.items())


def test_indices_as_features():
    """RGCNConv's lookup by an index per node is right, compiled or not."""
    model = gnn.RGCNConv(40, 16, R, aggr="add").double().eval()
    compiled = rgnn.compile(model)
    _, edge_index, edge_type = inputs()
    x = torch.arange(23) * 7 % 40
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert error(compiled(x, edge_index, edge_type), model(x, edge_index, edge_type)) <= 1e-10


def test_error_of_the_model_itself():
    """What PyTorch refuses is no fallback: the error is PyTorch's, there is no warning, and nothing is remembered."""

    def model(x, edge_index):
        if x.size(1) != 16:
            raise KeyError("only 16")
        return x * 2 if x.sum() > 0 else x

    compiled = rgnn.compile(model)
    with pytest.raises(KeyError, match="only 16"):
        compiled(rows(3, 5), inputs()[1])
    assert not compiled.runner.fallbacks

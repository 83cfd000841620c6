"""Dropout in training mode: for equal seeds a compiled model gives what it gives in PyTorch."""

import copy

import pytest
import rgnn
import torch
import torch.nn.functional as F
import torch.utils.checkpoint
from checks import check_dropout, check_equal, gradients, seeded
from configurations import DROPOUT, METADATA, PAPERS, SIZES, each, hetero
from models import Before, HeteroStack, Mixed, Net, Untyped, inputs
from pyg import GRAPHS, as_reference, error, gnn, rows, versions

pytestmark = pytest.mark.usefixtures("strict", "threads")


def compare(make, arguments, graphs, fullgraph=True):
    torch.manual_seed(0)
    model = make().double().train()
    reference, compiled = as_reference(model), rgnn.compile(model, fullgraph=fullgraph)
    for graph in graphs:
        check_dropout(reference, compiled, arguments(graph))
    return compiled


def features(graph):
    nodes, *edges = graph
    return rows(nodes, 16), *edges


# ---- models ----------------------------------------------------------------------------------------------------------


@pytest.mark.sample(11)
@pytest.mark.parametrize("configuration, dtype", each(DROPOUT))
def test_model(configuration, dtype):
    compiled = compare(configuration.make, features, configuration.graphs)
    assert versions(compiled) == 1


def test_results_in_a_dictionary():
    compiled = compare(Mixed, lambda graph: (rows(graph[0], 33), *graph[1:]), GRAPHS.values())
    assert versions(compiled) == 1


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", ["papers", "parallel"])
def test_dictionaries_per_type(kind):
    metadata = METADATA[kind]
    widths = dict(zip(metadata[0], (33, 16, 20), strict=False))
    compiled = compare(
        lambda: HeteroStack(metadata, widths, 16), lambda sizes: hetero(metadata, widths, sizes, torch.float64), SIZES
    )
    assert versions(compiled) == 1


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_precision(dtype):
    model = Net().to(dtype)
    compiled = rgnn.compile(model, fullgraph=True)
    args = inputs(dtype=dtype)
    with torch.no_grad():
        got, own = seeded(compiled)(*args), seeded(model)(*args)
        exact = seeded(copy.deepcopy(model).double())(args[0].double(), *args[1:])
    assert got.dtype == dtype and error(got, exact) <= max(1e-5, 2 * error(own, exact))


# ---- parts that PyTorch runs -----------------------------------------------------------------------------------------

PARTS = {
    "between": lambda x: F.dropout(F.dropout(x, 0.2, True).cumsum(0), 0.4, True),
    "of some": lambda x: F.dropout(F.rrelu(F.dropout(x, 0.2, True), training=True), 0.4, True),
}


@pytest.mark.parametrize("name", PARTS)
def test_in_parts(name):
    """All draw in eager's order."""
    with pytest.warns(UserWarning, match="a part of the model runs in PyTorch: .*test_dropout.py:"):
        compiled = compare(lambda: Before(PARTS[name]), features, GRAPHS.values(), fullgraph=False)
    assert any(version.regions for version in compiled._compiled_call_impl.runner.versions)


def test_of_columns():
    """Numbers are drawn for the entries of ``[F, N]`` in their order; the region takes them with rows in front."""
    compare(lambda: Before(lambda x: F.dropout(F.dropout(x, 0.2, True).t(), 0.3, True).t()), features, GRAPHS.values(),
            fullgraph=True)  # fmt: skip


def test_numbers_that_are_drawn():
    """PyTorch draws them, as it draws masks; that is no reason to leave a model to it."""
    compare(lambda: Before(lambda x: F.dropout(x + torch.rand_like(x), 0.5, True)), features, GRAPHS.values(),
            fullgraph=True)  # fmt: skip


@pytest.mark.long
def test_rows_of_an_unknown_number():
    """Edges without loops and with new ones: how many, only the edges themselves say."""
    compiled = compare(
        lambda: Untyped(gnn.GATv2Conv(16, 20, heads=2, dropout=0.5)), features, GRAPHS.values(), fullgraph=False
    )
    assert any(version.regions for version in compiled._compiled_call_impl.runner.versions)


# ---- modes -----------------------------------------------------------------------------------------------------------


def test_seeds():
    """The first call draws no more than later ones; without a seed each call draws anew."""
    model = Net().double().train()
    args = inputs()
    with torch.no_grad():
        compiled = rgnn.compile(model, fullgraph=True)
        first = seeded(compiled)(*args)
        assert torch.equal(seeded(compiled)(*args), first) and not torch.equal(compiled(*args), first)
        assert not torch.equal(seeded(compiled, 6)(*args), first)


def test_train_and_eval():
    model = Net().double()
    compiled = rgnn.compile(model, fullgraph=True)
    for training in (False, True, False, True):
        model.train(training)
        assert compiled.dropout.training == training
        check_dropout(model, compiled, inputs())
    assert versions(compiled) == 2


def test_only_a_layer_in_training():
    """As for Monte Carlo dropout."""
    model = Net().double().eval()
    compiled = rgnn.compile(model, fullgraph=True)
    check_dropout(model, compiled, inputs())
    compiled.dropout.train()
    check_dropout(model, compiled, inputs())
    with torch.no_grad():
        assert not torch.equal(compiled(*inputs()), compiled(*inputs()))


def test_rate_is_changed():
    model = Net().double().train()
    compiled = rgnn.compile(model, fullgraph=True)
    for rate in (0.5, 0.1, 0.0, 1.0):
        model.dropout.p = rate
        model.attention.dropout = rate / 2
        check_dropout(model, compiled, inputs())
    assert versions(compiled) <= 2  # with and without masks


def test_checkpoint():
    """The backward runs the model again, with the same masks."""
    model = Net().double().train()
    compiled = rgnn.compile(model, fullgraph=True)

    def checkpointed(*args):
        return torch.utils.checkpoint.checkpoint(compiled, *args, use_reentrant=False)

    own = gradients(seeded(model), list(model.parameters()), inputs())
    got = gradients(seeded(checkpointed), list(model.parameters()), inputs())
    check_equal(got, own)


@pytest.mark.long
def test_wrong_input_draws_as_in_pytorch():
    """What is drawn for an index out of range is given back; all else is PyTorch's."""
    model = Net().double().train()
    compiled = rgnn.compile(model, fullgraph=True)
    x, edge_index, edge_type = inputs()
    compiled(x, edge_index, edge_type)
    before = torch.get_rng_state()
    wrong = edge_index.clone()
    wrong[0, 3] = 23
    with pytest.raises(rgnn.InputError):
        compiled(x, wrong, edge_type)
    assert torch.equal(torch.get_rng_state(), before)
    for args in ((x[0, 0], edge_index, edge_type), (x, edge_index, edge_type[1:])):
        states = []
        for call in (model, compiled):
            torch.set_rng_state(before)
            with pytest.raises(Exception) as caught:
                call(*args)
            states.append((type(caught.value), torch.get_rng_state()))
        assert states[0][0] == states[1][0] and torch.equal(states[0][1], states[1][1])
    model.float()
    check_dropout(model, compiled, (x.float(), edge_index, edge_type), bound=1e-5)
    model.double()
    check_dropout(model, compiled, (x, edge_index, edge_type))
    assert versions(compiled) == 2


def test_explain():
    """Of a model in training; the caller's generator stays as it was."""
    model = Net().double().train()
    before = torch.get_rng_state()
    report = rgnn.explain(model, *inputs())
    assert torch.equal(torch.get_rng_state(), before)
    assert not report.fallbacks and report.kernels and report.peak_bytes > 0
    assert "aten.mul.Tensor" in report.ir["captured"] and "dropout" not in report.ir["captured"]  # but its mask


def test_training_follows_pytorch():
    torch.manual_seed(0)
    model = HeteroStack(PAPERS, {"paper": 33, "author": 16, "venue": 20}, 16).double().train()
    args = hetero(PAPERS, {"paper": 33, "author": 16, "venue": 20}, "awkward", torch.float64)
    reference, compiled = copy.deepcopy(model), rgnn.compile(model, fullgraph=True)
    losses = []
    for module in (reference, compiled):
        torch.manual_seed(1)
        optimizer = torch.optim.Adam(module.parameters(), lr=0.01)
        for _ in range(10):
            optimizer.zero_grad()
            loss = -module(*args)[0][:, 0].mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
    assert error(torch.stack(losses[10:]), torch.stack(losses[:10])) <= 1e-9

"""Autocast on CPUs: eager's dtypes, computed in float32; so nearer to float64 than eager is."""

import copy
import warnings

import pytest
import rgnn
import torch
from checks import gradients, seeded
from configurations import PAPERS, WITHIN, hetero
from models import HeteroStack, InParts, Mixed, Net, Untyped, inputs
from pyg import GRAPHS, R, as_reference, error, gnn, rows, to, versions
from torch import nn
from torch.utils import _pytree as pytree

pytestmark = pytest.mark.usefixtures("strict", "threads")
F32, F64, BF16 = torch.float32, torch.float64, torch.bfloat16


def autocast(call, dtype=BF16):
    def run(*args):
        with torch.autocast("cpu", dtype):
            return call(*args)

    return run


def outcome(call, model, args):
    """Results and gradients, from a seed."""
    with torch.no_grad():
        results = pytree.tree_leaves(seeded(call)(*args))
    return [*results, *gradients(seeded(call), list(model.parameters()), args)]


def compare(model, compiled, args, wrap=autocast):
    """What eager makes of it is the reference for dtypes, float64 that for numbers, and eager's error the bound."""
    reference = as_reference(model)
    exact = copy.deepcopy(reference).double()
    got = outcome(wrap(compiled), compiled, args)
    own = outcome(wrap(reference), reference, args)
    right = outcome(exact, exact, to(F64, args))
    for one, other, number in zip(got, own, right, strict=True):
        assert (one is None) == (number is None)
        if one is None or not one.numel():
            continue
        assert one.dtype == other.dtype
        rounding = 1e-5 if one.dtype == F32 else 2.0**-8
        small = (one - number).abs().max() <= rounding * (1 + number.abs().max())
        assert small or error(one, number) <= max(rounding, error(other, number))


def graphs():
    return [(rows(nodes, 16, dtype=F32), *edges) for nodes, *edges in GRAPHS.values()]


# ---- models ----------------------------------------------------------------------------------------------------------

BARE = {"root_weight": False, "bias": False}
MODELS = {
    "stack": lambda: Net(0.0),
    "dropout": Net,
    "RGCNConv": lambda: gnn.RGCNConv(16, 20, R),
    "FastRGCNConv-bare": lambda: gnn.FastRGCNConv(16, 20, R, **BARE),  # its results are bfloat16
    "RGATConv": lambda: gnn.RGATConv(16, 20, R, heads=3, bias=False),
    "RGATConv-within": lambda: gnn.RGATConv(16, 20, R, **WITHIN),
    "TransformerConv": lambda: Untyped(gnn.TransformerConv(16, 20, heads=2)),
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", MODELS)
def test_model(name):
    torch.manual_seed(0)
    model = MODELS[name]()
    compiled = rgnn.compile(model, fullgraph=True)
    for args in graphs():
        compare(model, compiled, args)
    assert versions(compiled) == 1


@pytest.mark.long
def test_results_of_both_precisions():
    """Dictionaries, of which some results are bfloat16 and some float32."""
    torch.manual_seed(0)
    widths = {"paper": 33, "author": 16, "venue": 20}
    model = HeteroStack(PAPERS, widths, 16).eval()
    compiled = rgnn.compile(model, fullgraph=True)
    for sizes in ("awkward", "no edges", "nothing"):
        compare(model, compiled, hetero(PAPERS, widths, sizes, F32))
    nodes, *edges = GRAPHS["awkward"]
    compare(mixed := Mixed().eval(), rgnn.compile(mixed, fullgraph=True), (rows(nodes, 33, dtype=F32), *edges))


def test_dtypes_are_not_all_one():
    """The measure itself: eager gives bfloat16 for some of the models above."""
    args = inputs(dtype=F32)
    found = {name: autocast(make())(*args).dtype for name, make in MODELS.items()}
    assert found["FastRGCNConv-bare"] == BF16 and found["RGATConv-within"] == F32


# ---- where autocast is -----------------------------------------------------------------------------------------------


class Inside(nn.Module):
    """Autocast in the model, off in a part of it."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = (gnn.FastRGCNConv(16, width, R, **BARE) for width in (16, 20, 12))

    def forward(self, x, edge_index, edge_type):
        with torch.autocast("cpu", BF16):
            h = self.first(x, edge_index, edge_type)
            with torch.autocast("cpu", enabled=False):
                exact = self.third(h.to(x.dtype), edge_index, edge_type)
            return h, self.second(h, edge_index, edge_type), exact


def test_inside_the_model():
    torch.manual_seed(0)
    model = Inside()
    compiled = rgnn.compile(model, fullgraph=True)
    for args in graphs():
        compare(model, compiled, args, wrap=lambda call: call)
        compare(model, compiled, args)
    assert versions(compiled) == 3  # one for each layer: autocast changes between them
    assert [leaf.dtype for leaf in compiled(*inputs(dtype=F32))] == [BF16, BF16, F32]


class Around(nn.Module):
    """Gives a compiled layer what a linear layer makes bfloat16."""

    def __init__(self):
        super().__init__()
        self.input = nn.Linear(16, 16)
        self.layer = rgnn.compile(gnn.FastRGCNConv(16, 20, R), fullgraph=True)

    def forward(self, x, edge_index, edge_type):
        h = self.input(x)
        return h, self.layer(h, edge_index, edge_type)


@pytest.mark.long
def test_narrow_inputs():
    model = Around()
    plain = copy.deepcopy(model)
    plain.layer._compiled_call_impl = None
    for args in graphs():
        compare(plain, model, args)
    assert versions(model.layer) == 1


def test_on_and_off():
    model = gnn.FastRGCNConv(16, 20, R, **BARE)
    compiled = rgnn.compile(model, fullgraph=True)
    args = inputs(dtype=F32)
    for _ in range(2):
        assert compiled(*args).dtype == F32
        assert autocast(compiled)(*args).dtype == BF16
        assert autocast(compiled, torch.float16)(*args).dtype == torch.float16
        with torch.autocast("cpu", BF16), torch.autocast("cpu", enabled=False):
            assert torch.equal(compiled(*args), torch.no_grad()(compiled)(*args))
        with torch.autocast("cpu", BF16), torch.inference_mode():
            assert compiled(*args).dtype == BF16
    assert versions(compiled) == 1  # what it computes is the same


def test_float64_is_left_alone():
    model = Net(0.0).double()
    compiled = rgnn.compile(model, fullgraph=True)
    args = inputs()
    got, expected = autocast(compiled)(*args), autocast(model)(*args)
    assert got.dtype == expected.dtype == F64 and error(got.detach(), expected.detach()) <= 1e-10


def test_parameters_of_16_bits():
    model = gnn.FastRGCNConv(16, 20, R).bfloat16()
    compiled = rgnn.compile(model, fullgraph=True)
    args = inputs(dtype=BF16)
    got, own = autocast(compiled)(*args).detach(), autocast(model)(*args).detach()
    exact = copy.deepcopy(model).double()(args[0].double(), *args[1:]).detach()
    assert got.dtype == own.dtype and error(got, exact) <= max(2.0**-8, error(own, exact))


def test_in_parts():
    """What PyTorch runs of the model computes in float32 too."""
    model = InParts(0.0)
    compiled = rgnn.compile(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a part runs in PyTorch
        compare(model, compiled, inputs(dtype=F32))
    assert any(version.regions for version in compiled._compiled_call_impl.runner.versions)


class Fails(Net):
    def forward(self, x, edge_index, edge_type):
        return super().forward(x, edge_index, edge_type) @ x.new_ones(7, 2, dtype=BF16)


def test_only_right_under_autocast():
    """Computed in float32 the operands differ: PyTorch runs that product, under autocast, from the same seed."""
    model = Fails()
    compiled = rgnn.compile(model)
    args = inputs(dtype=F32)
    exact_model = copy.deepcopy(model).double()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a part runs in PyTorch
        got = seeded(autocast(compiled))(*args).detach()
    own = seeded(autocast(model))(*args).detach()
    exact = (
        seeded(lambda *args: Net.forward(exact_model, *args))(*to(F64, args)) @ torch.ones(7, 2, dtype=F64)
    ).detach()
    assert got.dtype == own.dtype and error(got, exact) <= max(2.0**-8, error(own, exact))


def test_training():
    """Ten steps with eager's scaling of gradients, which ends as near as eager to float64."""
    model = Net(0.0)
    reference, exact = copy.deepcopy(model), copy.deepcopy(model).double()
    compiled = rgnn.compile(model, fullgraph=True)
    args, label = inputs(dtype=F32), torch.arange(23) % 7
    losses = []
    for module, call in ((reference, autocast(reference)), (compiled, autocast(compiled)), (exact, exact)):
        scaler = torch.amp.GradScaler("cpu")
        optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
        for _ in range(10):
            optimizer.zero_grad()
            out = call(*(to(F64, args) if module is exact else args))
            loss = nn.functional.cross_entropy(out.to(F64 if module is exact else F32), label)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            losses.append(loss.detach().double())
    own, got, right = (torch.stack(losses[i : i + 10]) for i in (0, 10, 20))
    assert right[-1] < right[0] and error(got, right) <= max(1e-5, error(own, right))


def test_explain():
    model = gnn.FastRGCNConv(16, 20, R)
    report = autocast(lambda *args: rgnn.explain(model, *args))(*inputs(dtype=F32))
    assert not report.fallbacks and report.kernels and "bf16" not in report.ir["captured"]

"""Models of several layers as users write them, and what they keep beside parameters."""

import functools
import gc
import types
import weakref

import pytest
import rgnn
import torch
import torch.nn.functional as F
from _rgnn import run_pipeline
from pyg import GRAPHS, R, error, gnn, rows, versions
from rgnn._dynamo.full_graph import capture
from torch import nn

pytestmark = pytest.mark.usefixtures("threads")

F64 = torch.float64


def build(make, seed=0, fullgraph=True):
    torch.manual_seed(seed)
    model = make().to(F64).eval()
    return model, rgnn.compile(model, fullgraph=fullgraph)


def same(model, compiled, args, **keywords):
    """Whether the results agree, leaf by leaf, and have one structure."""
    with torch.no_grad():
        got, expected = compiled(*args, **keywords), model(*args, **keywords)
    leaves, spec = torch.utils._pytree.tree_flatten(expected)
    assert torch.utils._pytree.tree_structure(got) == spec
    return all(error(a, b) <= 1e-10 for a, b in zip(torch.utils._pytree.tree_leaves(got), leaves, strict=True))


def inputs(graph="awkward", width=16):
    nodes, *edges = GRAPHS[graph]
    return rows(nodes, width), *edges


# ---- models ----------------------------------------------------------------------------------------------------------


def sequential():
    return gnn.Sequential("x, edge_index, edge_type", [
        (nn.Dropout(0.5), "x -> x"),
        (gnn.RGCNConv(16, 20, R), "x, edge_index, edge_type -> x1"),
        nn.ReLU(inplace=True),
        (gnn.RGATConv(20, 20, R), "x1, edge_index, edge_type -> x2"),
        (lambda a, b: torch.cat([a, b], dim=1), "x1, x2 -> x"),
        nn.Linear(40, 7),
        nn.LogSoftmax(dim=1),
    ])  # fmt: skip


class Lists(nn.Module):
    """Layers in a list, heads of outputs in a dictionary, and one layer that is used twice."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([gnn.FastRGCNConv(16, 16, R), gnn.RGATConv(16, 16, R)])
        self.heads = nn.ModuleDict({"classes": nn.Linear(16, 5), "value": nn.Linear(16, 1)})
        self.twice = nn.Linear(16, 16)

    def forward(self, x, edge_index, edge_type):
        for layer in self.layers:
            x = self.twice(layer(x, edge_index, edge_type).relu()) + x
        return {name: head(x) for name, head in self.heads.items()}, x


class Tied(nn.Module):
    """Two layers of one weight."""

    def __init__(self):
        super().__init__()
        self.first, self.second = gnn.FastRGCNConv(16, 16, R), gnn.FastRGCNConv(16, 16, R)
        self.second.weight = self.first.weight

    def forward(self, x, edge_index, edge_type):
        return self.second(self.first(x, edge_index, edge_type).relu(), edge_index, edge_type)


class HeteroModel(nn.Module):
    """Features of each type by one linear layer for dictionaries, then HGT, as to_hetero would write it."""

    METADATA = (["a", "b"], [("a", "to", "b"), ("b", "to", "a"), ("a", "self", "a")])

    def __init__(self):
        super().__init__()
        self.lin = gnn.HeteroDictLinear({"a": 16, "b": 12}, 20)
        self.conv = gnn.HGTConv(20, 20, self.METADATA, heads=2)

    def forward(self, x_dict, edge_index_dict):
        x_dict = {name: x.relu() for name, x in self.lin(x_dict).items()}
        return {name: F.log_softmax(x, dim=-1) for name, x in self.conv(x_dict, edge_index_dict).items()}


@pytest.mark.parametrize("make", [sequential, Lists, Tied])
def test_models(make):
    model, compiled = build(make)
    for graph in GRAPHS:
        assert same(model, compiled, inputs(graph))
    assert versions(compiled) == 1


def test_dictionaries():
    model, compiled = build(HeteroModel)
    for a, b, edges in ((7, 5, 12), (1, 1, 2), (0, 3, 0), (40, 30, 90)):
        counts = {"a": a, "b": b}
        edge_index_dict = {
            name: torch.stack([torch.randint(0, max(counts[end], 1), (edges,)) for end in (name[0], name[2])])
            for name in model.METADATA[1]
        }
        assert same(model, compiled, ({"a": rows(a, 16), "b": rows(b, 12)}, edge_index_dict))
    assert versions(compiled) == 1


def test_keywords():
    model, compiled = build(lambda: gnn.RGATConv(16, 20, R))
    x, edge_index, edge_type = inputs()
    assert same(model, compiled, (x,), edge_type=edge_type, edge_index=edge_index)
    assert same(model, compiled, (x, edge_index), edge_type=edge_type)
    assert same(model, compiled, (), x=x, edge_index=edge_index, edge_type=edge_type)


def test_untied_weights_are_seen():
    model, compiled = build(Tied)
    assert same(model, compiled, inputs())
    model.second.weight = nn.Parameter(torch.randn(R, 16, 16, dtype=F64))
    assert same(model, compiled, inputs())


# ---- functions -------------------------------------------------------------------------------------------------------

global_layer = gnn.FastRGCNConv(16, 20, R).double().eval()
global_scale = 2.0


def uses_globals(x, edge_index, edge_type):
    return global_layer(x * global_scale, edge_index, edge_type).relu()


def test_functions_read_parameters_live():
    layer = gnn.RGATConv(16, 20, R).double().eval()

    def closure(x, edge_index, edge_type, scale=1.0):
        return layer(x, edge_index, edge_type) * scale

    model = Lists().double().eval()
    cases = {
        closure: layer, uses_globals: global_layer, model.forward: model,
        functools.partial(closure, scale=3.0): layer, lambda *args: uses_globals(*args): global_layer,
    }  # fmt: skip
    for function, module in cases.items():
        compiled = rgnn.compile(function, fullgraph=True)
        assert same(function, compiled, inputs())
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.mul_(1.5)
        assert same(function, compiled, inputs("large"))
        module.load_state_dict(type(module)(16, 20, R).state_dict() if module is not model else Lists().state_dict())
        assert same(function, compiled, inputs())
        for owner in module.modules():
            for name, parameter in list(owner._parameters.items()):
                if parameter is not None:
                    setattr(owner, name, nn.Parameter(torch.randn_like(parameter)))
        assert same(function, compiled, inputs())
        assert len(compiled.runner.versions) == 1


def test_names_that_a_function_uses_are_watched(monkeypatch):
    scale = 2.0
    layer = gnn.FastRGCNConv(16, 20, R).double().eval()

    def closure(x, edge_index, edge_type):
        return layer(x * scale, edge_index, edge_type)

    compiled = rgnn.compile(closure, fullgraph=True)
    assert same(closure, compiled, inputs())
    scale = 3.0
    assert same(closure, compiled, inputs())
    compiled = rgnn.compile(uses_globals, fullgraph=True)
    assert same(uses_globals, compiled, inputs())
    monkeypatch.setitem(globals(), "global_scale", -1.0)
    assert same(uses_globals, compiled, inputs())


# ---- plain attributes ------------------------------------------------------------------------------------------------


class Attributes(nn.Module):
    """Numbers, lists, objects and tensors that are neither parameters nor buffers."""

    def __init__(self):
        super().__init__()
        self.attention = gnn.RGATConv(16, 8, R, heads=2)
        self.dropout = nn.Dropout(0.5)
        self.scale, self.factors, self.nested = 2.0, [1.0, 2.0], {"a": [1.0], "empty": []}
        self.config = types.SimpleNamespace(shift=0.5)
        self.number, self.row = torch.tensor(3.0, dtype=F64), torch.arange(16, dtype=F64)
        self.order = torch.tensor([3, 1, 2, 0, 4, 5, 6, 7] * 2)
        self.unregistered = [nn.Linear(16, 16).double()]

    def forward(self, x, edge_index, edge_type):
        h = self.dropout(self.attention(x, edge_index, edge_type)) * self.scale + self.config.shift
        weight = self.unregistered[0].weight.index_select(0, self.order)
        h = h * self.number + h @ weight * self.row
        return h * self.factors[0] * (self.nested["a"][0] + len(self.nested["empty"]))


CHANGES = {
    "number": lambda m: setattr(m, "scale", 5.0),
    "slope of a layer": lambda m: setattr(m.attention, "negative_slope", 0.9),
    "mode of a layer": lambda m: setattr(m.attention, "mod", "f-scaled"),
    "element of a list": lambda m: m.factors.__setitem__(0, 7.0),
    "element of a nested list": lambda m: m.nested["a"].__setitem__(0, 7.0),
    "empty list": lambda m: m.nested["empty"].append(1),
    "attribute of an object": lambda m: setattr(m.config, "shift", 4.0),
    "tensor replaced": lambda m: setattr(m, "row", torch.ones(16, dtype=F64)),
    "tensor in place": lambda m: m.row.mul_(3.0),
    "number replaced": lambda m: setattr(m, "number", torch.tensor(-1.0, dtype=F64)),
    "number in place": lambda m: m.number.add_(1.0),
    "order in place": lambda m: m.order.copy_(torch.arange(16)),
    "unregistered module": lambda m: m.unregistered.__setitem__(0, nn.Linear(16, 16).double()),
    "its parameter in place": lambda m: m.unregistered[0].weight.data.mul_(2.0),
    "its parameter replaced": lambda m: setattr(
        m.unregistered[0], "weight", nn.Parameter(torch.randn(16, 16, dtype=F64))),
    "new parameter": lambda m: setattr(m.attention, "bias", nn.Parameter(torch.ones(16, dtype=F64))),
    "forward": lambda m: setattr(m, "forward", lambda x, edge_index, edge_type: m.attention(x, edge_index, edge_type)),
}  # fmt: skip


@pytest.mark.sample(6)
@pytest.mark.parametrize("change", CHANGES)
def test_changed_attributes_are_seen(change):
    model, compiled = build(Attributes, fullgraph=False)  # rows by numbers that no graph has are PyTorch's
    if change == "new parameter":
        model.attention.bias = None
    args = inputs()
    assert same(model, compiled, args)
    with torch.no_grad():
        before = compiled(*args)
        CHANGES[change](model)
        assert error(compiled(*args), model(*args)) <= 1e-10
        assert error(compiled(*args), before) > 1e-6


@pytest.mark.parametrize("owner", ["original", "compiled"])
def test_changed_attributes_of_the_outer_module(owner):
    model, compiled = build(lambda: gnn.RGATConv(16, 20, R))
    args = inputs()
    assert same(model, compiled, args)
    changed = model if owner == "original" else compiled
    changed.negative_slope = 0.9
    assert same(changed, compiled, args) and compiled.negative_slope == 0.9
    changed.negative_slope = 0.2  # the first version holds again
    assert same(changed, compiled, args) and versions(compiled) == 2


def test_dropout_rate_and_mode():
    model, compiled = build(Attributes, fullgraph=False)  # rows by numbers that no graph has are PyTorch's
    args = inputs()
    assert same(model, compiled, args)
    model.dropout.p = 0.0
    model.train()  # of the original: seen, and without dropout there is nothing random
    model.attention.dropout = 0.0
    assert compiled.training is False
    with torch.no_grad():
        got = compiled(*args)
        assert compiled.training is True and error(got, model(*args)) <= 1e-10


def test_an_attribute_that_is_not_read_does_no_harm():
    model, compiled = build(Attributes, fullgraph=False)  # rows by numbers that no graph has are PyTorch's
    args = inputs()
    for model.epoch in range(3):
        assert same(model, compiled, args)


def test_eager_runs_do_not_compile_anew():
    """Layers of PyG make notes in attributes while they run."""
    model, compiled = build(Lists)
    for _ in range(3):
        assert same(model, compiled, inputs())
    assert versions(compiled) == 1


def test_text_shows_short_constants():
    text = capture(Attributes().double().eval(), inputs()).text
    assert "rgnn.value = dense<3.0> : tensor<f64>" in text and "rgnn.value = dense<[3, 1, 2, 0" in text
    assert "rgnn.torch" not in run_pipeline(text, "rgnn-lift-torch,canonicalize,cse")


# ---- what is kept of a model -----------------------------------------------------------------------------------------


def test_compiled_twice_follows_the_original():
    torch.manual_seed(0)
    model = gnn.RGATConv(16, 20, R).to(F64).eval()
    compiled = rgnn.compile(rgnn.compile(model))
    args = inputs()
    for slope in (0.2, 0.7):
        model.negative_slope = slope
        assert same(model, compiled, args)


def test_attributes_that_have_no_address_or_version():
    model, compiled = build(lambda: gnn.FastRGCNConv(16, 20, R))
    model.adjacency = torch.eye(3).to_sparse()
    with torch.inference_mode():
        model.made = torch.tensor(2.0)
    assert same(model, compiled, inputs())


def test_versions_and_parameters_go_with_the_model():
    model, compiled = build(lambda: gnn.FastRGCNConv(16, 20, R))
    assert same(model, compiled, inputs())
    region = weakref.ref(compiled._compiled_call_impl.runner.versions[0].regions[0].region)
    old = weakref.ref(model.weight)
    model.weight = nn.Parameter(model.weight.detach() + 1)
    assert same(model, compiled, inputs())
    gc.collect()
    assert old() is None
    del model, compiled
    gc.collect()
    assert region() is None

"""rgnn.compile as a front end: live parameters, modes, inputs, gradients, functions."""

import copy
import pickle
import warnings

import pytest
import rgnn
import torch
from models import Net, compiled_net, inputs, layer_inputs, same
from pyg import R, check, error, gnn, rows, versions
from torch import nn

pytestmark = pytest.mark.usefixtures("strict")


# ---- parameters and modes --------------------------------------------------------------------------------------------


def test_parameters_are_the_same_objects():
    model, compiled = compiled_net()
    assert isinstance(compiled, Net) and compiled is not model
    assert [name for name, _ in compiled.named_parameters()] == [name for name, _ in model.named_parameters()]
    assert all(a is b for a, b in zip(compiled.parameters(), model.parameters(), strict=True))
    assert model._compiled_call_impl is None
    assert compiled.state_dict().keys() == model.state_dict().keys()


def test_optimizer_step_is_seen():
    model, compiled = compiled_net()
    args = inputs()
    with torch.no_grad():
        before = compiled(*args)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    model(*args).square().sum().backward()
    optimizer.step()
    assert same(model, compiled, args)
    with torch.no_grad():
        assert error(compiled(*args), before) > 1e-3
    assert versions(compiled) == 1


def test_load_state_dict_is_seen():
    model, compiled = compiled_net()
    args = inputs()
    assert same(model, compiled, args)
    other = Net().double().eval()
    for target in (compiled, model):
        target.load_state_dict(other.state_dict())
        assert same(other, compiled, args)
        other = Net().double().eval()
    assert versions(compiled) == 1


def test_new_parameters_and_submodules_are_seen():
    model, compiled = compiled_net()
    args = inputs()
    assert same(model, compiled, args)
    model.conv.weight = nn.Parameter(torch.randn(R, 16, 20, dtype=torch.float64))
    assert same(model, compiled, args)
    model.conv.weight.data = torch.randn(R, 16, 20, dtype=torch.float64)
    assert same(model, compiled, args) and versions(compiled) == 1
    model.conv = gnn.FastRGCNConv(16, 20, R, aggr="add").double().eval()  # parameters of the same names and shapes
    assert same(model, compiled, args) and versions(compiled) == 2
    model.conv.bias = None
    assert same(model, compiled, args) and versions(compiled) == 3


def test_precision_recompiles():
    model, compiled = compiled_net()
    args = inputs()
    assert same(model, compiled, args)
    compiled.float()
    single = (args[0].float(), *args[1:])
    check(model, compiled, single)
    assert next(model.parameters()).dtype == torch.float32 and versions(compiled) == 2
    model.double()
    assert same(model, compiled, args) and versions(compiled) == 2


def test_train_and_eval():
    model = Net(dropout=0.0).double()
    compiled = rgnn.compile(model, fullgraph=True)
    args = inputs()
    assert compiled.training and same(model, compiled, args)
    compiled.eval()
    assert not model.conv.training and same(model, compiled, args)
    compiled.train()
    assert same(model, compiled, args) and versions(compiled) == 1


def test_hooks_are_called():
    """They run in PyTorch, with a warning; when they are gone the compiled code is used again."""
    model, compiled = compiled_net()
    args = inputs()
    calls = []
    for module in (model, model.conv):
        compiled = rgnn.compile(model)
        assert same(model, compiled, args)
        handle = module.register_forward_hook(lambda module, args, out: calls.append(module) or out + 1)
        with pytest.warns(UserWarning, match="it has hooks"):
            assert same(model, compiled, args)
        assert same(model, compiled, args)
        assert len(calls) == 4
        handle.remove()
        calls.clear()
        assert same(model, compiled, args) and not calls and len(compiled._compiled_call_impl.runner.versions) == 1


def test_compiled_layers_in_a_compiled_model():
    model = Net().double().eval()
    args = inputs()
    with torch.no_grad():
        expected = model(*args)
        model.conv = rgnn.compile(model.conv, fullgraph=True)
        assert error(model(*args), expected) <= 1e-10  # the layer alone
        compiled = rgnn.compile(model, fullgraph=True)
        assert error(compiled(*args), expected) <= 1e-10
    assert versions(compiled) == 1 and versions(model.conv) == 1


# ---- inputs ----------------------------------------------------------------------------------------------------------


def test_other_strides(layer):
    model, compiled = layer
    x, edge_index, edge_type, edge_attr = layer_inputs()
    transposed = edge_index.T.contiguous().T, torch.stack([edge_type, edge_type], 1)[:, 1]
    wide = torch.cat([x, x], 1)[:, 16:]
    reverse = edge_attr.flip(0)[::1].T.contiguous().T
    assert not any(t.is_contiguous() for t in (*transposed, wide, reverse))
    assert same(model, compiled, (wide, *transposed, reverse))
    assert same(model, compiled, (x[:1].expand(23, 16), edge_index, edge_type, edge_attr[:, :1].expand(80, 4)))
    assert same(model, compiled, (x, edge_index.flip(0), edge_type, edge_attr))
    offset = torch.cat([edge_index[:, :3], edge_index], 1)[:, 3:]
    assert same(model, compiled, (torch.cat([x[:1], x])[1:], offset, edge_type, edge_attr))
    with torch.no_grad():
        weight = model.weight.detach()
        model.weight = nn.Parameter(weight.transpose(1, 2).contiguous().transpose(1, 2))
        assert not model.weight.is_contiguous()
    assert same(model, compiled, (x, edge_index, edge_type, edge_attr))
    model.weight = nn.Parameter(weight)


def test_int32_indices(layer):
    model, _ = layer
    compiled = rgnn.compile(model, fullgraph=True)
    x, edge_index, edge_type, edge_attr = layer_inputs()
    args = x, edge_index.int(), edge_type.int(), edge_attr
    with torch.no_grad():
        got = compiled(*args)
        assert error(got, model(x, edge_index, edge_type, edge_attr)) <= 1e-10
        assert torch.equal(compiled(x, edge_index.int(), edge_type, edge_attr), got)
        assert torch.equal(compiled(x, edge_index, edge_type.int(), edge_attr), got)


def test_keywords_and_other_structures(layer):
    model, _ = layer
    compiled = rgnn.compile(model, fullgraph=True)
    x, edge_index, edge_type, edge_attr = layer_inputs()
    with torch.no_grad():
        expected = model(x, edge_index, edge_type, edge_attr)
        named = {"edge_attr": edge_attr, "edge_type": edge_type}
        assert error(compiled(x, edge_index, **named), expected) <= 1e-10
        assert error(compiled(x, edge_index, edge_type, edge_attr), expected) <= 1e-10
        assert error(compiled(x, edge_index, edge_type), model(x, edge_index, edge_type)) <= 1e-10
        assert error(compiled(x, edge_index, **named), expected) <= 1e-10
    assert versions(compiled) == 2


def test_inference_mode(layer):
    model, compiled = layer
    args = layer_inputs()
    with torch.no_grad():
        expected = model(*args)
    with torch.inference_mode():
        got = compiled(*args)
        assert got.is_inference() and error(got, expected) <= 1e-10
        own = [tensor.clone() for tensor in args]
        assert own[1].is_inference() and error(compiled(*own), expected) <= 1e-10
        own[1][0] = own[1][0].flip(0)  # unseen by any version counter
        assert error(compiled(*own), model(*own)) <= 1e-10
        first = rgnn.compile(model, fullgraph=True)
        assert error(first(*own), model(*own)) <= 1e-10
    with torch.no_grad():
        assert error(first(*own), model(*own)) <= 1e-10


def test_results_are_the_callers(layer):
    """A result is never memory that another call writes to."""
    _, compiled = layer
    args = layer_inputs()
    with torch.no_grad():
        first = compiled(*args)
        kept = first.clone()
        second = compiled(args[0] * 2, *args[1:])
        assert torch.equal(first, kept) and first.data_ptr() != second.data_ptr()
        second.zero_()
        assert torch.equal(compiled(*args), kept)


def test_graph_object(layer):
    model, compiled = layer
    x, edge_index, edge_type, edge_attr = layer_inputs()
    graph = rgnn.Graph(edge_index, edge_type, num_nodes=23)
    assert same(model, compiled, (x, graph.edge_index, graph.edge_type, edge_attr))


def test_release_workspace(layer):
    model, compiled = layer
    args = layer_inputs()
    region = None
    assert same(model, compiled, args)
    region = region or compiled._compiled_call_impl.runner.versions[0].regions[0].region
    assert region.code.workspace_bytes > 0
    rgnn.release_workspace()
    assert region.code.workspace_bytes == 0
    assert same(model, compiled, args) and region.code.workspace_bytes > 0


# ---- functions -------------------------------------------------------------------------------------------------------


def test_functions():
    conv = gnn.FastRGCNConv(16, 20, R).double().eval()

    def scaled(x, edge_index, edge_type, weight, scale=2.0):
        """Documented."""
        h = (x * scale).relu()
        return conv(h, edge_index, edge_type) @ weight

    compiled = rgnn.compile(scaled)
    assert compiled.__name__ == "scaled" and compiled.__doc__ == "Documented."
    weight = rows(20, 3)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where the weights of a closure are not parameters, PyTorch may run it
        for args in ((*inputs(), weight), (*inputs(40, 90, seed=3), weight)):
            assert error(compiled(*args), scaled(*args)) <= 1e-10
            assert error(compiled(*args, scale=3.0), scaled(*args, scale=3.0)) <= 1e-10


# ---- methods ---------------------------------------------------------------------------------------------------------


class Encoder(nn.Module):
    """Its call is not the work."""

    def __init__(self):
        super().__init__()
        self.conv, self.scale = gnn.RGATConv(16, 4, R).double(), 1.0

    def encode(self, x, edge_index, edge_type):
        self.calls = getattr(self, "calls", 0) + 1
        return self.conv(x, edge_index, edge_type) * self.scale

    def embed(self, x, edge_index, edge_type):
        return self.encode(x, edge_index, edge_type).relu()


def test_methods():
    """They are compiled as the call is, and see what is changed on either object."""
    model, args = Encoder(), layer_inputs()[:3]
    compiled = rgnn.compile(model, methods=("encode", "embed"), fullgraph=True)
    for scale in (1.0, 3.0):
        model.scale = scale
        for name in ("encode", "embed"):
            out, expected = (getattr(one, name)(*args) for one in (compiled, model))
            assert error(out.detach(), expected.detach()) <= 1e-10
            assert len(getattr(compiled, name).runner.versions[0].regions) == 1
    assert compiled.calls == model.calls == 4
    out.sum().backward()
    assert model.conv.weight.grad is not None
    with pytest.raises(NotImplementedError):  # as of the model
        compiled(*args)
    other = copy.deepcopy(compiled)
    other.scale = 0.0
    assert not other.encode(*args).any() and compiled.encode(*args).any()
    assert other.encode.runner.versions and "encode" not in vars(pickle.loads(pickle.dumps(compiled)))
    again = rgnn.compile(compiled, methods=("encode",))
    assert again.calls == compiled.calls and error(again.encode(*args).detach(), model.encode(*args).detach()) <= 1e-10


def test_methods_that_are_none():
    for methods in (("encode", "decode"), "conv", [3]):
        with pytest.raises((ValueError, TypeError), match="methods: expected names of methods of Encoder, got "):
            rgnn.compile(Encoder(), methods=methods)
    with pytest.raises(ValueError, match="methods: .* of function, got 'encode'"):
        rgnn.compile(lambda x: x, methods=("encode",))
    with pytest.warns(UserWarning, match="rgnn: Encoder has no forward, and so no call that is compiled: name "):
        rgnn.compile(Encoder())

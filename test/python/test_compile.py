"""rgnn.compile as a front end: live parameters, inputs, fallbacks, reports, graph views, threads, processes."""

import copy
import gc
import pathlib
import pickle
import subprocess
import sys
import textwrap
import threading
import warnings

import pytest
import rgnn
import torch
import torch.nn.functional as F
from pyg import GRAPHS, TINY, R, awkward, check, error, gnn, random_graph, rows, versions
from rgnn import _compile, _graphs
from torch import nn

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


@pytest.fixture(autouse=True)
def _warnings_are_errors():
    """A fallback that no test expects is an error."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="rgnn")
        yield


def inputs(nodes=23, edges=80, width=16, seed=0, dtype=torch.float64):
    return rows(nodes, width, seed, dtype), *random_graph(nodes, edges, seed)[1:]


class Net(nn.Module):
    def __init__(self, dropout=0.5):
        super().__init__()
        self.conv = gnn.FastRGCNConv(16, 20, R)
        self.dropout = nn.Dropout(dropout)
        self.attention = gnn.RGATConv(20, 7, R)

    def forward(self, x, edge_index, edge_type):
        h = self.dropout(self.conv(x, edge_index, edge_type).relu())
        return self.attention(h, edge_index, edge_type)


def compiled_net():
    model = Net().double().eval()
    return model, rgnn.compile(model, fullgraph=True)


def same(model, compiled, args):
    """Compares with the model as it is, which stays uncompiled."""
    with torch.no_grad():
        return error(compiled(*args), model(*args)) <= 1e-10


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
    assert same(model, compiled, args) and versions(compiled) == 2


@pytest.mark.parametrize("compiled_before", [True, False])
def test_dropout_drops_in_training(compiled_before):
    """Also where only the layer is in training, as for Monte Carlo dropout, and when compiled for evaluation before."""

    class Dropped(Net):
        def forward(self, x, edge_index, edge_type):
            return self.dropout(self.conv(x, edge_index, edge_type))

    model = Dropped().double().eval()
    compiled = rgnn.compile(model)
    args = inputs(200, 900)
    with torch.no_grad():
        if compiled_before:
            assert (compiled(*args) == 0).double().mean() == 0
        compiled.dropout.train()
        with pytest.warns(UserWarning, match="runs in PyTorch: dropout in training mode is not compiled yet"):
            got = compiled(*args)
        assert 0.4 < (got == 0).double().mean() < 0.6
        assert not torch.equal(compiled(*args), got)
        compiled.dropout.eval()
        assert (compiled(*args) == 0).double().mean() == 0 and same(model, compiled, args)


def test_functional_dropout_in_training():
    class Dropped(Net):
        def forward(self, x, edge_index, edge_type):
            return F.dropout(self.conv(x, edge_index, edge_type), 0.5, self.training)

    compiled = rgnn.compile(Dropped(0.0).double().train())
    args = inputs(200, 900)
    with torch.no_grad():
        with pytest.warns(UserWarning, match="runs in PyTorch"):
            assert 0.4 < (compiled(*args) == 0).double().mean() < 0.6
        compiled.eval()
        assert (compiled(*args) == 0).sum() == 0


def test_deepcopy_and_pickle():
    """A copy is not compiled, but right, and has parameters of its own."""
    model, compiled = compiled_net()
    args = inputs()
    assert same(model, compiled, args)
    for other in (copy.deepcopy(compiled), pickle.loads(pickle.dumps(compiled))):
        assert other._compiled_call_impl is None and type(other) is Net
        assert same(model, other, args)
        assert same(model, rgnn.compile(other, fullgraph=True), args)
        with torch.no_grad():
            other.conv.weight.zero_()
            assert error(other(*args), compiled(*args)) > 1e-3
    assert same(model, compiled, args)


def test_hooks_are_called():
    """They run in PyTorch, with a warning; when they are gone the compiled code is used again."""
    model, compiled = compiled_net()
    args = inputs()
    calls = []
    for module in (model, model.conv):
        compiled = rgnn.compile(model)
        assert same(model, compiled, args)
        handle = module.register_forward_hook(lambda module, args, out: calls.append(module) or out + 1)
        with pytest.warns(UserWarning, match="it has forward hooks"):
            assert same(model, compiled, args)
        assert same(model, compiled, args)
        assert len(calls) == 4
        handle.remove()
        calls.clear()
        assert same(model, compiled, args) and not calls and len(compiled._compiled_call_impl.versions) == 1


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


@pytest.fixture(scope="module")
def layer():
    torch.manual_seed(0)
    model = gnn.RGATConv(16, 20, R, heads=3, edge_dim=4).double().eval()
    return model, rgnn.compile(model, fullgraph=True)


def layer_inputs(nodes=23, edges=80, seed=0):
    return *inputs(nodes, edges, seed=seed), rows(edges, 4, seed + 1)


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
    assert versions(compiled) == 3


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
    region = compiled._compiled_call_impl.versions[0].region if compiled._compiled_call_impl.versions else None
    assert same(model, compiled, args)
    region = region or compiled._compiled_call_impl.versions[0].region
    assert region.code.workspace_bytes > 0
    rgnn.release_workspace()
    assert region.code.workspace_bytes == 0
    assert same(model, compiled, args) and region.code.workspace_bytes > 0


# ---- gradients: an error, never a missing or wrong one ---------------------------------------------------------------


def test_backward_raises():
    model, compiled = compiled_net()
    args = inputs()
    loss = compiled(*args).square().sum()
    assert loss.requires_grad
    with pytest.raises(rgnn.TrainingError, match="training is not compiled yet: .* train the original"):
        loss.backward()
    assert all(parameter.grad is None for parameter in model.parameters())
    x = args[0].clone().requires_grad_()
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    with pytest.raises(rgnn.TrainingError):
        torch.autograd.grad(compiled(x, *args[1:]).sum(), x)
    out = compiled(*args)  # nothing asks for a gradient
    assert not out.requires_grad and issubclass(rgnn.TrainingError, rgnn.RGNNError)
    model(x, *args[1:]).sum().backward()  # the original trains
    assert x.grad is not None


# ---- what is not compiled runs in PyTorch ----------------------------------------------------------------------------


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = gnn.FastRGCNConv(16, 20, R)

    def forward(self, x, edge_index, edge_type):
        h = self.conv(x, edge_index, edge_type)
        return h if h.sum() > 0 else -h


class Sorts(Branches):
    def forward(self, x, edge_index, edge_type):
        return self.conv(x, edge_index, edge_type).sort(dim=0).values


def lstm_inputs():
    x, edge_index, _ = inputs()
    return x, edge_index[:, edge_index[1].argsort()]


FALLBACKS = {
    "branch on data": (Branches, inputs, "data-dependent"),
    "lstm": (lambda: gnn.SAGEConv(16, 20, aggr="lstm"), lstm_inputs, "data-dependent"),
    "size compared with 1": (
        lambda: gnn.GATConv(16, 20), lambda: inputs()[:2], r"gat_conv.py:\d+: it compares a size"),
}  # fmt: skip


@pytest.mark.parametrize("name", FALLBACKS)
def test_fallback(name):
    make, arguments, reason = FALLBACKS[name]
    model, args = make().double().eval(), arguments()
    compiled = rgnn.compile(model)
    with torch.no_grad():
        expected = model(*args)
        with pytest.warns(UserWarning, match=f"rgnn: the model runs in PyTorch: .*{reason}"):
            assert torch.equal(compiled(*args), expected)
        assert torch.equal(compiled(*args), expected)  # without a second warning
        assert not compiled._compiled_call_impl.versions
    for candidate in (model, compiled):
        report = rgnn.explain(candidate, *args)
        assert report.fallbacks and reason.split(":")[-1].strip() in report.fallbacks[0][1]
        assert "runs in PyTorch" in str(report) and report.peak_bytes is None and not report.kernels
        assert not report.ir
    strict = rgnn.compile(model, fullgraph=True)
    for _ in range(2), torch.no_grad():
        with pytest.raises(rgnn.FallbackError, match=reason):
            strict(*args)
    compiled(*args).sum().backward()  # in PyTorch it trains
    assert next(model.parameters()).grad is not None


def test_fallback_names_operator_and_line():
    model = Sorts().double().eval()
    (operator, reason, line), *_ = rgnn.explain(model, *inputs()).fallbacks
    assert operator and reason and line.startswith("test_compile.py:")


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
    assert not compiled._rgnn_runner.fallbacks


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


def test_options_of_a_call_that_is_not_compiled():
    for bad, message in ((rgnn.Options(cpu="z80"), "expected native or a processor .* got 'z80'"),
                         (rgnn.Options(features="+magic"), r"expected features .* got '\+magic'"),
                         (rgnn.Options(schedule={"gemm": {"vector_width": 3}}), "expected a power of two .* got 3")):
        compiled = rgnn.compile(Net().double().eval(), options=bad)
        with pytest.raises(rgnn.CompileError, match=message):
            compiled(*inputs())


@pytest.mark.parametrize("options", [
    {"cpu": "x86-64"},
    {"cpu": "x86-64-v3"},
    {"features": "-avx512f"},
    {"schedule": {"gemm": {"tile_rows": 16, "block_rows": 2, "coarsening": 4}, "traverse": {"task_rows": 1}}},
    {"schedule": {"gemm": {"tile_rows": 1, "block_rows": 1, "block_vectors": 1, "vector_width": 1}}},
    {"schedule": {"traverse": {"mapping": "edge", "task_rows": 3, "coarsening": 2}}},
    {"schedule": {"traverse": {"hoisting": False, "partial_aggregation": False, "coarsening": 4}}},
    {"layout": {"padding": 32, "adjacency": "coo"}},
    {"layout": {"adjacency": "csc"}},
    {"cache": False},
])  # fmt: skip
def test_options(options):
    model = Net().double().eval()
    compiled = rgnn.compile(model, options=rgnn.Options(**options), fullgraph=True)
    for graph in ("awkward", "one node", "large"):
        nodes, *edges = GRAPHS[graph]
        assert same(model, compiled, (rows(nodes, 16), *edges))


# ---- explain ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tool():
    path = ROOT / "build" / "bin" / "rgnn-opt"
    assert path.exists(), "rgnn-opt is not built"
    return path


@pytest.mark.parametrize("name", ["RGCN", "RGAT", "HGT"])
def test_explain(name, tool):
    metadata = ["a", "b"], [("a", "x", "b"), ("b", "y", "a")]
    hetero = {"a": rows(5, 16), "b": rows(4, 16)}, {
        ("a", "x", "b"): torch.tensor([[0, 4, 4], [1, 3, 3]]), ("b", "y", "a"): torch.tensor([[2], [2]])}  # fmt: skip
    model, args = {
        "RGCN": (gnn.RGCNConv(16, 20, R, num_bases=2), inputs()),
        "RGAT": (Net(), inputs()),
        "HGT": (gnn.HGTConv(16, 16, metadata, heads=2), hetero),
    }[name]
    model = model.double().eval()
    report = rgnn.explain(model, *args)
    assert report.fallbacks == [] and "runs in PyTorch" not in str(report)
    assert {"captured", "rgnn", "hetkernel", "buffers", "llvm", "assembly"} <= report.ir.keys()
    assert all(isinstance(text, str) and text for text in report.ir.values())
    assert "rgnn.torch" in report.ir["captured"] and "rgnn.torch" not in report.ir["rgnn"]
    assert "rgnn.gather" in report.ir["rgnn"] and "hetkernel.gemm" in report.ir["hetkernel"]
    assert "tensor<" not in report.ir["buffers"] and "llvm.func @rgnn_forward" in report.ir["llvm"]
    kernels = sum(report.ir["hetkernel"].count(f"hetkernel.{kind} ") for kind in ("gemm", "traverse"))
    assert len(report.kernels) == kernels > 0
    assert all(kernel.startswith(("hetkernel.gemm", "hetkernel.traverse")) for kernel in report.kernels)
    assert isinstance(report.peak_bytes, int) and report.peak_bytes > 0
    assert all(len(decision) == 4 and decision[2] in ("taken", "refused") for decision in report.decisions)
    assert str(len(report.kernels)) in str(report).splitlines()[0] and str(report.peak_bytes) in str(report)

    done = subprocess.run([tool, "--rgnn-to-cpu"], input=report.ir["captured"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == report.ir["llvm"]

    compiled = rgnn.compile(model)
    again = rgnn.explain(compiled, *args)
    assert again.ir == report.ir and not compiled._compiled_call_impl.versions


def test_another_processor():
    model, options = Net().double().eval(), rgnn.Options(features="+amx-fp16")
    if "amx_fp16" in pathlib.Path("/proc/cpuinfo").read_text():
        pytest.skip("this processor has what the test takes for missing")
    with pytest.raises(rgnn.CompileError, match="expected a target that this processor can run, .* needs amx-fp16"):
        rgnn.compile(model, options=options)(*inputs())
    report = rgnn.explain(model, *inputs(), options=options)
    assert report.ir["assembly"] and report.kernels and not report.fallbacks and report.peak_bytes is None


def test_explain_with_options(tool):
    model = Net().double().eval()
    options = rgnn.Options(cpu="x86-64-v3", schedule={"gemm": {"tile_rows": 32, "block_rows": 4, "block_vectors": 1}})
    report = rgnn.explain(rgnn.compile(model, options=options), *inputs())
    assert "tile_rows = 32, block_rows = 4, block_vectors = 1" in report.ir["hetkernel"]
    assert report.ir["llvm"] != rgnn.explain(model, *inputs()).ir["llvm"]
    command = [tool, f"--rgnn-to-cpu={options.pipeline()}"]
    done = subprocess.run(command, input=report.ir["captured"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == report.ir["llvm"], done.stderr


def test_explain_peak_grows_with_the_graph():
    model = Net().double().eval()
    small, large = (rgnn.explain(model, *inputs(nodes, 4 * nodes)).peak_bytes for nodes in (50, 500))
    assert 5 * small < large < 20 * small


# ---- graph views: found again by the tensors, never by where they lie ------------------------------------------------


def test_a_new_graph_at_an_old_address(layer):
    model, compiled = layer
    x, edge_index, edge_type, edge_attr = layer_inputs()
    storage = torch.empty(2, 80, dtype=torch.long)
    addresses, identities = set(), set()
    for seed in range(20):
        other = storage.view(2, 80)
        other.copy_(random_graph(23, 80, seed + 100)[1])
        addresses.add(other.data_ptr())
        identities.add(id(other))
        assert same(model, compiled, (x, other, edge_type, edge_attr))
        del other
    assert len(addresses) == 1
    # Objects whose memory, too, is that of an object freed before.
    for seed in range(20):
        other = random_graph(23, 80, seed + 200)[1].clone()
        identities.add(id(other))
        addresses.add(other.data_ptr())
        assert same(model, compiled, (x, other, edge_type, edge_attr))
        del other
        gc.collect()
    assert len(identities) < 40  # else this test shows nothing


def test_an_edge_index_changed_in_place(layer):
    model, compiled = layer
    x, edge_index, edge_type, edge_attr = layer_inputs()
    args = x, edge_index, edge_type, edge_attr
    assert same(model, compiled, args)
    edge_index[0] = edge_index[0].flip(0)
    assert same(model, compiled, args)
    edge_index.view(-1)[3:9] = 0  # through a view
    assert same(model, compiled, args)
    edge_type[:40] = edge_type[40:].clone()
    assert same(model, compiled, args)
    edge_index.data = random_graph(23, 80, 77)[1]
    assert same(model, compiled, args)
    edge_index.set_(random_graph(23, 80, 78)[1])
    assert same(model, compiled, args)
    edge_index[0, 0] = 23
    with pytest.raises(rgnn.InputError, match=r"expected node indices in \[0, 23\), got 23 at edge 0"), torch.no_grad():
        compiled(*args)
    edge_index[0, 0] = 22
    assert same(model, compiled, args)


def test_views_of_an_edge_index(layer):
    model, compiled = layer
    x, edge_index, edge_type, edge_attr = layer_inputs(edges=200)
    for start in (0, 50, 120):
        part = slice(start, start + 80)
        assert same(model, compiled, (x, edge_index[:, part], edge_type[part], edge_attr[part]))
    first, second = edge_index[:, :80], edge_index[:, 80:160]
    for part, of in ((first, 0), (second, 80), (first, 0)):
        assert same(model, compiled, (x, part, edge_type[of : of + 80], edge_attr[of : of + 80]))
    base = edge_index.clone()
    part = base[:, :80]
    args = x, part, edge_type[:80], edge_attr[:80]
    assert same(model, compiled, args)
    base[1] = 3  # the view sees it
    assert same(model, compiled, args)


def test_two_graphs_alternate(layer):
    model, compiled = layer
    graphs = [layer_inputs(), layer_inputs(40, 80, seed=5), layer_inputs(23, 0, seed=6)]
    with torch.no_grad():
        expected = [model(*graph) for graph in graphs]
        for _ in range(4):
            for graph, right in zip(graphs, expected, strict=True):
                assert error(compiled(*graph), right) <= 1e-10
    x, *graph = layer_inputs(23, 80, seed=7)
    assert same(model, compiled, (x, *graph))  # the same edges among more nodes
    assert same(model, compiled, (torch.cat([x, x]), *graph))
    assert same(model, compiled, (x, *graph))


def test_views_are_built_once_and_freed(layer, monkeypatch):
    _, compiled = layer
    built = []
    views = _graphs.GraphViews
    monkeypatch.setattr(_graphs, "GraphViews", lambda *args: built.append(1) or views(*args))
    args = layer_inputs(seed=11)
    with torch.no_grad():
        for _ in range(3):
            compiled(*args)
        assert len(built) == 1
        before = len(_graphs._views)
        del args
        gc.collect()
        assert len(_graphs._views) == before - 1
        for seed in range(5):
            compiled(*layer_inputs(seed=seed))
        gc.collect()
        assert len(_graphs._views) == before - 1


# ---- threads and processes -------------------------------------------------------------------------------------------


def run_threads(work, count=6):
    failures, barrier = [], threading.Barrier(count)

    def body(number):
        try:
            barrier.wait()
            with torch.no_grad():
                work(number)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=body, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def test_threads_share_the_first_call():
    model, compiled = compiled_net()
    with torch.no_grad():
        graphs = [inputs(nodes=20 + 7 * n, edges=50 * n, seed=n) for n in range(6)]
        expected = [model(*graph) for graph in graphs]

    def work(number):
        for i in range(12):
            k = (number + i) % 6
            assert error(compiled(*graphs[k]), expected[k]) <= 1e-10

    run_threads(work)
    assert versions(compiled) == 1
    run_threads(work)


def test_threads_on_one_changing_graph(layer):
    """Each thread has tensors of its own that come and go, and all share one."""
    model, compiled = layer
    shared = layer_inputs(seed=1)
    with torch.no_grad():
        right = model(*shared)

    references = [copy.deepcopy(model) for _ in range(6)]  # RGATConv keeps its attention in itself during a call

    def work(number):
        for i in range(10):
            own = layer_inputs(10 + number, 30 + i, seed=100 * number + i)
            assert error(compiled(*own), references[number](*own)) <= 1e-10
            assert error(compiled(*shared), right) <= 1e-10

    run_threads(work)


def test_threads_compile_different_models():
    models = [Net().double().eval(), gnn.RGCNConv(16, 20, R, num_bases=2).double().eval(), Branches().double().eval()]
    args = inputs()
    with torch.no_grad():
        expected = [model(*args) for model in models]

    def work(number):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled = rgnn.compile(models[number % 3])
            assert error(compiled(*args), expected[number % 3]) <= 1e-9

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run_threads(work)


OTHER_PROCESS = """
    import sys, torch
    sys.path.insert(0, sys.argv[1])
    from test_compile import cached_model
    print(*cached_model())
"""


def cached_model():
    """Compiles a model and runs it; gives whether the code was in the cache, and its path."""
    found = []
    stock = _compile.compile_text
    _compile.compile_text = lambda *args: found.append(stock(*args)) or found[-1]
    try:
        torch.manual_seed(0)
        model = gnn.RGATConv(16, 20, R, heads=2).double().eval()
        assert same(model, rgnn.compile(model, fullgraph=True), inputs())
    finally:
        _compile.compile_text = stock
    return found[0]["cached"], found[0]["so"]


def test_a_second_process_uses_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RGNN_CACHE_DIR", str(tmp_path / "cache"))
    command = [sys.executable, "-c", textwrap.dedent(OTHER_PROCESS), str(pathlib.Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    cached, path = done.stdout.split()
    assert cached == "False" and pathlib.Path(path).is_relative_to(tmp_path / "cache")
    assert cached_model() == (True, path)


def test_a_damaged_entry_of_the_cache_is_made_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("RGNN_CACHE_DIR", str(tmp_path / "cache"))
    cached, path = cached_model()
    assert not cached
    code = pathlib.Path(path).read_bytes()
    pathlib.Path(path).unlink()
    pathlib.Path(path).write_bytes(code[:100])
    cached_model()
    assert pathlib.Path(path).stat().st_size == len(code) and cached_model() == (True, path)


def test_without_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RGNN_CACHE_DIR", str(tmp_path / "cache"))
    model = gnn.FastRGCNConv(16, 20, R).double().eval()
    compiled = rgnn.compile(model, options=rgnn.Options(cache=False), fullgraph=True)
    assert same(model, compiled, inputs())
    assert not list(tmp_path.rglob("*.so"))


def test_tiny_graphs_between_large_ones(layer):
    model, compiled = layer
    for graph in (awkward(), *TINY.values(), awkward()):
        nodes, *edges = graph
        assert same(model, compiled, (rows(nodes, 16), *edges, rows(len(edges[1]), 4)))

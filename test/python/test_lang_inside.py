"""Functions of the language as methods, and within models that are captured."""

import copy
import pickle
import warnings

import pytest
import rgnn
import torch
from lang_checks import F64, R, close, compare, gradients, graph_of, tensor
from lang_models import add_up, product, rgcn
from rgnn import Edge, Node, Weight, lang
from rgnn._runner import runner_of
from torch import nn


class Gated(nn.Module):
    """Reads its parameters, a number, and a layer of its own."""

    def __init__(self, width, heads=2):
        super().__init__()
        torch.manual_seed(0)
        self.heads, self.slope = heads, 0.2
        self.weight = nn.Parameter(torch.randn(R, width, width, dtype=F64))
        self.layers = nn.ModuleList([nn.Linear(width, width, dtype=F64) for _ in range(2)])
        self.scale = nn.Parameter(torch.randn(width, dtype=F64))

    def activate(self, x):
        return lang.leaky_relu(x, self.slope)

    @rgnn.function
    def message(self, g, h: Node, a: Edge):
        for n in g.nodes():
            n["k"] = n["h"]
            for layer in self.layers:
                n["k"] = self.activate(layer(n["k"]))
        for e in g.edges():
            e.dst["sum"] += e["a"] * lang.linear(e.src["k"], self.weight[e.etype])
        for n in g.nodes():
            n["y"] = n["sum"].reshape(self.heads, -1) * self.scale.reshape(self.heads, -1)
        return g.ndata["y"]

    def forward(self, x, edge_index, edge_type, a):
        x = self.message((edge_index, edge_type), torch.tanh(x), a=a)
        return x.flatten(1).relu()


def forward_twin(model, x, edge_index, edge_type, a):
    return message_twin(model, rgnn.Graph(edge_index, edge_type, num_nodes=len(x)), x.tanh(), a).flatten(1).relu()


def message_twin(model, graph, h, a):
    (src, dst), types = graph.edge_index, graph.edge_type
    k = h
    for layer in model.layers:
        k = nn.functional.leaky_relu(layer(k), model.slope)
    y = add_up(a.view(-1, 1) * product(k[src], model.weight[types]), dst, len(h))
    return y.view(len(h), model.heads, -1) * model.scale.view(model.heads, -1)


@pytest.fixture
def model():
    return Gated(4)


def arguments(nodes=6, edges=14):
    graph = graph_of(nodes, edges)
    return tensor(nodes, 4), graph.edge_index, graph.edge_type, tensor(edges, 1)


def same_as_twin(call, model, args):
    """Results, and gradients of inputs and parameters."""
    got, expected = call(*args), forward_twin(model, *args)
    sources = [args[0], args[3], *model.parameters()]
    close(got, expected, "result")
    for number, pair in enumerate(zip(gradients(got, sources), gradients(expected, sources), strict=True)):
        close(*pair, f"gradient {number}")


def versions(model):
    return type(model).message.versions


def test_method(model, strict):
    known = len(versions(model))
    for sizes in ((6, 14), (3, 1), (4, 0)):
        graph = graph_of(*sizes)
        h, a = tensor(sizes[0], 4), tensor(sizes[1], 1)
        sources = [h, a, *model.parameters()]
        got, expected = model.message(graph, h, a), message_twin(model, graph, h, a)
        close(got, expected, "result")
        for number, pair in enumerate(zip(gradients(got, sources), gradients(expected, sources), strict=True)):
            close(*pair, f"gradient {number}")
    assert len(versions(model)) <= known + 1 and versions(model)[-1].code.region is not None


def test_parameters_and_numbers_are_read_at_each_call(model, strict):
    args = arguments()
    same_as_twin(model, model, args)
    known = len(versions(model))
    with torch.no_grad():
        model.weight.mul_(2)
    model.scale = nn.Parameter(torch.ones(4, dtype=F64))
    same_as_twin(model, model, args)
    assert len(versions(model)) == known
    model.slope = 0.5
    same_as_twin(model, model, args)
    other = Gated(4, heads=4)
    same_as_twin(other, other, args)
    same_as_twin(model, model, args)
    assert len(versions(model)) == known + 2


def test_an_attribute_that_is_set(model):
    class Wrong(nn.Module):
        @rgnn.function
        def message(self, g, h: Node):
            self.last = 1
            return g.ndata["h"]

    with pytest.raises(rgnn.LanguageError, match=r"self\.last = \.\.\.: a function changes nothing"):
        Wrong().message(graph_of(5, 9), tensor(5, 4))


@pytest.mark.parametrize("is_called_before", [False, True])
def test_compiled(model, strict, is_called_before):
    if is_called_before:
        model(*arguments())
    compiled = rgnn.compile(model, fullgraph=True)
    for sizes in ((6, 14), (9, 4), (4, 0), (5, 5)):
        same_as_twin(compiled, model, arguments(*sizes))
    with torch.no_grad():
        close(compiled(*arguments()), forward_twin(model, *arguments()), "without gradients")


def test_compiled_is_one_operator(model, strict):
    graphs = []

    def backend(module, inputs):
        graphs.append([node.target for node in module.graph.nodes if node.op == "call_function"])
        return module.forward

    torch.compiler.reset()
    call = torch.compile(model, backend=backend, fullgraph=True)
    same_as_twin(call, model, arguments())
    assert len(graphs) == 1 and graphs[0].count(torch.ops.rgnn_lang.run.default) == 1
    assert not any(getattr(target, "__name__", "").startswith("index") for target in graphs[0])


def test_a_number_that_changes_after_capture(model, strict):
    compiled = rgnn.compile(model, fullgraph=True)
    same_as_twin(compiled, model, arguments())
    model.slope = 0.5
    same_as_twin(compiled, model, arguments())


def test_saved_within_a_model(model, strict, tmp_path):
    compiled = rgnn.compile(model, fullgraph=True)
    compiled(*arguments())
    compiled.save(tmp_path / "gated.rgnn")
    loaded = rgnn.load(tmp_path / "gated.rgnn")
    args = arguments(8, 5)
    close(loaded(*args), forward_twin(model, *args), "loaded")


def test_a_function_that_a_model_calls(strict):
    class Net(nn.Module):
        def forward(self, graph, x, norm, w, w0, b):
            return rgcn(graph, h=x.sin(), norm=norm, w=w, w0=w0, b=b) * 2

    args = [tensor(6, 4), tensor(14, 1), tensor(R, 4, 3), tensor(4, 3), tensor(3)]
    graph = graph_of(6, 14)
    net = Net()
    compiled = torch.compile(net, fullgraph=True, backend="aot_eager")
    got, expected = compiled(graph, *args), net(graph, *args)
    close(got, expected, "result")
    for pair in zip(gradients(got, args), gradients(expected, args), strict=True):
        close(*pair, "gradient")


def test_copies_and_pickles_of_modules(model, strict):
    args = arguments()
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        same_as_twin(other, other, args)


def test_an_operation_without_kernels_says_so(monkeypatch):
    monkeypatch.setattr("rgnn.lang.code.run_pipeline", _refusing)

    @rgnn.function
    def scaled(g, h: Node):
        for n in g.nodes():
            n["y"] = lang.sin(n["h"]) * 2
        return g.ndata["y"]

    with pytest.warns(UserWarning, match="rgnn: scaled runs by PyTorch's operators: model.py:7: no op on all rows"):
        scaled(graph_of(6, 14), tensor(6, 4))
    with warnings.catch_warnings():  # once
        warnings.simplefilter("error")
        compare_interpreted(scaled)
    assert scaled.versions[0].code.region is None


def test_what_does_not_compile_says_so():
    @rgnn.function
    def constant(g, w: Weight):
        for n in g.nodes():
            n["y"] = w
        return g.ndata["y"]

    with pytest.warns(UserWarning, match="rgnn: constant runs by PyTorch's operators: .*expected a graph"):
        got = constant(graph_of(6, 14), tensor(3))
    close(got, tensor(3).expand(6, 3), "result")


def test_options_that_do_not_compile():
    def doubled(g, h: Node):
        for n in g.nodes():
            n["y"] = lang.linear(n["h"], lang.outer(n["h"], n["h"])) * 2
        return g.ndata["y"]

    wrong = rgnn.function(options=rgnn.Options(schedule={"traverse": {"task_row": 3}}))(doubled)
    with pytest.raises(rgnn.CompileError, match="doubled: target cpu, Options.*task_row"):
        wrong(graph_of(6, 14), tensor(6, 3))


def test_a_wrong_function_within_a_model():
    @rgnn.function
    def wrong(g, h: Node):
        for n in g.dst_nodes():
            for e in n.incoming_edges():
                n["z"] += e.src["h"]
            n["h"] = n["z"]
        return g.ndata["h"]

    compiled = rgnn.compile(lambda x, edge_index: wrong(edge_index, x.sin()))
    with pytest.raises(rgnn.LanguageError, match="which another iteration of the loop writes: write other data"):
        compiled(tensor(6, 4), graph_of(6, 14).edge_index)


def compare_interpreted(scaled):
    h = tensor(6, 4)
    got, expected = scaled(graph_of(6, 14), h), h.sin() * 2
    close(got, expected, "result")
    close(*(gradients(result, [h])[0] for result in (got, expected)), "gradient")


def _refusing(text, *_, **__):
    from rgnn._compiler import CompilerRefusal

    error = CompilerRefusal("refused")
    error.diagnostics = [Said()]
    raise error


class Said:
    text, file, line, where = "not raised: no op on all rows does what 'x' does", "model.py", 7, "model.py:7"


def test_second_derivatives(strict):
    @rgnn.function
    def energy(g, h: Node):
        for n in g.nodes():
            n["y"] = lang.tanh(lang.sum(e.src["h"] * e.src["h"] for e in n.incoming_edges()))
        return g.ndata["y"]

    graph, h = graph_of(5, 9), tensor(5, 3)

    def twin(h):
        src, dst = graph.edge_index
        return add_up(h[src] * h[src], dst, 5).tanh()

    found = []
    for result in (energy(graph, h), twin(h)):
        (first,) = torch.autograd.grad(result.sum(), h, create_graph=True)
        found.append(torch.autograd.grad((first * first).sum(), h)[0])
    close(*found, "second derivative")
    assert torch.autograd.gradcheck(lambda h: energy(graph, h), h)
    compare(energy, lambda graph, h: twin(h), graph, {"h": h})


def test_nodes_that_nothing_counts():
    @rgnn.function
    def degree(g, a: Edge):
        for e in g.edges():
            e.dst["degree"] += e["a"]
        return g.ndata["degree"]

    graph, a = graph_of(6, 14), tensor(14)
    expected = add_up(a, graph.edge_index[1], 6)
    counted = rgnn.compile(lambda edge_index, a: degree(edge_index, a.sin(), num_nodes=6) * 2)
    close(counted(graph.edge_index, a), add_up(a.sin(), graph.edge_index[1], 6) * 2, "counted")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch runs it
        found = rgnn.compile(lambda edge_index, a: degree(edge_index, a))(graph.edge_index, a)
    close(found, expected[: len(found)], "not counted")


def test_lists_and_dictionaries_of_parameters(strict):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            make = torch.Generator().manual_seed(0)
            self.square = nn.ParameterList([nn.Parameter(torch.randn(3, 3, dtype=F64, generator=make)) for _ in "ab"])
            rows = {name: nn.Parameter(torch.randn(3, dtype=F64, generator=make)) for name in "ab"}
            self.named = nn.ParameterDict(rows)
            self.layers = nn.ModuleDict({"one": nn.Linear(3, 3, dtype=F64)})

        @rgnn.function
        def message(self, g, h: Node, weights, factors):
            for n in g.nodes():
                x = n["h"]
                for weight in self.square:
                    x = x @ weight
                for name, row in self.named.items():
                    x = x * row if name == "a" else x + self.named[name] * weights["a"]
                for name in self.layers:
                    x = self.layers[name](x) * factors[0]
                n["y"] = x
            return g.ndata["y"]

    net = Net()
    h, weights = tensor(6, 3), {"a": tensor(3)}
    got = net.message(graph_of(6, 14), h, weights, [2.0, 3])
    x = h @ net.square[0] @ net.square[1] * net.named["a"] + net.named["b"] * weights["a"]
    expected = net.layers["one"](x) * 2
    close(got, expected, "result")
    sources = [h, weights["a"], *net.parameters()]
    for pair in zip(gradients(got, sources), gradients(expected, sources), strict=True):
        close(*pair, "gradient")
    close(net.message(graph_of(6, 14), h, weights, [3.0, 3]), expected * 1.5, "another factor")


@rgnn.function
def by_ends(g, h: Node, w: Weight, b: Weight, p: Weight, q: Weight):
    for e in g.edges():
        e["m"] = lang.linear(e.src["h"], w[e.src.ntype]) * p[e.src.ntype, e.etype] + b[e.etype, e.dst.ntype]
    for n in g.dst_nodes():
        n["y"] = n["h"] * q[n.ntype]
        for e in n.incoming_edges():
            n["y"] += e["m"]
    return g.ndata["y"]


class ByEnds(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        shapes = ((2, 4, 4), (R, 2, 4), (2, R), (2,))
        self.w, self.b, self.p, self.q = (nn.Parameter(torch.randn(shape, dtype=F64)) for shape in shapes)

    def forward(self, x, edge_index, edge_type, node_type):
        y = by_ends((edge_index, edge_type, node_type), h=x.tanh(), w=self.w, b=self.b, p=self.p, q=self.q)
        return y.relu()

    def twin(self, x, edge_index, edge_type, node_type):
        h, (src, dst) = x.tanh(), edge_index
        messages = product(h[src], self.w[node_type[src]]) * self.p[node_type[src], edge_type].unsqueeze(1)
        messages = messages + self.b[edge_type, node_type[dst]]
        return (h * self.q[node_type].unsqueeze(1) + add_up(messages, dst, len(x))).relu()


def test_types_of_ends_within_a_model(strict):
    """Integers that several types make are PyTorch's, once for a graph."""
    model = ByEnds()
    compiled = rgnn.compile(model, fullgraph=True)
    for nodes, edges in ((6, 14), (9, 30), (6, 0)):
        graph = graph_of(nodes, edges)
        x, node_type = tensor(nodes, 4), torch.arange(nodes) % 2
        sources = [x, *model.parameters()]
        expected = model.twin(x, graph.edge_index, graph.edge_type, node_type)
        got = compiled(x, graph.edge_index, graph.edge_type, node_type)
        close(got, expected, "result")
        for number, pair in enumerate(zip(gradients(got, sources), gradients(expected, sources), strict=True)):
            close(*pair, str(number))
    assert len(runner_of(compiled).versions) == 1

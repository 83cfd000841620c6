"""Whole captures of PyG models: replacements, the functions that they become, and their text."""

import importlib
import re
import sys
import threading

import pytest
import torch
import torch.nn.functional as F
import torch_geometric.nn as gnn
from pyg import close
from rgnn._capture import CaptureError, InputSpec, capturing, custom_ops, overrides
from rgnn._dynamo.full_graph import capture, capture_graph
from rgnn._run.parameters import ParameterReader
from torch import nn
from torch.utils import _pytree as pytree
from torch_geometric import utils

R = 5  # edge types


pytestmark = pytest.mark.usefixtures("float64")


# Programs against PyG

NODE_TYPES = ["paper", "author", "venue"]
EDGE_TYPES = [
    ("paper", "cites", "paper"),
    ("author", "writes", "paper"),
    ("paper", "rev_writes", "author"),
    ("venue", "hosts", "paper"),
]
METADATA = (NODE_TYPES, EDGE_TYPES)
WIDTHS = {"paper": 8, "author": 6, "venue": 3}


def homogeneous(n, e, width=8, edge_dim=None):
    out = [torch.randn(n, width), torch.randint(0, n, (2, e)), torch.randint(0, R, (e,))]
    return (*out, *([] if edge_dim is None else [torch.randn(e, edge_dim)]))


def hetero(n, e, order=None, edge_types=EDGE_TYPES, widths=WIDTHS):
    sizes = {"paper": n, "author": n + 2, "venue": n}
    x_dict = {key: torch.randn(sizes[key], widths[key]) for key in order or NODE_TYPES}
    edges = {
        key: torch.stack([torch.randint(0, sizes[end], (e,)) for end in (key[0], key[2])])
        for key in edge_types
    }
    return x_dict, edges


class Stack(nn.Module):
    """Two layers with ReLU, dropout, a skip connection and a final log-softmax."""

    def __init__(self, make):
        super().__init__()
        self.conv1, self.conv2 = make(8, 6), make(6, 4)
        self.skip = nn.Linear(8, 6)

    def forward(self, x, edge_index, edge_type):
        h = self.conv1(x, edge_index, edge_type).relu() + self.skip(x)
        h = F.dropout(h, 0.5, training=self.training)
        return F.log_softmax(self.conv2(h, edge_index, edge_type), dim=-1)


class HeteroStack(nn.Module):
    def __init__(self):
        super().__init__()
        self.lins = nn.ModuleDict({key: gnn.Linear(width, 8) for key, width in WIDTHS.items()})
        self.convs = nn.ModuleList([gnn.HGTConv(8, 8, METADATA, heads=2) for _ in range(2)])
        self.out = gnn.Linear(8, 3)

    def forward(self, x_dict, edge_index_dict):
        x_dict = {key: self.lins[key](x).relu_() for key, x in x_dict.items()}
        venue = x_dict["venue"]
        for conv in self.convs:  # a type without incoming edges is missing from the result
            x_dict = {"venue": venue, **conv(x_dict, edge_index_dict)}
        return {"paper": self.out(x_dict["paper"])}, x_dict["author"]


def rgcn(base, **flags):
    return lambda: base(8, 4, R, **flags), homogeneous


def featureless(base, **flags):
    return lambda: base(6, 4, R, **flags), lambda n, e: (None, *homogeneous(min(n, 6), e)[1:])


def indices(base, **flags):
    def inputs(n, e):
        return (torch.randint(0, 12, (n,)), *homogeneous(n, e)[1:])

    return lambda: base(12, 4, R, **flags), inputs


def rgat(heads=2, edge_dim=None, **flags):
    def inputs(n, e):
        return homogeneous(n, e, edge_dim=edge_dim)

    return lambda: gnn.RGATConv(8, 4, R, heads=heads, edge_dim=edge_dim, **flags), inputs


def hgt(heads=2, in_channels=WIDTHS, out_channels=8, widths=WIDTHS, **graph):
    def inputs(n, e):
        return hetero(n, e, widths=widths, **graph)

    return lambda: gnn.HGTConv(in_channels, out_channels, METADATA, heads=heads), inputs


WITHIN = {"attention_mechanism": "within-relation"}
CASES = {
    "rgat": rgat(),
    "rgat-one-head": rgat(heads=1),
    "rgat-mean": rgat(concat=False, bias=False),
    "rgat-within": rgat(**WITHIN),
    "rgat-within-mean": rgat(concat=False, **WITHIN),
    "rgat-edge-attr": rgat(edge_dim=3),
    "rgat-within-edge-attr": rgat(edge_dim=3, **WITHIN),
    "rgat-bases": rgat(num_bases=3),
    "rgat-blocks": rgat(num_blocks=4),
    "rgat-multiplicative": rgat(attention_mode="multiplicative-self-attention", dim=2),
    "rgat-scaled": rgat(mod="scaled"),
    "hgt": hgt(),
    "hgt-four-heads": hgt(heads=4),
    "hgt-one-width": hgt(in_channels=8, widths=dict.fromkeys(WIDTHS, 8)),
    "hgt-other-order": hgt(order=["venue", "author", "paper"], edge_types=EDGE_TYPES[::-1]),
    "hgt-missing-edge-types": hgt(edge_types=[EDGE_TYPES[3], EDGE_TYPES[1]]),
    "rgcn-stack": (lambda: Stack(lambda i, o: gnn.RGCNConv(i, o, R)), homogeneous),
    "rgat-stack": (lambda: Stack(lambda i, o: gnn.RGATConv(i, o, R)), homogeneous),
    "hgt-stack": (HeteroStack, hetero),
    "sage": (lambda: gnn.SAGEConv(8, 4), lambda n, e: homogeneous(n, e)[:2]),
    "sage-max": (lambda: gnn.SAGEConv(8, 4, aggr="max"), lambda n, e: homogeneous(n, e)[:2]),
}
for _name, _base in {"rgcn": gnn.RGCNConv, "fast-rgcn": gnn.FastRGCNConv}.items():
    for _aggr in ("mean", "add"):
        _flags = {"aggr": _aggr}
        CASES[f"{_name}-{_aggr}"] = rgcn(_base, **_flags)
        CASES[f"{_name}-{_aggr}-bases"] = rgcn(_base, num_bases=3, **_flags)
        CASES[f"{_name}-{_aggr}-blocks"] = rgcn(_base, num_blocks=4, **_flags)
        CASES[f"{_name}-{_aggr}-featureless"] = featureless(_base, **_flags)
        CASES[f"{_name}-{_aggr}-featureless-bases"] = featureless(_base, num_bases=3, **_flags)
        CASES[f"{_name}-{_aggr}-indices"] = indices(_base, **_flags)
    CASES[f"{_name}-bare"] = rgcn(_base, root_weight=False, bias=False)

each_case = pytest.mark.parametrize("make, inputs", CASES.values(), ids=CASES.keys())


def reference(model, args):
    """PyG's result, by the class and in the order of edge types for which PyG is right.

    RGCNConv divides wrongly for mean on its segment-matmul path; HGTConv takes edges that are
    not in the order of the metadata for sorted ones.
    """
    if isinstance(model, gnn.HGTConv):
        args = args[0], {key: args[1][key] for key in EDGE_TYPES if key in args[1]}
    with torch.no_grad():
        if type(model) is gnn.RGCNConv and (args[0] is None or args[0].is_floating_point()):
            return as_fast(model)(*args)
        return model(*args)


def as_fast(conv):
    fast = gnn.FastRGCNConv(
        conv.in_channels,
        conv.out_channels,
        conv.num_relations,
        conv.num_bases,
        conv.num_blocks,
        conv.aggr,
        conv.root is not None,
        bias=conv.bias is not None,
    )
    fast.load_state_dict(conv.state_dict())
    return fast


class Program:
    """What a model becomes before it is text, run by PyTorch."""

    def __init__(self, model, args):
        inputs = InputSpec(model.forward, args, {})
        examples = [tensor.clone() for tensor in inputs.flatten(args, {})]
        self._graph, self._result = capture_graph(model, model.forward, *inputs.unflatten(examples))
        place = {id(example): number for number, example in enumerate(examples)}
        self._sources = [(place.get(id(tensor)), tensor) for tensor in self._graph.given]
        self._inputs = inputs
        functional = self._graph.functional
        functional.graph.output(tuple(functional.outputs))
        self._run = torch.fx.GraphModule(self._graph.part.module, functional.graph)

    def __call__(self, *args):
        tensors = self._inputs.flatten(args, {})
        given = [tensor if place is None else tensors[place] for place, tensor in self._sources]
        with torch.no_grad():
            found = self._run(*(constant for _, constant in self._graph.functional.constants), *given)
        results = {id(stand_in): value for stand_in, value in zip(self._graph.results, found)}
        return pytree.tree_map(lambda leaf: results[id(leaf)], self._result)


@pytest.mark.sample(3)
@each_case
def test_program_equals_pyg(make, inputs):
    model = make().eval()
    program = Program(model, inputs(7, 20))
    for nodes, edges in ((11, 40), (5, 5), (1, 3), (4, 0), (1, 0), (1, 1)):
        args = inputs(nodes, edges)
        leaves_expected, expected = pytree.tree_flatten(reference(model, args))
        leaves_got, got = pytree.tree_flatten(program(*args))
        assert got == expected
        for a, b in zip(leaves_got, leaves_expected, strict=True):
            close(a, b)


@pytest.mark.sample(9)
@each_case
def test_text_is_stable_and_placed(make, inputs):
    model = make().eval()
    text = capture(model, inputs(7, 20)).text
    assert text == capture(model, inputs(9, 9)).text
    ops = [line for line in text.splitlines() if "rgnn.torch" in line]
    assert ops and all(re.search(r' loc\("[^"]+\.py":\d+:0\)$', line) for line in ops)
    assert "_propagate_" not in text and sys.prefix not in text
    names = set(re.findall(r'rgnn.torch "([^"]+)"', text))
    assert names <= VOCABULARY, names - VOCABULARY


VOCABULARY = {
    *(f"rgnn.{name}" for name in ("typed_linear", "aggregate", "edge_softmax", "pair_softmax")),
    *(f"rgnn.{name}" for name in ("pair_degree", "lookup", "basis_lookup", "hetero_edges")),
    *("rgnn.degree", "rgnn.concat_types", "rgnn.slice_type", "sym.add", "aten.sym_size.int"),
    *("aten.add.Tensor", "aten.mul.Tensor", "aten.div.Tensor", "aten.rsub.Scalar"),
    *("aten.matmul", "aten.linear", "aten.leaky_relu", "aten.relu", "aten.gelu", "aten.sigmoid"),
    *("aten.view", "aten.unsqueeze", "aten.slice.Tensor", "aten.select.int", "aten.transpose.int"),
    *("aten.index_select", "aten.cat", "aten.sum.dim_IntList", "aten.mean.dim"),
    *("aten.log_softmax.int", "aten.detach"),
}


def test_text_of_a_layer():
    text = capture(gnn.FastRGCNConv(8, 4, R).eval(), homogeneous(7, 20)).text
    assert '%edge_index: tensor<2x?xi64> {rgnn.input = "edge_index"}' in text
    assert '%weight: tensor<5x8x4xf64> {rgnn.param = "weight"}' in text
    assert (
        '"rgnn.aggregate"(%div, %select_1, %sym_size_int) '
        '[#rgnn.operand<0>, #rgnn.operand<1>, #rgnn.operand<2>, "sum"]'
    ) in text
    assert '[#rgnn.operand<0>, #rgnn.operand<1>, 1] {rgnn.num_rows = "n0"} : ' in text  # alpha filled in, rows named


# Sizes


@pytest.mark.parametrize("nodes, edges", [(7, 20), (6, 6), (1, 1), (0, 0), (1, 0)])
def test_sizes_are_told_apart(nodes, edges):
    edge_index = torch.zeros(2, edges, dtype=torch.long)
    text = capture(gnn.RGATConv(8, 4, R).eval(), (torch.randn(nodes, 8), edge_index, edge_index[0])).text
    assert '%x: tensor<?x8xf64> {rgnn.input = "x", rgnn.num_rows = "n0"}' in text
    assert '%edge_type: tensor<?xi64> {rgnn.input = "edge_type", rgnn.num_rows = "n1"}' in text
    assert "tensor<2x?xi64>" in text


def test_many_edge_types_cost_no_operators():
    def model_of(count):
        types = [("a" if i % 3 else "b", f"r{i}", "a" if i % 2 else "b") for i in range(count)]
        conv = gnn.HGTConv(4, 4, (["a", "b"], types), heads=2).eval()
        edges = {key: torch.randint(0, 3, (2, i % 4)) for i, key in enumerate(types)}
        return conv, ({"a": torch.randn(3, 4), "b": torch.randn(4, 4)}, edges)

    few, many = (capture(*model_of(count)) for count in (3, 40))
    assert few.text.count("rgnn.torch") == many.text.count("rgnn.torch")
    assert many.text.count("rgnn.input") == 42


def test_branches_on_sizes():
    def larger(x, edge_index):
        return x * 2 if edge_index.size(1) > x.size(0) else x

    def empty(x, edge_index):
        return x * 2 if edge_index.size(1) == 0 else x

    def squeezed(x, edge_index):
        return x.squeeze(0)

    args = homogeneous(7, 20)[:2]
    for branching in (larger, empty, squeezed):
        with pytest.raises(CaptureError, match=r"branches on the sizes of its inputs at \S*test_capture\.py:\d+"):
            capture(branching, args)


def test_sizes_that_operators_ask_about():
    """Batch norm asks whether there are rows; joined edges and their types are as many."""
    conv, norm = gnn.FastRGCNConv(8, 4, R), nn.BatchNorm1d(4).eval()

    def model(x, edge_index, edge_type):
        loops = torch.arange(x.shape[0])
        edge_index = torch.cat([edge_index, torch.stack([loops, loops])], dim=1)
        return norm(conv(x, edge_index, torch.cat([edge_type, torch.zeros_like(loops)])))

    assert "batch_norm" in capture(model, homogeneous(7, 20)).text


# Replacements


def stock_results():
    """What PyG gives outside captures, by functions and layers that have replacements."""
    src, index = torch.randn(6, 2), torch.tensor([0, 2, 0, 1, 1, 0])
    args = homogeneous(7, 20)
    layers = [gnn.FastRGCNConv(8, 4, R, aggr="add"), gnn.RGATConv(8, 4, R)]
    with torch.no_grad():
        return utils.softmax(src, index, num_nodes=3), utils.scatter(src, index), *(layer(*args) for layer in layers)


def private_state():
    return torch.fx.experimental.symbolic_shapes.make_symbol, torch.SymInt.__eq__, sys.stdout, sys.stderr


def fail(*args):
    raise AssertionError("a replacement ran outside a capture")


def test_replacements_are_for_captures_only(monkeypatch):
    """Before, after and after a capture that failed, stock code runs."""

    def seeded_results():
        with monkeypatch.context() as patch:
            for name in ("edge_softmax", "aggregate", "typed_linear"):
                patch.setattr(custom_ops, name, fail)
            torch.manual_seed(1)
            return stock_results()

    before, state = seeded_results(), private_state()
    capture(gnn.RGATConv(8, 4, R).eval(), homogeneous(7, 20))
    assert all(map(torch.equal, seeded_results(), before)) and private_state() == state and not capturing.is_capturing()

    def fails(x, edge_index):
        return x * float(x.sum()) if x.sum() > 0 else x

    with pytest.raises(CaptureError):
        capture(fails, homogeneous(7, 20)[:2])
    assert all(map(torch.equal, seeded_results(), before)) and private_state() == state and not capturing.is_capturing()


def test_replacements_reach_names_imported_elsewhere():
    aggr = importlib.import_module("torch_geometric.nn.aggr.base")
    assert aggr.scatter is utils.scatter and aggr.scatter is not overrides._STOCK_FUNCTIONS["scatter"]


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
@pytest.mark.parametrize("make", (lambda: gnn.HeteroLinear(8, 4, R), lambda: gnn.FastRGCNConv(8, 4, R),
                                  lambda: gnn.SAGEConv(8, 4), lambda: utils.softmax))  # fmt: skip
def test_replaced_code_can_be_scripted(make):
    torch.jit.script(make())


def test_other_threads_run_stock_code(monkeypatch):
    calls = []
    stock = overrides._STOCK_FUNCTIONS["softmax"]
    src, index = torch.randn(4, 2), torch.tensor([0, 0, 1, 1])
    with capturing.active(), monkeypatch.context() as patch:
        patch.setattr(custom_ops, "edge_softmax", lambda *a: calls.append(a) or stock(*a[:2]))
        thread = threading.Thread(target=lambda: utils.softmax(src, index, num_nodes=2))
        thread.start()
        thread.join()
        assert not calls
        utils.softmax(src, index, num_nodes=2)
        assert len(calls) == 1


def test_subclass_with_its_own_message_keeps_it():
    class Doubled(gnn.FastRGCNConv):
        def message(self, x_j, edge_type, edge_index_j):
            return 2 * super().message(x_j, edge_type, edge_index_j)

    model, args = Doubled(8, 4, R).eval(), homogeneous(7, 20)
    expected = reference(model, args)
    close(Program(model, args)(*args), expected)


# Interface


def test_parameters_are_read_live():
    model, args = Stack(lambda i, o: gnn.RGCNConv(i, o, R)).eval(), homogeneous(7, 20)
    captured = capture(model, args)
    read = ParameterReader(model, captured.parameters)
    assert captured.parameters[0] == "conv1.weight" and "skip.weight" in captured.parameters
    assert all(a is model.get_parameter(n) for a, n in zip(read(), captured.parameters, strict=True))
    model.conv1.weight = nn.Parameter(torch.zeros_like(model.conv1.weight))
    model.conv2 = gnn.RGCNConv(6, 4, R)
    assert all(a is model.get_parameter(n) for a, n in zip(read(), captured.parameters, strict=True))


def test_flatten_tells_other_structures():
    def model(x_dict, edge_index, scale=1.0, extra=None):
        return x_dict["a"] * scale + x_dict["b"]

    x, edge_index = torch.randn(3, 2), torch.zeros(2, 4, dtype=torch.long)
    captured = capture(model, ({"a": x, "b": x}, edge_index), {"scale": 2.0})
    assert captured.inputs.paths == ["x_dict['a']", "x_dict['b']", "edge_index"]
    flatten = captured.inputs.flatten
    same = flatten(({"a": x, "b": x}, edge_index), {"scale": 2.0})
    assert [t is u for t, u in zip(same, [x, x, edge_index], strict=True)] == [True] * 3
    assert flatten(({"b": x, "a": x}, edge_index), {"scale": 2.0}) is None
    assert flatten(({"a": x}, edge_index), {"scale": 2.0}) is None
    assert flatten(({"a": x, "b": x}, edge_index), {"scale": 3.0}) is None
    assert flatten(({"a": x, "b": None}, edge_index), {"scale": 2.0}) is None
    assert flatten(({"a": x, "b": x}, edge_index), {}) is None


def test_constants_are_arguments():
    table = torch.tensor([3.0, 4.0])
    captured = capture(lambda x: (x * table, None, x * 2), (torch.randn(5, 2),))
    (constant,) = captured.constants
    assert torch.equal(constant, table)
    assert "%constant_0: tensor<2xf64> {rgnn.constant = 0}" in captured.text
    assert captured.unflatten_outputs(["a", "b"]) == ("a", None, "b")


def test_gradients_that_a_model_turns_off():
    layer = gnn.FastRGCNConv(8, 8, R).eval()

    def model(x, *edges):
        with torch.no_grad():
            h = layer(x, *edges)
        return layer(h, *edges) + x

    text = capture(model, homogeneous(7, 20)).text
    (detached,) = re.findall(r'(%\w+) = rgnn.torch "aten.detach"', text)
    assert f"aten.index_select\"({detached}, " in text and text.count(f"{detached},") >= 2


def test_errors_say_why(capfd):
    class Counts(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("calls", torch.zeros(()))

        def forward(self, x):
            self.calls += 1
            return x * 2

    class Keeps(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(3, 3)
            self.seen = []

        def forward(self, x):
            self.inner.last = x.shape[1]
            self.seen.append(1)
            return self.inner(x)

    class Changes(nn.Module):
        def forward(self, x):
            with torch.no_grad():
                x.add_(1)
            return x * 2

    x = torch.randn(5, 3)
    for model, args, reason in (
        (Keeps(), (x,), "side effect: it (sets inner.last|changes seen)"),
        (Changes(), (x,), "the model changes x"),
        (Counts(), (x,), "the model changes calls"),
        (lambda x: x if x.sum() > 0 else -x, (x,), r"test_capture.py:\d+: Unsupported: Data-dependent branching"),
        (lambda x: torch.fft.fft(x), (x,), r"test_capture.py:\d+: .* got torch.complex128"),
        (lambda x: x, (object(),), "x: expected tensors, None, numbers"),
        (lambda x: 3, (x,), "it computes nothing of tensors"),
        (gnn.SAGEConv(-1, 4), (x, torch.zeros(2, 3).long()), "uninitialized"),
    ):
        with pytest.raises(CaptureError, match=reason):
            capture(model, args)
    assert capfd.readouterr() == ("", "")

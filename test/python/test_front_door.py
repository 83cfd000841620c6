"""What the capture of calls promises: any sizes, views once per graph, few captures, settings as they were."""

import copy
import gc
import re
import warnings

import pytest
import rgnn
import torch
import torch.nn.functional as F
from pyg import R, error, gnn, rows
from rgnn._dynamo import limits
from rgnn._dynamo.frames import Captures, optimize
from rgnn._runner import runner_of
from torch import nn
from torch._dynamo.guards import GuardBuilder

# ---- sizes -----------------------------------------------------------------------------------------------------------

SIZED = {
    "no rows": lambda x: x.new_ones(7) if x.shape[0] == 0 else x + 1,
    "no elements": lambda x: x.new_ones(7) if x.numel() == 0 else x + 1,
    "not len": lambda x: x.new_ones(7) if not len(x) else x + 1,
    "over 0": lambda x: x * 2 if x.shape[0] > 0 else x.new_ones(3),
    "one row": lambda x: x * 2 if x.size(0) == 1 else x.sum(0),
    "or": lambda x: x.shape[0] or 7,
    "largest": lambda x: x.new_zeros(int(x.max()) + 9 if x.numel() > 0 else 0, 3),
    "squeezed": lambda x: x.squeeze(), "squeezed rows": lambda x: x.squeeze(0).dim(),
    "broadcast": lambda x: x + x[:1], "broadcast to": lambda x: x[:, :1].expand_as(x),
    "where": lambda x: torch.where(x > 0, x, x[:1]),
    "first": lambda x: x[:1].expand(5, -1), "last": lambda x: x[-1], "middle": lambda x: x[2:4],
    "from": lambda x: x[1:],
    "halves": lambda x: torch.cat(x.chunk(2)), "strides": lambda x: x.t().stride(),
    "contiguous": lambda x: x.t().is_contiguous(),
    "view": lambda x: x.t().reshape(-1), "even": lambda x: x.shape[0] % 2, "normed": lambda x: F.layer_norm(x, (4,)),
    "matrix": lambda x: x.t() @ x, "mean": lambda x: x.mean(0), "masked": lambda x: x[x[:, 0] > 0],
}  # fmt: skip


def outcome(function, *args):
    try:
        return function(*args)
    except Exception as failure:
        return type(failure)


def is_same(got, expected):
    if isinstance(expected, torch.Tensor):
        return got.shape == expected.shape and torch.allclose(got, expected, equal_nan=True)
    return got == expected and type(got) is type(expected)


@pytest.mark.parametrize("name", SIZED)
def test_sizes(name):
    """What a model asks about a size is answered for the size at hand, whatever the first call had."""
    function, inputs = SIZED[name], {size: rows(size, 4, seed=size) for size in (0, 1, 2, 5)}
    for order in ((0, 1, 5), (5, 0, 1), (1, 5, 0)):
        captured = []
        backend = lambda graph, _, found=captured: found.append(graph) or graph.forward  # noqa: E731
        call = optimize(function, backend, False, Captures())
        for size in (*order, 2):
            assert is_same(outcome(call, inputs[size]), outcome(function, inputs[size])), (order, size)
        assert len(captured) <= 4


# ---- graphs ----------------------------------------------------------------------------------------------------------


class Looped(nn.Module):
    """A model that changes the edges before it uses them."""

    def __init__(self):
        super().__init__()
        self.conv = gnn.GATv2Conv(8, 8, add_self_loops=True)

    def forward(self, x, edge_index):
        return self.conv(x, edge_index.long())


@torch.no_grad()
def test_views_are_built_once(monkeypatch):
    """The second call on a graph finds the edges that the first one made, and their views; a change is seen."""
    from rgnn._run import graphs

    model = Looped().double()
    compiled = rgnn.compile(model)
    x, edge_index = rows(9, 8), torch.randint(9, (2, 30), dtype=torch.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled(x, edge_index)
    built, stock = [], graphs.GraphSource._make
    monkeypatch.setattr(graphs.GraphSource, "_make", lambda self, *args: built.append(1) or stock(self, *args))
    for _ in range(3):
        assert error(compiled(x, edge_index), model(x, edge_index)) <= 1e-10
    assert not built
    edge_index[0, 0] = (edge_index[0, 0] + 1) % 9
    assert error(compiled(x, edge_index), model(x, edge_index)) <= 1e-10 and built


# ---- captures --------------------------------------------------------------------------------------------------------


class Tuned(nn.Module):
    """A model that reads numbers that change from call to call, and some that do not."""

    def __init__(self, heads=2):
        super().__init__()
        self.conv = gnn.RGATConv(8, 8, R, heads=heads, concat=False)
        self.epoch, self.unused, self.temperature = 0, 0, 1.0

    def forward(self, x, edge_index, edge_type, count):
        return self.conv(x, edge_index, edge_type)[:count] * (self.epoch + 1) * self.temperature


def edges(number, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(9, (2, number), generator=generator), torch.randint(R, (number,), generator=generator)


@torch.no_grad()
@pytest.mark.filterwarnings("ignore:rgnn")
def test_captures_do_not_grow():
    model = Tuned().double()
    compiled = rgnn.compile(model)
    for number in range(12):
        compiled.epoch, compiled.temperature, compiled.unused = number, 1 / (number + 1), object()
        args = (rows(9, 8, seed=number), *edges(3 * number, seed=number), number % 10)
        model.epoch, model.temperature = compiled.epoch, compiled.temperature
        assert error(compiled(*args), model(*args)) <= 1e-10
    assert len(runner_of(compiled).versions) <= 3


@torch.no_grad()
@pytest.mark.parametrize("was_enabled", [True, False])
def test_what_a_capture_takes(monkeypatch, was_enabled):
    """No guard in Python that a size is not negative, those that matter stay, and the collector waits for its end."""
    written, enabled, stock = [], [], GuardBuilder.add_python_lambda_leaf_guard_to_root

    def record(self, code_parts, *args, **kwargs):
        written.extend(code_parts)
        enabled.append(gc.isenabled())
        return stock(self, code_parts, *args, **kwargs)

    class Compares(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = gnn.RGCNConv(8, 4, R).double()

        def forward(self, x, edge_index, edge_type):
            out = self.conv(x, edge_index, edge_type)
            return out if edge_index.shape[1] > 5 else -out

    monkeypatch.setattr(GuardBuilder, "add_python_lambda_leaf_guard_to_root", record)
    model = Compares()
    model(rows(9, 8), *edges(7))  # PyG notes something in the layer, by whose length there would be one capture more
    compiled = rgnn.compile(model)
    try:
        if not was_enabled:
            gc.disable()
        for number in (30, 3, 0, 1, 12):
            args = rows(9, 8), *edges(number)
            assert error(compiled(*args), model(*args)) <= 1e-10
            assert gc.isenabled() == was_enabled
    finally:
        gc.enable()
    assert len(runner_of(compiled).versions) == 2
    assert not any(guard.startswith("0 <= ") and guard.count("<=") == 1 for guard in written)
    assert any(guard.endswith(".size()[1] <= 5") for guard in written), written
    assert enabled and not any(enabled)


@torch.no_grad()
def test_captures_are_of_one_model(strict):
    """Many models of a class, each of its own widths and heads: each is compiled."""
    for heads in range(1, 13):
        model = gnn.RGATConv(8, 2, R, heads=heads).double()
        compiled = rgnn.compile(model, fullgraph=True)
        args = rows(9, 8), *edges(30)
        assert error(compiled(*args), model(*args)) <= 1e-10 and len(runner_of(compiled).versions) == 1


@torch.no_grad()
@pytest.mark.filterwarnings("ignore:rgnn")
@pytest.mark.parametrize("first", [0, 1, 2])
def test_batches_need_one_capture(first):
    """Relations of no edges and of one, types of no nodes, and a first batch of any of them."""
    relations = ("a", "to", "b"), ("b", "to", "a"), ("a", "with", "a")
    model = gnn.HeteroConv({relation: gnn.SAGEConv((4, 4), 4) for relation in relations}).double()
    compiled = rgnn.compile(model)
    for number in range(first, first + 12):
        nodes = {"a": (6, 1, 5)[number % 3], "b": (0, 8, 1, 2)[number % 4]}
        counts = {relation: (0, 1, 7, 2)[(number + place) % 4] for place, relation in enumerate(relations)}
        graph = {relation: torch.randint(max(min(nodes[relation[0]], nodes[relation[2]]), 1), (2, count))
                 for relation, count in counts.items() if nodes[relation[0]] and nodes[relation[2]] or not count}
        for relation in relations:
            graph.setdefault(relation, torch.zeros(2, 0, dtype=torch.long))
        features = {kind: rows(count, 4, seed=number) for kind, count in nodes.items()}
        got, expected = compiled(features, graph), model(features, graph)
        assert all(error(got[kind], expected[kind]) <= 1e-10 for kind in nodes)
    assert len(runner_of(compiled).versions) == 1


class Wrapped(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x, edge_index, edge_type, name):
        return self.inner(x, edge_index, edge_type, name)


class Tagged(nn.Module):
    """What it computes depends on a text and on an attribute."""

    def __init__(self):
        super().__init__()
        self.conv, self.tags = gnn.RGATConv(8, 8, R), []

    def forward(self, x, edge_index, edge_type, name):
        h = self.conv(x, edge_index, edge_type)
        return h * len(name) if "even" in name else h - len(self.tags)


@torch.no_grad()
@pytest.mark.parametrize("differs", ["name", "len(self.inner.tags)"])
def test_captures_are_bounded(differs, monkeypatch, capfd):
    """A call that fits none of the captures that there may be runs in PyTorch, and the check that fails is named."""
    monkeypatch.setattr(limits, "MAX_VERSIONS", 3)
    model = Wrapped(Tagged().double())
    compiled, args = rgnn.compile(model), (rows(9, 8), *edges(30))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for number in (*range(6), 1):
            name = f"{('even', 'odd')[number % 2]} {10 ** number}" if differs == "name" else ""
            model.inner.tags[:] = range(number if differs != "name" else 0)
            assert error(compiled(*args, name), model(*args, name)) <= 1e-10
    assert len(runner_of(compiled).versions) == 3
    (text,) = [str(warning.message) for warning in caught]
    assert text.startswith("rgnn: forward (test_front_door.py:")
    assert re.search(re.escape(f"PyTorch: `{differs} == ") + "[^`]*` does not hold now", text)
    assert capfd.readouterr().err == ""


@torch.no_grad()
def test_one_capture_too_many_with_fullgraph(monkeypatch):
    monkeypatch.setattr(limits, "MAX_VERSIONS", 1)
    compiled, args = rgnn.compile(Tagged().double(), fullgraph=True), (rows(9, 8), *edges(30))
    compiled(*args, "even")
    with pytest.raises(rgnn.FallbackError, match="captured 1 times.*`name == 'even'` does not hold now"):
        compiled(*args, "odd")


# ---- others ----------------------------------------------------------------------------------------------------------


def test_other_users_of_torch_compile_see_nothing():
    """Graphs of another backend are PyG's own, and settings of PyTorch are as they were."""
    from torch._dynamo import config
    from torch.fx.experimental import _config as shapes

    before = config.get_config_copy(), shapes.get_config_copy()
    model, args = gnn.RGATConv(8, 8, R).double(), (rows(9, 8), *edges(30))
    rgnn.compile(model, fullgraph=True)(*args)
    assert before == (config.get_config_copy(), shapes.get_config_copy())
    graphs = []
    other = torch.compile(copy.deepcopy(model), backend=lambda graph, _: graphs.append(graph) or graph.forward)
    assert error(other(*args).detach(), model(*args).detach()) <= 1e-10
    assert graphs and not any("rgnn" in str(node.target) for graph in graphs for node in graph.graph.nodes)
    exported = torch.export.export(copy.deepcopy(model), args, strict=True)
    assert not any("rgnn" in str(node.target) for node in exported.graph.nodes)


@torch.no_grad()
def test_hooks_that_come_later():
    model = gnn.RGATConv(8, 8, R).double()
    compiled, args = rgnn.compile(model), (rows(9, 8), *edges(30))
    assert error(compiled(*args), model(*args)) <= 1e-10
    for register in (model.register_message_forward_hook, nn.modules.module.register_module_forward_hook):
        handle = register(lambda module, args, result: result * 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert error(compiled(*args), model(*args)) <= 1e-10
        handle.remove()
    assert error(compiled(*args), model(*args)) <= 1e-10

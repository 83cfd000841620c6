"""Graph views: found again by the tensors, never by where they lie."""

import gc

import pytest
import rgnn
import torch
from models import layer_inputs, same
from pyg import TINY, awkward, error, random_graph, rows
from rgnn._run import graphs as _graphs
from rgnn._run.region import Region
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

pytestmark = pytest.mark.usefixtures("strict")


@pytest.mark.long
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
    for seed in range(5):
        other = random_graph(23, 80, seed + 200)[1].clone()
        identities.add(id(other))
        addresses.add(other.data_ptr())
        assert same(model, compiled, (x, other, edge_type, edge_attr))
        del other
        gc.collect()
    assert len(identities) < 25  # else this test shows nothing


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


@pytest.mark.long
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
        gc.collect()  # graphs of other tests, which nothing holds but cycles
        before = len(_graphs._views)
        del args
        gc.collect()
        assert len(_graphs._views) == before - 1
        for seed in range(5):
            compiled(*layer_inputs(seed=seed))
        gc.collect()
        assert len(_graphs._views) == before - 1


def test_views_of_many_sizes_are_bounded(layer):
    model, compiled = layer
    _, *graph = layer_inputs(23, 80, seed=13)
    gc.collect()  # as above
    others = set(_graphs._views)
    with torch.no_grad():
        for extra in range(3 * _graphs._MAX_SIZES):  # the same edges among ever more nodes
            compiled(rows(23 + extra, 16), *graph)
    ((_, by_sizes),) = (kept for key, kept in _graphs._views.items() if key not in others)
    assert len(by_sizes) == _graphs._MAX_SIZES
    assert same(model, compiled, (rows(23, 16), *graph))


INPUTS = {"inputs": [{"name": "edge_index"}, {"name": "edge_type"}]}


@pytest.mark.parametrize("part", [None, "whole", "src", "dst"])
def test_sizes_of_parts_are_known_by_the_call_alone(part):
    graph = {"edge_index": [0], "edge_type": 1, "num_edge_types": 5, "num_nodes": [{"value": 23}],
             "src_type": [], "dst_type": []}  # fmt: skip
    size = {"graph": 0, "of": "edge"} | ({"part": part} if part else {})
    manifest = {**INPUTS, "graphs": [graph], "outputs": [{"dtype": "int32", "shape": [size]}]}
    region = Region(lambda: manifest, None, None)
    with FakeTensorMode(shape_env=ShapeEnv()) as mode:
        edges = [mode.from_tensor(tensor) for tensor in random_graph(23, 80)[1:]]
        (output,) = torch.ops.rgnn_compiled.run.default(region.handle, edges)
    if part in (None, "whole"):
        assert output.shape == (80,)
    else:
        assert not isinstance(output.shape[0], int)


@pytest.mark.parametrize("of", ["node_of_type", "node_type"])  # files of earlier versions say node_type
def test_sizes_of_node_types_are_known_before_the_call(of):
    graph = {"edge_index": [0], "edge_type": 1, "num_edge_types": 5, "num_nodes": [{"value": 7}, {"value": 16}],
             "src_type": [], "dst_type": []}  # fmt: skip
    size = {"graph": 0, "of": of, "param": 1}
    manifest = {**INPUTS, "graphs": [graph], "outputs": [{"dtype": "int32", "shape": [size]}]}
    region = Region(lambda: manifest, None, None)
    with FakeTensorMode(shape_env=ShapeEnv()) as mode:
        edges = [mode.from_tensor(tensor) for tensor in random_graph(23, 80)[1:]]
        (output,) = torch.ops.rgnn_compiled.run.default(region.handle, edges)
    assert output.shape == (16,)


def test_tiny_graphs_between_large_ones(layer):
    model, compiled = layer
    for graph in (awkward(), *TINY.values(), awkward()):
        nodes, *edges = graph
        assert same(model, compiled, (rows(nodes, 16), *edges, rows(len(edges[1]), 4)))


def test_finding_views_takes_no_longer_for_more_graphs(layer, monkeypatch):
    """A call looks at what is kept of its own tensors, however many other graphs are alive."""
    model, compiled = layer
    with torch.no_grad():
        alive = [layer_inputs(seed=seed) for seed in range(20)]
        for args in alive:
            compiled(*args)

        class Kept(dict):
            def __iter__(self):
                raise AssertionError("all that is kept is gone through")

        monkeypatch.setattr(_graphs, "_views", Kept(_graphs._views))
        assert same(model, compiled, alive[0]) and same(model, compiled, layer_inputs(seed=21))

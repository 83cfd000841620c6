"""Calls of functions of the language: graphs, arguments, dtypes, and what is compiled once."""

import pytest
import rgnn
import torch
from lang_checks import R, T, close, compare, graph_of, tensor
from lang_models import add_up, hgt, product, rgcn, rgcn_twin
from rgnn import Edge, Node, Weight, lang


@rgnn.function
def weighted(g, h: Node, w: Weight, b: Weight | None = None, *, a: Edge, times=2, negative=False):
    for n in g.dst_nodes():
        for e in n.incoming_edges():
            n["y"] += e["a"] * lang.linear(e.src["h"], w[e.etype], b)
    for n in g.nodes():
        n["y"] = n["y"] * (-times if negative else times)
    return g.ndata["y"]


def weighted_twin(graph, h, w, b=None, *, a, times=2, negative=False):
    (src, dst), types = graph.edge_index, graph.edge_type
    rows = product(h[src], w[types]) + (0 if b is None else b)
    return add_up(a.view(-1, 1) * rows, dst, len(h)) * (-times if negative else times)


@pytest.fixture
def arguments():
    return {"h": tensor(6, 4), "w": tensor(R, 4, 3), "a": tensor(14)}


def test_all_forms_of_a_graph(arguments, strict):
    graph = graph_of(6, 14)
    edges, types = graph.edge_index, graph.edge_type
    expected = weighted_twin(graph, **arguments)
    h, rest = arguments["h"], {name: arguments[name] for name in ("w", "a")}
    forms = [lambda: weighted(graph, **arguments), lambda: weighted((edges, types), h, arguments["w"], a=rest["a"]),
             lambda: weighted(edges, h, **rest, edge_type=types), lambda: weighted(g=graph, **arguments),
             lambda: weighted(**arguments, edge_index=edges, edge_type=types, num_nodes=6),
             lambda: weighted((edges.int(), types.int()), h, **rest),
             lambda: weighted((edges, types, graph.node_type), h, **rest)]  # fmt: skip
    for number, form in enumerate(forms):
        close(form(), expected, f"form {number}")


def test_optional_and_fixed_arguments(arguments, strict):
    graph = graph_of(6, 14)
    known = len(weighted.versions)
    for more in ({}, {"b": tensor(3)}, {"times": 3.0, "negative": True}):
        given = {**arguments, **more}
        close(weighted(graph, **given), weighted_twin(graph, **given), f"{more}")
    assert len(weighted.versions) - known in (2, 3)


def test_compiled_once_for_all_sizes(arguments, strict, monkeypatch):
    compare(weighted, weighted_twin, graph_of(6, 14), arguments)
    compare(rgcn, rgcn_twin, graph_of(6, 14), {
        "h": tensor(6, 4), "norm": tensor(14, 1), "w": tensor(R, 4, 3), "w0": tensor(4, 3), "b": tensor(3)})
    monkeypatch.setattr("rgnn.lang.code.compile_region", None)
    monkeypatch.setattr("rgnn._compiler.differentiate", None)
    monkeypatch.setattr("rgnn.lang.versions.Version", None)
    for nodes, edges in ((7, 30), (1, 1), (4, 4), (3, 0), (0, 0)):
        compare(weighted, weighted_twin, graph_of(nodes, edges),
                {"h": tensor(nodes, 4), "w": arguments["w"], "a": tensor(edges)})


@pytest.mark.parametrize("dtype, bound", [(torch.float32, 1e-5), (torch.bfloat16, 3e-2)])
def test_other_dtypes(arguments, strict, dtype, bound):
    graph = graph_of(6, 14)
    narrow = {name: value.detach().to(dtype) for name, value in arguments.items()}
    expected = weighted_twin(graph, **{name: value.double() for name, value in narrow.items()})
    got = weighted(graph, **narrow)
    assert got.dtype == dtype and (got - expected).abs().max() <= bound * expected.abs().max()
    assert weighted.versions[-1].dtype == dtype and weighted.versions[-1].code.region is not None


def test_edges_alone_say_how_many_nodes_there_are(strict):
    @rgnn.function
    def degree(g):
        for e in g.edges():
            e.dst["degree"] += 1.0
        return g.ndata["degree"]

    edges = torch.tensor([[0, 1, 4], [2, 2, 0]])
    assert degree(edges).tolist() == [1, 0, 2, 0, 0]
    assert degree(edges, num_nodes=6).tolist() == [1, 0, 2, 0, 0, 0]
    assert degree(edges[:, :0]).tolist() == []
    assert degree(edges).dtype == torch.float32


def test_sorted_types_of_nodes(strict):
    heads = {"h": tensor(6, 4), **{name: tensor(T, 4, 4, seed=seed) for seed, name in enumerate("kqv")},
             "att": tensor(R, 1, 4, 4), "msg": tensor(R, 1, 4, 4, seed=1), "mu": tensor(R, 1), "out": tensor(T, 4, 4),
             "skip": tensor(T, 1)}  # fmt: skip
    graph = graph_of(6, 14)
    order = graph.node_type.argsort(stable=True)
    places = order.argsort()
    by_type = rgnn.Graph(places[graph.edge_index], graph.edge_type, graph.node_type[order], 6)
    expected = hgt(graph, **heads)
    close(hgt(by_type, **{**heads, "h": heads["h"][order]})[places], expected, "nodes in the order of their types")


def test_a_change_of_the_lists_is_seen(strict):
    graph = graph_of(6, 14)
    edges, types = graph.edge_index.clone(), graph.edge_type.clone()
    given = {"h": tensor(6, 4), "w": tensor(R, 4, 3), "a": tensor(14)}
    weighted((edges, types), **given)
    edges[0, 3] = (edges[0, 3] + 1) % 6
    types[5] = (types[5] + 1) % R
    close(weighted((edges, types), **given), weighted_twin(rgnn.Graph(edges, types, num_nodes=6), **given), "changed")


def test_options(arguments, strict):
    plain = rgnn.function(options=rgnn.Options(compact=False, fuse=False))(weighted.__wrapped__)
    compare(plain, weighted_twin, graph_of(6, 14), arguments)
    assert plain.versions[0].code.region.source.options.fuse is False
    with pytest.raises(ValueError, match="target: expected"):
        rgnn.function(target="tpu")(weighted.__wrapped__)


def test_modes_of_pytorch(arguments, strict):
    graph = graph_of(6, 14)
    expected = weighted_twin(graph, **arguments)
    with torch.inference_mode():
        close(weighted(graph, **arguments), expected, "inference")
    rows = torch.stack([arguments["h"], arguments["h"] * 2]).detach()
    rest = {name: value.detach() for name, value in arguments.items() if name != "h"}
    found = torch.vmap(lambda h: weighted(graph, h, **rest))(rows)
    close(found, torch.stack([expected, expected * 2]).detach(), "vmap")
    tangent = torch.func.jvp(lambda h: weighted(graph, h, **rest), (rows[0],), (rows[0],))[1]
    close(tangent, expected.detach(), "jvp")


def wrong_calls():
    graph = graph_of(6, 14)
    edges, types = graph.edge_index, graph.edge_type
    good = {"h": tensor(6, 4), "w": tensor(R, 4, 3), "a": tensor(14)}
    beyond = types.clone()
    beyond[3] = R
    far = edges.clone()
    far[0, 0] = 6
    return {
        "missing": (graph, {"h": good["h"], "w": good["w"]}, TypeError, r"weighted\(\) misses argument 'a'"),
        "unknown": (graph, {**good, "c": 1}, TypeError, r"weighted\(\) has no argument 'c', expected h, w, b, a"),
        "no graph": (None, good, TypeError, "expected an rgnn.Graph, edge_index, or .* as the graph, got NoneType"),
        "two graphs": (graph, {**good, "edge_type": types}, TypeError, "edge_type: expected none beside an rgnn.Graph"),
        "no tensor": (graph, {**good, "h": 3}, TypeError, r"argument 'h': expected a tensor, got int"),
        "no rows": (graph, {**good, "a": torch.tensor(1.0)}, TypeError, "argument 'a': expected rows, got a tensor of"),
        "a tensor without kind": (graph, {**good, "times": good["a"]}, TypeError, "'times': expected an annotation"),
        "integers": (graph, {**good, "a": torch.ones(14).long()}, rgnn.InputError, "a: expected a tensor of float64"),
        "two dtypes": (graph, {**good, "a": good["a"].float()}, rgnn.InputError, "a: expected torch.float64 as of h"),
        "rows of nodes": (graph, {**good, "h": tensor(5, 4)}, rgnn.InputError, "h: expected a row for each of 6 nodes"),
        "rows of edges": (graph, {**good, "a": tensor(13)}, rgnn.InputError, "'a'.* got|a: expected"),
        "types beyond": ((edges, beyond), good, rgnn.InputError, r"edge_type: .*\[0, 3\), got 3"),
        "nodes beyond": ((far, types), good, rgnn.InputError, r"edge_index: .*\[0, 6\), got 6"),
        "no types": (edges, good, rgnn.InputError, "edge_type: expected one type of 3 for each edge, got none"),
        "shape of edges": ((edges[0], types), good, rgnn.InputError, r"edge_index: expected shape \[2, E\]"),
        "dtype of edges": ((edges.float(), types), good, rgnn.InputError, "edge_index: expected int64 or int32, got"),
    }


@pytest.mark.parametrize("name", wrong_calls())
def test_wrong_calls(name):
    graph, given, kind, text = wrong_calls()[name]
    with pytest.raises(kind, match=text):
        weighted(graph, **given)


def test_wrong_types_of_nodes():
    @rgnn.function
    def by_type(g, h: Node, w: Weight):
        for n in g.nodes():
            n["y"] = lang.linear(n["h"], w[n.ntype])
        return g.ndata["y"]

    edges = graph_of(6, 14).edge_index
    wrong = {"node_type: expected one type of 2 for each node, got none": None,
             r"node_type: expected types in \[0, 2\), got 2": torch.tensor([0, 1, 2, 0, 1, 0]),
             "h: expected a row for each of 2 nodes, got 6": torch.tensor([0, 1])}  # fmt: skip
    for said, types in wrong.items():
        with pytest.raises(rgnn.InputError, match=said):
            by_type(edges, tensor(6, 3), tensor(T, 3, 2), node_type=types)


def test_wrong_definitions():
    with pytest.raises(TypeError, match="expected the graph as its first parameter, got none"):
        rgnn.function(lambda: None)
    with pytest.raises(TypeError, match=r"expected parameters with names, got \*rows"):
        rgnn.function(lambda g, *rows: None)
    with pytest.raises(rgnn.LanguageError, match="expected a call within a function of @rgnn.function, got one out"):
        lang.exp(1.0)


def test_a_function_that_another_calls(strict):
    @rgnn.function
    def normalised(g, name="h"):
        for n in g.nodes():
            n["normalised"] = n[name] / (lang.norm(n[name]) + 1)

    @rgnn.function
    def outer(g, h: Node):
        normalised(g)
        for e in g.edges():
            e.dst["y"] += e.src["normalised"]
        return g.ndata["y"]

    def twin(graph, h):
        return add_up((h / (h.norm(dim=1, keepdim=True) + 1))[graph.edge_index[0]], graph.edge_index[1], len(h))

    compare(outer, twin, graph_of(6, 14), {"h": tensor(6, 4)})
    assert outer.versions[0].code.region is not None


def test_explained_and_verified(arguments, strict):
    graph = graph_of(6, 14)
    lists = graph.edge_index, graph.edge_type
    report = rgnn.explain(weighted, lists, **arguments)
    assert report.kernels and not report.fallbacks
    verified = rgnn.compile(weighted, fullgraph=True, verify=1)
    close(verified(lists, **arguments), weighted_twin(graph, **arguments), "verified")

"""Graphiler's rules (MLSys 2022, table 1): what is inferred of functions of rgnn.dgl that use each, and values."""

import pytest
import rgnn
import rgnn.dgl as dgl
import rgnn.dgl.function as fn
import torch
from dgl_graphs import check_equal, graphs
from dgl_rules import MOVEMENT, SHARED, SIZES, WIDTH, Passing, Rule, by_type, check_values, inferred, tensors_of
from torch import Tensor


def of_edges(edges):
    return {"m": edges.data["w"]}


SUM = "reduce sum dst: edge -> node"
RULES = {
    # Fetch data: what messages read of edges is there, and nothing moves.
    "edges.data": Rule(
        lambda edges: {"m": edges.data["w"].exp()}, lambda d: d.w.exp(), (SUM,), {"w": "edge"}, ("map edge",)),
    "edges.src": Rule(
        lambda edges: {"m": edges.src["h"]}, lambda d: d.x[d.source], ("gather src: node -> edge", SUM), {"x": "node"}),
    "edges.dst": Rule(
        lambda edges: {"m": edges.dst["h"]}, lambda d: d.x[d.target], ("gather dst: node -> edge", SUM), {"x": "node"}),
    # Data of node types are lifted as nodes of a graph of their own, @g1, whose edges are the nodes: each node has the
    # row of its type first, and that is what the end broadcasts.
    "edges.srctype": Rule(
        lambda edges: {"m": edges.dst["h"] * edges.srctype["a"]},
        lambda d: d.x[d.target] * d.of_nodes[d.kinds[d.source]],
        ("gather dst: node -> edge", "gather dst: node of @g1 -> edge of @g1", "gather src: node -> edge", SUM),
        {"x": "node", "of_nodes": "node of @g1"}),
    "edges.dsttype": Rule(
        lambda edges: {"m": edges.src["h"] * edges.dsttype["a"]},
        lambda d: d.x[d.source] * d.of_nodes[d.kinds[d.target]],
        ("gather src: node -> edge", "gather dst: node of @g1 -> edge of @g1", "gather dst: node -> edge", SUM),
        {"x": "node", "of_nodes": "node of @g1"}),
    "edges.type": Rule(
        lambda edges: {"m": edges.src["h"] * edges.type["r"]}, lambda d: d.x[d.source] * d.of_edges[d.types],
        ("gather src: node -> edge", "gather etype: etype -> edge", SUM), {"x": "node", "of_edges": "etype"}),
    # What a reduction reads of mailboxes is edge data, message by message: no list of each node's own is made.
    "nodes.mailbox": Rule(
        of_edges, lambda d: d.w, (SUM,), {"w": "edge"}, ("map edge",),
        reduce=lambda nodes: {"o": (nodes.mailbox["m"] ** 2).sum(1)}, combine=lambda m, d, node: (m**2).sum(0)),
    # In both stages. Beside each message of a node its data are broadcast, to destinations.
    "nodes.data": Rule(
        of_edges, lambda d: d.w, ("gather dst: node -> edge", SUM), {"w": "edge", "x": "node"}, ("map node",),
        reduce=lambda nodes: {"o": (nodes.mailbox["m"] * nodes.data["h"].unsqueeze(1)).sum(1) + nodes.data["h"]},
        combine=lambda m, d, node: (m * d.x[node]).sum(0) + d.x[node],
        update=lambda nodes: {"o": nodes.data["o"] * nodes.data["h"]}, updated=lambda o, d: o * d.x),
    # Both stages read the same rows, which are made once.
    "nodes.type": Rule(
        of_edges, lambda d: d.w, ("gather dst: node of @g1 -> edge of @g1", SUM), {"of_nodes": "node of @g1"},
        ("map node",), reduce=lambda nodes: {"o": nodes.mailbox["m"].sum(1) * nodes.type["a"]},
        combine=lambda m, d, node: m.sum(0) * d.of_nodes[d.kinds[node]],
        update=lambda nodes: {"o": nodes.data["o"] + nodes.type["a"]}, updated=lambda o, d: o + d.of_nodes[d.kinds]),
    "sum, max, ... with dim=1": Rule(
        of_edges, lambda d: d.w, tuple(f"reduce {kind} dst: edge -> node" for kind in ("max", "mean", "min", "sum")),
        {"w": "edge"}, ("map node",),
        reduce=lambda nodes: {"o": nodes.mailbox["m"].max(dim=1)[0] * nodes.mailbox["m"].mean(dim=1) + (
            nodes.mailbox["m"].amin(dim=1) * nodes.mailbox["m"].sum(dim=1))},
        combine=lambda m, d, node: m.amax(0) * m.mean(0) + m.amin(0) * m.sum(0)),
    # What subtracts the mean is no op of its own: a reduction, and a broadcast of what it gave.
    "softmax, ... with dim=1": Rule(
        of_edges, lambda d: d.w, ("reduce mean dst: edge -> node", "gather dst: node -> edge",
                                  "group_softmax dst: edge -> edge", SUM), {"w": "edge"},
        reduce=lambda nodes: {"o": (nodes.mailbox["m"].softmax(dim=1) * (
            nodes.mailbox["m"] - nodes.mailbox["m"].mean(dim=1, keepdim=True))).sum(1)},
        combine=lambda m, d, node: (m.softmax(0) * (m - m.mean(0))).sum(0)),
    # Of data of nodes, of edges, of types, in front of their broadcast, and of what all share alone: the first
    # dimension of that is one of types, or none that rows are counted in.
    "other tensor ops": Rule(
        lambda edges: {"m": edges.src["h"] @ SHARED + edges.data["w"].relu() * edges.type["r"] + SHARED.tanh().sum(1)},
        lambda d: d.x[d.source] @ SHARED + d.w.relu() * (d.of_edges @ SHARED).relu()[d.types] + SHARED.tanh().sum(1),
        ("gather src: node -> edge", "gather etype: etype -> edge", SUM), {"x": "node", "w": "edge"},
        ("linear edge", "map edge", "map node", "linear shared", "map shared", "reduce_features shared"),
        update=lambda nodes: {"o": nodes.data["o"].sigmoid()}, updated=lambda o, d: o.sigmoid(),
        prepare=lambda table: (table @ SHARED).relu()),
}  # fmt: skip


def test_graphs():
    """They have self loops, duplicate edges and nodes without edges, and one has no edges."""
    found = set()
    for graph in graphs(SIZES):
        source, target = (end.tolist() for end in graph.edges())
        pairs = list(zip(source, target))
        found |= {"loop"} if any(one == other for one, other in pairs) else set()
        found |= {"duplicate"} if len(set(pairs)) < len(pairs) else set()
        found |= {"isolated"} if pairs and len({*source, *target}) < graph.num_nodes() else set()
        found |= set() if pairs else {"empty"}
    assert found == {"loop", "duplicate", "isolated", "empty"}


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", RULES)
def test_rule(name):
    rule = RULES[name]
    ops, placed = inferred(check_values(Passing(rule, WIDTH)))
    assert sorted(str(op) for op in ops if op.name in MOVEMENT) == sorted(rule.moves)
    assert {argument: placed.get(argument) for argument in rule.placed} == rule.placed
    dense = [op for op in ops if op.name not in MOVEMENT]
    assert {f"{op.name} {op.result}" for op in dense}.issuperset(rule.dense)
    for op in dense:  # operands are shared, or all of one residency, which the result has
        assert len({*op.operands} - {"shared"}) <= 1, op
        assert op.result == next((operand for operand in op.operands if operand != "shared"), "shared"), op


# ---- matrices of types -----------------------------------------------------------------------------------------------


# A matrix of each type is not broadcast: the product reads it where it lies, which is the fused op of section 4.3.2.
TYPED = "typed_linear etype: edge -> edge"
MATRICES = {
    "edges.srctype": Rule(
        lambda edges: {"m": by_type(edges.src["h"], edges.srctype["a"])},
        lambda d: by_type(d.x[d.source], d.of_nodes[d.kinds[d.source]]),
        ("gather src: node -> edge", TYPED, SUM), {"x": "node"}),
    "edges.dsttype": Rule(
        lambda edges: {"m": by_type(edges.src["h"], edges.dsttype["a"])},
        lambda d: by_type(d.x[d.source], d.of_nodes[d.kinds[d.target]]),
        ("gather src: node -> edge", TYPED, SUM), {"x": "node"}),
    "edges.type": Rule(
        lambda edges: {"m": by_type(edges.src["h"], edges.type["r"])},
        lambda d: by_type(d.x[d.source], d.of_edges[d.types]),
        ("gather src: node -> edge", TYPED, SUM), {"x": "node"}),
    "nodes.type": Rule(  # rows of nodes are those of the edges of @g1
        of_edges, lambda d: d.w, ("typed_linear etype: edge of @g1 -> edge of @g1", SUM), {"w": "edge"},
        update=lambda nodes: {"o": by_type(nodes.data["o"], nodes.type["a"])},
        updated=lambda o, d: by_type(o, d.of_nodes[d.kinds])),
}  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", MATRICES)
def test_matrices_of_types_stay_where_they_are(name):
    rule = MATRICES[name]
    ops, placed = inferred(check_values(Passing(rule, WIDTH, WIDTH)))
    assert sorted(str(op) for op in ops if op.name in MOVEMENT) == sorted(rule.moves)
    assert placed == rule.placed  # without the matrices
    assert [op.operands[1] for op in ops if op.name == "typed_linear"] == ["shared"]


def test_sources_are_multiplied_once_by_the_matrix_of_their_type():
    """Section 4.3.1 for types of ends: a source has one type, so that pairs of both are as many as sources."""
    model = Passing(MATRICES["edges.srctype"], WIDTH, WIDTH)
    ops, _ = inferred(check_values(model), "--rgnn-compact")
    assert [op.result for op in ops if op.name == "typed_linear"] == ["src_pair"]
    for graph in graphs(SIZES[:3]):
        facts, = rgnn.explain(model, graph, *tensors_of(graph)).graphs
        assert facts.src_pairs == len(graph.edges()[0].unique())


# ---- where inference fails -------------------------------------------------------------------------------------------


@torch.library.custom_op("rgnn_test_rules::halve", mutates_args=())
def halve(x: Tensor) -> Tensor:
    return x / 2


halve.register_fake(torch.empty_like)


def sorted_edges(edges):
    return {"m": edges.data["w"].sort(0)[0]}


def halved_edges(edges):
    return {"m": halve(edges.src["h"] * edges.data["w"])}


def summed_nodes(nodes):
    return {"o": nodes.data["o"].cumsum(0)}


FAILING = {
    "across edges": (sorted_edges, fn.sum("m", "o"), None, "aten.sort: no rule for it, on rows of edges"),
    "across nodes": (of_edges, fn.sum("m", "o"), summed_nodes, "aten.cumsum: no rule for it, on rows of nodes"),
    "unknown movement": (halved_edges, fn.sum("m", "o"), None, "halve: no rule for it, on rows of edges"),
}


@pytest.mark.parametrize("name", FAILING)
def test_failing_inference_names_line_and_rows(name):
    message, reduce, update, words = FAILING[name]
    model = Passing(Rule(message, None, (), {}, reduce=reduce, update=update), WIDTH)
    graph = graphs(SIZES)[0]
    tensors = tensors_of(graph)
    line = (update or message).__code__.co_firstlineno + 1
    words = rf"test_graphiler_rules.py:{line}: \S*{words}"
    with pytest.raises(rgnn.FallbackError, match=words):
        rgnn.compile(model, fullgraph=True)(graph, *tensors)
    with pytest.warns(UserWarning, match=words), torch.no_grad():
        got = rgnn.compile(model)(graph, *tensors)
    check_equal(((got,), ()), ((model(graph, *tensors).detach(),), ()))


# What sets features, and what gives the messages, of a graph
MISPLACED = {
    "nodes": (lambda graph: graph.ndata.update(h=graph.edata["w"]), lambda graph: graph.edata["w"],
              r"'h' of nodes of type '_N': expected 9 rows, .*, as many as edges of type \('_N', '_E', '_N'\)"),
    "edges": (lambda graph: graph.edata.update(w=graph.ndata["h"]), lambda graph: graph.edata["w"],
              r"'w' of edges of type .*: expected 25 rows, .*, as many as nodes of type '_N'"),
    "messages": (lambda graph: None, lambda graph: graph.ndata["h"],
                 r"'m' of edges of type .*: expected 25 rows, .*, as many as nodes of type '_N'"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISPLACED)
def test_data_of_others_are_named(name):
    """Rows of edges where nodes have theirs, or the other way around, are an error with and without compilation."""
    misplace, messages, words = MISPLACED[name]

    def model(graph, x, w):
        with graph.local_scope():
            graph.ndata["h"], graph.edata["w"] = x, w
            misplace(graph)
            graph.update_all(lambda edges: {"m": messages(graph)}, fn.sum("m", "o"))
            return graph.ndata["o"]

    graph = graphs(SIZES)[0]
    for call in (model, rgnn.compile(model, fullgraph=True)):
        with pytest.raises(dgl.DGLError, match=words):
            call(graph, *tensors_of(graph)[:2])

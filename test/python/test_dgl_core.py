"""Graphs of rgnn.dgl: how they are made, what they answer, and what their features do."""

import copy
import subprocess
import sys

import pytest
import rgnn.dgl as dgl
import torch
from dgl_graphs import ROOT, graphs, hetero, rows

T = torch.tensor

# ---- made of lists ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [
    (T([0, 2, 2]), T([1, 1, 0])), ([0, 2, 2], [1, 1, 0]), ("coo", ([0, 2, 2], [1, 1, 0])), T([[0, 2, 2], [1, 1, 0]]),
    ("csr", ([0, 1, 1, 3], [1, 1, 0], [])), ("csc", ([0, 1, 3, 3], [2, 2, 0], [2, 1, 0])),
])  # fmt: skip
def test_graph(data):
    graph = dgl.graph(data)
    assert graph.num_nodes() == graph.num_src_nodes() == 3 and graph.num_edges() == graph.number_of_edges() == 3
    source, target = graph.edges()
    assert source.tolist() == [0, 2, 2] and target.tolist() == [1, 1, 0]
    assert graph.ntypes == ["_N"] and graph.canonical_etypes == [("_N", "_E", "_N")] and graph.is_homogeneous
    assert not graph.is_block and graph.srctypes == graph.dsttypes == ["_N"] and graph.etypes == ["_E"]
    assert repr(graph) == "Graph(num_nodes=3, num_edges=3)" and graph.idtype == torch.int64


def test_graph_sizes_and_dtypes():
    assert dgl.graph(([], [])).num_nodes() == 0 and dgl.graph(([], []), num_nodes=4).in_degrees().tolist() == [0] * 4
    narrow = dgl.graph(([0], [1]), num_nodes=5, idtype=torch.int32)
    assert narrow.idtype == torch.int32 and narrow.edges()[0].dtype == torch.int32 and narrow.num_nodes() == 5
    assert narrow.long().idtype == torch.int64 and narrow.long().int().in_degrees().dtype == torch.int32
    assert dgl.graph((T([0], dtype=torch.int32), T([1], dtype=torch.int32))).idtype == torch.int32
    assert narrow.to("cpu") is narrow and narrow.cpu() is narrow and narrow.device == torch.device("cpu")


@pytest.mark.parametrize("call, message", [
    (lambda: dgl.graph(([0, 5], [1, 1]), num_nodes=3), "node type '_N': expected numbers of nodes below 3, got 5"),
    (lambda: dgl.graph(([0, -1], [1, 1])), "not negative, got -1"),
    (lambda: dgl.graph(([0, 1], [1])), "expected as many sources as destinations, got 2 and 1"),
    (lambda: dgl.graph((T([0.5]), T([1.0]))), r"a list of numbers of nodes, got Tensor of torch.float32 \[1\]"),
    (lambda: dgl.graph(5), r"expected \(sources, destinations\), got int 5"),
    (lambda: dgl.heterograph({}), "expected at least one edge type, got none"),
    (lambda: dgl.heterograph({"follows": ([0], [1])}), "an edge type as .source type, name, destination type.*"),
    (lambda: dgl.heterograph({("a", "x", "b"): ([0], [1])}, {"a": 3}), "node type 'b': expected a number of nodes"),
    (lambda: dgl.create_block(([0, 5], [1, 1]), 3, 2), "source node type '_N': expected numbers of nodes below 3"),
    (lambda: dgl.to_heterogeneous(hetero(2, 2), [], []), "expected a graph with one type"),
    (lambda: graphs()[0].in_degrees(20), "of which there are 9, got number 20"),
    (lambda: graphs()[0].find_edges(99), "of which there are 25, got number 99"),
    (lambda: graphs()[0].edge_ids(8, 8), "got 8 and 8, which have none"),
    (lambda: hetero(2, 2).num_nodes("film"), "expected one of the node types game, user, got 'film'"),
    (lambda: hetero(2, 2).in_degrees(), "an edge type that is one of .*, got none, which may be each of 4"),
    (lambda: hetero(2, 2)["likes"], "expected an edge type, one of .*, got 'likes'"),
    (lambda: graphs()[0].edges(form="xy"), "form: expected one of uv, eid, all, got 'xy'"),
    (lambda: dgl.prop_edges_dfs, "dgl.prop_edges_dfs is not in rgnn.dgl: use a loop over g.send_and_recv"),
    (lambda: graphs()[0].metagraph(), "DGLGraph.metagraph is not in rgnn.dgl: use g.canonical_etypes"),
    (lambda: dgl.knn_graph, "dgl.knn_graph is not in rgnn.dgl: use torch_geometric.nn.knn_graph"),
    (lambda: dgl.nn.ChebConv, "dgl.nn.ChebConv is not in rgnn.dgl: use torch_geometric.nn.ChebConv"),
])  # fmt: skip
def test_errors(call, message):
    with pytest.raises(dgl.DGLError, match=message):
        call()


def test_imports():
    """The module paths of DGL's are there, and nothing of it is loaded by import rgnn."""
    code = """
import sys, rgnn
assert not any(name.startswith("rgnn.dgl") for name in sys.modules)
import rgnn.dgl as dgl, rgnn.dgl.function as fn
import rgnn.dgl.nn.pytorch as dglnn
from rgnn.dgl import DGLGraph, batch, readout_nodes
from rgnn.dgl.base import NID, DGLError
from rgnn.dgl.heterograph import DGLGraph as same
from rgnn.dgl.nn import GATConv, HeteroGraphConv
from rgnn.dgl.nn.functional import edge_softmax
from rgnn.dgl.nn.pytorch.conv.graphconv import GraphConv
from rgnn.dgl.nn.pytorch.softmax import edge_softmax
from rgnn.dgl.ops import gspmm, segment_mm, u_mul_e_sum
from rgnn.dgl.utils import expand_as_pair
assert same is DGLGraph and dglnn.GATConv is GATConv and "dgl" not in sys.modules
try:
    dgl.no_such_thing
except AttributeError:
    pass
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT / "python")


# ---- several types ---------------------------------------------------------------------------------------------------


def test_heterograph():
    graph = hetero(7, 5)
    assert graph.ntypes == ["game", "user"] and graph.etypes == ["played-by", "buys", "follows", "plays"]
    assert graph.to_canonical_etype("plays") == ("user", "plays", "game")
    assert graph.num_nodes() == 12 and graph.num_nodes("user") == 7 and graph.num_edges("buys") == 0
    part = graph["plays"]
    assert part.ntypes == ["user", "game"] and part.srctypes == ["user"] and part.dsttypes == ["game"]
    assert part.num_src_nodes() == 7 and part.num_dst_nodes() == 5 and not part.is_homogeneous
    part.srcdata["h"] = rows(7, 2)
    assert torch.equal(graph.nodes["user"].data["h"], part.srcdata["h"])  # the frames are the same
    assert graph["user", "follows", "user"].ntypes == ["user"]
    assert graph[("game", slice(None), "user")].etypes == ["played-by"]
    with pytest.raises(dgl.DGLError, match="a slice of several edge types is not in rgnn.dgl"):
        graph[("user", slice(None), "game")]
    assert graph.is_multigraph and not graph.is_block and "num_nodes={'game': 5, 'user': 7}" in repr(graph)


def test_homogeneous_and_back():
    graph = hetero(7, 5)
    for name in graph.ntypes:
        graph.nodes[name].data["h"] = rows(graph.num_nodes(name), 2)
    flat, nodes, edges = dgl.to_homogeneous(graph, ndata=["h"], return_count=True)
    assert nodes == [5, 7] and edges == [graph.num_edges(etype) for etype in graph.canonical_etypes]
    assert flat.ndata["_TYPE"].tolist() == [0] * 5 + [1] * 7 and flat.edata["_ID"][-1] == graph.num_edges("plays") - 1
    assert torch.equal(flat.ndata["h"], torch.cat([graph.nodes[name].data["h"] for name in graph.ntypes]))
    back = dgl.to_heterogeneous(flat, graph.ntypes, graph.etypes)
    assert back.canonical_etypes == [etype for etype in graph.canonical_etypes if etype[1] != "buys"]
    for etype in back.canonical_etypes:
        assert all(torch.equal(a, b) for a, b in zip(back.edges(etype=etype), graph.edges(etype=etype)))
    assert torch.equal(back.nodes["user"].data["h"], graph.nodes["user"].data["h"])
    with pytest.raises(dgl.DGLError, match="'x': expected a feature of each node type, got one that some lack"):
        dgl.to_homogeneous(graph, ndata=["x"])


def test_blocks():
    block = dgl.create_block(([0, 1, 4], [0, 1, 1]), num_src_nodes=5, num_dst_nodes=2)
    assert block.is_block and block.num_src_nodes() == 5 and block.number_of_dst_nodes() == 2
    assert block.in_degrees().tolist() == [1, 2] and block.out_degrees().tolist() == [1, 1, 0, 0, 1]
    block.srcdata["h"], block.dstdata["h"] = rows(5, 2), rows(2, 2)
    assert block.srcdata["h"].shape == (5, 2) and block.dstdata["h"].shape == (2, 2)
    assert "num_src_nodes=5, num_dst_nodes=2" in repr(block) and block.srcnodes().tolist() == [0, 1, 2, 3, 4]
    graph = dgl.block_to_graph(block)
    assert graph.ntypes == ["_N_src", "_N_dst"] and graph.nodes["_N_dst"].data["h"] is block.dstdata["h"]
    several = dgl.create_block({("a", "x", "b"): ([0, 1], [0, 0]), ("b", "y", "b"): ([1], [0])},
                               {"a": 2, "b": 3}, {"a": 1, "b": 1})  # fmt: skip
    assert several.srctypes == several.dsttypes == ["a", "b"] and several.num_dst_nodes("a") == 1
    assert several["x"].num_src_nodes() == 2 and several["y"].num_src_nodes() == 3 and several["x"].is_block
    assert several.num_nodes("SRC/b") == 3 and several.num_nodes("DST/b") == 1 and block.num_nodes("DST/_N") == 2
    with pytest.raises(dgl.DGLError, match="expected one of the node types a, b, got 'c'"):
        several.num_nodes("DST/c")
    assert several.dstnodes["b"].data == {} or len(several.dstnodes["b"].data) == 0


# ---- questions -------------------------------------------------------------------------------------------------------


def test_queries():
    for graph in graphs():
        source, target, number = graph.edges(form="all")
        pairs = list(zip(source.tolist(), target.tolist()))
        assert number.tolist() == list(range(len(pairs)))
        assert graph.in_degrees().tolist() == [sum(t == n for _, t in pairs) for n in range(graph.num_nodes())]
        assert graph.out_degrees().tolist() == [sum(s == n for s, _ in pairs) for n in range(graph.num_nodes())]
        assert list(zip(*(end.tolist() for end in graph.edges(order="srcdst")))) == sorted(pairs)
        assert graph.is_multigraph == (len(set(pairs)) < len(pairs))
        for node in range(graph.num_nodes()):
            assert graph.in_edges(node, form="eid").tolist() == [i for i, (_, t) in enumerate(pairs) if t == node]
            assert graph.successors(node).tolist() == [t for s, t in pairs if s == node]
            assert graph.predecessors(node).tolist() == [s for s, t in pairs if t == node]
        for s, t in pairs[:5]:
            assert graph.has_edges_between(s, t) is True and graph.edge_ids(s, t) == pairs.index((s, t))
            assert graph.edge_ids(s, t, return_uv=True)[2].tolist() == [i for i, p in enumerate(pairs) if p == (s, t)]
        assert graph.has_nodes([0, 99]).tolist() == [graph.num_nodes() > 0, False]
        dense = torch.zeros(graph.num_nodes(), graph.num_nodes())
        for s, t in pairs:
            dense[s, t] += 1
        assert torch.equal(graph.adj().to_dense(), dense)
        assert torch.equal(graph.adj_external(transpose=True).to_dense(), dense.t())
        for form in ("csr", "csc"):
            again = dgl.graph((form, graph.adj_tensors(form)), num_nodes=graph.num_nodes())
            assert all(torch.equal(a, b) for a, b in zip(again.edges(), graph.edges()))
    graph = graphs()[0]
    graph.ndata["h"] = torch.arange(9)
    assert graph.filter_nodes(lambda nodes: nodes.data["h"] > 5).tolist() == [6, 7, 8]
    assert graph.filter_edges(lambda edges: edges.src["h"] == edges.dst["h"]).tolist() == [
        i for i, (s, t) in enumerate(zip(*graph.edges())) if s == t]  # fmt: skip


# ---- features --------------------------------------------------------------------------------------------------------


def test_features():
    graph = graphs()[0]
    graph.ndata["h"], graph.edata["w"] = rows(9, 2), rows(25)
    assert list(graph.ndata) == ["h"] and "h" in graph.ndata and len(graph.edata) == 1 and graph.ndata.get("x") is None
    graph.ndata.update({"x": rows(9), "y": rows(9)})
    assert graph.ndata.pop("x").shape == (9,) and graph.ndata.pop("x", 3) == 3
    del graph.ndata["y"]
    assert graph.ndata.keys() == ["h"] and graph.nodes[[2, 5]].data["h"].shape == (2, 2)
    graph.nodes[[2, 5]].data["new"] = torch.ones(2)
    assert graph.ndata["new"].tolist() == [0, 0, 1, 0, 0, 1, 0, 0, 0]
    source, target = graph.edges()
    graph.edges[source[:1], target[:1]].data["w"] = torch.full((1,), 7.0).double()
    assert graph.edata["w"][0] == 7 and graph.edges["_E"].data["w"] is graph.edata["w"]
    assert graph.node_attr_schemes()["h"] == ((2,), torch.float64) and graph.edge_attr_schemes()["w"][0] == ()
    copy = graph.clone()
    copy.ndata["h"] += 1
    assert not torch.equal(copy.ndata["h"], graph.ndata["h"])


def test_copies_and_files(tmp_path):
    for graph in (graphs()[0], hetero(3, 2), dgl.batch(graphs()), dgl.create_block(([0], [0]), 2, 1)):
        for name in dict.fromkeys(graph.ntypes):
            graph.nodes[name].data["h"] = rows(graph.num_nodes(name), 2)
        torch.save(graph, tmp_path / "graph.pt")
        for other in (copy.deepcopy(graph), torch.load(tmp_path / "graph.pt", weights_only=False)):
            assert repr(other) == repr(graph) and other.batch_size == graph.batch_size
            for etype in graph.canonical_etypes:
                assert all(torch.equal(a, b) for a, b in zip(other.edges(etype=etype), graph.edges(etype=etype)))
            name = graph.ntypes[0]
            assert torch.equal(other.nodes[name].data["h"], graph.nodes[name].data["h"])


def test_scopes():
    graph = graphs()[0]
    graph.ndata["h"] = rows(9, 2)
    before = graph.ndata["h"]
    with graph.local_scope():
        graph.ndata["h"], graph.edata["w"] = before * 2, rows(25)
        del graph.ndata["h"]
        assert "h" not in graph.ndata
    assert graph.ndata["h"] is before and "w" not in graph.edata
    with pytest.raises(KeyError, match="expected a feature of edges of type .'_N', '_E', '_N'., of none, got 'w'"):
        graph.edata["w"]
    own = graph.local_var()
    own.ndata["z"] = before
    assert "z" not in graph.ndata and own.ndata["h"] is before


def test_features_of_several_types():
    graph = hetero(7, 5)
    graph.ndata["h"] = {"user": rows(7, 2)}
    assert list(graph.ndata["h"]) == ["user"] and "h" not in graph.nodes["game"].data
    graph.edata["w"] = {"plays": rows(14), ("user", "buys", "game"): rows(0)}
    assert set(graph.edata["w"]) == {("user", "plays", "game"), ("user", "buys", "game")}
    for call, message in [
        (lambda: graph.ndata.update({"h": rows(7)}), "'h': expected a dictionary of tensors by type, of game, user"),
        (lambda: graph.nodes["user"].data.update({"h": rows(5)}), "'h' of nodes of type 'user': expected 7 rows"),
        (lambda: graph.nodes["film"].data, "expected one of the node types game, user, got 'film'"),
        (lambda: graph.ndata.update({"h": {"film": rows(5)}}), "expected one of the node types game, user, got 'film'"),
        (lambda: graph.edges["likes"].data, "got 'likes'"), (lambda: graph.nodes().shape, "the name of a node type"),
        (lambda: graph.nodes["user"].data.update({"h": 3}), "'h' of nodes of type 'user': expected a tensor, got int"),
    ]:  # fmt: skip
        with pytest.raises(dgl.DGLError, match=message):
            call()


# ---- graphs of graphs ------------------------------------------------------------------------------------------------


def edges_of(graph, etype=None):
    return list(zip(*(end.tolist() for end in graph.edges(etype=etype))))


def test_self_loops_and_directions():
    for graph in graphs():
        graph.edata["w"] = rows(graph.num_edges(), 2)
        pairs = edges_of(graph)
        own = [(n, n) for n in range(graph.num_nodes())]
        more = dgl.add_self_loop(graph)
        assert edges_of(more) == pairs + own and (more.edata["w"][len(pairs) :] == 1).all()
        summed = dgl.add_self_loop(graph, fill_data="sum").edata["w"][len(pairs) :]
        expected = torch.zeros(len(own), 2).double().index_add(0, graph.edges()[1], graph.edata["w"])
        assert torch.allclose(summed, expected)
        fewer = graph.remove_self_loop()
        assert edges_of(fewer) == [pair for pair in pairs if pair[0] != pair[1]]
        assert edges_of(graph.reverse()) == [pair[::-1] for pair in pairs] and "w" not in graph.reverse().edata
        assert dgl.reverse(graph, copy_edata=True).edata["w"] is graph.edata["w"]
        assert edges_of(dgl.to_bidirected(graph)) == sorted({*pairs, *(pair[::-1] for pair in pairs)})
        simple, place = dgl.to_simple(graph, writeback_mapping=True, copy_edata=True, aggregator="sum")
        once = sorted(set(pairs))
        assert edges_of(simple) == once and simple.edata["count"].tolist() == [pairs.count(pair) for pair in once]
        assert [once[one] for one in place.tolist()] == pairs
        assert torch.allclose(simple.edata["w"].sum(0), graph.edata["w"].sum(0))
        both = dgl.add_reverse_edges(graph, copy_edata=True)
        assert edges_of(both) == pairs + [pair[::-1] for pair in pairs if pair[0] != pair[1]]
        assert len(both.edata["w"]) == both.num_edges()
        assert torch.allclose(dgl.norm_by_dst(graph), 1 / graph.in_degrees()[graph.edges()[1]].float())


def test_edges_and_nodes_come_and_go():
    graph = graphs()[0]
    graph.ndata["h"], graph.edata["w"] = rows(9, 2), rows(25, 2)
    pairs = edges_of(graph)
    more = dgl.add_nodes(dgl.add_edges(graph, [0, 1], 2, {"w": torch.ones(2, 2).double()}), 2)
    assert edges_of(more) == [*pairs, (0, 2), (1, 2)] and more.num_nodes() == 11 and not more.ndata["h"][9:].any()
    assert (more.edata["w"][25:] == 1).all() and graph.num_edges() == 25
    fewer = dgl.remove_edges(more, [0, 3], store_ids=True)
    assert edges_of(fewer) == [pair for i, pair in enumerate(edges_of(more)) if i not in (0, 3)]
    assert fewer.edata["_ID"][:3].tolist() == [1, 2, 4]
    graph.add_edges(8, 8)
    assert graph.num_edges() == 26 and not graph.edata["w"][25].any() and graph.in_degrees(8) == 1


def test_subgraphs():
    graph = graphs()[0]
    graph.ndata["h"], graph.edata["w"] = rows(9, 2), rows(25, 2)
    pairs, chosen = edges_of(graph), [5, 0, 3, 8]
    part = dgl.node_subgraph(graph, chosen)
    inner = [i for node in chosen for i, (s, t) in enumerate(pairs) if s == node and t in chosen]
    assert [(chosen[s], chosen[t]) for s, t in edges_of(part)] == [pairs[i] for i in inner]
    assert torch.equal(part.ndata["h"], graph.ndata["h"][chosen]) and part.edata["_ID"].tolist() == inner
    mask = torch.zeros(9, dtype=torch.bool).index_fill(0, T(chosen), True)
    assert graph.subgraph(mask).ndata["_ID"].tolist() == sorted(chosen)
    kept = dgl.edge_subgraph(graph, [7, 2])
    names = kept.ndata["_ID"].tolist()
    assert [(names[s], names[t]) for s, t in edges_of(kept)] == [pairs[7], pairs[2]]
    assert torch.equal(kept.edata["w"], graph.edata["w"][[7, 2]])
    assert graph.edge_subgraph([7, 2], relabel_nodes=False).num_nodes() == 9
    assert edges_of(dgl.in_subgraph(graph, [4, 1])) == [pair for node in (4, 1) for pair in pairs if pair[1] == node]
    assert edges_of(dgl.out_subgraph(graph, [1, 4])) == [pair for node in (1, 4) for pair in pairs if pair[0] == node]
    near, place = dgl.khop_in_subgraph(graph, [2], 2)
    reached = {2} | {s for s, t in pairs if t == 2}
    reached |= {s for s, t in pairs if t in reached}
    assert near.ndata["_ID"].tolist() == sorted(reached) and near.ndata["_ID"][place].tolist() == [2]
    several = hetero(7, 5)
    assert dgl.edge_type_subgraph(several, ["plays"]).ntypes == ["game", "user"]
    assert dgl.node_type_subgraph(several, ["user"]).etypes == ["follows"]
    assert dgl.node_subgraph(several, {"user": [1, 2]}).num_nodes("game") == 0


def test_batches():
    parts = graphs()
    for one in parts:
        one.ndata["h"], one.edata["w"] = rows(one.num_nodes(), 2), rows(one.num_edges(), 2)
    whole = dgl.batch(parts)
    assert whole.batch_size == len(parts) and whole.batch_num_nodes().tolist() == [one.num_nodes() for one in parts]
    assert whole.batch_num_edges().tolist() == [one.num_edges() for one in parts]
    assert torch.equal(whole.ndata["h"], torch.cat([one.ndata["h"] for one in parts]))
    for one, back in zip(parts, dgl.unbatch(whole)):
        assert edges_of(one) == edges_of(back) and torch.equal(one.ndata["h"], back.ndata["h"])
        assert torch.equal(one.edata["w"], back.edata["w"]) and back.batch_size == 1
    assert edges_of(dgl.slice_batch(whole, 2)) == edges_of(parts[2])
    assert dgl.batch([whole, parts[0]]).batch_size == len(parts) + 1
    assert [edges_of(one, "plays") for one in dgl.unbatch(dgl.batch([hetero(7, 5), hetero(3, 2)]))] == [
        edges_of(hetero(*sizes), "plays") for sizes in ((7, 5), (3, 2))]  # fmt: skip
    parts[0].ndata["x"] = rows(9)
    with pytest.raises(dgl.DGLError, match="the same features of nodes of type '_N' in all graphs, got h, x and h"):
        dgl.batch(parts)
    with pytest.raises(dgl.DGLError, match="expected at least one graph, got none"):
        dgl.batch([])

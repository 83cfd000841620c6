"""rgnn.data: the npz loader with all of its errors, the forms of a graph, and generated graphs."""

import dataclasses
import re
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

try:
    from rgnn import data
except ImportError:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
    from rgnn import data


def load_or_skip(name):
    try:
        return data.load(name)
    except data.DatasetNotFoundError as error:
        pytest.skip(str(error))


def tiny():
    """Arrays of a valid file: 5 nodes of 2 types, 4 edges of 3 types, the second of them empty."""
    return {
        "src": np.array([0, 1, 3, 4], np.int32),
        "dst": np.array([2, 3, 0, 0], np.int32),
        "etype": np.array([0, 0, 2, 2], np.int16),
        "etype_names": np.array(["a|r|b", "a|none|a", "b|rev|a"]),
        "ntype": np.array([0, 0, 1, 1, 1], np.int16),
        "ntype_names": np.array(["a", "b"]),
        "num_nodes": np.int64(5),
        "y": np.array([0, -1, 1, 1, -1]),
        "num_classes": np.int64(2),
        "train_idx": np.array([0, 2]),
        "test_idx": np.array([3]),
        "split": np.array([0, 0, 1, 2], np.int8),
        "feat_indptr": np.array([0, 1, 1, 2, 2, 2]),
        "feat_indices": np.array([2, 0]),
        "feat_values": np.array([1.0, 0.5], np.float32),
        "feat_dim": np.int64(3),
    }


def save(folder, **changes):
    arrays = tiny() | changes
    path = folder / "tiny.npz"
    np.savez(path, **{key: value for key, value in arrays.items() if value is not None})
    return path


# ---- real data sets --------------------------------------------------------------------------------------------------

REAL = {  # nodes, node types, edges, edge types, unique pairs of a node and a type as in test/Papers
    "aifb": (7262, 7, 48810, 104, 24299),
    "mutag": (27163, 5, 148100, 50, 76204),
    "fb15k-237": (14541, 1, 620232, 474, 161922),
    "wn18rr": (40943, 1, 186006, 22, 109019),
    "cora": (2708, 1, 10556, 1, None),
    "citeseer": (3327, 1, 9104, 1, None),
}


@pytest.mark.parametrize("name", REAL)
def test_real(name):
    graph = load_or_skip(name)
    nodes, node_types, edges, edge_types, pairs = REAL[name]
    assert (graph.num_nodes, graph.num_node_types, graph.num_edges, graph.num_edge_types) == (
        nodes, node_types, edges, edge_types)  # fmt: skip
    assert not graph.synthetic
    if pairs is not None:
        assert [round(graph.compaction_ratio(end) * edges) for end in ("src", "dst")] == [pairs, pairs]


def test_aifb_is_in_the_repository():
    graph = data.load("aifb")
    assert graph.num_classes == 4
    assert (graph.train_idx.numel(), graph.test_idx.numel()) == (140, 36)
    assert graph.features is None


@pytest.mark.parametrize("name, width", [("cora", 1433), ("citeseer", 3703)])
def test_features(name, width):
    graph = load_or_skip(name)
    assert graph.features.shape == (graph.num_nodes, width)
    assert graph.features.to_dense().sum() > 0


# ---- where files are looked for --------------------------------------------------------------------------------------


def test_load_by_path_and_by_environment(tmp_path, monkeypatch):
    path = save(tmp_path)
    assert data.load(path).num_edges == data.load(str(path)).num_edges == 4
    monkeypatch.setenv("RGNN_DATASETS", str(tmp_path))
    assert data.load("tiny").name == "tiny"
    assert "tiny" in data.available() and "aifb" in data.available()


def test_missing_name_says_where_it_looked(tmp_path, monkeypatch):
    monkeypatch.setenv("RGNN_DATASETS", str(tmp_path))
    with pytest.raises(data.DatasetNotFoundError, match=re.escape(str(tmp_path))):
        data.load("no-such-data")


def test_missing_path():
    with pytest.raises(data.DatasetNotFoundError, match=r"data set file 'no/such.npz' does not exist"):
        data.load("no/such.npz")


@pytest.mark.parametrize("content", [b"", b"not an archive", b"PK\x03\x04 cut off"])
def test_not_an_archive(tmp_path, content):
    path = tmp_path / "bad.npz"
    path.write_bytes(content)
    with pytest.raises(data.DatasetError, match="to be an npz archive"):
        data.load(path)


def test_pickle_is_refused(tmp_path):
    with pytest.raises(data.DatasetError, match="to be an npz archive of plain arrays"):
        data.load(save(tmp_path, y=np.array([None] * 5, object)))


# ---- errors ----------------------------------------------------------------------------------------------------------

BAD = {
    "missing field": ({"dst": None}, "missing: dst"),
    "unknown field": ({"lables": np.zeros(5)}, "expected no other fields .* got lables"),
    "float indices": ({"src": np.zeros(4)}, "expected src to be integers of rank 1, got float64 of rank 1"),
    "rank": ({"dst": np.zeros((4, 1), int)}, "expected dst to be integers of rank 1, got int64 of rank 2"),
    "length": ({"src": np.array([0, 1, 3])}, "expected 4 entries in src, got 3"),
    "out of range": ({"src": np.array([0, 1, 3, 9])}, r"expected src in 0 .. 4, got 9"),
    "negative": ({"dst": np.array([2, 3, -1, 0])}, r"expected dst in 0 .. 4, got -1"),
    "edge type out of range": ({"etype": np.array([0, 0, 2, 3])}, r"expected edge_type in 0 .. 2, got 3"),
    "edge types unsorted": ({"etype": np.array([0, 2, 0, 2])}, "edge_type in ascending order, got 0 after 2 at 2"),
    "node types unsorted": ({"ntype": np.array([0, 1, 0, 1, 1])}, "node_type in ascending order, got 0 after 1 at 2"),
    "node type out of range": ({"ntype": np.array([0, 0, 1, 1, 2])}, r"expected node_type in 0 .. 1, got 2"),
    "num_nodes": ({"num_nodes": np.int64(6)}, "expected num_nodes = 6 entries in ntype, got 5"),
    "edge type name": ({"etype_names": np.array(["a|r", "a|none|a", "b|rev|a"])}, r"expected etype_names\[0\] to be"),
    "names are numbers": ({"etype_names": np.zeros(3)}, "expected etype_names to be strings of rank 1, got float64"),
    "unknown end type": ({"etype_names": np.array(["a|r|c", "a|none|a", "b|rev|a"])}, "join two of .* got 'c'"),
    "edge type twice": ({"etype_names": np.array(["a|r|b", "a|r|b", "b|rev|a"])}, "expected distinct edge_types"),
    "node type twice": ({"ntype_names": np.array(["a", "a"])}, "expected distinct node_types"),
    "end of another type": ({"dst": np.array([1, 3, 0, 0])}, r"expected dst\[0\] to be a node of type 'b'.*type 'a'"),
    "labels without classes": ({"num_classes": None}, "expected y and num_classes together"),
    "label out of range": ({"y": np.array([0, -1, 2, 1, -1])}, r"expected y in -1 .. 1, got 2"),
    "label count": ({"y": np.zeros(4, int)}, "expected 5 entries in y, got 4"),
    "unlabelled": ({"train_idx": np.array([0, 1])}, "a label for every node of train_idx, got none for node 1"),
    "split twice": ({"train_idx": np.array([0, 0])}, "expected distinct nodes in train_idx"),
    "split without labels": ({"y": None, "num_classes": None}, "expected labels y for train_idx"),
    "split out of range": ({"test_idx": np.array([5])}, r"expected test_idx in 0 .. 4, got 5"),
    "edge split": ({"split": np.array([0, 0, 1, 3])}, r"expected edge_split in 0 .. 2, got 3"),
    "features in part": ({"feat_dim": None}, "expected all of feat_indptr.* missing: feat_dim"),
    "feature rows": ({"feat_indptr": np.array([0, 1, 2])}, "expected 6 entries in feat_indptr, got 3"),
    "feature offsets": ({"feat_indptr": np.array([0, 2, 1, 2, 2, 2])}, "expected feat_indptr to rise from 0"),
    "feature values": ({"feat_values": np.ones(3, np.float32)}, "expected 2 entries in feat_values, got 3"),
    "feature column": ({"feat_indices": np.array([3, 0])}, r"expected feat_indices in 0 .. 2, got 0 .. 3"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_file(tmp_path, case):
    changes, message = BAD[case]
    with pytest.raises(data.DatasetError, match=message) as caught:
        data.load(save(tmp_path, **changes))
    assert "data set 'tiny'" in str(caught.value)


def test_bad_field_of_the_dataclass(tmp_path):
    graph = data.load(save(tmp_path))
    for change, message in [
        ({"src": graph.src.int()}, "expected src to be int64 .* got torch.int32"),
        ({"dst": [0, 1, 2, 3]}, "expected dst to be a tensor, got list"),
        ({"edge_types": ["a|r|b"]}, r"expected edge_types\[0\] to be"),
        ({"features": torch.zeros(5, 3)}, "expected features to be sparse CSR float32"),
    ]:
        with pytest.raises(data.DatasetError, match=message):
            dataclasses.replace(graph, **change)


# ---- forms -----------------------------------------------------------------------------------------------------------


def test_forms(tmp_path):
    graph = data.load(save(tmp_path))
    assert graph.edge_index.tolist() == [[0, 1, 3, 4], [2, 3, 0, 0]]
    assert graph.edge_index is graph.edge_index
    assert graph.node_offsets == [0, 2, 5] and graph.edge_offsets == [0, 2, 2, 4]
    assert graph.num_nodes_dict == {"a": 2, "b": 3}
    assert graph.metadata == (["a", "b"], [("a", "r", "b"), ("a", "none", "a"), ("b", "rev", "a")])
    local = {key: value.tolist() for key, value in graph.edge_index_dict.items()}
    assert list(local) == graph.edge_types
    assert list(local.values()) == [[[0, 1], [0, 1]], [[], []], [[1, 2], [0, 0]]]
    assert graph.compaction_ratio("src") == 1.0 and graph.compaction_ratio("dst") == 0.75
    assert graph.features.to_dense()[0].tolist() == [0, 0, 1]


def test_split_and_join(tmp_path):
    graph = data.load(save(tmp_path))
    x = torch.randn(5, 3)
    x_dict = graph.split_nodes(x)
    assert torch.equal(graph.join_nodes(x_dict), x)
    assert x_dict["b"].data_ptr() == x[2:].data_ptr()
    part = graph.join_nodes({"b": x_dict["b"], "a": None}, missing=7.0)
    assert (part[:2] == 7).all() and torch.equal(part[2:], x[2:])
    with pytest.raises(data.DatasetError, match=r"expected 5 rows, one for each node, got shape \(4, 3\)"):
        graph.split_nodes(x[:4])
    with pytest.raises(data.DatasetError, match=r"expected shape \(3, 3\) for 'b', got \(2, 3\)"):
        graph.join_nodes({"a": x[:2], "b": x[:2]})
    with pytest.raises(data.DatasetError, match=r"got also \['c'\]"):
        graph.join_nodes({"c": x})


def test_forms_mean_the_same_to_pyg():
    nn = pytest.importorskip("torch_geometric.nn")
    graph = data.load("aifb")
    x = torch.randn(graph.num_nodes, 8)
    with torch.no_grad():
        out = nn.HGTConv(8, 8, graph.metadata).eval()(graph.split_nodes(x), graph.edge_index_dict)
        assert {name: rows.size(0) for name, rows in out.items()} == {name: graph.num_nodes_dict[name] for name in out}
        assert nn.RGCNConv(8, 8, graph.num_relations)(x, graph.edge_index, graph.edge_type).shape == x.shape
    global_index = torch.cat([
        edge_index + torch.tensor([[graph.node_offsets[graph.node_types.index(name[end])]] for end in (0, 2)])
        for name, edge_index in graph.edge_index_dict.items()
    ], dim=1)  # fmt: skip
    assert torch.equal(global_index, graph.edge_index)


def test_no_nodes_no_edges():
    none = torch.zeros(0, dtype=torch.int64)
    graph = data.HeteroGraph("none", none, none, none, [("a", "r", "a")], none, ["a"])
    assert graph.num_nodes == graph.num_edges == 0
    assert graph.edge_index_dict["a", "r", "a"].shape == (2, 0)
    assert graph.compaction_ratio() == 1.0


# ---- generated graphs ------------------------------------------------------------------------------------------------

GENERATED = [name for name, facts in data.FACTS.items() if not facts.exact]


@pytest.mark.parametrize("name", GENERATED)
def test_synthetic_sizes(name):
    facts = data.FACTS[name]
    scale = min(1.0, 60_000 / facts.edges)
    graph = data.synthetic(name, scale=scale)
    assert graph.synthetic and "(synthetic)" in str(graph)
    assert graph.num_edges == round(facts.edges * scale)
    assert abs(graph.num_nodes - round(facts.nodes * scale)) <= facts.node_types
    assert (graph.num_node_types, graph.num_edge_types) == (facts.node_types, facts.edge_types)
    if facts.compaction:
        for side, ratio in zip(("src", "dst"), facts.compaction, strict=True):
            assert graph.compaction_ratio(side) == pytest.approx(ratio, abs=0.01), side


@pytest.mark.parametrize("name", ["aifb", "mutag", "wn18rr", "bgs"])
def test_synthetic_at_full_size(name):
    facts, graph = data.FACTS[name], data.synthetic(name)
    assert (graph.num_nodes, graph.num_edges) == (facts.nodes, facts.edges)
    assert graph.compaction_ratio("src") == pytest.approx(facts.compaction[0], abs=0.001)
    sizes = torch.bincount(graph.edge_type, minlength=facts.edge_types)
    assert sizes.min() >= 1 and sizes.max() > 4 * sizes.median()
    degrees = torch.bincount(graph.dst, minlength=facts.nodes)
    assert degrees.max() > 20 * facts.edges / facts.nodes


def test_synthetic_inverses():
    graph = data.synthetic("am", scale=0.005)
    index, half = graph.edge_index_dict, graph.num_edge_types // 2
    for forward, inverse in zip(graph.edge_types[:half], graph.edge_types[half:], strict=True):
        assert inverse == (forward[2], "rev-" + forward[1], forward[0])
        assert torch.equal(index[forward], index[inverse].flip(0))


def test_synthetic_is_reproducible():
    a, b, c = (data.synthetic("biokg", seed=seed, scale=0.01) for seed in (3, 3, 4))
    assert torch.equal(a.edge_index, b.edge_index)
    assert not torch.equal(a.edge_index, c.edge_index)


def test_synthetic_symmetric_with_self_loops():
    graph = data.synthetic("com-amazon", scale=0.01)
    assert torch.equal(torch.bincount(graph.src), torch.bincount(graph.dst))
    assert (graph.src == graph.dst).sum() >= graph.num_nodes


@pytest.mark.parametrize("scale, nodes, edges", [(1e-4, 5, 10), (12 / 98303, 11, 40), (0.125, 12287, 3695512)])
def test_mycielskian_is_exact(scale, nodes, edges):
    # The 3rd is a cycle of 5; the next has 3 edges for each, and one more for each node.
    graph = data.synthetic("mycielskian17", scale=scale)
    assert (graph.num_nodes, graph.num_edges, graph.synthetic) == (nodes, edges, False)


def test_mycielskian17_has_the_published_size():
    nodes, edges = 2, 1
    for _ in range(15):
        nodes, edges = 2 * nodes + 1, 3 * edges + nodes
    facts = data.FACTS["mycielskian17"]
    assert (nodes, 2 * edges) == (facts.nodes, facts.edges)


def test_synthetic_errors():
    with pytest.raises(ValueError, match="expected one of aifb, .* got 'amm'"):
        data.synthetic("amm")
    with pytest.raises(ValueError, match="expected a positive scale, got 0"):
        data.synthetic("am", scale=0)


def test_facts_are_complete():
    for name, facts in data.FACTS.items():
        assert facts.source, name
        assert (facts.compaction is None) == (facts.compaction_from == ""), name
        if facts.node_counts:
            assert sum(facts.node_counts.values()) == facts.nodes, name
        if facts.relations:
            assert sum(size for *_, size in facts.relations) == facts.edges, name

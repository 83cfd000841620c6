"""Inputs that layers of PyG take beside one tensor of features: node ids, pairs, dictionaries with parts missing."""

import pytest
import rgnn
import torch
from pyg import GRAPHS, LARGE, R, as_reference, error, gnn, rows, versions
from rgnn._dynamo.memoize import Memoized

F64 = torch.float64
TABLE = 40  # rows of the weights that node ids index


def build(make, seed=0):
    torch.manual_seed(seed)
    model = make().to(F64).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return model, rgnn.compile(model, fullgraph=True)


def equal(got, expected):
    assert got.dtype == expected.dtype
    assert error(got, expected) <= 1e-10


def ids(count, seed=0):
    return torch.randint(0, TABLE, (count,), generator=torch.Generator().manual_seed(seed))


def small(graph):
    """FastRGCNConv has a table row for the number of each node."""
    return graph[0] <= TABLE


@pytest.mark.parametrize("flags", [{}, {"num_bases": 3}, {"root_weight": False}], ids=["full", "bases", "no-root"])
@pytest.mark.parametrize("aggr", ["add", "mean"])
@pytest.mark.parametrize("layer", [gnn.RGCNConv, gnn.FastRGCNConv])
def test_node_ids(layer, aggr, flags):
    model, compiled = build(lambda: layer(TABLE, 20, R, aggr=aggr, **flags))
    with torch.no_grad():
        for graph in GRAPHS.values():
            nodes, *edges = graph
            if layer is gnn.FastRGCNConv and not small(graph):
                continue
            x = ids(nodes)
            equal(compiled(x, *edges), model(x, *edges))
            if nodes:
                x[0] = (x[0] + 1) % TABLE  # changed in place
                equal(compiled(x, *edges), model(x, *edges))
    assert versions(compiled) == 1


@pytest.mark.parametrize("layer", [gnn.RGCNConv, gnn.FastRGCNConv])
@pytest.mark.parametrize("wrong", [TABLE, -1, 2**40])
def test_node_ids_out_of_range(wrong, layer):
    """The error names the argument that the number is in, at the first call and later."""
    _, compiled = build(lambda: layer(TABLE, 20, R))
    nodes, edge_index, edge_type = GRAPHS["awkward"]
    good, bad = ids(nodes), ids(nodes)
    bad[edge_index[0, 3]] = wrong
    with torch.no_grad():
        for _ in range(2):
            with pytest.raises(rgnn.InputError, match=rf"^x: expected .* in \[0, {TABLE}\), got {wrong} \(PyTorch: "):
                compiled(bad, edge_index, edge_type)
            compiled(good, edge_index, edge_type)
        for end in (0, 1):
            edges = edge_index.clone()
            edges[end, 3] = wrong
            with pytest.raises(rgnn.InputError, match=rf"^edge_index: expected node indices in .*, got {wrong}"):
                compiled(good, edges, edge_type)


@pytest.mark.parametrize("layer", [gnn.RGCNConv, gnn.FastRGCNConv])
def test_node_ids_of_a_pair_out_of_range(layer):
    _, compiled = build(lambda: layer(TABLE, 20, R))
    edge_index, edge_type = torch.tensor([[4, 0, 4], [1, 1, 0]]), torch.tensor([0, 3, 2])
    sources, targets = ids(5), ids(2, 1)
    with torch.no_grad():
        compiled((sources, targets), edge_index, edge_type)
        bad = targets.clone()
        bad[1] = TABLE
        with pytest.raises(rgnn.InputError, match=rf"^x\[1\]: expected .* in \[0, {TABLE}\), got {TABLE} \(PyTorch: "):
            compiled((sources, bad), edge_index, edge_type)
        if layer is gnn.FastRGCNConv:  # like PyG's, it takes the numbers of the sources, whatever x says
            return
        bad = sources.clone()
        bad[4] = TABLE
        with pytest.raises(rgnn.InputError, match=rf"^x\[0\]: expected .* in \[0, {TABLE}\), got {TABLE} \(PyTorch: "):
            compiled((bad, targets), edge_index, edge_type)
        wrong = edge_index.clone()
        wrong[0, 1] = 5
        with pytest.raises(rgnn.InputError, match=r"^edge_index: expected node indices in \[0, 5\), got 5( \(|$)"):
            compiled((sources, targets), wrong, edge_type)


def test_node_ids_out_of_range_in_a_part():
    """Where PyTorch runs an operator between compiled regions, too."""

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = gnn.RGCNConv(TABLE, 16, R), gnn.FastRGCNConv(16, 8, R)

        def forward(self, nodes, edge_index, edge_type):
            return self.second(self.first(nodes, edge_index, edge_type).cumsum(0), edge_index, edge_type)

    compiled = rgnn.compile(Model().eval())
    count, *edges = GRAPHS["awkward"]
    bad = ids(count)
    with torch.no_grad(), pytest.warns(UserWarning, match="aten.cumsum"):
        compiled(bad, *edges)
    bad[edges[0][0, 3]] = TABLE
    refusal = rf"^nodes: expected .* in \[0, {TABLE}\), got {TABLE} \(PyTorch: "
    with torch.no_grad(), pytest.raises(rgnn.InputError, match=refusal):
        compiled(bad, *edges)


def test_lists_are_made_once_and_freed(monkeypatch):
    made = []
    init = Memoized.__init__
    monkeypatch.setattr(Memoized, "__init__", lambda kept, *args: made.append(kept) or init(kept, *args))
    model, compiled = build(lambda: gnn.RGCNConv(TABLE, 20, R))
    nodes, *edges = GRAPHS["awkward"]
    args = ids(nodes), *(edge.clone() for edge in edges)

    def results():
        return [found for kept in made for _, (found, _) in kept._kept.values()]

    with torch.no_grad():
        compiled(*args)
        first = results()
        compiled(*args)
        assert first and all(a is b for a, b in zip(results(), first, strict=True))
        del args, first
    assert not results()


PAIRS = {
    "features": ((16, 12), lambda count: (rows(count[0], 16), rows(count[1], 12))),
    "one width": (16, lambda count: (rows(count[0], 16), rows(count[1], 16))),
    "ids": (TABLE, lambda count: (ids(count[0]), ids(count[1], 1))),
    "all of the table": (TABLE, lambda count: (None, ids(count[1], 1))),
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("flags", [{}, {"num_bases": 3}, {"aggr": "add"}], ids=["full", "bases", "add"])
@pytest.mark.parametrize("layer", [gnn.RGCNConv, gnn.FastRGCNConv])
@pytest.mark.parametrize("kind", PAIRS)
def test_pairs(kind, layer, flags):
    """Sources and destinations are different nodes."""
    widths, features = PAIRS[kind]
    model, compiled = build(lambda: layer(widths, 20, R, **flags))
    reference = as_reference(model) if kind in ("features", "one width") else model
    with torch.no_grad():
        for graph in GRAPHS.values():
            nodes, edge_index, edge_type = graph
            if kind != "features" and kind != "one width" and not small(graph):
                continue
            # Destinations are the last third, and two more that no edge reaches.
            last = nodes - nodes // 3
            kept = edge_index[1] >= last
            bipartite = torch.stack([edge_index[0], edge_index[1] - last])[:, kept].contiguous()
            args = features((nodes, nodes // 3 + 2)), bipartite, edge_type[kept].contiguous()
            equal(compiled(*args), reference(*args))
    assert versions(compiled) == 1


def test_stack_with_ids():
    """Both layers use what is made of the edges and ids once."""

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("ids", ids(150))
            self.first, self.second = gnn.RGCNConv(TABLE, 16, R), gnn.FastRGCNConv(16, 7, R)

        def forward(self, edge_index, edge_type):
            h = self.first(self.ids, edge_index, edge_type).relu()
            return self.second(h, edge_index, edge_type).log_softmax(dim=1)

    model, compiled = build(Model)
    with torch.no_grad():
        for _, *edges in LARGE.values():
            equal(compiled(*edges), model(*edges))
            model.ids.copy_(ids(150, 5))
            equal(compiled(*edges), model(*edges))
    assert versions(compiled) == 1


# ---- HGTConv with a part of the metadata -----------------------------------------------------------------------------

NODE_TYPES = ["paper", "author", "venue", "topic"]
EDGE_TYPES = [
    ("paper", "cites", "paper"),
    ("topic", "covers", "paper"),
    ("author", "writes", "paper"),
    ("paper", "rev_writes", "author"),
    ("venue", "hosts", "paper"),
    ("paper", "about", "topic"),
]
WIDTHS = {"paper": 16, "author": 20, "venue": 33, "topic": 20}
COUNTS = {
    "some": {"paper": 9, "author": 5, "venue": 2, "topic": 4},
    "empty types": {"paper": 9, "author": 0, "venue": 3, "topic": 0},
    "one each": dict.fromkeys(NODE_TYPES, 1),
    "nothing": dict.fromkeys(NODE_TYPES, 0),
}
PARTS = {  # node types and edge types of the call
    "all": (NODE_TYPES, EDGE_TYPES),
    "no topic": (["paper", "author", "venue"], [e for e in EDGE_TYPES if "topic" not in e]),
    "no topic, two relations": (["venue", "paper", "author"], [EDGE_TYPES[3], EDGE_TYPES[0]]),
    "only papers": (["paper"], EDGE_TYPES[:1]),
    "no venue": (["topic", "author", "paper"], [e for e in EDGE_TYPES[::-1] if "venue" not in e]),
    "a type without relations": (["paper", "venue", "topic"], [EDGE_TYPES[5], EDGE_TYPES[1]]),
}


def hetero(node_types, edge_types, count):
    x = {name: rows(count[name], WIDTHS[name], i) for i, name in enumerate(node_types)}
    edge_index = {}
    for i, (source, name, target) in enumerate(edge_types):
        number = (7, 3, 12)[i % 3] if count[source] and count[target] else 0
        rng = torch.Generator().manual_seed(i)
        ends = [torch.randint(0, max(count[end], 1), (number,), generator=rng) for end in (source, target)]
        edge_index[source, name, target] = torch.stack(ends)
    return x, edge_index


@pytest.mark.sample(4)
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("heads", [1, 4])
def test_hgt_part_of_the_metadata(part, heads):
    """Against PyG with relations in the order of the metadata: in another order it mixes their weights up."""
    model, compiled = build(lambda: gnn.HGTConv(WIDTHS, 20, (NODE_TYPES, EDGE_TYPES), heads=heads))
    with torch.no_grad():
        for count in COUNTS.values():
            x, edge_index = hetero(*PARTS[part], count)
            expected = model(x, {name: edge_index[name] for name in EDGE_TYPES if name in edge_index})
            got = compiled(x, edge_index)
            assert list(got) == list(expected) and "venue" not in got
            for name in got:
                equal(got[name], expected[name])
    assert versions(compiled) == 1


def test_hgt_unknown_types_are_the_error_of_pyg():
    model, _ = build(lambda: gnn.HGTConv(WIDTHS, 20, (NODE_TYPES, EDGE_TYPES)))
    compiled = rgnn.compile(model)
    x, edge_index = hetero(NODE_TYPES, EDGE_TYPES, COUNTS["some"])
    edge_index["paper", "names", "paper"] = edge_index[EDGE_TYPES[0]]
    with torch.no_grad(), pytest.raises(KeyError):
        compiled(x, edge_index)
    x, edge_index = hetero(NODE_TYPES, EDGE_TYPES, COUNTS["some"])
    del x["author"]
    with torch.no_grad(), pytest.raises(KeyError):
        compiled(x, edge_index)


# ---- RGATConv with all its flags -------------------------------------------------------------------------------------

MODES = {
    "additive": {"mod": "additive"},
    "scaled": {"mod": "scaled"},
    "f-additive": {"mod": "f-additive"},
    "f-scaled": {"mod": "f-scaled"},
    "multiplicative": {"attention_mode": "multiplicative-self-attention", "dim": 3},
    "multiplicative-additive": {"attention_mode": "multiplicative-self-attention", "dim": 2, "mod": "additive"},
    "multiplicative-scaled": {"attention_mode": "multiplicative-self-attention", "dim": 2, "mod": "scaled"},
}


@pytest.mark.sample(5)
@pytest.mark.parametrize("how", ["across-relation", "within-relation"])
@pytest.mark.parametrize("concat", [True, False], ids=["concat", "mean"])
@pytest.mark.parametrize("mode", MODES)
def test_rgat_modes(mode, concat, how):
    edge_dim = 3 if concat else None
    flags = {"heads": 2, "concat": concat, "edge_dim": edge_dim, "attention_mechanism": how, **MODES[mode]}
    model, compiled = build(lambda: gnn.RGATConv(16, 12, R, **flags))
    with torch.no_grad():
        for nodes, *edges in GRAPHS.values():
            args = rows(nodes, 16), *edges, *([rows(len(edges[1]), 3, 9)] if edge_dim else [])
            equal(compiled(*args), model(*args))
    assert versions(compiled) == 1


def test_rgat_attention_weights():
    model, compiled = build(lambda: gnn.RGATConv(16, 12, R, heads=2))
    nodes, *edges = GRAPHS["awkward"]
    with torch.no_grad():
        out, (edge_index, alpha) = compiled(rows(nodes, 16), *edges, return_attention_weights=True)
        expected, (_, expected_alpha) = model(rows(nodes, 16), *edges, return_attention_weights=True)
    equal(out, expected)
    equal(alpha, expected_alpha)
    assert torch.equal(edge_index, edges[0])

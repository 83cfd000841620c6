"""Message passing of rgnn.dgl, beside what its words say, edge by edge; in PyTorch and compiled."""

import gc
import itertools
import weakref

import pytest
import rgnn
import rgnn.dgl as dgl
import rgnn.dgl.function as fn
import torch
from dgl_graphs import HETERO_SIZES, check_compiled, check_equal, graphs, hetero, outcome, rows, sampled
from rgnn.dgl import ops

OPERATORS = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div,
             "dot": lambda a, b: (a * b).sum(-1, keepdim=True)}  # fmt: skip
BINARY = [f"{a}_{op}_{b}" for a, b in itertools.permutations("uve", 2) for op in OPERATORS]
REDUCERS = ("sum", "mean", "max", "min")


def message_by_hand(name, number, source, target, features):
    """The message of one edge."""
    row = {"u": source, "v": target, "e": number}
    if name.startswith("copy"):
        return features[name[-1]][row[name[-1]]]
    left, op, right = name.split("_")
    return OPERATORS[op](features[left][row[left]], features[right][row[right]])


def reduce_by_hand(messages, kind):
    stacked = torch.stack(messages)
    return {"sum": lambda: stacked.sum(0), "mean": lambda: stacked.mean(0), "max": lambda: stacked.amax(0),
            "min": lambda: stacked.amin(0)}[kind]()  # fmt: skip


def update_by_hand(graph, name, kind, features):
    """What destinations get: zeros without edges."""
    pairs = list(zip(*(end.tolist() for end in graph.edges())))
    ones = {key: torch.ones(1, *rows.shape[1:]) for key, rows in features.items()}
    shape = message_by_hand(name, 0, 0, 0, ones).shape
    out = []
    for node in range(graph.num_nodes()):
        own = [message_by_hand(name, number, *pair, features) for number, pair in enumerate(pairs) if pair[1] == node]
        out.append(reduce_by_hand(own, kind) if own else torch.zeros(shape, dtype=torch.float64))
    return torch.stack(out)


def features_of(graph, shape_u=(3, 4), shape_v=(3, 4), shape_e=(3, 4)):
    own = rows(graph.num_nodes(), *shape_u), rows(graph.num_nodes(), *shape_v, seed=1)
    return {"u": own[0], "v": own[1], "e": rows(graph.num_edges(), *shape_e, seed=2)}


def run(graph, name, kind, u, v, e):
    """The same by update_all. One feature of nodes is read of sources, another of destinations."""
    with graph.local_scope():
        graph.ndata["u"], graph.ndata["v"], graph.edata["e"] = u, v, e
        fields = [name[-1]] if name.startswith("copy") else name.split("_")[::2]
        graph.update_all(getattr(fn, name)(*fields, "m"), getattr(fn, kind)("m", "out"))
        return graph.ndata["out"]


@pytest.mark.parametrize("name", ["copy_u", "copy_e", *BINARY])
def test_update_all(name):
    for kind, graph in zip(itertools.cycle(REDUCERS), graphs()):
        features = features_of(graph)
        got = outcome(lambda u, v, e, graph=graph, kind=kind: run(graph, name, kind, u, v, e), features.values(), ())
        expected = outcome(lambda u, v, e, graph=graph, kind=kind: update_by_hand(
            graph, name, kind, {"u": u, "v": v, "e": e}), features.values(), ())  # fmt: skip
        check_equal(got, expected)


@pytest.mark.parametrize("kind", REDUCERS)
def test_each_reducer_on_each_graph(kind):
    for graph in graphs():
        features = features_of(graph, (4,), (4,), (1,))
        check_equal(outcome(lambda *own, graph=graph: run(graph, "u_mul_e", kind, *own), features.values(), ()),
                    outcome(lambda u, v, e, graph=graph: update_by_hand(
                        graph, "u_mul_e", kind, {"u": u, "v": v, "e": e}), features.values(), ()))  # fmt: skip


@pytest.mark.parametrize("shapes, result", [
    (((4,), (4,)), (4,)), (((3, 4), (4,)), (3, 4)), (((4,), (3, 4)), (3, 4)), (((3, 1), (3, 4)), (3, 4)),
    (((4,), ()), (4,)), (((), ()), ()), (((2, 1, 4), (3, 1)), (2, 3, 4)),
])  # fmt: skip
def test_rows_broadcast(shapes, result):
    graph = graphs()[0]
    with graph.local_scope():
        graph.ndata["h"], graph.edata["w"] = rows(graph.num_nodes(), *shapes[0]), rows(graph.num_edges(), *shapes[1])
        graph.apply_edges(fn.u_mul_e("h", "w", "m"))
        source, _ = graph.edges()
        expected = torch.stack([graph.ndata["h"][s] * w for s, w in zip(source, graph.edata["w"])])
        assert graph.edata["m"].shape[1:] == result and torch.equal(graph.edata["m"], expected)


def test_dot_of_numbers_is_their_product():
    graph = graphs()[0]
    graph.ndata["h"] = rows(graph.num_nodes())
    graph.apply_edges(fn.u_dot_v("h", "h", "m"))
    source, target = graph.edges()
    assert torch.equal(graph.edata["m"], graph.ndata["h"][source] * graph.ndata["h"][target])


@pytest.mark.parametrize("name", ["copy_u", "u_sub_e", "u_dot_v", "e_div_v"])
def test_ops_are_the_same_on_tensors(name):
    graph = graphs()[0]
    features = features_of(graph)
    for kind in REDUCERS:
        own = [features[key] for key in (["u"] if name == "copy_u" else name.split("_")[::2])]
        got = getattr(ops, f"{name}_{kind}")(graph, *own)
        reached = graph.in_degrees() > 0
        assert torch.allclose(got[reached], update_by_hand(graph, name, kind, features)[reached])
        assert kind in ("sum", "mean") or got[~reached].isinf().all()  # as DGL has it
    graph.ndata["u"] = graph.ndata["v"] = features["u"]


def test_edge_softmax():
    for graph, by in itertools.product(graphs(), ("dst", "src")):
        logits = 50 * rows(graph.num_edges(), 2, 1)
        got = ops.edge_softmax(graph, logits, norm_by=by)
        end = graph.edges()[1 if by == "dst" else 0]
        for node in end.unique():
            assert torch.allclose(got[end == node], logits[end == node].softmax(0))
    some = torch.tensor([3, 1, 7])
    part = ops.edge_softmax(graphs()[0], rows(3, 1), eids=some)
    assert torch.allclose(part, ops.edge_softmax(dgl.edge_subgraph(graphs()[0], some), rows(3, 1)))


def test_apply_functions_see_what_was_reduced_and_what_was_there():
    graph = graphs()[0]
    graph.ndata["h"] = rows(graph.num_nodes(), 4)
    graph.update_all(fn.copy_u("h", "m"), fn.sum("m", "s"), lambda nodes: {"t": nodes.data["s"] + nodes.data["h"]})
    assert "s" not in graph.ndata
    assert torch.allclose(graph.ndata["t"], run(graph, "copy_u", "sum", graph.ndata["h"], graph.ndata["h"], rows(
        graph.num_edges())) + graph.ndata["h"])  # fmt: skip
    graph.apply_nodes(lambda nodes: {"t": nodes.data["h"] * 0}, v=torch.tensor([1, 2]))
    assert not graph.ndata["t"][1:3].any() and graph.ndata["t"][0].any()
    graph.apply_edges(lambda edges: {"k": torch.stack(edges.edges()[:2], 1)}, edges=[0, 4])
    assert torch.equal(graph.edata["k"][4], torch.stack(graph.find_edges(4), 1)[0]) and not graph.edata["k"][1].any()


def test_pull_push_and_send_change_some_nodes():
    graph = graphs()[0]
    graph.ndata["h"], graph.ndata["o"] = rows(graph.num_nodes(), 4), torch.full((graph.num_nodes(), 4), 7.0).double()
    whole = run(graph, "copy_u", "max", graph.ndata["h"], graph.ndata["h"], rows(graph.num_edges()))
    functions = fn.copy_u("h", "m"), fn.max("m", "o")
    nodes = torch.tensor([2, 8])  # the last has no edges
    graph.pull(nodes, *functions)
    assert torch.equal(graph.ndata["o"][nodes], whole[nodes]) and (graph.ndata["o"][[0, 1]] == 7).all()
    reached = graph.out_edges(3)[1].unique()
    graph.ndata["o"] = torch.full_like(whole, 7)
    graph.push(3, *functions)
    assert (graph.ndata["o"][reached] == graph.ndata["h"][3]).all() and (graph.ndata["o"] == 7).all(1).sum() == 9 - len(
        reached)  # fmt: skip
    graph.send_and_recv(([], []), *functions)
    graph.send_and_recv(graph.edges(form="eid"), *functions)
    assert torch.equal(graph.ndata["o"][:8][graph.in_degrees()[:8] > 0], whole[:8][graph.in_degrees()[:8] > 0])


class Levels(torch.nn.Module):
    """As models of trees are: each level gets what the one below has, and leaves have no messages."""

    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(4, 4).double()

    def forward(self, graph, x, leaves, inner):
        with graph.local_scope():
            graph.ndata["iou"] = self.lin(x)
            for nodes in (leaves, inner):
                graph.pull(nodes, lambda edges: {"m": edges.src["h"] if "h" in edges.src else edges.src["iou"]},
                           lambda nodes: {"iou": nodes.mailbox["m"].sum(1)},
                           lambda nodes: {"h": nodes.data["iou"].tanh()})  # fmt: skip
            return graph.ndata["h"]


def test_nodes_without_messages_keep_what_they_have():
    """Where no message comes to any node that is asked for, the function of mailboxes is not called, as in DGL."""
    model, calls = Levels(), []
    for source, target, leaves in (([0, 1], [2, 2], [0, 1]), ([0, 1, 4], [2, 3, 3], [0, 1, 4]), ([], [], [0, 1, 2])):
        graph = dgl.graph((torch.tensor(source, dtype=torch.long), torch.tensor(target, dtype=torch.long)), num_nodes=5)
        inner = torch.tensor(sorted({*target}) or [3])
        x = rows(5, 4)
        calls.append((graph, (x, torch.tensor(leaves), inner)))
        expected = torch.zeros(5, 4).double()
        expected[leaves] = model.lin(x)[leaves].tanh()
        for node in inner.tolist():
            below = [a for a, b in zip(source, target) if b == node]
            expected[node] = (expected[below].sum(0) if below else model.lin(x)[node]).tanh()
        torch.testing.assert_close(model(*[calls[-1][0], *calls[-1][1]]), expected)
    check_compiled(model, calls)


# ---- several edge types ----------------------------------------------------------------------------------------------


def multi(graph, cross, kind, user, game):
    with graph.local_scope():
        graph.nodes["user"].data["h"], graph.nodes["game"].data["h"] = user, game
        reduce = getattr(fn, kind)("m", "out")
        graph.multi_update_all({etype: (fn.copy_u("h", "m"), reduce) for etype in (
            "played-by", ("user", "follows", "user"), "plays", "buys")}, cross)  # fmt: skip
        return dict(graph.ndata["out"])


JOINS = {"sum": lambda parts: sum(parts), "mean": lambda parts: sum(parts) / len(parts),
         "max": lambda parts: torch.stack(parts).amax(0), "min": lambda parts: torch.stack(parts).amin(0),
         "stack": lambda parts: torch.stack(parts, 1)}  # fmt: skip


@pytest.mark.parametrize("cross", JOINS)
def test_multi_update_all(cross):
    graph = hetero(7, 5)
    for kind in ("sum", "mean"):
        user, game = rows(7, 4), rows(5, 4)
        own = {"user": user, "game": game}
        expected = {}
        for number, (source, name, target) in enumerate(graph.canonical_etypes):
            part = dgl.heterograph({("s", "e", "t"): graph.edges(etype=name)}, {
                "s": graph.num_nodes(source), "t": graph.num_nodes(target)})  # fmt: skip
            made = getattr(ops, f"copy_u_{kind}")(part, own[source])
            expected.setdefault(target, []).append((number, made))
        got = multi(graph, cross, kind, user, game)
        for name, parts in expected.items():
            assert torch.allclose(got[name], JOINS[cross]([made for _, made in sorted(parts, key=lambda one: one[0])]))


def test_extremes_over_types_count_what_came():
    """A node that one type leads to, and no other, has that type's; 0 where none does."""
    graph = dgl.heterograph({("a", "x", "b"): ([0], [1]), ("a", "y", "b"): ([0], [0])}, {"a": 2, "b": 3})
    graph.nodes["a"].data["h"] = -torch.ones(2, 1)
    for cross, expected in (("max", [-1, -1, 0]), ("stack", [[0, -1], [-1, 0], [0, 0]])):
        functions = fn.copy_u("h", "m"), fn.max("m", "o")
        graph.multi_update_all({"x": functions, "y": functions}, cross)
        assert graph.nodes["b"].data["o"].squeeze(-1).tolist() == expected
    graph.update_all(*functions)
    assert graph.nodes["b"].data["o"].squeeze(-1).tolist() == [-1, -1, 0]


# ---- compiled --------------------------------------------------------------------------------------------------------


class Attention(torch.nn.Module):
    """By name throughout, with heads."""

    def __init__(self, kind="sum"):
        super().__init__()
        self.kind = kind
        self.weight = torch.nn.Parameter(rows(4, 6))

    def forward(self, graph, x, e):
        with graph.local_scope():
            graph.ndata["h"] = (x @ self.weight).view(-1, 2, 3)
            graph.edata["e"] = e
            graph.apply_edges(fn.u_dot_v("h", "h", "a"))
            graph.apply_edges(fn.e_add_v("a", "h", "b"))
            graph.edata["a"] = ops.edge_softmax(graph, graph.edata["a"]) * graph.edata["e"]
            graph.update_all(fn.u_mul_e("h", "a", "m"), getattr(fn, self.kind)("m", "out"))
            graph.update_all(fn.copy_e("b", "m"), fn.mean("m", "more"))
            degrees = graph.in_degrees().clamp(min=1).to(x.dtype).view(-1, 1, 1)
            return graph.ndata["out"] / degrees + graph.ndata["more"]


@pytest.mark.parametrize("kind", sampled(["max", "sum", "mean", "min"], 4))
def test_compiled(kind):
    check_compiled(Attention(kind), [(graph, (rows(graph.num_nodes(), 4), rows(graph.num_edges(), 2, 1)))
                                     for graph in graphs()], inference=True)  # fmt: skip


@pytest.mark.parametrize("cross, kind", sampled([
    ("max", "max"), ("stack", "sum"), ("sum", "sum"), ("mean", "mean")], 2))  # fmt: skip
def test_compiled_over_types(cross, kind):
    calls = [(hetero(*sizes), [rows(count, 4) for count in sizes]) for sizes in HETERO_SIZES]
    check_compiled(lambda graph, *own: multi(graph, cross, kind, *own), calls)


@pytest.mark.parametrize("kind", ["sum", "max"])
def test_pushes_compiled(kind):
    """Nodes that nothing is sent to keep what they have; what they have not is 0."""

    def model(graph, x):
        with graph.local_scope():
            graph.ndata["h"] = x
            graph.push(torch.arange(min(2, graph.num_nodes())), fn.copy_u("h", "m"), getattr(fn, kind)("m", "h"))
            graph.push([0], fn.copy_u("h", "m"), fn.mean("m", "more"), lambda nodes: {"more": nodes.data["more"] + 1})
            return graph.ndata["h"] + graph.ndata["more"]

    check_compiled(model, [(graph, (rows(graph.num_nodes(), 4),)) for graph in graphs()
                           if graph.num_nodes() > 2 and (graph.edges()[0] == 0).any()])  # fmt: skip


def test_what_functions_set_they_read():
    """And the graph has it, where the function is for all edges or nodes and no reduction."""
    def message(edges):
        edges.data["both"] = edges.src["h"] + edges.dst["h"]
        edges.data.update({"more": edges.data["both"] * 2})
        edges.src["h"] = edges.src["h"] * 0
        return {"m": edges.data["more"] - edges.data["both"]}

    def reduce(nodes):
        nodes.data["own"] = nodes.mailbox["m"].sum(1)
        return {"out": nodes.data["own"] + 1}

    def apply(nodes):
        nodes.data["h"] = nodes.data["h"] + nodes.data["out"]
        return {}

    def some(edges):
        edges.data["both"] = edges.data["both"] * 3
        return {"first": edges.data["both"]}

    def model(graph, x):
        with graph.local_scope():
            graph.ndata["h"] = x
            graph.update_all(message, reduce)
            graph.apply_nodes(apply)
            graph.apply_edges(some, [0])
            assert "own" not in graph.ndata and "first" in graph.edata
            return graph.ndata["h"], graph.edata["both"], graph.edata["first"]

    graph = graphs()[0]
    x = rows(graph.num_nodes(), 4)
    source, target = graph.edges()
    both = x[source] + x[target]
    summed = torch.zeros_like(x).index_add(0, target, both + 1 / graph.in_degrees()[target].unsqueeze(1))
    h, got, first = model(graph, x)
    assert torch.allclose(h, x + summed) and torch.equal(got, both) and torch.equal(first[0], both[0] * 3)
    assert "both" not in graph.edata
    check_compiled(model, [(graph, (rows(graph.num_nodes(), 4),)) for graph in graphs() if graph.num_edges()])


def test_features_stay_where_no_scope_ends():
    """A compiled call sets the features that the call in PyTorch sets."""

    @rgnn.compile
    def model(graph, x):
        graph.ndata["h"] = x * 2
        graph.update_all(fn.copy_u("h", "m"), fn.sum("m", "out"))
        return graph.ndata["out"]

    for graph in graphs()[:3]:
        x = rows(graph.num_nodes(), 4)
        out = model(graph, x)
        assert torch.equal(graph.ndata["h"], x * 2) and graph.ndata["out"] is out


def test_graphs_are_not_kept():
    """A compiled model keeps neither the graphs of its calls nor their features."""
    model = rgnn.compile(lambda graph, x: ops.copy_u_sum(graph, x), fullgraph=True)
    graph = graphs()[0]
    graph.ndata["h"] = rows(9, 4)
    model(graph, rows(9, 4))
    alive = weakref.ref(graph), weakref.ref(graph.ndata["h"])
    del graph
    gc.collect()
    assert not any(one() is not None for one in alive)


# ---- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call, message", [
    (lambda g: g.update_all(fn.copy_u("nope", "m"), fn.sum("m", "o")), "of type '_N', of 'h', got 'nope'"),
    (lambda g: g.update_all(fn.copy_u("h", "m"), fn.sum("n", "o")), "expected a reduction of 'm', which copy_u"),
    (lambda g: g.update_all(lambda edges: {"k": edges.src["h"]}, fn.sum("m", "o")), "of the messages 'k', got 'm'"),
    (lambda g: g.update_all(lambda edges: {"m": edges.src["x"]}, fn.sum("m", "o")), "of 'h', got 'x'"),
    (lambda g: g.update_all(lambda edges: edges.src["h"], fn.sum("m", "o")), "expected a dictionary of features by"),
    (lambda g: g.apply_edges(fn.sum("m", "o")), "got the reduction sum"),
    (lambda g: g.apply_edges(fn.u_mul_e("h", "w", "m"), etype="likes"), "got 'likes'"),
    (lambda g: g.apply_edges(fn.u_mul_e("h", "w", "m")), r"mul: expected rows that broadcast, got \[4\] and \[3\]"),
    (lambda g: ops.edge_softmax(g, rows(2)), "logits: expected 25 rows, one for each edge, got Tensor of torch"),
    (lambda g: ops.u_mul_e(g, rows(4), rows(25)), "u: expected 9 rows"),
    (lambda g: g.multi_update_all({"_E": fn.copy_u("h", "m")}, "sum"), "expected .message, reduction. or"),
    (lambda g: hetero(3, 2).multi_update_all({}, "product"), None),
])  # fmt: skip
def test_errors(call, message):
    graph = graphs()[0]
    graph.ndata["h"], graph.edata["w"] = rows(9, 4), rows(25, 3)
    if message is None:
        call(graph)
        return
    with pytest.raises(dgl.DGLError, match=message):
        call(graph)


def test_errors_over_types():
    graph = hetero(7, 5)
    graph.nodes["user"].data["h"] = rows(7, 4)
    functions = fn.copy_u("h", "m"), fn.sum("m", "o")
    with pytest.raises(dgl.DGLError, match="cross_reducer: expected a function or one of sum, mean, max, min, stack"):
        graph.multi_update_all({"plays": functions, "buys": functions}, "product")
    with pytest.raises(dgl.DGLError, match="expected an edge type .etype=., since there are 4"):
        graph.update_all(lambda edges: {"m": edges.src["h"]}, fn.sum("m", "o"))
    with pytest.raises(dgl.DGLError, match="expected sum, max or min over several edge types, got mean"):
        graph.update_all(fn.copy_u("h", "m"), fn.mean("m", "o"))
    with pytest.raises(dgl.DGLError, match="an edge type that has 'x' of u, got a graph without one"):
        graph.update_all(fn.copy_u("x", "m"), fn.sum("m", "o"))

"""The layers of rgnn.dgl beside what they compute, written out; compiled; and over several types and batches."""

import pytest
import rgnn
import rgnn.dgl as dgl
import rgnn.dgl.nn as dglnn
import torch
from dgl_graphs import HETERO_SIZES, check_compiled, check_equal, graphs, hetero, outcome, rows, sampled
from dgl_layers import CASES
from torch import nn

F64 = torch.float64


def build(name, package=dglnn):
    torch.manual_seed(0)
    return CASES[name].make(package).to(F64).eval()


def call_of(name, graph):
    """What a layer is called with behind the graph."""
    rng = torch.Generator().manual_seed(graph.num_nodes() + graph.num_edges())
    return rows(graph.num_nodes(), 6), *CASES[name].more(graph.num_nodes(), graph.num_edges(), rng)


@pytest.mark.parametrize("name", CASES)
def test_layers(name):
    """Results and gradients, of inputs and of parameters."""
    model = build(name)
    for graph in graphs([(9, 25), (9, 9), (1, 3), (3, 0)]):
        args = call_of(name, graph)
        tensors = [arg for arg in args if arg is not None]
        places = [None if arg is None else next(i for i, own in enumerate(tensors) if own is arg) for arg in args]

        def run(call, *own, places=places):
            return call(*(None if place is None else own[place] for place in places))

        ends = graph.num_nodes(), *graph.edges()
        got = outcome(lambda *own, graph=graph: run(lambda *a: model(graph, *a), *own), tensors, model.parameters())
        expected = outcome(lambda *own, ends=ends: run(lambda *a: CASES[name].twin(model, *ends, *a), *own), tensors,
                           model.parameters())  # fmt: skip
        check_equal(got, expected)


COMPILED = [name for name in CASES if "lstm" not in name]  # which takes a tensor of messages


@pytest.mark.parametrize("name", sampled(COMPILED, 15))
def test_layers_compiled(name):
    model = build(name)
    gated = name.startswith("GatedGraph")  # PyTorch's GRU asks whether there is one row
    calls = [(graph, [arg for arg in call_of(name, graph) if arg is not None]) for graph in graphs()
             if not gated or graph.num_nodes() > 1]  # fmt: skip
    check_compiled(_WithoutNone(model) if name == "GraphConv wider" else model, calls)


class _WithoutNone(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, graph, x, weight):
        return self.model(graph, x, None, weight)


@pytest.mark.parametrize("make", [
    lambda: dglnn.GraphConv(6, 4), lambda: dglnn.GATConv(6, 4, 2), lambda: dglnn.GATv2Conv(6, 4, 2),
    lambda: dglnn.EdgeConv(6, 4), lambda: dglnn.SGConv(6, 4), lambda: dglnn.DotGatConv(6, 4, 2),
])  # fmt: skip
def test_nodes_without_edges_are_refused(make):
    model = make().double()
    with pytest.raises(dgl.DGLError, match="got one with nodes of in-degree 0.*rgnn.dgl.add_self_loop"):
        model(graphs()[0], rows(9, 6))
    model(dgl.add_self_loop(graphs()[0]), rows(9, 6))
    model.set_allow_zero_in_degree(True)
    model(graphs()[0], rows(9, 6))


def test_nodes_without_edges_are_refused_in_compiled_calls():
    model = rgnn.compile(dglnn.GraphConv(6, 4).double(), fullgraph=True)
    model(dgl.add_self_loop(graphs()[0]), rows(9, 6))
    with pytest.raises(dgl.DGLError, match="got one with nodes of in-degree 0"):
        model(graphs()[0], rows(9, 6))


@pytest.mark.parametrize("make, args, message", [
    (lambda: dglnn.GraphConv(6, 4), (rows(8, 6),), "feat: expected 9 rows, one for each of the sources, got Tensor of"),
    (lambda: dglnn.GraphConv(6, 4), (rows(9, 5),), "feat: expected rows of 6 numbers for sources, got Tensor .*9, 5."),
    (lambda: dglnn.GraphConv(6, 4), (rows(9, 6), rows(6, 4)), "weight: expected none, since the layer has its own"),
    (lambda: dglnn.GATConv((6, 3), 4, 2), ((rows(9, 6), rows(9, 4)),), "expected rows of 3 numbers for destinations"),
    (lambda: dglnn.GraphConv(6, 4, norm="half"), None, "norm: expected one of none, both, right, left, got 'half'"),
    (lambda: dglnn.SAGEConv(6, 4, "median"), None, "aggregator_type: expected one of mean, gcn, pool, lstm, got"),
    (lambda: dglnn.GINConv(None, "median"), None, "aggregator_type: expected one of sum, mean, max, got 'median'"),
    (lambda: dglnn.HeteroGraphConv({}, "median"), None, "aggregate: expected a function or one of sum, mean, max, min"),
    (lambda: dglnn.RelGraphConv(6, 4, 3), (rows(9, 6), torch.zeros(7).long()), "idx_b: expected 25 numbers"),
    (lambda: dglnn.TAGConv(6, 4), None, None),
])  # fmt: skip
def test_errors(make, args, message):
    if message is None:
        with pytest.raises(dgl.DGLError, match="TAGConv: expected a graph with one type"):
            make()(hetero(3, 2), rows(3, 6))
        return
    with pytest.raises(dgl.DGLError, match=message):
        model = make().double()
        model(graphs()[0] if isinstance(model, dglnn.RelGraphConv) else dgl.add_self_loop(graphs()[0]), *args)


def test_basis_needs_a_number():
    with pytest.raises(ValueError, match="num_bases: expected a number for basis, got None"):
        dglnn.TypedLinear(4, 4, 3, "basis")
    with pytest.raises(ValueError, match="expected sizes that num_bases, 3, divides, got 4 and 6"):
        dglnn.TypedLinear(4, 6, 3, "bdd", 3)


# ---- blocks ----------------------------------------------------------------------------------------------------------


class Sampled(nn.Module):
    """Two layers over blocks, as mini-batch programs for DGL have them."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([dglnn.SAGEConv(6, 8, "mean"), dglnn.GATConv(8, 4, 2, **_REACHED)]).double()

    def forward(self, blocks, x):
        for layer, block in zip(self.layers, blocks):
            x = layer(block, x).relu()
        return x.flatten(1)


_REACHED = {"allow_zero_in_degree": True}


def block(sources, targets, edges, seed=0):
    rng = torch.Generator().manual_seed(seed)
    ends = [torch.randint(0, most, (edges,), generator=rng) for most in (sources, targets)]
    return dgl.create_block(tuple(ends), num_src_nodes=sources, num_dst_nodes=targets)


def test_blocks():
    model, calls = Sampled().eval(), []
    for first, second, third, edges in [(12, 7, 3, 20), (8, 8, 8, 8), (5, 1, 1, 1), (4, 3, 2, 0)]:
        blocks = [block(first, second, edges), block(second, third, edges, seed=1)]
        x = rows(first, 6)
        whole = x
        for layer, one in zip(model.layers, blocks):  # the same on a graph whose nodes are all sources
            graph = dgl.graph(one.edges(), num_nodes=one.num_src_nodes())
            whole = layer(graph, whole)[: one.num_dst_nodes()].relu()
        assert torch.allclose(model(blocks, x), whole.flatten(1))
        calls.append((blocks, (x,)))
    check_compiled(model, calls)


# ---- several types ---------------------------------------------------------------------------------------------------


class Hetero(nn.Module):
    def __init__(self, aggregate):
        super().__init__()
        layers = {"follows": dglnn.GraphConv(4, 5), "buys": dglnn.GraphConv(4, 5, norm="right"),
                  "plays": dglnn.SAGEConv((4, 3), 5, "pool"),
                  "played-by": dglnn.SAGEConv((3, 4), 5, "mean")}  # fmt: skip
        self.conv = dglnn.HeteroGraphConv(layers, aggregate).double()
        self.linear = dglnn.HeteroLinear({"user": 5, "game": 5}, 2).double()
        self.aggregate = aggregate

    def forward(self, graph, user, game):
        made = self.conv(graph, {"user": user, "game": game})
        return made if self.aggregate == "stack" else self.linear(made)


@pytest.mark.parametrize("aggregate", ["sum", "max", "min", "mean", "stack"])
def test_hetero_graph_conv(aggregate):
    model = Hetero(aggregate)
    graph, (user, game) = hetero(7, 5), (rows(7, 4), rows(5, 3))
    conv, own = model.conv.mods, {"user": user, "game": game}
    made = {name: conv[name](graph[name], (own[source], own[target]))
            for source, name, target in graph.canonical_etypes}  # fmt: skip
    parts = {"user": [made["played-by"], made["follows"]], "game": [made["buys"], made["plays"]]}
    join = {"sum": lambda p: p.sum(0), "max": lambda p: p.amax(0), "min": lambda p: p.amin(0),
            "mean": lambda p: p.mean(0), "stack": lambda p: p.transpose(0, 1)}[aggregate]  # fmt: skip
    got = model.conv(graph, own)
    assert set(got) == set(parts)
    for name, found in parts.items():
        assert torch.allclose(got[name], join(torch.stack(found)))
    assert set(model.conv(graph, ({"game": game}, {"user": user}))) == {"user"}


@pytest.mark.parametrize("aggregate", sampled(["sum", "max", "stack", "mean"], 4))
def test_hetero_graph_conv_compiled(aggregate):
    check_compiled(Hetero(aggregate), [(hetero(*sizes), (rows(sizes[0], 4), rows(sizes[1], 3)))
                                       for sizes in HETERO_SIZES])  # fmt: skip


class EntityRGCN(nn.Module):
    """RGCN over several types as DGL's examples write it: a convolution without a weight for each edge type."""

    def __init__(self, names):
        super().__init__()
        self.names = names
        layers = {name: dglnn.GraphConv(4, 4, norm="right", weight=False, bias=False) for name in names}
        self.conv = dglnn.HeteroGraphConv(layers).double()
        self.basis = dglnn.WeightBasis((4, 4), 2, len(names)).double()
        self.loop = nn.Parameter(rows(4, 4))

    def forward(self, g, user, game):
        g = g.local_var()
        inputs = {"user": user, "game": game}
        parts = self.basis().split(1)
        weights = {name: {"weight": weight.squeeze(0)} for name, weight in zip(self.names, parts)}
        hidden = self.conv(g, inputs, mod_kwargs=weights)
        return dgl.apply_each({name: made + inputs[name] @ self.loop for name, made in hidden.items()}, torch.relu)


def test_rgcn_of_examples():
    model = EntityRGCN(["follows", "plays", "played-by", "buys"])
    graph, weights = hetero(7, 5), dict(zip(model.names, model.basis()))
    own = {"user": rows(7, 4), "game": rows(5, 4)}
    expected = {name: own[name] @ model.loop for name in own}
    for source, name, target in graph.canonical_etypes:
        s, t = graph.edges(etype=name)
        degrees = graph.in_degrees(etype=name).clamp(min=1).double()[:, None]
        sums = torch.zeros_like(own[target]).index_add(0, t, (own[source] @ weights[name])[s])
        expected[target] = expected[target] + sums / degrees
    got = model(graph, *own.values())
    assert all(torch.allclose(got[name], expected[name].relu()) for name in own)
    check_compiled(model, [(hetero(*sizes), [rows(count, 4) for count in sizes]) for sizes in HETERO_SIZES[:4]])


# ---- rows of graphs --------------------------------------------------------------------------------------------------


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = dglnn.GINConv(nn.Linear(6, 4)).double()
        self.gate = dglnn.GlobalAttentionPooling(nn.Linear(4, 1)).double()
        self.pools = nn.ModuleList([dglnn.SumPooling(), dglnn.AvgPooling(), dglnn.MaxPooling()])
        self.sum = dglnn.WeightAndSum(4).double()

    def forward(self, graph, x):
        x = self.conv(graph, x).tanh()
        out = torch.cat([self.gate(graph, x), self.sum(graph, x), *(pool(graph, x) for pool in self.pools)], 1)
        return x * dgl.broadcast_nodes(graph, out[:, :4]), out


def pooled_by_hand(model, graph, x):
    x = model.conv(graph, x).tanh()
    out = []
    for part in x.split(graph.batch_num_nodes().tolist()):
        none = torch.zeros(4, dtype=F64)
        gate = model.gate.gate_nn(part).softmax(0) if len(part) else part[:, :1]
        out.append(torch.cat([(gate * part).sum(0), (model.sum.atom_weighting(part) * part).sum(0), part.sum(0),
                              part.mean(0) if len(part) else none, part.amax(0) if len(part) else none]))  # fmt: skip
    out = torch.stack(out)
    return x * torch.repeat_interleave(out[:, :4], graph.batch_num_nodes(), 0), out


BATCHES = [[(9, 25), (3, 0), (6, 14), (0, 0)], [(4, 4), (4, 4)], [(1, 3)], [(3, 1), (9, 9), (2, 2), (2, 5), (1, 0)]]


def test_rows_of_graphs():
    model, calls = Pooled(), []
    for sizes in BATCHES:
        graph = dgl.batch(graphs(sizes))
        x = rows(graph.num_nodes(), 6)
        got, expected = (outcome(lambda x, call=call, graph=graph: call(graph, x), (x,), model.parameters())
                         for call in (model, lambda graph, x: pooled_by_hand(model, graph, x)))  # fmt: skip
        check_equal(got, expected)
        calls.append((graph, (x,)))
    check_compiled(model, calls)


def test_readouts():
    graph = dgl.batch(graphs(BATCHES[0]))
    graph.ndata["h"], graph.edata["w"], graph.ndata["k"] = rows(18, 2), rows(39, 2), rows(18, 1)
    parts = graph.edata["w"].split(graph.batch_num_edges().tolist())
    assert torch.allclose(dgl.sum_edges(graph, "w"), torch.stack([part.sum(0) for part in parts]))
    assert torch.allclose(dgl.softmax_edges(graph, "w"), torch.cat([part.softmax(0) for part in parts]))
    assert torch.allclose(dgl.sum_nodes(graph, "h", "k")[0], (graph.ndata["h"] * graph.ndata["k"])[:9].sum(0))
    values, numbers = dgl.topk_nodes(graph, "h", 2, sortby=1)
    best = graph.ndata["h"][:9, 1].argsort(descending=True)[:2]
    assert numbers[0].tolist() == best.tolist() and torch.equal(values[0], graph.ndata["h"][best])
    assert not values[3].any()
    alone = graphs()[0]
    alone.ndata["h"] = rows(9, 2)
    assert torch.allclose(dgl.mean_nodes(alone, "h"), alone.ndata["h"].mean(0, keepdim=True))
    assert dgl.broadcast_nodes(alone, rows(1, 3)).shape == (9, 3)
    with pytest.raises(dgl.DGLError, match="expected a row for each of the 4 graphs, got 3"):
        dgl.broadcast_nodes(graph, rows(3, 2))
    with pytest.raises(dgl.DGLError, match="op: expected one of sum, mean, max, min, got 'prod'"):
        dgl.readout_nodes(graph, "h", op="prod")


def test_segments_and_products():
    lengths, values = torch.tensor([3, 0, 4]), rows(7, 2)
    for kind, own in (("sum", lambda p: p.sum(0)), ("max", lambda p: p.amax(0) if len(p) else p.sum(0))):
        got = dgl.ops.segment_reduce(lengths, values, kind)
        assert torch.allclose(got, torch.stack([own(part) for part in values.split([3, 0, 4])]))
    assert torch.allclose(dgl.ops.segment_softmax(lengths, values)[3:], values[3:].softmax(0))
    weight, kinds = rows(3, 2, 5), torch.tensor([0, 0, 0, 2, 2, 2, 2])
    expected = torch.stack([row @ weight[kind] for row, kind in zip(values, kinds)])
    assert torch.allclose(dgl.ops.segment_mm(values, weight, lengths), expected)
    mixed = torch.randperm(7, generator=torch.Generator().manual_seed(0))
    assert torch.allclose(dgl.ops.gather_mm(values[mixed], weight, idx_b=kinds[mixed]), expected[mixed])


# ---- graphs that a model makes ---------------------------------------------------------------------------------------


class MakesGraph(nn.Module):
    """Takes lists of edges, so that it can be saved."""

    def __init__(self):
        super().__init__()
        self.conv = dglnn.GATConv(6, 4, 2).double()

    def forward(self, source, target, x):
        graph = dgl.graph((source, target), num_nodes=x.shape[0])
        return self.conv(dgl.add_self_loop(dgl.remove_self_loop(graph)), x)


def test_graphs_that_a_model_makes(tmp_path):
    model = MakesGraph().eval()
    compiled = rgnn.compile(model, fullgraph=True)
    for graph in graphs([(9, 25), (3, 0), (6, 6)]):
        args = *graph.edges(), rows(graph.num_nodes(), 6)
        with torch.no_grad():
            assert torch.allclose(compiled(*args), model(*args))
    compiled.save(tmp_path / "model.rgnn")
    with torch.no_grad():
        assert torch.allclose(rgnn.load(tmp_path / "model.rgnn")(*args), model(*args))
    with pytest.raises(rgnn.CompileError, match="expected tensors.*got DGLGraph"):
        other = rgnn.compile(dglnn.GATConv(6, 4, 2, **_REACHED).double())
        other(graphs()[0], rows(9, 6))
        other.save(tmp_path / "other.rgnn")

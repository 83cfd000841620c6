"""rgnn.dgl beside DGL 2.1, where that is installed (benchmark/install_peers.sh; RGNN_PEERS names another folder)."""

import itertools
import pathlib
import re
import sys
import types

import pytest
import rgnn
import rgnn.dgl as own
import torch
from dgl_graphs import ends, has_reference, outcome, reference, rows, sampled
from dgl_layers import CASES
from pyg import error
from test_dgl_functions import KNOWN, OPAQUE, message
from test_dgl_messages import BINARY, REDUCERS

if not has_reference():
    pytest.skip("DGL is not installed", allow_module_level=True)

F64 = torch.float64
SIZES = [(9, 25), (9, 9), (1, 3), (3, 1)]  # without any edges DGL fails, or has numbers that no one wrote


@pytest.fixture(scope="module", autouse=True)
def dgl():
    return reference()


def both(dgl, call):
    return call(own), call(dgl)


def check(dgl, call):
    """Compares all that a call gives of each package: tensors, and what is in lists and dictionaries."""
    got, expected = (torch.utils._pytree.tree_leaves(found) for found in both(dgl, call))
    assert len(got) == len(expected)
    for one, other in zip(got, expected):
        if not isinstance(one, torch.Tensor):
            assert one == other
            continue
        assert one.dtype == other.dtype and one.shape == other.shape
        bound = 1e-10 if one.dtype == F64 else 1e-5
        assert torch.equal(one, other) if not one.is_floating_point() else error(one, other) <= bound


def graph_of(package, nodes=9, edges=25):
    return package.graph(ends(nodes, edges), num_nodes=nodes)


def hetero_of(package):
    lists = {("user", "follows", "user"): ends(7, 12), ("user", "plays", "game"): (ends(7, 9)[0], ends(5, 9)[1]),
             ("game", "played-by", "user"): (ends(5, 6)[0], ends(7, 6)[1])}  # fmt: skip
    return package.heterograph(lists, {"user": 7, "game": 5})


@pytest.mark.parametrize("name", ["copy_u", "copy_e", *BINARY])
def test_messages(dgl, name):
    for kind, sizes in itertools.product(REDUCERS, SIZES):
        fields = [name[-1]] if name.startswith("copy") else name.split("_")[::2]
        features = rows(sizes[0], 3, 4), rows(sizes[0], 3, 4, seed=1), rows(sizes[1], 3, 4, seed=2)

        def call(package, fields=fields, kind=kind, sizes=sizes, features=features):
            def run(u, v, e):
                graph, fn = graph_of(package, *sizes), package.function
                graph.ndata["u"], graph.ndata["v"], graph.edata["e"] = u, v, e
                message = getattr(fn, name)(*fields, "m")
                graph.apply_edges(message)
                graph.update_all(message, getattr(fn, kind)("m", "out"))
                return graph.edata["m"], graph.ndata["out"]

            results, gradients = outcome(run, features, ())
            return results, [one for one in gradients if one is not None]

        check(dgl, call)


@pytest.mark.parametrize("name", [*KNOWN, *OPAQUE])
def test_functions(dgl, name):
    if name == "all":
        pytest.skip("it fails in DGL as it does here")
    reduce = {**KNOWN, **OPAQUE}[name]

    def call(package):
        def run(x, w):
            graph = graph_of(package)
            graph.ndata["h"], graph.edata["w"] = x, w
            graph.update_all(message, lambda nodes: {"o": reduce(nodes)})
            return graph.ndata["o"]

        results, gradients = outcome(run, (rows(9, 4), rows(25, 1, seed=3)), ())
        return results, [one for one in gradients if one is not None and one.any()]

    check(dgl, call)


@pytest.mark.parametrize("name", CASES)
def test_layers(dgl, name):
    """The same first values from the same seed, under the same names; the same results and gradients."""
    models = {}
    for package in (own, dgl):
        torch.manual_seed(3)
        models[package] = CASES[name].make(package.nn).eval()
    (mine, theirs) = (models[package].state_dict() for package in (own, dgl))
    assert list(mine) == list(theirs) and all(torch.equal(mine[key], theirs[key]) for key in mine)
    for sizes in SIZES:
        rng = torch.Generator().manual_seed(sum(sizes))
        args = rows(sizes[0], 6), *CASES[name].more(*sizes, rng)

        def call(package, sizes=sizes, args=args):
            dtype = torch.float32 if name == "APPNPConv" else F64  # whose weights of edges are float32 in DGL
            model = models[package].to(dtype)
            x = args[0].to(dtype, copy=True).requires_grad_()
            out = model(graph_of(package, *sizes), x, *args[1:])
            loss = (out * torch.linspace(-1, 1, out.numel(), dtype=dtype).view(out.shape)).sum()
            gradients = torch.autograd.grad(loss, [x, *model.parameters()], allow_unused=True)
            return out.detach(), [one for one in gradients if one is not None and one.abs().max() > 1e-12]

        check(dgl, call)


# Of DGL's own layers, those that ask data: for weights that are not positive, for the largest type. And an LSTM over
# messages, and an operator that the compiler does not know.
PARTLY = {"SGConv weights", "TAGConv weights", "APPNPConv weights", "GCN2Conv weights", "GatedGraphConv types",
          "SAGEConv lstm", "GATConv residual", "APPNPConv"}  # fmt: skip


PLACES = {"....": "rgnn.dgl.", "...": "rgnn.dgl.nn.", "..": "rgnn.dgl.nn.pytorch.", ".": "ported_"}


@pytest.fixture(scope="module")
def ported(dgl):
    """DGL's own layers, of the text of its files with other import lines."""
    found, folder = types.SimpleNamespace(), pathlib.Path(dgl.__file__).parent / "nn/pytorch/conv"
    for path in sorted(folder.glob("*.py"), key=lambda path: path.stem != "graphconv"):
        text = path.read_text()
        for dots, package in PLACES.items():
            text = re.sub(rf"^from {re.escape(dots)}(\w*) import", lambda match, package=package: (
                f"from {(package + match[1]).rstrip('.')} import"), text, flags=re.MULTILINE)  # fmt: skip
        module = types.ModuleType(f"ported_{path.stem}")
        if path.stem in CASE_FILES:
            sys.modules[module.__name__] = module
            exec(compile(text, path, "exec"), vars(module))
            vars(found).update({name: value for name, value in vars(module).items() if isinstance(value, type)})
    return found


CASE_FILES = {name.split()[0].lower() for name in CASES}


@pytest.mark.parametrize("name", CASES)
def test_layers_of_dgl_on_graphs_of_rgnn(dgl, ported, name):
    """The text of DGL's layers, with other import lines, gives here what it gives there, and compiles whole."""
    models = []
    for package in (ported, dgl.nn):
        torch.manual_seed(3)
        models.append(CASES[name].make(package).to(torch.float32 if name == "APPNPConv" else F64).eval())
    compiles = name not in PARTLY and (name in sampled(CASES, 4))
    compiled = rgnn.compile(models[0], fullgraph=True) if compiles else models[0]
    for sizes in SIZES[:3]:
        dtype = torch.float32 if name == "APPNPConv" else F64
        rng = torch.Generator().manual_seed(sum(sizes))
        args = rows(sizes[0], 6).to(dtype), *CASES[name].more(*sizes, rng)
        expected = models[1](graph_of(dgl, *sizes), *args)
        for call in (models[0], compiled):
            assert error(call(graph_of(own, *sizes), *args), expected) <= (1e-10 if dtype == F64 else 1e-5)


@pytest.mark.parametrize("cross", ["sum", "mean", "max", "min", "stack"])
@pytest.mark.parametrize("kind", REDUCERS)
def test_several_types(dgl, kind, cross):
    def call(package):
        graph, fn = hetero_of(package), package.function
        graph.ndata["h"] = {"user": rows(7, 4), "game": rows(5, 4)}
        functions = fn.copy_u("h", "m"), getattr(fn, kind)("m", "o")
        graph.multi_update_all({etype: functions for etype in graph.etypes}, cross)
        return dict(graph.ndata["o"])

    check(dgl, call)


def test_update_all_over_types(dgl):
    def call(package):
        found = []
        for kind in ("sum", "max", "min"):
            graph, fn = hetero_of(package), package.function
            graph.ndata["h"] = {"user": rows(7, 4), "game": rows(5, 4)}
            graph.update_all(fn.copy_u("h", "m"), getattr(fn, kind)("m", "o"))
            found.append(dict(graph.ndata["o"]))
        return found

    check(dgl, call)


@pytest.mark.parametrize("aggregate", ["sum", "max", "min", "mean", "stack"])
def test_hetero_graph_conv(dgl, aggregate):
    def call(package):
        torch.manual_seed(0)
        layers = {"follows": package.nn.GraphConv(4, 5), "plays": package.nn.SAGEConv((4, 3), 5, "pool"),
                  "played-by": package.nn.GATConv((3, 4), 5, 1)}  # fmt: skip
        layers["played-by"].register_forward_hook(lambda module, args, out: out.squeeze(1))
        model = package.nn.HeteroGraphConv(layers, aggregate).to(F64)
        own_rows = {"user": rows(7, 4), "game": rows(5, 3)}
        found = model(hetero_of(package), own_rows)
        return {name: made.detach() for name, made in found.items()}, list(model.state_dict())

    check(dgl, call)


def test_weights_of_bases(dgl):
    def call(package):
        torch.manual_seed(0)
        model = package.nn.WeightBasis((3, 4), 2, 5)
        return model().detach(), list(model.state_dict())

    check(dgl, call)


QUESTIONS = {
    "types": lambda g, d: (g.ntypes, g.etypes, g.canonical_etypes, g.srctypes, g.dsttypes, g.is_homogeneous),
    "sizes": lambda g, d: (g.num_nodes(), g.num_edges(), g.num_src_nodes(), g.num_dst_nodes(), g.is_multigraph),
    "edges": lambda g, d: (g.edges(form="all"), g.edges(order="srcdst"), g.in_degrees(), g.out_degrees()),
    "ends": lambda g, d: (g.in_edges([1, 3], form="all"), g.out_edges(2), g.find_edges([4, 2])),
    "between": lambda g, d: (g.has_edges_between([0, 1], [3, 5]), g.edge_ids(*g.find_edges([4, 2]))),
    "nodes that are there": lambda g, d: (g.has_nodes([3, 20]), g.predecessors(3), g.successors(3)),
    "in_degrees of some": lambda g, d: (g.in_degrees([2, 3]), g.in_degrees(2), g.out_degrees(1)),
    "self loops": lambda g, d: d.add_self_loop(g, fill_data="mean").edges(),
    "self loops, data": lambda g, d: d.add_self_loop(g, fill_data="max").edata["w"],
    "no loops": lambda g, d: d.remove_self_loop(g).edges(), "reverse": lambda g, d: d.reverse(g).edges(),
    "both ways": lambda g, d: d.to_bidirected(g).edges(), "simple": lambda g, d: d.to_simple(g).edata["count"],
    "reverse edges": lambda g, d: (d.add_reverse_edges(g, copy_edata=True).edges(), d.add_reverse_edges(
        g, copy_edata=True).edata["w"]),
    "nodes": lambda g, d: [(p.edges(), p.ndata["_ID"], p.ndata["h"], p.edata["_ID"])
                           for p in [d.node_subgraph(g, [5, 0, 3, 8])]],
    "edge part": lambda g, d: [(p.edges(), p.ndata["_ID"], p.edata["w"]) for p in [d.edge_subgraph(g, [7, 2])]],
    "in part": lambda g, d: [(p.edges(), p.num_nodes(), p.edata["_ID"]) for p in [d.in_subgraph(g, [1, 4])]],
    "hops": lambda g, d: [(p[0].edges(), p[0].ndata["_ID"], p[1]) for p in [d.khop_in_subgraph(g, [2, 5], 1)]],
    "batch": lambda g, d: [(p.edges(), p.batch_num_nodes(), p.batch_num_edges(), p.batch_size, p.ndata["h"])
                           for p in [d.batch([g, g])]],
    "unbatch": lambda g, d: [(p.edges(), p.edata["w"]) for p in d.unbatch(d.batch([g, g]))],
    "readouts": lambda g, d: [(d.sum_nodes(p, "h"), d.mean_nodes(p, "h"), d.max_nodes(p, "h"), d.softmax_nodes(p, "h"),
                               d.sum_edges(p, "w"), d.topk_nodes(p, "h", 3, sortby=0)) for p in [d.batch([g, g])]],
    "norm": lambda g, d: d.norm_by_dst(g), "softmax": lambda g, d: d.ops.edge_softmax(g, g.edata["w"]),
    "softmax by source": lambda g, d: d.ops.edge_softmax(g, g.edata["w"], norm_by="src"),
    "softmax of some": lambda g, d: d.ops.edge_softmax(g, g.edata["w"][:6], eids=torch.arange(6)),
    "ops": lambda g, d: (d.ops.u_mul_e_sum(g, g.ndata["h"], g.edata["w"]), d.ops.copy_u_max(g, g.ndata["h"]),
                         d.ops.e_sub_v(g, g.edata["w"], g.ndata["h"])),
    "weights": lambda g, d: d.nn.EdgeWeightNorm("both")(g, g.edata["w"][:, 0].abs() + 1),
    "csr": lambda g, d: g.adj_tensors("csr"), "filter": lambda g, d: g.filter_nodes(lambda n: n.data["h"][:, 0] > 0),
}  # fmt: skip


@pytest.mark.parametrize("name", QUESTIONS)
def test_questions(dgl, name):
    def call(package):
        graph = graph_of(package)
        graph.ndata["h"], graph.edata["w"] = rows(9, 2), rows(25, 2)
        return QUESTIONS[name](graph, package)

    check(dgl, call)


HETERO_QUESTIONS = {
    "types": lambda g, d: (g.ntypes, g.canonical_etypes, g.srctypes, g.dsttypes),
    "slice": lambda g, d: [(p.ntypes, p.srctypes, p.dsttypes, p.edges()) for p in [g["plays"], g["follows"]]],
    "flat": lambda g, d: [(p.edges(), p.ndata["_TYPE"], p.edata["_TYPE"], p.ndata["_ID"], p.edata["_ID"])
                          for p in [d.to_homogeneous(g)]],
    "back": lambda g, d: [(p.canonical_etypes, p.edges(etype="plays")) for p in [
        d.to_heterogeneous(d.to_homogeneous(g), g.ntypes, g.etypes)]],
    "edge types": lambda g, d: [(p.ntypes, p.etypes) for p in [d.edge_type_subgraph(g, ["plays"])]],
    "node types": lambda g, d: [(p.ntypes, p.etypes) for p in [d.node_type_subgraph(g, ["user"])]],
    "nodes": lambda g, d: [(p.num_nodes("game"), p.edges(etype="follows")) for p in [
        d.node_subgraph(g, {"user": [0, 3, 2]})]],
    "softmax": lambda g, d: {str(key): value for key, value in d.ops.edge_softmax(g, {
        etype: rows(g.num_edges(etype), 2, 1) for etype in g.canonical_etypes}).items()},
    "block": lambda g, d: [(b.num_src_nodes("a"), b.num_dst_nodes("a"), b.srctypes, b.in_degrees(etype="x"))
                           for b in [d.create_block({("a", "x", "b"): ([0, 1], [0, 0]), ("b", "y", "b"): ([1], [0])},
                                                    {"a": 2, "b": 3}, {"a": 1, "b": 1})]],
    "sides": lambda g, d: [(p.srctypes, p.dsttypes) for p in [d.heterograph({("a", "x", "b"): ([0], [1])}, {
        "a": 2, "b": 2, "c": 3})]],
}  # fmt: skip


@pytest.mark.parametrize("name", HETERO_QUESTIONS)
def test_questions_of_several_types(dgl, name):
    check(dgl, lambda package: HETERO_QUESTIONS[name](hetero_of(package), package))

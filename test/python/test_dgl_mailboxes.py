"""Functions of mailboxes: what is made for all nodes at once is what they give for the nodes of each degree."""

import pytest
import rgnn
import rgnn.dgl as dgl
import rgnn.dgl.function as fn
import torch
import torch.nn.functional as F
from pyg import error
from rgnn.dgl import buckets, mailbox

WIDTH = 4
inf = float("inf")
GRAPHS = {
    "star": ([0, 1, 3, 3, 1], [2, 2, 2, 0, 0], 5),
    "cycle": ([0, 1, 2], [1, 2, 0], 3),  # as many edges as nodes
    "loops": ([0, 1, 2, 2], [0, 1, 2, 1], 3),
}
FUNCTIONS = {
    "normalised over messages": lambda m, n: F.normalize(m, dim=1).sum(1),
    "normalised by default": lambda m, n: F.normalize(m).sum(1),
    "normalised features": lambda m, n: F.normalize(m, dim=-1).sum(1),
    "normalised heads": lambda m, n: F.normalize(m.view(m.shape[0], m.shape[1], 2, 2), dim=2).sum(1),
    "gated": lambda m, n: F.glu(m, dim=2).sum(1),
    "matrices of nodes": lambda m, n: torch.matmul(m, n.data["h"].unsqueeze(-1)).squeeze(-1).sum(1),
    "a vector for all": lambda m, n: (m @ torch.ones(WIDTH)).sum(1),
    "cosine": lambda m, n: F.cosine_similarity(m, n.data["h"].unsqueeze(1), dim=-1).sum(1),
    "counted": lambda m, n: (m > 0).sum(1),
    "sum of int32": lambda m, n: (m * 3).int().sum(1),
    "masked": lambda m, n: m.masked_fill(m < 9, -inf).max(1)[0],
    "masked, least": lambda m, n: m.masked_fill(m < 9, inf).amin(1),
    "log of softmax": lambda m, n: (500 * m).log_softmax(1).sum(1),
    "spread of features": lambda m, n: m.var(-1, False).sum(1),
    "spread by name": lambda m, n: m.std(dim=2, unbiased=False).sum(1),
    "attention": lambda m, n: (m.softmax(1) * m).sum(1) + n.data["h"],
}


def run(graph, reduce):
    graph.update_all(fn.copy_u("h", "m"), lambda nodes: {"out": reduce(nodes.mailbox["m"], nodes)})
    return graph.ndata["out"]


@pytest.mark.usefixtures("float64")
@pytest.mark.filterwarnings("ignore:rgnn")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_like_degrees(name, monkeypatch):
    def refuse(*args):
        raise mailbox.OpaqueError("this test compares")

    for source, target, nodes in GRAPHS.values():
        graph = dgl.graph((torch.tensor(source), torch.tensor(target)), num_nodes=nodes)
        graph.ndata["h"] = torch.randn(nodes, WIDTH)
        got = run(graph, FUNCTIONS[name])
        with monkeypatch.context() as patched:
            patched.setattr(buckets, "_reduce_at_once", refuse)
            expected = run(graph, FUNCTIONS[name])
        assert got.dtype == expected.dtype
        assert error(got, expected) <= 1e-12


@pytest.mark.usefixtures("float64")
@pytest.mark.filterwarnings("ignore:rgnn")
@pytest.mark.parametrize("name", ["masked", "log of softmax", "normalised features", "spread by name"])
def test_compiled(name):
    """Values that are compiled, and infinite ones."""

    def model(graph, h):
        with graph.local_scope():
            graph.ndata["h"] = h
            return run(graph, FUNCTIONS[name])

    compiled = rgnn.compile(model, fullgraph=name != "spread by name")
    for source, target, nodes in GRAPHS.values():
        graph, h = dgl.graph((torch.tensor(source), torch.tensor(target)), num_nodes=nodes), torch.randn(nodes, WIDTH)
        assert error(compiled(graph, h), model(graph, h)) <= 1e-12


def test_wrong():
    graph = dgl.graph((torch.tensor([0, 1]), torch.tensor([1, 2])), num_nodes=3)
    graph.ndata["h"] = torch.randn(3, WIDTH)
    with pytest.raises(KeyError, match="expected a feature of messages, of 'm', got 'mm'"):
        graph.update_all(fn.copy_u("h", "m"), lambda nodes: {"out": nodes.mailbox["mm"].sum(1)})
    with pytest.raises(dgl.DGLError, match="copy_src is not in rgnn.dgl: use copy_u"):
        fn.copy_src("h", "m")
    with pytest.raises(dgl.DGLError, match=r"expected rgnn.dgl.graph\(\(src, dst\)"):
        dgl.DGLGraph()
    both = dgl.heterograph({("u", "a", "v"): ([0], [1]), ("u", "b", "v"): ([1], [0])})
    layers = {"a": dgl.nn.GATConv(4, 5, 1, allow_zero_in_degree=True), "b": dgl.nn.SAGEConv(4, 5, "mean")}
    with pytest.raises(dgl.DGLError, match=r"'v': expected rows of one shape by all edge types, got \(1, 5\), \(5,\)"):
        dgl.nn.HeteroGraphConv(layers, "sum")(both, {"u": torch.randn(2, 4), "v": torch.randn(2, 4)})


def test_layers_are_of_one_graph():
    """A list of edges that PyTorch reads too, for the counts of messages, is one graph to all layers: nothing is stored
    for each edge between the kernels of a layer."""
    graph = dgl.graph((torch.randint(50, (400,)), torch.randint(50, (400,))), num_nodes=50)

    def layers(graph, x, weights):
        with graph.local_scope():
            for weight in weights:
                graph.ndata["h"] = x @ weight
                graph.update_all(fn.copy_u("h", "m"), lambda nodes: {"h": nodes.mailbox["m"].sum(1)})
                x = graph.ndata["h"]
            return x

    x, weights = torch.randn(50, 8), [torch.randn(8, 8) for _ in range(3)]
    found = rgnn.explain(layers, graph, x, weights)
    assert not found.fallbacks and found.ir["rgnn"].count("rgnn.coo_graph") == 1
    assert error(rgnn.compile(layers, fullgraph=True)(graph, x, weights), layers(graph, x, weights)) <= 1e-5


def test_an_end_that_is_taken_twice():
    """Read and added to by the same row of a list of edges, rows go back to where they came from."""

    def model(x, edge_index):
        return torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[1]] * 2)

    x, edge_index = torch.randn(5, 8), torch.randint(5, (2, 9))
    text = rgnn.explain(model, x, edge_index).ir["rgnn"]
    assert " ".join(text.split()).count("rgnn.gather dst") == 1 and "src" not in text
    assert error(rgnn.compile(model, fullgraph=True)(x, edge_index), model(x, edge_index)) <= 1e-6

"""Simple-HGN, GaAN and C-GAT in the language: against PyTorch, saved and loaded."""

import warnings

import pytest
import rgnn
import torch
from lang_checks import R, check, close, graph_of, tensor
from lang_models import cgat, cgat_twin, gaan, gaan_twin, simple_hgn, simple_hgn_twin
from torch import nn


def of_simple_hgn(heads, width):
    return lambda nodes, edges: {
        "h": tensor(nodes, 4), "before": tensor(edges, heads), "w": tensor(4, heads * width), "kinds": tensor(R, 3),
        "u": tensor(3, heads * 2), "left": tensor(heads, width), "right": tensor(heads, width, seed=1),
        "own": tensor(heads, 2), "residual": tensor(4, heads * width, seed=2), "beta": 0.1}  # fmt: skip


def of_gaan(heads, width):
    return lambda nodes, edges: {
        "h": tensor(nodes, 4), **{name: tensor(4, heads * width, seed=seed) for seed, name in enumerate("qkv")},
        "pool": tensor(4, 3), "gate": tensor(4 + 3 + 4, heads), "out": tensor(4 + heads * width, 5), "heads": heads}


@pytest.mark.parametrize("heads, width", [(1, 4), (2, 3)])
def test_simple_hgn(heads, width):
    check(simple_hgn, simple_hgn_twin, of_simple_hgn(heads, width))


@pytest.mark.parametrize("heads, width", [(1, 4), (2, 3)])
def test_gaan(heads, width):
    check(gaan, gaan_twin, of_gaan(heads, width))


def of_cgat(width, scores):
    return lambda nodes, edges: {"h": tensor(nodes, 4), "w": tensor(4, width), "a": tensor(2 * width, scores)}


@pytest.mark.parametrize("width, scores", [(3, 1), (4, 4)])
def test_cgat(width, scores):
    check(cgat, cgat_twin, of_cgat(width, scores))


@rgnn.function
def pairs_of_outgoing(g, x: rgnn.Edge, y: rgnn.Edge, h: rgnn.Node):
    """Of the other edge, by its ends, and what one edge has as often as it has others."""
    for n in g.src_nodes():
        for e in n.outgoing_edges():
            for f in n.outgoing_edges():
                e["s"] += rgnn.lang.relu(e["x"] - f["y"])
                f["t"] += rgnn.lang.relu(f.dst["h"] - e["x"])
                e["u"] += rgnn.lang.relu(n["h"] - f["x"])
                f["v"] += e["x"] * 2 + n["h"]
                e["w"] += e["y"]
    return g.edata["s"], g.edata["t"], g.edata["u"], g.edata["v"], g.edata["w"]


def pairs_twin(graph, x, y, h):
    src, dst = graph.edge_index
    meets = (src.unsqueeze(1) == src).to(x.dtype).unsqueeze(-1)  # [e, f]
    return ((x.unsqueeze(1) - y).relu() * meets).sum(1), ((h[dst] - x.unsqueeze(1)).relu() * meets).sum(0), \
        ((h[src] - x).relu().unsqueeze(0) * meets).sum(1), \
        ((x * 2 + h[src]).unsqueeze(1) * meets).sum(0), y * meets.sum(1)


def test_pairs_of_edges():
    check(pairs_of_outgoing, pairs_twin, lambda nodes, edges: {"x": tensor(edges, 3), "y": tensor(edges, 3, seed=1),
                                                              "h": tensor(nodes, 3)})  # fmt: skip


@rgnn.function
def products_of_pairs(g, x: rgnn.Edge):
    for n in g.dst_nodes():
        for e in n.incoming_edges():
            for f in n.incoming_edges():
                e["s"] += e["x"] * f["x"]
                n["t"] += rgnn.lang.relu(e["x"] - f["x"])
    return g.edata["s"], g.ndata["t"]


def test_pairs_that_have_no_kernel():
    """PyTorch computes them, and the warning names the line; within a model too."""
    graph, x = graph_of(6, 14), tensor(14, 2)
    dst = graph.edge_index[1]
    meets = (dst.unsqueeze(1) == dst).to(x.dtype).unsqueeze(-1)
    pairs = ((x.unsqueeze(1) - x).relu() * meets).sum(1)
    expected = (x.unsqueeze(1) * x * meets).sum(1), torch.zeros(6, 2, dtype=x.dtype).index_add(0, dst, pairs)
    with pytest.warns(UserWarning, match=r"test_lang_attention.py:\d+: expected a sum of max\(x\[e\] - y\[f\], 0\)"):
        got = products_of_pairs(graph, x)
    within = rgnn.compile(lambda edge_index, x: products_of_pairs(edge_index, x.sinh()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        of_model = within(graph.edge_index, x.asinh())
    for one, other, third in zip(got, expected, of_model, strict=True):
        close(one, other, "alone")
        close(third, other[: len(third)], "within a model")  # whose graph has as many nodes as edges name


class Model(nn.Module):
    """A function's weights as parameters."""

    def __init__(self, function, arguments):
        super().__init__()
        self.function = function
        self.fixed = {name: value for name, value in arguments.items() if not isinstance(value, torch.Tensor)}
        self.weights = nn.ParameterDict({name: nn.Parameter(value.detach()) for name, value in arguments.items()
                                         if isinstance(value, torch.Tensor) and name not in ("h", "before")})

    def forward(self, edge_index, edge_type, **rows):
        return self.function((edge_index, edge_type), **rows, **self.weights, **self.fixed)


@pytest.mark.parametrize("function, make", [(simple_hgn, of_simple_hgn(2, 3)), (gaan, of_gaan(2, 3)),
                                            (cgat, of_cgat(3, 3))], ids=["simple_hgn", "gaan", "cgat"])  # fmt: skip
def test_saved(function, make, tmp_path):
    """A model of it, in a file, gives the same on other graphs."""
    model = Model(function, make(6, 14))
    compiled = rgnn.compile(model, fullgraph=True)
    loaded = None
    with torch.no_grad():
        for nodes, edges in ((6, 14), (5, 5), (9, 30)):
            graph, arguments = graph_of(nodes, edges), make(nodes, edges)
            rows = {name: value for name, value in arguments.items() if name in ("h", "before")}
            got = compiled(graph.edge_index, graph.edge_type, **rows)
            if loaded is None:
                compiled.save(tmp_path / "model.rgnn")
                loaded = rgnn.load(tmp_path / "model.rgnn")
            again = loaded(graph.edge_index, graph.edge_type, **rows)
            for one, other in zip(got if isinstance(got, tuple) else (got,),
                                  again if isinstance(again, tuple) else (again,), strict=True):
                close(one, other, f"{nodes} nodes")

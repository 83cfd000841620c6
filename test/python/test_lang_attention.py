"""Simple-HGN and GaAN in the language: against PyTorch, saved and loaded."""

import pytest
import rgnn
import torch
from lang_checks import R, check, close, graph_of, tensor
from lang_models import gaan, gaan_twin, simple_hgn, simple_hgn_twin
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


@pytest.mark.parametrize("function, make", [(simple_hgn, of_simple_hgn(2, 3)), (gaan, of_gaan(2, 3))],
                         ids=["simple_hgn", "gaan"])  # fmt: skip
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

"""rgnn.compile as a decorator of functions and methods."""

import rgnn
import torch
from pyg import gnn, random_graph, rows
from torch import nn

UNFUSED = rgnn.Options(fuse=False)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = gnn.RGCNConv(4, 6, num_relations=3), gnn.RGCNConv(6, 2, num_relations=3)

    @rgnn.compile(options=UNFUSED, fullgraph=True)
    def encode(self, x, edge_index, edge_type):
        return self.first(x, edge_index, edge_type).relu()

    @rgnn.compile
    def forward(self, x, edge_index, edge_type):
        return self.second(self.encode(x, edge_index, edge_type), edge_index, edge_type)


def plain(net, x, edge_index, edge_type):
    return net.second(net.first(x, edge_index, edge_type).relu(), edge_index, edge_type)


def arguments(nodes=6, edges=11):
    return rows(nodes, 4), *random_graph(nodes, edges, 0, 3)[1:]


def test_methods(float64, strict):
    nets = [Net().eval(), Net().eval()]
    for net in nets:
        for sizes in ((6, 11), (3, 7)):
            args = arguments(*sizes)
            got, expected = net(*args), plain(net, *args)
            assert torch.allclose(got, expected, rtol=1e-10)
            found = [torch.autograd.grad(one.square().sum(), net.parameters()) for one in (got, expected)]
            assert all(torch.allclose(one, other, rtol=1e-9, atol=1e-12) for one, other in zip(*found, strict=True))
            assert torch.allclose(net.encode(*args), net.first(*args).relu(), rtol=1e-10)
    encode, forward = Net.encode.runner, Net.forward.runner
    assert encode.options is UNFUSED and encode.fullgraph and not encode.fallbacks
    assert forward.versions and all(version.regions and not version.fallbacks for version in forward.versions)


def test_functions(float64, strict):
    layer = gnn.RGCNConv(4, 6, num_relations=3).eval()

    @rgnn.compile(target="cpu", fullgraph=True)
    def encode(tensors: dict, kind=None):
        """Takes a dictionary."""
        found = layer(tensors["x"], tensors["edge_index"], tensors["edge_type"])
        return found if kind is None else found.relu()

    @rgnn.compile(fullgraph=True)
    def scaled(x, edge_index, edge_type, factor):
        return layer(x, edge_index, edge_type) * factor

    factor = torch.tensor(2.0)  # of no dimension
    assert torch.allclose(scaled(*arguments(), factor), layer(*arguments()) * 2, rtol=1e-10)
    for kind in (None, "relu"):
        args = arguments()
        expected = layer(*args) if kind is None else layer(*args).relu()
        given = dict(zip(("x", "edge_index", "edge_type"), args))
        assert torch.allclose(encode(given, kind=kind), expected, rtol=1e-10)
    assert encode.__doc__ == "Takes a dictionary." and encode.runner.versions

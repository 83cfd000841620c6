"""Models with sparse matrices, and their outcomes beside PyTorch's."""

import copy
import warnings

import rgnn
import torch
from rgnn._runner import runner_of
from torch import nn

F = 8
SIZES = [(20, 60), (31, 90), (7, 12), (5, 0), (1, 1)]
LAYOUTS = {"coo": torch.sparse_coo, "csr": torch.sparse_csr, "csc": torch.sparse_csc}


def rows(count):
    return torch.randn(count, F, dtype=torch.float64)


def ends(nodes, edges):
    return torch.randint(nodes, (2, edges))


def matrix(nodes, edges, kind="coo", others=None):
    edge_index = torch.stack([torch.randint(others or nodes, (edges,)), torch.randint(nodes, (edges,))])
    entries = torch.rand(edges, dtype=torch.float64) + 0.1
    made = torch.sparse_coo_tensor(edge_index, entries, (others or nodes, nodes))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # compressed layouts are in beta, PyTorch says
        return made if kind == "unordered" else made.coalesce().to_sparse(layout=LAYOUTS[kind])


class Product(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.first, self.second, self.function = nn.Linear(F, F), nn.Linear(F, F), function

    def forward(self, x, adj):
        h = self.function(adj, self.first(x)).relu()
        return self.function(adj, self.second(h))


class Holder(nn.Module):
    """As models for recommendation are written: layers without weights, and the mean of all."""

    def __init__(self, adj, is_buffer):
        super().__init__()
        self.table = nn.Embedding(adj.shape[0], F)
        if is_buffer:
            self.register_buffer("adj", adj)
        else:
            self.parts = [adj, {"same": adj}]

    def forward(self, scale):
        layers = [self.table.weight]
        for number in range(3):
            adj = self.adj if "adj" in self._buffers else self.parts[0] if number else self.parts[1]["same"]
            layers.append(torch.sparse.mm(adj, layers[-1] * scale))
        return torch.stack(layers, 1).mean(1)


class Maker(nn.Module):
    def __init__(self, after):
        super().__init__()
        self.lin, self.after = nn.Linear(F, F), after

    def forward(self, x, edge_index):
        size = (x.shape[0], x.shape[0])
        made = torch.sparse_coo_tensor(edge_index, torch.ones(edge_index.shape[1], dtype=x.dtype), size)
        return self.after(made, self.lin(x))


def dense(value):
    return None if value is None else value.detach() if value.layout is torch.strided else value.detach().to_dense()


def compare(model, calls, versions=2, is_whole=True):
    """Results and gradients of calls, of all that is real among their arguments."""
    model = model.double()
    compiled = rgnn.compile(copy.copy(model) if isinstance(model, Holder) else copy.deepcopy(model))
    for args in calls:
        outcomes = []
        for each in (model, compiled):
            model.zero_grad(), compiled.zero_grad()
            given = [arg.detach().requires_grad_() if arg.is_floating_point() and arg.layout is torch.strided else arg
                     for arg in args]  # fmt: skip
            out = each(*given)
            out.sin().sum().backward()
            outcomes.append([out, *(arg.grad for arg in given), *(p.grad for p in each.parameters())])
        for own, got in zip(*outcomes, strict=True):
            assert (own is None) == (got is None)
            if own is not None:
                assert own.layout == got.layout
                torch.testing.assert_close(dense(got), dense(own), rtol=1e-10, atol=1e-12)
    made = runner_of(compiled).versions
    if is_whole:
        assert 0 < len(made) <= versions and not any(version.fallbacks for version in made)
    return compiled

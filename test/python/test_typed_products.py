"""Products with the matrix that a type picks, however a model writes them: no edge has a matrix of its own."""

import copy
import os

import pytest
import rgnn
import torch
from pyg import error, random_graph
from torch import nn

WIDTH, R = 6, 3
# What a model writes, and the shape of what a type picks.
FORMS = {
    "bmm": (lambda m, w, t: torch.bmm(m.unsqueeze(1), w.index_select(0, t)).squeeze(1), (6, 5)),
    "einsum": (lambda m, w, t: torch.einsum("ei,eij->ej", m, w[t]), (6, 5)),
    "heads": (lambda m, w, t: torch.einsum("ehi,ehij->ehj", m.view(-1, 2, 3), w[t]).flatten(1), (2, 3, 4)),
    "transposed": (lambda m, w, t: (w[t] @ m.unsqueeze(-1)).squeeze(-1), (5, 6)),
    "sum": (lambda m, w, t: (m.unsqueeze(-1) * w[t]).sum(1), (6, 4)),
    "heads behind": (lambda m, w, t: torch.einsum("eih,ehij->ejh", m.view(-1, 3, 2), w[t]).flatten(1), (2, 3, 4)),
    "one matrix for heads": (lambda m, w, t: torch.einsum("ehi,eij->ehj", m.view(-1, 2, 3), w[t]).flatten(1), (3, 4)),
    "viewed": (lambda m, w, t: torch.bmm(m.unsqueeze(1), w[t].view(-1, 6, 5)).squeeze(1), (30,)),
    "scaled": (lambda m, w, t: torch.bmm(m.unsqueeze(1), (w * 2)[t]).squeeze(1) + 1, (6, 5)),
    "blocks": (lambda m, w, t: (m.view(-1, 2, 1, 3) @ w[t]).flatten(1), (2, 3, 4)),
}
NAMES = list(FORMS) if os.environ.get("RGNN_CHECK") == "all" else list(FORMS)[::2]


class Layer(nn.Module):
    def __init__(self, name):
        super().__init__()
        self.form, shape = FORMS[name]
        self.weight = nn.Parameter(torch.randn(R, *shape))

    def forward(self, x, edge_index, edge_type):
        made = self.form(x[edge_index[0]], self.weight, edge_type)
        return made.new_zeros(x.shape[0], made.shape[1]).index_add(0, edge_index[1], made)


@pytest.mark.usefixtures("strict", "float64")
@pytest.mark.parametrize("name", NAMES)
def test_like_pytorch(name):
    model = Layer(name)
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for nodes, edges in ((9, 25), (6, 6), (5, 0), (1, 4)):
        x, graph = torch.randn(nodes, WIDTH, requires_grad=True), random_graph(nodes, edges, relations=R)[1:]
        outcomes = []
        for one in (model, compiled):
            out = one(x, *graph)
            factor = torch.linspace(-1, 1, out.numel()).view(out.shape)
            outcomes.append((out, *torch.autograd.grad((out * factor).sum(), [x, one.weight])))
        for own, got in zip(*outcomes, strict=True):
            assert error(got, own) <= 1e-10
    report = rgnn.explain(compiled, x, *graph)
    assert "rgnn.typed_linear" in report.ir["rgnn"] and "rgnn.reduce_features" not in report.ir["rgnn"]

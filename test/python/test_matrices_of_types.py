"""Weights that are arguments: matrices of types, of which lists of a call pick one for each row."""

import pytest
import rgnn
import torch
from pyg import error, random_graph, rows, versions
from rgnn._runner import runner_of

WIDTH, R = 6, 4


def by_product(x, weight, edge_index, edge_type):
    message = torch.bmm(x[edge_index[0]].unsqueeze(1), weight[edge_type]).squeeze(1)
    return x.new_zeros(len(x), weight.shape[2]).index_add(0, edge_index[1], message)


def by_einsum(x, weight, edge_index, edge_type):
    message = torch.einsum("ei,eij->ej", x[edge_index[0]], weight.index_select(0, edge_type))
    return x.new_zeros(len(x), weight.shape[2]).index_add(0, edge_index[1], message)


@pytest.mark.usefixtures("strict", "float64")
@pytest.mark.parametrize("function", [by_product, by_einsum])
def test_matrices_of_types(function):
    """How many types there are is a constant, and a symbol only where it often changes."""
    compiled = rgnn.compile(function, fullgraph=True)
    for relations in (R, R + 1, R, 2, 1, 7, 8, 9, 10):
        _, edge_index, edge_type = random_graph(11, 40, seed=relations, relations=relations)
        x, weight = rows(11, WIDTH).requires_grad_(), torch.randn(relations, WIDTH, 5, requires_grad=True)
        outcomes = []
        for call in (function, compiled):
            out = call(x, weight, edge_index, edge_type)
            outcomes.append((out, *torch.autograd.grad((out * out.detach().cos()).sum(), (x, weight))))
        for own, got in zip(*outcomes, strict=True):
            assert error(got, own) <= 1e-10
        if relations == R:
            assert "rgnn.typed_linear" in rgnn.explain(compiled, x, weight, edge_index, edge_type).ir["rgnn"]
    assert versions(compiled) <= 6


@pytest.mark.usefixtures("strict", "float64")
def test_rows_with_heads_are_no_matrices():
    """Features ``[N, H, F]`` that ends pick, and are multiplied with others: their number stays a symbol."""

    def function(x, y, src, dst):
        score = torch.bmm(x[dst].unsqueeze(1).flatten(0, 1), y[src].transpose(1, 2)).sum((1, 2))
        return x.new_zeros(len(x)).index_add(0, dst, score)

    compiled = rgnn.compile(function)
    for nodes in (11, 9, 7):
        _, edge_index, _ = random_graph(nodes, 30, seed=nodes)
        x, y = rows(nodes, 6).view(nodes, 2, 3), rows(nodes, 6, 1).view(nodes, 2, 3)
        assert error(compiled(x, y, *edge_index), function(x, y, *edge_index)) <= 1e-10
    assert len(runner_of(compiled).versions) == 1

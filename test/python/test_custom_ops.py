"""The operators that stand for parts of a layer in a capture, against plain formulas."""

import pytest
import torch
from pyg import close
from rgnn._capture import custom_ops
from torch_geometric import utils

R = 5  # edge types


pytestmark = pytest.mark.usefixtures("float64")


# Self loops, duplicate edges, isolated nodes (5, 6), an empty relation (3); then less and less.
INDEX = torch.tensor([0, 0, 1, 2, 2, 2, 2, 4, 1])
TYPES = torch.tensor([0, 0, 1, 2, 2, 4, 1, 0, 1])
GRAPHS = [
    pytest.param(INDEX, TYPES, 7, id="awkward"),
    pytest.param(INDEX * 0, TYPES, 1, id="one-node"),
    pytest.param(INDEX[:1], TYPES[:1], 7, id="one-edge"),
    pytest.param(INDEX[:0], TYPES[:0], 4, id="no-edges"),
    pytest.param(INDEX[:0], TYPES[:0], 0, id="nothing"),
]
each_graph = pytest.mark.parametrize("index, types, num_nodes", GRAPHS)


def stacked(rows, *shape):
    return torch.stack(rows) if rows else torch.empty(0, *shape)


@each_graph
@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_typed_linear(index, types, num_nodes, batch):
    x, weight = torch.randn(len(types), *batch, 4), torch.randn(R, *batch, 4, 6)
    rows = [torch.einsum("...k,...kn->...n", x[i], weight[t]) for i, t in enumerate(types.tolist())]
    close(custom_ops.typed_linear(x, types, weight), stacked(rows, *batch, 6))


@each_graph
@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_aggregate(index, types, num_nodes, reduce, shape):
    src = torch.randn(len(index), *shape)
    function = {"max": torch.amax, "min": torch.amin}.get(reduce, getattr(torch, reduce))
    rows = []
    for node in range(num_nodes):
        own = src[index == node]
        rows.append(function(own, 0) if len(own) else torch.zeros(shape))
    out = custom_ops.aggregate(src, index, num_nodes, reduce)
    close(out, stacked(rows, *shape))
    if num_nodes:
        close(out, utils.scatter(src, index, 0, num_nodes, reduce))


def test_aggregate_rejects_unknown_reduction():
    with pytest.raises(ValueError, match="expected one of sum, mean, max, min, got 'mul'"):
        custom_ops.aggregate(torch.ones(2), torch.zeros(2, dtype=torch.long), 1, "mul")


@each_graph
def test_edge_softmax(index, types, num_nodes):
    src = torch.randn(len(index), 2) * 300  # overflows unless shifted
    expected = torch.empty_like(src)
    for node in range(num_nodes):
        expected[index == node] = src[index == node].softmax(0)
    close(custom_ops.edge_softmax(src, index, num_nodes), expected)


@each_graph
def test_pairs(index, types, num_nodes):
    src = torch.randn(len(index), 2)
    softmax, degree = torch.empty_like(src), torch.empty(len(index))
    for i in range(len(index)):
        same = (index == index[i]) & (types == types[i])
        softmax[i] = src[i].exp() / src[same].exp().sum(0)
        degree[i] = same.sum()
    close(custom_ops.pair_softmax(src, index, types, num_nodes, R), softmax)
    close(custom_ops.pair_degree(index, types, num_nodes, R, src), degree)


@each_graph
def test_lookups(index, types, num_nodes):
    comp, basis = torch.randn(R, 3), torch.randn(3, max(num_nodes, 1), 4)
    weight = torch.einsum("rb,bno->rno", comp, basis)
    rows = [weight[t, i] for t, i in zip(types.tolist(), index.tolist())]
    close(custom_ops.lookup(weight, types, index), stacked(rows, 4))
    close(custom_ops.basis_lookup(comp, basis, types, index), stacked(rows, 4))


def test_hetero_edges_and_types():
    sets = [torch.tensor([[0, 2], [1, 0]]), torch.empty(2, 0).long(), torch.tensor([[1], [0]])]
    sizes = [3, 0, 2]
    edge_index, edge_type = custom_ops.hetero_edges(sets, [0, 1, 2], [2, 0, 0], sizes)
    assert edge_index.tolist() == [[0, 2, 4], [4, 3, 0]]
    assert edge_type.tolist() == [0, 0, 2]
    xs = [torch.randn(size, 4) for size in sizes]
    rows = custom_ops.concat_types(xs)
    for k in range(3):
        close(custom_ops.slice_type(rows, k, sizes), xs[k])

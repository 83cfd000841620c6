"""Functions of the language against twins in PyTorch, on awkward graphs, in float64."""

import warnings

import rgnn
import torch
from torch.utils import _pytree as pytree

F64 = torch.float64
R, T = 3, 2  # types of edges, and of nodes

# Numbers of nodes and edges: equal ones, one node, no edges, nothing at all.
SIZES = ((6, 14), (5, 5), (1, 3), (4, 0), (0, 0), (9, 1))


def graph_of(nodes, edges, seed=0, is_sorted=False):
    """A graph with self loops, repeated edges, nodes without any, and types that nothing has."""
    generator = torch.Generator().manual_seed(97 * nodes + edges + seed)
    used = max(nodes - 1, 1)  # the last node is isolated
    edge_index = torch.randint(used, (2, edges), generator=generator)
    if edges > 3:
        edge_index[:, 0] = edge_index[0, 0]
        edge_index[:, 1] = edge_index[:, 2]
    edge_type = torch.randint(R - 1, (edges,), generator=generator) * 2 % R if edges < 9 else torch.randint(
        R - 1, (edges,), generator=generator)  # fmt: skip
    node_type = torch.randint(T, (nodes,), generator=generator)
    if is_sorted:
        node_type = node_type.sort().values
    return rgnn.Graph(edge_index, edge_type, node_type, nodes)


def tensor(*shape, seed=0):
    generator = torch.Generator().manual_seed(sum(shape) + 31 * len(shape) + seed)
    return torch.randn(shape, dtype=F64, generator=generator).requires_grad_()


def gradients(results, sources):
    """Of a weighted sum of all results."""
    leaves = pytree.tree_leaves(results)
    loss = sum((leaf * torch.linspace(-1, 2, leaf.numel(), dtype=leaf.dtype).view_as(leaf)).sum() for leaf in leaves)
    return torch.autograd.grad(loss, sources, allow_unused=True)


def close(got, expected, what):
    """Error relative to the largest number, at most 1e-10."""
    assert got.shape == expected.shape and got.dtype == expected.dtype, f"{what}: {got.shape}, {expected.shape}"
    largest = expected.abs().max().item() if expected.numel() else 0.0
    found = (got - expected).abs().max().item() if expected.numel() else 0.0
    assert found <= max(1e-10 * largest, 1e-12), f"{what}: error {found} of {largest}"


def compare(function, twin, graph, arguments):
    """Results and all gradients are the twin's."""
    sources = [value for value in arguments.values() if isinstance(value, torch.Tensor)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what does not compile says so
        got = function(graph, **arguments)
    expected = twin(graph, **arguments)
    for number, (one, other) in enumerate(zip(pytree.tree_leaves(got), pytree.tree_leaves(expected), strict=True)):
        close(one, other, f"result {number} on {graph}")
    for name, one, other in zip(arguments, gradients(got, sources), gradients(expected, sources)):
        other = torch.zeros_like(arguments[name]) if other is None else other
        close(torch.zeros_like(other) if one is None else one, other, f"gradient of {name} on {graph}")
    with torch.no_grad():
        for one, other in zip(pytree.tree_leaves(function(graph, **arguments)), pytree.tree_leaves(expected)):
            close(one, other, f"without gradients on {graph}")


def check(function, twin, make, sizes=SIZES):
    """Compares on graphs of several sizes, with one version for all of them, which is compiled code."""
    before, known = set(map(id, function.versions)), []  # those of models that other tests called it in
    for nodes, edges in sizes:
        graph = graph_of(nodes, edges)
        compare(function, twin, graph, make(nodes, edges))
        known.append(len(function.versions))
    assert len(set(known)) == 1
    assert all(version.code.region is not None for version in function.versions if id(version) not in before)

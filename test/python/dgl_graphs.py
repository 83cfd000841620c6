"""Graphs of rgnn.dgl with all that is awkward, and what models on them are compared by."""

import os
import pathlib
import sys

import rgnn
import rgnn.dgl as dgl
import torch
from pyg import error
from rgnn._runner import runner_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
F64 = torch.float64

# Numbers of nodes and edges of one call after the other: equal ones, 0 and 1 among them
SIZES = [(9, 25), (9, 9), (6, 14), (1, 3), (3, 1), (3, 0)]


def ends(nodes, edges, seed=0):
    """Sources and destinations, with self loops, duplicates and nodes without edges where there is room."""
    rng = torch.Generator().manual_seed(seed + 100 * nodes + edges)
    most = max(nodes - 1, 1)  # the last node has no edge, but where it is the only one
    return torch.randint(0, most, (edges,), generator=rng), torch.randint(0, most, (edges,), generator=rng)


def graphs(sizes=SIZES):
    """A graph of each size."""
    return [dgl.graph(ends(nodes, edges), num_nodes=nodes) for nodes, edges in sizes]


def rows(count, *shape, seed=0):
    return torch.randn(count, *shape, generator=torch.Generator().manual_seed(seed + count), dtype=F64)


def hetero(users, games, seed=0):
    """Two node types and four edge types, of which one has no edges and one leads within a type."""
    rng = torch.Generator().manual_seed(seed + 10 * users + games)

    def edges(sources, targets, count):
        count = count if sources and targets else 0
        return tuple(torch.randint(0, max(size, 1), (count,), generator=rng) for size in (sources, targets))

    lists = {("user", "follows", "user"): edges(users, users, 3 * users),
             ("user", "plays", "game"): edges(users, games, 2 * users),
             ("game", "played-by", "user"): edges(games, users, games),
             ("user", "buys", "game"): edges(users, games, 0)}  # fmt: skip
    return dgl.heterograph(lists, {"user": users, "game": games})


HETERO_SIZES = [(7, 5), (6, 6), (1, 4), (4, 0), (8, 3)]


def outcome(call, tensors, parameters):
    """Results, and gradients of a weighted sum of them by the tensors of floats and the parameters."""
    tensors = [t.detach().clone().requires_grad_() if t.is_floating_point() else t for t in tensors]
    results = torch.utils._pytree.tree_leaves(call(*tensors))
    loss = sum((torch.linspace(-1, 1, r.numel(), dtype=r.dtype).view(r.shape) * r).sum() for r in results)
    sources = [t for t in tensors if t.requires_grad] + list(parameters)
    loss = loss + sum(0 * source.sum() for source in sources)  # where no result depends on any
    return [r.detach() for r in results], torch.autograd.grad(loss, sources, allow_unused=True)


def check_equal(got, expected, bound=1e-10):
    """Compares outcomes; no gradient is one of zeros."""
    for one, other in zip([*got[0], *got[1]], [*expected[0], *expected[1]], strict=True):
        if one is None or other is None:
            assert (one is None or not one.any()) and (other is None or not other.any())
            continue
        assert one.dtype == other.dtype and one.shape == other.shape
        assert not other.numel() or (one - other).abs().max() <= 1e-12 or error(one, other) <= bound


def check_compiled(model, calls, inference=None):
    """Compares compiled calls with PyTorch's, in float64; nothing may run in PyTorch, nor be captured anew.

    Args:
        calls: pairs of a graph, and of tensors that are given behind it.
        inference: whether to compare calls without gradients, too; None: where RGNN_CHECK is "all".
    """
    inference = os.environ.get("RGNN_CHECK") == "all" if inference is None else inference
    parameters = list(model.parameters()) if isinstance(model, torch.nn.Module) else []
    compiled = rgnn.compile(model, fullgraph=True)
    for graph, tensors in calls:
        expected = outcome(lambda *own, graph=graph: model(graph, *own), tensors, parameters)
        got = outcome(lambda *own, graph=graph: compiled(graph, *own), tensors, parameters)
        check_equal(got, expected)
        if inference:
            with torch.no_grad():
                check_equal((torch.utils._pytree.tree_leaves(compiled(graph, *tensors)), ()), (expected[0], ()))
    assert len(runner_of(compiled).versions) == (2 if inference else 1)
    assert any(version.regions for version in runner_of(compiled).versions)
    return compiled


def sampled(names, step=3):
    """All of the names where RGNN_CHECK is "all", else some."""
    return list(names) if os.environ.get("RGNN_CHECK") == "all" else list(names)[::step]


def has_reference():
    """Whether DGL is installed, without importing it."""
    return (pathlib.Path(os.environ.get("RGNN_PEERS") or ROOT / "build/peers") / "dgl").exists()


def reference():
    """DGL 2.1, which tests are compared with where it is installed."""
    sys.path.append(str(ROOT / "benchmark"))
    from peers.dgl_stub import import_dgl

    return import_dgl()

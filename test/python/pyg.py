"""PyG as the reference: graphs with all that is awkward, and the measure of error."""

import copy

import pytest
import torch
from torch import nn

pytest.importorskip("_rgnn")
gnn = pytest.importorskip("torch_geometric.nn")
from rgnn._runner import runner_of  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

R = 5  # relations


def _reset_all(layer, reset=gnn.RGATConv.reset_parameters):
    """PyG leaves RGATConv's l2 as it finds the memory: its reset drops the constant that it makes.

    Numbers that are not finite there, once in a thousand models, are not equal to themselves.
    """
    reset(layer)
    nn.init.constant_(layer.l2, 1 / layer.out_channels)


gnn.RGATConv.reset_parameters = _reset_all


# ---- graphs: (number of nodes, edge_index, edge_type) ----------------------------------------------------------------


def random_graph(nodes, edges, seed=0, relations=R):
    """Uniform ends and types."""
    rng = torch.Generator().manual_seed(seed)
    edge_index = torch.randint(0, max(nodes, 1), (2, edges), generator=rng)
    return nodes, edge_index, torch.randint(0, relations, (edges,), generator=rng)


def awkward():
    """Isolated nodes, self loops, duplicate edges, one of them under two types, a hub, and no edge of relation 3."""
    nodes, edge_index, edge_type = random_graph(23, 60, seed=1)
    loops = torch.arange(4).repeat(2, 1)
    hub = torch.stack([torch.arange(17), torch.full((17,), 5)])
    edge_index = torch.cat([edge_index % 18, edge_index[:, :9] % 18, loops, hub], dim=1)
    edge_type = torch.cat([edge_type, edge_type[:5], (edge_type[5:9] + 1) % R, torch.zeros(21, dtype=torch.long)])
    edge_type[edge_type == 3] = 4
    order = torch.randperm(len(edge_type), generator=torch.Generator().manual_seed(2))
    return nodes, edge_index[:, order], edge_type[order]


def tiny(nodes, pairs):
    """Edges given as (source, destination, type)."""
    rows = torch.tensor(pairs, dtype=torch.long).view(-1, 3).T.contiguous()
    return nodes, rows[:2].contiguous(), rows[2].contiguous()


TINY = {
    "one node": tiny(1, []),
    "one node with loops": tiny(1, [(0, 0, 1), (0, 0, 4), (0, 0, 1)]),
    "no edges": tiny(4, []),
    "one edge": tiny(3, [(2, 0, 2)]),
    "nothing": tiny(0, []),
}
# Several tiles of every size that a kernel may choose, in one relation and in all; a node with 250 incoming edges.
LARGE = {"large": random_graph(150, 900, seed=3), "one relation": random_graph(150, 300, seed=4, relations=1)}
LARGE["one relation"][1][1, 50:] = 7
GRAPHS = {"awkward": awkward(), **TINY, **LARGE}


def rows(count, width, seed=0, dtype=torch.float64):
    return torch.randn(count, width, generator=torch.Generator().manual_seed(seed), dtype=dtype)


# ---- the reference ---------------------------------------------------------------------------------------------------


def as_reference(model):
    """A copy whose RGCNConv layers are FastRGCNConv.

    On one of its paths RGCNConv with aggr="mean" divides by the degree over all relations.
    """
    model = copy.deepcopy(model)
    for name, module in list(model.named_modules()):
        if type(module) is not gnn.RGCNConv:
            continue
        fast = gnn.FastRGCNConv(
            module.in_channels, module.out_channels, module.num_relations, module.num_bases, module.num_blocks,
            aggr=module.aggr, root_weight=module.root is not None, bias=module.bias is not None,
        )  # fmt: skip
        fast = fast.to(module.weight.dtype).train(module.training)
        fast.load_state_dict(module.state_dict())
        if not name:
            return fast
        owner, _, leaf = name.rpartition(".")
        setattr(model.get_submodule(owner), leaf, fast)
    return model


def to(dtype, values):
    """Floating-point tensors of a structure in another precision."""
    return pytree.tree_map_only(torch.Tensor, lambda t: t.to(dtype) if t.is_floating_point() else t, values)


def error(got, expected):
    """max|got - expected| / max|expected|; NaN and infinities have to be in the same places and do not count."""
    assert got.shape == expected.shape
    expected, got = expected.double(), got.double()
    finite = expected.isfinite()
    assert torch.equal(finite, got.isfinite()), f"{(~got.isfinite()).sum()} not finite, of {(~finite).sum()}"
    assert torch.equal(got[~finite].nan_to_num(), expected[~finite].nan_to_num())
    expected, got = expected[finite], got[finite]
    if not expected.numel():
        return 0.0
    largest = expected.abs().max().item()
    difference = (got - expected).abs().max().item()
    if largest == 0:
        return 0.0 if difference <= 1e-12 else float("inf")
    return difference / largest


def close(a, b):
    """Asserts that nothing but rounding in float64 tells two tensors apart, whose numbers are about one."""
    assert a.shape == b.shape and a.dtype == b.dtype
    assert a.numel() == 0 or (a - b).abs().max().item() <= 1e-12


def check(model, compiled, args):
    """Compares a compiled model with PyG in float64 on ``args``, which have the model's precision."""
    reference = as_reference(model)
    with torch.no_grad():
        got = compiled(*args)
        own = reference(*args)
        exact = own
        if any(leaf.dtype != torch.float64 for leaf in pytree.tree_leaves(own)):
            exact = copy.deepcopy(reference).double()(*to(torch.float64, args))
    assert pytree.tree_structure(got) == pytree.tree_structure(own)
    leaves = (pytree.tree_leaves(values) for values in (got, own, exact))
    for number, (one, single, double) in enumerate(zip(*leaves, strict=True)):
        assert one.dtype == single.dtype
        bound = 1e-10 if one.dtype == torch.float64 else max(1e-5, 2 * error(single, double))
        found = error(one, double)
        assert found <= bound, f"result {number}: error {found:.2e}, bound {bound:.2e}"


def versions(compiled):
    """How many functions a model was compiled to; an error where a part of it ran in PyTorch.

    Captures that differ in what does not reach the code (gradients, strides) share one.
    """
    runner = runner_of(compiled)
    assert not runner.fallbacks and not any(version.fallbacks for version in runner.versions)
    return len({text for version in runner.versions for text in version.texts})

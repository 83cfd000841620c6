"""The layers of the correctness part, and what PyG returns for them: made where the compiler and PyG are."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree
from torch_geometric.nn import FastRGCNConv, HGTConv, RGATConv

R = 5  # relations
METADATA = (["paper", "author", "venue"],
            [("paper", "cites", "paper"), ("author", "writes", "paper"), ("paper", "rev_writes", "author"),
             ("venue", "hosts", "paper")])  # fmt: skip
PARALLEL = (["a", "b"], [("a", "x", "b"), ("a", "y", "b"), ("b", "x", "a"), ("a", "x", "a")])

# (nodes, edges, relations that edges have): isolated nodes, many edges of one node, empty relations, nothing at all.
GRAPHS = {"awkward": (23, 90, 3), "large": (300, 2500, R), "dense": (17, 900, R), "loop": (1, 3, 2),
          "edgeless": (4, 0, R), "nothing": (0, 0, R)}  # fmt: skip

SAMPLES = 8  # runs of PyG with other rounding


@dataclass(frozen=True)
class Case:
    """A model and what makes its arguments, from the sizes of a graph, a dtype and a generator."""

    make: Callable[[], nn.Module]
    inputs: Callable[[tuple[int, int, int], torch.dtype, torch.Generator], tuple]


class Stack(nn.Module):
    """Two layers with ReLU, a skip connection and log_softmax."""

    def __init__(self, make: Callable, width: int):
        super().__init__()
        self.first, self.second, self.skip = make(width, 32), make(32, 7), nn.Linear(width, 32)

    def forward(self, x: Tensor, edge_index: Tensor, edge_type: Tensor) -> Tensor:
        h = self.first(x, edge_index, edge_type).relu() + self.skip(x)
        return self.second(h, edge_index, edge_type).log_softmax(dim=-1)


def relational(width: int, edge_width: int = 0) -> Callable:
    def inputs(sizes, dtype, rng):
        nodes, edges, relations = sizes
        edge_index = torch.randint(max(1, nodes - 3), (2, edges), generator=rng)  # the last nodes are isolated
        edge_index[1, : edges // 3] = min(2, max(0, nodes - 1))  # a hub
        found = (torch.randn(nodes, width, generator=rng, dtype=dtype), edge_index.clamp(max=max(0, nodes - 1)),
                 torch.randint(relations, (edges,), generator=rng))  # fmt: skip
        return (*found, torch.randn(edges, edge_width, generator=rng, dtype=dtype)) if edge_width else found

    return inputs


def heterogeneous(metadata: tuple, widths: dict[str, int]) -> Callable:
    def inputs(sizes, dtype, rng):
        nodes, edges, relations = sizes
        count = {name: nodes // (i + 1) for i, name in enumerate(metadata[0])}
        x = {name: torch.randn(count[name], widths[name], generator=rng, dtype=dtype) for name in metadata[0]}
        edge_index = {}
        for i, (source, relation, target) in enumerate(metadata[1]):
            number = edges // (i + 1) if i < relations and count[source] and count[target] else 0
            edge_index[source, relation, target] = torch.stack([
                torch.randint(max(count[end], 1), (number,), generator=rng) for end in (source, target)
            ])  # fmt: skip
        return x, edge_index

    return inputs


def _rgcn(width: int, out: int, **flags) -> Case:
    return Case(lambda: FastRGCNConv(width, out, R, **flags), relational(width))


def _rgat(width: int, out: int, edge_width: int = 0, **flags) -> Case:
    flags |= {"edge_dim": edge_width} if edge_width else {}
    return Case(lambda: RGATConv(width, out, R, **flags), relational(width, edge_width))


def _hgt(metadata: tuple, widths: list[int], out: int, heads: int) -> Case:
    by_type = dict(zip(metadata[0], widths))
    return Case(lambda: HGTConv(by_type, out, metadata, heads=heads), heterogeneous(metadata, by_type))


WITHIN = {"attention_mechanism": "within-relation"}
CASES = {
    "rgcn-mean": _rgcn(33, 64, aggr="mean"),
    "rgcn-add": _rgcn(64, 128, aggr="add"),
    "rgcn-bases": _rgcn(20, 64, aggr="mean", num_bases=3),
    "rgcn-blocks": _rgcn(64, 32, aggr="mean", num_blocks=4),
    "rgcn-bare": _rgcn(64, 64, aggr="mean", root_weight=False, bias=False),
    "rgat": _rgat(64, 64),
    "rgat-heads": _rgat(33, 16, heads=3),
    "rgat-mean": _rgat(64, 20, heads=4, concat=False),
    "rgat-edges": _rgat(20, 64, 3, heads=2),
    "rgat-within": _rgat(64, 33, **WITHIN),
    "hgt": _hgt(METADATA, [64, 64, 64], 64, 1),
    "hgt-heads": _hgt(METADATA, [33, 20, 64], 64, 4),
    "hgt-parallel": _hgt(PARALLEL, [64, 33], 33, 3),
    "stack-rgcn": Case(lambda: Stack(lambda i, o: FastRGCNConv(i, o, R), 33), relational(33)),
    "stack-rgat": Case(lambda: Stack(lambda i, o: RGATConv(i, o, R), 64), relational(64)),
}


def build(case: Case, dtype: torch.dtype) -> nn.Module:
    """PyG's model in evaluation mode; no parameter is the 0 or 1 that it starts at."""
    torch.manual_seed(0)
    model = case.make().eval()
    for module in model.modules():
        if isinstance(module, RGATConv):
            nn.init.zeros_(module.l2)  # PyG leaves it as it finds the memory, and reads it in no such model
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=0.1)
    return model.to(dtype)


def expectations(case: Case, model: nn.Module, dtype: torch.dtype) -> dict:
    """For each graph arguments, and the results and gradients of PyG in float64; of each PyG's own largest error.

    Gradients are of the sum of all results, each number times a random one that is there as well, by what is
    floating-point of the arguments and by the parameters.
    """
    exact_model, found, errors = copy.deepcopy(model).double(), [], []
    for number, (name, sizes) in enumerate(GRAPHS.items()):
        rng = torch.Generator().manual_seed(number)
        args = case.inputs(sizes, dtype, rng)
        factors = [torch.randn(result.shape, generator=rng, dtype=dtype) for result in leaves(model(*args))]
        exact = run(exact_model, to(args, torch.float64), factors)
        own = [run(model, each, factors) for each in (args, *(nudged(args, rng) for _ in range(SAMPLES)))]
        errors.append([max(relative(a, b) for a in tried) for b, *tried in zip(exact, *own, strict=True)])
        # Rounded to what is compared with it: the bound of an error in float32 is far above.
        found.append({"graph": name, "args": args, "factors": factors, "expected": to(exact, dtype)})
    return {"graphs": found, "errors": [max(each) for each in zip(*errors)]}


def nudged(args: tuple, rng: torch.Generator) -> tuple:
    """Arguments that differ in rounding alone: where terms cancel, one run may by luck be nearer than others."""
    def nudge(t: Tensor) -> Tensor:
        return t * (1 + torch.finfo(t.dtype).eps * (torch.rand(t.shape, generator=rng, dtype=t.dtype) - 0.5))

    return pytree.tree_map_only(Tensor, lambda t: nudge(t) if t.is_floating_point() else t, args)


def leaves(value: Any) -> list[Tensor]:
    return [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, Tensor)]


def to(value: Any, dtype: torch.dtype) -> Any:
    return pytree.tree_map_only(torch.Tensor, lambda t: t.to(dtype) if t.is_floating_point() else t, value)


from correctness import relative, run  # noqa: E402  (the runner's half, which the bundle has)

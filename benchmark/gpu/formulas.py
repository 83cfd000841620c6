"""RGCN, RGAT and HGT in plain PyTorch, on any device and in any precision: what the layers of PyG compute, written out.

They are the float64 reference of the benchmark where PyG is not at hand, and two of its peers: with a product for each
relation, and with a segment GEMM that is handed in. Parameters have PyG's names. One head.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as functional
from torch import Tensor

Weights = dict[str, Tensor]


@dataclass(frozen=True)
class Edges:
    """Edges in order of their types, and what is made of them once.

    Attributes:
        offsets: where types begin, and the number of edges.
        share: of each edge, one over the number of edges of its destination and type.
    """

    src: Tensor
    dst: Tensor
    type: Tensor
    offsets: list[int]
    share: Tensor


SegmentProduct = Callable[[Tensor, Tensor, list[int]], Tensor]  # rows, a weight for each type, offsets


def products(rows: Tensor, weight: Tensor, offsets: list[int]) -> Tensor:
    """A product for each type that has rows."""
    parts = [rows[a:b] @ w for a, b, w in zip(offsets, offsets[1:], weight.unbind()) if a < b]
    return torch.cat(parts) if parts else rows.new_zeros(0, weight.shape[-1])


def edges_of(graph, device: torch.device, chosen: Tensor | None = None) -> Edges:
    """All edges of a graph, or those chosen, numbers in ascending order."""
    src, dst, kind = graph.src, graph.dst, graph.edge_type
    if chosen is not None:
        src, dst, kind = src[chosen], dst[chosen], kind[chosen]
    sizes = torch.bincount(kind, minlength=graph.num_edge_types)
    src, dst, kind = (part.to(device) for part in (src, dst, kind))
    _, place, count = torch.unique(dst * graph.num_edge_types + kind, return_inverse=True, return_counts=True)
    return Edges(src, dst, kind, [0, *sizes.cumsum(0).tolist()], 1 / count.double()[place])


def softmax(score: Tensor, key: Tensor, count: int) -> Tensor:
    """Of the numbers with one key; + 1e-16 as PyG has it."""
    most = score.new_full((count,), float("-inf")).scatter_reduce(0, key, score.detach(), "amax")
    score = (score - most[key]).exp()
    return score / (score.new_zeros(count).index_add(0, key, score) + 1e-16)[key]


def rgcn(graph, x: Tensor, edges: Edges, w: Weights, product: SegmentProduct = products) -> Tensor:
    """The mean over the edges of each relation, summed over relations."""
    rows = product(x[edges.src], w["weight"], edges.offsets) * edges.share.to(x).unsqueeze(1)
    return x.new_zeros(graph.num_nodes, rows.shape[1]).index_add(0, edges.dst, rows) + x @ w["root"] + w["bias"]


def rgat(graph, x: Tensor, edges: Edges, w: Weights, product: SegmentProduct = products) -> Tensor:
    """Additive attention across relations."""
    target = product(x[edges.dst], w["weight"], edges.offsets)
    source = product(x[edges.src], w["weight"], edges.offsets)
    score = functional.leaky_relu((target @ w["q"] + source @ w["k"]).squeeze(1), 0.2)
    rows = softmax(score, edges.dst, graph.num_nodes).unsqueeze(1) * source
    return x.new_zeros(graph.num_nodes, rows.shape[1]).index_add(0, edges.dst, rows) + w["bias"]


def hgt(graph, x: Tensor, edges: Edges, w: Weights, product: SegmentProduct = products) -> Tensor:
    """Rows of node types that are no relation's destination are NaN: PyG leaves them out."""
    width, parts = x.shape[1], graph.split_nodes(x)
    projected = [functional.linear(parts[name], w[f"kqv_lin.lins.{name}.weight"], w[f"kqv_lin.lins.{name}.bias"])
                 for name in graph.node_types]  # fmt: skip
    k, q, v = torch.cat(projected).split(width, dim=1)
    k_rows = product(k[edges.src], w["k_rel.weight"], edges.offsets)
    v_rows = product(v[edges.src], w["v_rel.weight"], edges.offsets)
    prior = torch.cat([w[prior_name(name)].view(1) for name in graph.edge_types])
    score = (q[edges.dst] * k_rows).sum(dim=1) * prior[edges.type] / math.sqrt(width)
    rows = softmax(score, edges.dst, graph.num_nodes).unsqueeze(1) * v_rows
    heads = graph.split_nodes(functional.gelu(x.new_zeros(x.shape).index_add(0, edges.dst, rows)))
    reached = {target for _, _, target in graph.edge_types}
    found = []
    for name in graph.node_types:
        if name not in reached:
            found.append(torch.full_like(parts[name], float("nan")))
            continue
        out = functional.linear(heads[name], w[f"out_lin.lins.{name}.weight"], w[f"out_lin.lins.{name}.bias"])
        gate = w[f"skip.{name}"].sigmoid()
        found.append(gate * out + (1 - gate) * parts[name])
    return torch.cat(found)


LAYERS = {"rgcn": rgcn, "rgat": rgat, "hgt": hgt}


def prior_name(edge_type: tuple[str, str, str]) -> str:
    """PyG's name of the parameter that an edge type has: names of parameters are parted at dots."""
    return "p_rel." + "__".join(edge_type).replace(".", "#")


def shapes(model: str, graph, width: int) -> dict[str, tuple[int, ...]]:
    """Of the parameters that the formula of a model reads."""
    per_type = (graph.num_edge_types, width, width)
    if model == "rgcn":
        return {"weight": per_type, "root": (width, width), "bias": (width,)}
    if model == "rgat":
        return {"weight": per_type, "q": (width, 1), "k": (width, 1), "bias": (width,)}
    found: dict[str, tuple[int, ...]] = {"k_rel.weight": per_type, "v_rel.weight": per_type}
    found |= {prior_name(name): (1, 1) for name in graph.edge_types}
    for name in graph.node_types:
        for kind, columns in (("kqv_lin", 3 * width), ("out_lin", width)):
            found |= {f"{kind}.lins.{name}.weight": (columns, width), f"{kind}.lins.{name}.bias": (columns,)}
        found[f"skip.{name}"] = (1,)
    return found


def pieces(graph, most: int) -> Iterator[tuple[slice, Tensor]]:
    """Slices of the nodes in order, with the edges into them: about `most`, or those of one node."""
    order = torch.argsort(graph.dst, stable=True)
    ends = torch.bincount(graph.dst, minlength=graph.num_nodes).cumsum(0)
    node = begin = 0
    while node < graph.num_nodes:
        last = max(node + 1, int(torch.searchsorted(ends, begin + most, right=True)))
        yield slice(node, last), order[begin : int(ends[last - 1])].sort().values
        node, begin = last, int(ends[last - 1])


def reference(problem, training: bool, most: int = 1 << 21) -> Tensor | dict[str, Tensor]:
    """``[N, width]`` in float64, or the gradients of a training step by all parameters, in pieces that fit."""
    graph, x = problem.graph, problem.x.double()
    weights = {name: value.double().requires_grad_(training)
               for name, value in problem.weights(shapes(problem.model, graph, problem.width)).items()}  # fmt: skip
    there = reached(problem).to(x.device)
    rows = []
    with torch.set_grad_enabled(training):
        for nodes, chosen in pieces(graph, most):
            out = LAYERS[problem.model](graph, x, edges_of(graph, x.device, chosen), weights)[nodes]
            if not training:
                rows.append(out)
            elif (kept := there[nodes]).any():
                (out[kept] * problem.gradient[nodes][kept]).sum().backward()
    if not training:
        return torch.cat(rows)
    return {name: value.grad for name, value in weights.items() if value.grad is not None}


def reached(problem) -> Tensor:
    """Which nodes have a row: all, but for HGT those of types that are no relation's destination."""
    graph = problem.graph
    if problem.model != "hgt":
        return torch.ones(graph.num_nodes, dtype=torch.bool)
    targets = {target for _, _, target in graph.edge_types}
    return torch.tensor([name in targets for name in graph.node_types])[graph.node_type]

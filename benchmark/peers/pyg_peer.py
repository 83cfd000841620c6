"""PyG's own layers, eager and compiled, and the float64 reference that all results are compared with."""

from __future__ import annotations

import torch
from torch import Tensor

from .problem import Peer, Problem

_CHUNK = 1 << 15  # edges: PyG copies a weight for each, 1 GB in float64 at width 64


class Eager(Peer):
    fast = False

    def __init__(self, problem: Problem):
        super().__init__(problem)
        self.module = problem.module(self.fast)
        self.note = type(self.module).__name__

    def run(self, prepared):
        return self.module(*prepared)


class EagerFast(Eager):
    fast = True


class Compiled(Eager):
    compiles = True

    def __init__(self, problem: Problem):
        super().__init__(problem)
        import torch._inductor.compile_fx  # an import, not compile time
        self.module = torch.compile(self.module)


class CompiledFast(Compiled):
    fast = True


def reference(problem: Problem) -> Tensor:
    """``[N, width]`` by PyG in float64, in pieces that fit in memory.

    RGCN and RGAT run on the in-edges of a chunk of destinations at a time: their rows come out as on the whole graph.
    """
    module = problem.module(fast=True).double()
    graph, x = problem.graph, problem.x.double()
    if problem.model == "hgt":
        return _reference_hgt(problem, module)
    out = torch.empty(graph.num_nodes, problem.width, dtype=torch.float64)
    order = torch.argsort(graph.dst, stable=True)
    ends = torch.bincount(graph.dst, minlength=graph.num_nodes).cumsum(0)
    node = begin = 0
    while node < graph.num_nodes:
        last = max(node + 1, int(torch.searchsorted(ends, begin + _CHUNK, right=True)))
        edges = order[begin : int(ends[last - 1])].sort().values
        out[node:last] = module(x, graph.edge_index[:, edges], graph.edge_type[edges])[node:last]
        node, begin = last, int(ends[last - 1])
    return out


def _reference_hgt(problem: Problem, module) -> Tensor:
    """HGTConv makes a key and a value for every (edge type, node of its source type), used or not.

    Where these are too many, it runs on the equal graph in which every edge type has source nodes of its own type:
    copies of the nodes that it uses, with the parameters of the type they are copied from.
    """
    graph, x = problem.graph, problem.x.double()
    sizes = graph.num_nodes_dict
    if sum(sizes[source] for source, _, _ in graph.edge_types) <= 1 << 20:
        return graph.join_nodes(module(graph.split_nodes(x), graph.edge_index_dict), missing=float("nan"))
    return problem.rows(hgt_with_split_sources(problem, module, x))


def hgt_with_split_sources(problem: Problem, module, x: Tensor) -> dict[str, Tensor]:
    from torch_geometric.nn import HGTConv

    graph = problem.graph
    x_dict = graph.split_nodes(x)
    edge_index_dict, copied_from = {}, {}
    for r, ((source, relation, destination), edge_index) in enumerate(graph.edge_index_dict.items()):
        used, local = torch.unique(edge_index[0], return_inverse=True)
        copy = f"copy{r}"
        x_dict[copy], copied_from[copy] = x_dict[source][used], source
        edge_index_dict[copy, relation, destination] = torch.stack([local, edge_index[1]])

    split = HGTConv(problem.width, problem.width, (list(x_dict), list(edge_index_dict)), heads=1).double().eval()
    with torch.no_grad():
        for kind in ("kqv_lin", "out_lin"):
            for name, linear in getattr(split, kind).lins.items():
                linear.load_state_dict(getattr(module, kind).lins[copied_from.get(name, name)].state_dict())
        for name in graph.node_types:
            split.skip[name].copy_(module.skip[name])
        split.k_rel.load_state_dict(module.k_rel.state_dict())
        split.v_rel.load_state_dict(module.v_rel.state_dict())
        for new, old in zip(edge_index_dict, graph.edge_types, strict=True):
            split.p_rel["__".join(new)].copy_(module.p_rel["__".join(old)])
    return split(x_dict, edge_index_dict)

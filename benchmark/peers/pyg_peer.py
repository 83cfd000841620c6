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
        self.compiled = torch.compile(self.module)

    def run(self, prepared):
        return self.compiled(*prepared)


class CompiledFast(Compiled):
    fast = True


def reference(problem: Problem) -> Tensor:
    """``[N, width]`` by PyG in float64, in pieces that fit in memory."""
    module = problem.module(fast=True).double()
    if problem.model == "hgt":
        return problem.rows(_hgt(problem, module))
    return torch.cat([rows for _, rows in _pieces(problem, module)])


def reference_gradients(problem: Problem) -> dict[str, Tensor]:
    """Gradients of the loss by all parameters, by PyG in float64; no entry where PyG gives none."""
    module = problem.module(fast=True).double()
    if problem.model == "hgt":
        problem.loss(_hgt(problem, module)).backward()
    else:
        for nodes, rows in _pieces(problem, module):
            problem.part_of_loss(rows, nodes).backward()
    return {name: value.grad for name, value in module.named_parameters() if value.grad is not None}


def _pieces(problem: Problem, module):
    """Slices of the nodes in order, each with the rows of it: computed from the edges into these nodes alone.

    RGCN and RGAT give a node the same row on this part of the graph as on the whole.
    """
    graph, x = problem.graph, problem.x.double()
    order = torch.argsort(graph.dst, stable=True)
    ends = torch.bincount(graph.dst, minlength=graph.num_nodes).cumsum(0)
    node = begin = 0
    while node < graph.num_nodes:
        last = max(node + 1, int(torch.searchsorted(ends, begin + _CHUNK, right=True)))
        edges = order[begin : int(ends[last - 1])].sort().values
        nodes = slice(node, last)
        yield nodes, module(x, graph.edge_index[:, edges], graph.edge_type[edges])[nodes]
        node, begin = last, int(ends[last - 1])


def _hgt(problem: Problem, module) -> dict[str, Tensor]:
    """HGTConv makes a key and a value for every (edge type, node of its source type), used or not.

    Where these are too many, it runs on the equal graph in which every edge type has source nodes of its own type:
    copies of the nodes that it uses, with the parameters of the type they are copied from.
    """
    graph, x = problem.graph, problem.x.double()
    sizes = graph.num_nodes_dict
    if sum(sizes[source] for source, _, _ in graph.edge_types) <= 1 << 20:
        return module(graph.split_nodes(x), graph.edge_index_dict)
    return hgt_with_split_sources(problem, module, x)


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
    # Runs on the parameters of `module` themselves, so that their gradients add up over the copies.
    shared: dict[Tensor, Tensor] = {}
    for kind in ("kqv_lin", "out_lin"):
        for name, linear in getattr(split, kind).lins.items():
            shared |= zip(linear.parameters(), getattr(module, kind).lins[copied_from.get(name, name)].parameters())
    for name in graph.node_types:
        shared[split.skip[name]] = module.skip[name]
    shared |= {split.k_rel.weight: module.k_rel.weight, split.v_rel.weight: module.v_rel.weight}
    for new, old in zip(edge_index_dict, graph.edge_types, strict=True):
        shared[split.p_rel["__".join(new)]] = module.p_rel["__".join(old)]
    parameters = {name: shared.get(own, own) for name, own in split.named_parameters()}
    return torch.func.functional_call(split, parameters, (x_dict, edge_index_dict))

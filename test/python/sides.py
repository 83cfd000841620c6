"""Graphs of which edge types have fewer nodes on one side, or on the other."""

import torch
from pyg import GRAPHS, R, rows


def edges_of(shape, nodes, seed):
    """Edges of one type, as (sources, destinations), among the first nodes."""
    every, rng = torch.arange(nodes), torch.Generator().manual_seed(seed)
    if shape == "fan":  # fewer sources; a tie where there are no more than two nodes
        return torch.stack([every % 2, every])
    if shape == "funnel":  # fewer destinations
        return edges_of("fan", nodes, seed).flip(0)
    if shape == "ring":  # as many, and self loops
        return torch.cat([torch.stack([every, every.roll(1)]), torch.stack([every, every])], 1)
    some = torch.randint(0, max(nodes, 1), (2, 11 if shape == "noise" and nodes else 0), generator=rng)
    return torch.cat([some, some[:, :5], some[:, :2]], 1)  # repeated edges


CASES = {  # number of nodes, and the edges of each type
    "sources": (23, ["fan"] * R),  # in one part: the second is empty
    "destinations": (23, ["funnel"] * R),
    "both": (23, ["fan", "funnel", "noise", "ring", "none"]),
    "ties": (23, ["ring"] * R),
    "types without edges": (23, ["none", "funnel", "none", "fan", "none"]),
    "one type": (23, ["none", "none", "noise", "none", "none"]),
    "one node": (1, ["ring", "noise", "none", "fan", "funnel"]),
    "no edges": (4, ["none"] * R),
    "nothing": (0, ["fan"] * R),
    "large": (150, ["fan", "funnel", "noise", "funnel", "fan"]),  # several tiles of rows in each part
}


def typed(case):
    """A graph of typed edges, in no order; a fourth of its nodes have none."""
    nodes, shapes = CASES[case]
    linked = nodes - nodes // 4
    edges = [edges_of(shape, linked, seed) for seed, shape in enumerate(shapes)]
    edge_type = torch.arange(R).repeat_interleave(torch.tensor([e.shape[1] for e in edges]))
    order = torch.randperm(len(edge_type), generator=torch.Generator().manual_seed(0))
    return nodes, torch.cat(edges, 1)[:, order], edge_type[order]


TYPED = {"awkward": GRAPHS["awkward"], "random": GRAPHS["large"], **{case: typed(case) for case in CASES}}


def features(graph):
    """What a layer is called with."""
    nodes, *edges = graph
    return rows(nodes, 12), *edges

"""What a report says of the graphs of a call."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from .._run.region import Region


@dataclass(frozen=True)
class GraphFacts:
    """One graph.

    Attributes:
        name: the arguments that its lists of edges are, "edge_index".
        nodes, edges: how many there are.
        node_types, edge_types: how many types.
        mean_degree, max_degree: edges that come in to a node.
        src_pairs, dst_pairs: unique pairs of a source, or a destination, and an edge type.
    """

    name: str
    nodes: int
    edges: int
    node_types: int
    edge_types: int
    mean_degree: float
    max_degree: int
    src_pairs: int
    dst_pairs: int


def describe_graphs(region: Region, tensors: list[Tensor]) -> list[GraphFacts]:
    """Those that a region makes of what it is called with. Raises InputError where they are none."""
    facts = []
    for description, graph in zip(region.manifest["graphs"], region.find_graphs(tensors)):
        names = [region.manifest["inputs"][number].get("name", "") for number in description["edge_index"]]
        offsets = graph.view("dst_offsets")
        nodes = len(offsets) - 1
        facts.append(GraphFacts(
            name=", ".join(filter(None, names)) or "edges that the model makes",
            nodes=graph.size("node"),
            edges=graph.num_edges,
            node_types=graph.num_node_types,
            edge_types=graph.num_edge_types,
            mean_degree=graph.num_edges / nodes if nodes else 0.0,
            max_degree=int(torch.diff(offsets).max()) if nodes else 0,
            src_pairs=graph.size("src_pair"),
            dst_pairs=graph.size("dst_pair"),
        ))  # fmt: skip
    return facts

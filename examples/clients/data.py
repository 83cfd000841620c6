"""Generated data from which something can be learned."""

from __future__ import annotations

from collections.abc import Callable

import torch
from sampling import Database, Relation
from torch import Tensor


def make_communities(relations: dict[Relation, int], num_nodes: dict[str, int], widths: dict[str, int],
                     communities: int, *, loyalty: float = 0.8, signal: float = 1.0,
                     seed: int = 0) -> tuple[Database, dict[str, Tensor]]:  # fmt: skip
    """A heterogeneous graph whose nodes, of all types, are members of communities, and the community of each node.

    Args:
        relations: how many edges each has.
        num_nodes, widths: how many nodes each type has, at least one of each community, and how many features.
        communities: how many there are.
        loyalty: the share of edges whose ends are of one community; the others are between any two nodes.
        signal: how far the features of communities are apart, where those within one have a deviation of 1.
        seed: of all that is drawn: in float64, so that precisions differ by rounding alone.
    """
    generator = torch.Generator().manual_seed(seed)

    def draw(how: Callable, *shape: int) -> Tensor:
        return how(shape, generator=generator, dtype=torch.float64)

    community = {kind: torch.arange(count) % communities for kind, count in num_nodes.items()}
    centre = {kind: signal * draw(torch.randn, communities, width) for kind, width in widths.items()}
    x = {kind: centre[kind][member] + draw(torch.randn, len(member), widths[kind])
         for kind, member in community.items()}  # fmt: skip
    edges = {}
    for (source, name, target), count in relations.items():
        # Squares: nodes in front have more edges than others.
        sources, targets = ((draw(torch.rand, count) ** 2 * num_nodes[kind]).long() for kind in (source, target))
        near = _nearest_member(targets, community[source][sources], communities, num_nodes[target])
        stays = draw(torch.rand, count) < loyalty
        edges[source, name, target] = torch.stack([sources, torch.where(stays, near, targets)])
    times = {kind: torch.randint(1000, (count,), generator=generator) for kind, count in num_nodes.items()}
    dtype = torch.get_default_dtype()
    return Database(num_nodes, edges, {kind: rows.to(dtype) for kind, rows in x.items()}, times), community


def _nearest_member(rows: Tensor, community: Tensor, communities: int, count: int) -> Tensor:
    """For each row, one close to it that is of a community."""
    moved = rows - rows % communities + community
    return torch.where(moved < count, moved, moved - communities)


def with_ways_back(edges: dict[Relation, Tensor]) -> dict[Relation, Tensor]:
    """Edges, and those of each relation in the other direction."""
    back = {(target, f"rev_{name}", source): ends.flip(0) for (source, name, target), ends in edges.items()}
    return {**edges, **back}


def roc_auc(scores: Tensor, labels: Tensor) -> float:
    """The share of pairs of a positive and a negative of which the positive has the higher score, and half of ties."""
    positive, negative = scores[labels > 0][:, None], scores[labels <= 0]
    return ((positive > negative).double() + 0.5 * (positive == negative)).mean().item()

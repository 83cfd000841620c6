"""Generates graphs of the sizes of data sets that cannot be had here."""

from __future__ import annotations

import zlib

import numpy as np
import torch

from .facts import FACTS, Facts
from .graph import HeteroGraph

# Spread of relation sizes: log-normal. Median over mean is 0.38 on aifb and 0.33 on fb15k-237, which gives 1.4 to 1.5.
_RELATION_SIGMA = 1.4
_NODE_TYPE_SIGMA = 1.5


def synthetic(name: str, seed: int = 0, scale: float = 1.0) -> HeteroGraph:
    """Generates a graph of the published size of data set `name` (a key of :data:`FACTS`).

    The numbers of nodes, edges and types are exact (those of nodes and edges times `scale`). Relation sizes and
    degrees are skewed. The numbers of unique (source, edge type) and (destination, edge type) pairs per edge meet
    ``FACTS[name].compaction`` to a few pairs, or come as near as the sizes allow. Edges within a relation are in order
    of source (of destination for an inverse one), as triple files usually are. Few edges repeat, but more where a
    scaled-down graph is nearly full. Graphs of one edge type use every node they can. ``mycielskian17`` is exact:
    `scale` picks a smaller Mycielskian.

    The same arguments give the same graph. Time O(E log E); the largest take a minute and tens of GB.

    Args:
        name: data set, such as "am".
        seed: picks one of the graphs that fit.
        scale: factor on the numbers of nodes and edges.

    Raises:
        ValueError: an unknown name, or a scale that is not positive.
    """
    if name not in FACTS:
        raise ValueError(f"expected one of {', '.join(FACTS)}, got '{name}'")
    if not scale > 0:
        raise ValueError(f"expected a positive scale, got {scale}")
    facts = FACTS[name]
    if facts.exact:
        return _mycielskian(name, max(4, round(facts.nodes * scale)))
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])

    counts, node_types = _node_types(rng, facts, scale)
    if facts.symmetric:
        src, dst = _symmetric(rng, facts, counts[0], round(facts.edges * scale))
        return _graph(name, [src], [dst], [("node", "to", "node")], counts, node_types)

    relations = _relations(rng, facts, counts, node_types, max(1, round(facts.edges * scale)))
    first = np.concatenate([[0], np.cumsum(counts)])
    rank_to_node = [rng.permutation(n) for n in counts]  # a node's popularity has nothing to do with its number
    ends = []
    for side in (0, 1):
        sizes = np.array([relation[3] for relation in relations])
        limits = np.array([counts[relation[side]] for relation in relations])
        ends.append(_unique_counts(sizes, limits, facts.compaction[side] if facts.compaction else 1.0))

    sources, destinations, names = [], [], []
    for r, (source, destination, relation, size) in enumerate(relations):
        src = _endpoints(rng, size, ends[0][r], counts[source], facts.skew)
        dst = _endpoints(rng, size, ends[1][r], counts[destination], facts.skew)
        _separate(rng, src, dst, counts[destination])
        src, dst = rank_to_node[source][src], rank_to_node[destination][dst]
        order = np.argsort(src, kind="stable")
        sources.append(src[order] + first[source])
        destinations.append(dst[order] + first[destination])
        names.append((node_types[source], relation, node_types[destination]))
    if facts.inverses:
        sources, destinations = sources + destinations, destinations + sources
        names += [(destination, "rev-" + relation, source) for source, relation, destination in names]
    return _graph(name, sources, destinations, names, counts, node_types)


def _graph(name, sources, destinations, names, counts, node_types) -> HeteroGraph:
    sizes = torch.tensor([len(part) for part in sources])
    return HeteroGraph(
        name=name,
        src=torch.from_numpy(np.concatenate(sources)),
        dst=torch.from_numpy(np.concatenate(destinations)),
        edge_type=torch.repeat_interleave(torch.arange(len(names)), sizes),
        edge_types=names,
        node_type=torch.repeat_interleave(torch.arange(len(node_types)), torch.tensor(counts)),
        node_types=node_types,
        synthetic=True,
    )


def _split(rng: np.random.Generator, total: int, parts: int, sigma: float) -> np.ndarray:
    """Splits `total` to `parts` log-normal shares of at least 1 (where total >= parts), descending."""
    weights = rng.lognormal(sigma=sigma, size=parts)
    least = min(1, total // parts)
    shares = least + np.floor(weights / weights.sum() * (total - least * parts)).astype(np.int64)
    shares[: total - shares.sum()] += 1
    return np.sort(shares)[::-1].copy()


def _node_types(rng: np.random.Generator, facts: Facts, scale: float) -> tuple[list[int], list[str]]:
    if facts.node_counts:
        return [max(1, round(n * scale)) for n in facts.node_counts.values()], list(facts.node_counts)
    if facts.node_types == 1:
        return [max(1, round(facts.nodes * scale))], ["node"]
    total = max(facts.node_types, round(facts.nodes * scale))
    names = [f"type{t}" for t in range(facts.node_types)]
    return _split(rng, total, facts.node_types, _NODE_TYPE_SIGMA).tolist(), names


def _relations(rng, facts: Facts, counts: list[int], node_types: list[str], edges: int):
    """(source type, destination type, name, edges) of each relation, inverses left out."""
    if facts.relations:
        number = {name: t for t, name in enumerate(node_types)}
        shares = [max(1, round(size * edges / facts.edges)) for *_, size in facts.relations]
        shares[-1] += edges - sum(shares)
        return [(number[s], number[d], relation, size)
                for (s, relation, d, _), size in zip(facts.relations, shares, strict=True)]
    parts = facts.edge_types
    if facts.inverses:
        parts, edges = parts // 2, max(1, edges // 2)
    sizes = _split(rng, edges, parts, _RELATION_SIGMA)
    # End types by their numbers of nodes, and no relation fuller than half of all its possible edges: what it cannot
    # take, the largest relations between the largest types take.
    weights = np.array(counts, dtype=np.float64) / sum(counts)
    ends = rng.choice(len(counts), size=(parts, 2), p=weights)
    ends[0] = int(np.argmax(weights))
    room = np.maximum(1, np.array([counts[s] * counts[d] // 2 for s, d in ends]))
    excess = int(np.maximum(sizes - room, 0).sum())
    sizes = np.minimum(sizes, room)
    for r in range(parts):
        take = int(min(excess, room[r] - sizes[r]))
        sizes[r] += take
        excess -= take
    sizes[0] += excess  # a graph this full repeats edges
    order = rng.permutation(parts)
    return [(int(ends[r, 0]), int(ends[r, 1]), f"rel{i}", int(sizes[r])) for i, r in enumerate(order)]


def _unique_counts(sizes: np.ndarray, limits: np.ndarray, ratio: float) -> np.ndarray:
    """How many distinct end nodes each relation has, so that their sum is ``ratio * sum(sizes)``.

    Every relation has the same share of its size, but no more than `limits`, the nodes that there are; the share is
    found by bisection.
    """
    most = np.minimum(sizes, limits)
    wanted = min(round(ratio * sizes.sum()), int(most.sum()))
    low, high = 0.0, 1.0
    for _ in range(50):
        share = (low + high) / 2
        if np.minimum(most, np.ceil(share * sizes)).sum() < wanted:
            low = share
        else:
            high = share
    return np.maximum(np.minimum(most, np.ceil(high * sizes)), np.minimum(sizes, 1)).astype(np.int64)


def _ranks(rng, size: int, limit: int, skew: float) -> np.ndarray:
    """`size` numbers below `limit`, the small ones the more likely the larger `skew` is."""
    return np.minimum((limit * rng.random(size) ** skew).astype(np.int64), limit - 1)


def _distinct(rng, size: int, limit: int, skew: float) -> np.ndarray:
    """`size` distinct numbers below `limit`, small ones preferred, ascending."""
    if size * 4 >= limit:
        # Exponential races: the smallest of Exp(1) / weight, weight as in _ranks: rank ** (1 / skew - 1).
        keys = rng.exponential(size=limit) * np.arange(1, limit + 1) ** (1 - 1 / skew)
        return np.sort(np.argpartition(keys, size - 1)[:size]) if size else np.empty(0, np.int64)
    chosen = np.empty(0, np.int64)
    while chosen.size < size:
        chosen = np.union1d(chosen, _ranks(rng, 2 * (size - chosen.size) + 16, limit, skew))
    return np.sort(rng.choice(chosen, size, replace=False))


def _endpoints(rng, size: int, unique: int, limit: int, skew: float) -> np.ndarray:
    """`size` end nodes, exactly `unique` of them distinct, in random order."""
    chosen = _distinct(rng, int(unique), limit, skew)
    ends = np.concatenate([chosen, chosen[_ranks(rng, size - chosen.size, chosen.size, skew)]])
    return rng.permutation(ends)


def _separate(rng, src: np.ndarray, dst: np.ndarray, limit: int, rounds: int = 6) -> None:
    """Swaps destinations of repeated edges with those of random ones; degrees stay. In place."""
    for _ in range(rounds):
        key = src * limit + dst
        order = np.argsort(key, kind="stable")
        repeated = order[1:][key[order][1:] == key[order][:-1]]
        if not repeated.size:
            return
        others = rng.permutation(src.size)[: repeated.size]
        free = ~np.isin(others, repeated)
        a, b = repeated[free], others[free]
        dst[a], dst[b] = dst[b], dst[a]  # fancy indexing copies: a true swap


def _symmetric(rng, facts: Facts, nodes: int, edges: int) -> tuple[np.ndarray, np.ndarray]:
    """Edges in both directions, with self loops where the published number includes them."""
    loops = np.arange(min(nodes, edges) if facts.self_loops else 0)
    pairs, odd = divmod(edges - loops.size, 2)
    rank_to_node = rng.permutation(nodes)
    ends = [rank_to_node[_endpoints(rng, pairs, min(nodes, pairs), nodes, facts.skew)] for _ in range(2)]
    _separate(rng, *ends, nodes, rounds=2)
    loops = np.concatenate([loops, np.zeros(odd, np.int64)])  # one more where the published number is odd
    return np.concatenate([ends[0], ends[1], loops]), np.concatenate([ends[1], ends[0], loops])


def _mycielskian(name: str, nodes: int) -> HeteroGraph:
    """The largest Mycielskian of at most `nodes` nodes; the 17th is the SuiteSparse matrix mycielskian17.

    From the graph (V, E) the next one has V, a copy u_i of every v_i, and w; and the edges E, {u_i, v_j} for every
    {v_i, v_j} of E, and {u_i, w}. The 2nd is one edge.
    """
    a, b, count = np.array([0]), np.array([1]), 2
    while 2 * count + 1 <= nodes:
        copies = np.arange(count, 2 * count)
        a, b = (np.concatenate([a, a + count, a, copies]),
                np.concatenate([b, b, b + count, np.full(count, 2 * count)]))
        count = 2 * count + 1
    src, dst = np.concatenate([a, b]), np.concatenate([b, a])
    graph = _graph(name, [src], [dst], [("node", "to", "node")], [count], ["node"])
    graph.synthetic = False
    return graph

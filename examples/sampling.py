"""Heterogeneous neighbour sampling in plain PyTorch, as loaders of minibatches do it.

Seeds come first, then the nodes that each hop finds, so that what a layer needs is a prefix; counts per hop say where
prefixes end. A batch has all types and relations of the graph, empty ones among them, or leaves out what is empty.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

Relation = tuple[str, str, str]


@dataclass
class Batch:
    """A sampled part of a graph.

    Attributes:
        n_id, e_id: of each type and relation, where its rows and edges are in the whole graph.
        edge_index: ends of edges, as rows of the batch.
        num_sampled_nodes: of each type, how many nodes were seeds and how many each hop found.
        num_sampled_edges: of each relation, how many edges each hop followed.
        batch: of each type, the seed that a node was found for; empty unless seeds have trees of their own.
        batch_size: how many seeds there are, of all types.
        seed_time: when each seed asks, where the graph has times.
    """

    n_id: dict[str, Tensor]
    e_id: dict[Relation, Tensor]
    edge_index: dict[Relation, Tensor]
    num_sampled_nodes: dict[str, list[int]]
    num_sampled_edges: dict[Relation, list[int]]
    batch_size: int
    batch: dict[str, Tensor] = field(default_factory=dict)
    seed_time: Tensor | None = None

    def without_empty(self) -> Batch:
        """The same batch without relations that have no edges, and types that have no nodes."""
        nodes = [kind for kind, rows in self.n_id.items() if len(rows)]
        relations = [relation for relation, edges in self.edge_index.items() if edges.shape[1]]

        def keep(values: dict, names: list) -> dict:
            return {name: values[name] for name in names if name in values}

        return Batch(keep(self.n_id, nodes), keep(self.e_id, relations), keep(self.edge_index, relations),
                     keep(self.num_sampled_nodes, nodes), keep(self.num_sampled_edges, relations), self.batch_size,
                     keep(self.batch, nodes), self.seed_time)  # fmt: skip

    def homogeneous(self) -> tuple[Tensor, Tensor, Tensor]:
        """Numbers of all nodes, type after type, edges among them, and the relation of each edge."""
        starts, total = {}, 0
        for kind, rows in self.n_id.items():
            starts[kind], total = total, total + len(rows)
        moved = [edges + torch.tensor([[starts[source]], [starts[target]]])
                 for (source, _, target), edges in self.edge_index.items()]  # fmt: skip
        types = [torch.full((edges.shape[1],), number) for number, edges in enumerate(moved)]
        return torch.arange(total), torch.cat(moved, 1), torch.cat(types)


class Sampler:
    """Draws neighbours of seeds.

    Args:
        num_nodes: of each type.
        edges: of each relation, the rows of both ends.
        fanouts: how many edges each hop follows at most, into each node and per relation.
        times: of some types, when each node came to be: nodes that are later than their seed are not found.
        disjoint: whether each seed has a tree of its own, in which nodes of other trees are nodes again.
    """

    def __init__(self, num_nodes: dict[str, int], edges: dict[Relation, Tensor], fanouts: list[int],
                 times: dict[str, Tensor] | None = None, disjoint: bool = False):  # fmt: skip
        self.num_nodes, self.edges, self.fanouts = num_nodes, edges, fanouts
        self.times, self.disjoint = times or {}, disjoint or bool(times)
        self._by_target = {}
        for relation, (_, target) in edges.items():
            count = torch.bincount(target, minlength=num_nodes[relation[2]])
            self._by_target[relation] = target.argsort(stable=True), torch.cat([count.new_zeros(1), count.cumsum(0)])

    def sample(self, seeds: dict[str, Tensor], generator: torch.Generator, seed_time: Tensor | None = None) -> Batch:
        """The batch of some nodes of one type or of several; their times are in the order of the seeds."""
        batch_size = sum(map(len, seeds.values()))
        trees = batch_size if self.disjoint else 1
        nodes = {kind: torch.zeros(0, dtype=torch.long) for kind in self.num_nodes}
        tree_of = {kind: torch.zeros(0, dtype=torch.long) for kind in self.num_nodes}
        row_of = {kind: torch.full((trees * count,), -1) for kind, count in self.num_nodes.items()}
        found = {kind: [0] for kind in self.num_nodes}
        followed: dict[Relation, list[int]] = {relation: [] for relation in self.edges}
        parts: dict[Relation, list[tuple[Tensor, Tensor]]] = {relation: [] for relation in self.edges}

        def add(kind: str, new: Tensor, trees: Tensor) -> None:
            start = len(nodes[kind])
            row_of[kind][trees * self.num_nodes[kind] + new] = torch.arange(start, start + len(new))
            nodes[kind], tree_of[kind] = torch.cat([nodes[kind], new]), torch.cat([tree_of[kind], trees])

        start = 0
        for kind, rows in seeds.items():
            add(kind, rows, torch.arange(start, start + len(rows)) if self.disjoint else torch.zeros_like(rows))
            found[kind][0], start = len(rows), start + len(rows)
        for fanout in self.fanouts:
            first = {kind: len(rows) - found[kind][-1] for kind, rows in nodes.items()}
            last = {kind: len(rows) for kind, rows in nodes.items()}
            for relation in self.edges:
                source, _, target = relation
                rows = torch.arange(first[target], last[target])
                edge, into = self._draw(relation, nodes[target][rows], rows, fanout, generator)
                if source in self.times and seed_time is not None:
                    is_past = self.times[source][self.edges[relation][0, edge]] <= seed_time[tree_of[target][into]]
                    edge, into = edge[is_past], into[is_past]
                place = tree_of[target][into] * self.num_nodes[source] + self.edges[relation][0, edge]
                new = torch.unique(place[row_of[source][place] < 0])
                add(source, new % self.num_nodes[source], new // self.num_nodes[source])
                parts[relation].append((edge, torch.stack([row_of[source][place], into])))
                followed[relation].append(len(edge))
            for kind, rows in nodes.items():
                found[kind].append(len(rows) - last[kind])
        e_id = {relation: torch.cat([edge for edge, _ in drawn]) for relation, drawn in parts.items()}
        edge_index = {relation: torch.cat([ends for _, ends in drawn], 1) for relation, drawn in parts.items()}
        return Batch(nodes, e_id, edge_index, found, followed, batch_size, tree_of if self.disjoint else {}, seed_time)

    def _draw(self, relation: Relation, targets: Tensor, rows: Tensor, fanout: int,
              generator: torch.Generator) -> tuple[Tensor, Tensor]:  # fmt: skip
        """Some of the edges into nodes, and the rows that these have in the batch."""
        order, starts = self._by_target[relation]
        degree = starts[targets + 1] - starts[targets]
        owner = torch.repeat_interleave(torch.arange(len(targets)), degree)
        behind = torch.arange(len(owner)) - torch.repeat_interleave(degree.cumsum(0) - degree, degree)
        edges = order[starts[targets][owner] + behind]
        # Those of each node in an order of chance, of which the first are taken.
        shuffled = torch.rand(len(owner), generator=generator, dtype=torch.float64).argsort()
        shuffled = shuffled[owner[shuffled].argsort(stable=True)]
        kept = shuffled[behind < fanout]
        return edges[kept], rows[owner[kept]]


# ---- graphs ----------------------------------------------------------------------------------------------------------


@dataclass
class Database:
    """A heterogeneous graph with features, of which batches are drawn."""

    num_nodes: dict[str, int]
    edges: dict[Relation, Tensor]
    x: dict[str, Tensor]
    times: dict[str, Tensor]

    @property
    def metadata(self) -> tuple[list[str], list[Relation]]:
        return list(self.num_nodes), list(self.edges)


def make_database(relations: dict[Relation, int], num_nodes: dict[str, int], widths: dict[str, int], seed: int = 0,
                  dtype: torch.dtype = torch.float64) -> Database:  # fmt: skip
    """A random graph with some number of edges of each relation, a few nodes of which have most of them."""
    generator = torch.Generator().manual_seed(seed)
    edges = {}
    for (source, name, target), count in relations.items():
        ends = [torch.rand(count, generator=generator) ** 2 * num_nodes[kind] for kind in (source, target)]
        edges[source, name, target] = torch.stack(ends).long()
    x = {kind: torch.randn(count, widths[kind], generator=generator, dtype=dtype) for kind, count in num_nodes.items()}
    times = {kind: torch.randint(1000, (count,), generator=generator) for kind, count in num_nodes.items()}
    return Database(num_nodes, edges, x, times)


def with_reverses(relations: dict[Relation, int]) -> dict[Relation, int]:
    """Relations, and the way back of each that leads from one type to another."""
    back = {(target, f"rev_{name}", source): count for (source, name, target), count in relations.items()
            if source != target}  # fmt: skip
    return {**relations, **back}

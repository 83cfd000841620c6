"""Completes a knowledge graph by paths: who is the tail of a head and a relation?

For each question, rows of all nodes start as zeros, but for that of the head, which starts as the relation that is
asked for: the boundary. A layer adds up the rows of sources, combined with relations, over the edges into a node, and
its boundary. Questions of a batch are a dimension of all rows.

Zhu et al., "Neural Bellman-Ford Networks" (NeurIPS 2021); Galkin et al., "Towards Foundation Models for Knowledge Graph
Reasoning" (ICLR 2024).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.nn import MessagePassing

from .client import Client, Step

STRIDES = 1, 2, 3, 5, 7


class RelationalConv(MessagePassing):
    """A step along all paths.

    Args:
        width: of rows.
        num_relations: each has a row that depends on the relation that is asked for.
        combine: ``"mul"``, ``"add"``, or ``"rotate"``, where halves of rows are real and imaginary parts.
    """

    def __init__(self, width: int, num_relations: int, combine: str):
        super().__init__(aggr="sum", node_dim=-2)
        self.combine, self.num_relations = combine, num_relations
        self.relations = nn.Linear(width, num_relations * width)
        self.lin, self.norm = nn.Linear(2 * width, width), nn.LayerNorm(width)

    def forward(self, x: Tensor, boundary: Tensor, query: Tensor, edge_index: Tensor, edge_type: Tensor) -> Tensor:
        """Rows ``[B, N, width]`` from rows, boundary and the relations that are asked for, ``[B, width]``."""
        relations = self.relations(query).view(len(query), self.num_relations, -1)
        out = self.propagate(edge_index, x=x, relation=relations[:, edge_type]) + boundary
        return self.norm(self.lin(torch.cat([x, out], dim=-1))).relu()

    def message(self, x_j: Tensor, relation: Tensor) -> Tensor:
        if self.combine == "add":
            return x_j + relation
        if self.combine == "mul":
            return x_j * relation
        (real, imaginary), (cosine, sine) = x_j.chunk(2, dim=-1), relation.chunk(2, dim=-1)
        return torch.cat([real * cosine - imaginary * sine, real * sine + imaginary * cosine], dim=-1)


class NBFNet(nn.Module):
    """Layers with skips, and a score of each node."""

    def __init__(self, num_nodes: int, num_relations: int, width: int, layers: int, combine: str):
        super().__init__()
        self.num_nodes = num_nodes
        self.query = nn.Embedding(num_relations, width)
        self.convs = nn.ModuleList(RelationalConv(width, num_relations, combine) for _ in range(layers))
        self.head = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, head: Tensor, relation: Tensor, edge_index: Tensor, edge_type: Tensor) -> Tensor:
        """Scores of all nodes for each question, ``[B, N]``."""
        query = self.query(relation)
        is_head = F.one_hot(head, self.num_nodes).to(query.dtype)
        boundary = is_head[:, :, None] * query[:, None, :]
        x = boundary
        for conv in self.convs:
            x = x + conv(x, boundary, query, edge_index, edge_type)
        return self.head(torch.cat([x, query[:, None, :].expand_as(x)], dim=-1)).squeeze(-1)


def measure(rank: Tensor) -> dict[str, float]:
    """Mean reciprocal rank, and the share of ranks up to 10."""
    return {"MRR": (1 / rank).mean().item(), "hits@10": (rank <= 10).double().mean().item()}


def make(quick: bool, combine: str) -> Client:
    """Nodes on a ring; relations lead so many nodes on, or back, and a tenth of the triples is not known."""
    nodes, width, layers, questions = (30, 8, 2, 8) if quick else (120, 32, 4, 32)
    source = torch.arange(nodes).repeat(len(STRIDES))
    kind = torch.arange(len(STRIDES)).repeat_interleave(nodes)
    ends = torch.stack([source, (source + torch.tensor(STRIDES)[kind]) % nodes])
    order = torch.randperm(len(kind), generator=torch.Generator().manual_seed(0))
    test, known = order[: len(order) // 10], order[len(order) // 10 :]

    def edges(triples: Tensor) -> tuple[Tensor, Tensor]:
        """Edges along triples and back."""
        there, types = ends[:, triples], kind[triples]
        return torch.cat([there, there.flip(0)], dim=1), torch.cat([types, types + len(STRIDES)])

    def draw(step: int) -> Step:
        """Some triples are asked for, in one direction or the other, and are no edges meanwhile."""
        generator = torch.Generator().manual_seed(step)
        mixed = known[torch.randperm(len(known), generator=generator)]
        asked, rest = mixed[:questions], mixed[questions:]
        (heads, tails), relations = edges(asked)
        return (heads, relations, *edges(rest)), tails

    def evaluate(model: nn.Module) -> dict[str, float]:
        """The ranks of tails, of which there is one for each head and relation, among all nodes."""
        (heads, tails), relations = edges(test)
        scores = model(heads, relations, *edges(known))
        own = scores.gather(1, tails[:, None])
        rank = 1 + (scores > own).sum(dim=1) + ((scores == own).sum(dim=1) - 1) / 2
        return measure(rank)

    model = NBFNet(nodes, 2 * len(STRIDES), width, layers, combine)
    return Client(model, draw, F.cross_entropy, evaluate, chance=measure(torch.arange(1, nodes + 1)))


def mul(quick: bool) -> Client:
    return make(quick, "mul")


def add(quick: bool) -> Client:
    return make(quick, "add")


def rotate(quick: bool) -> Client:
    return make(quick, "rotate")

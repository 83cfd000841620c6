"""Nodes of one type are classified on a whole graph: HGT on one like DBLP, HAN on one like IMDB.

Hu et al., "Heterogeneous Graph Transformer" (WWW 2020); Wang et
al., "Heterogeneous Graph Attention Network" (WWW 2019).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from sampling import Database, Relation
from torch import Tensor, nn
from torch_geometric.nn import HANConv, HGTConv, Linear

from .client import Client, Step
from .data import make_communities, with_ways_back

CLASSES = 4


class HGT(nn.Module):
    """A linear layer per type, whose widths the first call finds, two layers of HGT, and a head."""

    def __init__(self, database: Database, target: str, width: int, heads: int = 4):
        super().__init__()
        self.target = target
        self.lins = nn.ModuleDict({kind: Linear(-1, width) for kind in database.num_nodes})
        self.convs = nn.ModuleList(HGTConv(width, width, database.metadata, heads) for _ in range(2))
        self.head = nn.Linear(width, CLASSES)

    def forward(self, x_dict: dict[str, Tensor], edge_index_dict: dict[Relation, Tensor]) -> Tensor:
        x_dict = {kind: self.lins[kind](x).relu_() for kind, x in x_dict.items()}
        for conv in self.convs:
            x_dict = conv(x_dict, edge_index_dict)
        return self.head(x_dict[self.target])


class HAN(nn.Module):
    """Attention within each meta-path and among them, with dropout, and a head."""

    def __init__(self, database: Database, target: str, width: int, heads: int = 8):
        super().__init__()
        self.target = target
        self.conv = HANConv(-1, width, database.metadata, heads, dropout=0.6)
        self.head = nn.Linear(width, CLASSES)

    def forward(self, x_dict: dict[str, Tensor], edge_index_dict: dict[Relation, Tensor]) -> Tensor:
        return self.head(self.conv(x_dict, edge_index_dict)[self.target])


def make(database: Database, label: Tensor, model: nn.Module) -> Client:
    """Half of the nodes of each class train, the others test."""
    is_training = torch.arange(len(label)) // CLASSES % 2 == 0
    args = database.x, database.edges

    def draw(step: int) -> Step:
        return args, label[is_training]

    def loss(out: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(out[is_training], target)

    def evaluate(model: nn.Module) -> dict[str, float]:
        is_right = (model(*args).argmax(-1) == label)[~is_training]
        return {"accuracy": is_right.double().mean().item()}

    return Client(model, draw, loss, evaluate, chance={"accuracy": 1 / CLASSES})


def hgt(quick: bool) -> Client:
    """Authors of papers, which are at conferences and have terms."""
    scale, width = (10, 16) if quick else (400, 64)
    num_nodes = {"author": 4 * scale, "paper": 14 * scale, "term": 8 * scale, "conference": 20}
    edges = {("author", "writes", "paper"): 20 * scale, ("paper", "has", "term"): 80 * scale,
             ("paper", "at", "conference"): 14 * scale}  # fmt: skip
    widths = {"author": 16, "paper": 24, "term": 12, "conference": 1}
    database, label = make_communities(edges, num_nodes, widths, CLASSES, signal=0.2)
    database.edges = with_ways_back(database.edges)
    return make(database, label["author"], HGT(database, "author", width))


def meta_path(edges: Tensor, count: int) -> Tensor:
    """The pairs of sources that have a target in common, each once."""
    incidence = torch.zeros(count, int(edges[1].max()) + 1)
    incidence[edges[0], edges[1]] = 1
    return (incidence @ incidence.T).nonzero().T.contiguous()


def han(quick: bool) -> Client:
    """Movies, by the pairs that have an actor or a director in common."""
    scale, width = (6, 16) if quick else (300, 64)
    num_nodes = {"movie": 8 * scale, "actor": 10 * scale, "director": 4 * scale}
    edges = {("movie", "stars", "actor"): 24 * scale, ("movie", "by", "director"): 8 * scale}
    database, label = make_communities(edges, num_nodes, dict.fromkeys(num_nodes, 32), CLASSES, signal=0.2)
    paths = {("movie", f"same_{target}", "movie"): meta_path(ends, num_nodes["movie"])
             for (_, _, target), ends in database.edges.items()}  # fmt: skip
    movies = Database({"movie": num_nodes["movie"]}, paths, {"movie": database.x["movie"]}, {})
    return make(movies, label["movie"], HAN(movies, "movie", width))

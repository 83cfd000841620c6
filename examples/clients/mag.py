"""The venue of a paper from its surroundings, on a graph like ogbn-mag, by batches of sampled neighbours.

R-GCN, whose relations are types of edges of one graph of all nodes; and R-GAT, a layer of attention per relation.

Schlichtkrull et al., "Modeling Relational Data with Graph Convolutional Networks" (ESWC 2018); Hu et al., "Open Graph
Benchmark" (NeurIPS 2020) and "OGB-LSC" (2021).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from sampling import Batch, Database, Relation, Sampler
from torch import Tensor, nn
from torch_geometric.nn import GATConv, HeteroConv, RGCNConv

from .client import Client, Step
from .data import make_communities, with_ways_back

VENUES = 8
NODES = {"paper": 8, "author": 10, "institution": 1, "field": 2}
EDGES = {("author", "affiliated_with", "institution"): 10, ("author", "writes", "paper"): 25,
         ("paper", "cites", "paper"): 30, ("paper", "has_topic", "field"): 25}  # fmt: skip
WIDTHS = {"paper": 16, "author": 8, "institution": 4, "field": 8}


class RGCN(nn.Module):
    """A linear layer per type of nodes, then two layers of R-GCN over all nodes and all relations at once."""

    def __init__(self, database: Database, width: int):
        super().__init__()
        relations = len(database.edges)
        self.lins = nn.ModuleDict({kind: nn.Linear(x.shape[1], width) for kind, x in database.x.items()})
        self.conv1 = RGCNConv(width, width, relations)
        self.conv2 = RGCNConv(width, VENUES, relations)

    def forward(self, x_dict: dict[str, Tensor], edge_index: Tensor, edge_type: Tensor, seeds: int) -> Tensor:
        """Scores of the first nodes, which are papers."""
        x = torch.cat([self.lins[kind](x) for kind, x in x_dict.items()])
        x = self.conv1(x, edge_index, edge_type).relu()
        return self.conv2(x, edge_index, edge_type)[:seeds]


class RGAT(nn.Module):
    """Two layers of attention per relation, a normalisation per type, a skip, and a head."""

    def __init__(self, database: Database, width: int, heads: int = 4):
        super().__init__()
        kinds, relations = database.metadata
        self.skips = nn.ModuleDict({kind: nn.Linear(x.shape[1], width) for kind, x in database.x.items()})
        self.convs = nn.ModuleList(
            HeteroConv({relation: GATConv((-1, -1), width // heads, heads, add_self_loops=False)
                        for relation in relations})
            for _ in range(2))  # fmt: skip
        self.norms = nn.ModuleDict({kind: nn.BatchNorm1d(width) for kind in kinds})
        self.head = nn.Linear(width, VENUES)

    def forward(self, x_dict: dict[str, Tensor], edge_index_dict: dict[Relation, Tensor], seeds: int) -> Tensor:
        """Scores of the first papers."""
        skips = {kind: self.skips[kind](x) for kind, x in x_dict.items()}
        x_dict = {kind: F.elu(self.norms[kind](x + skips[kind]))
                  for kind, x in self.convs[0](x_dict, edge_index_dict).items()}  # fmt: skip
        return self.head(self.convs[1](x_dict, edge_index_dict)["paper"][:seeds])


def make(quick: bool, make_model: Callable[[Database, int], nn.Module], is_joint: bool) -> Client:
    scale, width, seeds, fanout = (12, 16, 12, 4) if quick else (500, 64, 128, 8)
    counts = [{name: factor * scale for name, factor in factors.items()} for factors in (EDGES, NODES)]
    database, venue = make_communities(*counts, WIDTHS, communities=VENUES, signal=0.3)
    database.edges = with_ways_back(database.edges)
    sampler = Sampler(database.num_nodes, database.edges, [fanout, fanout])
    papers = torch.randperm(database.num_nodes["paper"], generator=torch.Generator().manual_seed(0))
    test, training = papers[: len(papers) // 4], papers[len(papers) // 4 :]

    def split(batch: Batch) -> Step:
        x = {kind: database.x[kind][rows] for kind, rows in batch.n_id.items()}
        edges = batch.homogeneous()[1:] if is_joint else (batch.edge_index,)
        return (x, *edges, batch.batch_size), venue["paper"][batch.n_id["paper"][: batch.batch_size]]

    def draw(step: int) -> Step:
        generator = torch.Generator().manual_seed(step)
        chosen = torch.randperm(len(training), generator=generator)[:seeds]
        return split(sampler.sample({"paper": training[chosen]}, generator))

    def evaluate(model: nn.Module) -> dict[str, float]:
        generator = torch.Generator().manual_seed(0)
        parts = [split(sampler.sample({"paper": part}, generator)) for part in test.split(seeds)]
        is_right = torch.cat([model(*args).argmax(-1) == label for args, label in parts])
        return {"accuracy": is_right.double().mean().item()}

    return Client(make_model(database, width), draw, F.cross_entropy, evaluate,
                  chance={"accuracy": 1 / VENUES})  # fmt: skip


def rgcn(quick: bool) -> Client:
    return make(quick, RGCN, is_joint=True)


def rgat(quick: bool) -> Client:
    return make(quick, RGAT, is_joint=False)

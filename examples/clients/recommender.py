"""Items for users: a model of one type of nodes, made one of users and items by to_hetero, on sampled links.

Batches are links that hold, as many that were drawn at random, and the surroundings of their ends. The score of a link
is the dot product of the rows of its ends.

Hamilton et al., "Inductive Representation Learning on Large Graphs" (NeurIPS 2017).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from sampling import Database, Relation, Sampler
from torch import Tensor, nn
from torch_geometric.nn import SAGEConv, to_hetero

from .client import Client, Step
from .data import make_communities, roc_auc, with_ways_back

RATES = "user", "rates", "item"


class Encoder(nn.Module):
    """Two layers of SAGE, whose widths the first call finds."""

    def __init__(self, width: int):
        super().__init__()
        self.conv1 = SAGEConv((-1, -1), width)
        self.conv2 = SAGEConv((-1, -1), width)
        self.lin = nn.Linear(width, width)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        x = self.conv1(x, edge_index).relu()
        x = self.conv2(x, edge_index).relu()
        return self.lin(x)


class Recommender(nn.Module):
    """The encoder for each type and relation, and scores of pairs of rows."""

    def __init__(self, database: Database, width: int):
        super().__init__()
        self.encoder = to_hetero(Encoder(width), database.metadata, aggr="sum")

    def forward(self, x_dict: dict[str, Tensor], edge_index_dict: dict[Relation, Tensor], pairs: Tensor) -> Tensor:
        """Scores of pairs of a user and an item, ``[2, P]``."""
        x_dict = self.encoder(x_dict, edge_index_dict)
        return (x_dict["user"][pairs[0]] * x_dict["item"][pairs[1]]).sum(dim=-1)


def make(quick: bool) -> Client:
    scale, width, links, fanout = (20, 16, 16, 4) if quick else (500, 64, 128, 8)
    num_nodes, widths = {"user": 3 * scale, "item": 2 * scale}, {"user": 12, "item": 16}
    database, _ = make_communities({RATES: 40 * scale}, num_nodes, widths, communities=6, loyalty=0.9, signal=0.5)
    order = torch.randperm(40 * scale, generator=torch.Generator().manual_seed(0))
    known, training, test = database.edges[RATES][:, order].split([24 * scale, 12 * scale, 4 * scale], dim=1)
    database.edges = with_ways_back({RATES: known.contiguous()})
    sampler = Sampler(database.num_nodes, database.edges, [fanout, fanout])

    def ask(positive: Tensor, seed: int) -> Step:
        """Links, the same users with other items, and what is sampled around all of them."""
        generator = torch.Generator().manual_seed(seed)
        others = torch.randint(num_nodes["item"], (positive.size(1),), generator=generator)
        users, user_rows = positive[0].repeat(2).unique(return_inverse=True)
        items, item_rows = torch.cat([positive[1], others]).unique(return_inverse=True)
        batch = sampler.sample({"user": users, "item": items}, generator)
        x = {kind: database.x[kind][rows] for kind, rows in batch.n_id.items()}
        holds = torch.arange(2 * len(others)) < len(others)
        return (x, batch.edge_index, torch.stack([user_rows, item_rows])), holds.to(torch.get_default_dtype())

    def draw(step: int) -> Step:
        chosen = torch.randint(training.size(1), (links,), generator=torch.Generator().manual_seed(step))
        return ask(training[:, chosen], step)

    def evaluate(model: nn.Module) -> dict[str, float]:
        parts = [ask(part, seed) for seed, part in enumerate(test.split(links, dim=1))]
        scores, holds = torch.cat([model(*args) for args, _ in parts]), torch.cat([holds for _, holds in parts])
        return {"ROC AUC": roc_auc(scores, holds)}

    model = Recommender(database, width)
    return Client(model, draw, F.binary_cross_entropy_with_logits, evaluate, chance={"ROC AUC": 0.5})

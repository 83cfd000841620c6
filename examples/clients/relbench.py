"""Deep learning on relational databases: will a customer, at some time, be one of those who stay?

Tables are types of nodes, and keys that lead from one table to another are relations, in both directions. Each customer
that is asked about gets a tree of rows that are older than the question. Rows are encoded by the columns and the age
that they have, and go through two layers of SAGE, or of GATv2, per relation.

Robinson et al., "RelBench: A Benchmark for Deep Learning on Relational Databases" (2024).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F
from sampling import Batch, Database, Relation, Sampler
from torch import Tensor, nn
from torch_geometric.nn import MLP, GATv2Conv, HeteroConv, LayerNorm, PositionalEncoding, SAGEConv

from .client import Client, Step
from .data import make_communities, roc_auc, with_ways_back

ENTITY = "customers"
KEYS = {("reviews", "customer", "customers"): 4, ("reviews", "product", "products"): 4,
        ("sessions", "by", "customers"): 3}  # fmt: skip
WIDTHS = {"customers": 4, "products": 8, "reviews": 6, "sessions": 3}


class RowEncoder(nn.Module):
    """The columns of a table: a residual layer behind a linear one."""

    def __init__(self, columns: int, width: int):
        super().__init__()
        self.first = nn.Linear(columns, width)
        self.block = nn.Sequential(nn.LayerNorm(width), nn.ReLU(), nn.Linear(width, width))

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(x)
        return x + self.block(x)


class AgeEncoder(nn.Module):
    """How long before the question a row was written, in days."""

    def __init__(self, width: int):
        super().__init__()
        self.wave, self.lin = PositionalEncoding(width), nn.Linear(width, width)

    def forward(self, seed_time: Tensor, time: Tensor, batch: Tensor) -> Tensor:
        return self.lin(self.wave((seed_time[batch] - time) / 24))


class RelationalModel(nn.Module):
    """Encoders per table, layers of a convolution per relation and a normalisation per table, a head on the seeds."""

    def __init__(self, database: Database, width: int, make_conv: Callable[[], nn.Module], layers: int):
        super().__init__()
        tables, relations = database.metadata
        self.rows = nn.ModuleDict({table: RowEncoder(x.shape[1], width) for table, x in database.x.items()})
        self.ages = nn.ModuleDict({table: AgeEncoder(width) for table in database.times})
        self.convs = nn.ModuleList(HeteroConv({relation: make_conv() for relation in relations}, aggr="sum")
                                   for _ in range(layers))  # fmt: skip
        self.norms = nn.ModuleList(nn.ModuleDict({table: LayerNorm(width, mode="node") for table in tables})
                                   for _ in range(layers))  # fmt: skip
        self.head = MLP([width, width, 1], norm="batch_norm")

    def forward(self, x_dict: dict[str, Tensor], edge_index_dict: dict[Relation, Tensor], seed_time: Tensor,
                time_dict: dict[str, Tensor], batch_dict: dict[str, Tensor]) -> Tensor:  # fmt: skip
        """Scores of the seeds, ``[len(seed_time)]``."""
        x_dict = {table: self.rows[table](x) for table, x in x_dict.items()}
        for table, time in time_dict.items():
            x_dict[table] = x_dict[table] + self.ages[table](seed_time, time, batch_dict[table])
        for conv, norms in zip(self.convs, self.norms):
            x_dict = {table: norms[table](x).relu() for table, x in conv(x_dict, edge_index_dict).items()}
        return self.head(x_dict[ENTITY][: seed_time.size(0)]).squeeze(-1)


def make(quick: bool, make_conv: Callable[[int], nn.Module]) -> Client:
    scale, width, layers, seeds, fanout = (40, 16, 1, 16, 4) if quick else (800, 64, 2, 128, 12)
    num_nodes = {"customers": scale, "products": scale // 4, "reviews": 4 * scale, "sessions": 3 * scale}
    keys = {relation: factor * scale for relation, factor in KEYS.items()}
    database, stays = make_communities(keys, num_nodes, WIDTHS, communities=2, signal=0.4)
    database.edges = with_ways_back(database.edges)
    del database.times["products"]  # products have no time: they are always there
    sampler = Sampler(database.num_nodes, database.edges, [fanout] * layers, database.times)
    order = torch.randperm(scale, generator=torch.Generator().manual_seed(0))
    test, training = order[: scale // 4], order[scale // 4 :]

    def ask(customers: Tensor, seed: int) -> Batch:
        """Rows for a question about each customer, at a time that is drawn."""
        generator = torch.Generator().manual_seed(seed)
        time = torch.randint(500, 1000, (len(customers),), generator=generator)
        return sampler.sample({ENTITY: customers}, generator, time)

    def split(batch: Batch) -> Step:
        x = {table: database.x[table][rows] for table, rows in batch.n_id.items()}
        times = {table: times[batch.n_id[table]] for table, times in database.times.items()}
        labels = stays[ENTITY][batch.n_id[ENTITY][: batch.batch_size]]
        return (x, batch.edge_index, batch.seed_time, times, batch.batch), labels.to(torch.get_default_dtype())

    def draw(step: int) -> Step:
        chosen = torch.randint(len(training), (seeds,), generator=torch.Generator().manual_seed(step))
        return split(ask(training[chosen], step))

    def evaluate(model: nn.Module) -> dict[str, float]:
        parts = [split(ask(part, seed=-1)) for part in test.split(seeds)]
        scores, labels = torch.cat([model(*args) for args, _ in parts]), torch.cat([labels for _, labels in parts])
        return {"ROC AUC": roc_auc(scores, labels)}

    model = RelationalModel(database, width, lambda: make_conv(width), layers)
    # Where a score is so close to 0 that rounding decides the slope of a leaky ReLU, gradients differ: with Adam, soon
    # all else does.
    optimizer = partial(torch.optim.SGD, lr=0.05, momentum=0.9)
    return Client(model, draw, F.binary_cross_entropy_with_logits, evaluate, {"ROC AUC": 0.5}, optimizer)


def sage(quick: bool) -> Client:
    return make(quick, lambda width: SAGEConv((width, width), width, aggr="mean"))


def gat(quick: bool) -> Client:
    return make(quick, lambda width: GATv2Conv((width, width), width, heads=4, concat=False, add_self_loops=False))

"""A number of each of many small graphs, such as molecules: messages along edges with features beside attention.

Rampasek et al., "Recipe for a General, Powerful, Scalable Graph Transformer" (NeurIPS 2022).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GINEConv, GPSConv, global_mean_pool

from .client import Client, Step

ATOMS, BONDS = 6, 3


class GPS(nn.Module):
    """Embeddings of nodes and edges, layers of GPS, and a head on the mean of the rows of each graph."""

    def __init__(self, width: int, layers: int, heads: int = 4):
        super().__init__()
        self.atoms, self.bonds = nn.Embedding(ATOMS, width), nn.Embedding(BONDS, width)
        self.convs = nn.ModuleList(
            GPSConv(width, GINEConv(nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width))), heads)
            for _ in range(layers))  # fmt: skip
        self.head = nn.Sequential(nn.Linear(width, width // 2), nn.ReLU(), nn.Linear(width // 2, 1))

    def forward(self, atom: Tensor, edge_index: Tensor, bond: Tensor, batch: Tensor) -> Tensor:
        """A number of each graph."""
        x, edge_attr = self.atoms(atom), self.bonds(bond)
        for conv in self.convs:
            x = conv(x, edge_index, batch, edge_attr=edge_attr)
        return self.head(global_mean_pool(x, batch)).squeeze(-1)


def make_graph(generator: torch.Generator) -> Data:
    """A tree with some more edges; the number is the mean of what bonds weigh, by the atoms that they are between."""
    nodes = int(torch.randint(6, 20, (), generator=generator))
    parents = (torch.rand(nodes - 1, generator=generator, dtype=torch.float64) * torch.arange(1, nodes)).long()
    more = torch.randint(nodes, (2, nodes // 4), generator=generator)
    ends = torch.cat([torch.stack([parents, torch.arange(1, nodes)]), more], dim=1)
    atom = torch.randint(ATOMS, (nodes,), generator=generator)
    bond = torch.randint(BONDS, (ends.size(1),), generator=generator)
    weight = torch.where(atom[ends].sum(dim=0) < ATOMS, 1, 2) * (bond - 1)
    return Data(x=atom, edge_index=torch.cat([ends, ends.flip(0)], dim=1), edge_attr=bond.repeat(2),
                y=2 * weight.to(torch.get_default_dtype()).mean())  # fmt: skip


def make(quick: bool) -> Client:
    count, width, layers, size = (40, 16, 1, 8) if quick else (1000, 64, 2, 128)
    generator = torch.Generator().manual_seed(0)
    graphs = [make_graph(generator) for _ in range(count)]
    training, test = graphs[count // 5 :], graphs[: count // 5]

    def join(graphs: list[Data]) -> Step:
        batch = Batch.from_data_list(graphs)
        return (batch.x, batch.edge_index, batch.edge_attr, batch.batch), batch.y

    def draw(step: int) -> Step:
        chosen = torch.randperm(len(training), generator=torch.Generator().manual_seed(step))[:size]
        return join([training[number] for number in chosen.tolist()])

    def evaluate(model: nn.Module) -> dict[str, float]:
        args, y = join(test)
        return {"MAE": F.l1_loss(model(*args), y).item()}

    mean = torch.stack([graph.y for graph in training]).mean()
    chance = torch.stack([graph.y - mean for graph in test]).abs().mean().item()
    return Client(GPS(width, layers), draw, F.l1_loss, evaluate, chance={"MAE": chance})

"""What beside_dgl.py measures: layers of DGL, and the models of Graphiler as functions of messages."""

from __future__ import annotations

from dataclasses import dataclass

LAYERS = ("GraphConv", "GraphConv weights", "SAGEConv mean", "SAGEConv gcn", "SAGEConv pool", "GATConv", "GATv2Conv",
          "RelGraphConv", "RelGraphConv basis", "RelGraphConv bdd", "HGTConv", "GINConv sum", "GINConv max", "GINEConv",
          "EdgeConv", "SGConv", "TAGConv", "APPNPConv", "GMMConv", "NNConv", "AGNNConv", "DotGatConv",
          "GatedGraphConv", "GCN2Conv")  # fmt: skip
# With the peers that they have; nothing of DGL computes C-GAT but functions of mailboxes.
MODELS = {"GCN": ("rgnn", "dgl-functions", "dgl-own"), "GAT": ("rgnn", "dgl-functions", "dgl-own"),
          "C-GAT": ("rgnn", "dgl-functions"), "C-GAT flat": ("rgnn", "dgl-functions"),
          "RGCN": ("rgnn", "dgl-functions", "dgl-own"), "HGT": ("rgnn", "dgl-functions", "dgl-own")}  # fmt: skip
TYPED = ("RGCN", "HGT")

TYPED_GRAPHS, PLAIN_GRAPHS = ("aifb", "mutag"), ("synthetic:pubmed", "synthetic:ppi")
QUICK_TYPED, QUICK_PLAIN = ("synthetic:aifb:0.02",), ("synthetic:pubmed:0.01",)


@dataclass(frozen=True)
class Cell:
    """A model on a graph, in inference or training; `peers` are measured in turns, the last one's numbers are right."""

    suite: str  # "layer" or "model"
    model: str
    graph: str
    mode: str  # "inference" or "training"
    peers: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.suite} {self.model} {self.graph} {self.mode}"


def cells(quick: bool = False) -> list[Cell]:
    """All cells; `quick`: on a tiny graph for each model."""
    typed, plain = (QUICK_TYPED, QUICK_PLAIN) if quick else (TYPED_GRAPHS, PLAIN_GRAPHS)
    modes = ("inference", "training")
    result = [Cell("layer", layer, graph, mode, ("rgnn", "dgl"))
              for layer in LAYERS for graph in typed for mode in modes]  # fmt: skip
    return result + [Cell("model", model, graph, mode, peers) for model, peers in MODELS.items()
                     for graph in (typed if model in TYPED else plain) for mode in modes]  # fmt: skip

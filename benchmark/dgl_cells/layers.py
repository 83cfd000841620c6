"""The layers, made of either package, and what they are called with besides the graph and features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

WIDTH, HEADS, NARROW, EDGE_WIDTH = 64, 4, 16, 3


@dataclass
class Layer:
    """One layer.

    Attributes:
        make: the module, of ``dgl.nn`` and the graph.
        more: arguments after the features, of the graph with its numbers of nodes and edges.
        loops: it refuses nodes without edges into them; self loops are added.
        width: of the features.
        keywords: further arguments.
    """

    make: Callable[[Any, Any], nn.Module]
    more: Callable[[Any, int, int], tuple] = lambda graph, nodes, edges: ()
    loops: bool = False
    width: int = WIDTH
    keywords: dict | None = None


def mlp(*widths: int) -> nn.Module:
    return nn.Sequential(nn.Linear(widths[0], widths[1]), nn.ReLU(), nn.Linear(widths[1], widths[2]))


def of_edges(*shape: int) -> Callable:
    def make(graph, nodes, edges):
        return (torch.rand(edges, *shape) + 0.5,)

    return make


def edge_types(graph, nodes, edges):
    return (graph.edge_type,)


def relational(*arguments) -> Layer:
    return Layer(lambda nn, graph: nn.RelGraphConv(WIDTH, WIDTH, graph.num_edge_types, *arguments), edge_types,
                 keywords={"presorted": True})  # fmt: skip


HEAD = WIDTH // HEADS
# Keys are LAYERS of the package. Whatever draws random numbers at a call has probability 0.
MADE = {
    "GraphConv": Layer(lambda nn, graph: nn.GraphConv(WIDTH, WIDTH), loops=True),
    "GraphConv weights": Layer(lambda nn, graph: nn.GraphConv(WIDTH, WIDTH),
                               lambda *of: (None, *of_edges()(*of)), loops=True),
    **{f"SAGEConv {kind}": Layer(lambda nn, graph, kind=kind: nn.SAGEConv(WIDTH, WIDTH, kind))
       for kind in ("mean", "gcn", "pool")},
    "GATConv": Layer(lambda nn, graph: nn.GATConv(WIDTH, HEAD, HEADS), loops=True),
    "GATv2Conv": Layer(lambda nn, graph: nn.GATv2Conv(WIDTH, HEAD, HEADS), loops=True),
    "RelGraphConv": relational(),
    "RelGraphConv basis": relational("basis", 8),
    "RelGraphConv bdd": relational("bdd", 8),
    "HGTConv": Layer(
        lambda nn, graph: nn.HGTConv(WIDTH, HEAD, HEADS, graph.num_node_types, graph.num_edge_types, dropout=0.0),
        lambda graph, *_: (graph.node_type, graph.edge_type), keywords={"presorted": True}),
    **{f"GINConv {kind}": Layer(lambda nn, graph, kind=kind: nn.GINConv(mlp(WIDTH, WIDTH, WIDTH), kind, 0.1, True))
       for kind in ("sum", "max")},
    "GINEConv": Layer(lambda nn, graph: nn.GINEConv(mlp(WIDTH, WIDTH, WIDTH)), of_edges(WIDTH)),
    "EdgeConv": Layer(lambda nn, graph: nn.EdgeConv(WIDTH, WIDTH), loops=True),
    "SGConv": Layer(lambda nn, graph: nn.SGConv(WIDTH, WIDTH, 2), loops=True),
    "TAGConv": Layer(lambda nn, graph: nn.TAGConv(WIDTH, WIDTH, 2)),
    "APPNPConv": Layer(lambda nn, graph: nn.APPNPConv(10, 0.1)),
    "GMMConv": Layer(lambda nn, graph: nn.GMMConv(WIDTH, WIDTH, EDGE_WIDTH, 2), of_edges(EDGE_WIDTH), loops=True),
    # DGL stores a matrix for each edge.
    "NNConv": Layer(lambda nn, graph: nn.NNConv(NARROW, NARROW, mlp(EDGE_WIDTH, NARROW, NARROW * NARROW)),
                    of_edges(EDGE_WIDTH), width=NARROW),
    "AGNNConv": Layer(lambda nn, graph: nn.AGNNConv(), loops=True),
    "DotGatConv": Layer(lambda nn, graph: nn.DotGatConv(WIDTH, HEAD, HEADS), loops=True),
    "GatedGraphConv": Layer(lambda nn, graph: nn.GatedGraphConv(WIDTH, WIDTH, 2, 1)),
    "GCN2Conv": Layer(lambda nn, graph: nn.GCN2Conv(WIDTH, 2), lambda graph, nodes, edges: (torch.randn(nodes, WIDTH),),
                      loops=True),
}  # fmt: skip


def build(package, name: str, graph) -> tuple[nn.Module, list[Tensor | Any], dict]:
    """The module, its arguments (a graph of `package` and features first) and keywords; equal for each package."""
    layer = MADE[name]
    torch.manual_seed(0)
    module = layer.make(package.nn, graph)
    structure = package.graph((graph.src, graph.dst), num_nodes=graph.num_nodes)
    if layer.loops:
        structure = package.add_self_loop(structure)
    torch.manual_seed(1)
    features = torch.randn(graph.num_nodes, layer.width)
    more = layer.more(graph, structure.num_nodes(), structure.num_edges())
    return module, [structure, features, *more], layer.keywords or {}

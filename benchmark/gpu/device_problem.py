"""A benchmark's cell on a device: parameters that need no PyG to be made, and graphs that are generated once."""

from __future__ import annotations

import dataclasses
import math
import zlib
from pathlib import Path

import torch
from correctness import on
from peers.problem import Problem, load_graph
from torch import Tensor

MODELS = ("rgcn", "rgat", "hgt")
_GRAPH_FIELDS = ("name", "src", "dst", "edge_type", "edge_types", "node_type", "node_types", "synthetic")


class DeviceProblem(Problem):
    """See :class:`Problem`; the features, the labels and all modules are on `device`.

    A parameter is made of its name and its shape alone, the same in every peer, and on a machine without PyG.
    """

    def __init__(self, model: str, dataset: str, width: int, device: torch.device, graph=None):
        super().__init__(model, dataset, width, graph)
        self.device, self._inputs = device, None
        self.x = self.x.to(device)
        self.gradient = torch.randn(self.x.shape, generator=torch.Generator().manual_seed(2)).to(device)
        self._gradients: dict[tuple[str, ...], Tensor] = {}

    def loss(self, out) -> Tensor:
        """A sum of all results, each times a random number, which is its gradient; of a dict, of all types in it.

        A likelihood would say more of PyTorch than of a layer: its kernel for 1.9 million rows takes 4 ms on an H100.
        """
        gradient = self.gradient
        if isinstance(out, dict):
            names = tuple(name for name in self.graph.node_types if out.get(name) is not None)
            if names not in self._gradients:
                parts = self.graph.split_nodes(self.gradient)
                self._gradients[names] = torch.cat([parts[name] for name in names])
            out, gradient = torch.cat([out[name] for name in names]), self._gradients[names]
        return torch.dot(out.flatten(), gradient.to(out.dtype).flatten())

    def part_of_loss(self, rows: Tensor, nodes: slice) -> Tensor:
        return (rows * self.gradient[nodes]).sum()

    @property
    def file(self) -> str:
        """The name of the compiled model."""
        return f"{self.model}-{self.dataset.replace(':', '-')}-{self.width}.rgnn"

    def weights(self, shapes: dict[str, tuple[int, ...]]) -> dict[str, Tensor]:
        return {name: make_parameter(name, shape).to(self.device) for name, shape in shapes.items()}

    def module(self, fast: bool = True) -> torch.nn.Module:
        layer = super().module(fast).to(self.device)
        weights = self.weights({name: tuple(value.shape) for name, value in layer.named_parameters()})
        layer.load_state_dict(weights, strict=False)  # PyG's layers have no buffers that count
        return layer

    def inputs(self, graph) -> tuple:
        """Arguments of PyG's layer, on the device; the same tensors for the same graph."""
        if self._inputs is None or self._inputs[0] is not graph:
            self._inputs = graph, on(super().inputs(graph), self.device)
        return self._inputs[1]


def make_parameter(name: str, shape: tuple[int, ...]) -> Tensor:
    """Random numbers: those of a matrix keep the size of what it multiplies, those of a vector are small."""
    scale = 1 / math.sqrt(shape[-2]) if len(shape) > 1 else 0.1
    return scale * torch.randn(shape, generator=torch.Generator().manual_seed(zlib.crc32(name.encode())))


def skeleton(graph):
    """A graph of the same types, with a node of each and an edge of each: all that a compiler has to see."""
    number = {name: i for i, name in enumerate(graph.node_types)}
    ends = torch.tensor([[number[source], number[target]] for source, _, target in graph.edge_types]).T.contiguous()
    return type(graph)(
        name=graph.name, src=ends[0].contiguous(), dst=ends[1].contiguous(),
        edge_type=torch.arange(graph.num_edge_types), edge_types=graph.edge_types,
        node_type=torch.arange(graph.num_node_types), node_types=graph.node_types, synthetic=graph.synthetic,
    )  # fmt: skip


def cached_graph(name: str, folder: Path):
    """A data set; a generated one is kept in `folder`, since the largest take a minute to make."""
    if not name.startswith("synthetic:"):
        return load_graph(name)
    from rgnn.data import HeteroGraph

    path = folder / f"{name.replace(':', '-')}.pt"
    if not path.exists():
        graph = load_graph(name)
        folder.mkdir(parents=True, exist_ok=True)
        torch.save({field: getattr(graph, field) for field in _GRAPH_FIELDS}, path.with_suffix(".tmp"))
        path.with_suffix(".tmp").replace(path)
    known = {field.name for field in dataclasses.fields(HeteroGraph)}
    saved = torch.load(path, weights_only=True)
    return HeteroGraph(**{name: value for name, value in saved.items() if name in known})

"""What is computed: a model with its parameters, a graph and features. The same, bit by bit, in every process."""

from __future__ import annotations

import dataclasses
import importlib.util
import sys
from pathlib import Path

import torch
import torch.nn.functional as functional
from torch import Tensor

REPOSITORY = Path(__file__).resolve().parents[2]


def import_data():
    """`rgnn.data` by itself: importing it as part of `rgnn` would load the compiler into every peer's process."""
    if "rgnn_data" not in sys.modules:
        folder = REPOSITORY / "python" / "rgnn" / "data"
        spec = importlib.util.spec_from_file_location(
            "rgnn_data", folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        module = importlib.util.module_from_spec(spec)
        sys.modules["rgnn_data"] = module
        spec.loader.exec_module(module)
    return sys.modules["rgnn_data"]


def load_graph(name: str):
    """The data set `name`, or a generated one for "synthetic:NAME" and "synthetic:NAME:SCALE"."""
    data = import_data()
    if name.startswith("synthetic:"):
        _, base, *scale = name.split(":")
        return data.synthetic(base, scale=float(scale[0]) if scale else 1.0)
    return data.load(name)


class Problem:
    """One (model, data set) cell. Node features are ``[N, width]`` float32, one head; results as wide, or ``out`` wide.

    What a training step minimises is the negative log-likelihood of random labels; each output column is a class.
    """

    def __init__(self, model: str, dataset: str, width: int = 64, graph=None, out: int | None = None):
        self.model, self.dataset, self.width, self.out = model, dataset, width, out or width
        self.graph = load_graph(dataset) if graph is None else graph
        nodes = self.graph.num_nodes
        self.x = torch.randn(nodes, width, generator=torch.Generator().manual_seed(1))
        self.labels = torch.randint(self.out, (nodes,), generator=torch.Generator().manual_seed(2))
        self._labels_of: dict[tuple[str, ...], Tensor] = {}

    def module(self, fast: bool = True) -> torch.nn.Module:
        """PyG's layer in eval mode with random parameters, those of `fast` and not `fast` equal.

        Every parameter gets noise, so that biases, skips and priors are not the 0 or 1 they start at.
        """
        import torch_geometric
        from torch_geometric.nn import FastRGCNConv, HGTConv, RGATConv, RGCNConv

        # With pyg-lib, RGCNConv(aggr="mean") would divide by another degree (docs: prior art, section 2).
        torch_geometric.backend.use_segment_matmul = False
        torch.manual_seed(0)
        relations = self.graph.num_edge_types
        if self.model == "rgcn":
            layer = (FastRGCNConv if fast else RGCNConv)(self.width, self.out, relations, aggr="mean")
        elif self.model == "rgat":
            layer = RGATConv(self.width, self.out, relations, heads=1)
        elif self.model == "hgt":
            layer = HGTConv(self.width, self.out, self.graph.metadata, heads=1)
        else:
            raise ValueError(f"expected model rgcn, rgat or hgt, got {self.model!r}")
        with torch.no_grad():
            for parameter in layer.parameters():
                parameter.add_(torch.randn_like(parameter), alpha=0.1)
        return layer.eval()

    def fresh_graph(self):
        """The same graph in tensors of its own: nothing cached for the old ones can serve."""
        tensors = {
            field.name: getattr(self.graph, field.name).clone()
            for field in dataclasses.fields(self.graph)
            if isinstance(getattr(self.graph, field.name), Tensor) and field.name != "features"
        }
        return dataclasses.replace(self.graph, **tensors)

    def inputs(self, graph) -> tuple:
        """Arguments of PyG's layer for `graph`."""
        if self.model == "hgt":
            return graph.split_nodes(self.x), graph.edge_index_dict
        return self.x, graph.edge_index, graph.edge_type

    def rows(self, out) -> Tensor:
        """``[N, out]`` from what PyG's layer returned; NaN for the node types that HGTConv leaves out."""
        return self.graph.join_nodes(out, missing=float("nan")) if isinstance(out, dict) else out

    def loss(self, out) -> Tensor:
        """Mean negative log-likelihood over the rows of what a layer returned; of a dict, those of all types in it."""
        labels = self.labels
        if isinstance(out, dict):
            names = tuple(name for name in self.graph.node_types if out.get(name) is not None)
            if names not in self._labels_of:
                parts = self.graph.split_nodes(self.labels)
                self._labels_of[names] = torch.cat([parts[name] for name in names])
            out, labels = torch.cat([out[name] for name in names]), self._labels_of[names]
        return functional.nll_loss(out.log_softmax(dim=-1), labels)

    def part_of_loss(self, rows: Tensor, nodes: slice) -> Tensor:
        """What the rows of some nodes add to the loss of a layer that gives all nodes a row."""
        part = functional.nll_loss(rows.log_softmax(dim=-1), self.labels[nodes], reduction="sum")
        return part / self.graph.num_nodes


class Peer:
    """One implementation of a model.

    `inputs` puts a graph into the form that the implementation's user holds it in (not timed), `prepare` builds what
    it needs beyond that once per graph (timed as view building), `run` computes the layer, `rows` gives ``[N, width]``.
    A training step is `run`, the loss, and its gradients by all `parameters`; the features have none.
    """

    equal = True  # computes the same function as PyG's layer
    compiles = False  # at the first call
    note = ""

    module: torch.nn.Module

    def __init__(self, problem: Problem):
        self.problem = problem

    def inputs(self, graph):
        return self.problem.inputs(graph)

    def prepare(self, inputs):
        return inputs

    def run(self, prepared):
        raise NotImplementedError

    def rows(self, out) -> Tensor:
        return self.problem.rows(out)

    def parameters(self) -> dict[str, Tensor]:
        """By the names that they have in PyG's layer."""
        return dict(self.module.named_parameters())

    def step(self, prepared) -> None:
        self.module.zero_grad()
        self.problem.loss(self.run(prepared)).backward()

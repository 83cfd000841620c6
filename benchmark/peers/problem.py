"""What is computed: a model with its parameters, a graph and features. The same, bit by bit, in every process."""

from __future__ import annotations

import dataclasses
import importlib.util
import sys
from pathlib import Path

import torch
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
    """One (model, data set) cell. Node features are ``[N, width]`` float32; one head; inference."""

    def __init__(self, model: str, dataset: str, width: int = 64):
        self.model, self.dataset, self.width = model, dataset, width
        self.graph = load_graph(dataset)
        self.x = torch.randn(self.graph.num_nodes, width, generator=torch.Generator().manual_seed(1))

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
            layer = (FastRGCNConv if fast else RGCNConv)(self.width, self.width, relations, aggr="mean")
        elif self.model == "rgat":
            layer = RGATConv(self.width, self.width, relations, heads=1)
        elif self.model == "hgt":
            layer = HGTConv(self.width, self.width, self.graph.metadata, heads=1)
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
        """``[N, width]`` from what PyG's layer returned; NaN for the node types that HGTConv leaves out."""
        return self.graph.join_nodes(out, missing=float("nan")) if isinstance(out, dict) else out


class Peer:
    """One implementation of a model.

    `inputs` puts a graph into the form that the implementation's user holds it in (not timed), `prepare` builds what
    it needs beyond that once per graph (timed as view building), `run` computes the layer, `rows` gives ``[N, width]``.
    """

    equal = True  # computes the same function as PyG's layer
    compiles = False  # at the first call
    note = ""

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

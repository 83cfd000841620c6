"""The implementations that the benchmark on a GPU compares; each computes what PyG's layer does."""

from __future__ import annotations

import importlib.util

import formulas
import layout
import torch
from peers.problem import Peer
from store import Absent
from torch import Tensor, nn


class Rgnn(Peer):
    """The compiled layer, loaded from the bundle. Nothing of it runs in PyTorch: it was compiled whole."""

    def __init__(self, problem):
        super().__init__(problem)
        import rgnn

        self.module = rgnn.load(layout.MODULES / problem.file)
        shapes = {name: tuple(value.shape) for name, value in self.module.named_parameters()}
        self.module.load_state_dict(problem.weights(shapes), assign=True)
        for parameter in self.module.parameters():
            parameter.requires_grad_()

    def run(self, prepared):
        return self.module(*prepared)


class Plain(Peer):
    """The formulas in plain PyTorch, edges sorted by relation, a product for each relation."""

    product = staticmethod(formulas.products)

    def __init__(self, problem):
        super().__init__(problem)
        shapes = formulas.shapes(problem.model, problem.graph, problem.width)
        # Names have dots, which those of parameters cannot.
        self.named = {name: nn.Parameter(value) for name, value in problem.weights(shapes).items()}
        self.module = nn.ParameterList(self.named.values())
        self.layer = formulas.LAYERS[problem.model]

    def inputs(self, graph):
        return graph

    def prepare(self, graph):
        return graph, formulas.edges_of(graph, self.problem.device)

    def run(self, prepared):
        graph, edges = prepared
        return self.layer(graph, self.problem.x, edges, self.named, self.product)

    def rows(self, out: Tensor) -> Tensor:
        return out

    def parameters(self) -> dict[str, Tensor]:
        return self.named

    def step(self, prepared) -> None:
        self.module.zero_grad()
        out = self.run(prepared)
        if self.problem.model == "hgt":  # the loss counts the types that PyG returns
            reached = {target for _, _, target in self.problem.graph.edge_types}
            out = {name: rows for name, rows in self.problem.graph.split_nodes(out).items() if name in reached}
        self.problem.loss(out).backward()


class Triton(Plain):
    """The same, with one launch for the products of all relations: a segment GEMM written by hand in Triton."""

    def __init__(self, problem):
        super().__init__(problem)
        if importlib.util.find_spec("triton") is None:
            raise Absent("Triton is not installed")
        from triton_gemm import SegmentGemm

        self.product = SegmentGemm().multiply


def _pyg(class_name: str):
    """A peer of the benchmark on CPUs, whose module is on the device by the problem."""

    def make(problem):
        if importlib.util.find_spec("torch_geometric") is None:
            raise Absent("PyG is not installed")
        from peers import pyg_peer

        return getattr(pyg_peer, class_name)(problem)

    return make


def _pyg_lib(problem):
    """PyG's layer with the segment GEMM of pyg-lib."""
    if importlib.util.find_spec("pyg_lib") is None:
        raise Absent("pyg-lib is not installed")
    peer = _pyg("Eager")(problem)
    import torch_geometric

    torch_geometric.backend.use_segment_matmul = True
    peer.equal = problem.model != "rgcn"  # with it, aggr="mean" divides by the degree over all relations
    return peer


PEERS = {
    "rgnn": Rgnn,
    "pyg": _pyg("Eager"),
    "pyg-fast": _pyg("EagerFast"),
    "pyg-compiled": _pyg("Compiled"),
    "pyg-fast-compiled": _pyg("CompiledFast"),
    "pyg-lib": _pyg_lib,
    "plain": Plain,
    "triton": Triton,
}
RGCN_ONLY = ("pyg-fast", "pyg-fast-compiled")  # of the others there is one class


def peers_of(model: str) -> list[str]:
    return [name for name in PEERS if model == "rgcn" or name not in RGCN_ONLY]


def make(name: str, problem):
    torch.manual_seed(0)
    return PEERS[name](problem)

"""One process of the table: a peer on a case and a graph. cover.py asks it for what its methods give."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from typing import Any

import torch
import torch_geometric
from torch import Tensor, nn
from torch.utils import _pytree as pytree
from worker import ROUNDING, time_calls

from . import find_case
from .case import load

PEERS = ("rgnn", "pyg", "pyg-sparse", "pyg-compiled")
_SEVERAL = 2  # reasons that the table has room for


class Session:
    """One peer on one case.

    Args:
        spec: names of the "part", the "case", the "graph" and the "peer"; "width", "threads", "exact": whether what
            is compiled is float64; and "target": what RGNN compiles for, where it is not the inputs' device.
    """

    def __init__(self, spec: dict):
        torch.set_num_threads(spec["threads"])
        torch_geometric.backend.use_segment_matmul = False  # with pyg-lib, means of RGCNConv are others
        self._peer, self._case = spec["peer"], find_case(spec["part"], spec["case"])
        self._target = spec.get("target")
        self._sample = load(spec["graph"], spec["width"])
        self._exact = torch.float64 if self._case.doubles else torch.float32
        self._dtype = self._exact if spec["exact"] else torch.float32
        torch.manual_seed(0)
        self._model = self._case.make(self._sample)
        with torch.no_grad():
            for parameter in self._model.parameters():  # biases start as zeros, skips as ones
                parameter.add_(torch.randn_like(parameter), alpha=0.1)
        self._call: Callable = lambda: None

    def setup(self) -> dict:
        return {"nodes": self._sample.nodes, "edges": self._sample.edges}

    def explain(self, training: bool) -> dict:
        """Whether all is compiled, how many kernels there are, and what is left and why."""
        import rgnn

        model, inputs = self._prepare(training, self._dtype)
        with torch.set_grad_enabled(training):
            report = rgnn.explain(model, *inputs)
        left = [_describe(*fallback) for fallback in report.fallbacks]
        return {"whole": bool(report.kernels) and not left, "kernels": len(report.kernels),
                "left": list(dict.fromkeys(left))[:_SEVERAL], "others": max(0, len(set(left)) - _SEVERAL)}  # fmt: skip

    def check(self, training: bool) -> dict:
        """The largest error of results, or of gradients, relative to the largest number of PyG's in float64."""
        outcomes = []
        for peer, dtype in ((self._peer, self._dtype), ("pyg", self._exact)):
            model, inputs = self._prepare(training, dtype)
            step = _step(self._as_peer(model, peer), model, inputs, training)
            torch.manual_seed(0)
            outcomes.append(step())
        scale = max((_size(right) for right in outcomes[1] if right is not None), default=0.0)
        return {"difference": max((_error(*pair, scale) for pair in zip(*outcomes, strict=True)), default=0.0)}

    def first(self, training: bool) -> dict:
        """Makes the peer's call, and gives the seconds of the first one."""
        model, inputs = self._prepare(training, self._dtype)
        if self._peer == "pyg-sparse":
            inputs = self._with_matrix(model, inputs, training)
        self._call = _step(self._as_peer(model, self._peer), model, inputs, training)
        start = time.perf_counter()
        self._call()
        return {"first": time.perf_counter() - start}

    def measure(self, seconds: float, warm_up: float) -> dict:
        """Times of calls, at least one, until `seconds` have passed."""
        return {"times": time_calls(self._call, seconds, warm_up)}

    def _prepare(self, training: bool, dtype: torch.dtype) -> tuple[nn.Module, tuple]:
        """A model and inputs of its own; when training, the features want gradients."""
        model = copy.deepcopy(self._model).to(dtype).train(training and self._case.trains)
        inputs = pytree.tree_map_only(Tensor, lambda t: t.to(dtype) if t.is_floating_point() else t,
                                      self._case.inputs(self._sample))  # fmt: skip
        first = pytree.tree_map_only(
            Tensor, lambda t: t.clone().requires_grad_(training and t.is_floating_point()), inputs[0])  # fmt: skip
        return model, (first, *inputs[1:])

    def _as_peer(self, model: nn.Module, peer: str) -> Callable:
        if peer == "rgnn":
            import rgnn

            return rgnn.compile(model, target=self._target)
        return torch.compile(model, dynamic=True) if peer == "pyg-compiled" else model

    def _with_matrix(self, model: nn.Module, inputs: tuple, training: bool) -> tuple:
        """The inputs with a sparse matrix in the place of the edges, where the layer takes one and gives the same."""
        edges = [number for number, value in enumerate(inputs) if value is self._sample.edge_index]
        if edges != [1] or len(inputs) > 2 or not isinstance(inputs[0], Tensor):
            raise ValueError("no matrix holds its inputs")
        matrix = torch_geometric.utils.to_torch_csr_tensor(
            inputs[1].flip(0), torch.ones(self._sample.edges, dtype=self._dtype), (self._sample.nodes,) * 2)
        changed = inputs[0], matrix  # fmt: skip
        results = [_step(copy.deepcopy(model), model, given, False)() for given in (inputs, changed)]
        if max(map(_error, *results), default=0.0) > 1e-3:
            raise ValueError("the layer gives another result for a matrix")
        return changed


def _step(call: Callable, model: nn.Module, inputs: tuple, training: bool) -> Callable[[], list[Tensor | None]]:
    """A call; when training with the gradients of a sum of its results with fixed random weights."""

    def infer() -> list[Tensor | None]:
        with torch.no_grad():
            return _leaves(call(*inputs))

    def train() -> list[Tensor | None]:
        results = [result for result in _leaves(call(*inputs)) if result.requires_grad]
        while len(weights) < len(results):
            shape, generator = results[len(weights)].shape, torch.Generator().manual_seed(len(weights))
            weights.append(torch.randn(shape, generator=generator, dtype=torch.float64).to(results[0].dtype))
        loss = sum((result * weight).sum() for result, weight in zip(results, weights))
        return list(torch.autograd.grad(loss, sources, allow_unused=True))

    weights: list[Tensor] = []
    sources = [value for value in (*model.parameters(), *_leaves(inputs[0])) if value.requires_grad]
    return train if training else infer


def _leaves(value: Any) -> list[Tensor]:
    return [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, Tensor)]


def _size(value: Tensor) -> float:
    """The largest finite number."""
    there = value[value.isfinite()]
    return there.abs().max().item() if len(there) else 0.0


def _error(got: Tensor | None, right: Tensor | None, scale: float = 1.0) -> float:
    """max|a - b| / max|b|, or by the largest number of all results, where b is nothing but their rounding."""
    if got is None or right is None:
        present = got if right is None else right
        return 0.0 if present is None or not present.any() else float("inf")
    if got.shape != right.shape or got.dtype.is_floating_point != right.dtype.is_floating_point:
        return float("inf")
    if not right.is_floating_point():
        return 0.0 if torch.equal(got, right) else float("inf")
    there = right.isfinite()
    if not right.numel() or not there.any():
        return 0.0
    if not torch.equal(got.isfinite(), there):
        return float("inf")
    difference, size = (got.double() - right)[there].abs().max().item(), _size(right)
    return difference / (size if size > ROUNDING * max(scale, 1.0) else max(scale, 1.0))


def _describe(op: str, reason: str, where: str) -> str:
    place = where.removeprefix("torch_geometric/nn/")
    return f"{op + ': ' if op else ''}{reason}{f' ({place})' if place else ''}"

"""One peer of one cell, in a process of its own, which processes.py sends commands to."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

from worker import reset_peak, status_mib, time_calls

ROUNDING = 1e-4  # a gradient of this share of the largest one is compared absolutely: its digits are float32's last


def relative_error(got: dict, wanted: dict) -> float:
    """The largest |got - wanted| / |wanted| of a tensor, in the Euclidean norm.

    Not the largest difference: a number beside the kink of a relu may fall on its other side, where a few entries of
    gradients are others.

    Raises:
        RuntimeError: there are other tensors, or other shapes.
    """
    shapes = [{name: tuple(tensor.shape) for name, tensor in tensors.items()} for tensors in (got, wanted)]
    if shapes[0] != shapes[1]:
        raise RuntimeError(f"expected tensors {shapes[1]}, got {shapes[0]}")
    sizes = {name: tensor.double().norm().item() for name, tensor in wanted.items()}
    least = ROUNDING * max(sizes.values())
    errors = [(got[name].double() - wanted[name].double()).norm().item() / (max(size, least) or 1.0)
              for name, size in sizes.items()]  # fmt: skip
    return max(errors, key=lambda error: (error != error, error))  # NaN is the largest


class Session:
    """Makes the peer of `spec`: `suite`, `model`, `graph`, `training`, `peer`, `threads`."""

    def __init__(self, spec: dict):
        os.environ["OMP_NUM_THREADS"] = str(spec["threads"])  # DGL's OpenMP library is not PyTorch's
        import torch
        from peers.problem import load_graph

        torch.set_num_threads(spec["threads"])
        torch.set_grad_enabled(spec["training"])
        self.torch, self.training, self.keywords = torch, spec["training"], {}
        self.rgnn = None
        if spec["peer"] == "rgnn":
            importlib.import_module("peers.rgnn_peer")  # finds rgnn
            self.rgnn = importlib.import_module("rgnn")
            package = importlib.import_module("rgnn.dgl")
        else:
            from peers.dgl_stub import import_dgl

            package = import_dgl()
        graph = load_graph(spec["graph"])
        if spec["suite"] == "layer":
            from dgl_cells.layers import build

            self.module, self.inputs, self.keywords = build(package, spec["model"], graph)
        else:
            from dgl_cells.functions import build

            self.module, self.inputs = build(package, spec["model"], graph)
            if spec["peer"] == "dgl-own":
                from dgl_cells.own import build as build_own

                self.module = build_own(package, spec["model"], graph, self.module)
        self.module.train(self.training)
        self.inputs[1].requires_grad_(self.training)
        self.run = self.rgnn.compile(self.module, fullgraph=True) if self.rgnn else self.module

    def setup(self) -> dict:
        graph = self.inputs[0]
        return {"nodes": graph.num_nodes(), "edges": graph.num_edges()}

    def call(self):
        """A call, or a training step: the gradients of the sum of squares by parameters and features."""
        if not self.training:
            return self.run(*self.inputs, **self.keywords)
        self.module.zero_grad()
        self.inputs[1].grad = None
        self.run(*self.inputs, **self.keywords).square().sum().backward()

    def first(self, path: str, right: bool) -> dict:
        """The first call. Its numbers are compared with those at `path`, or are written there if they are `right`."""
        before = reset_peak()
        [seconds], numbers = self._first()
        answer = {"first": seconds, "first_memory": status_mib("VmHWM") - before}
        if right:
            self.torch.save(numbers, path)
        elif Path(path).exists():
            answer["relative"] = relative_error(numbers, self.torch.load(path))
        return answer

    def _first(self) -> tuple[list[float], dict]:
        out = []
        seconds = time_calls(lambda: out.append(self.call()), 0, 0)
        if not self.training:
            return seconds, {"out": out[0]}
        tensors = {**dict(self.module.named_parameters()), "features": self.inputs[1]}
        return seconds, {name: self.torch.zeros_like(tensor) if tensor.grad is None else tensor.grad
                         for name, tensor in tensors.items()}  # fmt: skip

    def measure(self, seconds: float, warm_up: float) -> dict:
        return {"times": time_calls(self.call, seconds, warm_up)}

    def memory(self) -> dict:
        """What the resident memory grows by in a call that is not the first, in MiB, at its peak."""
        self.module.zero_grad()
        self.inputs[1].grad = None
        if self.rgnn:
            self.rgnn.release_workspace()
        before = reset_peak()
        self.call()
        return {"memory": status_mib("VmHWM") - before}

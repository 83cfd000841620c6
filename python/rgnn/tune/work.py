"""What kernels read, write and compute on a graph, by what the compiler says of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .._run.graphs import GraphSource
from .._work import Work


class Function:
    """A function as the compiler describes it, and its inputs of one call.

    Args:
        manifest: what the compiler says of it.
        tensors: its inputs; lists of edges have to hold numbers, the others only sizes.
        on_weights: of each op on weights alone: bytes read and written, and operations.
    """

    def __init__(self, manifest: dict[str, Any], tensors: Sequence[Tensor],
                 on_weights: Sequence[tuple[int, int, int]] = ()):  # fmt: skip
        names = [given["name"] for given in manifest["inputs"]]
        self._graphs = [GraphSource(description, names).find(tensors) for description in manifest["graphs"]]
        self._manifest, self._tensors = self._variant(manifest), tensors
        self._on_weights = [Work("weights", "", 0, 0, read, written, read + written, operations)
                            for read, written, operations in on_weights]  # fmt: skip

    def _variant(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """What runs on this graph, as the runtime picks it."""
        for variant in manifest.get("variants", ()):
            graph = self._graphs[0]
            if graph.num_nodes and graph.num_edges < variant["edges_per_node_below"] * graph.num_nodes:
                return variant
        return manifest

    def results(self) -> list[Tensor]:
        """Tensors without numbers like its results."""
        return [torch.empty([self._count(size) for size in result["shape"]], dtype=getattr(torch, result["dtype"]),
                            device="meta") for result in self._manifest["outputs"]]  # fmt: skip

    def works(self) -> list[Work]:
        """The work of each of its kernels and of ops on weights; of kernels that do not say what they do, nothing."""
        return [*self.listed().values(), *self._on_weights]

    def listed(self) -> dict[int, Work]:
        """That of kernels by the numbers that they have in the manifest."""
        return {number: self._work(kernel) for number, kernel in enumerate(self._manifest["kernels"])
                if "traffic" in kernel}  # fmt: skip

    def _work(self, kernel: dict[str, Any]) -> Work:
        traffic = kernel["traffic"]
        sizes = [*map(self._count, traffic["sizes"]), 1]

        def evaluate(form: list[int]) -> int:
            return sum(factor * size for factor, size in zip(form, sizes))

        rows, inner, read, written, operations = (evaluate(traffic[field]) for field in _FIELDS)
        needed = written + sum(min(evaluate(some), evaluate(most)) for some, most in traffic["buffers"])
        return Work(kernel["name"], kernel.get("dtype", ""), rows, inner, read, written, needed, operations)

    def _count(self, size: int | dict[str, Any]) -> int:
        if isinstance(size, int):
            return size
        if "value" in size:
            return size["value"]
        if "sum" in size:
            return sum(map(self._count, size["sum"]))
        if "input" in size:
            return self._tensors[size["input"]].shape[size["dim"]]
        return self._graphs[size["graph"]].size(size["of"], size.get("param", 0), size.get("part", "whole"))


_FIELDS = ("rows", "inner_rows", "bytes_read", "bytes_written", "operations")

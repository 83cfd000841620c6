"""What calls of compiled code take of memory, which is known before they run, and what a model may take."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import torch
from torch import Tensor

from .region import Region
from .training import Training


@dataclass(frozen=True)
class Memory:
    """Bytes that one call of a region takes, or with gradients, a call and its backward.

    Attributes:
        temporaries: what kernels work in; the forward's and the backward's share a place.
        results: of the call.
        saved: what the backward needs of the forward, beside inputs and results.
        gradients: of inputs that want one, and of the results.
        graphs: of each graph, by what it is made of: its edges and what is looked up in it.
    """

    temporaries: int
    results: int
    saved: int = 0
    gradients: int = 0
    graphs: dict[tuple, int] = field(default_factory=dict)

    @property
    def peak(self) -> int:
        return joined([self])


def joined(regions: list[Memory]) -> int:
    """The most bytes that the regions of a model take at a time, which run one after the other, and their backwards in
    turn. Not counted are inputs, parameters, copies of those that do not lie contiguously, and what PyTorch runs."""
    graphs: dict[tuple, int] = {}
    for one in regions:
        for graph, size in one.graphs.items():
            graphs[graph] = max(size, graphs.get(graph, 0))
    kept = sum(one.results + one.saved for one in regions) + sum(graphs.values())
    return kept + max((one.temporaries for one in regions), default=0) + max(
        (one.gradients for one in regions), default=0)  # fmt: skip


def measure(region: Region, training: Training | None, tensors: list[Tensor], alone: bool = False) -> Memory:
    """What a call with these tensors takes; nothing is run, but views of its graphs are built.

    Args:
        region: the code of calls without gradients.
        training: that of calls with gradients; None for one without.
        tensors: all that the code takes.
        alone: whether what other code has looked up in the graphs is dropped before.
    """
    if alone:
        (region if training is None else training.forward).forget_graphs(tensors)
    if training is None:
        graphs, temporaries, results, _ = _measure(region, tensors)
        return Memory(temporaries, results, graphs=graphs)
    graphs, temporaries, results, saved = _measure(training.forward, tensors)
    gradients = results
    if training.backward is not None:
        # Their memory is not touched, so that there is none.
        made = [torch.empty(shape, dtype=dtype, device=tensors[0].device)
                for shape, dtype in training.forward.result_types(tensors)]  # fmt: skip
        more, backward, found, _ = _measure(training.backward, training.backward_inputs(tensors, made))
        graphs |= more
        temporaries, gradients = max(temporaries, backward), results + found
    return Memory(temporaries, results, saved, gradients, graphs)


def _measure(region: Region, tensors: list[Tensor]) -> tuple[dict[tuple, int], int, int, int]:
    graphs = region.find_graphs(tensors)
    temporaries, results, saved = region.code.measure(graphs, tuple(tensors))
    sizes = {key: graph.nbytes for key, graph in zip(region.graph_keys(tensors), graphs)}
    return sizes, temporaries, results, saved


class Budget(threading.local):
    """What the compiled code of a model may take in a call, of each thread.

    Args:
        bytes: so many.
    """

    def __init__(self, bytes: float):
        self.bytes = bytes
        self.taken: list[Memory] = []

    def begin_call(self) -> None:
        self.taken = []

    @property
    def predicted(self) -> int:
        """The peak of the call, of the regions that it has come to so far."""
        return joined(self.taken)

    def total(self, memory: Memory) -> int:
        """The peak of the call if its next region takes ``memory``."""
        return joined([*self.taken, memory])

    def take(self, memory: Memory) -> bool:
        """Whether there is so much left for the call's next region, which then takes it."""
        fits = self.total(memory) <= self.bytes
        if fits:
            self.taken.append(memory)
        return fits

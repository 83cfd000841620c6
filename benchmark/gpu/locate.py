"""Finds where a training step on a GPU differs from the same step on a processor: in what the forward saves, in the
backward, or from one call to the next.

    python benchmark/gpu/locate.py hgt synthetic:bgs

The models of a bundle run on both. The two steps have the same inputs, weights and gradients of the results. Each line
is a comparison: the largest difference in units of the largest number, then where it is.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import layout

layout.use_packages()

import torch  # noqa: E402
from correctness import on  # noqa: E402
from device_peers import Rgnn  # noqa: E402
from device_problem import MODELS, DeviceProblem, cached_graph  # noqa: E402
from rgnn._run.training import Training  # noqa: E402
from torch import Tensor  # noqa: E402

CPU = torch.device("cpu")


class Step:
    """A training step on one device, and what its backward was called with.

    Attributes:
        kept, gradients: what the backward reads: what was saved, and the gradients of the results.
        found: gradients by number of input.
        names: of the inputs that are parameters.
    """

    def __init__(self, peer: Rgnn):
        self.device = peer.problem.device
        calls = []

        def record(training: Training, kept, gradients, missing):
            found = dict(compute(training, kept, gradients, missing))
            calls.append((training, kept, gradients, missing, found))
            return found.items()

        def name(training: Training, tensors):
            numbers = {id(value): parameter for parameter, value in peer.module.named_parameters()}
            self.names = {i: numbers.get(id(tensor), f"input {i}") for i, tensor in enumerate(tensors)}
            return call(training, tensors)

        compute, call = Training.compute_gradients, Training.__call__
        Training.compute_gradients, Training.__call__ = record, name
        try:
            peer.step(peer.prepare(peer.inputs(peer.problem.graph)))
        finally:
            Training.compute_gradients, Training.__call__ = compute, call
        (self.training, self.kept, self.gradients, self._missing, self.found), *more = calls
        if more:
            raise RuntimeError(f"expected one backward of the whole layer, got {len(calls)}")

    def saved(self) -> dict[str, Tensor]:
        """What was kept: inputs by their names, and results by their numbers."""
        inputs = [self.names[number] for number in self.training._kept_inputs]
        results = [f"result {number}" for number in self.training._kept_results]
        return dict(zip([*inputs, *results], self.kept, strict=True))

    def again(self, kept, gradients) -> dict[int, Tensor]:
        """The gradients by this device's code, of what is given."""
        kept, gradients = on(list(kept), self.device), on(list(gradients), self.device)
        return dict(self.training.compute_gradients(kept, gradients, self._missing))


def difference(one: Tensor | None, other: Tensor | None) -> float:
    """max|a - b| / max|b|; infinite where one is not there, has a NaN or another shape."""
    if one is None or other is None or one.shape != other.shape:
        return math.inf
    one, other = (value.detach().double().cpu() for value in (one, other))
    if torch.equal(one, other):
        return 0.0
    error = ((one - other).abs().max() / other.abs().max()).item()
    return math.inf if math.isnan(error) else error


def differences(a: dict, b: dict) -> list[tuple[float, str]]:
    """Of each entry, the largest first."""
    return sorted(((difference(a.get(name), b.get(name)), str(name)) for name in a.keys() | b.keys()), reverse=True)


def report(host: Step, device: Step) -> dict[str, list[tuple[float, str]]]:
    """By what is compared: the differences."""

    def named(step: Step, found: dict[int, Tensor]) -> dict[str, Tensor]:
        return {step.names[number]: gradient for number, gradient in found.items()}

    def by(step: Step, saved: Step) -> dict[str, Tensor]:
        return named(step, step.again(saved.kept, saved.gradients))

    own, other = named(device, device.found), named(host, host.found)
    return {
        "saved by the forward": differences(device.saved(), host.saved()),
        "gradients of the results": differences(dict(enumerate(device.gradients)), dict(enumerate(host.gradients))),
        "gradients": differences(own, other),
        "gradients, the processor's of what the device saved": differences(own, by(host, device)),
        "gradients, the device's of what the processor saved": differences(by(device, host), other),
        "gradients, the same call again": differences(by(device, device), own),
    }


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("dataset")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--device", type=torch.device, default=torch.device("cuda"))
    parser.add_argument("--graphs", type=Path, default=layout.ROOT / "results" / "graphs")
    options = parser.parse_args(argv)
    graph = cached_graph(options.dataset, options.graphs)
    steps = [Step(Rgnn(DeviceProblem(options.model, options.dataset, options.width, device, graph)))
             for device in (CPU, options.device)]  # fmt: skip
    for title, found in report(*steps).items():
        worst = ", ".join(f"{error:.1e} {name}" for error, name in found[:4] if error)
        print(f"{title}: {worst or 'equal'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

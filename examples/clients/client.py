"""What a client of the compiler is: a model, its batches, a loss and a metric; and how two models are trained alike."""

from __future__ import annotations

import copy
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import rgnn
import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

Step = tuple[tuple, Any]
PARTS = ("sampling", "forward, backward", "optimizer")


@dataclass
class Client:
    """A training program, but for its loop.

    Attributes:
        model: in PyTorch and PyG alone.
        draw: the arguments of the model in a step, by its number, and what the loss compares the result with.
        loss: of the result and what ``draw`` gave beside the arguments.
        evaluate: metrics of a model, in evaluation mode and without gradients.
        chance: the same of a model that learned nothing.
        optimizer: made of parameters. Adam divides gradients by their size: with its usual eps, of 1e-8, those that are
            rounding errors make steps as large as others, and PyG's losses in float32 are soon 1e-2 away from those in
            float64.
    """

    model: nn.Module
    draw: Callable[[int], Step]
    loss: Callable[[Any, Any], Tensor]
    evaluate: Callable[[nn.Module], dict[str, float]]
    chance: dict[str, float]
    optimizer: Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer] = partial(torch.optim.Adam, lr=0.005, eps=1e-4)


@dataclass
class Training:
    """Losses of all steps, the seconds of each part of each step, and the metrics after the last."""

    losses: list[float] = field(default_factory=list)
    seconds: dict[str, list[float]] = field(default_factory=lambda: {part: [] for part in PARTS})
    metrics: dict[str, float] = field(default_factory=dict)

    def median(self, part: str) -> float:
        """Seconds of a step; the first ones compile, and do not count where there are others."""
        return statistics.median(self.seconds[part][3:] or self.seconds[part])


@dataclass
class Comparison:
    """The training of both sides, and the model that was compiled."""

    sides: dict[str, Training]
    compiled: nn.Module

    @property
    def difference(self) -> float:
        """The greatest relative difference of the losses of a step; infinite where one is not a number."""
        pairs = zip(self.sides["rgnn"].losses, self.sides["pyg"].losses, strict=True)
        differences = [abs(own - other) / abs(other) for own, other in pairs]
        return max(difference if difference == difference else float("inf") for difference in differences)


def train(client: Client, model: nn.Module, steps: int, show: Callable[[int, float], None]) -> Training:
    """Some steps, each with a random state of its own, then the metrics."""
    optimizer, training = client.optimizer(model.parameters()), Training()
    model.train()
    for step in range(steps):
        torch.manual_seed(step)
        times = [time.perf_counter()]
        args, target = client.draw(step)
        times.append(time.perf_counter())
        optimizer.zero_grad()
        loss = client.loss(model(*args), target)
        loss.backward()
        times.append(time.perf_counter())
        optimizer.step()
        times.append(time.perf_counter())
        training.losses.append(loss.item())
        for part, start, end in zip(PARTS, times, times[1:]):
            training.seconds[part].append(end - start)
        show(step, training.losses[-1])
    model.eval()
    with torch.no_grad():
        training.metrics = client.evaluate(model)
    return training


def compare(client: Client, steps: int, show: Callable[[str, int, float], None] = lambda *_: None) -> Comparison:
    """Trains the model as it is and compiled, from the same parameters, on the same batches.

    ``show`` gets the side, the number and the loss of each step.
    """
    args, _ = client.draw(0)
    if any(map(is_lazy, client.model.parameters())):
        with torch.no_grad():
            client.model.eval()(*args)
    models = {"pyg": client.model, "rgnn": rgnn.compile(copy.deepcopy(client.model))}
    sides = {side: train(client, model, steps, lambda step, loss, side=side: show(side, step, loss))
             for side, model in models.items()}  # fmt: skip
    return Comparison(sides, models["rgnn"])

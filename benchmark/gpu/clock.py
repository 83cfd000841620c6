"""Times of calls on a device: on GPUs by events on the stream, on CPUs by the clock."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch


@dataclass
class Times:
    """Of calls one after another, in seconds: of the device, and of the host until a call returned."""

    device: list[float]
    host: list[float]

    @property
    def median(self) -> float:
        return statistics.median(self.device)


class Clock:
    def __init__(self, device: torch.device):
        self.device = device

    def synchronize(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def once(self, call: Callable) -> float:
        """Seconds until a call is done, the device's work and all."""
        self.synchronize()
        start = time.perf_counter()
        call()
        self.synchronize()
        return time.perf_counter() - start

    def times(self, call: Callable, seconds: float, most: int = 100) -> Times:
        """Times of calls, at least 3, until `seconds` have passed; after two that warm up."""
        one = min(self.once(call), self.once(call))
        count = max(3, min(most, int(seconds / max(one, 1e-9))))
        host, device = [], []
        if self.device.type != "cuda":
            host = [self.once(call) for _ in range(count)]
            return Times(host, host)
        marks = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
        marks[0].record()
        for mark in marks[1:]:
            start = time.perf_counter()
            call()
            host.append(time.perf_counter() - start)
            mark.record()
        self.synchronize()
        device = [before.elapsed_time(after) / 1e3 for before, after in zip(marks, marks[1:])]
        return Times(device, host)

    def best(self, call: Callable, seconds: float = 0.3) -> float:
        return min(self.times(call, seconds).device)

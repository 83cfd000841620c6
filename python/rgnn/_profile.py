"""Times of the kernels of compiled models: :func:`rgnn.profile`."""

from __future__ import annotations

import functools
import json
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import torch
from _rgnn_runtime import start_record, stop_record
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from ._work import Work


class Event(NamedTuple):
    """What the runtime records: a call of compiled code, a loop of a kernel, or a view that is built.

    ``kernel`` is the kernel's number in its module, -1 for all else; ``begin`` and ``end`` are nanoseconds of
    ``time.monotonic_ns()``; ``work`` is None where it is not known.
    """

    kind: str
    name: str
    kernel: int
    dtype: str
    file: str
    line: int
    begin: int
    end: int
    work: Work | None

    @property
    def seconds(self) -> float:
        return (self.end - self.begin) / 1e9


def _stop() -> list[Event]:
    """The events of a recording that ends now."""
    return [Event(*fields[:8], Work(fields[1], fields[3], *fields[8:]) if fields[-1] >= 0 else None)
            for fields in stop_record()]  # fmt: skip


@dataclass(frozen=True)
class Machine:
    """What bounds kernels, measured with PyTorch's operators on its threads.

    Attributes:
        bandwidth: bytes per second that are read and written when a large tensor is copied.
        operations: operations per second of a large product, by the name of the element type.
    """

    bandwidth: float
    operations: dict[str, float]

    def bound(self, work: Work) -> float:
        """Seconds that a kernel takes at least, if memory is read once and nothing of it is in a cache."""
        rate = self.operations.get(work.dtype, self.operations["float32"])
        return max(work.bytes_needed / self.bandwidth, work.operations / rate)


@functools.lru_cache
def measure_machine(threads: int) -> Machine:  # noqa: ARG001 (the number of threads is what the times are of)
    """Takes about 0.3 seconds, once for each number of threads."""

    def fastest(run: Callable[[], Any], repeat: int) -> float:
        times = []
        for _ in range(repeat):
            begin = time.perf_counter()
            run()
            times.append(time.perf_counter() - begin)
        return min(times)

    with torch.no_grad(), torch.autocast("cpu", enabled=False):
        source = torch.zeros(1 << 25, dtype=torch.float32, device="cpu")
        target = torch.zeros_like(source)
        bandwidth = 2 * source.nbytes / fastest(lambda: target.copy_(source), 5)
        operations = {}
        for dtype in (torch.float32, torch.float64):
            matrix = torch.ones(768, 768, dtype=dtype, device="cpu")
            seconds = fastest(lambda: torch.mm(matrix, matrix), 5)  # noqa: B023 (run at once)
            operations[str(dtype).removeprefix("torch.")] = 2 * 768**3 / seconds
    return Machine(bandwidth, operations)


@dataclass(frozen=True)
class KernelTime:
    """One kernel of a call.

    Attributes:
        name: its template: "gemm", "outer_sum", "traverse", "rank", "concat"; "weights" for work on weights alone.
        phase: "forward" or "backward".
        dtype: the element type of what it writes; empty where that is not known.
        source: the line of the model that it comes from, "gat_conv.py:320"; empty where that is not known.
        seconds: of a call; the median.
        rows: outer rows, such as nodes; None, here and below, where that is not known.
        inner_rows: inner rows, such as incoming edges.
        bytes_read, bytes_written: as often as they are.
        bytes_needed: those that pass if memory is read once.
        operations: on floats.
        bound: seconds that it takes at least, by the machine's bandwidth and its rate of products, if memory is read
            once and nothing is in a cache.
    """

    name: str
    phase: str
    dtype: str
    source: str
    seconds: float
    rows: int | None
    inner_rows: int | None
    bytes_read: int | None
    bytes_written: int | None
    bytes_needed: int | None
    operations: int | None
    bound: float | None

    @property
    def bytes(self) -> int | None:
        return None if self.bytes_read is None else self.bytes_read + self.bytes_written


@dataclass(frozen=True)
class Profile:
    """What :func:`rgnn.profile` measured; ``str()`` of it is a table.

    Attributes:
        kernels: in the order in which they run.
        seconds: of the phases, "forward" and "backward": the medians of whole calls, PyTorch and Python included.
        views: seconds that it takes to build each view of a graph that is new, by name. Views that others need are not
            counted in these.
        machine: what the bounds of kernels follow from.
        events: what the last call did, as the runtime recorded it.
    """

    kernels: list[KernelTime]
    seconds: dict[str, float]
    views: dict[str, float]
    machine: Machine
    events: list[Event] = field(repr=False)

    def __str__(self) -> str:
        lines = []
        for phase, seconds in self.seconds.items():
            inside = sum(kernel.seconds for kernel in self.kernels if kernel.phase == phase)
            lines.append(f"{phase}: {seconds * 1e3:.3f} ms, {inside * 1e3:.3f} of them in kernels")
        if self.views:
            parts = ", ".join(f"{name} {seconds * 1e3:.3f}" for name, seconds in self.views.items())
            lines.append(f"views of a new graph: {sum(self.views.values()) * 1e3:.3f} ms ({parts})")
        if not self.kernels:
            lines.append("no compiled code ran: expected a model of rgnn.compile or rgnn.load, on a processor")
            return "\n".join(lines)
        rates = ", ".join(f"{rate / 1e9:.0f} GFLOP/s in {dtype}" for dtype, rate in self.machine.operations.items())
        lines.append(f"bounds by {self.machine.bandwidth / 1e9:.1f} GB/s and {rates}")
        lines.append(_row("ms", "bound", "GB/s", "GFLOP/s", "rows", "inner", "phase", "kernel", "line"))
        for kernel in self.kernels:
            fields = (f"{kernel.seconds * 1e3:.3f}", _number(kernel.bound, 1e3, ".3f"),
                      _number(kernel.bytes, 1e-9 / kernel.seconds, ".1f"),
                      _number(kernel.operations, 1e-9 / kernel.seconds, ".1f"),
                      _number(kernel.rows), _number(kernel.inner_rows or None))  # fmt: skip
            lines.append(_row(*fields, kernel.phase, kernel.name, kernel.source))
        return "\n".join(lines)

    def to_chrome_trace(self, path: str | Path) -> None:
        """Writes the events of the last call as JSON that chrome://tracing and Perfetto read."""
        start = min((event.begin for event in self.events), default=0)
        trace = [{"ph": "X", "pid": 0, "tid": 0, "cat": event.kind, "name": event.name,
                  "ts": (event.begin - start) / 1e3, "dur": (event.end - event.begin) / 1e3,
                  "args": {"line": _source(event), **(event.work._asdict() if event.work else {})}}
                 for event in self.events]  # fmt: skip
        Path(path).write_text(json.dumps({"traceEvents": trace, "displayTimeUnit": "ns"}))


def profile(model: Callable, *inputs: Any, repeat: int = 9, **keywords: Any) -> Profile:
    """Measures the kernels of compiled code on processors, forward and backward.

    Args:
        model: what :func:`rgnn.compile` or :func:`rgnn.load` gave, or a function that calls such models, a training
            step for instance.
        inputs: what it is called with.
        repeat: calls that are measured; one before them compiles, one more builds the views of a new graph: of copies
            of the tensors among the inputs.
        keywords: what it is called with by name.

    Of a module, gradients are computed, too, unless they are switched off (``torch.no_grad()``): those of the sum of
    its results (tensors, and tuples, lists and dicts of such) by its parameters and the inputs that require them. No
    ``grad`` is changed; buffers and random numbers go on as they do in calls. A function does as it does, and all of it
    is its "forward". Views are those of tensors: an :class:`rgnn.Graph` keeps its own. Kernels on GPUs are not seen:
    ``torch.profiler`` names them.

    Raises:
        ValueError: ``repeat`` is not positive.
        RuntimeError: a profile is measured already, and would see this one's kernels. Compiled code that other threads
            run meanwhile is in the profile.
    """
    if isinstance(repeat, bool) or not isinstance(repeat, int) or repeat < 1:
        raise ValueError(f"repeat: expected a positive integer, got {repeat!r}")
    if not _under_way.acquire(blocking=False):
        raise RuntimeError("expected no profile that is under way, got one of this process")
    try:
        return _measure(_Step(model), *pytree.tree_map_only(Tensor, _apart, (inputs, keywords)), repeat)
    finally:
        _under_way.release()


_under_way = threading.Lock()


def _measure(step: _Step, inputs: tuple, keywords: dict[str, Any], repeat: int) -> Profile:
    step.run(inputs, keywords)
    fresh_inputs, fresh_keywords = pytree.tree_map_only(Tensor, _copied, (inputs, keywords))
    start_record()
    try:
        step.run(fresh_inputs, fresh_keywords)
    finally:
        views = _stop()
    machine = measure_machine(torch.get_num_threads())
    runs: list[tuple[dict[str, int], list[Event]]] = []
    for _ in range(repeat):
        start_record()
        try:
            marks = step.run(inputs, keywords)
        finally:
            events = _stop()
        runs.append((marks, events))
    return Profile(_kernels(runs, machine), _phases([marks for marks, _ in runs]), _views(views), machine, runs[-1][1])


class _Step:
    """What is measured."""

    def __init__(self, model: Callable):
        self._model = model

    def run(self, inputs: tuple, keywords: dict[str, Any]) -> dict[str, int]:
        """When each phase ended, and the first began, by ``time.monotonic_ns()``."""
        marks = {"": time.monotonic_ns()}
        results = self._model(*inputs, **keywords)
        marks["forward"] = time.monotonic_ns()
        if not isinstance(self._model, nn.Module) or not torch.is_grad_enabled():
            return marks
        leaves = [leaf for leaf in pytree.tree_leaves(results) if isinstance(leaf, Tensor) and leaf.requires_grad]
        of = [leaf for leaf in [*self._model.parameters(), *pytree.tree_leaves((inputs, keywords))]
              if isinstance(leaf, Tensor) and leaf.requires_grad]  # fmt: skip
        if leaves and of:
            ones = [torch.ones_like(leaf) for leaf in leaves]
            marks["forward"] = time.monotonic_ns()
            torch.autograd.grad(leaves, of, ones, allow_unused=True)
            marks["backward"] = time.monotonic_ns()
        return marks


def _apart(tensor: Tensor) -> Tensor:
    """An input of its own where it was computed, whose gradients go no further."""
    return tensor if tensor.grad_fn is None else tensor.detach().requires_grad_()


def _copied(tensor: Tensor) -> Tensor:
    return tensor.detach().clone().requires_grad_(tensor.requires_grad)


def _phases(marks: list[dict[str, int]]) -> dict[str, float]:
    ends = list(marks[0])
    return {end: statistics.median((times[end] - times[begin]) / 1e9 for times in marks)
            for begin, end in zip(ends, ends[1:])}  # fmt: skip


def _kernels(runs: list[tuple[dict[str, int], list[Event]]], machine: Machine) -> list[KernelTime]:
    """Kernels of all runs, each matched by its phase and its place among those of its phase."""
    times: dict[tuple[str, int], list[Event]] = {}
    for marks, events in runs:
        counts: dict[str, int] = {}
        for event in _joined(events):
            phase = "forward" if event.begin < marks["forward"] else "backward"
            place = counts[phase] = counts.get(phase, 0) + 1
            times.setdefault((phase, place), []).append(event)
    kernels = []
    for (phase, _), events in sorted(times.items(), key=lambda item: (item[0][0] != "forward", item[0][1])):
        event = events[-1]
        seconds = max(statistics.median(other.seconds for other in events), 1e-9)
        work = event.work[2:] if event.work else [None] * 6
        bound = machine.bound(event.work) if event.work else None
        kernels.append(KernelTime(event.name, phase, event.dtype, _source(event), seconds, *work, bound))
    return kernels


def _joined(events: list[Event]) -> Iterator[Event]:
    """The kernels among events, with the loops of each in a call as one; those of other kernels may be between them."""
    loops: dict[tuple[int, int], Event] = {}
    for event in events:
        if event.kind != "kernel":
            yield from loops.values()
            loops = {}
            continue
        key = (event.kernel, 0 if event.kernel >= 0 else len(loops))  # what has no number is one by itself
        first = loops.get(key)
        loops[key] = event if first is None else first._replace(end=first.end + event.end - event.begin)
    yield from loops.values()


def _views(events: list[Event]) -> dict[str, float]:
    """Seconds of each view, less those of views that were built within."""
    views = [event for event in events if event.kind == "view"]
    seconds: dict[str, float] = {}
    for view in views:
        inside = [other for other in views if view.begin <= other.begin and other.end <= view.end and other is not view]
        outermost = [other for other in inside
                     if not any(other is not third and third.begin <= other.begin and other.end <= third.end
                                for third in inside)]  # fmt: skip
        own = view.seconds - sum(other.seconds for other in outermost)
        seconds[view.name] = seconds.get(view.name, 0.0) + own
    return seconds


def _source(event: Event) -> str:
    return f"{event.file}:{event.line}" if event.file else ""


def _number(value: float | None, scale: float = 1, form: str = ".0f") -> str:
    return "" if value is None else format(value * scale, form)


def _row(*fields: str) -> str:
    widths = (9, 9, 8, 9, 10, 10)
    numbers = "".join(f"{text:>{width}}" for text, width in zip(fields, widths))
    phase, name, source = fields[len(widths):]
    return f"{numbers}  {phase:<9} {name:<10} {source}".rstrip()

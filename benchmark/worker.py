"""One process of the benchmark: one peer on one model and data set, or the reference. processes.py sends it commands.

It is forked from a server that has imported PyTorch and PyG and done nothing else, which saves their import (4 s) in
each of a cell's many processes. Whatever libraries print goes to a file, whose last line is shown where it dies.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path

ROUNDING = 1e-12  # gradients below are rounding of float64; others are 1e-8 and more


def limit_memory(limit: int) -> None:
    """An allocation beyond `limit` bytes fails in this process; where the machine runs out, it is the one to go."""
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def status_mib(key: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"/proc/self/status has no {key}")


def reset_peak() -> float:
    """Sets VmHWM back to the resident size, which it returns in MiB."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return status_mib("VmRSS")


def compare_rows(got, wanted) -> tuple[float, float]:
    """max|a - b|, and the same over max|b|, where the reference has numbers."""
    rows, there = got.double(), ~wanted.isnan()
    if rows.shape != wanted.shape or (rows.isnan() & there).any():
        raise RuntimeError(f"wrong result: shape {tuple(rows.shape)}, or NaN where the reference has none")
    difference = (rows[there] - wanted[there]).abs().max().item()
    return difference, difference / wanted[there].abs().max().item()


def compare_gradients(parameters, wanted) -> tuple[float, float]:
    """max|a - b| over all parameters' gradients, and the largest of max|a - b| / max|b| of one.

    A gradient that is nothing but rounding in the reference (weights of a softmax over one edge) counts absolutely.
    """
    largest = [0.0, 0.0]
    for name, parameter in parameters.items():
        right = wanted[name] if name in wanted else parameter.new_zeros(parameter.shape).double()
        got = parameter.new_zeros(parameter.shape) if parameter.grad is None else parameter.grad
        if got.shape != right.shape or got.isnan().any():
            raise RuntimeError(f"wrong gradient of {name}: shape {tuple(got.shape)}, or NaN")
        difference, size = (got.double() - right).abs().max().item(), right.abs().max().item()
        relative = difference / size if size > ROUNDING else difference
        largest = [max(largest[0], difference), max(largest[1], relative)]
    return tuple(largest)


def time_calls(call: Callable[[], object], seconds: float, warm_up: float) -> list[float]:
    """Seconds of each call, at least one, until `seconds` have passed, after `warm_up` seconds of calls.

    Where a processor was idle its first tenth of a second is slower: without a warm-up that is as long for all, the
    fewest calls, those of the slow, would be measured best.
    """
    end = time.perf_counter() + warm_up
    while time.perf_counter() < end:
        call()
    times, end = [], time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return times


class Session:
    def __init__(self, spec: dict):
        import torch
        from peers import make
        from peers.problem import Problem

        torch.set_num_threads(spec["threads"])
        torch.set_grad_enabled(spec["training"])
        self.torch, self.spec = torch, spec
        self.problem = Problem(spec["model"], spec["dataset"], spec["width"])
        if spec["peer"] == "reference":
            self.peer = None
            return
        self.peer = make(spec["peer"], self.problem, spec["training"])
        self.call = self.peer.step if spec["training"] else self.peer.run

    def setup(self) -> dict:
        answer = {"graph": str(self.problem.graph), "torch": self.torch.__version__}
        if self.peer is not None:
            answer |= {key: getattr(self.peer, key) for key in ("note", "equal", "compiles")}
        return answer

    def reference(self, path: str) -> dict:
        from peers.pyg_peer import reference, reference_gradients

        self.torch.save((reference_gradients if self.spec["training"] else reference)(self.problem), path)
        return {}

    def once(self, graph) -> tuple[float, float, object]:
        """Seconds of view building and of the call that follows, and what it returned; for a graph not seen before."""
        inputs = self.peer.inputs(graph)
        start = time.perf_counter()
        self.prepared = self.peer.prepare(inputs)
        middle = time.perf_counter()
        out = self.call(self.prepared)
        return middle - start, time.perf_counter() - middle, out

    def first(self, reference: str | None) -> dict:
        """The first call, with capture and compilation, and its difference to the reference."""
        prepare, call, out = self.once(self.problem.graph)
        answer = {"prepare": prepare, "first": call}
        if reference and self.peer.equal:
            wanted = self.torch.load(reference, mmap=True)
            compare = compare_gradients if self.spec["training"] else compare_rows
            got = self.peer.parameters() if self.spec["training"] else self.peer.rows(out)
            answer |= dict(zip(("difference", "relative"), compare(got, wanted)))
        return answer

    def fresh(self) -> dict:
        """A call on the same graph in new tensors: nothing is compiled, but all views are built."""
        prepare, call, _ = self.once(self.problem.fresh_graph())
        return {"prepare": prepare, "call": call}

    def measure(self, seconds: float, warm_up: float) -> dict:
        """Times of calls, at least one, until `seconds` have passed."""
        return {"times": time_calls(lambda: self.call(self.prepared), seconds, warm_up)}

    def memory(self) -> dict:
        """Peaks in MiB: of view building, compilation and first call together, and of the calls after."""
        inputs = self.peer.inputs(self.problem.graph)
        base = reset_peak()
        prepared = self.peer.prepare(inputs)
        self.call(prepared)
        answer = {"base": base, "peak": status_mib("VmHWM")}
        reset_peak()
        for _ in range(2):
            self.call(prepared)
        return {**answer, "steady": status_mib("VmHWM")}


def serve(connection, errors: str, environment: dict[str, str], make_session: type) -> None:
    """Answers commands (dicts with the method under "do") until the connection closes. Runs in a forked process."""
    os.setsid()  # processes.py ends the whole group: compilers start processes of their own
    os.environ.update(environment)
    log = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    session = None
    while True:
        try:
            command = connection.recv()
        except EOFError:
            return
        kind = command.pop("do")
        try:
            if kind == "setup":
                limit_memory(command["memory_limit"])
                session = make_session(command)
            connection.send(getattr(session, kind)(**({} if kind == "setup" else command)))
        except Exception as error:  # goes into the table; the others go on
            lines = str(error).strip().splitlines() or [""]
            out_of_memory = isinstance(error, MemoryError) or "allocate memory" in str(error)
            text = "out of memory" if out_of_memory else f"{type(error).__name__}: {lines[0]}"
            connection.send({"error": text[:300]})
            return

"""What only a GPU has: calls captured as CUDA graphs, on several streams, without waiting for them, on several GPUs.

Results have to be those of plain calls, to the last bit where the GPU is the same.
"""

from __future__ import annotations

import argparse
import threading

import layout
import torch
from correctness import load, on, relative, run
from store import Absent, Unit
from torch import Tensor, nn
from torch.utils import _pytree as pytree

MODELS = ("rgcn-mean-float32", "rgat-float32", "hgt-float32")
CYCLES = 200_000_000  # of a kernel that only waits: a tenth of a second


def plan(options: argparse.Namespace) -> list[Unit]:
    if not options.device.startswith("cuda"):
        return []
    return [{"part": "streams", "group": check, "name": f"{check}-{model}", "check": check, "model": model}
            for check in CHECKS for model in MODELS if (layout.CASES / f"{model}.rgnn").exists()]  # fmt: skip


def measure(unit: Unit, device: torch.device) -> dict:
    model, case = load(unit["model"], device)
    graph = next(graph for graph in case["graphs"] if graph["graph"] == "large")
    wrong = CHECKS[unit["check"]](model, on(graph["args"], device), on(graph["factors"], device), device)
    return {"status": f"wrong: {wrong}" if wrong else "ok"}


def same(got: list[Tensor], right: list[Tensor], what: str) -> str:
    unequal = [number for number, (a, b) in enumerate(zip(got, right, strict=True)) if not torch.equal(a, b)]
    return f"{what}: results {unequal} differ from those of a plain call" if unequal else ""


def tensors(value) -> list[Tensor]:
    return [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, Tensor)]


def changed(args: tuple) -> tuple:
    """The same graph with other features."""
    return pytree.tree_map_only(Tensor, lambda t: t * 0.5 + 1 if t.is_floating_point() else t, args)


def refill(args: tuple, source: tuple) -> None:
    for old, new in zip(tensors(args), tensors(source), strict=True):
        if old.is_floating_point():
            old.copy_(new)


def captured(call, args: tuple, source: tuple) -> list[Tensor]:
    """What a captured call gives when it is replayed with other numbers in its arguments."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):  # code, views and workspace are made before
        for _ in range(2):
            call(args)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = call(args)
    refill(args, source)
    for _ in range(3):
        graph.replay()
    torch.cuda.synchronize()
    return found


def check_capture(model: nn.Module, args: tuple, factors: list[Tensor], device: torch.device) -> str:
    def call(args: tuple) -> list[Tensor]:
        with torch.no_grad():
            return tensors(model(*args))

    other = changed(args)
    return same(captured(call, args, other), call(other), "capture")


def check_capture_training(model: nn.Module, args: tuple, factors: list[Tensor], device: torch.device) -> str:
    other = changed(args)
    found = captured(lambda args: run(model, args, factors), args, other)
    return same(found, run(model, other, factors), "capture of a training step")


def check_streams(model: nn.Module, args: tuple, factors: list[Tensor], device: torch.device) -> str:
    """Calls of different numbers side by side."""
    inputs = [args, changed(args), changed(changed(args))]
    right = [run(model, each, factors) for each in inputs]
    streams = [torch.cuda.Stream() for _ in inputs]
    torch.cuda.synchronize()
    for turn in range(10):
        found = []
        for stream, each in zip(streams, inputs):
            with torch.cuda.stream(stream):
                found.append(run(model, each, factors))
        torch.cuda.synchronize()
        for got, wanted in zip(found, right):
            if wrong := same(got, wanted, f"three streams, turn {turn}"):
                return wrong
    return ""


def check_order(model: nn.Module, args: tuple, factors: list[Tensor], device: torch.device) -> str:
    """A call waits for what is before it on its stream, and its caller does not wait for the call."""
    other = changed(args)
    right = run(model, other, factors)
    for stream in (torch.cuda.current_stream(), torch.cuda.Stream()):
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            given = pytree.tree_map_only(Tensor, lambda t: t.clone() if t.is_floating_point() else t, args)
            kept = [run(model, given, factors) for _ in range(2)]  # PyTorch's allocator asks for memory, and may wait
            del kept
            torch.cuda.synchronize()
            torch.cuda._sleep(CYCLES)
            slept = torch.cuda.Event()
            slept.record()
            refill(given, other)
            found = run(model, given, factors)
            if slept.query():
                return "a call came back only when the device was done with what is before it"
        torch.cuda.synchronize()
        if wrong := same(found, right, "after other work on the stream"):
            return wrong
    return ""


def check_threads(model: nn.Module, args: tuple, factors: list[Tensor], device: torch.device) -> str:
    """Calls from several threads, each on a stream of its own."""
    inputs = [args, changed(args)]
    right, found = [run(model, each, factors) for each in inputs], [[], []]
    torch.cuda.synchronize()

    def work(number: int) -> None:
        torch.cuda.set_device(device)
        with torch.cuda.stream(torch.cuda.Stream()):
            found[number] = [run(model, inputs[number], factors) for _ in range(20)]
            torch.cuda.synchronize()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for got, wanted in zip(found, right):
        if len(got) != 20:
            return "a thread's calls raised"
        for each in got:
            if wrong := same(each, wanted, "two threads"):
                return wrong
    return ""


def check_devices(model: nn.Module, args: tuple, factors: list[Tensor], device: torch.device) -> str:
    """Other GPUs, while this one is the current one."""
    if torch.cuda.device_count() < 2:
        raise Absent("one GPU")
    right = [tensor.cpu() for tensor in run(model, args, factors)]
    for number in range(torch.cuda.device_count()):
        other = torch.device("cuda", number)
        found = run(model.to(other), on(args, other), on(factors, other))
        errors = [relative(got.cpu(), wanted) for got, wanted in zip(found, right, strict=True)]
        if any(got.device != other for got in found) or max(errors) > 1e-5:
            return f"{other}: error {max(errors):.1e}"
    return ""


CHECKS = {"capture": check_capture, "capture-training": check_capture_training, "streams": check_streams,
          "order": check_order, "threads": check_threads, "devices": check_devices}  # fmt: skip

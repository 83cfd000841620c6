"""Times, memory and errors of RGNN and its peers, on each data set and model, inference and training.

A model on a data set is a process; its peers run one after another, on the same tensors. Errors are against the
formulas in float64. A peer's memory is the most that PyTorch's allocator handed out in a call, inputs and parameters
and all. RGNN also runs where an allocation beyond 24 or 8 GB fails.
"""

from __future__ import annotations

import argparse
import functools
import gc
import itertools
import json
import sys
from pathlib import Path

import formulas
import layout
import torch
from clock import Clock
from correctness import on
from device_peers import make, peers_of
from device_problem import DeviceProblem, cached_graph
from roofline import work
from store import Unit
from worker import compare_gradients, compare_rows

CAPS = (24, 8)  # GB


def plan(options: argparse.Namespace) -> list[Unit]:
    """Cells for which the bundle has a model, the width of most models first; graphs are the outer loop."""
    chosen = options.datasets and options.datasets.split(",")
    peers = options.peers and options.peers.split(",")
    cells = [json.loads(path.read_text()) for path in layout.MODULES.glob("*.json")]
    cells.sort(key=lambda cell: (cell["width"] != 64, cell["width"], cell["dataset"].startswith("synthetic"),
                                 cell["dataset"], cell["model"]))  # fmt: skip
    units = []
    for made, mode in itertools.product(cells, ("inference", "training")):
        if chosen and made["dataset"] not in chosen:
            continue
        group = "{model}-{dataset}-{width}".format(**made)
        name = f"{group}-{mode}"
        unit = {**made, "part": "benchmark", "group": group, "mode": mode, "seconds": options.seconds, "cap": None,
                "graphs": str(options.results.resolve() / "graphs")}  # fmt: skip
        units += [{**unit, "peer": peer, "name": f"{name}-{peer}"} for peer in peers_of(made["model"])
                  if not peers or peer in peers]  # fmt: skip
        if options.device.startswith("cuda"):
            units += [{**unit, "peer": "rgnn", "cap": cap, "name": f"{name}-rgnn-{cap}GB"} for cap in CAPS]
    return units


@functools.lru_cache(1)
def cell(text: str, device: torch.device):
    """The problem of a cell, what its peers should compute, and its bound's bytes and operations."""
    unit = json.loads(text)
    training = unit["mode"] == "training"
    graph = cached_graph(unit["dataset"], Path(unit["graphs"]))
    problem = DeviceProblem(unit["model"], unit["dataset"], unit["width"], device, graph)
    wanted = on(formulas.reference(problem, training), torch.device("cpu"))  # peers' memory is measured
    return problem, wanted, work(unit["model"], graph, unit["width"], training)


def measure(unit: Unit, device: torch.device) -> dict:
    keys = ("dataset", "model", "width", "mode", "graphs")
    if unit["cap"]:  # set before anything is allocated that counts
        return measure_capped(unit, device)
    problem, wanted, (moved, operations) = cell(json.dumps({key: unit[key] for key in keys}), device)
    training, clock = unit["mode"] == "training", Clock(device)
    release(device)
    with torch.set_grad_enabled(training):
        peer = make(unit["peer"], problem)
        call = peer.step if training else peer.run
        prepared = peer.prepare(peer.inputs(problem.graph))
        first = clock.once(lambda: call(prepared))
        difference, worst = compare(peer, prepared, on(wanted, device), training) if peer.equal else (None, "")
        peak = peak_of(lambda: call(prepared), device)
        times = clock.times(lambda: call(prepared), unit["seconds"])
    host = sorted(times.host)[len(times.host) // 2]
    return {"status": "ok", "graph": str(problem.graph), "first": first, "median": times.median,
            "least": min(times.device), "host": host, "calls": len(times.device), "peak": peak, "error": difference,
            "worst": worst, "bytes": moved, "operations": operations}  # fmt: skip


def compare(peer, prepared, wanted, training: bool) -> tuple[float, str]:
    """max|a - b| / max|b| of the result, or the largest of a parameter's gradient and which parameter that is."""
    if not training:
        return compare_rows(peer.rows(peer.run(prepared)), wanted)[1], ""
    parameters = peer.parameters()
    if missing := wanted.keys() - parameters.keys():
        raise RuntimeError(f"expected a parameter {min(missing)}, got {', '.join(sorted(parameters)[:8])}")
    return max((compare_gradients({name: parameters[name]}, wanted)[1], name) for name in wanted)


def measure_capped(unit: Unit, device: torch.device) -> dict:
    """Whether a call fits into the memory of a smaller GPU, with nothing else there."""
    cell.cache_clear()
    release(device)
    total = torch.cuda.get_device_properties(device).total_memory
    torch.cuda.set_per_process_memory_fraction(min(1.0, unit["cap"] * 1e9 / total), device)
    try:
        graph = cached_graph(unit["dataset"], Path(unit["graphs"]))
        problem = DeviceProblem(unit["model"], unit["dataset"], unit["width"], device, graph)
        training = unit["mode"] == "training"
        with torch.set_grad_enabled(training):
            peer = make("rgnn", problem)
            prepared = peer.prepare(peer.inputs(problem.graph))
            return {"status": "ok", "peak": peak_of(lambda: (peer.step if training else peer.run)(prepared), device)}
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0, device)


def release(device: torch.device) -> None:
    """Gives back what earlier peers left."""
    import rgnn

    gc.collect()
    rgnn.release_workspace()
    if "torch._dynamo" in sys.modules:
        torch._dynamo.reset()
    if device.type == "cuda":
        torch.cuda.empty_cache()


def peak_of(call, device: torch.device) -> int | None:
    """Bytes; None on CPUs, where allocations are not counted."""
    if device.type != "cuda":
        call()
        return None
    torch.cuda.reset_peak_memory_stats(device)
    call()
    torch.cuda.synchronize(device)
    return torch.cuda.max_memory_allocated(device)

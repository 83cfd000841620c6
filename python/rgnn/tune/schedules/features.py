"""What a network sees of a module on a graph and a machine: a node for each op, with numbers and categories."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from ..._profile import measure_machine
from ..graphs import TYPES, GraphSpec
from ..rank.packing import LEAST
from ..work import Function as Works
from .ir import KERNELS, Op
from .space import Space

OPS = (
    "other", "argument", "return", *KERNELS, "hetkernel.concat", "hetkernel.for_each", "hetkernel.lookup",
    "hetkernel.row", "hetkernel.element", "hetkernel.scatter", "hetkernel.yield", "arith.addf", "arith.subf",
    "arith.mulf", "arith.divf", "arith.negf", "arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf",
    "arith.cmpf", "arith.cmpi", "arith.select", "arith.constant", "arith.addi", "arith.subi", "arith.index_cast",
    "arith.extf", "arith.truncf", "arith.sitofp", "arith.uitofp", "math.exp", "math.log", "math.tanh", "math.sqrt",
    "math.rsqrt", "math.absf", "math.powf", "math.fma", "vector.broadcast", "vector.reduction", "vector.extract",
    "vector.shape_cast", "vector.multi_reduction", "vector.transpose", "vector.from_elements", "vector.splat",
    "vector.insert", "tensor.empty", "tensor.collapse_shape", "tensor.expand_shape", "tensor.extract_slice",
    "tensor.concat", "tensor.dim", "linalg.generic", "linalg.fill", "linalg.transpose", "linalg.matmul",
    "linalg.batch_matmul", "linalg.yield", "tensor.insert_slice", "tensor.cast", "vector.extract_strided_slice",
    "vector.insert_strided_slice",
)  # fmt: skip
"""Kinds of nodes. A new kind is added at the end: files hold places in this list."""

_PLACES = {name: place for place, name in enumerate(OPS)}

SIZES = ("dimensions", "width_in", "width_out", "weights", "bits", "operands", "depth")
"""Of an op; widths and the largest static product of sizes as logarithms."""

WORK = ("rows", "inner_rows", "bytes_read", "bytes_written", "bytes_needed", "operations")
"""Of a kernel on the graph, as logarithms."""

GRAPH = ("nodes", "edges", "degree", "in_most", "out_most", "in_spread", "out_spread", "src_pairs", "dst_pairs",
         "type_most", "type_spread", "isolated")  # fmt: skip
"""Of the graph: numbers as logarithms; spreads are standard deviations by means."""

PROCESSOR = ("vector_bits", "level1", "level2", "level3", "threads", "bandwidth", "rate32", "rate64")
"""Of the machine: bytes of caches, bytes and operations per second, all as logarithms."""

NUMBERS = (*SIZES, *WORK, *GRAPH, *PROCESSOR)
"""Features of a node that are numbers."""

SCHEMES = ("gather", "scatter", "accumulate", "tiles", "factors", "segments")
"""Access schemes of a kernel, which are categories: of each, whether it has it; -1 of other nodes. Factors are 1 for a
scale, 2 for a bias, 3 for both; scatters are 2 where they are atomic."""


def numbers_of(space: Space, works: Works, graph: GraphSpec, processor: Sequence[float]) -> np.ndarray:
    """``[N, len(NUMBERS)]``, float32: nodes are the ops of the module, in order.

    Args:
        space: of the module.
        works: what its kernels do on the graph.
        graph: its statistics are those of all nodes.
        processor: numbers of :data:`PROCESSOR`.
    """
    ops, done = space.function.ops, works.listed()
    rows = np.zeros((len(ops), len(SIZES) + len(WORK)), np.float32)
    for number, op in enumerate(ops):
        rows[number, : len(SIZES)] = _sizes(ops, op)
    for kernel in space.function.kernels:
        if (work := done.get(kernel.number)) is not None:
            rows[kernel.op, len(SIZES) :] = [_log(getattr(work, name)) for name in WORK]
    same = np.array([*_graph_numbers(graph), *processor], np.float32)
    return np.concatenate([rows, np.broadcast_to(same, (len(ops), len(same)))], axis=1)


def schemes_of(space: Space) -> np.ndarray:
    """``[N, len(SCHEMES)]``, int64."""
    function = space.function
    rows = np.full((len(function.ops), len(SCHEMES)), LEAST, np.int64)
    for kernel in function.kernels:
        words = function.ops[kernel.op].words
        rows[kernel.op] = [
            "gather" in words, ("scatter" in words) + ("atomic" in words), "accumulate" in words, "tiles" in words,
            ("scale" in words) + 2 * ("bias" in words), "segments" in words]  # fmt: skip
    return rows


def kinds_of(space: Space) -> np.ndarray:
    """``[N]``, int64: places in :data:`OPS`."""
    return np.array([_PLACES.get(op.name, 0) for op in space.function.ops], np.int64)


def edges_of(space: Space) -> np.ndarray:
    """``[2, E]``, int64: from each op to those that it reads, and to the one around it."""
    pairs = [(number, other) for number, op in enumerate(space.function.ops)
             for other in (*op.operands, *([op.parent] if op.parent >= 0 else []))]  # fmt: skip
    return np.array(sorted(set(pairs)), np.int64).reshape(-1, 2).T


def _sizes(ops: Sequence[Op], op: Op) -> list[float]:
    shapes = [shape for shape in op.shapes if shape.element != "i32"] or list(op.shapes)
    if not shapes:
        return [0.0] * (len(SIZES) - 2) + [float(len(op.operands)), _depth(ops, op)]
    widths = [max(shape.sizes[-1], 0) if shape.sizes else 1 for shape in (shapes[0], shapes[-1])]
    bits = int("".join(filter(str.isdigit, shapes[-1].element)) or 64)
    return [float(max(len(shape.sizes) for shape in shapes)), *map(_log, widths),
            _log(max(shape.static for shape in shapes)), float(bits), float(len(op.operands)),
            _depth(ops, op)]  # fmt: skip


def _depth(ops: Sequence[Op], op: Op) -> float:
    depth = 0
    while op.parent >= 0:
        op, depth = ops[op.parent], depth + 1
    return float(depth)


def _log(number: float) -> float:
    return math.log2(1 + number)


def _graph_numbers(graph: GraphSpec) -> list[float]:
    (sources, targets), types = graph.edges
    edges = len(types)
    counts = [torch.bincount(ends, minlength=graph.nodes).double() for ends in (sources, targets)]
    of_types = torch.bincount(types, minlength=TYPES).double()
    pairs = [len(torch.unique(ends * TYPES + types)) for ends in (sources, targets)]
    isolated = float((counts[1] == 0).double().mean())
    return [_log(graph.nodes), _log(edges), _log(edges / graph.nodes), _log(float(counts[1].max())),
            _log(float(counts[0].max())), _spread(counts[1]), _spread(counts[0]), *map(_log, pairs),
            float(of_types.max() / edges), _spread(of_types), isolated]  # fmt: skip


def _spread(counts: Tensor) -> float:
    return float(counts.std(correction=0) / counts.mean())


def measure_processor(threads: int) -> list[float]:
    """Numbers of this machine, by :data:`PROCESSOR`; rates are measured, and differ a little from run to run."""
    bits = {"AVX512": 512, "AVX2": 256}.get(torch.backends.cpu.get_cpu_capability(), 128)
    caches = [_cache(level) for level in ("LEVEL1_DCACHE", "LEVEL2_CACHE", "LEVEL3_CACHE")]
    machine = measure_machine(threads)
    rates = [machine.operations[name] for name in ("float32", "float64")]
    return [round(_log(number), 3) for number in (bits, *caches, threads, machine.bandwidth, *rates)]


def _cache(level: str) -> int:
    """Bytes; 0 where the system does not say."""
    try:
        return max(os.sysconf(f"SC_{level}_SIZE"), 0)
    except (OSError, ValueError):
        return 0


def processor_name() -> str:
    """What the system calls the processor, else its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()

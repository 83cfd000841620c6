"""Writes docs/GPUResources.md to the standard output: what the kernels of RGCN, RGAT and HGT take of a GPU, and the
time that each needs at least, by its bytes and operations. Needs no GPU.

Usage: RGNN_DATASETS=FOLDER CUDA_ROOT=TOOLKIT utils/gpu_resources.py > docs/GPUResources.md
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "python" / "rgnn"), str(ROOT / "build" / "python")]
from _ptx import Resources, assemble  # noqa: E402
from _rgnn import read_ptx  # noqa: E402

CHIPS = {  # memory in GB/s and f32 without tensor cores in TFLOP/s, as published for the SXM modules
    "sm_80": ("A100 80 GB", 2039, 19.5),
    "sm_90": ("H100", 3350, 67),
    "sm_100": ("B200", 8000, 75),
}
MODELS = {  # rewrites, and options of the differentiation
    "rgcn": ("--rgnn-compact --rgnn-aggregate-first", ""),
    "rgat": ("--rgnn-compact", ""),
    "hgt": ("--rgnn-compact", "=arguments=1,2,3,4,5,6,7,8"),
}
# The passes of rgnn-to-gpu up to kernels on tensors, whose graphs are not yet lists that a caller gives.
KERNELS = (
    "--rgnn-stack-types --rgnn-reorder-linear --rgnn-reassociate --rgnn-postpone-propagation --rgnn-compact "
    "--rgnn-aggregate-first --canonicalize --cse --rgnn-scale-rows --canonicalize --cse --convert-rgnn-to-hetkernel "
    "--canonicalize --cse --hetkernel-fuse-row-scale --hetkernel-fuse-row-sum"
)
DATASETS = ("aifb", "mutag", "wn18rr", "fb15k-237")
TILE_ROWS = 256  # of outer sums


@dataclass
class Data:
    """Sizes of a graph: rows of each domain, and for the tiles of a typed sum those of each type."""

    name: str
    rows: dict[str, int]
    of_type: dict[str, np.ndarray]
    node_types: int
    edge_types: int

    @staticmethod
    def load(name: str) -> Data:
        file = np.load(Path(os.environ["RGNN_DATASETS"]) / f"{name}.npz")
        types, nodes = file["etype"].astype(np.int64), int(file["num_nodes"])
        edge_types, ntype = int(types.max()) + 1, file["ntype"]

        def count_pairs(ends: np.ndarray) -> np.ndarray:
            return np.bincount(np.unique(types * nodes + ends) // nodes, minlength=edge_types)

        of_type = {
            "nodes": np.bincount(ntype),
            "edges": np.bincount(types, minlength=edge_types),
            "src-pairs": count_pairs(file["src"]),
            "dst-pairs": count_pairs(file["dst"]),
        }
        rows = {domain: int(counts.sum()) for domain, counts in of_type.items()}
        return Data(name, rows, of_type, len(of_type["nodes"]), edge_types)

    def count_tiles(self, rows: int, is_typed: bool) -> int:
        """The tiles of an outer sum over so many rows."""
        for domain, counts in self.of_type.items():
            if is_typed and self.rows[domain] == rows:
                return int(np.ceil(counts / TILE_ROWS).sum())
        return -(-rows // TILE_ROWS)

    def options(self) -> str:
        sizes = [f"{domain}={rows}" for domain, rows in self.rows.items()]
        return " ".join([*sizes, "nodes-of-type=" + ",".join(map(str, self.of_type["nodes"]))])


@dataclass
class Work:
    """What a kernel must move, in bytes, and compute."""

    bytes: float = 0
    operations: float = 0

    def __add__(self, other: Work) -> Work:
        return Work(self.bytes + other.bytes, self.operations + other.operations)


@dataclass
class Launch:
    """Names of what it computes, and what its kernel takes of each chip."""

    parts: list[str]
    taken: tuple[Resources, ...]


@dataclass
class Kernel:
    """What ``hetkernel-print-traffic`` says of one."""

    name: str
    rows: int
    written: int
    work: Work


def run(command: str, text: str) -> tuple[str, str]:
    done = subprocess.run(["bash", "-c", command], input=text, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr}")
    return done.stdout, done.stderr


def make_models(edge_types: int, node_types: int) -> dict[str, str]:
    """Forward and backward of each model at width 64, by a name such as "RGAT backward"."""
    texts = {}
    for model, (rewrites, options) in MODELS.items():
        sed = f"s/edge_types\\(3\\)/edge_types({edge_types})/; s/tensor<3x/tensor<{edge_types}x/g"
        if model == "hgt":
            sed += f"; s/node_types\\(2\\)/node_types({node_types})/; s/tensor<2x/tensor<{node_types}x/g"
        text = (ROOT / "test/Pipelines" / f"hector-{model}.mlir").read_text()
        source, _ = run(f"sed -E -f test/Target/Inputs/width64.sed | sed -E '{sed}'", text)
        both, _ = run("build/bin/rgnn-opt --rgnn-raise-loops --canonicalize --cse "
                      f"{rewrites} --rgnn-differentiate{options}", source)
        for name, function in (("forward", model), ("backward", f"{model}_backward")):
            alone, _ = run(f"build/bin/rgnn-opt --symbol-privatize=exclude={function} --symbol-dce", both)
            texts[f"{model.upper()} {name}"] = alone.replace(f"@{function}(", "@forward(")
    return texts


def compile_for(chip: str, form: str, text: str) -> str:
    return run(f'build/bin/rgnn-opt --mlir-print-debuginfo --rgnn-to-gpu="chip={chip} format={form}"', text)[0]


def read_launches(module: str) -> list[tuple[str, list[str]]]:
    """For each launch the name of its code, and the names of what it computes, such as "hetkernel.gemm 3"."""
    locations = dict(re.findall(r"^(#loc\d*) = loc\((.*)\)$", module, re.MULTILINE))

    def find_parts(location: str) -> list[str]:
        if name := re.match(r'"([^"]+)"\((#loc\d*)\)', location):
            return [" of ".join([name[1], *find_parts(locations[name[2]])])]
        fused = re.match(r"fused\[(.*)\]", location)
        return [part for inner in fused[1].split(", ") for part in find_parts(locations[inner])] if fused else []

    launches = re.findall(r"gpu\.launch_func\s+@(\w+)::.*loc\((#loc\d*)\)$", module, re.MULTILINE)
    return [(name, find_parts(locations[location])) for name, location in launches]


def measure_launches(text: str) -> list[Launch]:
    ptxas = str(Path(os.environ["CUDA_ROOT"]) / "bin/ptxas")
    parts: list[list[str]] = []
    taken: dict[str, list[Resources]] = {}
    for chip in CHIPS:
        module = compile_for(chip, "isa", text)
        launches, ptx = read_launches(module), read_ptx(module)
        parts = [names for _, names in launches]
        taken[chip] = [assemble(ptx[name], chip, ptxas) for name, _ in launches]
    return [Launch(*pair) for pair in zip(parts, zip(*taken.values(), strict=True), strict=True)]


def count_kernels(text: str, data: Data) -> list[Kernel]:
    traffic = f'--hetkernel-print-traffic="{data.options()}" -o /dev/null'
    _, table = run(f"build/bin/rgnn-opt {KERNELS} {traffic}", text)
    found = re.findall(r"^ +(hetkernel\.\w+) +(\d+) +\d+ +\d+ +(\d+) +(\d+) +(\d+)$", table, re.MULTILINE)
    return [Kernel(name, int(rows), int(written), Work(int(needed), int(operations)))
            for name, rows, written, needed, operations in found]


def count_numbers(shape: str) -> int:
    return int(np.prod([int(size) for size in shape.split("x")[:-1]]))


def count_bytes(shape: str) -> int:
    return count_numbers(shape) * int(shape.split("x")[-1][1:]) // 8


def find_work(parts: list[str], matrices: dict[str, str], kernels: list[Kernel], data: Data) -> Work:
    """Of what a launch is made of; `matrices` are those that outer sums add up, by their numbers."""
    work = Work()
    for part in parts:
        if part.startswith("linalg"):
            work += Work(sum(count_bytes(shape) for shape in part.split()[1:]))
            continue
        name, number = re.search(r"(hetkernel\.\w+) (\d+)", part).groups()
        kernel = kernels[int(number)]
        if kernel.name != name:
            sys.exit(f"expected kernel {number} to be {name}, got {kernel.name}")
        if name != "hetkernel.outer_sum":
            work += kernel.work
            continue
        # The sums of tiles are written by one launch and read by the next.
        matrix = matrices[number]
        tiles = data.count_tiles(kernel.rows, is_typed=kernel.written // 4 > count_numbers(matrix))
        sums = tiles * count_bytes(matrix)
        if part.startswith("totals"):
            work += Work(sums + kernel.written, tiles * count_numbers(matrix))
        else:
            work += Work(kernel.work.bytes - kernel.written + sums, kernel.work.operations)
    return work


def name_part(part: str) -> str:
    """ "totals ?x64x64xf32 of hetkernel.outer_sum 3" as "totals 3", "linalg.copy 4xf32 4xf32" as "copy"."""
    words = part.split()
    kind = words[0].split(".")[-1].replace("_", " ")
    return kind if part.startswith("linalg") else f"{kind} {words[-1]}"


def count_work(text: str, data: Data) -> list[Work]:
    """Of each launch on a graph."""
    launches = [parts for _, parts in read_launches(compile_for("sm_80", "llvm", text))]
    found = (re.match(r"totals \?x(\S+) of hetkernel.outer_sum (\d+)", part) for parts in launches for part in parts)
    matrices = dict(match.group(2, 1) for match in found if match)
    kernels = count_kernels(text, data)
    return [find_work(parts, matrices, kernels, data) for parts in launches]


def write_row(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |")


def print_resources(model: str, launches: list[Launch]) -> None:
    for number, launch in enumerate(launches, 1):
        write_row(
            f"{model} {number}",
            ", ".join(map(name_part, launch.parts)),
            str(launch.taken[0].threads),
            f"{launch.taken[0].shared:,}",
            " / ".join(str(taken.registers) for taken in launch.taken),
            " / ".join(str(taken.spilled) for taken in launch.taken),
            " / ".join(f"{taken.occupancy:.2f}" for taken in launch.taken),
        )


def estimate(work: Work, bandwidth: float, peak: float) -> tuple[float, str]:
    """Least time in us, and what bounds it."""
    memory, compute = work.bytes / bandwidth / 1e3, work.operations / peak / 1e6
    return max(memory, compute), "c" if compute > memory else ""


def print_times(model: str, works: dict[str, list[Work]]) -> None:
    """A row for each launch, with the least time on each data set on each chip; `works` by data set."""
    rates = [rates for _, *rates in CHIPS.values()]
    for number, alike in enumerate(zip(*works.values(), strict=True), 1):
        cells = []
        for work in alike:
            times = ["{:.1f}{}".format(*estimate(work, *rate)) for rate in rates]
            cells += [f"{work.bytes / 1e6:.1f} MB, {work.operations / 1e6:.0f} MF", " / ".join(times)]
        write_row(f"{model} {number}", *cells)
    totals = []
    for per_launch in works.values():
        work = sum(per_launch, Work())
        times = [f"{sum(estimate(one, *rate)[0] for one in per_launch):.0f}" for rate in rates]
        totals += [f"{work.bytes / 1e6:.0f} MB, {work.operations / 1e6:.0f} MF", " / ".join(times)]
    write_row(f"**{model}**", *totals)


INTRODUCTION = """# What kernels take of a GPU

Estimates of the least that a GPU can take; what one took is in [GPUResults](GPUResults.md). `utils/gpu_resources.py`
writes this page, without a GPU: what ptxas says of the kernels of RGCN, RGAT and HGT (`test/Pipelines/hector-*.mlir` at
width 64, f32 without tensor cores), and the time that each launch needs at least on the graphs of the benchmark.

## Resources

A launch has the blocks of several kernels that do not wait for each other. Their numbers are those of the table that
`hetkernel-print-traffic` prints; totals add up what the tiles of an outer sum have; transpose, copy and generic are on
weights. Occupancy is the share of a multiprocessor's warps that find room at once. Of three figures the first is for
sm_80, the second for sm_90, the last for sm_100.
"""

ROOFLINE = """
## Least times

The larger of the bytes needed (MB) over the bandwidth of memory, and the operations (MF, millions) over the peak of
f32. Where operations bind, the time ends in c; elsewhere bytes do. The bytes are those of `hetkernel-print-traffic`:
each tensor and each list of the graph that a kernel reads counts once, however often rows are gathered from it, and
what it writes counts once; sums of tiles count where they are written and where they are read. A backward reads what
the forward saved. What a launch costs besides is not in it, and weighs the most where there is the least to do.
"""


def main() -> None:
    if missing := {"CUDA_ROOT", "RGNN_DATASETS"} - os.environ.keys():
        sys.exit(f"expected {' and '.join(sorted(missing))} in the environment")
    data = [Data.load(name) for name in DATASETS]
    texts = {graph.name: make_models(graph.edge_types, graph.node_types) for graph in data}
    print(INTRODUCTION)
    write_row("", "computes", "threads", "shared, bytes", "registers", "spilled, bytes", "occupancy")
    print("|---|---|---|---|---|---|---|")
    for model, text in texts[data[0].name].items():
        print_resources(model, measure_launches(text))
    print(ROOFLINE)
    for chip, (name, memory, peak) in CHIPS.items():
        print(f"- {chip} is the {name}: {memory:,} GB/s and {peak} TFLOP/s, as published.")
    print()
    write_row("", *(cell for graph in data for cell in (f"{graph.name}: needed", "us")))
    print("|---|" + "---|---|" * len(data))
    for model in texts[data[0].name]:
        print_times(model, {graph.name: count_work(texts[graph.name][model], graph) for graph in data})


main()

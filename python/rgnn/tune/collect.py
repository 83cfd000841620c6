"""Measures kernels of many layers on generated graphs, for models of costs: ``python -m rgnn.tune collect``."""

from __future__ import annotations

import dataclasses
import fcntl
import json
import math
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import nn

from .._compile import compile
from .._profile import Machine, profile
from .._work import Work
from .graphs import ends

NUMBERS = ("rows", "inner_rows", "bytes_read", "bytes_written", "bytes_needed", "operations")


def collect(path: str | Path, seconds: float, show: Callable[[str], None] = print) -> int:
    """Measures samples until the time is up, and adds each to a file as it is done.

    A file that is there is gone on with. The n-th sample is the same everywhere.

    Args:
        path: a line of JSON for each sample.
        seconds: to spend; the sample that is under way then is finished.
        show: gets a line for each sample.

    Returns:
        The number of samples in the file.

    Raises:
        ValueError: the file has other lines than samples, or another program writes it.
    """
    path, end = Path(path), time.monotonic() + seconds
    with path.open("a+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ValueError(f"{path}: expected a file that nobody writes, got one that another program does") from None
        number = max((sample["sample"] + 1 for sample in read_samples(path)), default=0)
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)  # without a line that was cut off
        while time.monotonic() < end:
            sample = measure_sample(number)
            file.write(json.dumps(sample).encode() + b"\n")
            file.flush()
            number += 1
            left = max(end - time.monotonic(), 0)
            show(f"{number}: {sample['layer']}, {sample['nodes']} nodes, {sample['edges']} edges, "
                 f"{sample['widths']}: {len(sample['kernels'])} kernels; {left:.0f} s left")  # fmt: skip
    return number


def read_samples(path: str | Path) -> Iterator[dict[str, Any]]:
    """The samples of a file, but for a last line that was cut off.

    Raises:
        ValueError: a line is none of a sample.
    """
    *lines, _ = Path(path).read_text().split("\n")
    for number, line in enumerate(lines, 1):
        try:
            sample = json.loads(line)
            sample["works"] = [Work(*kernel[:-1]) for kernel in sample["kernels"]]
            sample["seconds"] = [kernel[-1] for kernel in sample["kernels"]]
            sample["machine"] = Machine(**sample["machine"])
            sample["sample"], sample["threads"] = int(sample["sample"]), int(sample["threads"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path}:{number}: expected a sample of python -m rgnn.tune collect: {error!r}") from None
        yield sample


def measure_sample(number: int) -> dict[str, Any]:
    """One layer on one graph: each kernel of its training step, its work and its seconds, by the median of 5 calls."""
    draw = random.Random(number)
    torch.manual_seed(number)
    name = draw.choice(list(LAYERS))
    nodes = int(2 ** draw.uniform(8, 16))
    edges = int(min(nodes * 2 ** draw.uniform(0, 6), 2**19))
    types = int(2 ** draw.uniform(1, 6))
    widths = draw.choice((16, 32, 64, 128, 256)), draw.choice((16, 32, 64, 128))
    if edges * max(widths) > 2**25:  # a few hundred megabytes, or seconds
        edges = 2**25 // max(widths)
    graph = torch.stack([ends(nodes, edges, draw.choice((1.0, 2.0, 3.0))) for _ in range(2)])
    layer = LAYERS[name](*widths, types)
    arguments = [torch.randn(nodes, widths[0], requires_grad=True), graph]
    if name in TYPED:
        arguments.append(ends(types, edges, draw.choice((1.0, 3.0))))
    measured = profile(compile(layer), *arguments, repeat=5)
    kernels = [[kernel.name, kernel.dtype, *(getattr(kernel, field) for field in NUMBERS), kernel.seconds]
               for kernel in measured.kernels if kernel.operations is not None]  # fmt: skip
    return {"sample": number, "layer": name, "nodes": nodes, "edges": edges, "types": types, "widths": widths,
            "threads": torch.get_num_threads(), "machine": dataclasses.asdict(measured.machine),
            "kernels": kernels}  # fmt: skip


def _layers() -> dict[str, Callable[..., nn.Module]]:
    from torch_geometric import nn as pyg

    def bases(types: int) -> int:
        return max(1, round(math.sqrt(types)))

    return {
        "GCN": lambda f, o, _: pyg.GCNConv(f, o),
        "SAGE": lambda f, o, _: pyg.SAGEConv(f, o),
        "SAGE (maximum)": lambda f, o, _: pyg.SAGEConv(f, o, aggr="max"),
        "GIN": lambda f, o, _: pyg.GINConv(nn.Sequential(nn.Linear(f, o), nn.ReLU(), nn.Linear(o, o))),
        "GraphConv": lambda f, o, _: pyg.GraphConv(f, o),
        "TAG": lambda f, o, _: pyg.TAGConv(f, o, K=2),
        "SG": lambda f, o, _: pyg.SGConv(f, o, K=2),
        "GAT": lambda f, o, _: pyg.GATConv(f, o),
        "GAT (4 heads)": lambda f, o, _: pyg.GATConv(f, o // 4, heads=4),
        "GATv2": lambda f, o, _: pyg.GATv2Conv(f, o),
        "Transformer": lambda f, o, _: pyg.TransformerConv(f, o, heads=2),
        "EdgeConv": lambda f, o, _: pyg.EdgeConv(nn.Linear(2 * f, o)),
        "RGCN": lambda f, o, r: pyg.RGCNConv(f, o, r),
        "RGCN (sum)": lambda f, o, r: pyg.RGCNConv(f, o, r, aggr="add"),
        "RGCN (bases)": lambda f, o, r: pyg.RGCNConv(f, o, r, num_bases=bases(r)),
        "RGAT": lambda f, o, r: pyg.RGATConv(f, o, r),
        "RGAT (within)": lambda f, o, r: pyg.RGATConv(f, o, r, attention_mechanism="within-relation"),
        "FiLM": lambda f, o, r: pyg.FiLMConv(f, o, r),
    }


LAYERS = _layers()
TYPED = [name for name in LAYERS if name.startswith(("RG", "FiLM"))]

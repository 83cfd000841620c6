"""Measures kernels of many layers on generated graphs, for models of costs: ``python -m rgnn.tune collect``."""

from __future__ import annotations

import dataclasses
import fcntl
import json
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

from .._compile import compile
from .._options import REWRITES, Options
from .._profile import Machine, profile
from .._work import Work
from .layers import LAYERS, Sizes
from .plans import NOT_TRIED

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
    """One layer on one graph, by one plan: each kernel of its training step, its work and its seconds, by the median of
    5 calls."""
    draw = random.Random(number)
    torch.manual_seed(number)
    name = draw.choice(list(LAYERS))
    nodes = int(2 ** draw.uniform(8, 16))
    edges = int(min(nodes * 2 ** draw.uniform(0, 6), 2**19))
    types = int(2 ** draw.uniform(1, 6))
    width, out = draw.choice((16, 32, 64, 128, 256)), draw.choice((16, 32, 64, 128))
    if edges * max(width, out) > 2**25:  # a few hundred megabytes, or seconds
        edges = 2**25 // max(width, out)
    between = draw.choice((1.0, 2.0, 3.0))
    sizes = Sizes(nodes, edges, types, width, out, (between, between, draw.choice((1.0, 3.0))))
    layer, options = LAYERS[name].make(sizes), draw_options(draw)
    arguments = LAYERS[name].inputs(sizes)
    measured = profile(compile(layer, options=options), *arguments, repeat=5)
    kernels = [[kernel.name, kernel.dtype, *(getattr(kernel, field) for field in NUMBERS), kernel.seconds]
               for kernel in measured.kernels if kernel.operations is not None]  # fmt: skip
    return {"sample": number, "layer": name, "nodes": nodes, "edges": edges, "types": types, "widths": (width, out),
            "threads": torch.get_num_threads(), "machine": dataclasses.asdict(measured.machine),
            "kernels": kernels}  # fmt: skip


def draw_options(draw: random.Random) -> Options:
    """Those of a compiled model half the time, else with some rewrites switched off or on: kernels of plans that are
    not chosen have to be known too."""
    if draw.random() < 0.5:
        return Options()
    return Options(**{name: draw.choice(("auto", "auto", True, False)) for name in REWRITES if name not in NOT_TRIED})

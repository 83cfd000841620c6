"""The machine: what it is, and what its memory and its arithmetic reach, measured, as a roofline for the kernels."""

from __future__ import annotations

import argparse
import functools
import platform
import sys

import torch
from clock import Clock
from store import Unit

MIB = 1 << 20


def plan(options: argparse.Namespace) -> list[Unit]:
    return [{"part": "machine", "group": "machine", "name": "machine"}]


def measure(unit: Unit, device: torch.device) -> dict:
    import rgnn

    facts = {"python": platform.python_version(), "torch": torch.__version__, "rgnn": rgnn.__file__,
             "compiler": "_rgnn" in sys.modules}  # fmt: skip
    if device.type == "cuda":
        properties = torch.cuda.get_device_properties(device)
        facts |= {"gpu": properties.name, "chip": f"sm_{properties.major}{properties.minor}",
                  "processors": properties.multi_processor_count, "memory": properties.total_memory,
                  "cuda": torch.version.cuda, "devices": torch.cuda.device_count()}  # fmt: skip
    else:
        facts |= {"gpu": platform.processor() or platform.machine(), "devices": 1}
    return {"status": "ok", **facts, **rates(device)}


def rates(device: torch.device) -> dict[str, float]:
    """Bytes a second of memory, and operations a second of products: float32, on tensor cores, and bfloat16."""
    large = device.type == "cuda"
    clock, size = Clock(device), 8192 if large else 512
    source = torch.zeros((512 if large else 32) * MIB, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    found = {"bandwidth": 2 * source.numel() / clock.best(functools.partial(target.copy_, source))}
    before = torch.get_float32_matmul_precision()
    for name, dtype, precision in (("float32", torch.float32, "highest"), ("tf32", torch.float32, "high"),
                                   ("bfloat16", torch.bfloat16, "highest")):  # fmt: skip
        torch.set_float32_matmul_precision(precision)
        a, b = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
        found[name] = 2 * size**3 / clock.best(functools.partial(torch.mm, a, b))
    torch.set_float32_matmul_precision(before)
    return found

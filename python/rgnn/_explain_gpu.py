"""What a model is compiled to for an NVIDIA GPU, which this machine need not have."""

from __future__ import annotations

import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from _rgnn import run_pipeline

from ._options import Options
from ._ptx import assemble, read_binaries


def parse_chip(target: object) -> str | None:
    """The chip that a target names: ``"cuda"`` stands for sm_90; None for no GPU."""
    if target == "cuda":
        return "sm_90"
    return target if isinstance(target, str) and re.fullmatch(r"sm_\d+[af]?", target) else None


def compile_for(text: str, chip: str, options: Options) -> tuple[str, dict[str, str]]:
    """The host's side of a captured function, and the PTX of each kernel by its name.

    Raises:
        CompileError: the compiler refuses the function.
    """
    arguments = " ".join(filter(None, [f"chip={chip} format=isa", options.kernel_pipeline()]))
    module = run_pipeline(text, f"rgnn-to-gpu{{{arguments}}}")
    # Modules have the names of what is launched first in them, kernels may have equal ones.
    host = re.sub(r"^ *gpu\.binary @.*\n", "", module, flags=re.MULTILINE)
    return host, read_binaries(module)


def find_ptxas() -> str | None:
    """NVIDIA's assembler, of the toolkit that CUDA_ROOT, CUDA_HOME or CUDA_PATH names, or else in PATH."""
    for name in ("CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"):
        if (root := os.environ.get(name)) and (Path(root) / "bin/ptxas").exists():
            return str(Path(root) / "bin/ptxas")
    return shutil.which("ptxas")


def describe(host: str, ptx: dict[str, str], chip: str) -> list[str]:
    """A line for each launch, in their order, with what its kernel takes where ptxas is at hand."""
    # Variants for graphs with few edges for each node have launches of their own.
    forward = re.search(r"^  func\.func @forward\(.*?^  }$", host, re.DOTALL | re.MULTILINE)
    launches = re.findall(r"gpu\.launch_func\s+@(\w+)::", forward[0] if forward else "")
    if not (ptxas := find_ptxas()):
        return launches
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        taken = dict(zip(ptx, pool.map(lambda text: assemble(text, chip, ptxas), ptx.values()), strict=True))
    return [f"{name}: {taken[name]}" for name in launches]


__all__ = ["compile_for", "describe", "find_ptxas", "parse_chip"]

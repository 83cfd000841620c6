"""What a model is compiled to for an NVIDIA GPU, which this machine need not have."""

from __future__ import annotations

import os
import re
from concurrent.futures import ThreadPoolExecutor

from _rgnn import compile as compile_text

from ._compiler import discard_temporary
from ._options import Options
from ._ptx import assemble, read_binaries
from ._target import Target, assembler


def compile_for(text: str, target: Target, options: Options) -> tuple[str, dict[str, str], list[str]]:
    """The host's side of a captured function, the PTX of each kernel by its name, and what the compiler said.

    Raises:
        CompileError: the compiler refuses the function.
    """
    compiled = compile_text(text, target.pipeline(options, form="isa"), False, True, gpu=True)
    discard_temporary(compiled)
    module = compiled["ir"]["nvvm"]
    # Modules have the names of what is launched first in them, kernels may have equal ones.
    host = re.sub(r"^ *gpu\.binary @.*\n", "", module, flags=re.MULTILINE)
    return host, read_binaries(module), compiled["remarks"]


def describe(host: str, ptx: dict[str, str], chip: str) -> list[str]:
    """A line for each launch, in their order, with what its kernel takes where ptxas is at hand."""
    # Variants for graphs with few edges for each node have launches of their own.
    forward = re.search(r"^  func\.func @forward\(.*?^  }$", host, re.DOTALL | re.MULTILINE)
    launches = re.findall(r"gpu\.launch_func\s+@(\w+)::", forward[0] if forward else "")
    if not (ptxas := assembler()):
        return launches
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        taken = dict(zip(ptx, pool.map(lambda text: assemble(text, chip, ptxas), ptx.values()), strict=True))
    return [f"{name}: {taken[name]}" for name in launches]


__all__ = ["compile_for", "describe"]

"""What a model is compiled to for an NVIDIA GPU, which this machine need not have."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

from _rgnn import Kernel
from _rgnn import compile as compile_text

from .._compiler import discard_temporary
from .._options import Options
from .._ptx import assemble
from .._target import Target, assembler


def compile_for(text: str, target: Target, options: Options) -> dict:
    """What the compiler makes of a captured function: the host's side, launches, and PTX.

    Raises:
        CompileError: the compiler refuses the function.
    """
    compiled = compile_text(text, target.pipeline(options, form="isa"), False, True, gpu=True)
    discard_temporary(compiled)
    return compiled


def describe(launches: list[Kernel], ptx: dict[str, str], chip: str) -> list[str]:
    """A line for each launch, in their order, with what its kernel takes where ptxas is at hand."""
    names = [launch.name for launch in launches]
    if not (ptxas := assembler()):
        return names
    launched = dict.fromkeys(names)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        taken = dict(zip(launched, pool.map(lambda name: assemble(ptx[name], chip, ptxas), launched), strict=True))
    return [f"{name}: {taken[name]}" for name in names]


__all__ = ["compile_for", "describe"]

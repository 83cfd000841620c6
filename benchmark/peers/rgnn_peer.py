"""RGNN: PyG's layer, compiled, and the same without rewrites of the mathematics.

A part that would run in PyTorch instead is an error here.
"""

from __future__ import annotations

import importlib.util
import sys

from .problem import REPOSITORY, Peer, Problem

if importlib.util.find_spec("rgnn") is None:
    sys.path.insert(0, str(REPOSITORY / "python"))
try:
    from rgnn import Options
    from rgnn import compile as compile_model
except ImportError as error:
    raise RuntimeError(f"rgnn cannot be imported; run `make build` first ({error})") from error


class Rgnn(Peer):
    compiles = True
    rewrites = "auto"

    def __init__(self, problem: Problem):
        super().__init__(problem)
        module = problem.module(fast=True)
        self.note = type(module).__name__
        options = Options(reorder=self.rewrites, reassociate=self.rewrites, aggregate_first=self.rewrites,
                          normalise_sums=self.rewrites, postpone=self.rewrites,
                          compact=self.rewrites)  # fmt: skip
        self.module = compile_model(module, options=options, fullgraph=True)

    def run(self, prepared):
        return self.module(*prepared)


class Unrewritten(Rgnn):
    """What the rewrites are measured against: Hector's unoptimised code (ASPLOS 2024, sec. 4.3) is the same idea."""

    rewrites = False

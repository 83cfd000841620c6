"""From a configuration of a module to code that runs."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from typing import NamedTuple

from _rgnn import CompileError as CompilerRefusal
from _rgnn import compile as compile_text
from _rgnn import run_pipeline
from _rgnn_runtime import Module as Code

from ..._compiler import discard_temporary
from ..._errors import first_line
from ..._options import Options
from ..._run.region import Region
from . import ir
from .fields import LAYOUTS
from .ir import Value
from .space import Configuration, Space

TO_BUFFERS = (
    "func.func(rgnn-fuse-linalg)", "eliminate-empty-tensors",
    "one-shot-bufferize{bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map}",
    "buffer-results-to-out-params{hoist-static-allocs=true hoist-dynamic-allocs=true modify-public-functions=true}",
    "rgnn-canonicalize", "cse", "rgnn-verify-stage{stage=buffers}",
    "func.func(convert-hetkernel-to-scf,rgnn-share-linalg)", "rgnn-canonicalize", "cse",
    "func.func(loop-invariant-code-motion)",
)  # fmt: skip
"""From kernels to buffers, as ``rgnn-to-buffers`` goes on behind ``rgnn-to-hetkernel``; a test compares the two."""


class RefusedError(ValueError):
    """The compiler refuses a configuration; the text is its first reason."""


class Lowered(NamedTuple):
    """A configuration on its way to code.

    Attributes:
        text: loops on buffers, in which schedules are no more.
        key: equal where the code is.
    """

    text: str
    key: str


class Module:
    """A function of a model, of which code is made by configurations.

    Args:
        name: of the module.
        text: what it is compiled of, as captured.
        collection: what its configurations choose, one of :data:`~rgnn.tune.schedules.space.COLLECTIONS`.
        options: how it is compiled else; their schedules and layout are left to configurations.

    Attributes:
        name: of the module.
        space: its configurations.

    Raises:
        ValueError: options with schedules or a layout.
        RefusedError: the compiler refuses the text or the options.
    """

    def __init__(self, name: str, text: str, collection: str = "schedule", options: Options | None = None):
        options = options or Options()
        if options.schedule or options.layout:
            raise ValueError(f"options: expected no schedule and no layout, got {options.schedule or options.layout}")
        self.name, self._text, self._pipeline = name, text, options.pipeline()
        self._functions: dict[str, ir.Function] = {}
        self.space = Space(self._function({}), collection)

    @functools.cached_property
    def own(self) -> Lowered:
        """By the compiler's rules."""
        return self.lower(self.space.own)

    def _function(self, layout: Mapping[str, Value]) -> ir.Function:
        given = " ".join(f"{name}={layout[name]}" for name in LAYOUTS if name in layout)
        if given not in self._functions:
            pipeline = f"rgnn-to-hetkernel{{{self._pipeline} {given}}}"
            try:
                self._functions[given] = ir.read(run_pipeline(self._text, pipeline))
            except CompilerRefusal as error:
                raise RefusedError(first_line(error)) from None
        return self._functions[given]

    def lower(self, configuration: Configuration) -> Lowered:
        """Raises RefusedError where the compiler refuses the configuration."""
        function = self._function(self.space.layout(configuration))
        if function is self.space.function:
            text = function.with_schedules(self.space.schedules(configuration))
        else:  # of another layout the kernels may be others, with schedules by the rules
            text = "\n".join(function.lines)
        try:
            lowered = run_pipeline(text, ",".join(TO_BUFFERS))
        except CompilerRefusal as error:
            raise RefusedError(first_line(error)) from None
        return Lowered(lowered, hashlib.sha256(lowered.encode()).hexdigest()[:32])

    def compile(self, lowered: Lowered) -> Region:
        """Code that runs. Raises RefusedError where the compiler refuses what became of a configuration."""
        try:
            made = compile_text(lowered.text, f"start=buffers {self._pipeline}", False)
        except CompilerRefusal as error:
            raise RefusedError(first_line(error)) from None
        try:
            code, manifest = Code(made["so"], made["manifest"]), json.loads(made["manifest"])
        finally:
            discard_temporary(made)
        return Region(lambda: manifest, lambda: code, None)

"""What the compiler makes of captured text: regions, their trainings, and plans."""

from __future__ import annotations

import functools
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import _rgnn
from _rgnn import CompileError as CompilerRefusal
from _rgnn import Message, differentiate, left_out, split
from _rgnn import compile as compile_text
from _rgnn_runtime import Module

from . import _version
from ._errors import first_line
from ._options import Options
from ._run.plan import Plan
from ._run.region import Region
from ._run.training import Training, Trainings
from ._target import Target

_version.check(_rgnn)

NOT_LIFTED = "NotLifted"  # what lifting calls its refusals of an operator, whose text is why


class Compiled(NamedTuple):
    """What the compiler makes of one function."""

    manifest: dict
    code: Module
    remarks: tuple[Message, ...]


class Source:
    """What a region is made of, and what the compiler makes of it once that is asked for."""

    def __init__(self, text: str, options: Options, target: Target):
        self.text, self.options, self.target = text, options, target
        self._compiled: Compiled | None = None

    @property
    def compiled(self) -> Compiled:
        """Raises CompilerRefusal where the compiler refuses the text or the options."""
        if self._compiled is None:  # no cached_property: up to Python 3.11 all that compile would wait for one lock
            self._compiled = self._compile()
        return self._compiled

    def _compile(self) -> Compiled:
        made = compile_text(self.text, self.target.pipeline(self.options), self.options.cache,
                            gpu=self.target.device == "cuda")  # fmt: skip
        try:
            return Compiled(json.loads(made["manifest"]), Module(made["so"], made["manifest"]), tuple(made["remarks"]))
        finally:
            discard_temporary(made)


def compile_region(text: str, options: Options, target: Target, differentiable: bool = True,
                   wanted: tuple[bool, ...] = ()) -> Region:
    """Code for one function.

    Args:
        text: what to compile.
        options: how.
        target: for what.
        differentiable: whether a call may ask for gradients; the code for them is made when one does.
        wanted: the inputs whose gradients the first call asks for: the code for them is made at once, and that for
            calls without gradients when there is one.

    Raises:
        ValueError: the compiler refuses the text or the options.
    """
    trainings = CompiledTrainings(text, options, target) if differentiable else None
    source = Source(text, options, target)
    # Where gradients are wanted, the first call runs other code.
    if trainings is None or True not in wanted or trainings.find(wanted) is None:
        source.compiled  # noqa: B018 (it may raise)
    return Region(lambda: source.compiled.manifest, lambda: source.compiled.code, trainings, source, target.device)


def list_left_out(options: Options, target: Target) -> dict[str, str]:
    """The rewrites that do not run, by the names of their passes, and why."""
    return left_out(options.pipeline(), gpu=target.device == "cuda")


def discard_temporary(compiled: dict) -> None:
    """Deletes the shared object of a compilation, loaded or not, unless the cache keeps it."""
    if compiled["temporary"]:
        Path(compiled["so"]).unlink()


class CompiledTrainings(Trainings):
    """Compiles for gradients when a call first asks for those of its inputs.

    Attributes:
        made: of each choice of inputs, what came of it; of the empty one, the plan that serves all.
        remarks: what the compiler said before each was parted into a forward and a backward.
    """

    def __init__(self, text: str, options: Options, target: Target):
        self._text, self._options, self._target = text, options, target
        self.made: dict[tuple[bool, ...], Training | None] = {}
        self.remarks: list[Message] = []

    def find(self, wanted: tuple[bool, ...]) -> Training | None:
        if wanted not in self.made:
            made = self.made[wanted] = self._make(wanted)
            if made is not None:
                made.wanted = wanted
        return self.made[wanted]

    def _make(self, wanted: tuple[bool, ...]) -> Training | None:
        try:
            return self._differentiate([number for number, wants in enumerate(wanted) if wants])
        except CompilerRefusal as error:
            # Where an operator between such an input and a result has no gradient, the backward is an error.
            self.refusal = f"training is not compiled: {error}"
            return None

    def _differentiate(self, wanted: list[int]) -> Training:
        plan, remarks = differentiate(self._text, wanted, self._options.pipeline(), gpu=self._target.device == "cuda")
        description = json.loads(plan)
        texts = [description["forward"], *([description["backward"]] if description["gradients"] else [])]
        with ThreadPoolExecutor(len(texts)) as pool:
            compile_part = functools.partial(compile_region, options=self._options, target=self._target,
                                             differentiable=False)
            regions = list(pool.map(compile_part, texts))
        self.remarks += remarks
        return Training(regions[0], regions[1] if len(regions) > 1 else None, description)


def split_model(text: str, options: Options, target: Target) -> tuple[Plan | None, list[str]]:
    """A plan for a model that cannot be compiled whole, or None; and what runs in PyTorch, with the reasons.

    Regions that hold nothing but a few operators on rows are compiled all the same: their kernels are what they are.
    """
    parts, reasons = _find_parts(text)
    if not parts or not parts["regions"]:
        return None, reasons
    try:
        return Plan(parts, [compile_region(part, options, target) for part in parts["regions"]]), reasons
    except CompilerRefusal as error:
        return None, [*reasons, first_line(error)]


def _find_parts(text: str) -> tuple[dict | None, list[str]]:
    """What there is to compile of a model and around what of PyTorch's, or None; and why that is PyTorch's."""
    try:
        described, remarks = split(text)
    except CompilerRefusal as error:
        return None, [first_line(error)]
    return json.loads(described), [f"{remark.where or 'unknown line'}: {remark.op}: {remark.text}"
                                   for remark in remarks if remark.name == NOT_LIFTED]  # fmt: skip

"""The code of a program: compiled, or by PyTorch's operators where the compiler refuses it."""

from __future__ import annotations

import re
from typing import Any

import torch
from _rgnn import CompileError as CompilerRefusal
from _rgnn import run_pipeline
from torch import Tensor

from .._compiler import compile_region
from .._dynamo.regions import Choosing, Codes, Fitting, Pair, finders
from .._errors import CompileError, LanguageError, first_line
from .._options import Options
from .._run.asked import Asked
from .._run.memory import Budget
from .._run.modes import is_plain
from .._run.region import Region
from .._target import CPU, Target, resolve
from .._warning import warn
from .evaluate import evaluate
from .graphs import ends_of
from .joint import Joint
from .program import Program
from .text import GraphForm, write

_OTHERS = re.compile(r"it (?:reads|changes|writes) .*(?:another iteration|other iterations)|it visits edges of")
_HINTS = (("accumulates", "read it in a later loop, which sees the whole"),
          ("another iteration", "write other data in this loop, or read in a loop before it"),
          ("other iterations", 'several edges share the node: add up, n["sum"] += ..., or write data of the edge'),
          ("visits edges", "loop over edges within one over nodes, once"))  # fmt: skip


class Code:
    """A program as a function of tensors: those of its graph, its data, its weights.

    Attributes:
        region: the compiled code; None before the first call, and where the compiler refuses the program.
        refusal: why it does.
    """

    def __init__(self, program: Program, form: GraphForm, dtype: torch.dtype, options: Options, target: str | None,
                 joint: Joint | None = None):
        self.program, self.form, self._joint = program, form, joint
        self.text = write(program, form, dtype, joint)
        self._options, self._target = options, target
        self.region: Region | None = None
        self.refusal = ""
        self._has_warned = False
        self._asked = Asked(self.evaluate)
        self._budget = None if options.memory_budget is None else Budget(options.memory_budget)
        self._found: dict[tuple[bool, ...], tuple[list[Choosing | Fitting], Pair]] = {}
        self._raise_loops()

    def __call__(self, tensors: list[Tensor]) -> Any:
        if not is_plain():
            return self.evaluate(*tensors)
        with_gradients = torch.is_grad_enabled()
        wanted = tuple([tensor.requires_grad for tensor in tensors]) if with_gradients else ()
        if self.region is None and not self.refusal:
            self._compile(tensors, wanted)
        if self.refusal:
            self._warn(self.refusal)
            return self.evaluate(*tensors)
        region, training = self.region, None
        if True in wanted:
            training = region.trainings.find(wanted)
            if training is None:
                self._warn(first_line(RuntimeError(region.trainings.refusal)))
                return self.evaluate(*tensors)
        region, training = self._find((region, training), tensors, wanted)
        if training is None:
            return region.run(tensors)
        # Of what is made of weights before, the derivatives of gradients would have to be known by both.
        if self._joint is not None or self.program.made:
            return training.call(tensors)
        if self._asked.is_pytorchs():
            return self.evaluate(*tensors)
        training = self._asked.find(region.trainings, wanted) or training
        return training.call(tensors, self._asked)

    def _find(self, code: Pair, tensors: list[Tensor], wanted: tuple[bool, ...]) -> Pair:
        """The code, or other code as the options say."""
        if wanted not in self._found:
            codes = Codes(self.text, self._options, resolve(self._target, tensors), wanted, lambda *_: None)
            self._found[wanted] = finders(codes, self._budget), code
        if self._budget is not None:
            self._budget.begin_call()
        others, code = self._found[wanted]
        for finder in others:
            code = finder.find(code, tensors, True in wanted)
        self._found[wanted] = others, code
        return code

    def evaluate(self, *tensors: Tensor) -> list[Tensor]:
        """The same by PyTorch's operators."""
        tensors = list(tensors)
        first = 1 + bool(self.form.edge_type) + self.form.counts
        count = len(self.program.inputs)
        data, weights = tensors[first : first + count], tensors[first + count :][: len(self.program.weights)]
        counted = tensors[1 + bool(self.form.edge_type) : first]
        if not counted:
            names = [one.name for one in self.program.inputs]
            counted = [data[names.index(self.form.rows_of)]]
        edge_type = tensors[1] if self.form.edge_type else None
        ends = ends_of(self.form, tensors[0], edge_type, counted, self._joint)
        return evaluate(self.program, ends, data, weights)

    def _raise_loops(self) -> None:
        """Notes a refusal of the loops. Raises LanguageError where an iteration depends on another one.

        That is known before anything runs: PyTorch's operators would give some result.
        """
        try:
            run_pipeline(self.text, "func.func(rgnn-raise-loops)")
        except CompilerRefusal as error:
            said = error.diagnostics[0] if getattr(error, "diagnostics", ()) else None
            if said is None or "not raised: " not in said.text:
                self.refusal = first_line(error)
                return
            reason = said.text.partition("not raised: ")[2].partition("\n")[0]
            where = f"{said.file}:{said.line}" if said.line else said.where
            if _OTHERS.match(reason):
                hint = next(hint for words, hint in _HINTS if words in reason)
                raise LanguageError(f"{where}: {reason}: {hint}") from None
            self.refusal = f"{where}: {reason}"

    def _compile(self, tensors: list[Tensor], wanted: tuple[bool, ...]) -> None:
        target = resolve(self._target, tensors)
        try:
            self.region = compile_region(self.text, self._options, target, wanted=wanted)
        except CompilerRefusal as error:
            self._check_options(target, error)
            self.refusal = first_line(error)

    def _check_options(self, target: Target, refusal: CompilerRefusal) -> None:
        """Raises CompileError where it is the options, or the target, that the compiler refuses."""
        if self._options == Options() and target == CPU:
            return
        try:
            compile_region(self.text, Options(), CPU)
        except CompilerRefusal:
            return
        raise CompileError(f"{self.program.name}: {target}, {self._options}: {first_line(refusal)}") from refusal

    def _warn(self, reason: str) -> None:
        """Says once why PyTorch's operators run."""
        if not self._has_warned:
            self._has_warned = True
            warn(f"rgnn: {self.program.name} runs by PyTorch's operators: {reason}")

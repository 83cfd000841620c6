"""What a report has of each function that the compiler was given: texts at each level, and commands over them."""

from __future__ import annotations

import contextlib
import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from _rgnn import CompileError as CompilerRefusal
from _rgnn import differentiate, run_pipeline

from .._errors import first_line
from .._explain.explain import add_levels
from .._explain.gpu import compile_for
from .._explain.report import Report, decisions
from .._options import Options
from .._target import Target

_LIFT = "rgnn-lift-torch,canonicalize,cse"
_FILES = {"hetkernel": "hetkernel.mlir", "buffers": "buffers.mlir", "llvm": "llvm.mlir", "gpu": "gpu.mlir",
          "ptx": "kernels.ptx"}  # fmt: skip
_SEEDS = 4


class Command(NamedTuple):
    """A line for a shell in the folder of the report, and what it is to say."""

    line: str
    expected: str


@dataclass
class Texts:
    """What is found of regions.

    Attributes:
        files: by their names in the archive; what says most is first.
        lower: the same, of texts that follow from those.
        refusals: what the compiler says of each text that it makes no code of.
        commands: that show the faults, or that there are none.
        decisions: of the compiler's passes, by the folder of the text.
    """

    options: Options
    target: Target
    files: dict[str, str] = field(default_factory=dict)
    lower: dict[str, str] = field(default_factory=dict)
    refusals: list[str] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)

    def add_region(self, folder: str, text: str, wanted: list[int] | None) -> None:
        """Adds one.

        Args:
            folder: for its files.
            text: what was captured.
            wanted: the numbers of the arguments whose gradients were asked for; None where that is not known.
        """
        name = f"{folder}/captured.mlir"
        self.files[name] = text
        passes = [f"--{name}" for name in _LIFT.split(",")]
        lifted = self._attempt(name, passes, lambda: run_pipeline(text, _LIFT))
        if lifted is not None:
            self.files[f"{folder}/rgnn.mlir"] = lifted
        if not self._add_levels(folder, name, text) or lifted is None:
            return
        self._check(f"{folder}/rgnn.mlir")
        if wanted is None:
            self._attempt(name, [*passes, "--rgnn-differentiate"],
                          lambda: run_pipeline(text, f"{_LIFT},rgnn-differentiate"))  # fmt: skip
        elif wanted:
            self._add_training(folder, text, wanted)

    def _add_training(self, folder: str, text: str, wanted: list[int]) -> None:
        is_for_gpu = self.target.device == "cuda"
        flag = f"--rgnn-differentiate=arguments={','.join(map(str, wanted))}"
        plan = self._attempt(f"{folder}/rgnn.mlir", [flag],
                             lambda: differentiate(text, wanted, self.options.pipeline(), gpu=is_for_gpu)[0])
        if plan is None:
            return
        for half in ("forward", "backward"):
            if part := json.loads(plan).get(half):
                self.files[f"{folder}/{half}/rgnn.mlir"] = part
                # Arguments of a backward are made up one by one, which fits where there is one graph.
                if self._add_levels(f"{folder}/{half}", f"{folder}/{half}/rgnn.mlir", part) and (
                    half == "forward" or part.count("rgnn.schema @") == 1
                ):  # fmt: skip
                    self._check(f"{folder}/{half}/rgnn.mlir")
        self.commands.append(Command(f"rgnn-translate --rgnn-check-gradient --seeds=1 {folder}/rgnn.mlir",
                                     "gradients agree, by differences: long where weights are many"))  # fmt: skip

    def _add_levels(self, folder: str, name: str, text: str) -> bool:
        """Adds what a text is compiled to; False where the compiler refuses it."""
        report = Report()
        if self.target.chips:
            made = self._attempt(name, [self._gpu_flag("--rgnn-to-gpu")],
                                 lambda: compile_for(text, self.target, self.options))  # fmt: skip
            if made is not None:
                report.ir |= {"gpu": made["ir"]["launches"], "ptx": "\n".join(made["ptx"].values())}
        else:
            arguments = self.options.pipeline()
            made = self._attempt(name, [f"--rgnn-to-cpu={arguments}" if arguments else "--rgnn-to-cpu"],
                                 lambda: add_levels(report, text, self.options))  # fmt: skip
            if made is None:
                with contextlib.suppress(CompilerRefusal):
                    report.ir["hetkernel"] = run_pipeline(text, f"rgnn-to-hetkernel{{{arguments}}}")
        half = "backward" if folder.endswith("/backward") else "forward"
        for decision in dict.fromkeys(decisions(made["remarks"], half) if made else ()):
            self.decisions.append(f"{folder}: {decision}")
        self.lower |= {f"{folder}/{_FILES[level]}": text for level, text in report.ir.items() if level in _FILES}
        return made is not None

    def _attempt(self, name: str, flags: list[str], run: Callable[[], Any]) -> Any:
        """What the compiler gives; None where it refuses, with the command that shows that."""
        try:
            return run()
        except CompilerRefusal as error:
            refusal = first_line(error)
            self.refusals.append(f"{name}: {refusal}")
            self.commands.append(Command(f"rgnn-opt {shlex.join(flags)} {name} -o /dev/null", f"fails: {refusal}"))
            return None

    def _check(self, name: str) -> None:
        if self.target.chips:
            flags = ["--rgnn-check-gpu", self._gpu_flag("--rgnn-to-gpu-options")]
        else:
            options = self.options.pipeline()
            flags = ["--rgnn-check-compiled", *([f"--rgnn-to-cpu-options={options}"] if options else [])]
        self.commands.append(Command(f"rgnn-translate {shlex.join(flags)} --seeds={_SEEDS} {name}",
                                     f"agrees on {_SEEDS} seeds"))  # fmt: skip

    def _gpu_flag(self, flag: str) -> str:
        parts = [f"chip={self.target.chips[0]}", "tf32=true" if self.target.tf32 else "",
                 self.options.kernel_pipeline()]  # fmt: skip
        return f"{flag}={' '.join(filter(None, parts))}"


__all__ = ["Command", "Texts"]

"""What rgnn.explain reports, and what it makes of the compiler's words."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from _rgnn import CompileError as CompilerRefusal
from _rgnn import Message

from .._compiler import CompiledTrainings
from .._errors import first_line

if TYPE_CHECKING:
    from .._profile import Profile
    from ..tune.plans import Candidate
    from .graphs import GraphFacts

_OF_BACKWARD = {"rgnn-differentiate", "rgnn-recompute"}
_SHOWN = 8  # of the plans that were compared


class Decision(NamedTuple):
    """What a pass of the compiler did, or did not do.

    Attributes:
        name: the pass.
        where: the source line, ``"file:line"``; empty where it is about no line.
        outcome: ``"taken"``, ``"refused"``, or ``"left out"`` where the pass did not run.
        reason: what was done; or what it takes that was not given.
        half: ``"forward"`` or ``"backward"``: which of them it was compiled for.
    """

    name: str
    where: str
    outcome: str
    reason: str
    half: str

    def __str__(self) -> str:
        place = f" at {self.where}" if self.where else ""
        return f"{self.half}: {self.name}: {self.outcome}{place}: {self.reason}"


@dataclass(frozen=True)
class Compilation:
    """One function that the compiler was given, of which the page shows passes, kernels and memory.

    Attributes:
        half: ``"forward"`` or ``"backward"``.
        trains: whether it is for calls that ask for gradients.
        text: what was compiled.
        options: of the pipeline, as text.
        gpu: whether its code is for NVIDIA GPUs.
        wanted: None; or of what is differentiated, the numbers of the arguments that want gradients. No kernels are
            made of it, but the text is parted into a forward and a backward, which are compiled.
        decisions: what was decided for it.
        sizes: the numbers of rows that the kernels were given in this call, in their order; empty where none ran.
    """

    half: str
    trains: bool
    text: str
    options: str
    gpu: bool
    wanted: tuple[int, ...] | None
    decisions: list[Decision]
    sizes: list[int] = field(default_factory=list)

    @property
    def title(self) -> str:
        if self.wanted is not None:
            return "both halves of a training step, before they are parted"
        return "forward of a training step" if self.trains and self.half == "forward" else self.half


@dataclass
class Report:
    """What :func:`explain` found; ``str()`` of it is text, :meth:`html` a page, and notebooks show the page.

    Attributes:
        fallbacks: ``(operator, reason, source line)`` of each part that runs in PyTorch; empty if all is compiled but
            for what integers of the inputs alone decide, which PyTorch computes once for them. Where TorchDynamo breaks
            the graph, the operator is ``"graph break"``.
        registered: ``(operator, promise, source line)`` of each operator of :func:`rgnn.register_op` that PyTorch runs
            between what is compiled.
        dense: ``(operator, reason, source line)`` of each operator that PyTorch runs on dense batches, ``[graphs, nodes
            of the largest, features]``, such as attention among the nodes of each graph. They are no fallbacks.
        versions: a line for each version of a compiled model that its calls have made so far: how many regions it has,
            what of it runs in PyTorch, and which guards of earlier versions did not hold. Of other models, for each
            graph of this call.
        kernels: the kernels of a forward in the order in which they run, with their schedules, or on a GPU with what
            they take; of a function with variants for graphs with few edges for each node, those for many; without
            those that run once for each graph.
        decisions: a :class:`Decision` for each rewrite that was taken or refused, and for each pass that was left out:
            of a call without gradients, then what else the forward of a training step has, then those of its backward,
            if something asks for gradients and the model is not compiled for a processor that this machine is not.
        peak_bytes: bytes of temporaries in one call with these inputs, of the region that has the most: regions share
            the place; None if the model is not compiled, or for a processor that this machine is not.
        candidates: of each region that ``Options(plan="costs")`` chose a plan for, the plans that were compared, the
            chosen one first: each has ``changes`` of options, the predicted ``seconds``, and what was ``measured`` of
            the first ones by ``explain(..., measure=True)``.
        saved_bytes: bytes that one call with these inputs keeps for its backward, besides its inputs and parameters;
            None where nothing asks for gradients, or they are not compiled.
        ir: the text at each level: ``"captured"``, ``"rgnn"``, ``"hetkernel"``, ``"buffers"``, ``"llvm"``,
            ``"assembly"``, as far as compilation came. For a GPU: ``"captured"``, ``"rgnn"``, ``"gpu"`` (the host's
            side, with the launches) and ``"ptx"``. And the functions of a training step in ``rgnn``, ``"forward"`` and
            ``"backward"``. Of several regions, one after the other, with lines ``// -----`` between.
        name: the class of the model, or the name of the function.
        graphs: a :class:`GraphFacts` of each graph that compiled code was called with, on a processor.
        compilations: a :class:`Compilation` for each function that the compiler was given.
        profile: times of the kernels, as :func:`rgnn.profile` gives them; None where they were not asked for.
    """

    fallbacks: list[tuple[str, str, str]] = field(default_factory=list)
    registered: list[tuple[str, str, str]] = field(default_factory=list)
    dense: list[tuple[str, str, str]] = field(default_factory=list)
    versions: list[str] = field(default_factory=list)
    kernels: list[str] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    peak_bytes: int | None = None
    saved_bytes: int | None = None
    candidates: list[list[Candidate]] = field(default_factory=list)
    ir: dict[str, str] = field(default_factory=dict)
    name: str = ""
    graphs: list[GraphFacts] = field(default_factory=list, repr=False)
    compilations: list[Compilation] = field(default_factory=list, repr=False)
    profile: Profile | None = None

    def html(self, path: str | os.PathLike) -> None:
        """Writes the report as one page, which needs no network and no JavaScript.

        Args:
            path: the file, ``"explain.html"``; one of this name is replaced. It is UTF-8.

        The page has the plan of the model as a picture; each rewrite with its reason, and the text before and after
        it; kernels, with times, bytes and the machine's bounds where ``explain(..., measure=True)`` measured them;
        memory over the call; what PyTorch runs, and why; the graphs; and the text at each level.

        Raises:
            OSError: the file cannot be written.
        """
        from .._page.page import render

        Path(path).write_text(render(self), encoding="utf-8")

    def _repr_html_(self) -> str:
        """The page within that of a notebook, whose styles do not mix."""
        from .._page.page import render

        page = html.escape(render(self))
        return f'<iframe srcdoc="{page}" sandbox="" style="width: 100%; height: 40em; border: 0"></iframe>'

    def __str__(self) -> str:
        lines = [f"compiled {'in part' if self.fallbacks else 'whole'}: {len(self.kernels)} kernels"]
        if self.peak_bytes is not None:
            lines[0] += f", {self.peak_bytes} bytes of temporaries"
        if self.saved_bytes is not None:
            lines[0] += f", {self.saved_bytes} bytes saved for the backward"
        if self.fallbacks:
            lines = [*(lines if self.kernels else []), "runs in PyTorch:"]
            lines += [f"  {op or 'the model'} ({where or 'unknown line'}): {reason}" for op, reason, where in
                      self.fallbacks]
        if self.registered:
            lines.append("runs in PyTorch, as registered:")
            lines += [f"  {op} ({where or 'unknown line'}): {promise}" for op, promise, where in self.registered]
        if self.dense:
            lines.append("runs in PyTorch, on dense batches:")
            lines += [f"  {op} ({where or 'unknown line'})" for op, _, where in self.dense]
        lines += [f"  {kernel}" for kernel in self.kernels]
        lines += [f"  {decision}" for decision in self.decisions]
        for candidates in self.candidates:
            lines.append(f"  plans of {len(candidates)} that were compared, the chosen one first:")
            lines += [f"    {candidate}" for candidate in candidates[:_SHOWN]]
        lines += [f"  {version}" for version in self.versions]
        return "\n".join(lines)

    def add_text(self, level: str, text: str) -> None:
        """Adds the text of one more region."""
        self.ir[level] = f"{self.ir[level]}\n// -----\n\n{text}" if level in self.ir else text

    def add(self, decisions: Iterable[Decision]) -> None:
        """Adds those of one compilation that no other had."""
        known = set(self.decisions)
        self.decisions += [decision for decision in decisions if decision not in known]


def add_forward(report: Report, compilation: Compilation, left_out: dict[str, str]) -> None:
    """Adds what was decided when a forward was compiled."""
    report.compilations.append(compilation)
    report.add(compilation.decisions)
    report.add(Decision(name, "", "left out", reason, "forward") for name, reason in left_out.items()
               if name not in _OF_BACKWARD)


def add_trainings(report: Report, trainings: CompiledTrainings, text: str, left_out: dict[str, str],
                  sizes: tuple[list[int], list[int]] = ([], [])) -> None:  # fmt: skip
    """Adds what was decided for both halves of a training step, and their texts.

    Args:
        report: what to add to.
        trainings: of the region.
        text: what they were made of.
        left_out: the passes that do not run, and why.
        sizes: the numbers of rows that the kernels of each half were given, where they ran.
    """
    for wanted, training in trainings.made.items():
        if training is None:
            report.add([Decision("rgnn-differentiate", "", "refused", trainings.refusal, "backward")])
            continue
        source = training.forward.source
        options, gpu = source.options.pipeline(), source.target.device == "cuda"
        both = [_decision(remark, "backward" if remark.category in _OF_BACKWARD else "forward")
                for remark in trainings.remarks]  # fmt: skip
        numbers = tuple(number for number, wants in enumerate(wanted) if wants)
        report.compilations.append(Compilation("forward", True, text, options, gpu, numbers, both))
        report.add(decision for decision in both if decision.half == "forward")
        add_forward(report, Compilation("forward", True, source.text, options, gpu, None,
                                        decisions(source.compiled.remarks, "forward"), sizes[0]), left_out)
        report.add_text("forward", source.text)
        if training.backward:
            source = training.backward.source
            compilation = Compilation("backward", True, source.text, options, gpu, None,
                                      decisions(source.compiled.remarks, "backward"), sizes[1])  # fmt: skip
            report.compilations.append(compilation)
            report.add(decision for decision in both if decision.half == "backward")
            report.add(compilation.decisions)
            report.add(Decision(name, "", "left out", reason, "backward") for name, reason in left_out.items())
            report.add_text("backward", source.text)


def decisions(remarks: Iterable[Message], half: str) -> list[Decision]:
    """What the compiler said of one function."""
    return [_decision(remark, half) for remark in remarks]


def refusals(error: CompilerRefusal) -> list[tuple[str, str, str]]:
    """The compiler's errors as fallbacks."""
    found = [(message.op, message.text.split("\n", 1)[0], message.where) for message in error.diagnostics]
    return found or [("", first_line(error), "")]


def _decision(remark: Message, half: str) -> Decision:
    """A remark of the compiler, or another message, as a decision."""
    outcome = "taken" if remark.kind == "passed" else "refused"
    is_variant = remark.function.removeprefix("forward_").isdigit()
    reason = f"{remark.text} (in @{remark.function})" if is_variant else remark.text
    return Decision(remark.category, remark.where, outcome, reason, half)

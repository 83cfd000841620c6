"""What each rewrite did: the passes of a pipeline, run one by one, with the text before and after each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from _rgnn import CompileError, rewrite_passes, run_pipeline

from .compare import side_by_side
from .markup import Element, folded, make

if TYPE_CHECKING:
    from .._explain.report import Compilation, Decision, Report

_TIDYING = ("rgnn-canonicalize", "cse", "rgnn-verify-stage", "rgnn-raise-loops", "rgnn-note-changes",
            "rgnn-erase-detach")  # fmt: skip
_TO_KERNELS = "convert-rgnn-to-hetkernel"


class Step(NamedTuple):
    """One pass, or some in a row: its name, and the text before and after it."""

    name: str
    before: str
    after: str


class Stages(NamedTuple):
    """What a function was on its way to kernels.

    Attributes:
        steps: the passes, in order.
        mathematics: the text behind the last rewrite, in the dialect ``rgnn``.
        kernels: the text in the dialect ``hetkernel``; empty where no kernels for a processor are made of it.
    """

    steps: list[Step]
    mathematics: str
    kernels: str


def run_passes(compilation: Compilation) -> Stages:
    """Runs the passes of a compilation again, one by one, up to kernels."""
    text, steps = compilation.text, []
    for name, pipeline in _pipelines(compilation):
        before, text = text, run_pipeline(text, pipeline)
        steps.append(Step(name, before, text))
    mathematics, kernels = steps[-1].after, ""
    if compilation.wanted is None and not compilation.gpu:
        options = f"{{{compilation.options}}}" if compilation.options else ""
        kernels = run_pipeline(compilation.text, f"rgnn-to-hetkernel{options}")
        steps.append(Step(_TO_KERNELS, mathematics, kernels))
    return Stages(steps, mathematics, kernels)


def _pipelines(compilation: Compilation) -> list[tuple[str, str]]:
    """Names of passes, and the pipelines that run each and what tidies up after it."""
    wanted = None if compilation.wanted is None else list(compilation.wanted)
    found: list[tuple[str, str]] = []
    for text in rewrite_passes(compilation.options, wanted, compilation.gpu):
        name = text.removeprefix("func.func(").partition("{")[0].rstrip(")")
        if name not in _TIDYING:
            found.append((name, text))
        elif found:
            found[-1] = found[-1][0], f"{found[-1][1]},{text}"
    return found


def find_running(report: Report, stages: list[Stages | None]) -> list[tuple[Compilation, Stages]]:
    """What runs in a call like this, in order: forwards, then backwards. Code without gradients does not where there is
    that of a training step, which is behind it."""
    found = [(compilation, passed) for number, (compilation, passed) in enumerate(zip(report.compilations, stages))
             if passed is not None and compilation.wanted is None
             and (compilation.trains or not any(later.trains for later in report.compilations[number + 1 :][:1]))]
    forwards, backwards = ([pair for pair in found if pair[0].half == half] for half in ("forward", "backward"))
    return [*forwards, *reversed(backwards)]


def describe(report: Report, stages: list[Stages | None]) -> list[Element]:
    """What was taken and what was not, of each function."""
    parts: list[Element] = []
    for compilation, passed in zip(report.compilations, stages):
        parts.append(make("h3", compilation.title))
        steps = {step.name: step for step in passed.steps} if passed else {}
        taken: dict[str, list[Decision]] = {name: [] for name in steps}
        for decision in compilation.decisions:
            if decision.outcome == "taken":
                taken.setdefault(_step_of(decision), []).append(decision)
        parts += [_describe_taken(name, found, steps.get(name)) for name, found in taken.items() if found]
        refused = [decision for decision in compilation.decisions if decision.outcome == "refused"]
        if refused:
            parts.append(folded(f"{len(refused)} refused", _listed(refused, with_names=True)))
    absent = [decision for decision in report.decisions if decision.outcome == "left out"]
    if absent:
        rows = [make("li", make("code", decision.name), f" ({decision.half}): {decision.reason}")
                for decision in absent]  # fmt: skip
        parts.append(folded(f"{len(absent)} left out", make("ul", rows)))
    if not parts:
        parts.append(make("p", "Nothing was compiled, so nothing was rewritten."))
    return parts


def _step_of(decision: Decision) -> str:
    """The step that shows a decision: passes over kernels are shown together with that which makes them."""
    return _TO_KERNELS if decision.name.startswith("hetkernel-") else decision.name


def _describe_taken(name: str, taken: list[Decision], step: Step | None) -> Element:
    count = f" × {len(taken)}" if len(taken) > 1 else ""
    content = [_listed(taken, with_names=len({decision.name for decision in taken}) > 1)]
    if step and step.before != step.after:
        content.append(side_by_side(step.before, step.after))
    return folded([make("code", name), f"{count}: {taken[0].reason}{' …' if count else ''}"], *content)


def _listed(decisions: list[Decision], with_names: bool = False) -> Element:
    """Decisions, those that are the same once."""
    counts: dict[Decision, int] = {}
    for decision in decisions:
        counts[decision] = counts.get(decision, 0) + 1
    return make("ul", [make("li", [make("code", decision.name), ": "] if with_names else None, decision.reason,
                            f" ({count} times)" if count > 1 else None,
                            [" at ", make("code", decision.where)] if decision.where else None)
                       for decision, count in counts.items()])  # fmt: skip


def run_all(report: Report) -> list[Stages | None]:
    """Of each compilation; None where the compiler refuses one, of which the report has the reason."""
    found: list[Stages | None] = []
    for compilation in report.compilations:
        try:
            found.append(run_passes(compilation))
        except CompileError:
            found.append(None)
    return found

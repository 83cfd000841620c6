"""Finds options that suit a model and a graph: :func:`rgnn.tune.choose`."""

from __future__ import annotations

import dataclasses
import functools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from .._options import Options
from .._run.memory import joined
from .._trial import Recorded, record_regions
from .costs import load_costs
from .measure import Times, time_in_turns
from .parts import Program
from .plans import Changes, Plans, add_rewrites

SCHEDULES: tuple[Changes, ...] = (
    {"traverse": {"task_rows": 32}}, {"traverse": {"task_rows": 256}}, {"traverse": {"mapping": "edge"}},
    {"traverse": {"prefetch": 0}}, {"traverse": {"prefetch": 16}}, {"traverse": {"coarsening": 2}},
    {"gemm": {"tile_rows": 48}}, {"gemm": {"tile_rows": 192}}, {"gemm": {"coarsening": 2}},
)  # fmt: skip
"""Schedules that are tried one after another, each upon the best one before it."""

MARGIN = 0.01
"""How much faster than what it is compared with a plan has to be at least, to be chosen."""

PROMISING = 1.4
"""Plans that are predicted to take as many times as long as the best are not run: predictions of whole plans are off by
about 15 %."""


@dataclass(frozen=True)
class Tried:
    """One choice of options.

    Attributes:
        changes: fields that differ from those that one began with.
        predicted: seconds, by the costs of its kernels.
        measured: seconds, or None where it was not run.
        ratio: its time by that of the options that one began with, by way of the best ones before it; None where it
            was not run.
        bytes: of memory that a call takes, as :attr:`rgnn.Options.memory_budget` counts; None where it was not run.
    """

    changes: Changes
    predicted: float
    measured: float | None = None
    ratio: float | None = None
    bytes: int | None = None


@dataclass(frozen=True)
class Choice:
    """What :func:`choose` found; ``str()`` of it is a table.

    Attributes:
        options: the best ones.
        changes: in what they differ from those that one began with; empty where these are the best.
        tried: all that was looked at, those first that one began with.
        fallbacks: operator, reason and source line of what PyTorch runs, which no options make faster.
    """

    options: Options
    changes: Changes
    tried: list[Tried]
    fallbacks: list[tuple[str, str, str]]

    def __str__(self) -> str:
        lines = [f"{'predicted':>10} {'measured':>10} {'ratio':>6} {'MB':>9}  options"]
        for one in self.tried:
            predicted, measured = (_milliseconds(number) for number in (one.predicted, one.measured))
            ratio = f"{one.ratio:.3f}" if one.ratio is not None else ""
            megabytes = f"{one.bytes / 1e6:.1f}" if one.bytes is not None else ""
            lines.append(f"{predicted:>10} {measured:>10} {ratio:>6} {megabytes:>9}  {_name(one.changes)}")
        lines += [f"in PyTorch: {': '.join(filter(None, fallback))}" for fallback in self.fallbacks]
        return "\n".join([*lines, f"best: {_name(self.changes)}"])


def choose(model: Callable, *inputs: Any, seconds: float = 60, options: Options | None = None, most: int = 6,
           memory_budget: float | None = None, **keywords: Any) -> Choice:
    """Compares plans for a model on processors, and finds the fastest one for these inputs.

    >>> choice = rgnn.tune.choose(model, x, edge_index)
    >>> compiled = rgnn.compile(model, options=choice.options)

    Plans are those that the rewrites of :class:`rgnn.Options` make when they are switched on or off, alone and
    together. Of all that differ, those that are predicted to be the fastest are compiled and run in turns, forward and
    backward where gradients are wanted; the schedules of the best one's kernels follow. A plan is better where it is
    faster by more than 1 % in each fifth of the turns, and it is chosen if it is so once more in the end.

    Args:
        model: a module or function, compiled or not. A module stays as it was; a function is called once or twice, and
            what it changes itself stays changed.
        inputs, keywords: what it is called with; typical ones, for the choice suits them. Gradients are wanted as in
            such a call: of parameters and of inputs that require them, but under ``torch.no_grad()``.
        seconds: to spend at most, about, once the model is captured; a compilation or measurement that is under way
            then is finished.
        options: to begin with, by default those of a compiled model; the fields that are set in it stay as they are.
        most: plans that are run before schedules are tried; more where none of them fits into the memory.
        memory_budget: bytes that a call of the chosen plan may take (:attr:`Tried.bytes`); any number where None.

    Returns:
        The options, and all that was tried. The same options where nothing of the model is compiled, or nothing that
            options change, as of loaded models.

    Raises:
        TypeError: an argument is none of what it has to be.
        ValueError: ``seconds`` is not positive, or no plan that was run fits into the memory.
        CompileError: the compiler refuses the options to begin with.

    Source: SENSEi (arXiv:2306.15155v2, sec. 3.4 and 3.5): plans are compared by learned costs of their primitives. Here
        measurements decide among the best.
    """
    for name, value in (("seconds", seconds), ("memory_budget", math.inf if memory_budget is None else memory_budget)):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(f"{name}: expected a number, got {value!r}")
        if not value > 0:
            raise ValueError(f"{name}: expected a positive number, got {value!r}")
    if isinstance(most, bool) or not isinstance(most, int) or most < 0:
        raise TypeError(f"most: expected an integer that is not negative, got {most!r}")
    if not isinstance(options, Options | None):
        raise TypeError(f"options: expected rgnn.Options, got {options!r}")
    if not callable(model):
        raise TypeError(f"model: expected a module or function, got {model!r}")
    return _Search(record_regions(model, inputs, keywords, options), seconds, most, memory_budget).run()


class _Search:
    """The search for options of one model."""

    def __init__(self, recorded: Recorded, seconds: float, most: int, budget: float | None):
        self._regions, self._base, self._fallbacks = recorded.regions, recorded.options, recorded.fallbacks
        self._most, self._end, self._seconds, self._budget = most, time.monotonic() + seconds, seconds, budget
        self._tried: list[Tried] = []

    def run(self) -> Choice:
        best: Changes = {}
        if self._regions:
            costs = load_costs(torch.get_num_threads())
            self._plans = Plans(self._regions, self._base, torch.is_grad_enabled(), costs)
            self._add(best)
            self._measure_first()
            add_rewrites(self._base, self._add, time.monotonic() + self._seconds / 4)
            best = self._confirm(self._try_schedules(self._try_rewrites()))
        return Choice(self._with(best), best, self._tried, self._fallbacks)

    def _try_rewrites(self) -> Changes:
        best: Changes = {}
        planned = sorted(self._tried, key=lambda one: one.predicted)
        for number, one in enumerate([one for one in planned if one.changes]):
            is_promising = number < self._most and one.predicted < PROMISING * planned[0].predicted
            if is_promising or not self._fits(best):
                best = self._try(one.changes, best)
        if not self._fits(best):
            smallest = min(one.bytes for one in self._tried if one.bytes is not None)
            raise ValueError(f"memory_budget: expected at least {smallest} bytes, which the smallest plan that was run "
                             f"takes, got {self._budget}")  # fmt: skip
        return best

    def _try_schedules(self, best: Changes) -> Changes:
        for schedule in () if self._base.schedule else SCHEDULES:
            changes = _merge(best, {"schedule": schedule})
            if not self._is_late() and self._add(changes) is not None:
                best = self._try(changes, best)
        return best

    def _confirm(self, best: Changes) -> Changes:
        """The best plan if it is still better than the first one, or that one does not fit into the memory."""
        if not best or not self._fits({}):
            return best
        seconds = max(min(self._end - time.monotonic(), 8.0), 2.0)
        times = self._compare({}, best, seconds)
        self._note(best, ratio=times.ratios["other"])
        return best if times.worst["other"] < 1 - MARGIN else {}

    def _find(self, changes: Changes) -> Tried:
        return next(one for one in self._tried if one.changes == changes)

    def _fits(self, changes: Changes) -> bool:
        """Whether a plan is known to fit into the memory."""
        kept = self._find(changes).bytes
        return self._budget is None or (kept is not None and kept <= self._budget)

    def _is_late(self) -> bool:
        return time.monotonic() > self._end

    def _with(self, changes: Changes) -> Options:
        return dataclasses.replace(self._base, **changes)

    def _add(self, changes: Changes) -> Tried | None:
        """Plans some changes; None where they come to a plan that there is, or are refused."""
        plan = self._plans.add(changes)
        if plan is None:
            return None
        self._tried.append(Tried(changes, plan.seconds))
        return self._tried[-1]

    def _measure_first(self) -> None:
        programs = self._programs({})
        kept = joined([program.memory for program in programs])
        seconds = time_in_turns({"first": functools.partial(_run, programs)}, 0).seconds["first"]
        self._note({}, measured=seconds, ratio=1.0, bytes=kept)

    def _try(self, changes: Changes, best: Changes) -> Changes:
        """Runs a plan and the best so far in turns, and gives the better one."""
        if self._is_late():
            return best
        times = self._compare(best, changes, max(min((self._end - time.monotonic()) / 8, 2.0), 0.2))
        self._note(changes, measured=times.seconds["other"], ratio=times.ratios["other"] * self._find(best).ratio)
        if not self._fits(best) or not self._fits(changes):
            return changes if self._fits(changes) else best
        return changes if times.worst["other"] < 1 - MARGIN else best

    def _compare(self, best: Changes, changes: Changes, seconds: float) -> Times:
        first, other = map(self._programs, (best, changes))
        self._note(changes, bytes=joined([program.memory for program in other]))
        runs = {"best": functools.partial(_run, first), "other": functools.partial(_run, other)}
        return time_in_turns(runs, seconds)

    def _programs(self, changes: Changes) -> list[Program]:
        return [part.program(self._with(changes)) for part in self._plans.parts]

    def _note(self, changes: Changes, **measured: float) -> None:
        place = self._tried.index(self._find(changes))
        self._tried[place] = dataclasses.replace(self._tried[place], **measured)


def _run(programs: list[Program]) -> None:
    for program in programs:
        program()


def _merge(changes: Changes, more: Changes) -> Changes:
    """Changes with the fields of schedules of both."""
    schedule = {kind: dict(fields) for kind, fields in changes.get("schedule", {}).items()}
    for kind, fields in more["schedule"].items():
        schedule.setdefault(kind, {}).update(fields)
    return {**changes, "schedule": schedule}


def _milliseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1e3:.3f} ms"


def _name(changes: Changes) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in changes.items()) or "as they were"

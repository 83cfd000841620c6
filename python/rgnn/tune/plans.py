"""Plans of a model: what comes of its options when rewrites are switched on or off, alone and together."""

from __future__ import annotations

import dataclasses
import itertools
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import torch
from torch import Tensor

from .._errors import CompileError
from .._options import REWRITES, Options
from .costs import Costs, load_costs
from .parts import Part, Plan

Changes = dict[str, Any]
"""Fields of options that differ from those that one began with."""

MOST, SECONDS = 24, 10.0
"""How many plans :func:`list_plans` gives at most, and how long it looks for them."""

MARGIN = 0.03
"""How much faster than the rules' plan another has to be foretold, to be chosen: closer ones are not told apart."""

NOT_TRIED = ("fuse",)
"""Rewrites that no plan goes without: their options are for comparisons alone."""


class Candidate(NamedTuple):
    """A plan.

    Attributes:
        changes: fields of options that it has others of.
        seconds: that its kernels are predicted to take in a call; with gradients, in a training step.
        measured: seconds of such a call; None where it was not measured.
    """

    changes: Changes
    seconds: float
    measured: float | None = None

    @property
    def name(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in self.changes.items()) or "as the rules have it"

    def __str__(self) -> str:
        measured = "" if self.measured is None else f", measured {self.measured * 1e3:.3f} ms"
        return f"{self.name}: predicted {self.seconds * 1e3:.3f} ms{measured}"


class Plans:
    """Those of the regions of a model that were looked at.

    Args:
        regions: what each is compiled of, and what it is called with; inputs that want a gradient require one.
        options: to begin with; fields that are set stay as they are.
        trains: whether gradients are wanted.
        costs: of kernels.

    Attributes:
        parts: the regions.
    """

    def __init__(self, regions: Sequence[tuple[str, list[Tensor]]], options: Options, trains: bool, costs: Costs):
        self.parts = [Part(text, tensors, trains) for text, tensors in regions]
        self._options, self._costs = options, costs
        self._found: dict[tuple, Candidate] = {}

    @property
    def fastest(self) -> list[Candidate]:
        """All, the one first that is predicted to be the fastest."""
        return sorted(self._found.values(), key=lambda one: one.seconds)

    def add(self, changes: Changes) -> Candidate | None:
        """Plans some changes; None where they come to a plan that there is, or are refused.

        Raises:
            CompileError: the compiler refuses the options to begin with.
        """
        return self._keep(changes, self._plan(changes))

    def _plan(self, changes: Changes) -> list[Plan] | None:
        """Of each region; None where the compiler refuses the changes."""
        options = dataclasses.replace(self._options, **changes)
        try:
            return [part.plan(options, self._costs) for part in self.parts]
        except CompileError:
            if not changes:
                raise
            return None

    def _keep(self, changes: Changes, plans: list[Plan] | None) -> Candidate | None:
        key = tuple(plan.key for plan in plans or ())
        if plans is None or key in self._found:
            return None
        self._found[key] = Candidate(changes, sum(plan.seconds for plan in plans))
        return self._found[key]

    def climb(self, until: float) -> Candidate:
        """Starts with the options as they are and switches one rewrite after another, whichever makes most, as long as
        one makes the plan faster.

        Args:
            until: when to end, as ``time.monotonic()`` counts.
        """
        best, changes = self.add({}), list(switches(self._options))
        with ThreadPoolExecutor(min(len(os.sched_getaffinity(0)), 4)) as pool:
            while True:
                tried = [{**best.changes, **change} for change in changes if change.keys().isdisjoint(best.changes)]
                planned = pool.map(lambda one: self._plan(one) if time.monotonic() < until else None, tried)
                found = [self._keep(*both) for both in zip(tried, planned)]
                fastest = min(filter(None, found), key=lambda one: one.seconds, default=best)
                if fastest.seconds >= best.seconds:
                    return best
                # What made no difference at first makes none later.
                changes = [{name: one.changes[name] for name in one.changes.keys() - best.changes.keys()}
                           for one in found if one is not None]  # fmt: skip
                best = fastest


def add_rewrites(options: Options, add: Callable[[Changes], Any], until: float) -> None:
    """Adds each change of a rewrite that makes a difference, then those of several.

    Args:
        options: to begin with; fields that are set stay as they are.
        add: plans some changes; gives None where they come to a plan that there is, or are refused.
        until: when to end, as ``time.monotonic()`` counts.
    """
    single = [changes for changes in switches(options) if time.monotonic() < until and add(changes)]
    for number in range(2, len(single) + 1):
        for several in itertools.combinations(single, number):
            names = [name for changes in several for name in changes]
            if len(set(names)) == len(names) and time.monotonic() < until:
                add({name: value for changes in several for name, value in changes.items()})


def switches(options: Options) -> Iterator[Changes]:
    """Each rewrite that is ``"auto"``, off and on."""
    for name in REWRITES:
        if getattr(options, name) == "auto" and name not in NOT_TRIED:
            yield {name: False}
            yield {name: True}


def list_plans(regions: Sequence[tuple[str, list[Tensor]]], options: Options, trains: bool,
               device: str) -> list[Changes]:  # fmt: skip
    """Changes of options that come to other code, those first that are predicted to be the fastest.

    Args:
        regions, options, trains: as of :class:`Plans`.
        device: what the code is for. There are no costs of GPUs: there, a backward that computes all again comes first.
    """
    if device != "cpu":
        return sorted(switches(options), key=lambda changes: changes != {"recompute": True})
    plans = Plans(regions, options, trains, load_costs(torch.get_num_threads()))
    plans.add({})
    add_rewrites(options, plans.add, time.monotonic() + SECONDS)
    return [one.changes for one in plans.fastest if one.changes][:MOST]


def choose_plan(regions: Sequence[tuple[str, list[Tensor]]], options: Options, trains: bool) -> list[Candidate]:
    """What was looked at, the one first that is chosen: options as they are, or other ones that are predicted to be
    faster by :data:`MARGIN`.

    Args:
        regions, options, trains: as of :class:`Plans`.
    """
    plans = Plans(regions, options, trains, load_costs(torch.get_num_threads()))
    best = plans.climb(time.monotonic() + SECONDS)
    rules = next(one for one in plans.fastest if not one.changes)
    chosen = best if best.seconds < rules.seconds * (1 - MARGIN) else rules
    return [chosen, *(one for one in plans.fastest if one is not chosen)]

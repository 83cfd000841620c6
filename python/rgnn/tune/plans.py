"""Plans of a model: what comes of its options when rewrites are switched on or off, alone and together."""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from .._errors import CompileError
from .._options import REWRITES, Options
from .costs import load_costs
from .parts import Part

Changes = dict[str, Any]
"""Fields of options that differ from those that one began with."""

MOST, SECONDS = 24, 10.0
"""How many plans :func:`list_plans` gives at most, and how long it looks for them."""

_NOT_TRIED = ("fuse",)  # for comparisons alone


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
        if getattr(options, name) == "auto" and name not in _NOT_TRIED:
            yield {name: False}
            yield {name: True}


def list_plans(regions: Sequence[tuple[str, list[Tensor]]], options: Options, trains: bool,
               device: str) -> list[Changes]:  # fmt: skip
    """Changes of options that come to other code, those first that are predicted to be the fastest.

    Args:
        regions: what each is compiled of, and what it is called with; inputs that want a gradient require one.
        options: to begin with.
        trains: whether gradients are wanted.
        device: what the code is for. There are no costs of GPUs: there, a backward that computes all again comes first.
    """
    if device != "cpu":
        return sorted(switches(options), key=lambda changes: changes != {"recompute": True})
    parts = [Part(text, tensors, trains) for text, tensors in regions]
    costs = load_costs(torch.get_num_threads())
    found: dict[tuple, tuple[float, Changes]] = {}

    def add(changes: Changes) -> Changes | None:
        try:
            plans = [part.plan(dataclasses.replace(options, **changes), costs) for part in parts]
        except CompileError:
            return None
        key = tuple(plan.key for plan in plans)
        if key in found:
            return None
        found[key] = sum(plan.seconds for plan in plans), changes
        return changes

    add({})
    add_rewrites(options, add, time.monotonic() + SECONDS)
    fastest = sorted(found.values(), key=lambda one: one[0])
    return [changes for _, changes in fastest if changes][:MOST]

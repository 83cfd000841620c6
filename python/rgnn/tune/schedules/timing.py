"""Times of programs that are measured beside each other, and how much they vary."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

PARTS, TURNS = 3, 4
"""All programs run in turns, so many of them in each of the parts, of which each has its fastest turn."""

LEAST = 2e-4
"""Seconds of a turn; a program that takes less runs several times."""


class Times(NamedTuple):
    """Of each program.

    Attributes:
        seconds: of a call: the median over the parts of the least of their turns. What slows a part down, or all turns
            but one, does not count.
        noise: by how much of it the parts differ, the largest from the least.
    """

    seconds: np.ndarray
    noise: np.ndarray


def measure(programs: Sequence[Callable[[], object]], *, parts: int = PARTS, turns: int = TURNS,
            least: float = LEAST) -> Times:  # fmt: skip
    """Runs programs in turns, each once before that, in another order in each turn: what the one before leaves in caches
    is no advantage of the same one always."""
    calls = []
    for program in programs:
        program()
        calls.append(max(1, round(least / max(_seconds(program, 1), 1e-9))))
    taken = np.empty((parts, turns, len(programs)))
    random = np.random.default_rng(0)
    for part in range(parts):
        for turn in range(turns):
            for number in random.permutation(len(programs)):
                taken[part, turn, number] = _seconds(programs[number], calls[number])
    fastest = taken.min(1)
    seconds = np.median(fastest, 0)
    return Times(seconds, (fastest.max(0) - fastest.min(0)) / seconds)


def _seconds(program: Callable[[], object], calls: int) -> float:
    """Of a call, on average."""
    begin = time.perf_counter()
    for _ in range(calls):
        program()
    return (time.perf_counter() - begin) / calls

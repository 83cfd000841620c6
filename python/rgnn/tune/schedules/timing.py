"""Times of programs that are measured beside each other, and how much they vary."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

PARTS, TURNS = 3, 5
"""All programs run in turns, at most so many of them in each of the parts, of which each has its fastest turn."""

PART = 0.02
"""Seconds that are enough for all turns of a program in a part."""

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
            least: float = LEAST, enough: float = PART,
            clock: Callable[[], float] = time.perf_counter) -> Times:  # fmt: skip
    """Runs programs in turns, each once before that. Orders differ, so that what one leaves in caches is not always of
    use to the same other one. A program that takes long has fewer turns: it varies less.

    Args:
        programs: to be called.
        parts, turns, least, enough: as :data:`PARTS`, :data:`TURNS`, :data:`LEAST` and :data:`PART` say.
        clock: gives seconds.
    """
    calls, own_turns = [], []
    for program in programs:
        seconds = _seconds(program, 1, clock)
        if seconds < enough:
            seconds = max(_seconds(program, 1, clock), 1e-9)
        calls.append(max(1, round(least / seconds)))
        own_turns.append(min(max(1, round(enough / (calls[-1] * seconds))), turns))
    taken = np.full((parts, turns, len(programs)), np.inf)
    random = np.random.default_rng(0)
    for part in range(parts):
        for turn in range(turns):
            for number in random.permutation([at for at, most in enumerate(own_turns) if turn < most]):
                taken[part, turn, number] = _seconds(programs[number], calls[number], clock)
    fastest = taken.min(1)
    seconds = np.median(fastest, 0)
    return Times(seconds, (fastest.max(0) - fastest.min(0)) / seconds)


def clock_for(threads: int) -> Callable[[], float]:
    """What measures programs of so many threads: of one, the time that the calling thread has run, so that what else
    the machine does on its processor meanwhile does not count."""
    return time.thread_time if threads == 1 else time.perf_counter


def _seconds(program: Callable[[], object], calls: int, clock: Callable[[], float]) -> float:
    """Of a call, on average."""
    begin = clock()
    for _ in range(calls):
        program()
    return (clock() - begin) / calls

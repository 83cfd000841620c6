"""Times of several programs, taken in turns, so that what slows the machine down slows down all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple


class Times(NamedTuple):
    """How long programs take beside each other.

    Attributes:
        seconds: of each, the median.
        ratios: of each, the median of its time by that of the first one in the same turn.
        worst: of each, the largest of the medians of these ratios in five parts of the time.
    """

    seconds: dict[str, float]
    ratios: dict[str, float]
    worst: dict[str, float]


def time_in_turns(programs: Mapping[str, Callable[[], object]], seconds: float, least: int = 15) -> Times:
    """Runs programs in turns, each once before that. Who goes first in a turn goes last in the next one.

    Args:
        programs: by names, the one that others are compared with first.
        seconds: for all of them; the turn that is under way then is finished.
        least: turns in any case, at least five.
    """
    for run in programs.values():
        run()
    times: dict[str, list[float]] = {name: [] for name in programs}
    order = list(programs.items())
    end, turns = time.perf_counter() + seconds, 0
    while turns < least or time.perf_counter() < end:
        for name, run in order:
            begin = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - begin)
        order.reverse()
        turns += 1
    first = times[next(iter(programs))]
    ratios = {name: [one / other for one, other in zip(taken, first)] for name, taken in times.items()}
    parts = [slice(turns * part // 5, turns * (part + 1) // 5) for part in range(5)]
    return Times({name: statistics.median(taken) for name, taken in times.items()},
                 {name: statistics.median(found) for name, found in ratios.items()},
                 {name: max(statistics.median(found[part]) for part in parts) for name, found in ratios.items()})

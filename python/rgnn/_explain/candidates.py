"""Plans that were compared by predicted costs, as a report has them."""

from __future__ import annotations

import dataclasses

from .._dynamo.regions import Choosing
from .._options import REWRITES, Options
from .._trial import WatchedRegion
from ..tune.measure import time_in_turns
from ..tune.parts import Part
from ..tune.plans import Candidate

MEASURED, SECONDS = 6, 3.0
"""How many plans of a region are measured, and for how long."""


def chosen_options(part: WatchedRegion, options: Options, trains: bool) -> Options:
    """The options of the code that a region ran."""
    source = (part.training.forward if trains else part.region).source
    return dataclasses.replace(options, **{name: getattr(source.options, name) for name in REWRITES})


def list_candidates(part: WatchedRegion, text: str, options: Options, trains: bool, measure: bool) -> list[Candidate]:
    """What was compared for a region, the plan first that was chosen; empty where nothing was.

    Args:
        part: the region, after a call.
        text: what it is compiled of.
        options: that were begun with.
        trains: whether the call was with gradients.
        measure: whether the first ones are measured.
    """
    found = next((list(finder.candidates[trains]) for finder in part.finders
                  if isinstance(finder, Choosing) and trains in finder.candidates), [])  # fmt: skip
    if measure and len(found) > 1:
        alone = Part(text, part.seen, trains)
        runs = {str(number): alone.program(dataclasses.replace(options, **one.changes))
                for number, one in enumerate(found[:MEASURED])}  # fmt: skip
        times = time_in_turns(runs, SECONDS)
        found[:MEASURED] = [one._replace(measured=times.seconds[str(number)])
                            for number, one in enumerate(found[:MEASURED])]  # fmt: skip
    return found

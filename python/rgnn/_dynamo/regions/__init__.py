"""Regions of captured graphs as they run."""

from ..._run.memory import Budget
from .choosing import Choosing
from .codes import Codes, Pair
from .compiled_region import CompiledRegion
from .fitting import Fitting


def finders(codes: Codes, budget: Budget | None) -> list[Choosing | Fitting]:
    """What finds other code of a region for calls, as its options say."""
    found: list[Choosing | Fitting] = []
    if codes.options.plan == "costs" and codes.target.device == "cpu":
        found.append(Choosing(codes))
    if budget is not None:
        found.append(Fitting(budget, codes))
    return found


__all__ = ["Choosing", "Pair", "Codes", "CompiledRegion", "Fitting", "finders"]

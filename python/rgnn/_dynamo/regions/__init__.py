"""Regions of captured graphs as they run."""

from .compiled_region import CompiledRegion
from .fitting import Fitting

__all__ = ["CompiledRegion", "Fitting"]

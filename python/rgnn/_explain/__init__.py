"""rgnn.explain, and what it reports."""

from .explain import explain
from .report import Compilation, Decision, Report

__all__ = ["Compilation", "Decision", "Report", "explain"]

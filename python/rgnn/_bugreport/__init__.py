"""rgnn.bugreport, and what it writes."""

from .report import bugreport

__all__ = ["bugreport"]

"""Reductions by name: what a node makes of the messages of its edges."""

from __future__ import annotations

from .base import BuiltinFunction

__all__ = ["max", "mean", "min", "sum"]


class ReduceFunction(BuiltinFunction):
    """A reduction by name, of the message ``msg_field``, to the feature ``out_field``."""

    def __init__(self, name: str, msg_field: str, out_field: str):
        self.name, self.msg_field, self.out_field = name, msg_field, out_field


SimpleReduceFunction = ReduceFunction


def sum(msg: str, out: str) -> ReduceFunction:
    """``out`` is the sum of the messages; 0 without any."""
    return ReduceFunction("sum", msg, out)


def mean(msg: str, out: str) -> ReduceFunction:
    """``out`` is the mean of the messages; 0 without any."""
    return ReduceFunction("mean", msg, out)


def max(msg: str, out: str) -> ReduceFunction:
    """``out`` is the largest of the messages, entry by entry; 0 without any."""
    return ReduceFunction("max", msg, out)


def min(msg: str, out: str) -> ReduceFunction:
    """``out`` is the least of the messages, entry by entry; 0 without any."""
    return ReduceFunction("min", msg, out)

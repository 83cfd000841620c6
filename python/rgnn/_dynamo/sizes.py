"""How sizes and integers of a call are captured: as symbols, which take 0 and 1 like other numbers.

By itself TorchDynamo makes a capture of its own for the sizes 0 and 1, which batches of many relations cannot afford.
Its setting ``backed_size_oblivious`` takes sizes for large where an operator asks about 0 and 1 for its own sake (is
this tensor contiguous), and where it broadcasts, records that sizes are equal. It also decides what the *model* asks,
without a trace, and that is wrong: here these questions get the answer for the sizes at hand, as a guard.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

import sympy
import torch

from . import private

_REFERENCES = torch._refs.__file__
_capturing: int | None = None  # the thread whose sizes these are


@contextlib.contextmanager
def constants_fixed(seen: dict[str, set]) -> Iterator[None]:
    """Integers that modules hold (a number of heads), and fractions, are symbols only once they have changed.

    TorchDynamo would tell by what other models of the same class hold.

    Args:
        seen: what these numbers of a model were so far; gets what they are.
    """
    builder = private.VariableBuilder
    stock = builder.wrap_symint, builder.wrap_symfloat

    def is_constant(source: Any, value: float, most: int) -> bool:
        known = seen.setdefault(source.name, set())
        known.add(value)
        return len(known) <= most

    def wrap_integer(self: Any, value: int, *args: Any, **kwargs: Any) -> Any:
        if not _is_own() or not _is_attribute(self.source):
            return stock[0](self, value, *args, **kwargs)
        with private.dynamo_config.patch(specialize_int=is_constant(self.source, value, 1)):
            return stock[0](self, value, *args, **kwargs)

    def wrap_fraction(self: Any, value: float) -> Any:
        most = 2 if _is_attribute(self.source) else 1  # a rate of dropout may be changed once
        with private.dynamo_config.patch(specialize_float=not _is_own() or is_constant(self.source, value, most)):
            return stock[1](self, value)

    builder.wrap_symint, builder.wrap_symfloat = wrap_integer, wrap_fraction
    try:
        yield
    finally:
        builder.wrap_symint, builder.wrap_symfloat = stock


def _is_attribute(source: Any) -> bool:
    while source is not None:
        if isinstance(source, private.AttrSource):
            return True
        source = getattr(source, "base", None)
    return False


@contextlib.contextmanager
def of_this_thread() -> Iterator[None]:
    """What this module changes is for captures of this thread."""
    global _capturing
    before, _capturing = _capturing, threading.get_ident()
    try:
        yield
    finally:
        _capturing = before


@contextlib.contextmanager
def symbolic() -> Iterator[None]:
    """Captures make sizes symbols, 0 and 1 like any other."""
    shapes, environment = private.symbolic_shapes, private.ShapeEnv
    stock = shapes.make_symbol, shapes._guard_or, environment.evaluate_expr

    def make_symbol(prefix: Any, number: int, **assumptions: Any) -> sympy.Symbol:
        # A symbol that is positive makes `size == 0` false for ever, before it becomes a guard.
        if prefix is private.SymT.SIZE and assumptions.pop("positive", None):
            assumptions["nonnegative"] = True
        return stock[0](prefix, number, **assumptions)

    def guard_or(condition: Any, default: bool) -> bool:
        # The rank of what squeeze gives is seen by the model.
        if isinstance(condition, torch.SymBool) and _is_own() and _asked_by_squeeze():
            with contextlib.suppress(private.GuardOnDataDependentSymNode):
                return shapes.guard_bool(condition)
        return stock[1](condition, default)

    def evaluate(self: Any, expression: sympy.Basic, *args: Any, **kwargs: Any) -> sympy.Basic:
        try:
            return stock[2](self, expression, *args, **kwargs)
        except private.GuardOnDataDependentSymNode:
            if not _is_own():
                raise
            # A sum of a size that only data say and one that the call gives may be decided by the latter alone.
            for least in (1, 2):
                _require_at_least(self, expression, least, stock[2])
                with contextlib.suppress(private.GuardOnDataDependentSymNode):
                    return stock[2](self, expression, *args, **kwargs)
            raise

    shapes.make_symbol, shapes._guard_or, environment.evaluate_expr = make_symbol, guard_or, evaluate
    try:
        with private.shape_config.patch(backed_size_oblivious=True):
            yield
    finally:
        shapes.make_symbol, shapes._guard_or, environment.evaluate_expr = stock


def _is_own() -> bool:
    return threading.get_ident() == _capturing


def _asked_by_squeeze() -> bool:
    frame = sys._getframe(2)
    for _ in range(5):
        if frame is None:
            return False
        code = frame.f_code
        if code.co_name == "squeeze" and code.co_filename == _REFERENCES:
            return True
        frame = frame.f_back
    return False


def _require_at_least(environment: Any, expression: sympy.Basic, least: int, evaluate: Any) -> None:
    """Guards that the sizes of the call in an expression are that large, where they are."""
    for symbol in expression.free_symbols:
        value = environment.backed_var_to_val.get(symbol)
        if value is not None and value >= least:
            evaluate(environment, sympy.Ge(symbol, least))

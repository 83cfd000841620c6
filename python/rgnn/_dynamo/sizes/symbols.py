"""How sizes of a call are captured: as symbols, which take 0 and 1 like other numbers.

By itself TorchDynamo makes a capture of its own for the sizes 0 and 1, which batches of many relations cannot afford.
Its setting ``backed_size_oblivious`` takes sizes for large where an operator asks about 0 and 1 for its own sake (is
this tensor contiguous), and where it broadcasts, records that sizes are equal. It also decides what the *model* asks,
without a trace, and that is wrong: here these questions get the answer for the sizes at hand, as a guard.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import sympy
import torch
from torch import Tensor

from .. import private
from .layouts import layouts_asked, reads_strides, strides_without_gaps, without_layouts
from .questions import (
    ATTENTION,
    OF_LARGE,
    OWN_FILES,
    answer_for_large,
    asked_about_batch,
    asked_about_memory,
    asked_by,
    asked_by_batch_norm,
    asked_by_slice,
    require_at_least,
    running,
)
from .thread import is_own


@contextlib.contextmanager
def symbolic() -> Iterator[None]:
    """Captures make sizes symbols, 0 and 1 like any other."""
    shapes, environment = private.symbolic_shapes, private.ShapeEnv
    stock = (shapes.make_symbol, shapes._guard_or, environment.evaluate_expr, environment._compute_symbolic_stride,
             environment.produce_guards_verbose, environment.create_symbol)  # fmt: skip
    stock_files = shapes.uninteresting_files
    files = stock_files() | OWN_FILES

    def make_symbol(prefix: Any, number: int, **assumptions: Any) -> sympy.Symbol:
        # A symbol that is positive makes `size == 0` false for ever, before it becomes a guard.
        if prefix is private.SymT.SIZE and assumptions.pop("positive", None):
            assumptions["nonnegative"] = True
        return stock[0](prefix, number, **assumptions)

    def create_symbol(self: Any, value: Any, source: Any, *args: Any, **kwargs: Any) -> sympy.Expr:
        # The second row of a list of edges lies 0 or 1 numbers behind the first where later calls have so many edges.
        is_offset = getattr(source, "prop", None) is private.TensorProperty.STORAGE_OFFSET
        if is_offset and isinstance(value, int) and value > 1 and is_own():
            kwargs["do_not_specialize_zero_one"] = True
        return stock[5](self, value, source, *args, **kwargs)

    def guard_or(condition: Any, default: bool) -> bool:
        if isinstance(condition, torch.SymBool) and is_own():
            # The rank of what squeeze gives is seen by the model: where data say it, nothing is captured.
            if asked_by("squeeze", torch._refs.__file__):
                return shapes.guard_bool(condition)
            # So is how many rows a slice has up to a size; the model may compare that with another one.
            if asked_by_slice() and not private.free_unbacked_symbols(condition):
                return shapes.guard_bool(condition)
        return stock[1](condition, default)

    def evaluate(self: Any, expression: sympy.Basic, *args: Any, **kwargs: Any) -> sympy.Basic:
        if is_own() and asked_about_memory(expression):
            with self.suppress_guards():
                return stock[2](self, expression, *args, **kwargs)
        if isinstance(expression, sympy.Eq) and expression.rhs == 0 and is_own() and asked_by_batch_norm():
            return sympy.false  # of no rows it makes none; what it keeps in training is normalise's
        if isinstance(expression, sympy.Eq) and expression.rhs == 1 and is_own() and (
                private.free_unbacked_symbols(expression) and asked_about_batch()):  # fmt: skip
            return sympy.false  # each call asks: normalise's check
        answer = answer_for_large(expression) if is_own() else None
        if answer is not None and (target := running()) in OF_LARGE:
            if target in ATTENTION:
                return answer
            with self.suppress_guards():
                if stock[2](self, expression, *args, **kwargs) == answer:
                    return answer
        try:
            return stock[2](self, expression, *args, **kwargs)
        except private.GuardOnDataDependentSymNode:
            if not is_own():
                raise
            # A sum of a size that only data say and one that the call gives may be decided by the latter alone.
            for least in (1, 2):
                require_at_least(self, expression, least, stock[2])
                with contextlib.suppress(private.GuardOnDataDependentSymNode):
                    return stock[2](self, expression, *args, **kwargs)
            raise

    def strides(self: Any, source: Any, size: list[sympy.Expr], ex_size: Any, ex_stride: Any, *args: Any,
                **kwargs: Any) -> list[sympy.Expr]:  # fmt: skip
        # By themselves they are constants where sizes of 0 and 1 make them 1.
        known = strides_without_gaps(size, ex_size, ex_stride) if is_own() else None
        return known or stock[3](self, source, size, ex_size, ex_stride, *args, **kwargs)

    def guards(self: Any, placeholders: Any, sources: Any, *args: Any, **kwargs: Any) -> Any:
        made = stock[4](self, placeholders, sources, *args, **kwargs)
        if is_own():
            tensors = {source.name: tensor for tensor, source in zip(placeholders, sources, strict=True)
                       if isinstance(tensor, Tensor)}  # fmt: skip
            # That sizes are not negative is asked in Python, of each edge set, in each call.
            known = {f"0 <= {name}{base}.size()[{dim}]" for name, tensor in tensors.items() for base in ("", "._base")
                     for dim in range(tensor.dim())}  # fmt: skip
            for helper in made:
                asked = [guard for guard in helper.exprs if guard.partition("  #")[0] not in known]
                helper.exprs[:] = asked if reads_strides(self) else without_layouts(asked, tensors)
        return made

    shapes.make_symbol, shapes._guard_or, environment.evaluate_expr = make_symbol, guard_or, evaluate
    environment._compute_symbolic_stride, environment.produce_guards_verbose = strides, guards
    environment.create_symbol = create_symbol
    shapes.uninteresting_files = lambda: files
    try:
        with private.shape_config.patch(backed_size_oblivious=True), layouts_asked():
            yield
    finally:
        (shapes.make_symbol, shapes._guard_or, environment.evaluate_expr, environment._compute_symbolic_stride,
         environment.produce_guards_verbose, environment.create_symbol) = stock  # fmt: skip
        shapes.uninteresting_files = stock_files

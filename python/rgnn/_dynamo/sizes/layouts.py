"""How tensors lie in memory: as expressions of their sizes, and asked only where it makes a difference."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

import sympy
import torch
from torch import Tensor

from .. import private
from .thread import is_own


def strides_without_gaps(sizes: Sequence[sympy.Expr], given: Sequence[int],
                         strides: Sequence[int]) -> list[sympy.Expr] | None:  # fmt: skip
    """Of a tensor whose numbers fill its memory, in the order of its dimensions or in another one; None of others.

    Args:
        sizes: as expressions.
        given: what they are in the call that is captured.
        strides: of the tensor of that call.
    """
    dims = range(len(given))
    for order in (list(dims), sorted(dims, key=lambda dim: (-strides[dim], -given[dim]))):
        if _dense([given[dim] for dim in order]) == [strides[dim] for dim in order]:
            known = dict(zip(order, _dense([sizes[dim] for dim in order]), strict=True))
            return [known[dim] for dim in dims]
    return None


def _dense(sizes: Sequence[Any]) -> list:
    """Strides of a tensor without gaps, whose sizes are numbers or expressions."""
    strides = [sympy.Integer(1)]
    for size in reversed(sizes[1:]):
        least = max(1, int(size)) if sympy.sympify(size).is_Integer else sympy.Max(1, size, evaluate=False)
        strides.insert(0, strides[0] * least)
    return strides[: len(sizes)]


def is_table(tensor: Any) -> bool:
    """Whether a tensor is a list of edges, as rows or as columns, or another table of integers."""
    return isinstance(tensor, Tensor) and tensor.dim() == 2 and tensor.dtype in (torch.int64, torch.int32)


_is_asking = False  # whether guards are those of `without_layouts`


@contextlib.contextmanager
def layouts_asked() -> Iterator[None]:
    """Captures ask for layouts where they count; where a model reads strides itself, calls with others are others."""
    global _is_asking

    def note() -> None:
        if is_own():
            private.InstructionTranslator.current_tx().output.shape_env.rgnn_reads_strides = True

    _is_asking = True
    try:
        with private.before_strides(note):
            yield
    finally:
        _is_asking = False


def reads_strides(environment: Any) -> bool:
    """Whether the capture of these symbols is of a model that reads strides."""
    return getattr(environment, "rgnn_reads_strides", False)


def leave_layouts_unasked() -> None:
    """Has the capture that is under way not ask for the strides of tables: `without_layouts` does."""
    output = private.InstructionTranslator.current_tx().output
    if not _is_asking or reads_strides(output.shape_env):
        return
    for tracked in output.tracked_fakes:
        known = output.input_source_to_sizes_strides.get(tracked.source)
        if known is not None and is_table(tracked.fake):
            known["stride"] = (None,) * tracked.fake.dim()


def without_layouts(guards: list[str], tensors: dict[str, Tensor]) -> list[str]:
    """Guards that take any stride along a size of 1, and of no numbers, for tables.

    PyTorch gives ``pairs.t().contiguous()`` other strides where there is one edge, or none, and a list of edges without
    gaps is one with and without them: ``is_contiguous`` asks that. What a tensor is a view of is not asked about.
    """
    bases = {f"{name}._base" for name in tensors}
    tables = {name: tensor for name, tensor in tensors.items() if is_table(tensor) and name not in bases}
    kept, strides = [], {}
    for guard in guards:
        text = guard.partition("  #")[0]
        found = _STRIDE.match(text)
        if found and found[2] in tables and found[1]:
            kept.append(_where_it_counts(text, found[2], int(found[3])))
        elif found and found[2] in tables:
            strides[found[2], int(found[3])] = found[4]
        elif not found or found[2] not in bases:
            kept.append(guard)
    for name, tensor in tables.items():
        asked = [strides.get((name, dim)) or _number(stride) for dim, stride in enumerate(tensor.stride())]
        sizes = [_number(size) or f"max(1, {name}.size()[{dim}])" for dim, size in enumerate(tensor.shape)]
        if asked == [sizes[1], "1"]:
            kept.append(f"{name}.is_contiguous()")
        elif asked == ["1", sizes[0]]:
            kept.append(f"{name}.t().is_contiguous()")
        else:
            kept += _asked(name, *asked)
    return kept


_STRIDE = re.compile(r"(2 <= )?(.+)\.stride\(\)\[(\d+)\](?(1)| == (.*))$")


def _number(size_or_stride: Any) -> str | None:
    number = size_or_stride if isinstance(size_or_stride, int) else size_or_stride.node.maybe_as_int()
    return None if number is None else str(number)


def _asked(name: str, first: str | None, second: str | None) -> list[str]:
    """The guard of a table's strides, where something is asked of them."""
    along = [f"{name}.stride()[{dim}] == {stride}" for dim, stride in enumerate((first, second)) if stride is not None]
    if len(along) == 2:
        return [f"{name}.stride() == ({first}, {second}) or {name}.numel() < 2 or "
                f"{name}.size()[0] == 1 and {along[1]} or {name}.size()[1] == 1 and {along[0]}"]  # fmt: skip
    return [_where_it_counts(guard, name, 0 if second is None else 1) for guard in along]


def _where_it_counts(guard: str, name: str, dim: int) -> str:
    return f"{guard} or {name}.numel() == 0 or {name}.size()[{dim}] == 1"

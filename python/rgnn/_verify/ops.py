"""Looks whether registered operators keep what they promise, while PyTorch runs a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from .._errors import first_line
from .._ops.movement import REDUCTIONS, Movement
from .._ops.registry import RegisteredOp, find
from .compare import describe_difference, is_near


class WatchedOps(TorchDispatchMode):
    """Runs registered operators again, on some of their rows, and their lowerings.

    Attributes:
        broken: what does not hold, in words.
    """

    def __init__(self) -> None:
        super().__init__()
        self.broken: list[str] = []
        self._seen: set[str] = set()  # that have broken a promise: once is enough

    def __torch_dispatch__(self, function: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        result = function(*args, **kwargs)
        op = find(function)
        # What draws random numbers gives others each time.
        if op is None or op.name in self._seen or torch.Tag.nondeterministic_seeded in function.tags:
            return result
        with torch.random.fork_rng(devices=[]):
            found = _find_broken(op, args, kwargs, result)
        if found:
            self._seen.add(op.name)
            self.broken.append(f"{op.name}: {found}")
        return result


def _find_broken(op: RegisteredOp, args: tuple, kwargs: dict, result: Any) -> str:
    """The first promise of an operator that does not hold for a call; empty where all do."""
    movement = op.movement
    given, results = movement.bind(args, kwargs), pytree.tree_leaves(result)
    try:
        for number, value in enumerate(results):
            movement.check_result(given, value, "result" if len(results) == 1 else f"result {number}")
    except (TypeError, ValueError) as error:
        return str(error).removeprefix(f"{op.name}: ")
    if op.lowering is not None and (found := _compare(pytree.tree_leaves(movement.call(op.lowering, given)), results)):
        return f"its lowering gives something else: {found}"
    if movement.rows == "any" or not movement.count(given):
        return ""
    try:
        found = _check_parts(op, given, results)
        if not found and movement.rows in _JOINED and movement.count(given) > 1:
            found = _check_sums(op, given, results)
    except Exception as error:
        found = f"for some of them alone, it raises {type(error).__name__}: {first_line(error)}"
    return found and f"rows={movement.rows!r} does not hold: {found}"


def _check_parts(op: RegisteredOp, given: dict[str, Any], results: list[Tensor]) -> str:
    """Whether some rows of the results, computed alone, are what they are among all.

    Rows stay in their order: an operator may need an index that is sorted.
    """
    movement, count = op.movement, op.movement.count(given)
    if movement.rows == "each":
        rows = picked = torch.arange(count, device=results[0].device)[::2]
    else:
        known, number = _destinations(movement, given).unique(return_inverse=True)
        rows = (number % 2 == 0).nonzero().view(-1)
        picked = known[::2] if movement.rows in REDUCTIONS else rows
    alone = _run(op, given, rows)
    ones = [value[picked] for value in alone] if movement.rows in REDUCTIONS else alone
    found = _compare(ones, [value[picked] for value in results])
    return found and f"for every second of them alone, {found}"


def _add(one: Tensor, other: Tensor, *_: Tensor) -> Tensor:
    return one + other


def _average(one: Tensor, other: Tensor, ones: Tensor, others: Tensor) -> Tensor:
    return (one * ones + other * others) / (ones + others).clamp(min=1)


def _pick(function: Callable) -> Callable:
    """Takes what there are rows for; of both, by the function."""

    def join(one: Tensor, other: Tensor, ones: Tensor, others: Tensor) -> Tensor:
        return torch.where(ones == 0, other, torch.where(others == 0, one, function(one, other)))

    return join


_JOINED = {"sum": _add, "mean": _average, "max": _pick(torch.maximum), "min": _pick(torch.minimum)}


def _check_sums(op: RegisteredOp, given: dict[str, Any], results: list[Tensor]) -> str:
    """Whether the results for two halves of the rows make those of all."""
    movement, count = op.movement, op.movement.count(given)
    everyone = torch.arange(count, device=results[0].device)
    halves = everyone[::2], everyone[1::2]
    parts = [_run(op, given, rows) for rows in halves]
    index = _destinations(movement, given)
    sizes = [torch.bincount(index[rows], minlength=movement.result_rows(given)) for rows in halves]
    joined = []
    for one, other in zip(*parts):
        counts = [size.view(-1, *[1] * (one.dim() - 1)) for size in sizes]
        joined.append(_JOINED[movement.rows](one, other, *counts))
    found = _compare(joined, results)
    return found and f"of two halves of the rows, joined, {found}"


def _destinations(movement: Movement, given: dict[str, Any]) -> Tensor:
    index = given[movement.index]
    return index if index.dim() == 1 else index[-1]


def _run(op: RegisteredOp, given: dict[str, Any], rows: Tensor) -> list[Tensor]:
    """The operator on some of its rows."""

    def pick(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [pick(part) for part in value]
        return value[rows] if isinstance(value, Tensor) and value.dim() else value

    movement = op.movement
    chosen = {**given, **{name: pick(given[name]) for name in movement.of}}
    if movement.index is not None:
        chosen[movement.index] = given[movement.index][..., rows]
    return pytree.tree_leaves(movement.call(op.operator, chosen))


def _compare(ones: list[Any], others: list[Tensor]) -> str:
    """What differs beyond rounding; empty where nothing does."""
    if len(ones) != len(others):
        return f"expected {len(others)} results, got {len(ones)}"
    for one, other in zip(ones, others):
        if not isinstance(one, Tensor) or one.shape != other.shape or one.dtype != other.dtype:
            got = f"{list(one.shape)} of {one.dtype}" if isinstance(one, Tensor) else type(one).__name__
            return f"expected {list(other.shape)} of {other.dtype}, got {got}"
        if other.numel() and not is_near(one, other):
            return describe_difference(one, other)
    return ""

"""What a reduction of users gets for pairs of messages of a mailbox: a stand-in for ``[N, degree, degree, *]``.

A mailbox less itself in the other place, ``a.unsqueeze(2) - a.unsqueeze(1)``, has a number for each two messages of a
node: as many as the squares of degrees. Sums of what exceeds 0 of them are one operator, which compiled models compute
by sorting, without such a tensor (C-GAT of Graphiler, MLSys 2022). A function that does anything else with pairs is
called for the nodes of each degree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from .._capture import custom_ops
from . import segments
from .base import OpaqueError


class Across:
    """Stands for messages along the second of two places, ``[N, 1, degree, *]``.

    Args:
        rows: the messages, ``[E, *]``.
        boxes: which node each came to.
    """

    def __init__(self, rows: Tensor, boxes: Any):
        self.rows, self.boxes = rows, boxes

    @classmethod
    def __torch_function__(cls, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        return call(func.__name__, args, kwargs or {})

    def __sub__(self, other: Any) -> Pairs:
        return _difference(self, other)

    def dim(self) -> int:
        """The number of dimensions, with those of nodes and of pairs."""
        return self.rows.dim() + 2

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise OpaqueError(f"{name} of messages along a second place")


class Pairs:
    """Stands for a function of the differences of two messages of a node, ``[N, degree, degree, *]``.

    Args:
        x, y: what the first and the second message have, ``[E, *]``: the difference is ``x - y``.
        kind: of the difference, "all", what exceeds 0 ("relu"), or the size ("abs").
        mail: the mailbox that the first message is of.
    """

    def __init__(self, x: Tensor, y: Tensor, kind: str, mail: Any):
        self.x, self.y, self.kind, self.mail = x, y, kind, mail

    @classmethod
    def __torch_function__(cls, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        return call(func.__name__, args, kwargs or {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: call(name, (self, *args), kwargs)

    def __abs__(self) -> Pairs:
        return call("abs", (self,), {})

    def __neg__(self) -> Pairs:
        return call("neg", (self,), {})

    def dim(self) -> int:
        """The number of dimensions, with those of nodes and of pairs."""
        return self.x.dim() + 2


def call(name: str, args: tuple, kwargs: dict) -> Any:
    """What a function, by name, gives for arguments of which some are pairs of messages."""
    first = args[0]
    if name == "sub" and len(args) == 2 and not kwargs:
        return _difference(*args)
    if isinstance(first, Pairs):
        if name in ("relu", "abs", "neg", "negative"):
            return _each(name, first)
        if name in ("clamp", "clamp_min", "clip") and {**dict(zip(("min", "max"), args[1:])), **kwargs} == {"min": 0}:
            return _each("relu", first)
        if name in ("sum", "mean"):
            return _reduce(name, first, *args[1:], **kwargs)
    raise OpaqueError(f"{name} of pairs of messages")


def _difference(one: Any, other: Any) -> Pairs:
    """``[N, degree, 1, *]`` less ``[N, 1, degree, *]``, or the reverse."""
    second = one if isinstance(one, Across) else other
    first = other if isinstance(one, Across) else one
    rows = getattr(first, "rows", None)
    if isinstance(first, (Across, Pairs)) or rows is None or not isinstance(second, Across):
        raise OpaqueError("a difference of pairs of messages and other than a mailbox")
    own, other = (list(one.shape[1:]) for one in (rows, second.rows))
    if own != [1, *other] or rows.dtype != second.rows.dtype:
        raise OpaqueError(f"a difference of features {own} and {other} of two messages: expected {[1, *other]}")
    rows = rows.squeeze(1)
    if not rows.is_floating_point():
        raise OpaqueError("pairs of messages that are no floats")
    # The first message of a pair is the one whose place comes first: y - x is (-x) - (-y).
    x, y = (rows, second.rows) if first is one else (-rows, -second.rows)
    return Pairs(x, y, "all", first)


def _each(name: str, pairs: Pairs) -> Pairs:
    if pairs.kind == "all":
        if name in ("neg", "negative"):
            return Pairs(-pairs.x, -pairs.y, "all", pairs.mail)
        return Pairs(pairs.x, pairs.y, name, pairs.mail)
    if name in ("neg", "negative"):
        raise OpaqueError(f"{name} of pairs of messages")
    return pairs


def _reduce(name: str, pairs: Pairs, dim: int | None = None, keepdim: bool = False) -> Any:
    """The sum, or mean, over the second message of pairs (``dim`` 2) or over the first (1)."""
    if isinstance(dim, (tuple, list)) and len(dim) == 1:
        dim = dim[0]
    if not isinstance(dim, int):
        raise OpaqueError(f"{name} over several dimensions of pairs of messages")
    dim = dim + pairs.dim() if dim < 0 else dim
    if dim not in (1, 2):
        raise OpaqueError(f"{name} over the dimension {dim} of pairs of messages")
    x, y = (pairs.x, pairs.y) if dim == 2 else (-pairs.y, -pairs.x)
    boxes = pairs.mail.boxes
    index, size = boxes.index, boxes.size
    degree = segments.spread(segments.pick(boxes.degrees(x), index), x)
    if pairs.kind == "all":
        made = x * degree - segments.pick(segments.add_up(y, index, size), index)
    else:
        made = custom_ops.group_excess(x, y, index, size)
        if pairs.kind == "abs":
            made = made + custom_ops.group_excess(-x, -y, index, size)
    if name == "mean":
        made = made / degree
    if keepdim and dim == 1:
        return Across(made, boxes)
    return pairs.mail._features(made.unsqueeze(1) if keepdim else made)

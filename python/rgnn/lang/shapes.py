"""Operators of the language that change shapes."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

from .elements import TypeOf
from .elementwise import row_of, to_value
from .places import refuse
from .program import Value
from .rows import Row
from .tracer import current


def reshape(x: Any, *shape: Any) -> Row:
    """The numbers in another shape, row-major; one size may be -1."""
    value = to_value(x)
    sizes = list(shape[0] if len(shape) == 1 and isinstance(shape[0], Sequence) else shape)
    count = math.prod(value.shape)
    if sizes.count(-1) == 1 and (rest := -math.prod(sizes)) and count % rest == 0:
        sizes[sizes.index(-1)] = count // rest
    if any(not isinstance(size, int) or size < 0 for size in sizes) or math.prod(sizes) != count:
        refuse(f"reshape: expected sizes of {count} numbers for shape {list(value.shape)}, got {list(shape)}")
    if tuple(sizes) == value.shape:
        return row_of(value)
    return row_of(current().compute("reshape", tuple(sizes), (value,)))


def permute(x: Any, *order: int) -> Row:
    """The dimensions in another order."""
    value = to_value(x)
    dims = [dim_of("permute", value, dim) for dim in order]
    if sorted(dims) != list(range(len(value.shape))):
        refuse(f"permute: expected an order of {len(value.shape)} dimensions, got {list(order)}")
    return row_of(current().compute("permute", tuple(value.shape[dim] for dim in dims), (value,), tuple(dims)))


def concat(*values: Any, dim: int = -1) -> Row:
    """Joins vectors, or others along a dimension."""
    parts = values[0] if len(values) == 1 and isinstance(values[0], (list, tuple)) else values
    parts = [to_value(part) for part in parts]
    if not parts:
        refuse("concat: expected at least one value, got none")
    at = dim_of("concat", parts[0], dim)
    first = parts[0].shape
    for part in parts:
        if len(part.shape) != len(first) or part.shape[:at] + part.shape[at + 1 :] != first[:at] + first[at + 1 :]:
            refuse(f"concat: expected shapes that differ in dimension {at} alone, got "
                   f"{' and '.join(str(list(part.shape)) for part in parts)}")  # fmt: skip
    shape = (*first[:at], builtins.sum(part.shape[at] for part in parts), *first[at + 1 :])
    return row_of(current().compute("concat", shape, tuple(parts), at))


def index(x: Row, key: Any) -> Row:
    """``x[key]``: numbers and slices without steps; of a weight, types."""
    keys = key if isinstance(key, tuple) else (key,)
    types = [one for one in keys if isinstance(one, TypeOf)]
    value = x.resolve()
    if types:
        if len(types) != len(keys) or not value.is_shared:
            refuse("expected a weight and types, w[e.etype] or w[e.src.ntype, e.etype], and numbers in brackets of "
                   "their own, w[e.etype][0]")  # fmt: skip
        return row_of(current().pick(value, tuple(one.key for one in types)))
    if len(keys) > len(value.shape):
        refuse(f"expected at most {len(value.shape)} numbers for shape {list(value.shape)}, got {len(keys)}")
    dropped = []
    for dim, (one, size) in enumerate(zip(keys, value.shape)):
        if isinstance(one, slice):
            start, stop, step = one.indices(size)
            if step != 1:
                refuse(f"expected a slice without a step, got {step}")
            value = _slice(value, dim, start, builtins.max(stop - start, 0))
        elif isinstance(one, int):
            if not -size <= one < size:
                refuse(f"expected a number from {-size} to {size - 1} for dimension {dim} of {list(value.shape)}, got "
                       f"{one}")  # fmt: skip
            value = _slice(value, dim, one % size, 1)
            dropped.append(dim)
        else:
            refuse(f"expected numbers and slices, or types of a weight, in brackets, got {type(one).__name__}")
    return reshape(row_of(value), *[size for dim, size in enumerate(value.shape) if dim not in dropped])


def _slice(value: Value, dim: int, start: int, size: int) -> Value:
    if size == value.shape[dim]:
        return value
    shape = (*value.shape[:dim], size, *value.shape[dim + 1 :])
    return current().compute("slice", shape, (value,), dim, start, size)


def dim_of(op: str, value: Value, dim: Any) -> int:
    """A dimension, counted from the first one. Raises LanguageError where there is none."""
    rank = len(value.shape)
    if not isinstance(dim, int) or not -rank <= dim < rank:
        refuse(f"{op}: expected a dimension of shape {list(value.shape)}, got {dim}")
    return dim % rank

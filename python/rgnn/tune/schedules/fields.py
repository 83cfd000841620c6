"""What configurations may say: each field of schedules and layouts with its values, in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .ir import Function, Kernel, Value


def _always(function: Function, kernel: Kernel) -> bool:
    return True


def _is_scaled(function: Function, kernel: Kernel) -> bool:
    return "scale" in function.ops[kernel.op].words


def _has_loops(function: Function, kernel: Kernel) -> bool:
    return kernel.loops > 0


def _has_segments(function: Function, kernel: Kernel) -> bool:
    return "segments" in function.ops[kernel.op].words


def _looks_up(function: Function, kernel: Kernel) -> bool:
    return kernel.looks_up


@dataclass(frozen=True)
class Field:
    """A field of schedules.

    Attributes:
        name: as the attribute has it.
        kinds: of kernels that have it.
        values: that are tried, in the order of their codes.
        default: what it is where the attribute does not print it; None where it always does.
        matters: whether code differs by it; otherwise it stays what it is.
    """

    name: str
    kinds: tuple[str, ...]
    values: tuple[Value, ...]
    default: Value | None = None
    matters: Callable[[Function, Kernel], bool] = _always


PRODUCTS, TRAVERSALS = ("gemm", "outer_sum"), ("traverse",)
FLAG = ("true", "false")

FIELDS = (
    Field("tile_rows", PRODUCTS, (24, 48, 96, 192, 384, 1024, 2048, 4096)),
    Field("block_rows", PRODUCTS, (1, 2, 3, 4, 6, 8, 12)),
    Field("block_vectors", PRODUCTS, (1, 2, 3, 4, 6, 8)),
    Field("vector_width", PRODUCTS, (1, 2, 4, 8, 16, 32)),
    Field("coarsening", (*PRODUCTS, *TRAVERSALS), (1, 2, 4), 1,
          lambda function, kernel: kernel.kind != "traverse" or kernel.loops > 0),
    Field("scale", PRODUCTS, ("store", "load"), "store", _is_scaled),
    Field("task_rows", TRAVERSALS, (8, 16, 32, 64, 128, 256, 1024)),
    Field("mapping", TRAVERSALS, ("vertex", "edge"), "vertex", _has_segments),
    Field("hoisting", TRAVERSALS, FLAG, "true"),
    Field("partial_aggregation", TRAVERSALS, FLAG, "true", _has_loops),
    Field("prefetch", TRAVERSALS, (0, 2, 4, 8, 16, 32), 0, _looks_up),
)  # fmt: skip
"""Of the attributes ``cpu_gemm`` and ``cpu_traverse``. A combination that these refuse is none."""

LAYOUTS: Mapping[str, tuple[Value, ...]] = {"padding": (1, 4, 8, 16, 32), "adjacency": ("auto", "coo", "csc")}
"""Fields of :attr:`rgnn.Options.layout`, the default first."""

COLUMNS = (*(field.name for field in FIELDS), *LAYOUTS)
"""What a configurable node has of a configuration, in this order."""


def fields_of(kernel: Kernel) -> list[Field]:
    return [field for field in FIELDS if kernel.kind in field.kinds]


def schedule_of(kernel: Kernel) -> dict[str, Value]:
    """All fields of its schedule."""
    return {field.name: kernel.schedule.get(field.name, field.default) for field in fields_of(kernel)}


def code(values: Sequence[Value], value: Value) -> int:
    """A value as a number: its place, or, of what a rule may have chosen beside them, one more than the last one's."""
    return values.index(value) if value in values else len(values)


def codes(kernel: Kernel, schedule: Mapping[str, Value], layout: Mapping[str, Value]) -> list[int]:
    """A row of a configuration, of :data:`COLUMNS`; -1 for fields that such kernels do not have."""
    row = [code(field.values, schedule[field.name]) if kernel.kind in field.kinds else -1 for field in FIELDS]
    return row + [code(values, layout.get(name, values[0])) for name, values in LAYOUTS.items()]

"""Memory over a call: which results of kernels are there at the same time."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from .ir import Function, Operation, parse
from .markup import Element, folded, in_bytes, make, table
from .rewrites import Stages, find_running

if TYPE_CHECKING:
    from .._explain.report import Compilation, Report

_BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "i8": 1, "i1": 1, "index": 8}
_TENSOR = re.compile(r"tensor<((?:[\d?]+x)*)(\w+)")
_OUTS = re.compile(r"outs\(([^:()]*) : ([^()]*)\)")
_ARITHMETIC = {"addi": lambda a, b: a + b, "muli": lambda a, b: a * b, "subi": lambda a, b: a - b,
               "ceildivsi": lambda a, b: -(-a // b), "ceildivui": lambda a, b: -(-a // b),
               "maxsi": max, "minsi": min}  # fmt: skip
_WIDTH, _HEIGHT = 900.0, 180.0


class Moment(NamedTuple):
    """While one kernel runs.

    Attributes:
        kernel: its template.
        temporary: bytes that are there until a later kernel has read them.
        kept: bytes of results, and in training of what is kept for the backward.
    """

    kernel: str
    temporary: int
    kept: int


def follow(compilation: Compilation, kernels: str) -> list[Moment]:
    """A moment for each kernel of a function; empty where the sizes of what it makes are not known.

    Args:
        compilation: the function, which has run.
        kernels: its text in the dialect ``hetkernel``.
    """
    function = parse(kernels).get("forward")
    if function is None or not compilation.sizes:
        return []
    values = dict(zip(_sizes(function), compilation.sizes))
    owners: dict[str, list[int]] = {}  # of each value, the numbers of the buffers that it is in
    empties: dict[str, list[str]] = {}  # of each place for a result, its sizes that are not in its type
    buffers: list[list[int]] = []  # bytes, the first and the last operation that need it, and whether it is a result
    for at, operation in enumerate(function.operations):
        _evaluate(operation, values)
        if operation.name == "tensor.empty":
            empties[operation.results[0]] = operation.operands
            continue
        read = [buffer for operand in operation.operands for buffer in owners.get(operand, ())]
        for buffer in read:
            buffers[buffer][2] = at
            buffers[buffer][3] |= operation.name in ("return", "func.return")
        if not operation.name.startswith(("hetkernel.", "linalg.")):
            owners.update((result, read) for result in operation.results)
            continue
        outs = _OUTS.search(operation.head)
        for number, result in enumerate(operation.results):
            place = outs[1].partition(" scatter")[0].split(", ")[number] if outs else ""
            if place in owners:  # the result is added to what is there
                owners[result] = owners[place]
                continue
            size = _size(outs[2], number, empties.get(place, []), values) if outs else None
            if size is None:
                return []
            owners[result] = [len(buffers)]
            buffers.append([size, at, at, 0])
    moments = []
    for at, operation in enumerate(function.operations):
        if operation.name.startswith("hetkernel.") and operation.results:
            there = [buffer for buffer in buffers if buffer[1] <= at <= buffer[2]]
            kept = sum(size for size, _, _, is_result in there if is_result)
            name = operation.name.removeprefix("hetkernel.")
            moments.append(Moment(name, sum(buffer[0] for buffer in there) - kept, kept))
    return moments


def _sizes(function: Function) -> list[str]:
    return [name for name, attributes in function.arguments.items() if "rgnn.size" in attributes]


def _evaluate(operation: Operation, values: dict[str, int]) -> None:
    """Adds the number that integer arithmetic gives, where it is known."""
    dialect, _, name = operation.name.partition(".")
    if dialect != "arith" or not operation.head.endswith("index") or len(operation.results) != 1:
        return
    if name == "constant":
        values[operation.results[0]] = int(re.search(r"constant (-?\d+)", operation.head)[1])
    elif name in _ARITHMETIC and all(operand in values for operand in operation.operands):
        left, right = ([*operation.operands] * 2)[:2]
        values[operation.results[0]] = _ARITHMETIC[name](values[left], values[right])


def _size(types: str, number: int, extents: list[str], values: dict[str, int]) -> int | None:
    """Bytes of a tensor, one of several types; None where a size of it is not known."""
    shape, element = list(_TENSOR.finditer(types))[number].groups()
    given = iter(extents)
    sizes = [values.get(next(given, "")) if size == "?" else int(size) for size in shape.split("x") if size]
    return None if None in sizes or element not in _BYTES else math.prod(sizes) * _BYTES[element]


def describe(report: Report, stages: list[Stages | None]) -> list[Element]:
    halves = [(compilation, follow(compilation, passed.kernels))
              for compilation, passed in find_running(report, stages)]  # fmt: skip
    trains = any(compilation.half == "backward" for compilation, _ in halves)
    parts: list[Element] = []
    if report.peak_bytes is not None:
        kept = "" if report.saved_bytes is None else f" Kept for the backward: {in_bytes(report.saved_bytes)}."
        parts.append(make("p", f"Planned temporaries of a call without gradients: {in_bytes(report.peak_bytes)}, in "
                               f"which results that are not there at the same time share their place.{kept}"))
    moments = [(compilation.half, moment) for compilation, found in halves for moment in found]
    if not moments or not all(found for _, found in halves):
        return [*parts, make("p", "The curve is not drawn: no code ran, or the sizes of what it makes are not known.")]
    base = report.saved_bytes or 0
    totals = [(half, moment, moment.kept + (base if half == "backward" else 0)) for half, moment in moments]
    peak = max(moment.temporary + kept for _, moment, kept in totals)
    rows: list = [[f"{number} {moment.kernel}", in_bytes(moment.temporary), in_bytes(kept), half]
                  for number, (half, moment, kept) in enumerate(totals, 1)]  # fmt: skip
    lasting = "results, and what is kept for the backward" if trains else "results"
    legend = [make("li", "temporary", class_="edges"), make("li", lasting, class_="nodes")]
    return [*parts, make("p", f"What kernels made and others read, while each kernel runs: {in_bytes(peak)} at most. "
                              "Inputs and parameters are not in it."),
            make("ul", legend, class_="legend"), make("div", _chart(totals, peak), class_="wide"),
            folded("The numbers", table(["kernel", "temporary", "results", "half"], rows, numbers=2))]  # fmt: skip


def _chart(totals: list[tuple[str, Moment, int]], peak: int) -> Element:
    """Steps of two areas, the lower of what is kept."""
    step, scale = _WIDTH / len(totals), _HEIGHT / max(peak, 1)

    def area(heights: list[int], class_: str) -> Element:
        points = [f"M0 {_HEIGHT:.0f}"]
        for number, height in enumerate(heights):
            points.append(f"V{_HEIGHT - height * scale:.1f}H{(number + 1) * step:.1f}")
        return make("path", d="".join(points) + f"V{_HEIGHT:.0f}z", class_=class_)

    parts = [area([moment.temporary + kept for _, moment, kept in totals], "temporary"),
             area([kept for *_, kept in totals], "kept")]  # fmt: skip
    halves = [half for half, *_ in totals]
    for half in dict.fromkeys(halves):
        x = halves.index(half) * step
        parts.append(make("path", d=f"M{x:.1f} 0V{_HEIGHT:.0f}", class_="mark"))
        parts.append(make("text", half, x=x + 4, y=_HEIGHT + 16))
    parts.append(make("text", in_bytes(peak), x=_WIDTH, y=-5, text_anchor="end"))
    parts.append(make("path", d=f"M0 0H{_WIDTH:.0f}M0 {_HEIGHT:.0f}H{_WIDTH:.0f}", class_="mark"))
    return make("svg", make("title", "Memory over the call"), *parts, class_="memory", role="img", width=_WIDTH + 2,
                height=_HEIGHT + 40, viewBox=f"-1 -18 {_WIDTH + 2:.0f} {_HEIGHT + 40:.0f}")  # fmt: skip

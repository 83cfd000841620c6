"""Kernels on a line of time: what was measured, beside the least that the machine would take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from _rgnn import CompileError, plan_kernels

from .._profile import KernelTime, Profile
from .markup import Element, folded, in_bytes, make, table

if TYPE_CHECKING:
    from .._explain.report import Report

_WIDTH = 1000.0


def describe(report: Report) -> list[Element]:
    parts: list[Element] = []
    if report.profile is None:
        parts.append(make("p", "Times were not measured: ", make("code", "rgnn.explain(..., measure=True)"),
                          " does so."))  # fmt: skip
    elif not report.profile.kernels:
        parts.append(make("p", "No compiled code ran when times were measured."))
    else:
        parts += _describe_profile(report.profile)
    return [*parts, *_list_kernels(report)]


def _describe_profile(profile: Profile) -> list[Element]:
    rates = ", ".join(f"{rate / 1e9:.0f} GFLOP/s in {dtype}" for dtype, rate in profile.machine.operations.items())
    number = torch.get_num_threads()
    threads = f"{number} {'thread' if number == 1 else 'threads'}"
    parts = [make("p", f"Predicted is the roofline: the time that a kernel takes at least on this machine, with "
                       f"{threads}, {profile.machine.bandwidth / 1e9:.1f} GB/s and {rates}, "
                       "if memory is read once and nothing is in a cache. Its share may be above 100 %, where data "
                       "are in a cache.")]  # fmt: skip
    for phase, seconds in profile.seconds.items():
        kernels = [kernel for kernel in profile.kernels if kernel.phase == phase]
        if kernels:
            parts += [make("h3", phase), _describe_phase(kernels, seconds)]
    if profile.views:
        rows: list = [[name, _microseconds(seconds)] for name, seconds in profile.views.items()]
        total = _microseconds(sum(profile.views.values()))
        parts.append(folded(f"Views of a new graph: {total} µs, once for each graph",
                            table(["view", "µs"], rows, numbers=1)))  # fmt: skip
    return parts


def _describe_phase(kernels: list[KernelTime], seconds: float) -> Element:
    inside, bounds = sum(kernel.seconds for kernel in kernels), sum(kernel.bound or 0 for kernel in kernels)
    scale = _WIDTH / max(inside, 1e-12)
    rows, start = [], 0.0
    for number, kernel in enumerate(kernels, 1):
        bar = make("svg", make("title", f"{kernel.name}: {_microseconds(kernel.seconds)} µs"),
                   make("rect", x=start * scale, y=1, width=max(kernel.seconds * scale, 2.0), height=8, class_="time"),
                   make("rect", x=start * scale, y=10, width=(kernel.bound or 0) * scale, height=3, class_="bound"),
                   class_="bar", viewBox=f"0 0 {_WIDTH:.0f} 14", preserveAspectRatio="none", role="img")  # fmt: skip
        start += kernel.seconds
        rows.append([f"{number} {kernel.name}", _microseconds(kernel.seconds), _microseconds(kernel.bound),
                     _share(kernel.bound, kernel.seconds), in_bytes(kernel.bytes), in_bytes(kernel.bytes_needed),
                     _count(kernel.rows), _count(kernel.inner_rows or None), bar,
                     make("code", kernel.source) if kernel.source else None])  # fmt: skip
    moved, needed = (sum(getattr(kernel, name) or 0 for kernel in kernels) for name in ("bytes", "bytes_needed"))
    foot = [[f"{len(kernels)} kernels", make("data", _microseconds(inside), value=repr(inside)), _microseconds(bounds),
             _share(bounds, inside), make("data", in_bytes(moved), value=moved), in_bytes(needed)],
            ["whole call", _microseconds(seconds), "", "", "", "", "", "", "with PyTorch and Python"]]  # fmt: skip
    head = ["kernel", "µs", "predicted", "share", "bytes", "at least", "rows", "inner", "time →", "line"]
    return table(head, rows, foot, numbers=7)


def _list_kernels(report: Report) -> list[Element]:
    """The kernels with their schedules."""
    parts = []
    for compilation in report.compilations:
        if compilation.wanted is not None:
            continue
        try:
            kernels = [] if compilation.gpu else [kernel.text for kernel in
                                                  plan_kernels(compilation.text, compilation.options)[1]]
        except CompileError:
            kernels = []
        if compilation.gpu and not compilation.trains:
            kernels = report.kernels
        if kernels:
            parts.append(folded(f"{len(kernels)} kernels of the {compilation.title}, with their schedules",
                                make("ol", [make("li", make("code", kernel)) for kernel in kernels])))  # fmt: skip
    return parts


def _microseconds(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{seconds * 1e6:,.0f}" if seconds > 1e-5 else f"{seconds * 1e6:.1f}"


def _share(bound: float | None, seconds: float) -> str:
    return "" if bound is None else f"{100 * bound / seconds:.0f} %"


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"

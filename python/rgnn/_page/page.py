"""The page of a report."""

from __future__ import annotations

import functools
from importlib import resources
from typing import TYPE_CHECKING

from . import ir, memory, plan, rewrites, timeline
from .markup import Element, folded, in_bytes, make, table, write

if TYPE_CHECKING:
    from .._explain.report import Report


def render(report: Report) -> str:
    """The report as one HTML document, which loads nothing."""
    stages = rewrites.run_all(report)
    sections = [
        ("summary", "Summary", _summary(report)),
        ("plan", "Plan", _plans(report, stages)),
        ("rewrites", "Rewrites", rewrites.describe(report, stages)),
        ("kernels", "Kernels", timeline.describe(report)),
        ("memory", "Memory", memory.describe(report, stages)),
        ("pytorch", "What PyTorch runs", _fallbacks(report)),
        ("ir", "Text at each level", _levels(report)),
    ]
    title = f"RGNN: {report.name}" if report.name else "RGNN"
    head = make("head", make("meta", charset="utf-8"),
                make("meta", name="viewport", content="width=device-width, initial-scale=1"),
                make("meta", name="color-scheme", content="light dark"),
                make("title", title), make("style", _style()))  # fmt: skip
    links = make("nav", [make("a", name, href=f"#{place}") for place, name, _ in sections])
    body = make("body", make("header", make("h1", title), links),
                make("main", [make("section", make("h2", name), content, id=place)
                              for place, name, content in sections]))  # fmt: skip
    return "<!DOCTYPE html>\n" + write(make("html", head, body, lang="en")) + "\n"


@functools.cache
def _style() -> str:
    return resources.files(__package__).joinpath("style.css").read_text(encoding="utf-8")


def _summary(report: Report) -> list[Element]:
    facts = [("Compiled", _how_much(report)), ("Kernels of a forward", str(len(report.kernels)))]
    if report.peak_bytes is not None:
        facts.append(("Temporaries", in_bytes(report.peak_bytes)))
    if report.saved_bytes is not None:
        facts.append(("Kept for the backward", in_bytes(report.saved_bytes)))
    taken = sum(decision.outcome == "taken" for decision in report.decisions)
    refused = sum(decision.outcome == "refused" for decision in report.decisions)
    facts.append(("Rewrites", f"{taken} taken, {refused} refused"))
    for phase, seconds in report.profile.seconds.items() if report.profile else ():
        inside = sum(kernel.seconds for kernel in report.profile.kernels if kernel.phase == phase)
        facts.append((f"Time, {phase}", f"{seconds * 1e3:.3f} ms, {inside * 1e3:.3f} of them in kernels"))
    parts = [make("dl", [make("div", make("dt", name), make("dd", text)) for name, text in facts])]
    if report.graphs:
        head = ["graph", "nodes", "edges", "node types", "edge types", "mean degree", "max. degree", "source pairs",
                "destination pairs"]  # fmt: skip
        rows: list = [[_shortened(graph.name), f"{graph.nodes:,}", f"{graph.edges:,}", f"{graph.node_types:,}",
                       f"{graph.edge_types:,}", f"{graph.mean_degree:.2f}", f"{graph.max_degree:,}",
                       f"{graph.src_pairs:,}", f"{graph.dst_pairs:,}"] for graph in report.graphs]  # fmt: skip
        parts += [make("h3", "Graphs"), table(head, rows, numbers=8),
                  make("p", "The degree of a node is the number of edges that come in. Pairs are unique ones of an end "
                            "of an edge and its type.")]  # fmt: skip
    if report.versions:
        parts += [make("h3", "Versions"), make("ul", [make("li", version) for version in report.versions])]
    return parts


def _how_much(report: Report) -> str:
    if not report.compilations:
        return "nothing: PyTorch runs the model"
    parts = len(report.fallbacks)
    return "the whole model" if not parts else f"in part: PyTorch runs {parts} {'part' if parts == 1 else 'parts'}"


def _shortened(name: str, most: int = 60) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def _plans(report: Report, stages: list[rewrites.Stages | None]) -> list[Element]:
    """Pictures of what runs: of both halves where the model trains, else of the forward."""
    parts: list[Element] = []
    for compilation, passed in rewrites.find_running(report, stages):
        function = ir.parse(passed.mathematics).get("forward")
        if function is not None:
            parts += [make("h3", compilation.title), plan.draw(function, f"Plan of the {compilation.title}")]
    if not parts:
        return [make("p", "Nothing was compiled.")]
    legend = [make("li", text, class_=name) for name, text in plan.LEGEND.items()]
    return [make("p", "What is computed, behind the rewrites. Words on an arrow are a movement of rows on its way: ",
                 make("em", "gather"), " gives each edge or pair the row of an end of it, ", make("em", "reduce"),
                 " adds up or compares the rows of those that share one. Parameters stand in the boxes that read them. "
                 "A number before a name counts boxes that are alike, such as those of node types."),
            make("ul", legend, class_="legend"), *parts, *_candidates(report)]  # fmt: skip


def _candidates(report: Report) -> list[Element]:
    """The plans that were compared by predicted costs."""
    parts: list[Element] = []
    for candidates in report.candidates:
        rows = [[make("code", one.name), f"{one.seconds * 1e3:.3f}",
                 "" if one.measured is None else f"{one.measured * 1e3:.3f}"] for one in candidates]  # fmt: skip
        parts.append(folded(f"{len(rows)} plans that were compared, the chosen one first",
                            table(["plan", "predicted ms", "measured ms"], rows)))  # fmt: skip
    return parts


def _fallbacks(report: Report) -> list[Element]:
    parts: list[Element] = []
    for text, rows in (("", report.fallbacks), ("As registered by rgnn.register_op:", report.registered),
                       ("On dense batches, which are no fallbacks:", report.dense)):  # fmt: skip
        if rows:
            parts += [make("p", text)] if text else []
            parts.append(table(["operator", "why", "line"],
                               [[make("code", op or "the model"), why, make("code", where or "unknown line")]
                                for op, why, where in rows]))  # fmt: skip
    return parts or [make("p", "Nothing: all of the model is compiled, but for what integers of the inputs alone "
                               "decide.")]  # fmt: skip


def _levels(report: Report) -> list[Element]:
    levels = [folded(f"{level}: {text.count(chr(10)):,} lines", make("pre", make("code", text)))
              for level, text in report.ir.items()]  # fmt: skip
    return levels or [make("p", "Nothing was captured.")]

"""Writes what was measured: a table for each part as Markdown, and all numbers as CSV."""

from __future__ import annotations

import csv
import datetime
import math
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from . import PARTS

MODES = ("inference", "training")
_HEAD = """# Coverage

Every layer, normalisation, aggregation and pooling of PyG that takes a graph, compiled by RGNN with default options:
`make coverage` writes this page. {date}, commit {commit}; {machine}.

"Whole" says whether all of it is compiled in inference, and in training: the forward, and the gradients of a sum of the
results with fixed random weights. "Kernels" are those that one call of inference runs. The error is the largest of
results and gradients, relative to the largest number of PyG's in float64.{speeds} What PyTorch runs of a layer is named
by its operator, the reason, and the line of PyG that it comes from.
"""
_SPEEDS = """ The other columns are how many times faster RGNN
is than the fastest of {peers}, by medians of calls in turns, width {width}, {threads} threads; and the
seconds of the first call, with capture and compilation."""


def write_markdown(path: Path, rows: list[dict], options) -> None:
    speeds = "" if options.quick else _SPEEDS.format(
        peers=", ".join(name for name in options.peers if name != "rgnn"), width=options.width, threads=options.threads)
    lines = [_HEAD.format(date=datetime.date.today().strftime("%-d %B %Y"), commit=commit(), machine=machine(),
                          speeds=speeds)]  # fmt: skip
    for part, (package, module) in PARTS.items():
        found = [row for row in rows if row["part"] == part]
        if not found:
            continue
        lines += [f"## {part.capitalize()} (`{package.__name__}`)", "", *_table(found, options), ""]
        lines += [f"- {summary}" for summary in summaries(found)] + [""]
        lines += ["Not in the table: " + "; ".join(_absent(module.ABSENT)) + ".", ""] if module.ABSENT else []
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines).rstrip() + "\n")


def _absent(reasons: dict[str, str]) -> Iterable[str]:
    for reason in dict.fromkeys(reasons.values()):
        yield f"{', '.join(name for name, why in reasons.items() if why == reason)} ({reason})"


def _table(rows: list[dict], options) -> list[str]:
    graphs = list(dict.fromkeys(row["graph"] for row in rows))
    header = ["", "whole", "trains", "kernels"]
    header += [] if options.quick else [f"{graph}, {mode}" for graph in graphs for mode in MODES] + ["first s"]
    header += ["error", "what is left"]
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    for name in dict.fromkeys(row["case"] for row in rows):
        of = {row["graph"]: row for row in rows if row["case"] == name}
        good = [row for row in of.values() if row["status"] == "ok"]
        cells = [name, *(_answer(good, f"whole in {mode}") for mode in MODES), _largest(good, "kernels", "{:.0f}")]
        if not options.quick:
            ratios = [speed(of.get(graph), mode) for graph in graphs for mode in MODES]
            cells += [f"{ratio:.1f}" if ratio else "" for ratio in ratios]
            cells.append(_largest(good, "first", "{:.1f}"))
        failed = [f"{row['graph']}: {row['status']}" for row in of.values() if row["status"] != "ok"]
        left = [text for row in good[:1] for text in row["left"]]
        left += [f"and {row['others']} more" for row in good[:1] if row["others"]]
        cells += [_largest(good, "error", "{:.0e}"), "; ".join(failed + left)]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return lines


def _answer(rows: list[dict], key: str) -> str:
    return "" if not rows else "yes" if all(row[key] for row in rows) else "no"


def _largest(rows: list[dict], key: str, form: str) -> str:
    values = [row[key] for row in rows if key in row]
    return form.format(max(values)) if values else ""


def speed(row: dict | None, mode: str) -> float | None:
    """How many times faster RGNN is than its fastest peer; None where either was not measured."""
    times = {} if row is None else row.get(mode, {})
    others = [value for name, value in times.items() if name != "rgnn"]
    return min(others) / times["rgnn"] if others and "rgnn" in times else None


def summaries(rows: list[dict]) -> list[str]:
    """How many cases are whole, and the geometric mean and the least of the speeds."""
    names = dict.fromkeys(row["case"] for row in rows)
    whole = [name for name in names if all(row["status"] == "ok" and row["whole in inference"] and
             row["whole in training"] for row in rows if row["case"] == name)]  # fmt: skip
    lines = [f"{len(whole)} of {len(names)} are whole in both."]
    for mode in MODES:
        speeds = [(value, f"{row['case']} on {row['graph']}") for row in rows if (value := speed(row, mode))]
        if speeds:
            mean = math.exp(sum(math.log(value) for value, _ in speeds) / len(speeds))
            lines.append(f"{mode.capitalize()}: {mean:.1f} times faster on geometric mean, least {min(speeds)[0]:.2f} "
                         f"({min(speeds)[1]}).")  # fmt: skip
    return lines


def write_csv(path: Path, rows: list[dict], peers: Iterable[str]) -> None:
    keys = ["part", "case", "graph", "status", "nodes", "edges", "whole in inference", "whole in training", "kernels",
            "error", "first", "others"]  # fmt: skip
    timed = [(mode, peer) for mode in MODES for peer in peers]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*keys, *(f"{mode} {peer} ms" for mode, peer in timed), "left", "absent"])
        for row in rows:
            times = [row.get(mode, {}).get(peer) for mode, peer in timed]
            absent = "; ".join(f"{peer}: {why}" for peer, why in row.get("absent", {}).items())
            writer.writerow([*(row.get(key, "") for key in keys),
                             *("" if value is None else f"{value * 1e3:.4f}" for value in times),
                             "; ".join(row.get("left", [])), absent])  # fmt: skip


def commit() -> str:
    """The commit of the checkout, with a + where files differ from it."""
    here = Path(__file__).parent
    ask = lambda *words: subprocess.run(["git", *words], cwd=here, capture_output=True, text=True).stdout  # noqa: E731
    return (ask("rev-parse", "--short", "HEAD").strip() or "unknown") + "+" * bool(ask("diff", "HEAD", "--stat"))


def machine() -> str:
    """What matters of the machine for the times."""
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    bits = 512 if " avx512f" in flags else 256 if " avx2" in flags else 128
    return f"{len(os.sched_getaffinity(0))} cores, vectors of {bits} bits"

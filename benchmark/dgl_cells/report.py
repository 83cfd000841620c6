"""The Markdown tables of what beside_dgl.py has measured."""

from __future__ import annotations

import math
import statistics

TOLERANCE = 1e-4
HEADS = {"layer": ["layer", "graph", "mode", "RGNN", "DGL", "DGL / RGNN", "error"],
         "model": ["model", "graph", "mode", "RGNN", "DGL, same functions", "DGL's own", "functions / RGNN",
                   "own / RGNN", "error", "MiB: RGNN", "functions", "own"]}  # fmt: skip


def problem(record: dict) -> str:
    """Why the times of a cell are not compared; empty where they are."""
    for name, peer in record["peers"].items():
        if peer["status"] != "ok":
            return f"{name}: {peer['status']}"
    wrong = [f"{name} differs by {error:.1e}" for name, error in errors(record).items() if not error <= TOLERANCE]
    return ", ".join(wrong)


def errors(record: dict) -> dict[str, float]:
    return {name: peer["relative"] for name, peer in record["peers"].items() if "relative" in peer}


def ratio(record: dict, peer: str) -> float | None:
    """How many times the time of RGNN the median of `peer` is; None where either was not measured or is wrong."""
    both = [record["peers"].get(name) for name in ("rgnn", peer)]
    if any(one is None or one["status"] != "ok" or not one.get("relative", 0.0) <= TOLERANCE for one in both):
        return None
    return both[1]["median"] / both[0]["median"]


def row(record: dict) -> list[str]:
    peers = record["peers"]

    def shown(name: str, key: str, scale: float = 1.0) -> str:
        value = peers.get(name, {}).get(key)
        return "" if value is None else f"{value * scale:,.{0 if value * scale >= 100 else 2}f}"

    others = ["dgl"] if record["suite"] == "layer" else ["dgl-functions", "dgl-own"]
    ratios = [ratio(record, name) for name in others]
    found = list(errors(record).values())
    cells = [record["model"], record["graph"], record["mode"]]
    cells += [shown(name, "median", 1e3) for name in ("rgnn", *others)]
    cells += ["" if one is None else f"{one:.2f}" for one in ratios]
    cells += [f"{max(found):.1e}" if found else ""]
    if record["suite"] == "model":
        cells += [shown(name, "memory") for name in ("rgnn", *others)]
    return cells


def summary(records: list[dict]) -> list[str]:
    """Geometric means and the least of the ratios of layers."""
    lines = []
    ratios = {id(record): ratio(record, "dgl") for record in records if record["suite"] == "layer"}
    for mode in ("inference", "training"):
        of_mode = [ratios[id(record)] for record in records
                   if record["mode"] == mode and ratios.get(id(record)) is not None]  # fmt: skip
        if of_mode:
            mean = statistics.geometric_mean(of_mode)
            lines.append(f"- DGL / RGNN, geometric mean over {len(of_mode)} layers and graphs, {mode}: {mean:.2f}")
    done = [record for record in records if ratios.get(id(record)) is not None]
    if done:
        least = min(done, key=lambda record: ratios.get(id(record), math.inf))
        name = " ".join(least[key] for key in ("model", "graph", "mode"))
        lines.append(f"- The least: {ratios[id(least)]:.2f} ({name})")
    return lines


def report(records: list[dict]) -> str:
    """Times are medians in ms; the error is the largest of a peer against DGL's own, or against the functions."""
    lines = []
    for threads in sorted({record["threads"] for record in records}):
        of_threads = [record for record in records if record["threads"] == threads]
        for suite, head in HEADS.items():
            rows = [row(record) for record in of_threads if record["suite"] == suite]
            if rows:
                lines += [f"## {suite.capitalize()}s, median ms, threads: {threads}", ""]
                lines += [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)] + [""]
        lines += summary(of_threads)
        left = [f"- {' '.join(record[key] for key in ('suite', 'model', 'graph', 'mode'))}: {problem(record)}"
                for record in of_threads if problem(record)]  # fmt: skip
        lines += ["", "Not measured, or not equal:", "", *left, ""] if left else [""]
    return "\n".join(lines).rstrip()

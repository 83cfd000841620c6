"""Pictures of what the benchmarks measured, for the documentation site: `make site` writes build/gallery with it.

    .venv/bin/python benchmark/gallery.py [FOLDER]

Reads the newest folder of docs/cpu-results: `benchmark.csv` and `benchmark-training.csv` (run.py), `coverage.csv`
(cover.py).
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Iterable
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # no display is needed
from matplotlib import pyplot  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]


def read(path: Path) -> list[dict]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def draw_models(rows: list[dict], title: str, path: Path) -> None:
    """Time per call of each peer, for each model and data set."""
    rows = [row for row in rows if row["status"] == "ok"]
    places = list(dict.fromkeys((row["model"], row["dataset"]) for row in rows))
    peers = list(dict.fromkeys(row["peer"] for row in rows))
    times = {(row["model"], row["dataset"], row["peer"]): float(row["median_ms"]) for row in rows}
    figure, axes = pyplot.subplots(figsize=(9, 4), layout="constrained")
    for turn, peer in enumerate(peers):
        at = [i + 0.8 * turn / len(peers) for i in range(len(places))]
        axes.bar(at, [times.get((*place, peer), math.nan) for place in places], 0.8 / len(peers), label=peer)
    axes.set(yscale="log", ylabel="ms", title=title)
    middle = [i + 0.4 for i in range(len(places))]
    axes.set_xticks(middle, [" ".join(place) for place in places], rotation=30, ha="right")
    axes.legend(fontsize="small")
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def speeds(rows: list[dict], mode: str) -> Iterable[tuple[str, float]]:
    """How many times faster than the best path of PyG each case is, and on which graph."""
    for row in rows:
        own = row[f"{mode} rgnn ms"]
        others = [float(value) for name, value in row.items()
                  if name.startswith(f"{mode} pyg") and name.endswith(" ms") and value]  # fmt: skip
        if own and others:
            yield row["graph"], min(others) / float(own)


def draw_coverage(rows: list[dict], part: str, path: Path) -> None:
    """The cases of a part by speed, a mark for each graph."""
    figure, panes = pyplot.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
    for axes, mode in zip(panes, ("inference", "training")):
        found = sorted(speeds([row for row in rows if row["part"] == part], mode), key=lambda pair: pair[1])
        mean = math.exp(sum(math.log(value) for _, value in found) / len(found))
        for graph in sorted({graph for graph, _ in found}):
            marks = [(i, value) for i, (where, value) in enumerate(found) if where == graph]
            axes.plot(*zip(*marks), ".", label=graph)
        axes.axhline(1, color="gray", linewidth=0.8)
        axes.set(yscale="log", title=f"{mode}: {len(found)} cells, mean {mean:.1f}x", xlabel="cells, slowest first")
    panes[0].set_ylabel("times faster than the best of PyG")
    panes[0].legend(fontsize="small")
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    results = max((ROOT / "docs/cpu-results").iterdir())
    for mode, name in (("inference", "benchmark.csv"), ("training", "benchmark-training.csv")):
        draw_models(read(results / name), f"{mode}, ms per call", folder / f"models-{mode}.png")
    cells = read(results / "coverage.csv")
    for part in dict.fromkeys(row["part"] for row in cells):
        draw_coverage(cells, part, folder / f"coverage-{part}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/gallery")

"""Pictures of what the benchmarks measured, for the documentation site: `make site` writes build/gallery with it.

    .venv/bin/python benchmark/gallery.py [FOLDER]

Reads what run.py wrote, from the newest folder of docs/cpu-results: `benchmark.csv` and `benchmark-training.csv`.
"""

from __future__ import annotations

import csv
import math
import sys
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
    axes.set(yscale="log", ylabel="ms", title=title, ylim=(1, None))
    middle = [i + 0.4 for i in range(len(places))]
    axes.set_xticks(middle, [" ".join(place) for place in places], rotation=30, ha="right")
    figure.legend(loc="outside right upper", fontsize="small")
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    results = max((ROOT / "docs/cpu-results").iterdir())
    for mode, name in (("inference", "benchmark.csv"), ("training", "benchmark-training.csv")):
        draw_models(read(results / name), mode, folder / f"models-{mode}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/gallery")

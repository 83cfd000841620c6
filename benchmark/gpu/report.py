"""report.md, report.csv and plots of what was measured so far."""

from __future__ import annotations

import csv
import math
import statistics
from pathlib import Path

import roofline
from store import Store

GOALS = {"inference": 7, "training": 12}  # geometric mean over the best peer
# Twice Hector's published means over its best prior system, on an RTX 3090.
LEAST = {("rgcn", "inference"): 3.8, ("rgat", "inference"): 17.2, ("hgt", "inference"): 5.8,
         ("rgcn", "training"): 5.6, ("rgat", "training"): 22.6, ("hgt", "training"): 16}  # fmt: skip
LARGE = 256 << 20  # bytes that a call moves; smaller ones do not fill a GPU for long
FIELDS = ("dataset", "model", "width", "mode", "peer", "cap", "status", "median", "least", "host", "first", "calls",
          "peak", "error", "worst", "bytes", "operations", "bound")  # fmt: skip


def write_report(store: Store, folder: Path) -> int:
    """Writes all of it; how many results are wrong."""
    machine = next(iter(store.all("machine")), None)
    rows = benchmark_rows(store, machine)
    checks = [result for part in ("correctness", "streams", "sanitizer") for result in store.all(part)]
    wrong = [result for result in checks + rows if is_wrong(result)]
    lines = ["# GPU check", "", *machine_lines(machine), *check_lines(store), *table_lines(rows), *goal_lines(rows)]
    if wrong:
        lines += ["## Wrong", "", *(f"- {one['part']}, {one['name']}: {one['status']}" for one in wrong), ""]
    (folder / "report.md").write_text("\n".join(lines))
    with (folder / "report.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    plot(rows, folder)
    return len(wrong)


def is_wrong(result: dict) -> bool:
    """Checks are to pass. Of the benchmark RGNN is to run, other peers need not."""
    if result["part"] == "benchmark" and result["peer"] != "rgnn":
        return False
    return result["status"] != "ok" and not result["status"].startswith("absent")


def benchmark_rows(store: Store, machine: dict | None) -> list[dict]:
    """With the bound of each cell, and RGNN's error judged: against that of the plain formulas in float32."""
    rows = store.all("benchmark")
    plain = {cell_of(row): row["error"] for row in rows if row["peer"] == "plain" and row["status"] == "ok"}
    for row in rows:
        if row["status"] != "ok" or row["cap"]:
            continue
        if machine and machine["status"] == "ok":
            row["bound"] = roofline.bound(row["bytes"], row["operations"], machine)
        bound = max(1e-5, 4 * plain.get(cell_of(row), 0.0))
        if row["peer"] == "rgnn" and not row["error"] <= bound:
            of = f" of {row['worst']}" if row.get("worst") else ""
            row["status"] = f"wrong: error {row['error']:.1e}{of}, bound {bound:.1e}"
    return rows


def cell_of(row: dict) -> tuple:
    return row["width"], row["dataset"], row["model"], row["mode"]


def machine_lines(machine: dict | None) -> list[str]:
    if not machine or machine["status"] != "ok":
        return [f"Machine: {machine['status'] if machine else 'not measured'}", ""]
    rates = ", ".join(f"{name} {machine[name] / 1e12:.1f} TFLOP/s" for name in ("float32", "tf32", "bfloat16"))
    chip = f" ({machine['chip']}, {machine['processors']} processors)" if "chip" in machine else ""
    return [f"{machine['gpu']}{chip}, PyTorch {machine['torch']}, Python {machine['python']}; measured: "
            f"{machine['bandwidth'] / 1e9:,.0f} GB/s, {rates}.", ""]  # fmt: skip


def check_lines(store: Store) -> list[str]:
    lines = ["| check | passed | failed | absent |", "|---|---|---|---|"]
    for part in ("correctness", "streams", "sanitizer"):
        found = store.all(part)
        absent = sum(one["status"].startswith("absent") for one in found)
        failed = sum(map(is_wrong, found))
        lines.append(f"| {part} | {len(found) - absent - failed} | {failed} | {absent} |")
    return [*lines, ""]


def best_peer(rows: list[dict]) -> dict | None:
    return min((row for row in rows if row["peer"] != "rgnn" and row["status"] == "ok"),
               key=lambda row: row["median"], default=None)  # fmt: skip


def cells(rows: list[dict]) -> dict[tuple, list[dict]]:
    found: dict[tuple, list[dict]] = {}
    for row in rows:
        found.setdefault(cell_of(row), []).append(row)
    return dict(sorted(found.items(), key=lambda item: (item[0][0] != 64, item[0])))


def table_lines(rows: list[dict]) -> list[str]:
    """A line for each cell: times in ms, memory in MiB."""
    lines = ["| width | data set | model | mode | RGNN | host | best peer | | times faster | bound | over bound | "
             "error | MiB | peer's MiB | 24 GB | 8 GB |", "|---" * 16 + "|"]  # fmt: skip
    for key, members in cells(rows).items():
        own = next((row for row in members if row["peer"] == "rgnn" and not row["cap"]), None)
        best = best_peer([row for row in members if not row["cap"]])
        caps = [next((row["status"] for row in members if row["cap"] == cap), "") for cap in (24, 8)]
        done = own is not None and "median" in own
        lines.append("| " + " | ".join([
            *map(str, key), number(own["median"], 1e3) if done else (own["status"] if own else "not measured"),
            number(own["host"], 1e3) if done else "", best["peer"] if best else "",
            number(best["median"], 1e3) if best else "",
            number(best["median"] / own["median"]) if best and done else "",
            number(own.get("bound"), 1e3) if done else "",
            number(own["median"] / own["bound"]) if done and "bound" in own else "",
            f"{own['error']:.1e}" if done else "", number(own["peak"], 1 / (1 << 20)) if done else "",
            number(best["peak"], 1 / (1 << 20)) if best else "", *caps,
        ]) + " |")  # fmt: skip
    return [*lines, ""]


def number(value: float | None, factor: float = 1.0) -> str:
    """Three digits that count."""
    if value is None:
        return ""
    value *= factor
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def goal_lines(rows: list[dict]) -> list[str]:
    """The goals that are ratios, and what was reached."""
    gains: dict[tuple[str, str], list[float]] = {}
    for (_, _, model, mode), members in cells([row for row in rows if not row["cap"]]).items():
        own = next((row for row in members if row["peer"] == "rgnn" and row["status"] == "ok"), None)
        best = best_peer(members)
        if own and best:
            gains.setdefault((model, mode), []).append(best["median"] / own["median"])
    lines = ["| over the best peer | geometric mean | goal |", "|---|---|---|"]
    for mode, goal in GOALS.items():
        found = [gain for (_, of), some in gains.items() if of == mode for gain in some]
        if found:
            lines.append(f"| {mode} | {statistics.geometric_mean(found):.2f} | {goal} |")
    for (model, mode), some in sorted(gains.items()):
        lines.append(f"| {model}, {mode} | {statistics.geometric_mean(some):.2f} | {LEAST[model, mode]} |")
    own = [row for row in rows if row["peer"] == "rgnn" and row["status"] == "ok" and not row["cap"]]
    large = [row for row in own if row["bytes"] > LARGE and "bound" in row]
    if own:
        lines.append(f"| host's time over a call's, median | {statistics.median(map(host_share, own)):.3f} | 0.05 |")
    if large:
        found = statistics.geometric_mean(row["median"] / row["bound"] for row in large)
        lines.append(f"| time over the bound, where more than {LARGE >> 20} MiB are moved | {found:.2f} | 2 |")
    full = sum(row["status"] == "out of memory" for row in rows if row["peer"] == "rgnn")
    capped = [row for row in rows if row["cap"]]
    return [*lines, "", f"RGNN out of memory: {full} times, {len(capped)} of the calls with a cap.", ""]


def host_share(row: dict) -> float:
    return row["host"] / row["median"]


def plot(rows: list[dict], folder: Path) -> None:
    """Times relative to the bound, a picture for each width and mode; none without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    pictures: dict[tuple, list[dict]] = {}
    for row in rows:
        if "median" in row and "bound" in row and not row["cap"]:
            pictures.setdefault((row["width"], row["mode"]), []).append(row)
    for (width, mode), members in pictures.items():
        places = sorted({(row["model"], row["dataset"]) for row in members})
        peers = sorted({row["peer"] for row in members}, key=lambda peer: (peer != "rgnn", peer))
        figure, axes = pyplot.subplots(figsize=(max(6, 0.8 * len(places)), 4))
        for turn, peer in enumerate(peers):
            values = {(row["model"], row["dataset"]): row["median"] / row["bound"]
                      for row in members if row["peer"] == peer}  # fmt: skip
            at = [i + 0.8 * turn / len(peers) for i in range(len(places))]
            axes.bar(at, [values.get(place, math.nan) for place in places], 0.8 / len(peers), label=peer)
        axes.set(yscale="log", ylabel="time over the bound of the machine", title=f"{mode}, width {width}")
        middle = [i + 0.4 for i in range(len(places))]
        axes.set_xticks(middle, [" ".join(place) for place in places], rotation=60, ha="right")
        axes.legend(fontsize="small")
        figure.savefig(folder / f"{mode}-{width}.png", bbox_inches="tight", dpi=120)
        pyplot.close(figure)

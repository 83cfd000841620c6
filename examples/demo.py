"""Trains and runs relational models on real data (aifb) with PyG and with RGNN, and prints both side by side.

- training: the 2-layer RGCN as published for aifb: no input features, 16 hidden units, 30 bases, the official split,
  50 epochs of Adam (learning rate 0.01, weight decay 5e-4), from the same initial weights. A plot of the loss goes to
  build/demo.png.
- inference: one RGAT layer, 64 -> 64, and one HGT layer, 64 -> 64, on dicts of node types and edge types

Each measurement runs in a process of its own. Memory is the process's peak (VmHWM), reset after imports, loading and
construction of the model, compilation included. The exit status is 1 where anything failed, or where the losses of an
epoch differ by more than 1e-5, relative.

    make demo            # or: .venv/bin/python examples/demo.py
"""

from __future__ import annotations

import itertools
import statistics
import sys
import tempfile
import time
from pathlib import Path

from side_by_side import SIDES, Progress, for_side, peak_mib, reset_peak, speed_up, table

EPOCHS = 50
LIMIT = 1e-5  # relative difference of the losses of an epoch
LAYERS = {"rgat": "RGAT", "hgt": "HGT"}
WIDTH = 64
PLOT = Path(__file__).resolve().parents[1] / "build" / "demo.png"


def build_rgcn(graph):
    """The published model for aifb, with the same weights in every process."""
    import torch
    from torch_geometric.nn import FastRGCNConv  # as in PyG's own example: the faster of its two classes here

    class RGCN(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1 = FastRGCNConv(graph.num_nodes, 16, graph.num_edge_types, num_bases=30)
            self.conv2 = FastRGCNConv(16, graph.num_classes, graph.num_edge_types, num_bases=30)

        def forward(self, edge_index, edge_type):
            hidden = self.conv1(None, edge_index, edge_type).relu()
            return self.conv2(hidden, edge_index, edge_type)

    torch.manual_seed(0)
    return RGCN()


def train(side: str, epochs: int) -> dict:
    """Loss and seconds of each epoch, test accuracy after the last, and peak MiB."""
    import torch
    from rgnn import data

    graph = data.load("aifb")
    model = for_side(side, build_rgcn(graph))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    edges, labels = (graph.edge_index, graph.edge_type), graph.y[graph.train_idx]
    losses, seconds = [], []
    reset_peak()
    for _ in range(epochs):
        start = time.perf_counter()
        optimizer.zero_grad()
        # Of scores, not of a log_softmax that the model returns: at a loss of 5e-4, the order in which float32 adds a
        # row's exponentials changes it by 1e-5.
        loss = torch.nn.functional.cross_entropy(model(*edges)[graph.train_idx], labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        seconds.append(time.perf_counter() - start)
    result = {"losses": losses, "seconds": seconds, "epoch": statistics.median(seconds[1:]), "peak": peak_mib()}
    model.eval()
    with torch.no_grad():
        right = model(*edges)[graph.test_idx].argmax(dim=-1) == graph.y[graph.test_idx]
    return {**result, "accuracy": right.double().mean().item()}


def build_layer(name: str):
    """The graph, a layer and its inputs, the same in every process."""
    import torch
    from rgnn import data
    from torch_geometric.nn import HGTConv, RGATConv

    graph = data.load("aifb")
    torch.manual_seed(0)
    x = torch.randn(graph.num_nodes, WIDTH)
    if name == "rgat":
        return graph, RGATConv(WIDTH, WIDTH, graph.num_edge_types).eval(), (x, graph.edge_index, graph.edge_type)
    return graph, HGTConv(WIDTH, WIDTH, graph.metadata).eval(), (graph.split_nodes(x), graph.edge_index_dict)


def infer(name: str, side: str, folder: str) -> dict:
    """Seconds of the first and the median call, peak MiB, and the difference of RGNN's result to PyG's."""
    import numpy as np
    import torch

    torch.set_grad_enabled(False)
    graph, layer, inputs = build_layer(name)
    model = for_side(side, layer)
    reset_peak()
    start = time.perf_counter()
    out = model(*inputs)
    result = {"first": time.perf_counter() - start}
    times = []
    while len(times) < 5 or (len(times) < 50 and sum(times) < 1.5):
        start = time.perf_counter()
        model(*inputs)
        times.append(time.perf_counter() - start)
    result |= {"median": statistics.median(times), "peak": peak_mib()}

    rows = (graph.join_nodes(out) if isinstance(out, dict) else out).numpy()
    if side == "pyg":
        np.save(f"{folder}/{name}.npy", rows)
    else:
        result["difference"] = float(np.abs(rows - np.load(f"{folder}/{name}.npy")).max())
    return result


def curve_difference(losses: list[float], reference: list[float]) -> float:
    """The largest relative difference of the losses of an epoch; infinite where a loss is NaN or missing."""
    if len(losses) != len(reference):
        return float("inf")
    differences = [abs(a - b) / abs(b) for a, b in zip(losses, reference)]
    return max(difference if difference == difference else float("inf") for difference in differences)


def training_table(results: dict[str, dict]) -> str:
    lines = [["", "loss at the end", "test accuracy", "first epoch", "an epoch", "speed-up", "peak memory"]]
    for side, who in SIDES.items():
        got = results[side]
        if "error" in got:
            lines.append([who, "failed", *[""] * 5])
            continue
        lines.append([who, f"{got['losses'][-1]:.7f}", f"{got['accuracy']:.1%}", f"{got['seconds'][0] * 1e3:,.1f} ms",
                      f"{got['epoch'] * 1e3:,.2f} ms", speed_up(results, "epoch") if side == "rgnn" else "",
                      f"{got['peak']:,.0f} MiB"])  # fmt: skip
    return table(lines, left=1)


def inference_table(results: dict[str, dict[str, dict]]) -> str:
    lines = [["model", "", "first call", "a call", "speed-up", "peak memory", "max |difference|"]]
    for name, title in LAYERS.items():
        for side, who in SIDES.items():
            got, first = results[name][side], title if side == "pyg" else ""
            if "error" in got:
                lines.append([first, who, "failed", *[""] * 4])
                continue
            lines.append([first, who, f"{got['first'] * 1e3:,.1f} ms", f"{got['median'] * 1e3:,.2f} ms",
                          speed_up(results[name], "median") if side == "rgnn" else "", f"{got['peak']:,.0f} MiB",
                          f"{got['difference']:.1e}" if side == "rgnn" and "difference" in got else ""])  # fmt: skip
    return table(lines, left=2)


def plot(results: dict[str, dict], path: Path) -> None:
    """Loss against epoch and against time, of both sides."""
    import matplotlib

    matplotlib.use("Agg")  # no display is needed
    from matplotlib import pyplot

    figure, (by_epoch, by_time) = pyplot.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
    styles = {"pyg": {"linewidth": 4, "alpha": 0.4}, "rgnn": {"linestyle": "--", "color": "black"}}
    for side, who in SIDES.items():
        losses, seconds = results[side]["losses"], results[side]["seconds"]
        by_epoch.plot(range(1, len(losses) + 1), losses, label=who, **styles[side])
        by_time.plot(list(itertools.accumulate(seconds)), losses, label=who, **styles[side])
    by_epoch.set(title="2-layer RGCN on aifb", xlabel="epoch", ylabel="training loss", yscale="log")
    by_time.set(title="compilation included", xlabel="seconds", xscale="log")
    by_epoch.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)


def main() -> int:
    print("aifb: 7,262 nodes of 7 types, 48,810 edges of 104 types. PyG, and RGNN on the same model")
    progress = Progress((1 + len(LAYERS)) * len(SIDES))
    training = {side: progress.run(f"training of RGCN with {who}", train, side, EPOCHS) for side, who in SIDES.items()}
    inference = {}
    with tempfile.TemporaryDirectory(prefix="rgnn-demo-") as folder:
        for name, title in LAYERS.items():
            inference[name] = {side: progress.run(f"{title} with {who}", infer, name, side, folder)
                               for side, who in SIDES.items()}  # fmt: skip

    failures = []
    print(f"\nTraining: RGCN, 2 layers, {EPOCHS} epochs\n")
    print(training_table(training))
    if not any("error" in got for got in training.values()):
        difference = curve_difference(training["rgnn"]["losses"], training["pyg"]["losses"])
        plot(training, PLOT)
        print(f"The losses of an epoch differ by at most {difference:.1e}, relative. Plot: {PLOT}")
        if not difference <= LIMIT:
            failures.append(f"expected losses within {LIMIT:.0e} of PyG's, got {difference:.1e}")
    print("\nInference\n")
    print(inference_table(inference))
    for title, results in {"training": training, **{LAYERS[name]: inference[name] for name in LAYERS}}.items():
        failures += [f"{title} with {SIDES[side]} failed: {got['error']}"
                     for side, got in results.items() if "error" in got]  # fmt: skip
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

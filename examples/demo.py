"""Runs three relational models on real data (aifb) with PyG and with RGNN, and prints both side by side.

- a 2-layer RGCN as published for aifb: no input features, 16 hidden units, 30 bases, 4 classes
- one RGAT layer, 64 -> 64
- one HGT layer, 64 -> 64, on dicts of node types and edge types

Each measurement runs in a process of its own. Memory is the process's peak (VmHWM) during inference, reset after
imports, loading and construction of the model, first call included.

    make demo            # or: .venv/bin/python examples/demo.py
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import statistics
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

MODELS = {"rgcn": "RGCN, 2 layers", "rgat": "RGAT", "hgt": "HGT"}
SIDES = {"pyg": "PyG", "rgnn": "RGNN"}
WIDTH = 64
SERVER = multiprocessing.get_context("forkserver")  # imports PyTorch and PyG once, for all measurements


def build(name: str):
    """The model and its inputs on aifb, the same in every process."""
    import torch
    from torch_geometric.nn import HGTConv, RGATConv, RGCNConv

    try:
        from rgnn import data
    except ImportError:  # not installed: the checkout's own
        sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
        from rgnn import data

    class RGCN(torch.nn.Module):
        def __init__(self, num_nodes: int, num_relations: int, num_classes: int):
            super().__init__()
            self.conv1 = RGCNConv(num_nodes, 16, num_relations, num_bases=30)
            self.conv2 = RGCNConv(16, num_classes, num_relations, num_bases=30)

        def forward(self, edge_index, edge_type):
            hidden = self.conv1(None, edge_index, edge_type).relu()
            return self.conv2(hidden, edge_index, edge_type).log_softmax(dim=-1)

    graph = data.load("aifb")
    torch.manual_seed(0)
    x = torch.randn(graph.num_nodes, WIDTH)
    if name == "rgcn":
        model = RGCN(graph.num_nodes, graph.num_edge_types, graph.num_classes)
        inputs = (graph.edge_index, graph.edge_type)
    elif name == "rgat":
        model = RGATConv(WIDTH, WIDTH, graph.num_edge_types)
        inputs = (x, graph.edge_index, graph.edge_type)
    else:
        model = HGTConv(WIDTH, WIDTH, graph.metadata)
        inputs = (graph.split_nodes(x), graph.edge_index_dict)
    return graph, model.eval(), inputs


def status_mib(key: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    line = next(line for line in lines if line.startswith(key + ":"))
    return int(line.split()[1]) / 1024


def measure(name: str, side: str, folder: str, connection) -> None:
    """Sends what one side takes for one model: first call and median call in ms, peak MiB, and the difference."""
    import numpy as np
    import torch

    warnings.filterwarnings("ignore")
    try:
        torch.set_grad_enabled(False)
        graph, model, inputs = build(name)
        if side == "rgnn":
            import rgnn

            if not hasattr(rgnn, "compile"):
                raise ImportError("rgnn is not built; run `make build`")
            model = rgnn.compile(model)

        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
        start = time.perf_counter()
        out = model(*inputs)
        result = {"first": time.perf_counter() - start}
        times = []
        while len(times) < 5 or (len(times) < 50 and sum(times) < 1.5):
            start = time.perf_counter()
            model(*inputs)
            times.append(time.perf_counter() - start)
        result |= {"median": statistics.median(times), "peak": status_mib("VmHWM")}

        rows = (graph.join_nodes(out) if isinstance(out, dict) else out).numpy()
        if side == "pyg":
            np.save(f"{folder}/{name}.npy", rows)
        else:
            result["difference"] = float(np.abs(rows - np.load(f"{folder}/{name}.npy")).max())
        connection.send(result)
    except Exception as error:
        connection.send({"error": (str(error).strip().splitlines() or [type(error).__name__])[0]})


class Progress:
    """A bar that moves while something runs on a terminal, one line per finished step elsewhere."""

    def __init__(self, steps: int):
        self.steps, self.done, self.live = steps, 0, sys.stdout.isatty()

    def run(self, text: str, work):
        start, finished = time.monotonic(), threading.Event()

        def draw():
            while not finished.wait(0.2):
                bar = "#" * self.done + "." * (self.steps - self.done)
                sys.stdout.write(f"\r\033[K[{bar}] {text} ... {time.monotonic() - start:.0f} s")
                sys.stdout.flush()

        thread = threading.Thread(target=draw, daemon=True)
        if self.live:
            thread.start()
        try:
            return work()
        finally:
            finished.set()
            self.done += 1
            if self.live:
                thread.join()
                sys.stdout.write("\r\033[K")
            else:
                print(f"[{self.done}/{self.steps}] {text}: {time.monotonic() - start:.1f} s", flush=True)


def isolated(name: str, side: str, folder: str) -> dict:
    """`measure` in a process of its own."""
    ours, theirs = SERVER.Pipe()
    process = SERVER.Process(target=measure, args=(name, side, folder, theirs))
    process.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        process.join()
        return {"error": f"process died ({process.exitcode})"}
    finally:
        process.join()


def table(results: dict) -> list[str]:
    header = ["model", "", "first call", "a call", "speed-up", "peak memory", "max |difference|"]
    lines = [header]
    for name, title in MODELS.items():
        base = results[name, "pyg"]
        for side, who in SIDES.items():
            got, first = results[name, side], title if side == "pyg" else ""
            if "error" in got:
                lines.append([first, who, "failed", "", "", "", ""])
                continue
            speed = f"{base['median'] / got['median']:.1f}x" if side == "rgnn" and "median" in base else ""
            difference = f"{got['difference']:.1e}" if "difference" in got else ""
            lines.append([first, who, f"{got['first'] * 1e3:,.1f} ms", f"{got['median'] * 1e3:,.2f} ms", speed,
                          f"{got['peak']:,.0f} MiB", difference])  # fmt: skip
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    text = []
    for line in lines:
        left = [line[i].ljust(widths[i]) for i in (0, 1)]
        text.append("  ".join(left + [line[i].rjust(widths[i]) for i in range(2, len(header))]).rstrip())
    return [text[0], "-" * len(text[0]), *text[1:]]


def main() -> int:
    SERVER.set_forkserver_preload(["torch", "torch_geometric.nn"])
    print("Inference on aifb (7,262 nodes of 7 types, 48,810 edges of 104 types): PyG, and RGNN on the same model")
    progress = Progress(len(MODELS) * len(SIDES))
    results = {}
    with tempfile.TemporaryDirectory(prefix="rgnn-demo-") as folder:
        for name, title in MODELS.items():
            for side, who in SIDES.items():
                results[name, side] = progress.run(
                    f"{title} with {who}", lambda name=name, side=side: isolated(name, side, folder)
                )
    print()
    print("\n".join(table(results)))
    failed = {(name, side): got["error"] for (name, side), got in results.items() if "error" in got}
    for (name, side), reason in failed.items():
        print(f"{MODELS[name]} with {SIDES[side]} failed: {reason}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

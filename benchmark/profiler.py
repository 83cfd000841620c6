"""What recording costs calls: RGCN, RGAT and HGT with and without a recording, in turns.

    .venv/bin/python benchmark/profiler.py [--datasets aifb,mutag] [--width 64] [--rounds 200]

`on` is how much longer a call takes while its kernels are recorded, as rgnn.profile does, in medians over all rounds.
`kernel` is the mean time of a kernel: recording costs each the same, so it weighs on small ones. `spread` is the
difference between two halves of the rounds without a recording: less than that cannot be told.
"""

from __future__ import annotations

import argparse
import statistics
import time

import rgnn
import torch
from _rgnn_runtime import start_record, stop_record
from rgnn import data
from torch import nn
from torch_geometric.nn import HGTConv, RGATConv, RGCNConv


def cases(graph, width: int):
    """Names, layers and their inputs."""
    x = torch.randn(graph.num_nodes, width)
    typed = (x, graph.edge_index, graph.edge_type)
    yield "rgcn", RGCNConv(width, width, graph.num_edge_types), typed
    yield "rgat", RGATConv(width, width, graph.num_edge_types), typed
    yield "hgt", HGTConv(width, width, graph.metadata), (graph.split_nodes(x), graph.edge_index_dict)


def run(model: nn.Module, inputs: tuple, records: bool) -> tuple[float, int]:
    """Seconds of a call without gradients, and how many loops it recorded."""
    if records:
        start_record()
    start = time.perf_counter()
    model(*inputs)
    seconds = time.perf_counter() - start
    return seconds, sum(event[0] == "kernel" for event in stop_record()) if records else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=lambda text: text.split(","), default=["aifb", "mutag", "fb15k-237"])
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    print("| data set | model | call, ms | loops | kernel, us | on | spread |\n|---|---|---|---|---|---|---|")
    for name in options.datasets:
        graph = data.load(name)
        for case, layer, inputs in cases(graph, options.width):
            model = rgnn.compile(layer.eval())
            with torch.no_grad():
                for _ in range(5):
                    model(*inputs)
                times: dict[bool, list[float]] = {False: [], True: []}
                for _ in range(options.rounds):
                    for records in (False, True):
                        seconds, loops = run(model, inputs, records)
                        times[records].append(seconds)
            off, on = statistics.median(times[False]), statistics.median(times[True])
            halves = [statistics.median(times[False][i::2]) for i in range(2)]
            print(f"| {name} | {case} | {off * 1e3:.2f} | {loops} | {off / loops * 1e6:.0f} | {on / off - 1:+.1%} "
                  f"| {abs(halves[0] / halves[1] - 1):.1%} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()

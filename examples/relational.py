"""Trains a model as relational learning writes them, with PyG and with RGNN, on generated data, and compares the two.

Each client is in a file of examples/clients: a model of PyG's layers, batches, a loss and a metric. It is trained as it
is, and then compiled by rgnn.compile, from the same parameters, on the same batches. The exit status is 1 where the
losses of a step differ, relative, by more than 1e-4 in float32 or 1e-9 in float64.

    python examples/relational.py relbench-sage
    python examples/relational.py relbench-sage --quick --precision float64 --plot losses.png
"""

from __future__ import annotations

import argparse
import importlib.util
import sys

import rgnn
import torch
from clients import CLIENTS, make
from clients.client import PARTS, Client, Comparison, compare
from side_by_side import SIDES, table

LIMITS = {"float32": 1e-4, "float64": 1e-9}


class Line:
    """A line that is written again with each step on a terminal, and once per side elsewhere."""

    def __init__(self, steps: int):
        self.steps, self.live = steps, sys.stdout.isatty()

    def __call__(self, side: str, step: int, loss: float) -> None:
        is_last = step + 1 == self.steps
        if self.live or is_last:
            text = f"{SIDES[side]}: step {step + 1} of {self.steps}, loss {loss:.6f}"
            print(f"\r\033[K{text}" if self.live else text, end="\n" if is_last else "", flush=True)


def describe(client: Client, comparison: Comparison) -> str:
    """A table of both sides, and what was compiled of the model."""
    args, _ = client.draw(0)
    report = rgnn.explain(comparison.compiled.train(), *args)
    left = ", ".join(dict.fromkeys(op or reason for op, reason, _ in report.fallbacks))
    how = f"compiled in part, and PyTorch runs {left}" if left else "compiled whole"
    how = how if report.kernels else "not compiled"
    chance = ", ".join(f"{name} {value:.4f}" for name, value in client.chance.items())
    lines = [["", "first loss", "last loss", *client.chance, *(f"{part}, ms" for part in PARTS)]]
    for side, who in SIDES.items():
        got = comparison.sides[side]
        lines.append([who, f"{got.losses[0]:.6f}", f"{got.losses[-1]:.6f}",
                      *(f"{value:.4f}" for value in got.metrics.values()),
                      *(f"{got.median(part) * 1e3:.1f}" for part in PARTS)])  # fmt: skip
    return "\n".join([
        table(lines, left=1),
        f"A model that learned nothing has {chance}.",
        f"The losses of a step differ by at most {comparison.difference:.1e}, relative.",
        f"RGNN: {how}; {len(report.versions)} versions",
    ])  # fmt: skip


def plot(name: str, comparison: Comparison, path: str) -> None:
    """The losses of both sides, step by step."""
    import matplotlib

    matplotlib.use("Agg")  # no display is needed
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(layout="constrained")
    styles = {"pyg": {"linewidth": 4, "alpha": 0.4}, "rgnn": {"linestyle": "--", "color": "black"}}
    for side, who in SIDES.items():
        axes.plot(range(1, len(comparison.sides[side].losses) + 1), comparison.sides[side].losses, label=who,
                  **styles[side])  # fmt: skip
    axes.set(title=name, xlabel="step", ylabel="loss")
    axes.legend()
    figure.savefig(path, dpi=120)


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("client", choices=CLIENTS)
    parser.add_argument("--quick", action="store_true", help="a small model on little data")
    parser.add_argument("--precision", choices=LIMITS, default="float32")
    parser.add_argument("--steps", type=int, default=None, help="default 20; quick 5")
    parser.add_argument("--plot", metavar="FILE.png", help="where to draw the losses of both sides")
    options = parser.parse_args(argv)
    options.steps = options.steps if options.steps is not None else 5 if options.quick else 20
    if options.steps < 1:
        parser.error(f"expected at least one step, got {options.steps}")
    if options.plot and importlib.util.find_spec("matplotlib") is None:
        parser.error("--plot needs matplotlib: pip install matplotlib")
    return options


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    torch.set_default_dtype(getattr(torch, options.precision))
    client = make(options.client, options.quick)
    comparison = compare(client, options.steps, Line(options.steps))
    print(f"\n{describe(client, comparison)}")
    if options.plot:
        plot(options.client, comparison, options.plot)
    return 0 if comparison.difference <= LIMITS[options.precision] else 1


if __name__ == "__main__":
    sys.exit(main())

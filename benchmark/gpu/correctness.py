"""Results and gradients of compiled layers against what PyG computed in float64 when the bundle was made.

An error is max|a - b| / max|b|. float64 passes at 1e-10, float32 at the larger of 1e-5 and twice the largest error of
PyG's own float32, on any of the graphs and with features that differ in rounding. Two runs have to be equal to the last
bit.
"""

from __future__ import annotations

import argparse
import gzip
import io
from typing import Any

import layout
import torch
from store import Unit
from torch import Tensor, nn
from torch.utils import _pytree as pytree


def plan(options: argparse.Namespace) -> list[Unit]:
    return [{"part": "correctness", "group": "layers", "name": path.stem}
            for path in sorted(layout.CASES.glob("*.rgnn"))]  # fmt: skip


def measure(unit: Unit, device: torch.device) -> dict:
    model, case = load(unit["name"], device)
    worst, wrong = 0.0, []
    for graph in case["graphs"]:
        args = on(graph["args"], device)
        found, again = (run(model, args, graph["factors"]) for _ in range(2))
        if any(not torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in zip(found, again, strict=True)):
            wrong.append(f"{graph['graph']}: two runs differ")
        for number, (got, right, own) in enumerate(zip(found, graph["expected"], case["errors"], strict=True)):
            bound = 1e-10 if got.dtype == torch.float64 else max(1e-5, 2 * own)
            error = relative(got.cpu(), right)
            worst = max(worst, error)
            if not error <= bound:
                wrong.append(f"{graph['graph']}: result {number}: error {error:.1e}, bound {bound:.1e}")
    status = "ok" if not wrong else f"wrong: {wrong[0]}"
    return {"status": status, "graphs": len(case["graphs"]), "error": worst, "wrong": wrong}


def load(name: str, device: torch.device) -> tuple[nn.Module, dict]:
    """A compiled layer on a device, and what cases.py expects of it."""
    import rgnn

    with gzip.open(layout.CASES / f"{name}.pt.gz") as file:
        case = torch.load(io.BytesIO(file.read()), weights_only=True)
    return rgnn.load(layout.CASES / f"{name}.rgnn").to(device), case


def on(value: Any, device: torch.device) -> Any:
    return pytree.tree_map_only(torch.Tensor, lambda tensor: tensor.to(device), value)


def run(model: nn.Module, args: tuple, factors: list[Tensor]) -> list[Tensor]:
    """The results, then gradients of their sum, weighted by `factors`, by the arguments and by the parameters.

    A gradient that is not there counts as zeros, which it is.
    """
    # Index tensors stay the same objects: what was built for their graph is found by them.
    args = pytree.tree_map_only(Tensor, lambda t: t.detach().requires_grad_() if t.is_floating_point() else t, args)
    inputs = [leaf for leaf in pytree.tree_leaves(args) if isinstance(leaf, Tensor) and leaf.requires_grad]
    inputs += [parameter for _, parameter in sorted(model.named_parameters())]
    results = [leaf for leaf in pytree.tree_leaves(model(*args)) if isinstance(leaf, Tensor)]
    loss = sum((result * factor.to(result)).sum() for result, factor in zip(results, factors, strict=True))
    gradients = torch.autograd.grad(loss, inputs, allow_unused=True)
    found = [torch.zeros_like(i) if g is None else g for i, g in zip(inputs, gradients, strict=True)]
    return [tensor.detach() for tensor in (*results, *found)]


def relative(got: Tensor, right: Tensor) -> float:
    """max|got - right| / max|right|; absolute where `right` is 0 but for rounding. Infinite where a number is none."""
    if got.shape != right.shape or not torch.equal(got.isfinite(), right.isfinite()):
        return float("inf")
    right, got = right.double().nan_to_num(), got.double().nan_to_num()
    if not right.numel():
        return 0.0
    size, difference = right.abs().max().item(), (got - right).abs().max().item()
    return difference / size if size > 1e-12 else difference

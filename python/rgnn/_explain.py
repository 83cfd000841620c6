"""rgnn.explain: what a model is compiled to, and why."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import torch
from _rgnn import CompileError as CompilerRefusal
from _rgnn import compile as compile_text
from _rgnn import run_pipeline
from torch import Tensor
from torch.utils import _pytree as pytree

from ._compile import Runner, Version, capture_checked
from ._compiler import compile_region, discard_temporary, split_model
from ._errors import FallbackError, first_line
from ._explain_gpu import compile_for, describe
from ._options import Options
from ._run.training import Training
from ._state import Function, State
from ._target import CPU, check_target, resolve


@dataclass
class Report:
    """What :func:`explain` found.

    Attributes:
        fallbacks: ``(operator, reason, source line)`` of each part that runs in PyTorch; empty if all is compiled.
        kernels: the kernels in the order in which they run, with their schedules, or on a GPU with what they take; of
            a function with variants for graphs with few edges for each node, those for many; without those that run
            once for each graph.
        decisions: ``(pass, where, "taken" or "refused", reason)``.
        peak_bytes: bytes of temporaries in one call with these inputs; None if the model is not compiled, or for a
            processor that this machine is not.
        saved_bytes: bytes that one call with these inputs keeps for its backward, besides its inputs and parameters;
            None where nothing asks for gradients, or they are not compiled.
        ir: the text at each level: ``"captured"``, ``"rgnn"``, ``"hetkernel"``, ``"buffers"``, ``"llvm"``,
            ``"assembly"``, as far as compilation came; and the functions of a training step in ``rgnn``,
            ``"forward"`` and ``"backward"``. For a GPU: ``"captured"``, ``"rgnn"``, ``"gpu"`` (the host's side, with
            the launches) and ``"ptx"``.
    """

    fallbacks: list[tuple[str, str, str]] = field(default_factory=list)
    kernels: list[str] = field(default_factory=list)
    decisions: list[tuple[str, str, str, str]] = field(default_factory=list)
    peak_bytes: int | None = None
    saved_bytes: int | None = None
    ir: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"compiled: {len(self.kernels)} kernels"]
        if self.peak_bytes is not None:
            lines[0] += f", {self.peak_bytes} bytes of temporaries"
        if self.saved_bytes is not None:
            lines[0] += f", {self.saved_bytes} bytes saved for the backward"
        if self.fallbacks:
            lines = ["runs in PyTorch:"]
            lines += [f"  {op or 'the model'} ({where or 'unknown line'}): {reason}" for op, reason, where in
                      self.fallbacks]
        lines += [f"  {kernel}" for kernel in self.kernels]
        lines += [f"  {name}: {outcome} at {where}: {reason}" for name, where, outcome, reason in self.decisions]
        return "\n".join(lines)


def explain(model: Any, *inputs: Any, target: str | None = None, options: Options | None = None,
            **keywords: Any) -> Report:
    """Compiles a model for the given inputs, runs it once and reports what was done.

    Args:
        model: a module or function, compiled or not.
        inputs: what the model is called with.
        target: as in :func:`rgnn.compile`, or an NVIDIA GPU, which this machine need not have: ``"cuda"``, or a chip
            such as ``"sm_80"``. The report then has the PTX of the forward, and for each kernel what it takes, where
            a CUDA toolkit is at hand (``CUDA_ROOT``).
        options: as in :func:`rgnn.compile`; by default those that a compiled model has.

    Never fails for a model that cannot be compiled: the report says why.

    Raises:
        ValueError: an unknown target.
    """
    check_target(target)
    runner = getattr(model, "_rgnn_runner", None) or getattr(model, "_compiled_call_impl", None)
    if isinstance(runner, Runner):
        options, target = options or runner.options, target or runner.target
        model = runner.model
    if not isinstance(model, torch.nn.Module):
        model = Function(model)
    options = options or Options()
    resolved = resolve(target, [leaf for leaf in pytree.tree_leaves((inputs, keywords)) if isinstance(leaf, Tensor)])
    report = Report()
    try:
        captured = capture_checked(model, inputs, keywords)
    except FallbackError as error:
        report.fallbacks.append(("", str(error), ""))
        return report
    text = report.ir["captured"] = captured.text
    try:
        report.ir["rgnn"] = run_pipeline(text, "rgnn-lift-torch,canonicalize,cse")
        if resolved.chips:
            report.ir["gpu"], ptx = compile_for(text, resolved, options)
            report.ir["ptx"] = "\n".join(ptx.values())
            report.kernels = describe(report.ir["gpu"], ptx, resolved.chips[0])
            return report
        arguments = options.pipeline()
        arguments = f"{{{arguments}}}" if arguments else ""
        report.ir["hetkernel"] = run_pipeline(text, f"rgnn-to-hetkernel{arguments}")
        compiled = compile_text(text, options.pipeline(), False, True)
        discard_temporary(compiled)
        report.ir["llvm"] = run_pipeline(text, f"rgnn-to-cpu{arguments}")
    except CompilerRefusal as error:
        _, reasons = split_model(text, options, CPU)
        report.fallbacks += [_fallback(r) for r in reasons if r.count(": ") > 1] or _refusals(str(error))
        return report
    report.ir["buffers"], report.ir["assembly"] = compiled["ir"]["buffers"], compiled["ir"]["assembly"]
    report.kernels = _kernels(report.ir["hetkernel"])
    report.decisions = [_decision(remark) for remark in compiled["remarks"]]
    if compiled["missing_features"]:
        return report
    version = Version(model, State(model), captured, compile_region(text, options, CPU), CPU)
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        version.run(version.tensors(inputs, keywords))
    report.peak_bytes = version.region.code.workspace_bytes
    if torch.is_grad_enabled():
        _explain_training(report, version, inputs, keywords)
    return report


def _explain_training(report: Report, version: Version, inputs: tuple, keywords: dict) -> None:
    """Runs the forward of a training step, if something wants gradients, and adds what it keeps."""
    kept: list[Tensor] = []

    def keep(tensor: Tensor) -> Tensor:
        kept.append(tensor)
        return tensor

    tensors = version.tensors(inputs, keywords)
    with torch.random.fork_rng(devices=[]), torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        version.run(tensors)
    # Rewrites of the forward are among the report's decisions.
    of_gradients = (_decision(remark) for remark in version.region.trainings.remarks)
    report.decisions += [decision for decision in of_gradients if decision[0] == "rgnn-recompute"]
    for training in version.region.trainings.made.values():
        if training is None:
            report.decisions.append(("rgnn-differentiate", "", "refused", version.region.refusal))
            continue
        given = {tensor.data_ptr() for tensor in tensors}
        made = {tensor.data_ptr(): tensor.nbytes for tensor in kept}
        report.saved_bytes = sum(size for place, size in made.items() if place not in given)
        if isinstance(training, Training):
            report.ir["forward"] = training.forward.source.text
            if training.backward:
                report.ir["backward"] = training.backward.source.text


def _fallback(reason: str) -> tuple[str, str, str]:
    """A reason of :func:`split_model`, "file:line: operator: why", as a fallback."""
    where, op, why = reason.split(": ", 2)
    return op, why, where


def _refusals(text: str) -> list[tuple[str, str, str]]:
    """The compiler's errors as fallbacks."""
    found = []
    for line in text.splitlines():
        match = re.match(r"(?:(?P<where>\S+:\d+)(?::\d+)?: )?error: (?P<reason>.*)", line)
        if match:
            named = re.match(r"'(?P<op>[\w.]+)' op (?P<reason>.*)", match["reason"])
            found.append((named["op"] if named else "", named["reason"] if named else match["reason"],
                          match["where"] or ""))
    return found or [("", first_line(ValueError(text)), "")]


def _decision(remark: str) -> tuple[str, str, str, str]:
    """A remark of the compiler, or another message, as a decision."""
    match = re.match(r'(?:(?P<where>\S+:\d+):\d+: )?(?P<kind>\w+): (?:.*Category:(?P<name>[\w-]+).*Remark=")?'
                     r'(?P<reason>.*?)"?$', remark, re.DOTALL)  # fmt: skip
    outcome = "taken" if match["kind"] == "passed" else "refused"
    variant = re.search(r"Function=(forward_\d+) ", remark)
    reason = f"{match['reason']} (in @{variant[1]})" if variant else match["reason"]
    return match["name"] or "", match["where"] or "", outcome, reason


def _kernels(text: str) -> list[str]:
    """Those of the function itself; variants for graphs with few edges and what runs once have kernels of their own."""
    kernels, inside = [], False
    for line in text.splitlines():
        if match := re.match(r"  func\.func (?:private )?@(\w+)\(", line):
            inside = match[1] == "forward"
        if not inside:
            continue
        match = re.search(r"hetkernel\.(gemm|traverse) .*", line)
        if match:
            kernels.append(re.sub(r" \{$", "", match[0]))
    return kernels


__all__ = ["Report", "explain"]

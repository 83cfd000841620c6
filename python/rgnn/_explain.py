"""rgnn.explain: what a model is compiled to, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from _rgnn import CompileError as CompilerRefusal
from _rgnn import compile as compile_text
from _rgnn import run_pipeline
from torch import Tensor
from torch.utils import _pytree as pytree

from ._compile import runner_of
from ._compiler import CompiledTrainings, compile_region, discard_temporary, split_model
from ._errors import FallbackError, first_line
from ._explain_gpu import compile_for, describe
from ._export import Version, capture_checked
from ._function import Function
from ._options import Options
from ._run.parameters import ParameterReader
from ._run.plan import Plan
from ._target import CPU, check_target, resolve

_OF_BACKWARD = {"rgnn-differentiate", "rgnn-recompute"}


class Decision(NamedTuple):
    """What a pass of the compiler did, or did not do.

    Attributes:
        name: the pass.
        where: the source line, ``"file:line"``; empty where it is about no line.
        outcome: ``"taken"``, ``"refused"``, or ``"left out"`` where the pass did not run.
        reason: what was done; or what it takes that was not given.
        half: ``"forward"`` or ``"backward"``: which of them it was compiled for.
    """

    name: str
    where: str
    outcome: str
    reason: str
    half: str

    def __str__(self) -> str:
        place = f" at {self.where}" if self.where else ""
        return f"{self.half}: {self.name}: {self.outcome}{place}: {self.reason}"


@dataclass
class Report:
    """What :func:`explain` found.

    Attributes:
        fallbacks: ``(operator, reason, source line)`` of each part that runs in PyTorch; empty if all is compiled.
        kernels: the kernels in the order in which they run, with their schedules, or on a GPU with what they take; of
            a function with variants for graphs with few edges for each node, those for many; without those that run
            once for each graph.
        decisions: a :class:`Decision` for each rewrite that was taken or refused, and for each pass that was left out:
            of a call without gradients, then what else the forward of a training step has, then those of its backward,
            if something asks for gradients and the model is not compiled for a processor that this machine is not.
        peak_bytes: bytes of temporaries in one call with these inputs; None if the model is not compiled, or for a
            processor that this machine is not.
        saved_bytes: bytes that one call with these inputs keeps for its backward, besides its inputs and parameters;
            None where nothing asks for gradients, or they are not compiled.
        ir: the text at each level: ``"captured"``, ``"rgnn"``, ``"hetkernel"``, ``"buffers"``, ``"llvm"``,
            ``"assembly"``, as far as compilation came. For a GPU: ``"captured"``, ``"rgnn"``, ``"gpu"`` (the host's
            side, with the launches) and ``"ptx"``. And the functions of a training step in ``rgnn``, ``"forward"`` and
            ``"backward"``.
    """

    fallbacks: list[tuple[str, str, str]] = field(default_factory=list)
    kernels: list[str] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
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
        lines += [f"  {decision}" for decision in self.decisions]
        return "\n".join(lines)

    def _add(self, decisions: Iterable[Decision]) -> None:
        """Adds those of one compilation that no other had."""
        known = set(self.decisions)
        self.decisions += [decision for decision in decisions if decision not in known]


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
    runner = runner_of(model)
    if runner is not None:
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
            report.ir["gpu"], ptx, remarks = compile_for(text, resolved, options)
            report.ir["ptx"] = "\n".join(ptx.values())
            report.kernels = describe(report.ir["gpu"], ptx, resolved.chips[0])
            _add_forward(report, remarks, resolved.left_out(options))
            tensors = [*captured.inputs.flatten(inputs, keywords), *ParameterReader(model, captured.parameters)()]
            wanted = tuple(tensor.requires_grad for tensor in tensors)
            if torch.is_grad_enabled() and True in wanted:
                trainings = CompiledTrainings(text, options, resolved)
                trainings.find(wanted)
                _add_trainings(report, trainings, resolved.left_out(options))
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
    _add_forward(report, compiled["remarks"], CPU.left_out(options))
    if compiled["missing_features"]:
        return report
    version = Version(model, captured, compile_region(text, options, CPU), CPU)
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        version.run(version.tensors(inputs, keywords))
    report.peak_bytes = version.region.code.workspace_bytes
    if torch.is_grad_enabled():
        _explain_training(report, version, inputs, keywords)
    return report


def _explain_training(report: Report, version: Version, inputs: tuple, keywords: dict) -> None:
    """Runs the forward of a training step, if something wants gradients, and adds what it keeps and is compiled to."""
    kept: list[Tensor] = []

    def keep(tensor: Tensor) -> Tensor:
        kept.append(tensor)
        return tensor

    tensors = version.tensors(inputs, keywords)
    with torch.random.fork_rng(devices=[]), torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        version.run(tensors)
    given = {tensor.data_ptr() for tensor in tensors}
    made = {tensor.data_ptr(): tensor.nbytes for tensor in kept}
    trainings = version.region.trainings
    if any(trainings.made.values()):
        report.saved_bytes = sum(size for place, size in made.items() if place not in given)
    _add_trainings(report, trainings, CPU.left_out(version.region.source.options))


def _add_forward(report: Report, remarks: Iterable[str], left_out: dict[str, str]) -> None:
    """Adds what was decided when a forward was compiled."""
    report._add(_decision(remark, "forward") for remark in remarks)
    report._add(Decision(name, "", "left out", reason, "forward") for name, reason in left_out.items()
                if name not in _OF_BACKWARD)


def _add_trainings(report: Report, trainings: CompiledTrainings, left_out: dict[str, str]) -> None:
    """Adds what was decided for both halves of a training step, and their texts."""
    for training in trainings.made.values():
        if training is None:
            report._add([Decision("rgnn-differentiate", "", "refused", trainings.refusal, "backward")])
        elif isinstance(training, Plan):
            for region in training.regions:
                _add_forward(report, region.source.remarks, left_out)
                _add_trainings(report, region.trainings, left_out)
        else:
            both = [_decision(remark, "forward") for remark in trainings.remarks]
            report._add(decision for decision in both if decision.name not in _OF_BACKWARD)
            _add_forward(report, training.forward.source.remarks, left_out)
            report.ir["forward"] = training.forward.source.text
            if training.backward:
                report._add(decision._replace(half="backward") for decision in both if decision.name in _OF_BACKWARD)
                report._add(_decision(remark, "backward") for remark in training.backward.source.remarks)
                report._add(Decision(name, "", "left out", reason, "backward") for name, reason in left_out.items())
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


def _decision(remark: str, half: str) -> Decision:
    """A remark of the compiler, or another message, as a decision."""
    match = re.match(r'(?:(?P<where>\S+:\d+):\d+: )?(?P<kind>\w+): (?:.*Category:(?P<name>[\w-]+).*Remark=")?'
                     r'(?P<reason>.*?)"?$', remark, re.DOTALL)  # fmt: skip
    outcome = "taken" if match["kind"] == "passed" else "refused"
    variant = re.search(r"Function=(forward_\d+) ", remark)
    reason = f"{match['reason']} (in @{variant[1]})" if variant else match["reason"]
    return Decision(match["name"] or "", match["where"] or "", outcome, reason, half)


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


__all__ = ["Decision", "Report", "explain"]

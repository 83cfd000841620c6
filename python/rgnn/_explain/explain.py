"""rgnn.explain: what a model is compiled to, and why."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import torch
from _rgnn import CompileError as CompilerRefusal
from _rgnn import compile as compile_text
from _rgnn import run_pipeline
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from .._compile import compile as compile_model
from .._compiler import CompiledTrainings, compile_region, discard_temporary, list_left_out
from .._errors import InputError, first_line
from .._function import Function
from .._options import Options
from .._preserve import copied, preserved
from .._profile import Profile, profile
from .._run.region import Region
from .._target import CPU, Target, check_target
from .._trial import Subject, Trial, WatchedRegion, given_to_forward, subject_of, why_in_pytorch
from .candidates import chosen_options, list_candidates
from .gpu import compile_for, describe
from .graphs import describe_graphs
from .report import Compilation, Report, add_forward, add_trainings, decisions, refusals


def explain(model: Any, *inputs: Any, target: str | None = None, options: Options | None = None,
            measure: bool = False, **keywords: Any) -> Report:  # fmt: skip
    """Compiles a model for the given inputs, runs it and reports what was done. The model stays as it was.

    Args:
        model: a module or function, compiled or not.
        inputs: what the model is called with.
        target: as in :func:`rgnn.compile`, or an NVIDIA GPU, which this machine need not have: ``"cuda"``, or a chip
            such as ``"sm_80"``. The report then has the PTX of the forward, and for each kernel what it takes, where
            a CUDA toolkit is at hand (``CUDA_ROOT``).
        options: as in :func:`rgnn.compile`; by default those that a compiled model has.
        measure: whether the report has times of kernels, too, those of :func:`rgnn.profile`: the model is called a
            dozen times more, forward and backward, on a processor. ``report.html(path)`` then shows them. Plans that
            were compared (``Options(plan="costs")``) are measured, too, the first six of each region.
        keywords: what the model is called with by name.

    Never fails for a model that cannot be compiled: the report says why.

    Raises:
        ValueError: an unknown target.
    """
    check_target(target)
    subject = subject_of(model, (inputs, keywords), options, target)
    model, function, runner, options, resolved = subject
    report = Report(name=_name_of(model))
    if reason := why_in_pytorch(model):
        report.fallbacks.append(("", reason, ""))
        return report
    if runner is not None and (reason := _unfit(model, *given_to_forward(model, inputs, keywords))):
        report.versions = [f"version {number}: {version}" for number, version in enumerate(runner.versions)]
        report.fallbacks.append(("", f"expected what the model is called with, for its kernels: {reason}", ""))
        return report
    trial = Trial(subject)
    trial.run_quietly(inputs, keywords)
    versions = trial.versions if runner is None else runner.versions
    report.versions = [f"version {number}: {version}" for number, version in enumerate(versions)]
    report.fallbacks += trial.fallbacks
    report.registered += dict.fromkeys(op for version in trial.versions for op in version.registered)
    report.dense += dict.fromkeys(op for version in trial.versions for op in version.dense)
    given = {leaf.data_ptr() for leaf in pytree.tree_leaves((trial.inputs, [*model.parameters(), *model.buffers()]))
             if isinstance(leaf, Tensor) and leaf.layout is torch.strided}  # fmt: skip
    for version in trial.versions:
        for text, part in zip(version.texts, version.regions):
            try:
                _explain_region(report, text, part, options, resolved, given, measure)
            except CompilerRefusal as error:
                report.fallbacks += refusals(error)
            except InputError as error:
                report.fallbacks.append(("", first_line(error), ""))
    if measure and resolved.device == "cpu" and trial.error is None and report.compilations:
        report.profile = _measure(subject, inputs, keywords)
    return report


def _name_of(model: nn.Module) -> str:
    return getattr(model.forward, "__name__", "function") if isinstance(model, Function) else type(model).__name__


def _measure(subject: Subject, inputs: tuple, keywords: dict[str, Any]) -> Profile:
    """Times of a compilation of its own, so that those of a compiled model that is explained do not change."""
    model = subject.function if isinstance(subject.model, Function) else subject.model
    inputs, keywords = copied((inputs, keywords))
    with preserved(subject.model), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return profile(compile_model(model, target="cpu", options=subject.options), *inputs, **keywords)


def _unfit(model: nn.Module, inputs: tuple, keywords: dict[str, Any]) -> str:
    """Why a model cannot be called with some arguments, as far as their number and names say; empty where it can."""
    try:
        inspect.signature(model.forward).bind(*inputs, **keywords)
    except TypeError as error:
        return str(error)
    except ValueError:  # it has no signature
        pass
    return ""


def _explain_region(report: Report, text: str, part: WatchedRegion, options: Options, target: Target,
                    given: set[int], measure: bool) -> None:
    """Adds what one region is compiled to.

    Raises:
        CompilerRefusal: the compiler refuses the options.
    """
    report.add_text("captured", text)
    report.add_text("rgnn", run_pipeline(text, "rgnn-lift-torch,canonicalize,cse"))
    wanted = tuple(tensor.requires_grad for tensor in part.seen or ())
    trains = part.training is not None and True in wanted
    if part.finders and target.device == "cpu":
        if candidates := list_candidates(part, text, options, trains, measure):
            report.candidates.append(candidates)
        options = chosen_options(part, options, trains)
    left_out = list_left_out(options, target)
    if target.chips:
        compiled = compile_for(text, target, options)
        report.add_text("gpu", compiled["ir"]["launches"])
        report.add_text("ptx", "\n".join(compiled["ptx"].values()))
        report.kernels += describe(compiled["kernels"], compiled["ptx"], target.chips[0])
        add_forward(report, Compilation("forward", False, text, options.pipeline(), True, None,
                                        decisions(compiled["remarks"], "forward")), left_out)  # fmt: skip
        if trains:
            trainings = CompiledTrainings(text, options, target)
            trainings.find(wanted)
            add_trainings(report, trainings, text, left_out)
        return
    compiled = add_levels(report, text, options)
    forward = Compilation("forward", False, text, options.pipeline(), False, None,
                          decisions(compiled["remarks"], "forward"))  # fmt: skip
    add_forward(report, forward, left_out)
    if compiled["missing_features"] or part.seen is None:
        return
    region = compile_region(text, options, CPU)
    with torch.no_grad():
        region(part.seen)
    report.peak_bytes = max(report.peak_bytes or 0, region.code.workspace_bytes)
    report.graphs += describe_graphs(region, part.seen)
    forward.sizes[:] = region.count_rows(part.seen)
    if trains:
        _explain_training(report, text, region, part.seen, given)


def add_levels(report: Report, text: str | bytes, options: Options) -> dict:
    """Adds the kernels of one function, and its text at each level; gives what the compiler made of it.

    Raises:
        CompilerRefusal: the compiler refuses the options.
    """
    arguments = f"{{{options.pipeline()}}}" if options.pipeline() else ""
    compiled = compile_text(text, options.pipeline(), False, True)
    discard_temporary(compiled)
    report.add_text("hetkernel", compiled["ir"]["hetkernel"])
    report.add_text("llvm", run_pipeline(text, f"rgnn-to-cpu{arguments}"))
    for level in ("buffers", "assembly"):
        report.add_text(level, compiled["ir"][level])
    report.kernels += [kernel.text for kernel in compiled["kernels"]]
    return compiled


def _explain_training(report: Report, text: str, region: Region, tensors: list[Tensor], given: set[int]) -> None:
    """Runs the forward of a training step, and adds what it keeps and is compiled to."""
    saved: list[Tensor] = []

    def keep(tensor: Tensor) -> Tensor:
        saved.append(tensor)
        return tensor

    with torch.enable_grad(), torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        region(tensors)
    made = {tensor.data_ptr(): tensor.nbytes for tensor in saved}
    sizes: tuple[list[int], list[int]] = [], []
    for training in filter(None, region.trainings.made.values()):
        report.saved_bytes = (report.saved_bytes or 0) + sum(n for place, n in made.items() if place not in given)
        sizes = training.count_rows(tensors)
    add_trainings(report, region.trainings, text, list_left_out(region.source.options, CPU), sizes)


__all__ = ["add_levels", "explain"]

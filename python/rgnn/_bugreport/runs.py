"""Runs a model in compiled code and in PyTorch, for what a report says of both."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

from .._compile import compile as compile_model
from .._dynamo.version import Version
from .._function import Function
from .._preserve import preserved
from .._runner import runner_of
from .._trial import Subject, Trial, WatchingBackend
from .._verify.call import RepeatableCall
from .._verify.compare import measure
from .words import describe_error


@dataclass
class Runs:
    """What came of both.

    Attributes:
        compiled_error, error: what compiled code raised, and PyTorch, in words; empty where they did not.
        differences: what differs beyond rounding, in words, with the numbers that differ.
        shares: of each result and gradient, the largest difference as a share of the largest value.
    """

    compiled_error: str = ""
    error: str = ""
    differences: list[str] = field(default_factory=list)
    shares: dict[str, float] = field(default_factory=dict)


def run_both(subject: Subject, target: str | None, inputs: tuple, keywords: dict[str, Any]) -> Runs:
    """Runs copies, and leaves the model as it was."""
    plain = subject.function if isinstance(subject.model, Function) else subject.model
    with preserved(subject.model), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runner = runner_of(compile_model(plain, target=target, options=subject.options, verify=0))
        runs = (lambda args, kwargs: runner(*args, **kwargs),
                lambda args, kwargs: runner.model._call_impl(*args, **kwargs))  # fmt: skip
        call = RepeatableCall(runner, *runs, inputs, keywords)
        call.remember()
        got, expected, differences = call.run_both()
    errors = [describe_error(outcome.error or outcome.refusal) for outcome in (got, expected)]
    return Runs(*errors, differences, measure(got, expected))


class ReportingBackend(WatchingBackend):
    """Keeps what TorchDynamo captured, and where RGNN fails on it.

    Attributes:
        captured: the code of each graph.
        failures: errors that have PyTorch run a graph, in words.
    """

    def __init__(self, *settings: Any):
        super().__init__(*settings)
        self.captured: list[str] = []
        self.failures: list[str] = []

    def __call__(self, module: Any, inputs: list[Any]) -> Any:
        self.captured.append(module.code)
        return super().__call__(module, inputs)

    def _run_in_pytorch(self, module: Any, reason: str, error: Exception) -> Version:
        self.failures.append(describe_error(error))
        return super()._run_in_pytorch(module, reason, error)


class ReportingTrial(Trial):
    backend_type = ReportingBackend

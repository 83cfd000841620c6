"""Runs of a model as it would be compiled, which leave it as it was and remember what its regions were called with."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from torch import Tensor, nn
from torch.nn.parameter import UninitializedTensorMixin
from torch.utils import _pytree as pytree

from ._dynamo import private
from ._dynamo.backend import Backend
from ._dynamo.frames import REFUSALS, Captures, optimize
from ._dynamo.regions import CompiledRegion
from ._dynamo.version import Version
from ._errors import CompileError, FallbackError, first_line
from ._function import Function, argument_names, forward_of, hooks, traceable
from ._options import Options
from ._preserve import copied, preserved
from ._runner import Runner, runner_of
from ._sparse import Place, hand_over, handed_over, matrices_of
from ._sparse.creation import MatrixMadeError
from ._sparse.matrix import NoRuleError
from ._target import Target, resolve


class _GivenError(BaseException):
    """Ends a call whose arguments are known; no model catches it."""


def given_to_forward(model: nn.Module, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
    """What ``forward`` is given in a call: a class may have a ``__call__`` of its own, as PyG's aggregations have."""
    if type(model).__call__ is nn.Module.__call__:
        return args, kwargs
    given = []

    def note(*args: Any, **kwargs: Any) -> None:
        given.append((args, kwargs))
        raise _GivenError

    held, model._compiled_call_impl = model._compiled_call_impl, note
    try:
        model(*args, **kwargs)
    except Exception:
        return args, kwargs  # the call says what is wrong
    except _GivenError:
        return given[0]
    finally:
        model._compiled_call_impl = held
    return args, kwargs


class Subject(NamedTuple):
    """What is tried out.

    Attributes:
        model: the module; a function as one.
        function: what is captured of it.
        runner: what runs it compiled, where it is compiled.
        options, target: as given, else those that it is compiled with, else the defaults.
    """

    model: nn.Module
    function: Callable
    runner: Runner | None
    options: Options
    target: Target


def subject_of(model: Any, inputs: Any, options: Options | None, target: str | None) -> Subject:
    """Of a module or function, compiled or not, and what it is called with."""
    runner = runner_of(model)
    if runner is not None:
        runner.follow_original()
        options, target, model, function = (options or runner.options, target or runner.target, runner.model,
                                            runner.plain)  # fmt: skip
    elif isinstance(model, nn.Module):
        function = forward_of(model)
    else:
        function, model = traceable(model), Function(model)
    tensors = [leaf for leaf in pytree.tree_leaves(inputs) if isinstance(leaf, Tensor)]
    return Subject(model, function, runner, options or Options(), resolve(target, tensors))


def why_in_pytorch(model: nn.Module) -> str:
    """Why a model runs in PyTorch whatever it is called with; empty where that is open."""
    for name, module in model.named_modules():
        if any(hooks(module)):
            return f"{name or 'model'}: it has hooks, which a compiled model would not call"
    if any(isinstance(tensor, UninitializedTensorMixin) for tensor in (*model.parameters(), *model.buffers())):
        return "the model has uninitialized parameters: call it once before"
    return private.missing or ""


class Recorded(NamedTuple):
    """What a model is compiled to for processors.

    Attributes:
        options: those that it was compiled with.
        regions: what each is compiled of, and what it was called with.
        fallbacks: operator, reason and source line of what PyTorch runs.
    """

    options: Options
    regions: list[tuple[str, list[Tensor]]]
    fallbacks: list[tuple[str, str, str]]


def record_regions(model: Any, inputs: tuple, keywords: dict[str, Any], options: Options | None = None) -> Recorded:
    """Runs a model as it would be compiled. Raises what the model raises."""
    subject = subject_of(model, (inputs, keywords), options, "cpu")
    if reason := why_in_pytorch(subject.model):
        return Recorded(subject.options, [], [("", reason, "")])
    trial = Trial(subject)
    trial.run_quietly(inputs, keywords)
    if trial.error is not None:
        raise trial.error
    regions = [(text, region.seen) for version in trial.versions
               for text, region in zip(version.texts, version.regions) if region.seen is not None]  # fmt: skip
    return Recorded(subject.options, regions, trial.fallbacks)


class WatchedRegion(CompiledRegion):
    """Remembers what it was last called with."""

    seen: list[Tensor] | None = None

    def _run(self, tensors: list[Tensor]) -> Any:
        self.seen = self._complete(list(tensors))
        return super()._run(tensors)


class WatchingBackend(Backend):
    region_type = WatchedRegion


class Trial:
    """A run of a model as it would be compiled, on copies of its inputs.

    Attributes:
        inputs: the copies.
        versions: of each graph that was captured.
        backend: what made them last.
        fallbacks: what runs in PyTorch of it.
        error: what the model raised, if it did.
    """

    backend_type = WatchingBackend

    def __init__(self, subject: Subject):
        self._model, self._function, self._runner, options, target = subject
        self._names = () if isinstance(self._model, Function) else argument_names(self._model)
        # What is lifted does not depend on options: where this machine cannot run their code, other code runs.
        self._settings = [(Options(), "cpu")] if target.chips else [(options, "cpu"), (Options(), "cpu")]
        self.inputs: Any = ()
        self.versions: list[Version] = []
        self.fallbacks: list[tuple[str, str, str]] = []
        self.error: Exception | None = None

    def run_quietly(self, args: tuple, kwargs: dict) -> None:
        """Runs the model without its warnings."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.run(args, kwargs)

    def run(self, args: tuple, kwargs: dict) -> None:
        args, kwargs = given_to_forward(self._model, args, kwargs)
        for settings in self._settings:
            captures = Captures() if self._runner is None else self._runner.captures.again()
            error = None
            for _ in range(2):
                backend = self.backend = self.backend_type(*settings, False, self._names)
                error = self._call(backend, captures, args, kwargs)
                if backend.versions or not captures.skipped or captures.is_lenient:
                    break
                captures.is_lenient, captures.skipped = True, []  # as a compiled model does from its second call on
            if not isinstance(error, CompileError):
                break
        self.versions, self.error = backend.versions, error
        # Causes first: that a graph ends in the middle is why no graph is seen around what is left.
        found = [("graph break", *version.broken) for version in self.versions if version.broken]
        found += [("", reason, "") for reason in captures.skipped]
        if error is not None:
            found.append(("", f"{type(error).__name__}: {first_line(error)}", ""))
        found += [fallback for version in self.versions for fallback in version.fallbacks]
        if not found and not self.versions:
            found.append(("", "it computes nothing of tensors", ""))
        self.fallbacks = list(dict.fromkeys(found))

    def _call(self, backend: Backend, captures: Captures, args: tuple, kwargs: dict) -> Exception | None:
        """The error of one call, if there is one."""
        self.inputs = args, kwargs = copied((args, kwargs))
        handed, places = hand_over(args, kwargs), matrices_of(self._model.modules())
        args, kwargs = handed or (args, kwargs)
        error = self._run_captured(backend, captures, args, kwargs, places, handed is not None or bool(places))
        if isinstance(error, MatrixMadeError):
            error = self._run_captured(backend, captures, args, kwargs, places, is_whole=True)
            if isinstance(error, (*REFUSALS, FallbackError, NoRuleError)):
                captures.leaves_matrices = True
                error = self._run_captured(backend, captures, args, kwargs, places, is_whole=False)
        return error

    def _run_captured(self, backend: Backend, captures: Captures, args: tuple, kwargs: dict, places: list[Place],
                      is_whole: bool) -> Exception | None:  # fmt: skip
        run = optimize(self._function, backend, is_whole, captures)
        with preserved(self._model), handed_over(places):
            try:
                run(*args, **kwargs)
            except Exception as error:
                return error
        return None

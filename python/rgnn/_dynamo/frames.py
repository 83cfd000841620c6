"""Makes a function run under TorchDynamo with a backend, with settings that hold while it captures and no longer."""

from __future__ import annotations

import contextlib
import functools
import gc
import itertools
import logging
import re
import types
import warnings
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from .._capture import capturing
from .._capture.error import CaptureError
from .._errors import FallbackError
from .._sparse import creation
from .._sparse.matrix import is_seen
from .._sparse.rules import OVERRIDDEN
from . import private, sizes
from .branches import Ways, check_way, decided
from .corrections import absent, attributes, copies, deletions, deques, members, properties, warned
from .leading import CaptureAgainError, LeadingSizes
from .leading.movement import has_rows_of_parameters, look_for_rows
from .limits import (
    MAX_FAILURES,
    describe_leading,
    describe_overflow,
    describe_sets,
    describe_sparse,
    is_full,
)
from .normalise.plain_calls import call_methods
from .text import describe_guard

REFUSALS = () if private.missing else (private.Unsupported, private.UserError, private.GuardOnDataDependentSymNode)
"""What TorchDynamo raises where a model is no single graph, and has to be."""


@dataclass
class Captures:
    """What is known of the captures of one model.

    Attributes:
        seen: numbers that were not symbols, by where they come from.
        skipped: why frames ran in PyTorch that TorchDynamo failed on.
        failed: such frames of the call that is under way, by their code and what kinds of values they have.
        failures: in how many calls TorchDynamo failed on such a frame, and PyTorch ran it without an error.
        on_miss: called where no capture fits a call of the model, before any of its code runs.
        full: places whose captures have run out at a call.
        crowded: places of which it was said that they have a capture for each set of types.
        overflows: what is to be said of both; whoever tells the user takes it out.
        leading: sizes that are no symbols, or are, because of where the model's rows are.
        why: guards of earlier captures that failed for the frame that is being captured.
        is_lenient: whether a frame that TorchDynamo cannot capture is left to PyTorch for good, and what it calls is
            captured instead. Until PyTorch has run such a frame, the error may be the model's own.
        leaves_matrices: whether PyTorch makes the sparse matrices that a model makes.
        picks_rows: whether captures go on behind branches on whether floats pick any rows, for calls in which they do.
        inputs: of a capture that runs nothing, the tensors whose rows are symbols: what is not captured is an error.
    """

    seen: dict[str, set] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    failed: set[tuple] = field(default_factory=set)
    failures: Counter[tuple] = field(default_factory=Counter)
    on_miss: Callable[[], None] | None = None
    full: set[types.CodeType] = field(default_factory=set)
    crowded: set[types.CodeType] = field(default_factory=set)
    overflows: list[str] = field(default_factory=list)
    leading: LeadingSizes = field(default_factory=LeadingSizes)
    why: list[str] = field(default_factory=list)
    is_lenient: bool = False
    leaves_matrices: bool = False
    picks_rows: bool = True
    inputs: list[Tensor] | None = None

    def again(self) -> Captures:
        """For captures of the same model, which have for numbers, and for symbols, what the next ones here would."""
        leading = LeadingSizes(set(self.leading.in_front), set(self.leading.rows), self.leading.are_parameters_constant)
        return Captures(seen={name: set(values) for name, values in self.seen.items()}, leading=leading)


def optimize(function: Callable, backend: Callable, fullgraph: bool, captures: Captures) -> Callable:
    """The function, whose calls run what ``backend`` makes of them.

    Args:
        function: a Python function or a bound method.
        backend: as of ``torch.compile``; the caller keeps it.
        fullgraph: whether a graph break is an error.
        captures: of the model that the function is of; it is written to.
    """
    if captures.inputs is not None:
        return _optimize(function, backend, fullgraph, captures)
    make = functools.partial(_optimize, function, backend, fullgraph, captures)

    def tell(why: str) -> None:
        if fullgraph:
            raise FallbackError(why)
        captures.overflows.append(why)

    def give_up() -> None:
        captures.picks_rows = False

    return Ways(function, make, tell, None if fullgraph else give_up)


def _plan(backend: Any, module: Any, inputs: list[Any], leading: LeadingSizes) -> Callable:
    """What a backend makes of a graph. Where it leaves something to PyTorch, and Parameters have symbolic numbers of
    rows, the graph is captured again, with constants."""
    if not has_rows_of_parameters(module.graph):
        return backend(module, inputs)
    versions = getattr(backend, "versions", [])
    made, run = len(versions), None
    with contextlib.suppress(FallbackError):
        run = backend(module, inputs)
    if run is None or any(version.fallbacks for version in versions[made:]):
        del versions[made:]
        leading.give_up_parameters()
    return run


def _optimize(function: Callable, backend: Callable, fullgraph: bool, captures: Captures) -> Callable:
    """The same for calls that take one way through the function's branches."""
    held = weakref.ref(backend)  # TorchDynamo keeps what it is given for as long as the code of the function lives

    def call(module: Any, inputs: list[Any]) -> Callable:
        sizes.leave_layouts_unasked()
        call_methods(module.graph)
        checked, module.meta["rgnn_branches"] = check_way(module)
        captures.overflows += describe_leading(look_for_rows(module.graph, captures.seen, captures.leading))
        if is_seen(module.graph):
            raise FallbackError("it gives or keeps a sparse matrix that it makes")
        module.meta["rgnn_why"] = captures.why
        return checked(_plan(held(), module, inputs, captures.leading))

    context = private.dynamo.optimize(call, nopython=fullgraph, **private.APART)
    private.cached_backends.pop(id(call), None)
    function = _with_own_code(function)
    context.callback = _Callback(context.callback, fullgraph, captures, getattr(function, "__code__", None))
    with sizes.traces_apart():
        return context(function)


_numbers = itertools.count()


def _with_own_code(function: Callable) -> Callable:
    """The function, with code that equals no other: TorchDynamo keeps captures, and counts them, by the code.

    So they go with the model, and neither other models of a class nor other users of ``torch.compile`` meet them.
    """
    plain = getattr(function, "__func__", function)
    if not isinstance(plain, types.FunctionType):
        return function
    code = plain.__code__.replace(co_consts=(*plain.__code__.co_consts, f"rgnn {next(_numbers)}"))
    own = types.FunctionType(code, plain.__globals__, plain.__name__, plain.__defaults__, plain.__closure__)
    own.__kwdefaults__, own.__qualname__, own.__module__ = plain.__kwdefaults__, plain.__qualname__, plain.__module__
    vars(own).update(vars(plain))
    return own if plain is function else types.MethodType(own, function.__self__)


_CALLED_BACK = "rgnn._run."
"""Where functions are that run as a tensor goes, in the middle of a model: they forget what was kept for it."""


class _Callback:
    """What TorchDynamo calls for a frame that no capture fits."""

    def __init__(self, stock: Any, fullgraph: bool, captures: Captures, code: Any):
        self._stock, self._fullgraph, self._captures, self._code = stock, fullgraph, captures, code
        self._torchdynamo_orig_backend = stock  # through which PyTorch finds the backend

    def __call__(self, frame: Any, cache_entry: Any, frame_state: Any) -> Any:
        if frame.f_globals.get("__name__", "").startswith(_CALLED_BACK):
            return private.ConvertFrameReturn(private.SKIP_FRAME, apply_to_code=True)
        if self._captures.on_miss is not None and frame.f_code is self._code:
            self._captures.on_miss()
        if self._captures.failures and self._captures.failures[_kind_of(frame)] >= MAX_FAILURES:
            return private.ConvertFrameReturn(private.SKIP_FRAME, apply_to_code=False)
        if is_full(frame.f_code, self._stock):
            return self._run_in_pytorch(frame)
        self._captures.why = _failed_guards(frame, self._stock)
        self._warn_of_sets(frame)
        while True:
            try:
                return self._capture(frame, cache_entry, frame_state)
            except CaptureAgainError as error:  # what its frames hold of the call goes now, and not with cycles later
                while error is not None:
                    error.__traceback__, error.__context__, error = None, None, error.__context__

    def _capture(self, frame: Any, cache_entry: Any, frame_state: Any) -> Any:
        """Captures a frame. Raises CaptureAgainError where that is to be done with other symbols."""
        captures = self._captures
        is_models = frame.f_code is self._code and not captures.is_lenient and not captures.leaves_matrices
        matrices = creation.captured(self._fullgraph if self._fullgraph or is_models else None)
        constants = sizes.constants_fixed(captures.seen, frame, self._fullgraph, captures.leading, captures.inputs)
        branches = decided(self._code, captures.picks_rows) if captures.inputs is None else contextlib.nullcontext()
        with (private.compile_lock, _settings(), branches, _without_collections(), capturing.active(),
              sizes.of_this_thread(), sizes.read_directly(), absent.checked(), attributes.kept(),
              members.compared(), deques.bounded(), deletions.checked(), properties.called(), copies.followed(),
              warned.repeated(), constants):
            try:
                with matrices, sizes.symbolic():
                    return self._checked(frame, cache_entry, frame_state)
            except creation.MatrixMadeError:
                raise
            except private.TorchRuntimeError:
                pass  # an operator broadcasts, or refuses, sizes as they are
            except Exception as error:
                return self._skip(error, frame)
            try:
                return self._checked(frame, cache_entry, frame_state)
            except Exception as error:
                return self._skip(error, frame)

    def _run_in_pytorch(self, frame: Any) -> Any:
        """Has PyTorch run a call that no capture fits, where there may be no more."""
        if frame.f_code not in self._captures.full:
            why = describe_overflow(frame, self._stock)
            if self._fullgraph:
                raise FallbackError(why)
            self._captures.full.add(frame.f_code)
            self._captures.overflows.append(why)
        return private.ConvertFrameReturn(private.RUN_CALL, apply_to_code=False)

    def _warn_of_sets(self, frame: Any) -> None:
        """Has it said where a place is captured again and again for the sake of types that batches have or lack."""
        if frame.f_code in self._captures.crowded:
            return
        with contextlib.suppress(Exception):  # it is for the report alone
            if why := describe_sets(frame, self._stock):
                self._captures.crowded.add(frame.f_code)
                self._captures.overflows.append(why)

    def _checked(self, frame: Any, cache_entry: Any, frame_state: Any) -> Any:
        """What TorchDynamo says of a frame; one that it fails on runs in PyTorch this time alone."""
        failures = private.failures()
        result = self._stock(frame, cache_entry, frame_state)
        if result.guarded_code is not None:
            return result
        has_failed = private.failures() > failures
        why = describe_sparse(frame) or (None if has_failed else getattr(result, "skip_reason", None))
        why = f": {why}" if why else ""
        if self._captures.inputs is not None and frame.f_code is self._code:
            raise CaptureError(f"TorchDynamo does not capture it{why}")
        if has_failed and not self._captures.is_lenient:
            self._captures.skipped.append(f"TorchDynamo cannot capture it{why}")
            self._captures.failed.add(_kind_of(frame))
            return private.ConvertFrameReturn(private.SKIP_CALL, apply_to_code=False)
        if frame.f_code is self._code:
            self._captures.skipped.append(f"TorchDynamo does not capture it{why}")
        return result

    def _skip(self, error: Exception, frame: Any) -> Any:
        """Has PyTorch run the frame, whose errors are then the model's own."""
        inner = getattr(error, "inner_exception", error)
        if isinstance(inner, CaptureAgainError):
            raise inner from None
        # What an operator refuses may be the model's own error: then PyTorch says so.
        is_operators = isinstance(error, private.TorchRuntimeError)
        is_dry = self._captures.inputs is not None
        if getattr(inner, "is_callers", False) or (self._fullgraph and not is_operators) or is_dry:
            raise inner from None
        self._captures.skipped.append(describe(error))
        self._captures.failed.add(_kind_of(frame))
        return private.ConvertFrameReturn(private.SKIP_CALL, apply_to_code=False)


def _kind_of(frame: Any) -> tuple:
    """The code of a frame, and what kinds of values it has: layers share their code."""
    kinds = ((name, type(value), value.layout if isinstance(value, Tensor) else id(value) if name == "self" else None)
             for name, value in frame.f_locals.items())  # fmt: skip
    return frame.f_code, *kinds


def _failed_guards(frame: Any, backend: Any) -> list[str]:
    """Of each earlier capture of a frame's code, the first guard that does not hold."""
    found = []
    for entry in private.captures_of(frame.f_code, backend):
        with contextlib.suppress(Exception):  # it is for the report alone
            reason = private.guard_failure(entry.guard_manager, entry.code, frame.f_locals, entry.compile_id,
                                           entry.backend, True)  # fmt: skip
            found.append(describe_guard(reason))
    return list(dict.fromkeys(found))


def describe(error: BaseException) -> str:
    """One line of an error of TorchDynamo that tells a user most."""
    # Of what an operator raises that is run without data, TorchDynamo tells in the midst of its own words.
    own = re.search(r": got (\w+)\((['\"])(.*?)\2\)", str(error))
    if isinstance(error, private.TorchRuntimeError) and own:
        return f"{own[1]}: {own[3]}"
    raised = re.search(r"raised exception (\w+)\((['\"])(.*?)\2\)", str(error))
    if raised:
        return f"{raised[1]}: {raised[3]}"
    asked = re.search(r"User-inserted graph break\. Message: (.+)", str(error))
    if asked:
        return asked[1]
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


@contextlib.contextmanager
def _without_collections() -> Iterator[None]:
    """A capture makes many objects and little garbage: the collector would look through them again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextlib.contextmanager
def _settings() -> Iterator[None]:
    private.get_overridable_functions().update(OVERRIDDEN)
    with private.dynamo_config.patch(
        assume_static_by_default=False, automatic_dynamic_shapes=False, allow_unspec_int_on_nn_module=True,
        capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True, optimize_ddp=False,
        recompile_limit=1 << 20, accumulated_recompile_limit=1 << 20, allow_rnn=True,
        reorderable_logging_functions={warnings.warn},
    ), private.shape_config.patch(use_duck_shape=False), _quiet(private.fake_tensor.__name__):  # fmt: skip
        yield


@contextlib.contextmanager
def _quiet(name: str) -> Iterator[None]:
    """What an operator refuses is told by PyTorch, which runs it, and not by a traceback of the capture as well."""
    log = logging.getLogger(name)
    was_disabled, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = was_disabled

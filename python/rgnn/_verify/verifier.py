"""Decides which calls of a compiled model run in PyTorch as well, and what follows from a difference."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .._errors import CompileError, FallbackError, VerificationError
from .._warning import warn
from .call import RepeatableCall

if TYPE_CHECKING:
    from .._dynamo.version import Version
    from .._runner import Runner

_lock = threading.RLock()  # a model that holds copies for a while is for one thread


def parse(verify: int | str | None) -> tuple[int, bool]:
    """How many calls of each version are verified, and whether a difference only warns.

    Args:
        verify: as of :func:`rgnn.compile`; None: what the environment variable ``RGNN_VERIFY`` says.

    Raises:
        ValueError: neither a number nor ``"warn"``.
    """
    name = "verify"
    if verify is None:
        name, text = "RGNN_VERIFY", os.environ.get("RGNN_VERIFY", "").strip()
        verify = int(text) if text.isdecimal() else text or 0
    if verify == "warn":
        return 1, True
    if not isinstance(verify, int) or verify < 0:
        raise ValueError(f"{name}: expected a number of calls or 'warn', got {verify!r}")
    return int(verify), False


class Verifier:
    """Verifies the first calls of each version of one model.

    Args:
        times: how many.
        warns: whether PyTorch's result is given where it differs, with a warning, instead of an error.
    """

    def __init__(self, times: int, warns: bool):
        self._times, self._warns = times, warns
        self._remembers = False  # before each call, since a version may be made in the midst of it
        self._call: RepeatableCall | None = None  # the one that runs
        self._reports: dict[int, str] = {}  # folders, by version

    def call(self, runner: Runner, compiled: Callable, plain: Callable, args: tuple, kwargs: dict) -> Any:
        """What a call of the model gives, verified if its turn has come.

        Args:
            runner: the compiled model.
            compiled, plain: its call in compiled code, and in PyTorch, as functions of ``args`` and ``kwargs``.

        Raises:
            VerificationError: compiled code differs from PyTorch.
        """
        with _lock, self._making(RepeatableCall(runner, compiled, plain, args, kwargs)) as call:
            if self._remembers or any(map(self._is_due, runner.versions)):
                self.remember()
            result = error = None
            try:
                result = compiled(args, kwargs)
            except (CompileError, FallbackError):
                raise
            except Exception as raised:
                error = raised
            due = [version for version in call.ran.values() if self._is_due(version)]
            self._remembers = self._remembers or len(call.ran) > 1 or (due and call.state is None)
            if due and call.state is not None:
                differences = _guarded(lambda: call.verify(result, error))
                if differences:
                    return self._tell(call, due, differences, error)
                for version in due if error is None else ():
                    version.verified += 1
            if error is not None:
                raise error
            return result

    def remember(self) -> None:
        """Notes all as it is before the call that runs; too late once code of a version has run."""
        if self._call is not None and self._call.state is None and not self._call.ran:
            _guarded(self._call.remember)

    def note(self, version: Version) -> None:
        """A version runs."""
        if self._call is not None:
            self._call.ran[id(version)] = version

    def _is_due(self, version: Version) -> bool:
        return version.verified < self._times

    @contextlib.contextmanager
    def _making(self, call: RepeatableCall) -> Iterator[RepeatableCall]:
        outer, self._call = self._call, call
        try:
            yield call
        finally:
            self._call = outer

    def _tell(self, call: RepeatableCall, due: list[Version], differences: list[str], error: Exception | None) -> Any:
        """Raises the error, or gives PyTorch's result with a warning; the versions stay in doubt."""
        if call.broken:
            return self._answer(call, f"a registered operator is not what it promises: {'; '.join(call.broken)}", error)
        key = id(due[0])
        if key not in self._reports:
            self._reports[key] = call.report(differences)
        more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
        text = f"compiled code differs from PyTorch: {differences[0]}{more}; report: {self._reports[key]}"
        return self._answer(call, text, error)

    def _answer(self, call: RepeatableCall, text: str, error: Exception | None) -> Any:
        """Raises the error, or gives PyTorch's result with a warning."""
        if not self._warns or not call.state.restore():
            raise VerificationError(text) from error
        warn(f"rgnn: {text}; PyTorch's result is given")
        return call.repeat_in_pytorch()


def _guarded(verify: Callable) -> Any:
    """A fault of verification is no fault of the model."""
    try:
        return verify()
    except Exception as error:
        warn(f"rgnn: a call cannot be verified: {type(error).__name__}: {error}")
        return None

"""One call of a compiled model that is made in PyTorch as well, on copies."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from .._ops import registry
from .._run.autocast import autocast_dtype
from .._warning import warn
from .compare import Outcome, compare
from .observe import observe, observe_real
from .ops import WatchedOps
from .report import shrink, write_report
from .state import State, remember_random_states

if TYPE_CHECKING:
    from .._dynamo.version import Version
    from .._runner import Runner

_eager: int | None = None  # the thread whose calls of compiled models run in PyTorch


def is_eager() -> bool:
    """Whether calls of compiled models are to run in PyTorch: they are part of what others are compared to."""
    return _eager is not None and _eager == threading.get_ident()


class RepeatableCall:
    """A call, and what is needed to make it again.

    Args:
        runner: the compiled model.
        compiled, plain: its call in compiled code, and in PyTorch, as functions of ``args`` and ``kwargs``.

    Attributes:
        state: of all that the call reads and may write, before it; None as long as it is not remembered.
        ran: the versions that ran, by identity.
        broken: what registered operators promise and do not keep, in words.
    """

    def __init__(self, runner: Runner, compiled: Callable, plain: Callable, args: tuple, kwargs: dict):
        self._runner, self._compiled, self._plain, self._arguments = runner, compiled, plain, (args, kwargs)
        self.state: State | None = None
        self.ran: dict[int, Version] = {}
        self.broken: list[str] = []

    def remember(self) -> None:
        """Notes all as it is before the call."""
        self._restore_random = remember_random_states()
        self.state = State.take(self._runner.model, *self._arguments)

    def verify(self, result: Any, error: Exception | None) -> list[str]:
        """What differs from PyTorch in the call, which was made and gave or raised this; all else stays as it is."""
        after = remember_random_states()
        try:
            got = observe_real(result, error, self.state, self._arguments)
            expected, precision = self._run_watching(), _precision(self.state)
            if self.broken:
                return self.broken
            if not compare(got, expected, precision, self._run_exactly):
                return []
            with _Dtypes() as seen:
                again = self._run_eager()
            if compare(again, expected, precision, lambda: None):
                warn("rgnn: a call cannot be verified: in PyTorch the model gives other results in each run")
                return []
            return compare(got, expected, max(precision, seen.precision), self._run_exactly)
        finally:
            after()

    def run_both(self) -> tuple[Outcome, Outcome, list[str]]:
        """What compiled code and PyTorch make of copies, and what differs beyond rounding; nothing is changed."""
        after = remember_random_states()
        try:
            with _Dtypes() as seen:
                expected = self._run_eager()
            self._restore_random()
            got = observe(self._compiled, self.state.fresh())
            precision = max(_precision(self.state), seen.precision)
            return got, expected, compare(got, expected, precision, self._run_exactly)
        finally:
            after()

    def report(self, differences: list[str]) -> str:
        """Writes a report with the smallest arguments that are easily found; gives its folder."""
        after, ran = remember_random_states(), dict(self.ran)
        try:
            shrunk = shrink(self.state, self._differs)
            return write_report(self._runner, list(ran.values()), differences, self.state, shrunk)
        finally:
            after()

    def repeat_in_pytorch(self) -> Any:
        """The call as PyTorch makes it, where all is as it was before."""
        self._restore_random()
        return self._plain(*self._arguments)

    def _run_watching(self) -> Outcome:
        """The call in PyTorch, with a look at what registered operators promise."""
        if not registry.is_any():
            return self._run_eager()
        with WatchedOps() as watched:
            outcome = self._run_eager()
        self.broken = watched.broken
        return outcome

    def _run_eager(self, wide: bool = False) -> Outcome:
        return self._run_on(self.state.fresh(wide))

    def _run_on(self, state: State) -> Outcome:
        global _eager
        before, _eager = _eager, threading.get_ident()
        self._restore_random()
        try:
            return observe(self._plain, state)
        finally:
            _eager = before

    def _run_exactly(self) -> Outcome | None:
        """The call in PyTorch in float64; None where the model takes no other precision."""
        default = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        try:
            with torch.autocast("cpu", enabled=False), torch.autocast("cuda", enabled=False):
                outcome = self._run_eager(wide=True)
            return outcome if outcome.error is None else None
        finally:
            torch.set_default_dtype(default)

    def _differs(self, state: State) -> bool:
        """Whether compiled code differs on a state."""
        expected = self._run_on(state.fresh())
        if expected.error is not None:
            return False
        self._restore_random()
        return bool(compare(observe(self._compiled, state.fresh()), expected, _precision(state), lambda: None))


class _Dtypes(TorchDispatchMode):
    """Notes the coarsest rounding of what is computed, also within the model."""

    def __init__(self) -> None:
        super().__init__()
        self.precision = 0.0

    def __torch_dispatch__(self, function: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        result = function(*args, **(kwargs or {}))
        for part in pytree.tree_leaves(result):
            if isinstance(part, Tensor) and part.is_floating_point():
                self.precision = max(self.precision, torch.finfo(part.dtype).eps)
        return result


def _precision(state: State) -> float:
    """The coarsest rounding in a call."""
    dtypes = {dtype for device in ("cpu", "cuda") if (dtype := autocast_dtype(device)) is not None}
    dtypes |= {twin.dtype for _, twin in state.twins if twin.is_floating_point()}
    return max(torch.finfo(dtype).eps for dtype in dtypes or {torch.get_default_dtype()})

"""Whether a question that PyTorch asks is one of RGNN's captures."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from .. import private

_capturing: int | None = None  # the thread whose sizes these are


@contextlib.contextmanager
def of_this_thread() -> Iterator[None]:
    """What this module changes is for captures of this thread."""
    global _capturing
    before, _capturing = _capturing, threading.get_ident()
    try:
        yield
    finally:
        _capturing = before


def is_own() -> bool:
    return threading.get_ident() == _capturing


@contextlib.contextmanager
def traces_apart() -> Iterator[None]:
    """What is made to run under TorchDynamo here does not take another thread's capture for a trace of its caller."""
    traces = private.symbolic_trace
    stock = traces.is_fx_symbolic_tracing
    traces.is_fx_symbolic_tracing = lambda: stock() and _capturing in (None, threading.get_ident())
    try:
        yield
    finally:
        traces.is_fx_symbolic_tracing = stock

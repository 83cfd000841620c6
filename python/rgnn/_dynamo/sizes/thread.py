"""Whether a question that PyTorch asks is one of RGNN's captures."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

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

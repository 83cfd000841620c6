"""Which thread captures: code that has one way for captures and another for PyTorch asks."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

import torch._dynamo

_lock = threading.RLock()
_owner: int | None = None  # the thread that captures


@torch._dynamo.assume_constant_result
def is_capturing() -> bool:
    """Whether this thread captures. TorchDynamo asks while it traces, and no later call asks again."""
    return threading.get_ident() == _owner


@contextlib.contextmanager
def active() -> Iterator[None]:
    """This thread captures. One at a time: a second thread waits."""
    global _owner
    with _lock:
        before, _owner = _owner, threading.get_ident()
        try:
            yield
        finally:
            _owner = before

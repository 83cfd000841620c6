"""Keeps threads that use a model apart from one that captures it.

While PyTorch captures a model, the parameters in its modules are fake: another thread would compute with them, and the
capture would fail. Only threads with the same modules wait; all else that a capture replaces acts on its thread alone,
or does no harm on others.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from torch import nn

epoch = 0  # odd while a thread captures, and another number after it
_changed = threading.Condition()
_capturing: int | None = None  # the thread that captures
_captured: frozenset[int] = frozenset()  # modules that it captures
_uses: list[tuple[int, frozenset[int]]] = []  # threads, and modules that they run


@contextlib.contextmanager
def use(model: nn.Module) -> Iterator[None]:
    """For code that reads the model: waits while another thread captures a module of it."""
    entry = threading.get_ident(), _modules(model)
    with _changed:
        # A thread that already runs a model is what a capture waits for, and must not wait for the capture.
        _changed.wait_for(lambda: _is_free(*entry) or any(thread == entry[0] for thread, _ in _uses))
        _uses.append(entry)
    try:
        yield
    finally:
        with _changed:
            _uses.remove(entry)
            _changed.notify_all()


@contextlib.contextmanager
def pause() -> Iterator[None]:
    """For a thread that waits to capture: what it runs stands still meanwhile, and no capture waits for it.

    Two threads in one model may both come to a part that has to be captured; each would wait for the other.
    """
    thread = threading.get_ident()
    with _changed:
        paused = [entry for entry in _uses if entry[0] == thread]
        _uses[:] = [entry for entry in _uses if entry[0] != thread]
        _changed.notify_all()
    try:
        yield
    finally:
        with _changed:
            _changed.wait_for(lambda: all(_is_free(*entry) for entry in paused))
            _uses.extend(paused)


@contextlib.contextmanager
def capture(model: nn.Module) -> Iterator[None]:
    """For a capture of the model: one at a time, and waits until no other thread uses a module of it."""
    global epoch, _capturing, _captured
    thread, modules = threading.get_ident(), _modules(model)
    with pause():
        with _changed:
            _changed.wait_for(lambda: _capturing in (None, thread))
            before = _capturing, _captured
            _capturing, _captured = thread, _captured | modules  # now, so that no more threads begin
            epoch += before[0] is None
        try:
            with _changed:
                _changed.wait_for(lambda: not any(used & modules for _, used in _uses))
            yield
        finally:
            with _changed:
                _capturing, _captured = before
                epoch += before[0] is None
                _changed.notify_all()


def _modules(model: nn.Module) -> frozenset[int]:
    # A shallow copy, as a compiled model is, has the same parameters.
    return frozenset(id(module._parameters) for module in model.modules())


def _is_free(thread: int, modules: frozenset[int]) -> bool:
    return _capturing in (None, thread) or not modules & _captured

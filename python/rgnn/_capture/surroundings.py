"""What is changed around an export: output is muted, and more is noted than PyTorch does."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from traceback import FrameSummary, StackSummary
from typing import Any

import torch
import torch.fx
import torch_geometric

from . import layers, overrides
from .serialize import short_path


class _ThreadMuted:
    """A text stream that drops what one thread writes."""

    def __init__(self, stream: Any):
        self._stream, self._thread = stream, threading.get_ident()

    def write(self, text: str) -> int:
        if threading.get_ident() == self._thread:
            return len(text)
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Drops what a failing export prints, logs and warns of; its error says enough."""
    thread = threading.get_ident()

    def elsewhere(record: logging.LogRecord) -> bool:
        return record.thread != thread

    names = [name for name in logging.root.manager.loggerDict if name.startswith("torch")]
    handlers = {h for name in [None, *names] for h in logging.getLogger(name).handlers}
    streams = {name: getattr(sys, name) for name in ("stdout", "stderr")}
    muted = {name: _ThreadMuted(stream) for name, stream in streams.items()}
    for name, stream in muted.items():
        setattr(sys, name, stream)
    for handler in handlers:
        handler.addFilter(elsewhere)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for handler in handlers:
            handler.removeFilter(elsewhere)
        for name, stream in muted.items():
            if getattr(sys, name) is stream:
                setattr(sys, name, streams[name])


@contextlib.contextmanager
def frames() -> Iterator[None]:
    """Makes the exporter note the innermost line of user or framework code of each operator.

    By itself it notes calls of ``forward`` only. Where this private method is missing, locations
    are as coarse as that.
    """
    tracer = torch.fx.proxy.TracerBase
    stock = getattr(tracer, "_filter_traceback_frames", None)
    if stock is None:
        yield
        return

    thread = threading.get_ident()

    def innermost(self: Any, stack: StackSummary) -> StackSummary:
        place = user_frame(stack) if threading.get_ident() == thread else None
        return stock(self, stack) if place is None else StackSummary.from_list([place])

    tracer._filter_traceback_frames = innermost
    try:
        yield
    finally:
        tracer._filter_traceback_frames = stock


@contextlib.contextmanager
def attributes_kept(model: torch.nn.Module) -> Iterator[None]:
    """Gives modules their attributes back: the exporter puts copies in the place of lists and dictionaries."""
    before = [(vars(module), dict(vars(module))) for module in model.modules()]
    try:
        yield
    finally:
        for attributes, kept in before:
            for name in attributes.keys() - kept.keys():
                del attributes[name]
            for name, value in kept.items():
                if attributes.get(name) is not value:
                    attributes[name] = value


_COMPARISONS = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__bool__")


@contextlib.contextmanager
def conditions() -> Iterator[dict[str, None]]:
    """Collects where code outside PyTorch compares a symbolic size with 0 or 1.

    The exporter takes every size for one over 1 and decides such comparisons without a trace.
    """
    thread = threading.get_ident()
    found: dict[str, None] = {}

    def watched(stock: Callable) -> Callable:
        def compare(self: torch.SymInt, other: Any = 0) -> Any:
            if threading.get_ident() == thread and type(other) is int and other in (0, 1):
                caller = sys._getframe(1)
                if not caller.f_code.co_filename.startswith((_TORCH, _HERE, *_GENERATED)):
                    place = short_path(caller.f_code.co_filename)
                    found.setdefault(f"{place}:{caller.f_lineno}")
            return stock(self) if stock.__name__ == "__bool__" else stock(self, other)

        return compare

    stocks = {name: getattr(torch.SymInt, name) for name in _COMPARISONS}
    for name, stock in stocks.items():
        setattr(torch.SymInt, name, watched(stock))
    try:
        yield found
    finally:
        for name, stock in stocks.items():
            setattr(torch.SymInt, name, stock)


_TORCH = os.path.join(os.path.dirname(torch.__file__), "")
_EXPORT = os.path.join(os.path.dirname(__file__), "export.py")
_HERE = os.path.join(os.path.dirname(__file__), "")
_GENERATED = ("<frozen", "<string>", "<eval_with_key")
_PYG = os.path.join(os.path.dirname(torch_geometric.__file__), "")
# The machinery of message passing says less than the layer that calls it.
_PYG_MACHINERY = tuple(
    _PYG + part
    for part in ("nn/conv/message_passing.py", "nn/aggr/", "nn/dense/", "experimental.py", "utils/")
)


def user_frame(frames: StackSummary) -> FrameSummary | None:
    """The innermost frame of a layer or of the user's code, else of other framework code."""
    fallback = None
    for frame in reversed(frames):
        if frame.filename.startswith((_TORCH, *_GENERATED)) or _is_generated(frame):
            continue
        if frame.filename in (overrides.__file__, layers.__file__):
            place = overrides.stock_location(frame.name)
            if place is None:
                continue
            frame = FrameSummary(*place, frame.name, lookup_line=False)
        elif frame.filename == _EXPORT:
            break  # what follows is the caller of the capture
        elif frame.filename.startswith(_HERE):
            continue
        if not frame.filename.startswith(_PYG_MACHINERY):
            return frame
        fallback = fallback or frame
    return fallback


def _is_generated(frame: FrameSummary) -> bool:
    """Whether the frame is in code that PyG writes to a file of a random name."""
    return "_propagate_" in os.path.basename(frame.filename)

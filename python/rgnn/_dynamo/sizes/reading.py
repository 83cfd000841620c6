"""What captures, and calls that fit them, ask of tensors for nothing: it takes time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .. import private
from .thread import is_own


@contextlib.contextmanager
def read_directly() -> Iterator[None]:
    """Calls read sizes as ``x.size(0)``; through PyTorch's helper a batch of 12 relations takes 30 us for that."""
    source = private.TensorPropertySource
    stock = source.reconstruct

    def reconstruct(self: Any, codegen: Any) -> None:
        if not is_own() or self.idx is None:
            stock(self, codegen)
            return
        codegen(self.base)
        codegen.load_method(self.prop.method_name())
        codegen.append_output(codegen.create_load_const(self.idx))
        codegen.call_method(1)

    source.reconstruct = reconstruct
    try:
        yield
    finally:
        source.reconstruct = stock


@contextlib.contextmanager
def layouts_unasked() -> Iterator[None]:
    """Nodes of a trace do not record the layout of each tensor, which takes seconds for hundreds of symbolic sizes."""
    tracing = private.proxy_tensor
    stock = tracing._extract_tensor_metadata
    tracing._extract_tensor_metadata = lambda tensor, *args: None if is_own() else stock(tensor, *args)
    try:
        yield
    finally:
        tracing._extract_tensor_metadata = stock

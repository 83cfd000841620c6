"""What captures, and calls that fit them, ask of tensors for nothing: it takes time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

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
    """Nodes of a trace do not record the layout of each tensor, which takes seconds for hundreds of symbolic sizes.

    What a part is written into keeps its layout without a question about its size, which PyTorch asks to see whether
    parts overlap: its answer is another one, or an error, for tensors without rows.
    """
    tracing, metas = private.proxy_tensor, private.meta_registrations
    stock = tracing._extract_tensor_metadata, metas._scatter_meta_output

    def written(whole: Tensor) -> Tensor:
        return torch.empty_strided(whole.shape, whole.stride(), dtype=whole.dtype, device=whole.device)

    tracing._extract_tensor_metadata = lambda tensor, *args: None if is_own() else stock[0](tensor, *args)
    metas._scatter_meta_output = lambda whole: written(whole) if is_own() else stock[1](whole)
    try:
        yield
    finally:
        tracing._extract_tensor_metadata, metas._scatter_meta_output = stock

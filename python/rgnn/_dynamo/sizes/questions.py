"""Who asks a question about sizes: PyTorch for its own sake, or the model."""

from __future__ import annotations

import itertools
import operator
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sympy
import torch
import torch.nn.functional as F
from torch import Tensor

from .. import private


def asked_by(function: str, file: str, depth: int = 5) -> bool:
    """Whether a function of PyTorch asks what is about to be answered, among that many innermost calls."""
    codes = (frame.f_code for frame in itertools.islice(_askers(), depth))
    return any(code.co_name == function and code.co_filename == file for code in codes)


def asked_about_memory(expression: sympy.Basic) -> bool:
    """Whether PyTorch asks if a tensor without data has room for its data, or if its entries lie upon each other.

    Of copies, whether sizes are equal is another question.
    """
    is_equality = isinstance(expression, sympy.Eq | sympy.Ne)
    return (asked_by("_get_output_tensor_from_cache_entry", private.fake_tensor.__file__)
            or asked_by("meta_copy_", torch._meta_registrations.__file__, depth=4)
            or not is_equality and asked_by("run_and_return_new_tensor_of_input_device",
                                            private.fake_impls.__file__))  # fmt: skip


def asked_by_batch_norm() -> bool:
    """Whether PyTorch's function asks, or the operator where it is taken apart."""
    operators = torch.ops.aten.batch_norm.default, torch.ops.aten._batch_norm_impl_index.default
    return asked_by("batch_norm", torch.nn.functional.__file__) or any(
        frame.f_code.co_name == "decompose" and frame.f_locals.get("self") in operators for frame in _askers())


def asked_about_batch() -> bool:
    """Whether PyTorch asks if a batch has a single value per channel."""
    return asked_by("_verify_batch_size", torch.nn.functional.__file__, depth=6)


def asked_by_slice() -> bool:
    """Whether a slice asks that ends, or begins, at a symbol."""
    slices = (frame.f_locals for frame in _askers() if frame.f_code.co_name == "slice_forward"
              and frame.f_code.co_filename == private.fake_impls.__file__)  # fmt: skip
    return any(isinstance(given.get(bound), torch.SymInt) for given in slices for bound in ("start", "end"))


def answer_for_large(expression: sympy.Basic) -> sympy.Basic | None:
    """Whether a size, or a product with it, is what a size of 0 or 1 would make it: it is not; None for other
    questions."""
    if not isinstance(expression, (sympy.Eq, sympy.Ne)):
        return None
    length, number = expression.args if expression.rhs.is_Integer else reversed(expression.args)
    small = [length.subs(dict.fromkeys(length.free_symbols, size)) for size in (0, 1)]
    if not number.is_Integer or number not in (0, 1, *small):
        return None
    return sympy.sympify(isinstance(expression, sympy.Ne))


def running() -> Any:
    """The function that runs without data, and asks; None where none does."""
    runners = private.dynamo_utils.__file__, _OWN_RUNNER  # TorchDynamo's, and RGNN's when it traces
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "run_node" and frame.f_code.co_filename in runners:
            return getattr(frame.f_locals.get("node"), "target", None)
        frame = frame.f_back
    return None


ATTENTION = (F.multi_head_attention_forward, F.scaled_dot_product_attention)
OF_LARGE = (*ATTENTION, F.linear, torch.einsum, torch.matmul, torch.bmm, operator.matmul, "matmul", "bmm",
             Tensor.contiguous, F.alpha_dropout, F.feature_alpha_dropout, F.dropout1d, F.dropout2d,
             F.dropout3d)  # fmt: skip
"""Results have the shape that they have for large sizes, which holds for few operators (``squeeze`` is none). Models
call the method ``contiguous``; the function is ``normalise.rows.first``'s, where it is all the same if it copies."""
_FOLDER = Path(__file__).parent
_OWN_RUNNER = str(_FOLDER.with_name("functional.py"))
OWN_FILES = {str(file) for file in _FOLDER.glob("*.py")}
"""Which ask nothing themselves."""


def _askers() -> Iterator[types.FrameType]:
    """The innermost calls of PyTorch that lead to a question."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename in OWN_FILES:
        frame = frame.f_back
    for _ in range(6):
        if frame is not None:
            yield frame
            frame = frame.f_back


def require_at_least(environment: Any, expression: sympy.Basic, least: int, evaluate: Any) -> None:
    """Guards that the sizes of the call in an expression are that large, where they are."""
    for symbol in expression.free_symbols:
        value = environment.backed_var_to_val.get(symbol)
        if value is not None and value >= least:
            evaluate(environment, sympy.Ge(symbol, least))

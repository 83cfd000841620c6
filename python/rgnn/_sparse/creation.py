"""Sparse matrices that a model makes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from .._dynamo import private
from .matrix import NoRuleError, SparseMatrix

# TorchDynamo reads defaults of the functions that these stand for, which have none.


def _make_coo(*args: Any, **options: Any) -> SparseMatrix:
    """Of ``indices, values, size``."""
    indices, values = [*args[:2], *(options[name] for name in ("indices", "values")[len(args) :])]
    return SparseMatrix.make(_size(args[2:], options, values), indices, _of_dtype(values, options), None,
                             torch.sparse_coo, bool(options.get("is_coalesced")))  # fmt: skip


def _make_csr(*args: Any, **options: Any) -> SparseMatrix:
    """Of ``crow_indices, col_indices, values, size``."""
    offsets, rows, columns, values, size = _compressed(args, options, "crow_indices", "col_indices")
    return SparseMatrix.make(size, torch.stack((rows, columns)), values, offsets, torch.sparse_csr, True)


def _make_csc(*args: Any, **options: Any) -> SparseMatrix:
    """Of ``ccol_indices, row_indices, values, size``."""
    offsets, columns, rows, values, size = _compressed(args, options, "ccol_indices", "row_indices")
    return SparseMatrix.make(size, torch.stack((rows, columns)), values, offsets, torch.sparse_csc, True)


def _compressed(args: tuple, options: dict[str, Any], *names: str) -> tuple[Tensor, Tensor, Tensor, Tensor, Any]:
    """Offsets, both ends of the entries, these, and the size of the matrix."""
    first = [*args[:3], *(options[name] for name in (*names, "values")[len(args) :])]
    offsets, other = first[0].long(), first[1].long()
    one = torch.arange(offsets.shape[0] - 1, device=offsets.device)
    one = one.repeat_interleave(offsets.diff(), output_size=other.shape[0])
    return offsets, one, other, _of_dtype(first[2], options), _size(args[3:], options, first[2])


def _size(args: tuple, options: dict[str, Any], values: Tensor) -> Any:
    size = args[0] if args else options.get("size")
    is_leaf = options.get("requires_grad") and not values.requires_grad and torch.is_grad_enabled()
    if size is None or len(size) != 2 or is_leaf:
        raise NoRuleError("a sparse tensor that is no matrix of given size, or a leaf with gradients")
    return size


def _of_dtype(values: Tensor, options: dict[str, Any]) -> Tensor:
    return values if options.get("dtype") is None else values.to(options["dtype"])


def _offsets_of(rows: Tensor, size: int, **options: Any) -> Tensor:
    """Of sorted row numbers, the first entry of each row; PyTorch's has the size for a constant."""
    offsets = torch.searchsorted(rows, torch.arange(size + 1, dtype=rows.dtype, device=rows.device))
    return offsets.int() if options.get("out_int32") else offsets


_MAKERS = {torch.sparse_coo_tensor: _make_coo, torch.sparse_csr_tensor: _make_csr, torch.sparse_csc_tensor: _make_csc}


class MatrixMadeError(Exception):
    """A model makes a sparse matrix, and its capture may have parts: what stands for one would be seen between."""


@contextlib.contextmanager
def captured(is_whole: bool | None) -> Iterator[None]:
    """TorchDynamo takes the functions that make sparse tensors for those that make what stands for one.

    Args:
        is_whole: whether the capture has no parts; if it may have, MatrixMadeError is raised. None where PyTorch makes
            them.
    """
    dispatch = private.VariableBuilder._id_dispatch()
    is_made = False

    def wrap(builder: Any, function: Any) -> Any:
        nonlocal is_made
        if not is_whole:
            is_made = True
            raise MatrixMadeError
        return private.UserFunctionVariable(_MAKERS[function])

    wraps = {} if is_whole is None else dict.fromkeys(map(id, _MAKERS), wrap)
    wraps[id(torch._convert_indices_from_coo_to_csr)] = lambda *_: private.UserFunctionVariable(_offsets_of)
    added = {key: how for key, how in wraps.items() if key not in dispatch}
    dispatch.update(added)
    try:
        yield
    except Exception:
        if is_made:  # TorchDynamo raises an error of its own
            raise MatrixMadeError from None
        raise
    finally:
        for key in added:
            del dispatch[key]

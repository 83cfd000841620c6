"""Sparse matrices that a model is given, or holds: they are handed to the capture as their edges and weights.

TorchDynamo captures no call with a sparse tensor. For the time of a call a :class:`SparseMatrix` stands in its place,
one for each matrix as long as that lives and is not changed, so that what is kept for its edges is found again.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from .matrix import SparseMatrix

LAYOUTS = torch.sparse_coo, torch.sparse_csr, torch.sparse_csc

_known: dict[int, tuple[weakref.ref, tuple, SparseMatrix]] = {}


def hand_over(args: tuple, kwargs: dict) -> tuple[tuple, dict] | None:
    """Arguments of a call with what stands for the matrices among them; None where there are none."""
    if not any(map(_has_matrices, (*args, *kwargs.values()))):
        return None
    return _stand_ins((args, kwargs))


Place = tuple[dict, str]
"""Where a module holds matrices: its buffers or attributes, and the name."""

_OF_MODULES = frozenset(vars(nn.Module()))  # what PyTorch itself holds there


def matrices_of(modules: Iterable[nn.Module]) -> list[Place]:
    return [(holder, name) for module in modules for holder in (module._buffers, vars(module))
            for name, value in holder.items() if name not in _OF_MODULES and _has_matrices(value)]  # fmt: skip


@contextlib.contextmanager
def handed_over(places: list[Place]) -> Iterator[None]:
    """Puts what stands for them where modules hold matrices."""
    held = [(holder, name, holder[name]) for holder, name in places if _has_matrices(holder.get(name))]
    try:
        for holder, name, value in held:
            holder[name] = _stand_ins(value)
        yield
    finally:
        for holder, name, value in held:
            holder[name] = value


def given_back(value: Any) -> Any:
    """A result with the matrices in the place of what stands for them."""
    if not any(isinstance(leaf, SparseMatrix) for leaf in pytree.tree_leaves(value)):
        return value
    known = {id(stand): matrix() for matrix, _, stand in _known.values()}
    return pytree.tree_map(lambda leaf: known.get(id(leaf), leaf), value)


def give_back(modules: Iterable[nn.Module]) -> bool:
    """Puts matrices where a call has left what stands for them in modules; whether there was any."""
    left = [(holder, name, value) for module in modules for holder in (module._buffers, vars(module))
            for name, value in holder.items() if name not in _OF_MODULES
            and isinstance(value, SparseMatrix | dict | list | tuple)]  # fmt: skip
    kept = [(holder, name, found) for holder, name, value in left if (found := given_back(value)) is not value]
    for holder, name, found in kept:
        holder[name] = found
    return bool(kept)


def _has_matrices(value: Any) -> bool:
    """Asked of all arguments of each call."""
    if isinstance(value, Tensor):
        return value.layout is not torch.strided and _is_matrix(value)
    if type(value) is dict:
        return any(map(_has_matrices, value.values()))
    return type(value) in (list, tuple) and any(map(_has_matrices, value))


def _stand_ins(value: Any) -> Any:
    return pytree.tree_map(lambda leaf: stand_in(leaf) if _is_matrix(leaf) else leaf, value)


def _is_matrix(value: Any) -> bool:
    is_matrix = isinstance(value, Tensor) and value.layout in LAYOUTS and value.dim() == 2 and value.dense_dim() == 0
    # The layout of its gradient is that of the operator that it goes through.
    return is_matrix and not (value.requires_grad and torch.is_grad_enabled())


def stand_in(matrix: Tensor) -> SparseMatrix:
    """What stands for a matrix, which needs no gradient."""
    version = _version_of(matrix)
    found = _known.get(id(matrix))
    if found is None or found[0]() is not matrix or found[1] != version:
        found = _known[id(matrix)] = _reference(matrix), version, _make(matrix)
    return found[2]


def _reference(matrix: Tensor) -> weakref.ref:
    key = id(matrix)
    return weakref.ref(matrix, lambda _: _known.pop(key, None))


def _parts(matrix: Tensor) -> tuple[Tensor, ...]:
    if matrix.layout is torch.sparse_coo:
        return matrix._indices(), matrix._values()
    if matrix.layout is torch.sparse_csr:
        return matrix.crow_indices(), matrix.col_indices(), matrix.values()
    return matrix.ccol_indices(), matrix.row_indices(), matrix.values()


def _version_of(matrix: Tensor) -> tuple:
    return tuple((part.data_ptr(), 0 if part.is_inference() else part._version) for part in _parts(matrix))


def _make(matrix: Tensor) -> SparseMatrix:
    *ends, entries = (part.detach().data for part in _parts(matrix))
    if matrix.layout is torch.sparse_coo:
        edges, = ends
        is_ordered, offsets = matrix.is_coalesced(), None
        if is_ordered:
            offsets = torch._convert_indices_from_coo_to_csr(edges[0], matrix.shape[0])
    else:
        offsets, other = (part.long() for part in ends)
        is_ordered, is_csr = True, matrix.layout is torch.sparse_csr
        one = torch.arange(offsets.shape[0] - 1, device=other.device).repeat_interleave(offsets.diff())
        edges = torch.stack((one, other) if is_csr else (other, one))
    return SparseMatrix.make(matrix.shape, edges, entries, offsets, matrix.layout, is_ordered)

"""What PyTorch's operators do with a sparse matrix, by its edges and entries.

Where they refuse a matrix, or do something else with it, there is no rule, and PyTorch runs the call.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch_geometric.utils import softmax

from .matrix import RULES, NoRuleError, SparseMatrix, SparseVector

OVERRIDDEN = torch.sparse.mm, torch.sparse.addmm, torch.sparse.softmax, torch.sparse.sum
"""Those that TorchDynamo has to be told of that tensors may override."""


def _does(*functions: Any) -> Callable:
    def declare(rule: Callable) -> Callable:
        RULES.update(dict.fromkeys(functions, rule))
        return rule

    return declare


# Products


@_does(torch.sparse.mm, torch.mm, torch.spmm, Tensor.mm)
def _multiply(matrix: SparseMatrix, x: Tensor, reduce: str | None = None) -> Tensor:
    if reduce not in (None, "sum") and isinstance(matrix, SparseMatrix):
        matrix = _own(matrix)  # entries of one place are one
    if matrix.terms and reduce is None:
        return functools.reduce(torch.add, [_multiply(term, x) for term in matrix.terms])
    messages, into = _messages(matrix, x, rank=2), x.new_zeros((matrix.shape[0], x.shape[1]))
    if reduce is None:
        return into.index_add(0, matrix.edges[0], messages)
    if matrix.kind != torch.sparse_csr or reduce not in _REDUCTIONS:
        raise NoRuleError("another reduction than a sum, of another layout than CSR")
    if reduce == "sum":
        return into.index_add(0, matrix.edges[0], messages)
    if reduce != "mean" and torch.is_grad_enabled() and messages.requires_grad:
        raise NoRuleError("the gradient of a greatest or least entry, which of equal ones goes to one")
    return into.index_reduce(0, matrix.edges[0], messages, _REDUCTIONS[reduce], include_self=False)


_REDUCTIONS = {"sum": "sum", "mean": "mean", "max": "amax", "amax": "amax", "min": "amin", "amin": "amin"}


@_does(torch.mv, Tensor.mv)
def _multiply_vector(matrix: SparseMatrix, x: Tensor) -> Tensor:
    if matrix.terms:
        return functools.reduce(torch.add, [_multiply_vector(term, x) for term in matrix.terms])
    return x.new_zeros(matrix.shape[0]).index_add(0, matrix.edges[0], _messages(matrix, x, rank=1))


@_does(torch.matmul, Tensor.matmul, Tensor.__matmul__)
def _multiply_either(matrix: SparseMatrix, x: Tensor) -> Tensor:
    return _multiply_vector(matrix, x) if x.dim() == 1 else _multiply(matrix, x)


def _messages(matrix: SparseMatrix, x: Tensor, rank: int) -> Tensor:
    if not isinstance(matrix, SparseMatrix) or isinstance(x, SparseMatrix):
        raise NoRuleError("a product of two sparse matrices, or of a dense and a sparse one")
    if matrix.entries.dtype != x.dtype or x.dim() != rank or x.shape[0] != matrix.shape[1]:
        raise NoRuleError("a product of different dtypes or sizes")
    if torch.is_autocast_enabled("cpu") or torch.is_autocast_enabled("cuda"):
        raise NoRuleError("a product under autocast")
    rows = x.index_select(0, matrix.edges[1])
    return rows * (matrix.entries.unsqueeze(1) if rank == 2 else matrix.entries)


@_does(torch.sparse.addmm, torch.addmm)
def _add_product(given: Tensor, matrix: SparseMatrix, x: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    return beta * given + alpha * _multiply(matrix, x)


@_does(torch.sparse.sum, torch.sum, Tensor.sum)
def _sum(matrix: SparseMatrix, dim: Any = None, dtype: torch.dtype | None = None) -> Tensor:
    if matrix.kind != torch.sparse_coo or dtype is not None:
        raise NoRuleError("a sum of another layout than COO, or of another dtype")
    if dim is None:
        return matrix.entries.sum()
    dims = list(dim) if isinstance(dim, (list, tuple)) else [dim]
    if len(dims) != 1 or not _is_dim(dims[0]):
        raise NoRuleError("a sum along two dimensions that are named, or none that there is")
    kept = 1 - dims[0] % 2
    return SparseVector.make(matrix.shape[kept], matrix.edges[kept], matrix.entries)


# Other matrices of the same entries


@_does(Tensor.t, torch.t, Tensor.transpose, torch.transpose)
def _transpose(matrix: SparseMatrix, dim0: int = 0, dim1: int = 1) -> SparseMatrix:
    if not (_is_dim(dim0) and _is_dim(dim1)):
        raise NoRuleError("a transpose of dimensions that there are not")
    if dim0 % 2 == dim1 % 2:
        return matrix
    is_compressed = matrix.kind != torch.sparse_coo
    made = SparseMatrix.make((matrix.shape[1], matrix.shape[0]), matrix.edges.flip(0), matrix.entries,
                             matrix.offsets if is_compressed else None, _TRANSPOSED[matrix.kind],
                             matrix.is_ordered and is_compressed, matrix.is_summed)  # fmt: skip
    made.turned = matrix if matrix.is_summed else None
    made.terms = tuple(_transpose(term) for term in matrix.terms)
    return made


def _is_dim(dim: int) -> bool:
    return -2 <= dim < 2


_TRANSPOSED = {torch.sparse_coo: torch.sparse_coo, torch.sparse_csr: torch.sparse_csc,
               torch.sparse_csc: torch.sparse_csr}  # fmt: skip


@_does(Tensor.coalesce)
def _coalesce(matrix: SparseMatrix) -> SparseMatrix:
    if matrix.is_ordered:
        return matrix
    made = SparseMatrix.make(matrix.shape, matrix.edges, matrix.entries, None, matrix.kind, is_ordered=False,
                             is_summed=True)  # fmt: skip
    made.terms = matrix.terms
    return made


@_does(Tensor._coalesced_)
def _call_coalesced(matrix: SparseMatrix, coalesced: bool) -> SparseMatrix:
    return SparseMatrix.make(matrix.shape, matrix.edges, matrix.entries, matrix.offsets, matrix.kind, coalesced,
                             _known_order(matrix).is_summed)  # fmt: skip


def _known_order(matrix: SparseMatrix) -> SparseMatrix:
    if matrix.turned is not None:
        raise NoRuleError("the order of entries of a transpose that are added up")
    if matrix.terms and not matrix.is_summed:
        raise NoRuleError("the order of entries of a sum of sparse matrices")
    return matrix


@_does(Tensor.to_sparse_csr)
def _to_csr(matrix: SparseMatrix) -> SparseMatrix:
    return _with_kind(_coalesce(matrix), torch.sparse_csr)


@_does(Tensor.to_sparse_coo, Tensor.to_sparse)
def _to_coo(matrix: SparseMatrix) -> SparseMatrix:
    return _with_kind(matrix, torch.sparse_coo)


def _with_kind(matrix: SparseMatrix, kind: torch.layout) -> SparseMatrix:
    if torch.sparse_csc in (matrix.kind, kind) and matrix.kind != kind:
        raise NoRuleError("entries of a sparse matrix in another order")
    return SparseMatrix.make(matrix.shape, matrix.edges, matrix.entries, matrix.offsets, kind, matrix.is_ordered,
                             _known_order(matrix).is_summed)  # fmt: skip


def _with_entries(matrix: SparseMatrix, entries: Tensor) -> SparseMatrix:
    made = SparseMatrix.make(matrix.shape, matrix.edges, entries, matrix.offsets, matrix.kind, matrix.is_ordered,
                             matrix.is_summed)  # fmt: skip
    made.turned = None if matrix.turned is None else _with_entries(matrix.turned, entries)
    return made


def _mapped(matrix: SparseMatrix, function: Callable[[Tensor], Tensor]) -> SparseMatrix:
    """The matrix with a function of each entry; where entries are added up later, it is to be linear."""
    made = _with_entries(matrix, function(matrix.entries))
    made.terms = tuple(_mapped(term, function) for term in matrix.terms)
    return made


@_does(Tensor.to)
def _to(matrix: SparseMatrix, *args: Any, **kwargs: Any) -> SparseMatrix:
    made = _mapped(matrix, lambda entries: entries.to(*args, **kwargs))
    if made.entries.dtype not in (matrix.entries.dtype, torch.float64) and (matrix.terms or matrix.is_summed):
        raise NoRuleError("entries that are added up, and rounded then")
    return made


@_does(Tensor.float)
def _float(matrix: SparseMatrix) -> SparseMatrix:
    return _to(matrix, torch.float32)


@_does(Tensor.double)
def _double(matrix: SparseMatrix) -> SparseMatrix:
    return _to(matrix, torch.float64)


@_does(Tensor.detach)
def _detach(matrix: SparseMatrix) -> SparseMatrix:
    return _mapped(matrix, Tensor.detach)


@_does(Tensor.mul, torch.mul, Tensor.__mul__, Tensor.__rmul__)
def _scale(one: Any, other: Any) -> SparseMatrix:
    matrix, factor = (one, other) if isinstance(one, SparseMatrix) else (other, one)
    number = _number_of(factor)
    return _mapped(_of_layout_coo(matrix), lambda entries: entries * number)


@_does(Tensor.div, torch.div, Tensor.__truediv__)
def _divide(matrix: SparseMatrix, factor: Any) -> SparseMatrix:
    number = _number_of(factor)
    return _mapped(_of_layout_coo(matrix), lambda entries: entries / number)


@_does(Tensor.neg, torch.neg, Tensor.__neg__)
def _negate(matrix: SparseMatrix) -> SparseMatrix:
    return _mapped(_of_layout_coo(matrix), torch.neg)


def _number_of(factor: Any) -> Any:
    if isinstance(factor, SparseMatrix) or (isinstance(factor, Tensor) and factor.dim() > 0):
        raise NoRuleError("a product of a sparse matrix with more than one number, entry by entry")
    return factor


def _of_layout_coo(matrix: Any) -> SparseMatrix:
    if not isinstance(matrix, SparseMatrix) or matrix.kind != torch.sparse_coo:
        raise NoRuleError("arithmetic with the entries of a sparse matrix of another layout than COO")
    return matrix


# Sums of matrices


@_does(Tensor.add, torch.add, Tensor.__add__)
def _add(matrix: SparseMatrix, other: SparseMatrix, *, alpha: float = 1) -> SparseMatrix:
    matrix, other = _of_layout_coo(matrix), _of_layout_coo(other)
    if matrix.entries.dtype != other.entries.dtype or tuple(matrix.shape) != tuple(other.shape):
        raise NoRuleError("a sum of sparse matrices of different dtypes or sizes")
    if type(alpha) not in (int, float) or not (type(alpha) is int or matrix.entries.is_floating_point()):
        raise NoRuleError("a sum of sparse matrices with a factor that is no number of theirs")
    if alpha != 1:
        other = _scale(other, alpha)
    is_summed = not any((one.terms and not one.is_summed) or not _is_coalesced(one) for one in (matrix, other))
    made = SparseMatrix.make(matrix.shape, torch.cat((matrix.edges, other.edges), 1),
                             torch.cat((matrix.entries, other.entries)), None, matrix.kind, is_ordered=False,
                             is_summed=is_summed)  # fmt: skip
    made.terms = (*(matrix.terms or [matrix]), *(other.terms or [other]))
    return made if torch.is_grad_enabled() else _detach(made)


@_does(Tensor.sub, torch.sub, Tensor.__sub__)
def _subtract(matrix: SparseMatrix, other: SparseMatrix, *, alpha: float = 1) -> SparseMatrix:
    return _add(matrix, other, alpha=-alpha if type(alpha) in (int, float) else alpha)


@_does(torch.sparse.softmax)
def _softmax(matrix: SparseMatrix, dim: int, *, dtype: torch.dtype | None = None) -> SparseMatrix:
    if not (matrix.kind == torch.sparse_coo and matrix.is_ordered and _is_dim(dim)) or dtype is not None:
        raise NoRuleError("a softmax of entries that are not coalesced, or of another layout or dtype")
    kept = 1 - dim % 2
    return _with_entries(matrix, softmax(matrix.entries, matrix.edges[kept], num_nodes=matrix.shape[kept]))


# What it is made of


def _own(matrix: SparseMatrix) -> SparseMatrix:
    """The matrix, with the entries that it has: those of one place are added up, and sorted by rows."""
    if matrix.is_summed and matrix.turned is not None:
        other = _own(matrix.turned)
        matrix.edges, matrix.entries, matrix.is_summed, matrix.turned = other.edges.flip(0), other.entries, False, None
    elif matrix.is_summed:
        if matrix.kind == torch.sparse_csc:
            raise NoRuleError("entries of a sparse matrix by columns that were not in order, or twice")
        columns = matrix.shape[1]
        places, inverse = torch.unique(matrix.edges[0] * columns + matrix.edges[1], return_inverse=True)
        matrix.entries = matrix.entries.new_zeros(places.shape[0]).index_add(0, inverse, matrix.entries)
        matrix.edges = torch.stack((places // columns, places % columns))
        matrix.is_ordered, matrix.is_summed, matrix.terms = True, False, ()
    return _known_order(matrix)


@_does(Tensor._indices)
def _edges(matrix: SparseMatrix) -> Tensor:
    return _of_kind(matrix, torch.sparse_coo).edges


@_does(Tensor._values)
def _entries(matrix: SparseMatrix) -> Tensor:
    return _of_kind(matrix, torch.sparse_coo).entries.detach()  # `values` has a gradient


@_does(Tensor.indices)
def _edges_in_order(matrix: SparseMatrix) -> Tensor:
    return _in_order(_of_kind(matrix, torch.sparse_coo)).edges


@_does(Tensor.values)
def _entries_in_order(matrix: SparseMatrix) -> Tensor:
    return _in_order(_own(matrix)).entries


def _in_order(matrix: SparseMatrix) -> SparseMatrix:
    if not matrix.is_ordered:
        raise NoRuleError("entries of a sparse matrix that is not coalesced")
    return matrix


def _of_kind(matrix: SparseMatrix, kind: torch.layout) -> SparseMatrix:
    if matrix.kind != kind:
        raise NoRuleError("parts of a sparse matrix of another layout")
    return _own(matrix)


@_does(Tensor._nnz)
def _number(matrix: SparseMatrix) -> int:
    return _own(matrix).entries.shape[0]


@_does(Tensor.is_coalesced)
def _is_coalesced(matrix: SparseMatrix) -> bool:
    if matrix.terms and not matrix.is_summed:
        raise NoRuleError("whether a sum of sparse matrices is coalesced, which one without entries is")
    return matrix.is_ordered or (matrix.is_summed and matrix.turned is None)


@_does(Tensor.col_indices)
def _columns(matrix: SparseMatrix) -> Tensor:
    return _of_kind(matrix, torch.sparse_csr).edges[1]


@_does(Tensor.row_indices)
def _rows(matrix: SparseMatrix) -> Tensor:
    return _of_kind(matrix, torch.sparse_csc).edges[0]


@_does(Tensor.crow_indices)
def _first_of_rows(matrix: SparseMatrix) -> Tensor:
    return _offsets(matrix, torch.sparse_csr)


@_does(Tensor.ccol_indices)
def _first_of_columns(matrix: SparseMatrix) -> Tensor:
    return _offsets(matrix, torch.sparse_csc)


def _offsets(matrix: SparseMatrix, kind: torch.layout) -> Tensor:
    offsets = _of_kind(matrix, kind).offsets
    if offsets is None:
        raise NoRuleError("offsets of a sparse matrix whose entries are not in order")
    return offsets


@_does(Tensor.to_dense)
def _to_dense(matrix: SparseMatrix) -> Tensor:
    into = matrix.entries.new_zeros((matrix.shape[0], matrix.shape[1]))
    return into.index_put((matrix.edges[0], matrix.edges[1]), matrix.entries, True)

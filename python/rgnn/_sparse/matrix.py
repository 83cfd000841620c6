"""A sparse matrix as its edges and weights, which TorchDynamo captures: it captures no sparse tensor.

A :class:`SparseMatrix` stands for a matrix while a model is captured. TorchDynamo looks into what the functions of this
package do, so that the graph has products as sums over edges, and indices and values as tensors of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph


class NoRuleError(Exception):
    """An operator on a sparse matrix that only PyTorch does."""


class SparseMatrix(Tensor):
    """Stands for a matrix of the same shape; its own numbers are none.

    Attributes:
        edges: of each entry the row and the column, ``[2, E]`` int64.
        entries: their values, ``[E]``.
        offsets: of each row (column, for ``sparse_csc``) the first entry, ``[n + 1]`` int64; None where entries are not
            in order.
        kind: the layout: ``torch.sparse_coo``, ``sparse_csr`` or ``sparse_csc``.
        is_ordered: whether entries are sorted by rows (by columns, for ``sparse_csc``), each once.
        is_summed: whether it stands for a matrix in which they are, so that its own entries are others'.
        terms: the matrices that it is the sum of, with their entries one after the other, which is no order of
            PyTorch's; empty for others.
        turned: the matrix, also to be summed, that it is the transpose of: its entries lie in that one's order. None
            for others.
    """

    edges: Tensor
    entries: Tensor
    offsets: Tensor | None
    kind: torch.layout
    is_ordered: bool
    is_summed: bool
    terms: tuple[SparseMatrix, ...]
    turned: SparseMatrix | None

    @staticmethod
    def make(shape: Any, edges: Tensor, entries: Tensor, offsets: Tensor | None, kind: torch.layout, is_ordered: bool,
             is_summed: bool = False) -> SparseMatrix:  # fmt: skip
        shape = shape[0], shape[1]
        entries = entries if torch.is_grad_enabled() else entries.detach()
        if torch.compiler.is_dynamo_compiling():
            plain = torch._efficientzerotensor(shape, dtype=entries.dtype, device=entries.device)  # see is_seen
        else:
            plain = entries.new_empty(1).as_strided(shape, (0, 0))
        matrix = plain.as_subclass(SparseMatrix)
        matrix.edges, matrix.entries, matrix.offsets, matrix.kind = edges, entries, offsets, kind
        matrix.is_ordered, matrix.is_summed, matrix.turned = is_ordered, is_summed, None
        matrix.terms = ()
        return matrix

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        is_captured = torch.compiler.is_dynamo_compiling()
        if function is torch.spmm:  # it equals torch.mm, also as a key, but not under TorchDynamo of PyTorch 2.14
            function = torch.mm
        if is_captured and function in RULES:
            return RULES[function](*args, **(kwargs or {}))
        # What is asked of an argument before the capture is answered by the tensor that it is.
        if function in _OF_TENSORS or not (is_captured or function in RULES):
            return super().__torch_function__(function, types, args, kwargs or {})
        name = getattr(function, "__name__", "an operator")
        raise NoRuleError(f"{name} of a sparse matrix has no rule")

    @property
    def layout(self) -> torch.layout:
        return self.kind if torch.compiler.is_dynamo_compiling() else super().layout

    @property
    def requires_grad(self) -> bool:
        return self.entries.requires_grad if torch.compiler.is_dynamo_compiling() else super().requires_grad

    @property
    def is_sparse(self) -> bool:
        return torch.compiler.is_dynamo_compiling() and self.kind == torch.sparse_coo

    @property
    def is_sparse_csr(self) -> bool:
        return torch.compiler.is_dynamo_compiling() and self.kind == torch.sparse_csr

    @property
    def T(self) -> SparseMatrix:  # noqa: N802
        return self._transposed()

    @property
    def mT(self) -> SparseMatrix:  # noqa: N802
        return self._transposed()

    def _transposed(self) -> SparseMatrix:
        if self.kind != torch.sparse_coo:
            raise NoRuleError("a transpose as an attribute of a compressed matrix")
        return RULES[Tensor.t](self)


class SparseVector(SparseMatrix):
    """Stands for what a matrix has along one of its ends, added up: a sparse vector, which models make dense.

    Attributes:
        edges: of each entry the place, ``[1, E]``.
    """

    @staticmethod
    def make(size: Any, places: Tensor, entries: Tensor) -> SparseVector:
        vector = torch._efficientzerotensor((size,), dtype=entries.dtype, device=entries.device)
        vector = vector.as_subclass(SparseVector)
        vector.edges, vector.entries = places.unsqueeze(0), entries
        return vector

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if function in _OF_TENSORS or not torch.compiler.is_dynamo_compiling():
            return super().__torch_function__(function, types, args, kwargs or {})
        if function is not Tensor.to_dense or len(args) > 1 or kwargs:
            raise NoRuleError("a sparse vector that is not made dense")
        (vector,) = args
        return vector.entries.new_zeros(vector.shape[0]).index_add(0, vector.edges[0], vector.entries)


def is_seen(graph: Graph) -> bool:
    """Whether what stands for a matrix, and what it has for numbers of its own, is a result of a capture."""
    output = next(node for node in reversed(graph.nodes) if node.op == "output")
    return any(node.target is torch._efficientzerotensor or isinstance(node.meta.get("example_value"), SparseMatrix)
               for node in output.all_input_nodes)  # fmt: skip


_OF_TENSORS = {Tensor.size, Tensor.dim, Tensor.shape.__get__, Tensor.dtype.__get__, Tensor.device.__get__,
               Tensor.ndim.__get__, Tensor.requires_grad.__get__, Tensor.is_cuda.__get__,
               torch.is_floating_point, Tensor.is_floating_point}  # fmt: skip
RULES: dict[Any, Callable] = {}
"""What operators do: see ``rules.py``."""

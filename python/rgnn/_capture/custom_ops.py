"""Operators that stand for message-passing idioms in captured graphs.

PyTorch has no operator for "linear layer with the weight of the row's type" or
"softmax over the edges of a destination"; frameworks spell them as loops or as
four to ten tensor operations. During capture such an idiom becomes one operator of
the namespace ``rgnn``, so that the compiler sees what is meant and the captured
graph does not grow with the number of types.

Every one has a plain implementation (what it means) and a fake one (shapes only,
used while capturing). Where PyTorch runs one, it runs the plain one, in whose
place graphs call that (``decompose``); in other graphs, of which regions keep one,
the gradient of one is that of the plain implementation, computed again.
Notation in the docstrings: M rows, N nodes, E edges, R types.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.fx import Graph

from .._ops.gradient import recomputed

_LIBRARY = torch.library.Library("rgnn", "FRAGMENT")
_REDUCTIONS = ("sum", "mean", "max", "min")
_PLAIN: dict[Callable, Callable] = {}  # of each operator, its plain implementation


def _custom_op(schema: str, fake: Callable, differentiable: bool = True) -> Callable[[Callable], Callable]:
    """Registers the decorated function as the operator of ``schema``."""
    name = schema.partition("(")[0]

    def register(implementation: Callable) -> Callable:
        _LIBRARY.define(schema)
        _LIBRARY.impl(name, implementation, "CompositeExplicitAutograd")
        torch.library.register_fake(f"rgnn::{name}", fake, lib=_LIBRARY)
        differentiate, remember = recomputed(implementation if differentiable else None)
        torch.library.register_autograd(f"rgnn::{name}", differentiate, setup_context=remember, lib=_LIBRARY)
        made = getattr(torch.ops.rgnn, name).default
        _PLAIN[made] = implementation
        return made

    return register


def decompose(graph: Graph) -> None:
    """Has a graph that PyTorch runs call plain implementations: autograd goes through them without a second forward."""
    for node in graph.nodes:
        node.target = _PLAIN.get(node.target, node.target) if node.op == "call_function" else node.target


def _same_rows(*tensors: Tensor) -> None:
    """Requires equal numbers of rows; while exporting this unifies their sizes."""
    for tensor in tensors[1:]:
        torch._check(tensor.shape[0] == tensors[0].shape[0], lambda: "expected tensors with a row for each edge")


def _check_range(what: str, numbers: Tensor, count: int) -> None:
    """Refuses negative numbers, which would count from the end."""
    wrong = numbers[(numbers < 0) | (numbers >= count)]
    if len(wrong):
        raise IndexError(f"expected {what} in [0, {count}), got {wrong[0]}")


def _expand_index(index: Tensor, like: Tensor) -> Tensor:
    return index.view(-1, *([1] * (like.dim() - 1))).expand_as(like)


def _pairs(index: Tensor, types: Tensor, num_types: int) -> tuple[Tensor, Tensor]:
    """Numbers the distinct (index, type) pairs; gives the number of each row, and the counts."""
    _, inverse, counts = torch.unique(
        index * num_types + types, return_inverse=True, return_counts=True
    )
    return inverse, counts


# Linear layers and tables with one weight per type


def _typed_linear_fake(x: Tensor, types: Tensor, weight: Tensor) -> Tensor:
    _same_rows(x, types)
    torch._check(
        x.dim() == weight.dim() - 1,
        lambda: f"expected rows of rank {weight.dim() - 2} for the weights, got {x.dim() - 1}",
    )
    torch._check(x.dtype == weight.dtype, lambda: f"expected rows of {weight.dtype} for the weights, got {x.dtype}")
    for own, other in zip(x.shape[1:], weight.shape[1:-1]):
        torch._check(own == other, lambda own=own, other=other: f"expected rows of {other} for the weights, got {own}")
    return x.new_empty((*x.shape[:-1], weight.shape[-1]))


@_custom_op("typed_linear(Tensor x, Tensor types, Tensor weight) -> Tensor", _typed_linear_fake)
def typed_linear(x: Tensor, types: Tensor, weight: Tensor) -> Tensor:
    """Row ``i`` of the result is ``x[i] @ weight[types[i]]``.

    ``x`` is ``[M, *B, K]``, ``weight`` ``[R, *B, K, N]``, the result ``[M, *B, N]``;
    the batch dimensions ``B`` (heads, blocks) are multiplied each on its own.
    """
    out = x.new_empty((*x.shape[:-1], weight.shape[-1]))
    _check_range("types", types, weight.shape[0])
    for number in torch.unique(types).tolist():
        rows = (types == number).nonzero().view(-1)
        out[rows] = (x[rows].unsqueeze(-2) @ weight[number]).squeeze(-2)
    return out


def _lookup_fake(weight: Tensor, types: Tensor, index: Tensor) -> Tensor:
    _same_rows(types, index)
    return weight.new_empty((index.shape[0], weight.shape[2]))


@_custom_op("lookup(Tensor weight, Tensor types, Tensor index) -> Tensor", _lookup_fake)
def lookup(weight: Tensor, types: Tensor, index: Tensor) -> Tensor:
    """Row ``i`` of the result is ``weight[types[i], index[i]]``; ``weight`` is ``[R, N, O]``."""
    _check_range("types", types, weight.shape[0])
    _check_range("indices", index, weight.shape[1])
    return weight[types, index]


def _basis_lookup_fake(comp: Tensor, basis: Tensor, types: Tensor, index: Tensor) -> Tensor:
    _same_rows(types, index)
    torch._check(comp.shape[1] == basis.shape[0])
    return basis.new_empty((index.shape[0], basis.shape[2]))


@_custom_op(
    "basis_lookup(Tensor comp, Tensor basis, Tensor types, Tensor index) -> Tensor",
    _basis_lookup_fake,
)
def basis_lookup(comp: Tensor, basis: Tensor, types: Tensor, index: Tensor) -> Tensor:
    """Row ``i`` is the sum over ``b`` of ``comp[types[i], b] * basis[b, index[i]]``.

    ``comp`` is ``[R, B]``, ``basis`` ``[B, N, O]``. One basis at a time: the table
    of all types, ``[R, N, O]``, is never built.
    """
    _check_range("types", types, comp.shape[0])
    _check_range("indices", index, basis.shape[1])
    out = basis.new_zeros((index.shape[0], basis.shape[2]))
    for number in range(basis.shape[0]):
        out += comp[types, number].unsqueeze(1) * basis[number, index]
    return out


# Reductions over the edges of a node


def _aggregate_fake(src: Tensor, index: Tensor, dim_size: int, reduce: str) -> Tensor:
    if reduce not in _REDUCTIONS:
        raise ValueError(f"reduce: expected one of {', '.join(_REDUCTIONS)}, got {reduce!r}")
    _same_rows(src, index)
    return src.new_empty((dim_size, *src.shape[1:]))


@_custom_op(
    "aggregate(Tensor src, Tensor index, SymInt dim_size, str reduce) -> Tensor", _aggregate_fake
)
def aggregate(src: Tensor, index: Tensor, dim_size: int, reduce: str) -> Tensor:
    """Reduces the rows of ``src`` with equal ``index``; rows that none belongs to are zero."""
    if reduce not in _REDUCTIONS:
        raise ValueError(f"reduce: expected one of {', '.join(_REDUCTIONS)}, got {reduce!r}")
    out = src.new_zeros((dim_size, *src.shape[1:]))
    if reduce in ("max", "min"):
        return out.scatter_reduce_(
            0, _expand_index(index, src), src, reduce=f"a{reduce}", include_self=False
        )
    out.index_add_(0, index, src)
    if reduce == "mean":
        count = torch.bincount(index, minlength=dim_size).clamp_(min=1).to(src.dtype)
        out /= count.view(-1, *([1] * (src.dim() - 1)))
    return out


def _edge_softmax_fake(src: Tensor, index: Tensor, dim_size: int) -> Tensor:
    _same_rows(src, index)
    return torch.empty_like(src)


@_custom_op("edge_softmax(Tensor src, Tensor index, SymInt dim_size) -> Tensor", _edge_softmax_fake)
def edge_softmax(src: Tensor, index: Tensor, dim_size: int) -> Tensor:
    """Softmax over the rows of equal ``index``, column by column, shifted by the maximum."""
    rows = _expand_index(index, src)
    shape = (dim_size, *src.shape[1:])
    top = src.new_zeros(shape).scatter_reduce_(0, rows, src.detach(), reduce="amax", include_self=False)
    out = (src - top[index]).exp()
    return out / out.new_zeros(shape).index_add_(0, index, out)[index]


def _pair_softmax_fake(
    src: Tensor, index: Tensor, types: Tensor, dim_size: int, num_types: int
) -> Tensor:
    _same_rows(src, index, types)
    return torch.empty_like(src)


@_custom_op(
    "pair_softmax(Tensor src, Tensor index, Tensor types, SymInt dim_size, int num_types)"
    " -> Tensor",
    _pair_softmax_fake,
)
def pair_softmax(
    src: Tensor, index: Tensor, types: Tensor, dim_size: int, num_types: int
) -> Tensor:
    """Softmax over the rows whose ``index`` and ``types`` are both equal."""
    inverse, counts = _pairs(index, types, num_types)
    return edge_softmax(src, inverse, counts.shape[0])


def _group_excess_fake(x: Tensor, y: Tensor, index: Tensor, dim_size: int) -> Tensor:
    _same_rows(x, y, index)
    torch._check(x.shape[1:] == y.shape[1:], lambda: f"expected rows {list(y.shape[1:])}, got {list(x.shape[1:])}")
    torch._check(x.dtype == y.dtype, lambda: f"expected rows of {y.dtype}, got {x.dtype}")
    return torch.empty_like(x)


@_custom_op("group_excess(Tensor x, Tensor y, Tensor index, SymInt dim_size) -> Tensor", _group_excess_fake)
def group_excess(x: Tensor, y: Tensor, index: Tensor, dim_size: int) -> Tensor:
    """Row ``e`` is the sum of ``max(0, x[e] - y[f])`` over the rows ``f`` with the ``index`` of ``e``, by column."""
    counts = torch.bincount(index, minlength=dim_size)
    order, first = index.argsort(stable=True), counts.cumsum(0) - counts
    rows, sums = [index[:0]], [x[:0]]
    for degree in counts[counts > 0].unique().tolist():  # so that no more is in memory than pairs of one degree
        numbers = first[counts == degree].unsqueeze(1) + torch.arange(degree, device=index.device)
        rows.append(order[numbers].flatten())
        own, others = (side[order[numbers]] for side in (x, y))
        sums.append((own.unsqueeze(2) - others.unsqueeze(1)).relu().sum(2).flatten(0, 1))
    return torch.cat(sums)[torch.cat(rows).argsort()]


def _pair_degree_fake(
    index: Tensor, types: Tensor, dim_size: int, num_types: int, like: Tensor
) -> Tensor:
    _same_rows(index, types)
    return like.new_empty((index.shape[0],))


@_custom_op(
    "pair_degree(Tensor index, Tensor types, SymInt dim_size, int num_types, Tensor like)"
    " -> Tensor",
    _pair_degree_fake,
    differentiable=False,
)
def pair_degree(
    index: Tensor, types: Tensor, dim_size: int, num_types: int, like: Tensor
) -> Tensor:
    """Entry ``i`` counts the rows with the (index, type) of row ``i``, in the dtype of ``like``."""
    inverse, counts = _pairs(index, types, num_types)
    return counts[inverse].to(like.dtype)


def _degree_fake(index: Tensor, dim_size: int, like: Tensor) -> Tensor:
    return like.new_empty((dim_size,))


@_custom_op("degree(Tensor index, SymInt dim_size, Tensor like) -> Tensor", _degree_fake, differentiable=False)
def degree(index: Tensor, dim_size: int, like: Tensor) -> Tensor:
    """Entry ``n`` counts the entries of ``index`` that are ``n``, in the dtype of ``like``."""
    return torch.bincount(index, minlength=dim_size).to(like.dtype)


# Graphs of several node and edge types


def _hetero_edges_fake(
    edge_indices: list[Tensor], src_type: list[int], dst_type: list[int], num_nodes: list[int]
) -> tuple[Tensor, Tensor]:
    count = torch.library.get_ctx().new_dynamic_size()  # a sum of 474 symbols takes seconds
    return edge_indices[0].new_empty((2, count)), edge_indices[0].new_empty((count,))


@_custom_op(
    "hetero_edges(Tensor[] edge_indices, int[] src_type, int[] dst_type, SymInt[] num_nodes)"
    " -> (Tensor edge_index, Tensor edge_type)",
    _hetero_edges_fake,
    differentiable=False,
)
def hetero_edges(
    edge_indices: list[Tensor], src_type: list[int], dst_type: list[int], num_nodes: list[int]
) -> tuple[Tensor, Tensor]:
    """Joins typed edge sets into one graph whose nodes are numbered type by type.

    Edge set ``i`` leads from nodes of type ``src_type[i]`` to nodes of type
    ``dst_type[i]``, each numbered from zero, and becomes edge type ``i``.
    """
    first = [0]
    for size in num_nodes:
        first.append(first[-1] + size)
    shifted = [
        torch.stack((edge_index[0] + first[source], edge_index[1] + first[target]))
        for edge_index, source, target in zip(edge_indices, src_type, dst_type)
    ]
    types = [
        edge_index.new_full((edge_index.shape[1],), number)
        for number, edge_index in enumerate(edge_indices)
    ]
    return torch.cat(shifted, dim=1), torch.cat(types)


def _concat_types_fake(xs: list[Tensor]) -> Tensor:
    return xs[0].new_empty((sum(x.shape[0] for x in xs), *xs[0].shape[1:]))


@_custom_op("concat_types(Tensor[] xs) -> Tensor", _concat_types_fake)
def concat_types(xs: list[Tensor]) -> Tensor:
    """The rows of all node types, one type after another."""
    return torch.cat(xs)


def _slice_type_fake(x: Tensor, k: int, num_nodes: list[int]) -> Tensor:
    return x.new_empty((num_nodes[k], *x.shape[1:]))


@_custom_op("slice_type(Tensor x, int k, SymInt[] num_nodes) -> Tensor", _slice_type_fake)
def slice_type(x: Tensor, k: int, num_nodes: list[int]) -> Tensor:
    """The rows of node type ``k`` among rows numbered type by type."""
    first = sum(num_nodes[:k])
    return x[first : first + num_nodes[k]].clone()


# Computed before the captured function


def _ends_fake(index: Tensor) -> Tensor:
    return index.new_empty((2, index.shape[0]))


@_custom_op("ends(Tensor index) -> Tensor", _ends_fake, differentiable=False)
def ends(index: Tensor) -> Tensor:
    """Edges whose both ends are ``index``: ``[2, M]``.

    Says of a list of row numbers that it picks rows of a table of its own: the nodes of a graph of
    which only one end is used. The list is made once for the tensors that it is computed from.
    """
    return torch.stack((index, index))


# Gradients that a model says


class _WithSlope(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value: Tensor, by: Tensor, slope: Tensor) -> Tensor:
        ctx.save_for_backward(slope)
        return value.clone()

    @staticmethod
    def backward(ctx, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        return gradient, gradient * ctx.saved_tensors[0], None


@_custom_op("with_slope(Tensor value, Tensor by, Tensor slope) -> Tensor", lambda value, by, slope: value.clone())
def with_slope(value: Tensor, by: Tensor, slope: Tensor) -> Tensor:
    """``value``, of which a gradient ``g`` passes to ``by`` as ``slope * g``, too; all three have one shape."""
    return _WithSlope.apply(value, by, slope)


# Autocast


def _multiply_narrow(name: str, device: str) -> None:
    """Makes a product of matrices take the dtype of autocast, as PyTorch's own do."""
    operator, key = getattr(torch.ops.rgnn, name).default, f"Autocast{device.upper()}"
    excluded = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))

    def multiply(*tensors: Tensor) -> Tensor:
        dtype = torch.get_autocast_dtype(device)
        with torch._C._ExcludeDispatchKeyGuard(excluded):
            return operator(*(tensor.to(dtype) if tensor.is_floating_point() else tensor for tensor in tensors))

    _LIBRARY.impl(name, multiply, key)


for _name in ("typed_linear", "basis_lookup"):
    for _device in ("cpu", "cuda"):
        _multiply_narrow(_name, _device)

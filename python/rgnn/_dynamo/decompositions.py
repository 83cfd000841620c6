"""Operators that the compiler has no rule for, as others that it has rules for.

PyTorch's own decompositions for export are taken where there is no rule. The functions here come first: they decompose
what PyTorch leaves whole, or what has a rule for other arguments alone, and have PyTorch's gradients where a function
has a corner. One that does not apply gives ``NotImplemented``.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

_aten = torch.ops.aten
_own: dict[torch._ops.OpOverload, Callable] = {}


def find_decompositions(refused: Iterable[tuple[str, bool]]) -> dict[torch._ops.OpOverload, Callable]:
    """Decompositions of operators by their names in the compiler's text, and whether it has no rule for them at all."""
    found = {}
    for name, has_no_rule in refused:
        operator = _operator_of(name)
        if operator is None or torch.Tag.nondeterministic_seeded in operator.tags:
            continue
        if operator in _own:
            found[operator] = _own[operator]
        elif has_no_rule and operator in _of_pytorch():
            found[operator] = _of_pytorch()[operator]
    return found


@functools.cache
def _of_pytorch() -> dict[torch._ops.OpOverload, Callable]:
    from torch._decomp import core_aten_decompositions  # takes a moment

    return core_aten_decompositions()


def _operator_of(name: str) -> torch._ops.OpOverload | None:
    namespace, _, name = name.partition(".")
    packet, _, overload = name.partition(".")
    if namespace != "aten":
        return None
    return getattr(getattr(_aten, packet, None), overload or "default", None)


def _decomposes(*operators: torch._ops.OpOverload) -> Callable:
    def declare(function: Callable) -> Callable:
        _own.update(dict.fromkeys(operators, function))
        return function

    return declare


# Norms, and sums of exponentials


@_decomposes(_aten.cosine_similarity.default)
def _cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    def direction(x: Tensor) -> Tensor:
        norm = torch.linalg.vector_norm(x, 2, dim, True)
        return x / (norm + (norm.clamp_min(eps) - norm).detach())

    return (direction(x1) * direction(x2)).sum(dim)


@_decomposes(_aten.linalg_vector_norm.default)
def _vector_norm(x: Tensor, ord: float = 2, dim: Sequence[int] | None = None, keepdim: bool = False, *,
                 dtype: torch.dtype | None = None) -> Any:  # fmt: skip
    dims = list(range(x.dim())) if dim is None else list(dim)
    if dtype is not None or not dims or ord < 1:
        return NotImplemented
    if ord == 1:
        return x.abs().sum(dims, keepdim)
    if ord == float("inf"):
        return x.abs().amax(dims, keepdim)
    total = (x * x if ord == 2 else x.abs() ** ord).sum(dims, keepdim)
    is_positive = total > 0  # a gradient of 0 at 0
    return torch.where(is_positive, torch.where(is_positive, total, 1.0) ** (1.0 / ord), total)


@_decomposes(_aten.logsumexp.default)
def _logsumexp(x: Tensor, dim: Sequence[int], keepdim: bool = False) -> Any:
    most = x.amax(dim, True).detach()
    most = torch.where(most.abs() == float("inf"), 0.0, most)
    total = (x - most).exp().sum(dim, True).log() + most
    return total if keepdim else total.squeeze(list(dim))


@_decomposes(_aten.logaddexp.default)
def _logaddexp(x: Tensor, other: Tensor) -> Tensor:
    total = torch.maximum(x, other) + (-(x - other).abs()).exp().log1p()
    return torch.where((x == other) & (x.abs() == float("inf")), x, total)


@_decomposes(_aten.var_mean.correction)
def _var_mean(x: Tensor, dim: Sequence[int] | None = None, *, correction: float | None = None,
              keepdim: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
    dims = list(range(x.dim())) if dim is None else dim
    return torch.var(x, dims, correction=correction, keepdim=keepdim), x.mean(dims, keepdim)


@_decomposes(_aten.std_mean.correction)
def _std_mean(x: Tensor, dim: Sequence[int] | None = None, *, correction: float | None = None,
              keepdim: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
    dims = list(range(x.dim())) if dim is None else dim
    return torch.std(x, dims, correction=correction, keepdim=keepdim), x.mean(dims, keepdim)


@_decomposes(_aten.inner.default)
def _inner(x: Tensor, other: Tensor) -> Any:
    return (x * other).sum(-1) if other.dim() == 1 and x.dim() else NotImplemented


@_decomposes(_aten.einsum.default)
def _einsum(equation: str, tensors: Sequence[Tensor], *, path: Any = None) -> Any:
    """Outer products of rows, added up: ``nhd,nhe->hde``, the keys times the values of linear attention."""
    found = re.fullmatch(r"(\w)(\w*),\1(\w*)->(\w*)", equation.replace(" ", ""))
    if found is None or len(tensors) != 2 or isinstance(tensors[0].shape[0], int):
        return NotImplemented
    rows, left, right, out = found.groups()
    heads = [letter for letter in left if letter in right]
    own = [[letter for letter in letters if letter not in heads] for letters in (left, right)]
    made = [*heads, *own[0], *own[1]]
    if rows in out or sorted(out) != sorted(made) or len(set(out)) < len(out) or len(heads) > 1:
        return NotImplemented
    sizes = dict(zip(left + right, [*tensors[0].shape[1:], *tensors[1].shape[1:]]))
    if any(tensor.shape[1:] != tuple(sizes[letter] for letter in letters)
           for tensor, letters in zip(tensors, (left, right))):  # fmt: skip
        return NotImplemented
    parts = []
    for head in range(sizes[heads[0]]) if heads else [0]:
        of_head = [tensor.select(1 + letters.index(heads[0]), head) if heads else tensor
                   for tensor, letters in zip(tensors, (left, right))]  # fmt: skip
        flat = [tensor.reshape(tensor.shape[0], math.prod(sizes[letter] for letter in letters))
                for tensor, letters in zip(of_head, own)]  # fmt: skip
        parts.append(flat[0].t() @ flat[1])
    stacked = torch.stack(parts).reshape([sizes[letter] for letter in made])
    return stacked.permute([made.index(letter) for letter in out])


@_decomposes(_aten.gru_cell.default)
def _gru_cell(x: Tensor, hidden: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
              b_hh: Tensor | None = None) -> Tensor:  # fmt: skip
    """Of as many rows as only data say: PyTorch's own compares them."""
    ofx, ofh = F.linear(x, w_ih, b_ih), F.linear(hidden, w_hh, b_hh)
    size = hidden.shape[1]
    reset, update = ((_part(ofx, 1, begin, begin + size) + _part(ofh, 1, begin, begin + size)).sigmoid()
                     for begin in (0, size))  # fmt: skip
    new = (_part(ofx, 1, 2 * size, 3 * size) + reset * _part(ofh, 1, 2 * size, 3 * size)).tanh()
    return (hidden - new) * update + new


@_decomposes(_aten.lstm_cell.default)
def _lstm_cell(x: Tensor, hx: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
               b_hh: Tensor | None = None) -> tuple[Tensor, Tensor]:  # fmt: skip
    hidden, cell = hx
    gates = F.linear(x, w_ih, b_ih) + F.linear(hidden, w_hh, b_hh)
    size = hidden.shape[1]
    keep, forget, new, out = (_part(gates, 1, begin, begin + size) for begin in range(0, 4 * size, size))
    cell = forget.sigmoid() * cell + keep.sigmoid() * new.tanh()
    return out.sigmoid() * cell.tanh(), cell


# Choices


@_decomposes(_aten.hardswish.default)
def _hardswish(x: Tensor) -> Tensor:
    return torch.where(x >= 3, x, torch.where(x <= -3, 0.0, x * (x + 3) / 6))


@_decomposes(_aten.xlogy.Tensor)
def _xlogy(x: Tensor, other: Tensor) -> Tensor:
    return x * torch.where((x == 0) & (other <= 0), 1.0, other).log()


@_decomposes(_aten.clamp.Tensor)
def _clamp(x: Tensor, min: Tensor | None = None, max: Tensor | None = None) -> Tensor:
    x = x if min is None else torch.where(x < min, min, x)
    return x if max is None else torch.where(x > max, max, x)


@_decomposes(_aten.fmax.default)
def _fmax(x: Tensor, other: Tensor) -> Tensor:
    return torch.where((x >= other) | other.isnan(), x, other)


@_decomposes(_aten.fmin.default)
def _fmin(x: Tensor, other: Tensor) -> Tensor:
    return torch.where((x <= other) | other.isnan(), x, other)


@_decomposes(_aten.glu.default)
def _glu(x: Tensor, dim: int = -1) -> Any:
    half = x.shape[dim] // 2
    return _part(x, dim, 0, half) * _part(x, dim, half, 2 * half).sigmoid()


@_decomposes(_aten.any.dim)
def _any(x: Tensor, dim: int, keepdim: bool = False) -> Any:
    return _of_truths(x).amax(dim, keepdim) > 0 if x.dtype == torch.bool else NotImplemented


@_decomposes(_aten.all.dim)
def _all(x: Tensor, dim: int, keepdim: bool = False) -> Any:
    return _of_truths(x).amin(dim, keepdim) > 0 if x.dtype == torch.bool else NotImplemented


def _of_truths(x: Tensor) -> Tensor:
    return torch.where(x, 1.0, 0.0)


# Other orders of the numbers of a row


@_decomposes(_aten.flip.default)
def _flip(x: Tensor, dims: Sequence[int]) -> Any:
    if not all(_is_short(x.shape[dim]) for dim in dims):
        return NotImplemented
    for dim in dims:
        x = torch.cat([_part(x, dim, number) for number in reversed(range(x.shape[dim]))], dim)
    return x


@_decomposes(_aten.roll.default)
def _roll(x: Tensor, shifts: Sequence[int], dims: Sequence[int] = ()) -> Any:
    if not dims or not all(isinstance(x.shape[dim], int) and x.shape[dim] for dim in dims):
        return NotImplemented
    for shift, dim in zip(shifts, dims):
        size = x.shape[dim]
        if cut := size - shift % size:
            x = torch.cat([_part(x, dim, cut, size), _part(x, dim, 0, cut)], dim) if cut < size else x
    return x


@_decomposes(_aten.constant_pad_nd.default)
def _pad(x: Tensor, pad: Sequence[int], value: float = 0.0) -> Any:
    for number, (before, behind) in enumerate(zip(pad[::2], pad[1::2])):
        dim = x.dim() - 1 - number
        if not isinstance(x.shape[dim], int) or before < 0 or behind < 0:
            return NotImplemented
        shape = [*x.shape]
        parts = [x]
        for size, place in ((before, 0), (behind, 2)):
            shape[dim] = size
            parts.insert(place, x.new_full(shape, value))
        x = torch.cat([part for part in parts if part.shape[dim]], dim)
    return x


def _is_short(size: Any) -> bool:
    """Whether it is worth while to take a dimension apart."""
    return isinstance(size, int) and 0 < size <= 64


def _part(x: Tensor, dim: int, begin: int, end: int | None = None) -> Tensor:
    return _aten.slice.Tensor(x, dim, begin, begin + 1 if end is None else end)

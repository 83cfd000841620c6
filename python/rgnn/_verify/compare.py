"""Tells two runs of a model apart: results, gradients, and what they left behind, beyond rounding."""

from __future__ import annotations

import dataclasses
import math
import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

ROUNDINGS = 64  # that a result may be off by, relative to the largest values, before it is looked at closely
SHARE = 8  # of PyTorch's own error against float64, that an error may be
# Where PyG's layers note which of several ways they take: compiled code takes its own.
_WAYS = re.compile(r"(^state |\.)(_use_segment_matmul_heuristic_output|fuse)$")


@dataclass
class Outcome:
    """All that a run can be told apart by.

    Attributes:
        error: what it raised; then it has no result.
        result: what it returned.
        values: what the arguments and the model hold after it, by name.
        gradients: by name, those of a loss that is made up; None where there is none. Empty where no result wants one.
        refusal: what the backward raised.
        draws: the states of random generators after it.
    """

    error: Exception | None = None
    result: Any = None
    values: dict[str, Any] = dataclasses.field(default_factory=dict)
    gradients: dict[str, Tensor | None] = dataclasses.field(default_factory=dict)
    refusal: Exception | None = None
    draws: Any = None


def compare(got: Outcome, expected: Outcome, precision: float, exact: Callable[[], Outcome | None]) -> list[str]:
    """What differs, in words.

    Args:
        got, expected: of compiled code, and of PyTorch.
        precision: the coarsest rounding of a number in the call.
        exact: gives the same in float64, where that is possible; asked where roundings do not explain a difference.
    """
    if got.error or expected.error:
        if got.error and expected.error:
            return []
        failed = got.error or expected.error
        return [f"{'' if got.error else 'not '}raising {type(failed).__name__}: {failed}"]
    pairs: dict[str, tuple[Any, Any]] = {}
    differences = _align(_parts(got), _parts(expected), pairs)
    if got.refusal and not expected.refusal:
        differences.append(f"its backward raises {type(got.refusal).__name__}: {got.refusal}")
    # What cancels out is as exact as what it comes from. In float64 there is no exacter run that says how exact.
    share = 1 if precision < 1e-12 else 0.01
    sizes: dict[str, float] = {}
    for name, (_, other) in pairs.items():
        sizes[_kind_of(name)] = max(sizes.get(_kind_of(name), 0.0), share * _size(other))
    suspects = [name for name, (one, other) in pairs.items()
                if not _is_close(one, other, _tolerance(precision), sizes[_kind_of(name)])]  # fmt: skip
    references = None
    for name in suspects:
        if references is None:
            references = dict(_parts(made)) if (made := exact()) is not None else {}
        size = sizes[_kind_of(name)]
        if not _is_rounding(*pairs[name], references.get(name), precision, size):
            differences.append(f"{name}: {describe_difference(*pairs[name])}")
    differences += _compare_sharing(got, expected)
    if got.draws != expected.draws:
        differences.append("random numbers: other ones, or another number of them, are drawn")
    return differences


def measure(got: Outcome, expected: Outcome) -> dict[str, float]:
    """Of each result and gradient, the largest difference as a share of the largest value; nothing after an error."""
    pairs: dict[str, tuple[Any, Any]] = {}
    if not got.error and not expected.error:
        _align(_parts(got), _parts(expected), pairs)
    shares = {}
    for name, (one, other) in pairs.items():
        if _kind_of(name) != "state":
            distance = _distance(_numbers(one), _numbers(other))
            largest = distance.max().item() if distance.numel() else 0.0
            shares[name] = largest / _size(other) if largest and _size(other) else largest
    return shares


# The parts of a run


def _kind_of(name: str) -> str:
    """Whether a part is of the ``result``, the ``state`` or the ``gradient``."""
    return re.match(r"\w+", name)[0]


def _parts(outcome: Outcome) -> Iterator[tuple[str, Any]]:
    yield from flatten(outcome.result, "result")
    for name, value in outcome.values.items():
        yield from flatten(value, f"state {name}")
    for name, gradient in outcome.gradients.items():
        yield f"gradient of {name}", gradient


def flatten(value: Any, place: str = "", above: tuple[int, ...] = ()) -> Iterator[tuple[str, Any]]:
    """The parts of a value with their places in it: tensors, numbers and texts; of containers what they are."""
    if isinstance(value, Tensor | bool | int | float | complex | str | bytes | torch.dtype | torch.device | type(None)):
        yield place, value
        return
    yield place, type(value)
    if id(value) in above or isinstance(value, nn.Module | type):
        return
    above = (*above, id(value))
    if isinstance(value, dict):
        for key in value:
            yield from flatten(value[key], f"{place}[{key!r}]", above)
    elif isinstance(value, list | tuple | deque):
        for number, part in enumerate(value):
            yield from flatten(part, f"{place}[{number}]", above)
    elif isinstance(value, set | frozenset):
        yield f"{place} members", len(value)
    elif hasattr(value, "__dict__") and not callable(value):
        for name, part in vars(value).items():
            yield from flatten(part, f"{place}.{name}", above)


def _align(got: Iterator, expected: Iterator, pairs: dict[str, tuple[Any, Any]]) -> list[str]:
    """Pairs tensors and fractions; what is told apart without looking at values of tensors."""
    ones, others = ({name: part for name, part in parts if not _WAYS.search(name)} for parts in (got, expected))
    differences = [f"{name}: {_kind(ones[name])} that PyTorch does not give" for name in ones if name not in others]
    differences += [f"{name}: missing, expected {_kind(others[name])}" for name in others if name not in ones]
    for name in [name for name in others if name in ones]:
        one, other = ones[name], others[name]
        if _kind(one) != _kind(other):
            differences.append(f"{name}: expected {_kind(other)}, got {_kind(one)}")
        elif isinstance(one, Tensor | float):
            pairs[name] = (one, other)
        elif one != other and one == one:
            differences.append(f"{name}: expected {other!r}, got {one!r}")
    return differences


def _kind(value: Any) -> str:
    if isinstance(value, Tensor):
        wants = ", which wants a gradient" if value.requires_grad else ""
        return f"{type(value).__name__} {list(value.shape)} of {str(value.dtype).removeprefix('torch.')}{wants}"
    return value.__name__ if isinstance(value, type) else type(value).__name__


def _compare_sharing(got: Outcome, expected: Outcome) -> list[str]:
    """Whether results are the same objects, and have the same memory, as others and as what a call was given."""
    ones, others = _sharing(got), _sharing(expected)
    return [f"{name}: expected {others[name]}, got {ones[name]}" for name in others
            if name in ones and ones[name] != others[name]]  # fmt: skip


def _sharing(outcome: Outcome) -> dict[str, str]:
    held = [(name, part) for key, value in outcome.values.items() for name, part in flatten(value, key)
            if isinstance(part, Tensor)]  # fmt: skip
    found = {}
    for name, part in flatten(outcome.result, "result"):
        if isinstance(part, Tensor) and part.layout is torch.strided and part.numel():
            same = next((other for other, tensor in held if tensor is part), None)
            memory = part.untyped_storage().data_ptr()
            seen = any(tensor.layout is torch.strided and tensor.untyped_storage().data_ptr() == memory
                       for _, tensor in held)  # fmt: skip
            found[name] = f"the tensor {same}" if same else "a view of another" if seen else "a tensor of its own"
            held.append((name, part))
    return found


# Values


def _numbers(value: Any) -> Tensor:
    tensor = value.detach() if isinstance(value, Tensor) else torch.tensor(value)
    tensor = tensor.to_dense() if tensor.layout is not torch.strided else tensor
    return tensor if tensor.is_complex() else tensor.double()


def _size(value: Any) -> float:
    numbers = _numbers(value).abs()
    numbers = numbers[numbers.isfinite()]
    return numbers.max().item() if numbers.numel() else 0.0


def _distance(one: Tensor, other: Tensor) -> Tensor:
    """Element by element; nothing where both are infinite in the same way, or no numbers."""
    same = (one == other) | (one.isnan() & other.isnan())
    return torch.where(same, 0.0, (one - other).abs().nan_to_num(math.inf, math.inf))


def _tolerance(precision: float) -> float:
    """A share of the largest values; of numbers of 16 bits, whose roundings are large, not so many."""
    return min(ROUNDINGS * precision, math.sqrt(precision) / 4)


def _is_close(one: Any, other: Any, tolerance: float, size: float) -> bool:
    """Whether values are equal up to a share of the largest, or of ``size``."""
    if isinstance(other, Tensor) and not (other.is_floating_point() or other.is_complex()):
        return torch.equal(one, other)
    bound = tolerance * max(_size(other), size)
    return bool((_distance(_numbers(one), _numbers(other)) <= bound).all())


def is_near(one: Tensor, other: Tensor) -> bool:
    """Whether tensors are equal up to what roundings of the second's dtype, some times over, make of its numbers."""
    if not other.is_floating_point():
        return torch.equal(one, other)
    return _is_close(one, other, 1000 * torch.finfo(other.dtype).eps, 0.0)


def _is_rounding(one: Any, other: Any, reference: Any, precision: float, size: float) -> bool:
    """Whether a difference is of the kind that PyTorch's own roundings make, too."""
    most = 4 * math.sqrt(precision)
    if isinstance(other, Tensor) and not (other.is_floating_point() or other.is_complex()):
        # A choice, such as the largest of several: right where PyTorch chooses otherwise with other roundings.
        wrong = one != other
        return isinstance(reference, Tensor) and bool((reference != other)[wrong].all())
    size = max(_size(other), size)
    got, expected = _numbers(one), _numbers(other)
    if isinstance(reference, Tensor | float) and _numbers(reference).shape == expected.shape:
        true = _numbers(reference)
        off = _distance(expected, true)
        finite = off[off.isfinite()]
        noise = finite.max().item() if finite.numel() else 0.0
        if noise <= most * size:  # else it is no reference: it drew other random numbers, or is ill-conditioned
            bound = min(max(SHARE * noise, _tolerance(precision) * size), most * size)
            near = (_distance(got, true) <= bound) | ~expected.isfinite() & true.isfinite()
            return bool(near.all())
    return bool((_distance(got, expected) <= min(1000 * precision, most) * size).all())


def describe_difference(one: Any, other: Any) -> str:
    """In words, where two values differ most."""
    if not isinstance(other, Tensor):
        return f"expected {other}, got {one}"
    distance = _distance(_numbers(one), _numbers(other))
    place = distance.argmax() if distance.numel() else 0
    index = [int(number) for number in torch.unravel_index(torch.as_tensor(place), distance.shape)]
    where = f" at {index}" if index else ""
    got, expected = (_numbers(value).reshape(-1)[place].item() for value in (one, other))
    more = f", in {int((distance > 0).sum())} of {distance.numel()} places" if distance.numel() > 1 else ""
    return f"expected {expected:.7g}, got {got:.7g}{where}{more}; the largest value is {_size(other):.3g}"

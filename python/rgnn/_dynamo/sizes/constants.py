"""Which integers of a call, and sizes of its tensors, a capture has as numbers and which as symbols."""

from __future__ import annotations

import contextlib
import inspect
import re
import sys
import types
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from ..._capture.inputs import dynamic_dim
from ..._sparse.matrix import SparseMatrix
from .. import private
from ..leading import MOST_CONSTANTS, LeadingSizes, size_name
from .thread import is_own


@contextlib.contextmanager
def constants_fixed(seen: dict[str, set], frame: Any, fractions: bool, leading: LeadingSizes,
                    inputs: list[Tensor] | None = None) -> Iterator[None]:  # fmt: skip
    """Numbers of a call, and widths of tensors, are constants, and symbols only once they have changed; the first few
    that are negative are constants in any case.

    TorchDynamo would tell by what other models of the same class hold. Integers in lists of a call, such as how many
    nodes each hop of a batch found, become symbols together, once one of them has changed: otherwise there would be a
    capture for each that is first to change.

    Args:
        seen: what these numbers of a model were so far; gets what they are.
        frame: the call that is captured.
        fractions: whether numbers that are no integers stay constants: no kernel takes them as symbols.
        leading: sizes that are constants although they are first, and symbols although they are not.
        inputs: the tensors whose rows are symbols; None for all.
    """
    builder, functions = private.VariableBuilder, private.builder
    stock = builder.wrap_symint, builder.wrap_symfloat, functions._automatic_dynamic
    _look_again(seen, frame)
    have_changed = any(len(values) > 1 and _is_listed(name, frame) for name, values in seen.items())
    counts = _row_counts(frame)

    def is_constant(name: str, value: float, most: int) -> bool:
        known = seen.setdefault(name, set())
        known.add(value)
        return len(known) <= most

    def wrap_integer(self: Any, value: int, *args: Any, **kwargs: Any) -> Any:
        if not is_own():
            return stock[0](self, value, *args, **kwargs)
        name = self.source.name
        is_fixed = is_constant(name, value, 1) and not (have_changed and _is_listed(name, frame))
        is_fixed &= name not in leading.rows and not _counts_rows(name, value, frame, counts)
        # A negative one is no size, but a place from the end, or none. One that is another in each call is a symbol.
        is_fixed |= value < 0 and sum(each < 0 for each in seen[name]) <= MOST_CONSTANTS
        with private.dynamo_config.patch(specialize_int=is_fixed):
            return stock[0](self, value, *args, **kwargs)

    def wrap_fraction(self: Any, value: float) -> Any:
        most = sys.maxsize if fractions else 2
        with private.dynamo_config.patch(specialize_float=not is_own() or is_constant(self.source.name, value, most)):
            return stock[1](self, value)

    def dynamic_sizes(tensor: Any, tx: Any, source: Any, static_shapes: bool, *args: Any, **kwargs: Any) -> Any:
        has_rows = isinstance(tensor, torch.nn.Parameter) and not leading.are_parameters_constant and (
            size_name(source, 0) in leading.rows or _is_of_graph(source.name, frame))  # fmt: skip
        context = stock[2](tensor, tx, source, static_shapes and not (is_own() and has_rows), *args, **kwargs)
        if isinstance(tensor, SparseMatrix):
            return context  # both sizes are numbers of nodes
        if is_own() and isinstance(context, private.StatelessSymbolicContext):
            is_dynamic = inputs is None or any(tensor is one for one in inputs)
            rows = dynamic_dim(tensor) if is_dynamic else None
            for dim, size in enumerate(tensor.shape):
                name = size_name(source, dim)
                is_fixed = dim != rows and name not in leading.rows or name in leading.in_front
                most = MOST_CONSTANTS if name in leading.in_front else 1
                if is_fixed and isinstance(size, int) and is_constant(f"{source.name}.shape[{dim}]", size, most):
                    context.dynamic_sizes[dim] = private.DimDynamic.STATIC
        return context

    builder.wrap_symint, builder.wrap_symfloat = wrap_integer, wrap_fraction
    functions._automatic_dynamic = dynamic_sizes
    try:
        yield
    finally:
        builder.wrap_symint, builder.wrap_symfloat, functions._automatic_dynamic = stock


def _look_again(seen: dict[str, set], frame: Any) -> None:
    """Adds what numbers are in a call that were read in earlier ones: all of them, before the first is captured."""
    places = {"L": frame.f_locals, "G": frame.f_globals}
    for name, values in seen.items():
        with contextlib.suppress(Exception):  # another frame has other numbers
            value = eval(name, places)
            if type(value) is int:
                values.add(value)


def _is_listed(name: str, frame: Any) -> bool:
    """Whether a number is in a list that is a part of what a call is given, not of what a module holds."""
    found = re.match(r"L\['(\w+)'\](.*)\[\d+\]$", name)
    if found is None or isinstance(frame.f_locals.get(found[1]), torch.nn.Module) or ".shape" in found[2]:
        return False
    code = frame.f_code
    spread = code.co_varnames[code.co_argcount + code.co_kwonlyargcount :][:1] if (
        code.co_flags & inspect.CO_VARARGS) else ()  # fmt: skip
    return found[1] not in spread or bool(found[2])  # *args are no list to who calls


def _row_counts(frame: Any) -> set[int]:
    """How many rows, or edges, the tensors of a call have."""
    tensors = [tensor for tensor in _tensors_in(list(frame.f_locals.values())) if tensor.dim() > 0]
    return {tensor.shape[dynamic_dim(tensor)] for tensor in tensors if not isinstance(tensor, SparseMatrix)}


_DEEPEST, _MOST_OBJECTS = 6, 10_000
"""How many objects are around a tensor at most, a list, a store and a mapping in a ``HeteroData``; and how many are
looked into, of a call that can reach a whole data set."""
_OPAQUE = torch.nn.Module, types.ModuleType, type


def _tensors_in(values: list[Any]) -> Iterator[Tensor]:
    """The tensors in lists, dictionaries and objects that are no modules, those nearest first."""
    seen: set[int] = set()
    for _ in range(_DEEPEST + 1):
        parts: list[Any] = []
        for value in values:
            if isinstance(value, Tensor):
                yield value
            elif id(value) not in seen and not isinstance(value, _OPAQUE):
                seen.add(id(value))
                if len(seen) > _MOST_OBJECTS:
                    return
                held = value if isinstance(value, dict) else getattr(value, "__dict__", {})
                parts += value if isinstance(value, (list, tuple)) else held.values()
        values = parts


def _counts_rows(name: str, value: int, frame: Any, counts: set[int]) -> bool:
    """Whether a number that is an argument, or is in lists with others, is that of the rows of a tensor, or one is; or
    whether that of an object is, such as ``data.num_nodes``."""
    found = re.match(r"L\['(\w+)'\]((?:\[\d+\])*)", name)
    if found is None:
        return False
    if rest := name[found.end() :]:
        is_single = rest.startswith(".") and not re.search(r"\[\d+\]$", rest)
        return is_single and value in counts and not _is_of_module(found[0], name, frame)
    numbers = pytree.tree_leaves(frame.f_locals.get(found[1]))
    return any(type(number) is int and number in counts for number in numbers)


def _is_of_graph(name: str, frame: Any) -> bool:
    """Whether a tensor has features of nodes or edges in an argument that is a graph, of ``rgnn.dgl`` or PyG."""
    found = None if "._type_frames[" in name else re.match(r"L\['(\w+)'\]", name)
    kind = type(frame.f_locals.get(found[1])) if found else type(None)
    return not issubclass(kind, torch.nn.Module) and any(
        base.__module__.startswith(("rgnn.dgl.", "torch_geometric.data.")) for base in kind.__mro__)  # fmt: skip


def _is_of_module(argument: str, name: str, frame: Any) -> bool:
    """Whether what has a number is a module, or a part of one."""
    with contextlib.suppress(Exception):  # a name that Python does not know
        owners = [eval(each, {"L": frame.f_locals}) for each in (argument, name.rpartition(".")[0])]
        return any(isinstance(owner, torch.nn.Module) for owner in owners)
    return True

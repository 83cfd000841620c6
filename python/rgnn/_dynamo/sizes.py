"""How sizes and integers of a call are captured: as symbols, which take 0 and 1 like other numbers.

By itself TorchDynamo makes a capture of its own for the sizes 0 and 1, which batches of many relations cannot afford.
Its setting ``backed_size_oblivious`` takes sizes for large where an operator asks about 0 and 1 for its own sake (is
this tensor contiguous), and where it broadcasts, records that sizes are equal. It also decides what the *model* asks,
without a trace, and that is wrong: here these questions get the answer for the sizes at hand, as a guard.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
import operator
import re
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sympy
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils import _pytree as pytree

from .._sparse.matrix import SparseMatrix
from . import private
from .leading import MOST_CONSTANTS, LeadingSizes, size_name

_capturing: int | None = None  # the thread whose sizes these are


@contextlib.contextmanager
def constants_fixed(seen: dict[str, set], frame: Any, fractions: bool, leading: LeadingSizes,
                    inputs: list[Tensor] | None = None) -> Iterator[None]:  # fmt: skip
    """Numbers of a call, and widths of tensors, are constants, and symbols only once they have changed.

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
        if not _is_own():
            return stock[0](self, value, *args, **kwargs)
        name = self.source.name
        is_fixed = is_constant(name, value, 1) and not (have_changed and _is_listed(name, frame))
        is_fixed &= name not in leading.rows and not _counts_rows(name, frame, counts)
        with private.dynamo_config.patch(specialize_int=is_fixed):
            return stock[0](self, value, *args, **kwargs)

    def wrap_fraction(self: Any, value: float) -> Any:
        most = sys.maxsize if fractions else 2
        with private.dynamo_config.patch(specialize_float=not _is_own() or is_constant(self.source.name, value, most)):
            return stock[1](self, value)

    def dynamic_sizes(tensor: Any, tx: Any, source: Any, *args: Any, **kwargs: Any) -> Any:
        context = stock[2](tensor, tx, source, *args, **kwargs)
        if isinstance(tensor, SparseMatrix):
            return context  # both sizes are numbers of nodes
        if _is_own() and isinstance(context, private.StatelessSymbolicContext):
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
    arguments = [value for value in frame.f_locals.values() if not isinstance(value, torch.nn.Module)]
    tensors = [leaf for leaf in pytree.tree_leaves(arguments) if isinstance(leaf, Tensor) and leaf.dim() > 0]
    return {tensor.shape[dynamic_dim(tensor)] for tensor in tensors if not isinstance(tensor, SparseMatrix)}


def _counts_rows(name: str, frame: Any, counts: set[int]) -> bool:
    """Whether a number that is an argument, or is in lists with others, is that of the rows of a tensor, or one is."""
    found = re.match(r"L\['(\w+)'\](?:\[\d+\])*$", name)
    numbers = pytree.tree_leaves(frame.f_locals.get(found[1])) if found else []
    return any(type(number) is int and number in counts for number in numbers)


def dynamic_dim(tensor: Tensor) -> int | None:
    """The dimension whose size differs from graph to graph: edges of ``[2, E]`` integers, rows of others."""
    if tensor.dim() == 0:
        return None
    is_edges = not tensor.is_floating_point() and tensor.dim() == 2 and tensor.shape[0] == 2
    return 1 if is_edges else 0


@contextlib.contextmanager
def of_this_thread() -> Iterator[None]:
    """What this module changes is for captures of this thread."""
    global _capturing
    before, _capturing = _capturing, threading.get_ident()
    try:
        yield
    finally:
        _capturing = before


@contextlib.contextmanager
def symbolic() -> Iterator[None]:
    """Captures make sizes symbols, 0 and 1 like any other."""
    shapes, environment = private.symbolic_shapes, private.ShapeEnv
    stock = (shapes.make_symbol, shapes._guard_or, environment.evaluate_expr, environment._compute_symbolic_stride,
             environment.produce_guards_verbose, environment.create_symbol)  # fmt: skip
    stock_files = shapes.uninteresting_files
    files = {*stock_files(), __file__}  # which ask nothing themselves

    def make_symbol(prefix: Any, number: int, **assumptions: Any) -> sympy.Symbol:
        # A symbol that is positive makes `size == 0` false for ever, before it becomes a guard.
        if prefix is private.SymT.SIZE and assumptions.pop("positive", None):
            assumptions["nonnegative"] = True
        return stock[0](prefix, number, **assumptions)

    def create_symbol(self: Any, value: Any, source: Any, *args: Any, **kwargs: Any) -> sympy.Expr:
        # The second row of a list of edges lies 0 or 1 numbers behind the first where later calls have so many edges.
        is_offset = getattr(source, "prop", None) is private.TensorProperty.STORAGE_OFFSET
        if is_offset and isinstance(value, int) and value > 1 and _is_own():
            kwargs["do_not_specialize_zero_one"] = True
        return stock[5](self, value, source, *args, **kwargs)

    def guard_or(condition: Any, default: bool) -> bool:
        if isinstance(condition, torch.SymBool) and _is_own():
            # The rank of what squeeze gives is seen by the model: where data say it, nothing is captured.
            if _asked_by("squeeze", torch._refs.__file__):
                return shapes.guard_bool(condition)
            # So is how many rows a slice has up to a size; the model may compare that with another one.
            if _asked_by_slice() and not private.free_unbacked_symbols(condition):
                return shapes.guard_bool(condition)
        return stock[1](condition, default)

    def evaluate(self: Any, expression: sympy.Basic, *args: Any, **kwargs: Any) -> sympy.Basic:
        if _is_own() and _asked_about_memory():
            with self.suppress_guards():
                return stock[2](self, expression, *args, **kwargs)
        if isinstance(expression, sympy.Eq) and expression.rhs == 0 and _is_own() and _asked_by_batch_norm():
            return sympy.false  # of no rows it makes none; what it keeps in training is normalise's
        if isinstance(expression, sympy.Eq) and expression.rhs == 1 and _is_own() and (
                private.free_unbacked_symbols(expression) and _asked_about_batch()):  # fmt: skip
            return sympy.false  # each call asks: normalise's check
        answer = _answer_for_large(expression) if _is_own() else None
        if answer is not None and (target := _running()) in _OF_LARGE:
            if target in _ATTENTION:
                return answer
            with self.suppress_guards():
                if stock[2](self, expression, *args, **kwargs) == answer:
                    return answer
        try:
            return stock[2](self, expression, *args, **kwargs)
        except private.GuardOnDataDependentSymNode:
            if not _is_own():
                raise
            # A sum of a size that only data say and one that the call gives may be decided by the latter alone.
            for least in (1, 2):
                _require_at_least(self, expression, least, stock[2])
                with contextlib.suppress(private.GuardOnDataDependentSymNode):
                    return stock[2](self, expression, *args, **kwargs)
            raise

    def strides(self: Any, source: Any, size: list[sympy.Expr], ex_size: Any, ex_stride: Any, *args: Any,
                **kwargs: Any) -> list[sympy.Expr]:  # fmt: skip
        # By themselves they are constants where sizes of 0 and 1 make them 1.
        dense = _dense_strides(ex_size) if _is_own() else None
        if dense == list(ex_stride):
            return _dense_strides(size)
        return stock[3](self, source, size, ex_size, ex_stride, *args, **kwargs)

    def guards(self: Any, placeholders: Any, sources: Any, *args: Any, **kwargs: Any) -> Any:
        made = stock[4](self, placeholders, sources, *args, **kwargs)
        if _is_own():
            # That sizes are not negative is asked in Python, of each edge set, in each call.
            known = {f"0 <= {source.name}.size()[{dim}]" for tensor, source in zip(placeholders, sources, strict=True)
                     if isinstance(tensor, Tensor) for dim in range(tensor.dim())}  # fmt: skip
            for helper in made:
                helper.exprs[:] = [guard for guard in helper.exprs if guard.partition("  #")[0] not in known]
        return made

    shapes.make_symbol, shapes._guard_or, environment.evaluate_expr = make_symbol, guard_or, evaluate
    environment._compute_symbolic_stride, environment.produce_guards_verbose = strides, guards
    environment.create_symbol = create_symbol
    shapes.uninteresting_files = lambda: files
    try:
        with private.shape_config.patch(backed_size_oblivious=True):
            yield
    finally:
        (shapes.make_symbol, shapes._guard_or, environment.evaluate_expr, environment._compute_symbolic_stride,
         environment.produce_guards_verbose, environment.create_symbol) = stock  # fmt: skip
        shapes.uninteresting_files = stock_files


@contextlib.contextmanager
def read_directly() -> Iterator[None]:
    """Calls read sizes as ``x.size(0)``; through PyTorch's helper a batch of 12 relations takes 30 us for that."""
    source = private.TensorPropertySource
    stock = source.reconstruct

    def reconstruct(self: Any, codegen: Any) -> None:
        if not _is_own() or self.idx is None:
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
    """Nodes of a trace do not record the layout of each tensor, which takes seconds for hundreds of symbolic sizes."""
    tracing = private.proxy_tensor
    stock = tracing._extract_tensor_metadata
    tracing._extract_tensor_metadata = lambda tensor, *args: None if _is_own() else stock(tensor, *args)
    try:
        yield
    finally:
        tracing._extract_tensor_metadata = stock


def _dense_strides(sizes: Any) -> list:
    """Of a tensor without gaps, whose sizes are numbers or expressions."""
    strides = [sympy.Integer(1)]
    for size in reversed(sizes[1:]):
        least = max(1, int(size)) if sympy.sympify(size).is_Integer else sympy.Max(1, size, evaluate=False)
        strides.insert(0, strides[0] * least)
    return strides[: len(sizes)]


def _is_own() -> bool:
    return threading.get_ident() == _capturing


def _asked_by(function: str, file: str, depth: int = 5) -> bool:
    """Whether a function of PyTorch asks what is about to be answered, among that many innermost calls."""
    codes = (frame.f_code for frame in itertools.islice(_askers(), depth))
    return any(code.co_name == function and code.co_filename == file for code in codes)


def _asked_about_memory() -> bool:
    """Whether PyTorch asks if a tensor without data has room for its data, or if its entries lie upon each other."""
    return (_asked_by("_get_output_tensor_from_cache_entry", private.fake_tensor.__file__)
            or _asked_by("meta_copy_", torch._meta_registrations.__file__, depth=4))  # fmt: skip


def _asked_by_batch_norm() -> bool:
    """Whether PyTorch's function asks, or the operator where it is taken apart."""
    operators = torch.ops.aten.batch_norm.default, torch.ops.aten._batch_norm_impl_index.default
    return _asked_by("batch_norm", torch.nn.functional.__file__) or any(
        frame.f_code.co_name == "decompose" and frame.f_locals.get("self") in operators for frame in _askers())


def _asked_about_batch() -> bool:
    """Whether PyTorch asks if a batch has a single value per channel."""
    return _asked_by("_verify_batch_size", torch.nn.functional.__file__, depth=6)


def _asked_by_slice() -> bool:
    """Whether a slice asks that ends, or begins, at a symbol."""
    slices = (frame.f_locals for frame in _askers() if frame.f_code.co_name == "slice_forward"
              and frame.f_code.co_filename == private.fake_impls.__file__)  # fmt: skip
    return any(isinstance(given.get(bound), torch.SymInt) for given in slices for bound in ("start", "end"))


def _answer_for_large(expression: sympy.Basic) -> sympy.Basic | None:
    """Whether a size, or a product with it, is what a size of 0 or 1 would make it: it is not; None for other
    questions."""
    if not isinstance(expression, (sympy.Eq, sympy.Ne)):
        return None
    length, number = expression.args if expression.rhs.is_Integer else reversed(expression.args)
    small = [length.subs(dict.fromkeys(length.free_symbols, size)) for size in (0, 1)]
    if not number.is_Integer or number not in (0, 1, *small):
        return None
    return sympy.sympify(isinstance(expression, sympy.Ne))


def _running() -> Any:
    """The function that runs without data, and asks; None where none does."""
    runners = private.dynamo_utils.__file__, _OWN_RUNNER  # TorchDynamo's, and RGNN's when it traces
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "run_node" and frame.f_code.co_filename in runners:
            return getattr(frame.f_locals.get("node"), "target", None)
        frame = frame.f_back
    return None


_ATTENTION = (F.multi_head_attention_forward, F.scaled_dot_product_attention)
_OF_LARGE = (*_ATTENTION, F.linear, torch.einsum, torch.matmul, torch.bmm, operator.matmul, "matmul", "bmm",
             Tensor.contiguous)  # fmt: skip
"""Results have the shape that they have for large sizes, which holds for few operators (``squeeze`` is none). Models
call the method ``contiguous``; the function is ``normalise.rows.first``'s, where it is all the same if it copies."""
_OWN_RUNNER = str(Path(__file__).with_name("functional.py"))


def _askers() -> Iterator[types.FrameType]:
    """The innermost calls of PyTorch that lead to a question."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    for _ in range(6):
        if frame is not None:
            yield frame
            frame = frame.f_back


def _require_at_least(environment: Any, expression: sympy.Basic, least: int, evaluate: Any) -> None:
    """Guards that the sizes of the call in an expression are that large, where they are."""
    for symbol in expression.free_symbols:
        value = environment.backed_var_to_val.get(symbol)
        if value is not None and value >= least:
            evaluate(environment, sympy.Ge(symbol, least))

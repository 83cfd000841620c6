"""rgnn.register_op: operators of users."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch._library.custom_ops import OPDEFS, CustomOpDef

from . import known, registry
from .declare import infer_schema, make_fake, make_kernel, own_gradient, parts_of
from .movement import Movement

_RESERVED = ("aten", "prim", "prims", "rgnn", "rgnn_compiled", "rgnn_training")


def register_op(
    op: Any, function: Callable | type | None = None, *, rows: str, index: str | None = None, size: str | None = None,
    shared: Iterable[str] = (), fake: Callable | None = None, lowering: Callable | None = None,
    backward: Callable | None = None, setup_context: Callable | None = None,
) -> Any:  # fmt: skip
    """Makes a function an operator: models that call it are captured whole, as one operator, and compiled around it.

    As a decorator, ``@rgnn.register_op("mylib::soft_clip", rows="each")``, it takes the function below; a call with an
    operator of PyTorch, or the name of one, registers that. docs/OwnOps.md has examples.

    Args:
        op: a name, ``"namespace::name"``; or an operator: what ``torch.library.custom_op`` gives, or ``torch.ops.a.b``.
        function: a Python function whose arguments and results have types (``Tensor``, ``Tensor | None``,
            ``list[Tensor]``, ``int``, ``float``, ``bool``, ``str``), changes no argument and gives a tensor or a tuple
            of tensors; or an ``autograd.Function`` whose ``forward`` is such a function.
        rows: what its rows depend on. All tensors are ``[M, ...]`` with a row for each node or edge, but ``index``, a
            tensor that ``size`` names, and those that are ``shared``:

            - ``"each"``: row i of the result depends on row i of the arguments, and on entry i of ``index``.
            - ``"group"``: on all rows of the same index, as in a softmax over edges.
            - ``"sum"``, ``"mean"``, ``"max"``, ``"min"``: row n of the result is that of something computed of each row
              whose index is n; without rows, 0.
            - ``"reduce"``: row n of the result depends on the rows whose index is n, in any other way.
            - ``"any"``: nothing is said.
        index: name of the argument that says to which row of the result each row belongs: integers ``[M]``, or
            ``edge_index`` ``[2, M]``, whose second row has the destinations.
        size: of sums and the like, name of the argument that is the number of the result's rows, or of a tensor that
            has as many.
        shared: names of tensors that all rows read: weights, or the nodes that edges read by ``index``.
        fake: gives an empty tensor of the result's shape and dtype, as of ``torch.library.register_fake``. None: the
            result has the shape that ``lowering`` gives; without one, dtype and width are those of the first tensor of
            floats that has rows.
        lowering: a function of the same arguments, made of PyTorch's and PyG's operators, that gives the same numbers:
            the compiler takes it for the operator, forward and backward. Where a part of it has no kernel, or kernels
            would not pay, PyTorch runs the operator. None: PyTorch always does, between compiled regions.
        backward, setup_context: the gradient, as of ``torch.library.register_autograd``. None: that of the lowering;
            without one that of the function, by autograd, which runs it once more in the backward. Compiled code has
            the lowering's, where there is one.

    Returns:
        The operator, to be called as the function was.

    Raises:
        TypeError: no function, or one that no operator can be made of.
        ValueError: a movement that is none, an argument that there is not, or a name that something else has.

    Calls raise ``ValueError`` where arguments or results have other rows than promised, and :class:`TrainingError` in a
    backward that nothing computes. ``rgnn.compile(..., verify=1)`` looks whether promises hold, and raises
    :class:`VerificationError`. Register before models are called: what was captured stays as it is.
    """
    told = _Told(rows, index, size, shared, fake, lowering, backward, setup_context)
    told.check(str(op))
    if not isinstance(op, str):
        return _register_known(op, function, told)
    if not re.fullmatch(r"\w+::\w+(\.\w+)?", op, re.ASCII):
        raise ValueError(f"expected a name such as 'mylib::soft_clip', got {op!r}")
    if op.partition("::")[0] in _RESERVED:
        raise ValueError(f"{op}: expected a namespace of your own, got {op.partition('::')[0]!r}")
    if function is not None:
        return _declare(op, function, told)
    before = registry.named(op)
    is_own = before is not None and before.declared is not None
    operator = None if is_own else registry.find_operator(op)
    if operator is None:
        return lambda function: _declare(op, function, told)
    _register_known(operator, None, told)
    return _refusing_functions(op, operator, before)


class _Told:
    """What was said of an operator."""

    def __init__(self, rows: str, index: str | None, size: str | None, shared: Iterable[str], fake: Callable | None,
                 lowering: Callable | None, backward: Callable | None, setup_context: Callable | None):
        self.movement = functools.partial(Movement.make, rows=rows, index=index, size=size, shared=shared)
        self.fake, self.lowering, self.backward, self.setup_context = fake, lowering, backward, setup_context

    def check(self, name: str) -> None:
        for what in ("fake", "lowering", "backward", "setup_context"):
            value = getattr(self, what)
            if value is not None and not callable(value):
                raise TypeError(f"{name}: {what}: expected a function, got {type(value).__name__}")
        if self.setup_context is not None and self.backward is None:
            raise ValueError(f"{name}: setup_context: expected a backward beside it, got none")


def _refusing_functions(name: str, operator: torch._ops.OpOverload, before: registry.RegisteredOp | None) -> Callable:
    """Calls an operator that was there before its name was registered; used as a decorator, it says so."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and (inspect.isfunction(args[0]) or isinstance(args[0], type)):
            registry.restore(name, before)
            raise _clash(name, args[0])
        return operator(*args, **kwargs)

    return call


def _declare(name: str, function: Any, told: _Told) -> CustomOpDef:
    """Makes a function an operator of a new name, or of one whose function is made anew, as a notebook does."""
    compute, backward, setup_context = parts_of(function, name)
    _check_name(name, function)
    if told.backward is not None and backward is not None:
        raise ValueError(f"{name}: backward: expected none beside that of {function.__name__}")
    schema = infer_schema(compute, name)
    parsed = torch._C.parse_schema(f"{name.partition('::')[2]}{schema}")
    kinds = [str(result.type) for result in parsed.returns]
    if not kinds or any(kind != "Tensor" for kind in kinds):
        got = ", ".join(kinds) or "none"
        raise TypeError(f"{name}: expected a tensor or a tuple of tensors as its result, got {got}")
    movement = told.movement(name, parsed)
    has_shape = told.fake is None and told.lowering is None
    if has_shape and (len(kinds) > 1 or movement.rows == "any"):
        why = f"{len(kinds)} results" if len(kinds) > 1 else "rows='any'"
        raise ValueError(f"{name}: fake: expected a function that gives the shapes of {why}, got none")
    made = torch.library.custom_op(name, make_kernel(compute, movement, has_shape), mutates_args=(), schema=schema)
    made.register_fake(make_fake(movement, told.fake, told.lowering))
    gradient = told.backward or backward, told.setup_context or setup_context
    if gradient[0] is None:
        gradient = own_gradient(movement, compute, told.lowering)
    made.register_autograd(gradient[0], setup_context=gradient[1])
    registry.add(registry.RegisteredOp(made._opoverload, movement, told.lowering, function, _owner(function)))
    return made


def _check_name(name: str, function: Any) -> None:
    """Refuses a name that an operator has, unless it is made of the same function."""
    before = registry.named(name)
    if before is not None and _plain(before.owner) != _plain(_owner(function)):
        raise _clash(name, function, before.owner)
    if before is None and registry.find_operator(name) is not None:
        raise _clash(name, function)
    if "." in name:
        raise ValueError(f"{name}: expected a name without an overload, for {_owner(function)}")


def _clash(name: str, function: Any, other: str = "") -> ValueError:
    whose = f"; it is that of {other}" if other else ""
    return ValueError(f"{name}: expected a name that no operator has, for {_owner(function)}{whose}")


def _register_known(op: Any, function: Any, told: _Told) -> Any:
    """Registers what is an operator already."""
    operator = registry.resolve(op)
    name = operator.name()
    if function is not None:
        raise _clash(name, function)
    if name.partition("::")[0] in _RESERVED:
        raise ValueError(f"{name}: expected an operator of your own, got one that the compiler knows itself")
    if any(argument.alias_info is not None for argument in operator._schema.arguments):
        raise ValueError(f"{name}: expected an operator that changes no argument and gives no view of one, got "
                         f"{operator._schema}")  # fmt: skip
    movement = told.movement(name, operator._schema)
    known.complete(operator, movement, told.fake, told.lowering, told.backward, told.setup_context)
    registry.add(registry.RegisteredOp(operator, movement, told.lowering))
    return OPDEFS.get(name, operator)


def _owner(function: Any) -> str:
    """Where a function or a class is, and its name."""
    code = getattr(function, "__code__", None) or function.forward.__code__
    return f"{function.__qualname__} ({code.co_filename}:{code.co_firstlineno})"


def _plain(owner: str) -> str:
    """What stays where a function is made anew: its name, and its file but for cells of notebooks."""
    return re.sub(r"\S*ipykernel\S*|:\d+\)$", "", owner)

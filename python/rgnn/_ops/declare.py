"""Makes an operator of PyTorch of a function, or of an ``autograd.Function``."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from .gradient import recomputed
from .movement import Movement

Function = torch.autograd.Function


def parts_of(function: Any, name: str) -> tuple[Callable, Callable | None, Callable | None]:
    """What computes, and ``backward`` and ``setup_context`` where an ``autograd.Function`` has them apart.

    Raises:
        TypeError: it is neither a Python function nor such a class.
    """
    if inspect.isfunction(function):
        return function, None, None
    if not (isinstance(function, type) and issubclass(function, Function)):
        got = f"the class {function.__name__}" if isinstance(function, type) else type(function).__name__
        raise TypeError(f"{name}: expected a Python function or a subclass of torch.autograd.Function, got {got}")
    if function.setup_context is not Function.setup_context:
        return function.forward, function.backward, function.setup_context
    # Its forward takes the context that its backward reads: PyTorch runs both where the gradient is asked for.

    def apply(*args: Any) -> Any:
        return function.apply(*args)

    signature = inspect.signature(function.forward)
    hints = typing.get_type_hints(function.forward)
    _, *parameters = signature.parameters.values()
    apply.__signature__ = signature.replace(
        parameters=[parameter.replace(annotation=hints.get(parameter.name, parameter.empty))
                    for parameter in parameters],
        return_annotation=hints.get("return", signature.return_annotation))  # fmt: skip
    return apply, None, None


def infer_schema(function: Callable, name: str) -> str:
    """The schema that a function's annotations say.

    Raises:
        TypeError: an annotation is missing, or PyTorch knows no such type.
    """
    try:
        return torch.library.infer_schema(function, mutates_args=())
    except ValueError as error:
        text = str(error).removeprefix("infer_schema(func): ").split(" Got func with signature")[0]
        raise TypeError(f"{name}: expected a function whose arguments and results have types, such as x: Tensor and "
                        f"-> Tensor: {text}") from error  # fmt: skip


def make_kernel(function: Callable, movement: Movement, has_shape: bool) -> Callable:
    """The function as PyTorch runs it: what it gives is what captures were told.

    Args:
        function: what computes.
        movement: what it promises.
        has_shape: whether its result is like an argument, as the movement says by itself.
    """

    def run(*args: Any, **kwargs: Any) -> Any:
        given = movement.bind(args, kwargs)
        movement.check_arguments(given)
        before = {name: tensor._version for name, tensor in _tensors_of(given) if not tensor.is_inference()}
        result = function(*args, **kwargs)
        for name, tensor in _tensors_of(given):
            if before.get(name, 0) != (0 if tensor.is_inference() else tensor._version):
                raise ValueError(f"{movement.name}: {name}: expected an argument that the function leaves as it is, "
                                 "got one that it changes in place")  # fmt: skip
        if isinstance(result, (tuple, list)):
            return tuple(_settled(value, f"result {number}", given) for number, value in enumerate(result))
        return _settled(result, "result", given)

    def _settled(result: Any, source: str, given: dict[str, Any]) -> Tensor:
        if not has_shape:
            movement.check_result(given, result, source)
        else:
            like, shape = movement.result_shape(given)
            if not isinstance(result, Tensor) or result.shape != shape or result.dtype != like.dtype:
                movement.check_result(given, result, source)
                raise ValueError(f"{movement.name}: expected a result {list(shape)} of {like.dtype}, like an argument, "
                                 f"got {list(result.shape)} of {result.dtype}: fake= gives other shapes")
            result = result.contiguous()
        # PyTorch's dispatcher has operators give tensors of their own; what has nothing to do gives its argument.
        place = result.untyped_storage()._cdata
        if any(tensor.untyped_storage()._cdata == place for _, tensor in _tensors_of(given)):
            return result.clone()
        return result

    return run


def _tensors_of(given: dict[str, Any]) -> Iterator[tuple[str, Tensor]]:
    """The tensors among arguments, with their names."""
    for name, value in given.items():
        if isinstance(value, Tensor):
            yield name, value
        elif isinstance(value, (list, tuple)):
            yield from ((f"{name}[{number}]", part) for number, part in enumerate(value) if isinstance(part, Tensor))


def make_fake(movement: Movement, fake: Callable | None, lowering: Callable | None) -> Callable:
    """What gives tensors like the results, without numbers.

    Args:
        movement: what the operator promises.
        fake: what the user says; None: the shapes that the lowering gives, or those that the movement says.
        lowering: code in the operator's place; None where there is none.
    """

    def run(*args: Any, **kwargs: Any) -> Any:
        given = movement.bind(args, kwargs)
        movement.check_arguments(given)
        if fake is not None:
            result = fake(*args, **kwargs)
        elif lowering is not None:
            result = pytree.tree_map_only(Tensor, lambda value: value.new_empty(value.shape),
                                          movement.call(lowering, given))  # fmt: skip
        else:
            like, shape = movement.result_shape(given)
            result = like.new_empty(shape)
        source = "the result of fake=" if fake is not None else "the result of lowering="
        for value in result if isinstance(result, (tuple, list)) else (result,):
            movement.check_result(given, value, source)
        return result

    return run


def own_gradient(movement: Movement, function: Callable, lowering: Callable | None) -> tuple[Callable, Callable]:
    """``backward`` and ``setup_context`` where the user gives none: those of code that autograd follows."""
    differentiate, remember = recomputed(
        lowering or function,
        f"{movement.name}: expected a gradient, but autograd follows nothing of "
        f"{'its lowering' if lowering else 'the function'}: give rgnn.register_op a backward=, or a lowering= of "
        "PyTorch's operators")  # fmt: skip
    if not movement.has_lists:
        return differentiate, remember

    # Where an argument is a list of tensors, PyTorch wants no gradient of arguments at the end that are as by default:
    # its dispatcher has left them out.
    def remember_count(ctx: Any, inputs: tuple, output: Any, **keywords: Any) -> None:
        remember(ctx, inputs, output, **keywords)
        ctx.count = len(inputs)
        while ctx.count and _is_default(movement, ctx.count - 1, inputs):
            ctx.count -= 1

    return lambda ctx, *given: differentiate(ctx, *given)[: ctx.count], remember_count


def _is_default(movement: Movement, number: int, inputs: tuple) -> bool:
    name, value = movement.names[number], inputs[number]
    if name not in movement.defaults or isinstance(value, Tensor):
        return False
    return value == movement.defaults[name]

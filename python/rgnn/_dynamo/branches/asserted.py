"""Assertions on what data say, and branches that raise an error: the graph checks them, and captures go on behind.

    assert not h.isnan().any(), "NaN"      becomes      _assert_async(h.isnan().any().logical_not(), "NaN")
    assert index.max().item() < 8          becomes      _assert_async(index.max() < 8, "")

TorchDynamo does so for assertions that a tensor is true. It breaks at those that one is not, and what it takes a single
number for to go on behind others (``assert ok.item()``) is no longer checked. A call that goes the way to an error of
the model's own making (``if h.isnan().any(): raise ValueError(f"{name} has NaN")``) is run by PyTorch, which raises it.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node, Proxy

from .. import private
from ..functional import value_of

_COMPUTES = {operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, operator.add, operator.sub,
             operator.mul, operator.neg}  # fmt: skip
_MESSAGE = "assertion error"  # which TorchDynamo makes of none
_RAISES = "the model raises an error"
_ENDS = ("JUMP", "RETURN", "YIELD", "FOR_ITER", "PUSH_EXC_INFO")  # of what leads to one, whatever is true


class ModelError(BaseException):
    """The model raises an error in a call, which PyTorch is to run."""


def write_assertion(translator: Any, instruction: Any) -> bool:
    """Has the graph check what a jump asks for, where it is an assertion on what data say.

    Returns:
        Whether it did, and the capture is behind the assertion.
    """
    if not private.normalize_assertion(translator, operator.truth, False):
        return False
    message = translator.pop().as_python_constant()
    if not _check(translator, "" if message == _MESSAGE else message, "IF_TRUE" in instruction.opname):
        return False
    translator.pop()
    translator.jump(instruction)
    return True


def write_error(translator: Any, instruction: Any) -> bool | None:
    """Has the graph check that a call goes on where a jump leads to an error otherwise.

    Returns:
        What the condition of the jump is then; None where both ways go on.
    """
    code, following, jumps_if = translator.instructions, translator.instruction_pointer, "IF_TRUE" in instruction.opname
    raises = [_raises(code[at:]) for at in (code.index(instruction.target), following)]
    if raises[0] == raises[1]:
        return None
    wanted = jumps_if != raises[0]
    return wanted if _check(translator, _RAISES, wanted) else None


def check_assertion(condition: Tensor, message: str) -> None:
    """What ``_assert_async`` is to a call, with Python's own error."""
    if condition:
        return
    if message == _RAISES:
        raise ModelError
    raise AssertionError(*[message] * bool(message))


def _raises(code: list[Any]) -> bool:
    """Whether instructions make an error and raise it, whatever is true."""
    for instruction in code:
        if instruction.opname == "RAISE_VARARGS":
            return True
        if any(part in instruction.opname for part in _ENDS):
            return False
    return False


def _check(translator: Any, message: str, wanted: bool) -> bool:
    """Whether the graph checks that what is on the stack is as is wanted."""
    condition = _as_tensor(translator, translator.stack[-1].as_proxy().node)
    if condition is None:
        return False
    condition = condition if wanted else _make(translator, torch.logical_not, condition)
    translator.output.create_proxy("call_function", torch._assert_async, (condition, message), {})
    return True


def _as_tensor(translator: Any, node: Node) -> Proxy | None:
    """A single number as the tensor that holds it; None where it is made of others."""
    if isinstance(value_of(node), Tensor):
        return Proxy(node, translator.output.current_tracer)
    if node.op == "call_method" and node.target == "item":
        number = Proxy(node.args[0], translator.output.current_tracer)
        is_float = value_of(node.args[0]).is_floating_point()
        return _make(translator, torch.Tensor.double, number) if is_float else number  # as Python's are
    if node.target not in _COMPUTES:
        return None
    parts = [_as_tensor(translator, part) if isinstance(part, Node) else part for part in node.args]
    if any(part is None for part in parts) or not any(isinstance(part, Proxy) for part in parts):
        return None
    return _make(translator, node.target, *parts)


def _make(translator: Any, function: Any, *parts: Any) -> Proxy:
    proxy = translator.output.create_proxy("call_function", function, parts, {})
    return private.builder.wrap_fx_proxy(translator, proxy).as_proxy()

"""Assertions on what data say, and branches that raise an error: the graph checks them, and captures go on behind.

    assert not h.isnan().any(), "NaN"      becomes      _assert_async(h.isnan().any().logical_not(), ...)
    if index.max().item() >= 8:            becomes      _assert_async(index.max() < 8, ...)
        raise ValueError(f"{name}: 8")
    close = (cdist(x, y) < r).nonzero()
    if len(close) > 0:                     becomes      check_rows_picked(close.size(0) > 0, True)

TorchDynamo does so for assertions that a tensor is true. It breaks at those that one is not, and what it takes a single
number for to go on behind others (``assert ok.item()``) is no longer checked. A call that goes the way to an error is
run by PyTorch, which raises it, or goes on where the model catches it; in what runs behind other code, assertions with
a constant message raise Python's error.

A branch on whether floats pick any rows takes the way on which they do; the call in which they pick none is run by
PyTorch, too. Where such calls are common, the graph ends at the branch (:class:`.ways.Ways`).
"""

from __future__ import annotations

import operator
from typing import Any

import sympy
import torch
from torch import Tensor
from torch.fx import Graph, GraphModule, Node, Proxy

from .. import private
from ..functional import value_of
from ..normalise.changes import changed_by
from ..normalise.emit import call
from ..partition import storages

_COMPUTES = {operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, operator.add, operator.sub,
             operator.mul, operator.neg}  # fmt: skip
_RAISES = "rgnn: the model raises an error"
_ENDS = ("JUMP", "RETURN", "YIELD", "FOR_ITER", "PUSH_EXC_INFO")  # of what leads to one, whatever is true


class ModelError(BaseException):
    """The model raises an error in a call, which PyTorch is to run."""


class NoRowsError(ModelError):
    """Floats pick no rows in a call, though the version that it was given to is for those in which they do."""


def write_assertion(translator: Any, instruction: Any) -> bool:
    """Has the graph check what a jump asks for, where it is an assertion on what data say that nothing catches.

    Returns:
        Whether it did, and the capture is behind the assertion.
    """
    if _is_caught(translator) or not private.normalize_assertion(translator, operator.truth, False):
        return False
    message = translator.pop().as_python_constant()
    if translator.instructions[translator.instruction_pointer + 1].opname == "RAISE_VARARGS":
        message = ""  # and not TorchDynamo's own words
    if not _check(translator, message, "IF_TRUE" in instruction.opname):
        return False
    translator.pop()
    translator.jump(instruction)
    return True


def write_error(translator: Any, instruction: Any) -> bool | None:
    """Has the graph check that a call goes on where a jump leads to an error otherwise. PyTorch runs calls that do not
    from their start, so nothing that the model is given may have changed by then.

    Returns:
        What the condition of the jump is then; None where both ways go on.
    """
    code, following, jumps_if = translator.instructions, translator.instruction_pointer, "IF_TRUE" in instruction.opname
    raises = [_raises(code[at:]) for at in (code.index(instruction.target), following)]
    if raises[0] == raises[1] or _changes_given(translator.output.graph):
        return None
    wanted = jumps_if != raises[0]
    return wanted if _check(translator, _RAISES, wanted) else None


def write_rows_picked(translator: Any) -> bool | None:
    """Has the graph check that floats pick rows, where a jump asks for that.

    Returns:
        What the condition of the jump is then; None where it asks for something else.
    """
    value = translator.stack[-1]
    if not isinstance(value, private.SymNodeVariable) or _changes_given(translator.output.graph):
        return None
    wanted = _where_rows_are_picked(value.sym_num.node.expr)
    if wanted is not None:
        translator.output.create_proxy("call_function", check_rows_picked, (value.as_proxy(), wanted), {})
    return wanted


@torch.fx.node.has_side_effect
def check_rows_picked(condition: bool | int, wanted: bool) -> None:
    """Notes in a graph what a condition is where floats pick rows."""
    if bool(condition) is not wanted:
        raise NoRowsError


def _where_rows_are_picked(condition: sympy.Basic) -> bool | None:
    """What a condition on a number of rows is for all numbers but 0, or 0 and 1; None for other conditions."""
    if len(condition.free_symbols) != 1:
        return None
    (count,) = condition.free_symbols
    condition = sympy.Ne(condition, 0) if isinstance(condition, sympy.Expr) else condition
    none, few, many = (condition.subs(count, number) for number in (0, 2, 2**40))
    return bool(many) if few == many and none != many and many in (sympy.true, sympy.false) else None


def check_assertion(condition: Tensor, message: str) -> None:
    """What ``_assert_async`` is to a call, with Python's own error."""
    if condition:
        return
    if message == _RAISES:
        raise ModelError
    raise AssertionError(*[message] * bool(message))


def raise_pythons_errors(module: GraphModule) -> None:
    """Has assertions raise Python's errors where PyTorch runs a graph, and what it calls, as captured."""
    for part in module.modules():
        checks = [node for node in part.graph.nodes if node.target is torch._assert_async] if isinstance(
            part, GraphModule) else []  # fmt: skip
        for node in checks:
            node.target = check_assertion
        if checks:
            part.recompile()


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


def _is_caught(translator: Any) -> bool:
    """Whether code of the model may catch an error: it is in a `try`, or in a context."""
    while translator is not None:
        if getattr(translator.current_instruction, "exn_tab_entry", None) or translator.block_stack:
            return True
        translator = translator.parent
    return False


def _changes_given(graph: Graph) -> bool:
    given = {place for node in graph.nodes if node.op == "placeholder" for place in storages(node)}
    return any(storages(changed) & given for node in graph.nodes for changed in changed_by(node))


def _as_tensor(translator: Any, node: Node) -> Proxy | None:
    """A single number as the tensor that held it; None where it is made of others."""
    tracer = translator.output.current_tracer
    if isinstance(value_of(node), Tensor):
        return Proxy(node, tracer)
    if node.op == "call_method" and node.target == "item":
        dtype = torch.float64 if value_of(node.args[0]).is_floating_point() else torch.int64  # as Python's numbers are
        name = "clone" if value_of(node.args[0]).dtype is dtype else "double" if dtype.is_floating_point else "long"
        with node.graph.inserting_before(node):  # whatever changes the tensor behind it
            copy = call(node.graph, node, name, node.args[0])
        copy.meta.pop("unbacked_bindings", None)
        return Proxy(copy, tracer)
    if node.target not in _COMPUTES:
        return None
    parts = [_as_tensor(translator, part) if isinstance(part, Node) else part for part in node.args]
    if any(part is None for part in parts) or not any(isinstance(part, Proxy) for part in parts):
        return None
    return _make(translator, node.target, *parts)


def _make(translator: Any, function: Any, *parts: Any) -> Proxy:
    proxy = translator.output.create_proxy("call_function", function, parts, {})
    return private.builder.wrap_fx_proxy(translator, proxy).as_proxy()

"""Models that are compiled in part: PyTorch runs the operators between compiled regions."""

from __future__ import annotations

import functools
import json
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from _rgnn import CompileError as CompilerRefusal
from _rgnn import split as split_text
from torch import Tensor

from ._errors import first_line
from ._options import Options
from ._region import Region

_DETACH, _STOP = "aten.detach", "rgnn.stop_gradient"  # lifting sees a copy in the first, and does not know the second
_SIZES = {
    "sym.add": operator.add,
    "sym.sub": operator.sub,
    "sym.mul": operator.mul,
    "sym.floordiv": operator.floordiv,
    "aten.sym_size.int": lambda tensor, dim: tensor.shape[dim],
}


@dataclass(frozen=True)
class TorchStep:
    """An operator of PyTorch."""

    call: Callable
    args: list
    inputs: list[int]
    outputs: list[int]
    name: str
    where: str

    def run(self, values: list[Any]) -> None:
        operands = [values[number] for number in self.inputs]
        args = [_fill(arg, operands) for arg in self.args]
        result = self.call(*args)
        for number, value in zip(self.outputs, result if len(self.outputs) > 1 else [result]):
            values[number] = value


@dataclass(frozen=True)
class RegionStep:
    """Compiled code."""

    region: Region
    inputs: list[int]
    outputs: list[int]

    def run(self, values: list[Any]) -> None:
        for number, value in zip(self.outputs, self.region([values[number] for number in self.inputs])):
            values[number] = value


class Plan:
    """Runs like one :class:`Region`; made of what ``_rgnn.split`` says."""

    def __init__(self, plan: dict, compile_region: Callable[[str], Region]):
        self.num_inputs, self.results = plan["num_inputs"], plan["results"]
        self.regions = [compile_region(text) for text in plan["regions"]]
        self.steps = [_step(step, self.regions) for step in plan["steps"]]
        self.num_values = 1 + max((n for step in self.steps for n in (*step.inputs, *step.outputs)), default=0)
        self.num_values = max(self.num_values, self.num_inputs)

    @property
    def fallbacks(self) -> list[tuple[str, str]]:
        """Name and source line of each operator that runs in PyTorch and works on tensors."""
        return [(step.name, step.where) for step in self.steps if isinstance(step, TorchStep) and not _is_size(step)]

    def name_lists(self, names: dict[int, str]) -> None:
        """Says of inputs that are lists of edges, but no arguments of the model, which argument they are made of."""
        for step in self.steps:
            if isinstance(step, RegionStep):
                step.region.name_lists({i: names[number] for i, number in enumerate(step.inputs) if number in names})

    def __call__(self, tensors: list[Tensor]) -> list[Tensor]:
        values: list[Any] = [*tensors, *[None] * (self.num_values - self.num_inputs)]
        for step in self.steps:
            step.run(values)
        return [values[number] for number in self.results]

    def matches(self, tensors: list[Tensor]) -> bool:
        """Whether every region's code was made for such tensors, as far as they are inputs of the call.

        Lists of edges that are computed from them may be missing.
        """
        for step in self.steps:
            if isinstance(step, RegionStep):
                for number, expected in zip(step.inputs, step.region.manifest["inputs"]):
                    if number < len(tensors) and not step.region.fits(tensors[number], expected):
                        return False
        return True


def split_model(text: str, options: Options) -> tuple[Plan | None, list[str]]:
    """A plan for a model that cannot be compiled whole, or None; and what runs in PyTorch, with the reasons.

    A detached value too is PyTorch's, so that autograd sees that no gradient passes.

    Regions that hold nothing but a few operators on rows are compiled all the same: their kernels are what they are.
    """
    reasons: list[str] = []
    try:
        described, remarks = split_text(text.replace(f'"{_DETACH}"', f'"{_STOP}"'))
        reasons += [reason for remark in remarks if (reason := _reason(remark))]
        description = json.loads(described)
        if not description["regions"]:
            return None, reasons
        return Plan(description, lambda text: Region(text, options)), reasons
    except CompilerRefusal as error:
        return None, [*reasons, first_line(error)]


def _reason(remark: str) -> str:
    """A remark of lifting as "file:line: operator: reason"; empty for other remarks."""
    match = re.match(r'(?:(\S+:\d+):\d+: )?.*Remark="not lifted: (.*)"$', remark)
    return f"{match[1] or 'unknown line'}: {match[2].replace(_STOP, _DETACH)}" if match else ""


def _step(step: dict, regions: list[Region]) -> TorchStep | RegionStep:
    if "region" in step:
        return RegionStep(regions[step["region"]], step["inputs"], step["outputs"])
    name = step["torch"].replace(_STOP, _DETACH)
    call, args = _operator(name, step["args"])
    return TorchStep(call, args, step["inputs"], step["outputs"], name, step["where"])


def _operator(name: str, args: list) -> tuple[Callable, list]:
    """The operator of a captured name, and its arguments with dtypes in the place of their names."""
    if name in _SIZES:
        return _SIZES[name], args
    namespace, operator_name, *overload = name.split(".")
    function = getattr(getattr(getattr(torch.ops, namespace), operator_name), overload[0] if overload else "default")
    arguments = function._schema.arguments
    args = [_dtype(value) if "ScalarType" in argument.type.str() or str(argument.type) == "Optional[int]" else value
            for argument, value in zip(arguments, args)]
    count = sum(not argument.kwarg_only for argument in arguments)
    names = [argument.name for argument in arguments[count:]]
    if not names:
        return function, args
    return functools.partial(_call_with_keywords, function, count, names), args


def _call_with_keywords(function: Callable, count: int, names: list[str], *args: Any) -> Any:
    return function(*args[:count], **dict(zip(names, args[count:])))


def _dtype(value: Any) -> Any:
    return getattr(torch, value) if isinstance(value, str) and hasattr(torch, value) else value


def _fill(arg: Any, operands: list[Any]) -> Any:
    if isinstance(arg, dict):
        return operands[arg["operand"]] if "operand" in arg else float(arg["float"])
    if isinstance(arg, list):
        return [_fill(element, operands) for element in arg]
    return arg


def _is_size(step: TorchStep) -> bool:
    return step.name in _SIZES

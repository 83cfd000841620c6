"""Models that are compiled in part: PyTorch runs the operators between compiled regions."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

if TYPE_CHECKING:
    from .region import Region

_SIZES = {
    "sym.add": operator.add,
    "sym.sub": operator.sub,
    "sym.mul": operator.mul,
    "sym.floordiv": operator.floordiv,
    "sym.mod": operator.mod,
    "sym.neg": operator.neg,
    "sym.max": max,
    "sym.min": min,
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

    def fill(self, values: list[Any]) -> list[Any]:
        """The arguments of the operator."""
        operands = [values[number] for number in self.inputs]
        return [_fill(arg, operands) for arg in self.args]

    def run(self, values: list[Any]) -> None:
        result = self.call(*self.fill(values))
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
    """Runs like one :class:`Region`.

    Args:
        description: ``num_inputs``, ``results`` and ``steps``, as docs/ModuleFormat.md says.
        regions: what the steps name by number.

    Raises:
        AttributeError: there is no operator of a step's name.
    """

    def __init__(self, description: dict, regions: list[Region]):
        self.description = description
        self.num_inputs, self.results = description["num_inputs"], description["results"]
        self.steps = [_step(step, regions) for step in description["steps"]]
        self.num_values = 1 + max((n for step in self.steps for n in (*step.inputs, *step.outputs)), default=0)
        self.num_values = max(self.num_values, self.num_inputs)

    @property
    def regions(self) -> list[Region]:
        return [step.region for step in self.steps if isinstance(step, RegionStep)]

    @property
    def device(self) -> str:
        """Where the compiled regions run."""
        return next((region.device for region in self.regions), "cpu")

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
        values = self.start(tensors)
        for step in self.steps:
            step.run(values)
        return [values[number] for number in self.results]

    def start(self, tensors: list[Tensor]) -> list[Any]:
        """The values before the first step."""
        return [*tensors, *[None] * (self.num_values - self.num_inputs)]

    def matches(self, tensors: list[Tensor]) -> bool:
        """Whether every region's code was made for such tensors, as far as they are inputs of the call.

        Lists of edges that are computed from them may be missing.
        """
        for step in self.steps:
            if isinstance(step, RegionStep):
                if not step.region.is_on_device(tensors):
                    return False
                for number, expected in zip(step.inputs, step.region.manifest["inputs"]):
                    if number < len(tensors) and not step.region.fits(tensors[number], expected):
                        return False
        return True


def _step(step: dict, regions: list[Region]) -> TorchStep | RegionStep:
    if "region" in step:
        return RegionStep(regions[step["region"]], step["inputs"], step["outputs"])
    call, args = _operator(step["torch"], step["args"])
    return TorchStep(call, args, step["inputs"], step["outputs"], step["torch"], step["where"])


def _operator(name: str, args: list) -> tuple[Callable, list]:
    """The operator of a captured name, and its arguments with dtypes in the place of their names."""
    if name in _SIZES:
        return _SIZES[name], args
    namespace, operator_name, *overload = name.split(".")
    function = getattr(getattr(getattr(torch.ops, namespace), operator_name), overload[0] if overload else "default")
    if not isinstance(function, torch._ops.OpOverload):  # other attributes of namespaces are no operators
        raise AttributeError(f"expected an operator of PyTorch, got '{name}'")
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

"""The compiled parts of a model with the tensors of one call: what plans are compared on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from _rgnn import CompileError as CompilerRefusal
from _rgnn import differentiate, plan_kernels
from torch import Tensor

from .._compiler import compile_region
from .._errors import CompileError, first_line
from .._options import Options
from .._target import CPU
from .costs import Costs
from .work import Function


@dataclass(frozen=True)
class Plan:
    """What options make of the parts of a model.

    Attributes:
        key: equal where the kernels and their schedules are.
        seconds: what its kernels are predicted to take.
    """

    key: tuple[str, ...]
    seconds: float


class Part:
    """A region of a model, and what it is called with.

    Args:
        text: what it is compiled of.
        tensors: its inputs. Where gradients are wanted, those that require them say of which inputs.
        trains: whether gradients are wanted.
    """

    def __init__(self, text: str, tensors: Sequence[Tensor], trains: bool):
        self._text = text
        self._tensors = [tensor.detach().requires_grad_(trains and tensor.requires_grad) for tensor in tensors]
        self._wanted = [number for number, tensor in enumerate(self._tensors) if tensor.requires_grad]

    def plan(self, options: Options, costs: Costs) -> Plan:
        """Raises CompileError where the compiler refuses the options."""
        try:
            planned = list(self._functions(options.pipeline()))
        except CompilerRefusal as error:
            raise CompileError(first_line(error)) from None
        works = [work for function, _ in planned for work in function.works()]
        return Plan(tuple(text for _, texts in planned for text in texts), costs.total(works))

    def _functions(self, pipeline: str) -> Iterator[tuple[Function, list[str]]]:
        """Each function that runs, and its kernels with their schedules."""

        def describe(text: str, tensors: Sequence[Tensor]) -> tuple[Function, list[str]]:
            manifest, kernels = plan_kernels(text, pipeline)
            return Function(json.loads(manifest), tensors), [kernel.text for kernel in kernels]

        if not self._wanted:
            yield describe(self._text, self._tensors)
            return
        described = json.loads(differentiate(self._text, self._wanted, pipeline)[0])
        forward, texts = describe(described["forward"], self._tensors)
        yield forward, texts
        if described["gradients"]:
            results = forward.results()
            given = {"argument": self._tensors, "result": results, "gradient": results}
            sources = [next(iter(source.items())) for source in described["inputs"]]
            yield describe(described["backward"], [given[kind][number] for kind, number in sources])

    def program(self, options: Options) -> Callable[[], None]:
        """A run of it, compiled; with gradients of random weights of its results where gradients are wanted."""
        wanted = tuple([tensor.requires_grad for tensor in self._tensors])
        region = compile_region(self._text, options, CPU, wanted=wanted)
        inputs = [self._tensors[number] for number in self._wanted]

        def infer() -> None:
            with torch.no_grad():
                region(self._tensors)

        if not inputs:
            return infer
        with torch.enable_grad():
            numbers = [number for number, result in enumerate(region(self._tensors)) if result.requires_grad]
        weights: list[Tensor] = []

        def train() -> None:
            with torch.enable_grad():
                results = region(self._tensors)
            results = [results[number] for number in numbers]
            if not weights:
                weights.extend(map(torch.randn_like, results))
            torch.autograd.grad(results, inputs, weights, allow_unused=True)

        return train

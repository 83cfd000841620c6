"""The compiled parts of a model with the tensors of one call: what plans are compared on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from _rgnn import CompileError as CompilerRefusal
from _rgnn import differentiate, plan_kernels
from torch import Tensor

from .._compiler import compile_region
from .._errors import CompileError, first_line
from .._options import Options
from .._run.memory import Memory, measure
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
            manifest, kernels, on_weights = plan_kernels(text, pipeline)
            return Function(json.loads(manifest), tensors, on_weights), [kernel.text for kernel in kernels]

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

    def program(self, options: Options) -> Program:
        return Program(self._text, self._tensors, options)


class Program:
    """A region, compiled. A call runs it, with gradients where tensors require them: of its results by some weights.

    Args:
        text: what it is compiled of.
        tensors: its inputs.
        options: how.
    """

    def __init__(self, text: str, tensors: list[Tensor], options: Options):
        self._tensors, wanted = tensors, tuple([tensor.requires_grad for tensor in tensors])
        self._region = compile_region(text, options, CPU, wanted=wanted)
        self._inputs = [tensor for tensor in tensors if tensor.requires_grad]
        self._training = self._region.trainings.find(wanted) if self._inputs else None
        self._weights: list[Tensor | None] | None = None

    def __call__(self) -> None:
        with torch.set_grad_enabled(bool(self._inputs)):
            results = self._region(self._tensors)
        if not self._inputs:
            return
        if self._weights is None:
            # Not random: numbers that are drawn elsewhere stay what they are.
            self._weights = [torch.linspace(-1, 2, result.numel(), dtype=result.dtype).view_as(result)
                             if result.requires_grad else None for result in results]  # fmt: skip
        pairs = [(result, weight) for result, weight in zip(results, self._weights) if weight is not None]
        if pairs:
            changed, weights = zip(*pairs)
            torch.autograd.grad(changed, self._inputs, weights, allow_unused=True)

    @property
    def memory(self) -> Memory:
        """What a call takes of memory."""
        return measure(self._region, self._training, self._tensors, alone=True)

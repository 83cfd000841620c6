"""Plans that fit into a memory budget: other options for a region that takes too much."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Callable, Iterator

from _rgnn import CompileError as CompilerRefusal
from torch import Tensor

from ..._compiler import compile_region
from ..._errors import CompileError
from ..._options import Options
from ..._run.memory import Budget, Memory, measure
from ..._run.region import Region
from ..._run.training import Training
from ..._target import Target

Code = tuple[Region, Training | None]


class Fitting:
    """Finds code of a region for calls of any size: the fastest that fits, as far as costs are foretold.

    Args:
        budget: of the model that the region is a part of.
        text: what it is compiled of.
        options, target: how it is compiled.
        wanted: the inputs whose gradients are asked for.
        prepare: does what is done with code before it runs.
    """

    def __init__(self, budget: Budget, text: str, options: Options, target: Target, wanted: tuple[bool, ...],
                 prepare: Callable[[Region, Training | None], None]):  # fmt: skip
        self._budget, self._text, self._options, self._target = budget, text, options, target
        self._wanted, self._prepare = wanted, prepare
        self._codes: list[Code] = []  # the fastest first
        self._rest: Iterator[Options] | None = None  # that no code was made of so far
        self._key: tuple | None = None  # of the last call, which took:
        self._memory = Memory(0, 0)

    def fit(self, code: Code, tensors: list[Tensor], trains: bool) -> Code:
        """The code that is there where it fits, else other code.

        Raises:
            CompileError: no plan fits.
        """
        key = trains, *map(_key, tensors)
        if key == self._key and self._budget.take(self._memory):
            return code
        self._codes = self._codes or [code]
        least = math.inf
        for number, (region, training) in enumerate(self._list_codes(tensors, trains)):
            memory = measure(region, training if trains else None, tensors, alone=number > 0)
            if self._budget.take(memory):
                self._key, self._memory = key, memory
                return region, training
            least = min(least, self._budget.total(memory))
        raise CompileError(
            f"memory_budget: expected at least {least} bytes, which the smallest of {len(self._codes)} plans takes "
            f"with these inputs, got {self._budget.bytes:g}"
        )

    def _list_codes(self, tensors: list[Tensor], trains: bool) -> Iterator[Code]:
        yield from self._codes
        if self._rest is None:
            self._rest = self._list_options(tensors, trains)
        for options in self._rest:
            with contextlib.suppress(CompilerRefusal):
                self._codes.append(self._compile(options))
                yield self._codes[-1]

    def _list_options(self, tensors: list[Tensor], trains: bool) -> Iterator[Options]:
        """Those that come to other code, the ones first that are foretold to be the fastest."""
        from ...tune.plans import list_plans  # which tries models out, as this here does not

        wanted = [tensor.detach().requires_grad_(trains and wants) for tensor, wants in zip(tensors, self._wanted)]
        wanted += tensors[len(wanted) :]
        for changes in list_plans([(self._text, wanted)], self._options, trains, self._target.device):
            yield dataclasses.replace(self._options, **changes)

    def _compile(self, options: Options) -> Code:
        region = compile_region(self._text, options, self._target, wanted=self._wanted)
        found = region.trainings.find(self._wanted) if True in self._wanted else None
        training = found if isinstance(found, Training) else None
        self._prepare(region, training)
        return region, training


def _key(tensor: Tensor) -> tuple:
    """What a call's memory follows from: sizes, and of lists of edges the edges themselves."""
    if tensor.is_floating_point():
        return tuple(tensor.shape)
    return tensor.data_ptr(), tuple(tensor.shape), None if tensor.is_inference() else tensor._version

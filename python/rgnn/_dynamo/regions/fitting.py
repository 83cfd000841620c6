"""Plans that fit into a memory budget: other options for a region that takes too much."""

from __future__ import annotations

import dataclasses
import math
import threading
import weakref
from collections.abc import Iterator

from torch import Tensor

from ..._errors import CompileError
from ..._options import Options
from ..._run.memory import Budget, Memory, measure
from .codes import Codes, Pair


class Fitting:
    """Finds code of a region for calls of any size: the fastest that fits, as far as costs are foretold.

    Args:
        budget: of the model that the region is a part of.
        codes: makes code of it.
    """

    def __init__(self, budget: Budget, codes: Codes):
        self._budget, self._made_by = budget, codes
        self._codes: list[Pair] = []  # the fastest first
        self._rest: list[Options] | None = None  # that no code was made of so far, the fastest last
        self._last: tuple[bool, list[tuple], Memory, Pair] | None = None  # of a call
        self._lock = threading.RLock()

    def find(self, code: Pair, tensors: list[Tensor], trains: bool) -> Pair:
        """The code that is there where it fits, else other code.

        Raises:
            CompileError: no plan fits.
        """
        last = self._last
        if last is not None and last[0] == trains and _are_those(last[1], tensors) and self._budget.take(last[2]):
            return last[3]
        with self._lock:
            if code not in self._codes:
                self._codes.insert(0, code)
            least = math.inf
            for number, code in enumerate(self._list_codes(tensors, trains)):
                memory = measure(code[0], code[1] if trains else None, tensors, alone=number > 0)
                if self._budget.take(memory):
                    self._last = trains, list(map(_describe, tensors)), memory, code
                    return code
                least = min(least, self._budget.total(memory))
        parts = " beside what parts before it take" if self._budget.taken else ""
        raise CompileError(
            f"memory_budget: expected at least {least} bytes, which the smallest of {len(self._codes)} plans takes "
            f"with these inputs{parts}, got {self._budget.bytes:g}"
        )

    def _list_codes(self, tensors: list[Tensor], trains: bool) -> Iterator[Pair]:
        yield from list(self._codes)
        if self._rest is None:
            self._rest = list(self._list_options(tensors, trains))[::-1]
        while self._rest:
            code = self._made_by.make(self._rest.pop())
            if code is not None:
                self._codes.append(code)
                yield code

    def _list_options(self, tensors: list[Tensor], trains: bool) -> Iterator[Options]:
        """Those that come to other code, the ones first that are foretold to be the fastest."""
        from ...tune.plans import list_plans  # which tries models out, as this here does not

        codes = self._made_by
        for changes in list_plans([(codes.text, codes.inputs(tensors, trains))], codes.options, trains,
                                  codes.target.device):  # fmt: skip
            yield dataclasses.replace(codes.options, **changes)


def _describe(tensor: Tensor) -> tuple:
    """What a call's memory follows from: sizes, and of lists of edges the edges themselves."""
    if tensor.is_floating_point():
        return tensor.shape, None, 0
    return tensor.shape, weakref.ref(tensor), -1 if tensor.is_inference() else tensor._version


def _are_those(described: list[tuple], tensors: list[Tensor]) -> bool:
    return all(shape == tensor.shape and (of_tensor is None or (of_tensor() is tensor and version >= 0
                                                                and version == tensor._version))
               for (shape, of_tensor, version), tensor in zip(described, tensors))  # fmt: skip

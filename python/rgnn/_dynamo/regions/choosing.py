"""The plan that is predicted to be the fastest for the first call of a region."""

from __future__ import annotations

import dataclasses
import threading
from typing import TYPE_CHECKING

from torch import Tensor

from ..._run.region import Region
from ..._run.training import Training
from .codes import Codes, Pair

if TYPE_CHECKING:
    from ...tune.plans import Candidate


GROWTH = 8
"""A plan stays until a call has so many times as many integers, those of edges, as the one it was chosen for."""


class Choosing:
    """Chooses code of a region, for calls without gradients and for those with gradients: at the first one, and again
    at one with a much larger graph.

    Args:
        codes: makes it.

    Attributes:
        candidates: what was compared last for calls without gradients (False) and with them (True), once there was one:
            the plan first that was chosen, then those first that are predicted to be the fastest.
    """

    def __init__(self, codes: Codes):
        self._codes = codes
        self.candidates: dict[bool, list[Candidate]] = {}
        self._most: dict[bool, int] = {}
        self._rules: Pair | None = None  # code by the rules' plan
        self._region: Region | None = None
        self._training: Training | None = None
        self._lock = threading.RLock()

    def find(self, code: Pair, tensors: list[Tensor], trains: bool) -> Pair:
        """The code that is there, with what such calls run replaced where other code is predicted to be faster."""
        number = sum(tensor.numel() for tensor in tensors if not tensor.is_floating_point())
        if number > GROWTH * self._most.get(trains, -1):
            with self._lock:
                self._rules = self._rules or code
                if number > GROWTH * self._most.get(trains, -1):
                    self._choose(tensors, trains)
                    self._most[trains] = number
        return self._region or self._rules[0], self._training or self._rules[1]

    def _choose(self, tensors: list[Tensor], trains: bool) -> None:
        from ...tune.plans import choose_plan  # which tries models out, as this here does not

        codes = self._codes
        candidates = choose_plan([(codes.text, codes.inputs(tensors, trains))], codes.options, trains)
        changes = candidates[0].changes
        if trains not in self.candidates or changes != self.candidates[trains][0].changes:
            made = codes.make(dataclasses.replace(codes.options, **changes), trains) if changes else None
            if trains:
                self._training = made and made[1]
            else:
                self._region = made and made[0]
        self.candidates[trains] = candidates

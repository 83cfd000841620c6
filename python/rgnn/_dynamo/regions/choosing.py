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


class Choosing:
    """Chooses code of a region once for calls without gradients and once for those with gradients.

    Args:
        codes: makes it.

    Attributes:
        candidates: what was compared for calls without gradients (False) and with them (True), once there was one: the
            plan first that was chosen, then those first that are predicted to be the fastest.
    """

    def __init__(self, codes: Codes):
        self._codes = codes
        self.candidates: dict[bool, list[Candidate]] = {}
        self._region: Region | None = None
        self._training: Training | None = None
        self._lock = threading.RLock()

    def find(self, code: Pair, tensors: list[Tensor], trains: bool) -> Pair:
        """The code that is there, with what such calls run replaced where other code is predicted to be faster."""
        if trains not in self.candidates:
            with self._lock:
                if trains not in self.candidates:
                    self._choose(tensors, trains)
        return self._region or code[0], self._training or code[1]

    def _choose(self, tensors: list[Tensor], trains: bool) -> None:
        from ...tune.plans import choose_plan  # which tries models out, as this here does not

        codes = self._codes
        candidates = choose_plan([(codes.text, codes.inputs(tensors, trains))], codes.options, trains)
        changes = candidates[0].changes
        made = codes.make(dataclasses.replace(codes.options, **changes), trains) if changes else None
        if made is not None and trains:
            self._training = made[1]
        elif made is not None:
            self._region = made[0]
        self.candidates[trains] = candidates

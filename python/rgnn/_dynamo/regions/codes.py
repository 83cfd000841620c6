"""Code of one region by other options than those that it was compiled with first."""

from __future__ import annotations

from collections.abc import Callable

from _rgnn import CompileError as CompilerRefusal
from torch import Tensor

from ..._compiler import compile_region
from ..._options import Options
from ..._run.region import Region
from ..._run.training import Training
from ..._target import Target

Pair = tuple[Region, Training | None]
"""What calls without gradients run, and what those with gradients run."""


class Codes:
    """Makes code of a region.

    Args:
        text: what it is compiled of.
        options, target: how it was compiled first.
        wanted: the inputs whose gradients are asked for.
        prepare: does what is done with code before it runs.
    """

    def __init__(self, text: str, options: Options, target: Target, wanted: tuple[bool, ...],
                 prepare: Callable[[Region, Training | None], None]):  # fmt: skip
        self.text, self.options, self.target = text, options, target
        self._wanted, self._prepare = wanted, prepare

    def inputs(self, tensors: list[Tensor], trains: bool) -> list[Tensor]:
        """A call's tensors, of which those require a gradient whose gradient is asked for."""
        wanted = [tensor.detach().requires_grad_(trains and wants) for tensor, wants in zip(tensors, self._wanted)]
        return wanted + tensors[len(wanted) :]

    def make(self, options: Options, trains: bool = True) -> Pair | None:
        """None where the compiler refuses the options, or a gradient with them.

        Args:
            options: how it is compiled.
            trains: whether calls may ask for gradients.
        """
        wanted = self._wanted if trains else ()
        try:
            region = compile_region(self.text, options, self.target, wanted=wanted)
        except CompilerRefusal:
            return None
        training = region.trainings.find(wanted) if True in wanted else None
        if True in wanted and not isinstance(training, Training):
            return None
        self._prepare(region, training)
        return region, training

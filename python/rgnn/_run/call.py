"""A call of a model: from its arguments to those of compiled code, and from results to what the model returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import torch
from torch import Tensor

from .._errors import InputError
from .autocast import widened
from .lists import Lists
from .masks import Masks
from .plan import Plan
from .region import Region
from .structure import Arguments


class CallSpec(Protocol):
    """What a call is; see :class:`rgnn._capture.Captured` for the attributes."""

    inputs: Arguments
    parameters: list[str]
    constants: list[Tensor]
    lists: Lists | None
    masks: Masks | None
    widens: bool
    dtypes: list[torch.dtype] | None
    single: bool

    def unflatten_outputs(self, results: list[Tensor] | tuple[Tensor, ...]) -> Any: ...


class Call:
    """Runs compiled code for one structure of arguments, their dtypes and widths.

    Args:
        spec: the structure, and what the code reads besides.
        read: gives the model's parameters and buffers.
        region: the code.
        training: the mode that the model was in.
        autocast: the dtype of autocast that the code stands for; None where it was off.
    """

    def __init__(self, spec: CallSpec, read: Callable[[], list[Tensor]], region: Region | Plan, training: bool,
                 autocast: torch.dtype | None):
        self.spec, self.region, self.training, self.autocast = spec, region, training, autocast
        self.flatten, self.read, self.single = spec.inputs.flatten, read, spec.single
        self.lists, self.masks = spec.lists, spec.masks
        if self.lists:  # they follow what tensors() gives
            count = len(spec.inputs.paths) + len(spec.parameters) + len(spec.constants)
            region.name_lists(dict(enumerate(self.lists.names, count)))

    def tensors(self, args: tuple, kwargs: dict) -> list[Tensor] | None:
        """What the code reads; None where the call, or what parameters the model has, differs."""
        inputs = self.flatten(args, kwargs)
        if inputs is None:
            return None
        if self.spec.widens:
            inputs = widened(inputs)
        try:
            parameters = self.read()
        except KeyError:
            return None
        return [*inputs, *parameters, *self.spec.constants]

    def run(self, tensors: list[Tensor]) -> Any:
        """What the model returns. Raises InputError where a tensor is not what the code was made for."""
        if self.lists:
            try:
                tensors = [*tensors, *self.lists.find(tensors)]
            except IndexError as error:
                raise InputError(str(error)) from error
        run = self._run_drawing if self.masks else self.region
        if self.autocast is None:
            outputs = run(tensors)
        else:
            with torch.autocast("cpu", enabled=False):  # what PyTorch runs of it, too
                outputs = run(tensors)
        if self.spec.dtypes:
            outputs = [output.to(dtype) for output, dtype in zip(outputs, self.spec.dtypes)]
        return outputs[0] if self.single else self.spec.unflatten_outputs(outputs)

    def _run_drawing(self, tensors: list[Tensor]) -> list[Tensor]:
        before = torch.get_rng_state()
        try:
            return self.region([*tensors, *self.masks.draw(tensors)])
        except Exception as error:  # another version, or PyTorch, will draw for this call
            torch.set_rng_state(before)
            if isinstance(error, IndexError):
                raise InputError(str(error)) from error
            raise

"""A call of a model: from its arguments to those of compiled code, and from results to what the model returns."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from .._errors import InputError
from .autocast import autocast_dtype, widened
from .edge_lists import EdgeLists
from .masks import Masks
from .plan import Plan
from .region import Region
from .structure import Arguments


@dataclass(frozen=True)
class CallSpec(ABC):
    """What a call is: how its arguments become those of a function of tensors, and its results what a model returns.

    The function's arguments are the inputs, then the parameters and buffers, then the constants, then lists of edges
    that are computed from these, then what is drawn at random.

    Attributes:
        inputs: the structure of the call; ``inputs.flatten(args, kwargs)`` gives the tensors.
        parameters: qualified names in the model of the parameters and buffers.
        constants: tensors that the model made from Python values.
        lists: computes the lists; None where there are none.
        masks: draws masks of dropout; None where there are none.
        widens: whether inputs of 16 bits are to be made float32: the model was captured under autocast.
        dtypes: of each result of the function, what the model gives under autocast; None where autocast plays no part.
    """

    inputs: Arguments
    parameters: list[str]
    constants: list[Tensor]
    lists: EdgeLists | None
    masks: Masks | None
    widens: bool
    dtypes: list[torch.dtype] | None

    @property
    @abstractmethod
    def single(self) -> bool:
        """Whether the result is one tensor."""

    @abstractmethod
    def unflatten_outputs(self, results: list[Tensor] | tuple[Tensor, ...]) -> Any:
        """What the model returns, made of the function's results."""


class NoCallFitsError(Exception):
    """None of several calls was made for such arguments; ``refusal`` is why one did not run that nearly fitted."""

    def __init__(self, refusal: InputError | None):
        super().__init__()
        self.refusal = refusal


class CompiledCall:
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
        self._constants = {torch.device("cpu"): spec.constants}
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
        return [*inputs, *parameters, *self._constants_near([*inputs, *parameters])]

    def _constants_near(self, tensors: list[Tensor]) -> list[Tensor]:
        """The constants, on the device of the tensors where that is what the code is for."""
        if not self.spec.constants or self.region.device == "cpu":
            return self.spec.constants
        device = tensors[0].device
        if device not in self._constants:
            self._constants[device] = [constant.to(device) for constant in self.spec.constants]
        return self._constants[device]

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
            with torch.autocast(self.region.device, enabled=False):  # what PyTorch runs of it, too
                outputs = run(tensors)
        if self.spec.dtypes:
            outputs = [output.to(dtype) for output, dtype in zip(outputs, self.spec.dtypes)]
        return outputs[0] if self.single else self.spec.unflatten_outputs(outputs)

    def _run_drawing(self, tensors: list[Tensor]) -> list[Tensor]:
        restore = remember_random_state(tensors[0].device)
        try:
            return self.region([*tensors, *self.masks.draw(tensors)])
        except Exception as error:  # another version, or PyTorch, will draw for this call
            restore()
            if isinstance(error, IndexError):
                raise InputError(str(error)) from error
            raise


def remember_random_state(device: torch.device) -> Callable[[], None]:
    """What gives PyTorch's generator of a device its present state back."""
    if device.type != "cuda":
        return functools.partial(torch.set_rng_state, torch.get_rng_state())
    if torch.cuda.is_current_stream_capturing():  # the state is the graph's
        return lambda: None
    return functools.partial(torch.cuda.set_rng_state, torch.cuda.get_rng_state(device), device)


def describe_calls(calls: Iterable[CompiledCall], training: bool, args: tuple, kwargs: dict) -> str:
    """What calls there are, and what came instead: of an error where none fits."""

    def describe(training: bool, autocast: torch.dtype | None, arguments: str) -> str:
        mode = "train" if training else "eval"
        return f"{arguments} in {mode} mode{f' under autocast to {autocast}' if autocast else ''}"

    def show(arg: Any) -> str:
        return repr(arg) if arg is None or isinstance(arg, (bool, int, float, str)) else type(arg).__name__

    known = [describe(call.training, call.autocast, f"({call.spec.inputs.describe()})") for call in calls]
    names = [show(arg) for arg in args] + [f"{name}={show(arg)}" for name, arg in kwargs.items()]
    autocast = next(filter(None, map(autocast_dtype, ("cpu", "cuda"))), None)
    got = describe(training, autocast, f"({', '.join(names)})")
    return f"{'; '.join(dict.fromkeys(known))}, got {got}"


def run_in_mode(calls: Iterable[CompiledCall], training: bool, args: tuple, kwargs: dict, purpose: str) -> Any:
    """What the first of the calls returns that was made for such arguments, in this mode.

    Args:
        calls: what there is.
        training: the mode of the model.
        args, kwargs: the arguments.
        purpose: what the model was made from these calls, for errors: ``"saved"``.

    Raises:
        InputError: there is none, or values of the arguments are wrong.
    """
    fitting = (call for call in calls
               if call.training == training and call.autocast == autocast_dtype(call.region.device))
    try:
        return run_fitting(fitting, args, kwargs)
    except NoCallFitsError as none:
        found = describe_calls(calls, training, args, kwargs)
        error = none.refusal or InputError(f"expected a call that the model was {purpose} with, {found}")
    raise error


def run_fitting(calls: Iterable[CompiledCall], args: tuple, kwargs: dict) -> Any:
    """What the first of the calls returns that was made for such arguments.

    Raises:
        NoCallFitsError: there is none.
        InputError: there is one, but values of the arguments are wrong.
    """
    refusal = None
    for call in calls:
        tensors = call.tensors(args, kwargs)
        if tensors is None or (tensors[0].is_cuda and call.region.device == "cpu"):
            continue
        try:
            return call.run(tensors)
        except (InputError, NotImplementedError) as error:  # the latter from the dispatcher, for sparse tensors
            # Wrong for this call may be right for another; wrong values are wrong for all.
            if call.region.matches(tensors):
                raise
            refusal = refusal or (error if isinstance(error, InputError) else None)
    raise NoCallFitsError(refusal)

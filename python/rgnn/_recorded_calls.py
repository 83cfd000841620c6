"""Calls that were made of a model, and code for them that runs without TorchDynamo: what is saved and frozen."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import torch
from _rgnn import CompileError as CompilerRefusal
from _rgnn import compile as compile_text
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils import _pytree as pytree

from ._capture import Captured, CaptureError
from ._capture.inputs import dynamic_dim
from ._compiler import compile_region, split_model
from ._dynamo.full_graph import capture
from ._errors import CompileError, FallbackError, first_line
from ._function import hooks
from ._options import Options
from ._run.autocast import autocast_dtype
from ._run.call import CallSpec, CompiledCall
from ._run.parameters import ParameterReader
from ._run.plan import Plan
from ._run.region import Region
from ._target import CPU, Target, resolve


class RecordedCall:
    """A call without its data: its structure, and what mode it was made in.

    Attributes:
        args, kwargs: the arguments, with tensors of one number in the place of theirs, and graphs of none.
        with_gradients: whether autograd was on.
    """

    def __init__(self, model: nn.Module, args: tuple, kwargs: dict):
        self.args, self.kwargs = pytree.tree_map(_without_data, (args, kwargs))
        self._training = [(module, module.training) for module in model.modules()]
        self._autocast = {device: autocast_dtype(device) for device in ("cpu", "cuda")}
        self.with_gradients = torch.is_grad_enabled()

    @contextlib.contextmanager
    def restored(self) -> Iterator[None]:
        """The modes that the call was made in."""
        before = [(module, module.training) for module, _ in self._training]
        with contextlib.ExitStack() as stack:
            for device, dtype in self._autocast.items():
                if dtype is not None:
                    stack.enter_context(torch.autocast(device, dtype))
            try:
                for module, training in self._training:
                    module.training = training
                yield
            finally:
                for module, training in before:
                    module.training = training


def _without_data(value: Any) -> Any:
    """An argument, or a part of one, without its data."""
    if isinstance(value, Tensor):
        return _shell(value)
    return value.without_data() if hasattr(type(value), "without_data") else value


def _shell(tensor: Tensor) -> Tensor:
    """A tensor of the same shape, dtype and device that takes no memory."""
    if tensor.layout is not torch.strided:
        return tensor.detach()
    return torch.empty((), dtype=tensor.dtype, device=tensor.device).expand(tensor.shape).requires_grad_(
        tensor.requires_grad)  # fmt: skip


class FullGraphCall(CompiledCall):
    """A model compiled for one structure of inputs, their dtypes and widths.

    Attributes:
        target: what for.
        kinds: dtype, and sizes but for those that may change, of each input.
        key: equal for calls of equal code.
    """

    def __init__(self, model: nn.Module, captured: Captured, region: Region | Plan, target: Target,
                 inputs: list[Tensor]):
        # What was captured is compiled: its text is not needed again.
        spec = dataclasses.replace(captured, text="")
        self.target = target
        self.kinds = tuple((tensor.dtype, *(None if dim == dynamic_dim(tensor) else size
                                            for dim, size in enumerate(tensor.shape))) for tensor in inputs)
        structure = repr((spec.inputs.args, spec.inputs.kwargs))
        self.key = captured.text, model.training, autocast_dtype(region.device), structure
        super().__init__(spec, reader(model, spec), region, model.training, autocast_dtype(region.device))

    def find_trainings(self, args: tuple, kwargs: dict) -> None:
        """Makes the code for the gradients that a call would ask for."""
        # What a forward keeps for its backward may have sizes that its inputs do not tell.
        fakes = FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv(), static_shapes=True)
        with fakes as mode, torch.random.fork_rng(devices=[]):
            self.run([mode.from_tensor(tensor) for tensor in self.tensors(args, kwargs)])


def reader(model: nn.Module, spec: CallSpec) -> Callable[[], list[Tensor]]:
    """Reads the parameters and buffers of a call from a model."""
    return ParameterReader(model, spec.parameters) if spec.parameters else list


def make_calls(model: nn.Module, function: Callable, calls: list[RecordedCall], options: Options,
               target: str | None) -> list[FullGraphCall]:
    """Code for calls of a model as it is now, with the gradients that they asked for; one for each that differs.

    Args:
        model: whose parameters are read.
        function: what its call runs.
        calls: those that were made.
        options, target: as of :func:`rgnn.compile`.

    Raises:
        FallbackError: only PyTorch can run such a call; the text says why.
        CompileError: the compiler refuses the options.
    """
    made: dict[tuple, FullGraphCall] = {}
    for call in calls:
        with call.restored():
            one = _make_call(model, function, call.args, call.kwargs, options, target)
            one = made.setdefault(one.key, one)
            if call.with_gradients:
                one.find_trainings(call.args, call.kwargs)
    return list(made.values())


def _make_call(model: nn.Module, function: Callable, args: tuple, kwargs: dict, options: Options,
               target: str | None) -> FullGraphCall:
    for name, module in model.named_modules():
        if any(hooks(module)):
            raise FallbackError(f"{name or 'model'}: it has hooks, which compiled code would not call")
    try:
        captured = capture(model, args, kwargs, function)
    except CaptureError as error:
        raise FallbackError(first_line(error)) from error
    inputs = captured.inputs.flatten(args, kwargs)
    resolved = resolve(target, [*inputs, *model.parameters(), *model.buffers()])
    try:
        region = compile_region(captured.text, options, resolved)
        return FullGraphCall(model, captured, region, resolved, inputs)
    except CompilerRefusal as error:
        if (options != Options() or resolved != CPU) and _compiles(captured.text):
            raise CompileError(f"{resolved}, {options}: {first_line(error)}") from error
        plan, reasons = split_model(captured.text, options, resolved)
        if plan is None:
            raise FallbackError(reasons[0] if reasons else first_line(error)) from error
        return FullGraphCall(model, captured, plan, resolved, inputs)


def _compiles(text: str) -> bool:
    try:
        compile_text(text)
    except CompilerRefusal:
        return False
    return True

"""Captures a call whole, by export: what :func:`rgnn.explain` reports on, and what is saved."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator

import torch
from _rgnn import CompileError as CompilerRefusal
from _rgnn import compile as compile_text
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from . import _turns
from ._capture import Captured, CaptureError, capture
from ._compiler import compile_region, split_model
from ._errors import CompileError, FallbackError, first_line
from ._function import hooks
from ._options import Options
from ._run.autocast import autocast_dtype
from ._run.call import Call
from ._run.parameters import ParameterReader
from ._run.plan import Plan
from ._run.region import Region
from ._target import CPU, Target, resolve


class Version(Call):
    """A model compiled for one structure of inputs, their dtypes and widths."""

    def __init__(self, model: nn.Module, captured: Captured, region: Region | Plan, target: Target):
        # What was captured is compiled: kept, it would hold parameters that the model has replaced.
        spec = dataclasses.replace(captured, program=None, text="")
        self.model, self.target = model, target
        self.key = captured.text, model.training, autocast_dtype(region.device)
        self._read_parameters = ParameterReader(model, spec.parameters) if spec.parameters else list
        super().__init__(spec, self._read, region, model.training, autocast_dtype(region.device))

    def _read(self) -> list[Tensor]:
        epoch = _turns.epoch
        parameters = self._read_parameters()
        if epoch % 2 or epoch != _turns.epoch:  # they may be fake: a model was captured meanwhile
            with _turns.use(self.model):
                parameters = self._read_parameters()
        return parameters

    def find_trainings(self, args: tuple, kwargs: dict) -> None:
        """Makes the code for the gradients that a call would ask for."""
        # What a forward keeps for its backward may have sizes that its inputs do not tell.
        fakes = FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv(), static_shapes=True)
        with fakes as mode, torch.random.fork_rng(devices=[]):
            self.run([mode.from_tensor(tensor) for tensor in self.tensors(args, kwargs)])


class RecordedCall:
    """A call without its data: its structure, and what mode it was made in.

    Attributes:
        args, kwargs: the arguments, with tensors of one number in the place of theirs.
        with_gradients: whether autograd was on.
    """

    def __init__(self, model: nn.Module, args: tuple, kwargs: dict):
        self.args, self.kwargs = torch.utils._pytree.tree_map_only(Tensor, _shell, (args, kwargs))
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


def _shell(tensor: Tensor) -> Tensor:
    """A tensor of the same shape, dtype and device that takes no memory."""
    if tensor.layout is not torch.strided:
        return tensor.detach()
    return torch.empty(1, dtype=tensor.dtype, device=tensor.device).expand(tensor.shape).requires_grad_(
        tensor.requires_grad)  # fmt: skip


def make_version(model: nn.Module, args: tuple, kwargs: dict, options: Options, target: str | None) -> Version:
    """Captures a call and compiles it.

    Raises:
        FallbackError: only PyTorch can run the model; the text says why.
        CompileError: the compiler refuses the options.
    """
    captured = capture_checked(model, args, kwargs)
    resolved = resolve(target, [*_tensors(args, kwargs), *model.parameters(), *model.buffers()])
    try:
        return Version(model, captured, compile_region(captured.text, options, resolved), resolved)
    except CompilerRefusal as error:
        if (options != Options() or resolved != CPU) and _compiles(captured.text):
            raise CompileError(f"{resolved}, {options}: {first_line(error)}") from error
        plan, reasons = split_model(captured.text, options, resolved)
        if plan is None:
            raise FallbackError(reasons[0] if reasons else first_line(error)) from error
        return Version(model, captured, plan, resolved)


def capture_checked(model: nn.Module, args: tuple, kwargs: dict) -> Captured:
    """Captures a model whose behaviour is all in its call. Raises FallbackError with the reason otherwise."""
    for name, module in model.named_modules():
        if any(hooks(module)):
            raise FallbackError(f"{name or 'model'}: it has hooks, which a compiled model would not call")
    try:
        # With gradients, so that parts of the model without are seen; what is saved for them is none of the caller's.
        own = torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor)
        with _turns.capture(model), _submodules_in_pytorch(model), torch.enable_grad(), own:
            captured = capture(model, args, kwargs)
    except CaptureError as error:
        raise FallbackError(first_line(error)) from error
    if captured.conditions:
        raise FallbackError(f"{captured.conditions[0]}: it compares a size with 0 or 1")
    return captured


@contextlib.contextmanager
def _submodules_in_pytorch(model: nn.Module) -> Iterator[None]:
    """Makes submodules that are compiled themselves run in PyTorch, so that they are captured with the model."""
    modules = list(model.modules())[1:]
    compiled = [(m, m._compiled_call_impl) for m in modules if hasattr(m._compiled_call_impl, "runner")]
    for module, _ in compiled:
        module._compiled_call_impl = None
    try:
        yield
    finally:
        for module, runner in compiled:
            module._compiled_call_impl = runner


def _compiles(text: str) -> bool:
    try:
        compile_text(text)
    except CompilerRefusal:
        return False
    return True


def _tensors(args: tuple, kwargs: dict) -> list[Tensor]:
    return [leaf for leaf in torch.utils._pytree.tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]



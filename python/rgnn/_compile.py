"""rgnn.compile: a model in, the same model out, running compiled code."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import os
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
from _rgnn import CompileError as CompilerRefusal
from _rgnn import compile as compile_text
from torch import Tensor, nn

from . import _turns
from ._capture import Captured, CaptureError, capture
from ._compiler import compile_region, split_model
from ._errors import CompileError, FallbackError, InputError, RGNNError, first_line
from ._options import Options
from ._run.autocast import autocast_dtype
from ._run.call import Call, NoCallFitsError, run_fitting
from ._run.parameters import ParameterReader
from ._run.plan import Plan
from ._run.region import Region
from ._state import Function, State, changes, equal, hooks
from ._target import CPU, Target, allows_tf32, check_target, resolve


def compile(
    model: nn.Module | Callable, *, target: str | None = None, options: Options | None = None, fullgraph: bool = False
) -> Any:
    """Compiles a message-passing model; its parameters are shared with the original, not copied.

    Args:
        model: module or function of node features ``[N, F]`` (float64, float32, bfloat16, float16), ``edge_index``
            ``[2, E]`` (int64 or int32) and, where it has relations, ``edge_type`` ``[E]``; or of dictionaries of these
            per type. Modules that a function refers to are read like those of a model.
        target: ``"cpu"``; ``"cuda"`` or a chip such as ``"sm_90"``, for NVIDIA GPUs; None for the device of the inputs.
            Code for GPUs takes a CUDA Toolkit to make (``CUDA_ROOT``, or NVIDIA's packages nvidia-cuda-nvcc and
            nvidia-nvvm), and none to run.
        options: see :class:`Options`.
        fullgraph: raise :class:`FallbackError` where a part would run in PyTorch instead.

    Returns:
        A module (for a function: a function) with the same call and parameters. The first call captures and compiles;
        later calls run, on any graph. A call after a change of a plain attribute, in ``model`` or the result, compiles
        anew. It has ``save(path, weights=True)`` and ``export(folder, weights=True)``, which write what was compiled so
        far to a file for :func:`rgnn.load`, and to a package.

    Raises:
        ValueError: an unknown target.

    The first call raises :class:`CompileError` where the compiler refuses ``options``.

    Calls raise :class:`InputError` for an index out of range, a width that does not fit the weights, or tensors on
    other devices. Under autograd, the first call that asks for gradients compiles them; the backward raises
    :class:`TrainingError` where an operator has none yet, and for second derivatives; so do transforms of
    ``torch.func`` that take derivatives. What PyTorch refuses at a call that nothing is compiled for is PyTorch's
    error.

    Source: the programming interface of Hector (ASPLOS 2024, sec. 3.1), without its restrictions.
    """
    check_target(target)
    options = options or Options()
    if not isinstance(model, nn.Module):
        runner = Runner(Function(model), options, target, fullgraph)
        wrapper = functools.wraps(model)(lambda *args, **kwargs: runner(*args, **kwargs))
        wrapper._rgnn_runner = runner
        vars(wrapper).update(_saving(runner, getattr(model, "__name__", "function")))
        return wrapper
    # A shallow copy shares parameters, buffers and submodules; only its call differs.
    compiled = copy.copy(model)
    _install(compiled, options, target, fullgraph, model)
    return compiled


def _install(
    module: nn.Module, options: Options, target: str | None, fullgraph: bool, original: nn.Module | None = None
) -> None:
    """Makes calls of a module run compiled code; its deep copies do so too, what is pickled is the plain module."""

    def state() -> Any:
        plain = object.__new__(type(module))
        vars(plain).update({name: value for name, value in vars(module).items() if name not in own})
        return plain.__getstate__()

    def deepcopy(memo: dict) -> nn.Module:
        memo[id(module)] = other = copy.deepcopy(copy.copy(module), memo)
        _install(other, options, target, fullgraph)
        return other

    module._compiled_call_impl = runner = Runner(module, options, target, fullgraph, original)
    saving = {name: value for name, value in _saving(runner, type(module).__name__).items()
              if not hasattr(type(module), name)}  # a model's own methods stay
    vars(module).update(saving)
    # Attributes of the object, which are asked before those of its class: that is also the class of plain modules.
    module.__getstate__, module.__deepcopy__ = state, deepcopy
    # Where a module's is the usual one, torch.compile takes its forward in the place of its call.
    module.__call__ = functools.partial(nn.Module.__call__, module)
    own = ("_compiled_call_impl", "__getstate__", "__deepcopy__", "__call__", *saving)


def _saving(runner: Runner, name: str) -> dict[str, Callable]:
    """The methods by which a compiled model is saved."""

    def save(path: str | os.PathLike, weights: bool = True, gpu: bool | None = None) -> None:
        """Writes what the model was compiled to, for :func:`rgnn.load`: the calls that were made of it, and gradients
        where they were asked for.

        Args:
            path: the file, which is replaced as a whole.
            weights: whether to write parameters and buffers too.
            gpu: whether to write code for NVIDIA GPUs too, which takes a CUDA Toolkit and no GPU; None: if the model
                was called on one.

        Raises:
            CompileError: the model was not called as it is now, or runs in PyTorch, or takes or returns what no file
                can say.
        """
        from ._saved.save import save as write

        write(runner, name, path, weights, gpu)

    def export(folder: str | os.PathLike, weights: bool = True, gpu: bool | None = None) -> None:
        """Writes a Python package that ``import`` loads; see :mod:`rgnn.importer` for what is in it.

        Args:
            folder: the package, which is made; its name is what to import.
            weights, gpu, errors: as of ``save``.
        """
        from ._saved.package import write_package

        write_package(folder, name, lambda path: save(path, weights, gpu))

    return {"save": save, "export": export}


_MAX_VERSIONS = 32  # of one model; the oldest go
_compiling = threading.RLock()  # one compilation for threads that call at once


class Version(Call):
    """A model compiled for one structure of inputs, their dtypes and widths, and one state of its modules."""

    def __init__(self, model: nn.Module, state: State, captured: Captured, region: Region | Plan, target: Target):
        # What was captured is compiled: kept, it would hold parameters that the model has replaced.
        spec = dataclasses.replace(captured, program=None, text="")
        self.model, self.state, self.target = model, state, target
        self._read_parameters = ParameterReader(model, spec.parameters) if spec.parameters else list
        super().__init__(spec, self._read, region, model.training, autocast_dtype(region.device))

    def holds(self) -> bool:
        """Whether the model and PyTorch's settings are those that it was compiled for."""
        if self.autocast != autocast_dtype(self.region.device) or not self.state.holds():
            return False
        return self.target.device == "cpu" or self.target.tf32 == allows_tf32()

    def _read(self) -> list[Tensor]:
        epoch = _turns.epoch
        parameters = self._read_parameters()
        if epoch % 2 or epoch != _turns.epoch:  # they may be fake: a model was captured meanwhile
            with _turns.use(self.model):
                parameters = self._read_parameters()
        return parameters


class Runner:
    """The call of a compiled model: finds the version for the arguments, or makes it."""

    def __init__(
        self, model: nn.Module, options: Options, target: str | None, fullgraph: bool,
        original: nn.Module | None = None,
    ):  # fmt: skip
        self.model, self.options, self.target, self.fullgraph = model, options, target, fullgraph
        attributes = {} if original is None else vars(original)
        self._original = (attributes, dict(attributes))
        runner = attributes.get("_compiled_call_impl")
        self._outer = runner if isinstance(runner, Runner) else None  # of an original that is compiled itself
        self.versions: tuple[Version, ...] = ()
        self.fallbacks: dict[Any, str] = {}

    @torch.compiler.disable
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.follow_original()
        versions = self.versions
        fitting = (version for version in versions if version.holds())
        try:
            return run_fitting(fitting, args, kwargs)
        except NoCallFitsError as none:
            refusal = none.refusal
        return self._first_call(args, kwargs, versions, refusal)

    def follow_original(self) -> None:
        """Takes over attributes that were changed on the model that was compiled: only those are not shared."""
        if self._outer is not None:
            self._outer.follow_original()
        attributes, before = self._original
        if equal(attributes, before):
            return
        for name in changes(attributes, before) - {"_compiled_call_impl"}:
            if name in attributes:
                vars(self.model)[name] = attributes[name]
            else:
                vars(self.model).pop(name, None)
        self._original = (attributes, dict(attributes))

    def _first_call(
        self, args: tuple, kwargs: dict, versions: tuple[Version, ...], refusal: InputError | None
    ) -> Any:
        """Makes a version; ``versions`` are those that did not fit, ``refusal`` says why where one nearly did."""
        key = _signature(self.model, args, kwargs)
        if key in self.fallbacks:
            return self._run_in_pytorch(args, kwargs)
        with _turns.pause(), _compiling:
            changed = self.versions is not versions  # by another thread, meanwhile
            if not changed:
                version = None
                try:
                    version = self.make_version(args, kwargs)
                    result = version.run(version.tensors(args, kwargs))
                except FallbackError as error:
                    reason = error
                except RuntimeError as error:
                    # Without autocast, an operator that PyTorch runs may not take what the model has for it.
                    if isinstance(error, RGNNError) or version is None or version.spec.dtypes is None:
                        raise
                    reason = FallbackError(f"it needs autocast: {first_line(error)}")
                else:
                    self.versions = (version, *versions)[:_MAX_VERSIONS]
                    return result
        if changed:
            return self(*args, **kwargs)
        if self.fullgraph:
            raise refusal or reason
        try:
            result = self._run_in_pytorch(args, kwargs)
        except Exception as error:
            if refusal:
                raise refusal from error
            raise
        self.fallbacks[key] = str(reason)
        warnings.warn(f"rgnn: the model runs in PyTorch: {reason}", stacklevel=5)
        return result

    def _run_in_pytorch(self, args: tuple, kwargs: dict) -> Any:
        with _turns.use(self.model):
            return self.model._call_impl(*args, **kwargs)

    def make_version(self, args: tuple, kwargs: dict) -> Version:
        """Captures and compiles. Raises FallbackError, with the reason, where only PyTorch can run the model."""
        state = State(self.model)  # before: what another thread changes meanwhile is seen at the next call
        captured = capture_checked(self.model, args, kwargs)
        target = resolve(self.target, [*_tensors(args, kwargs), *self.model.parameters(), *self.model.buffers()])
        try:
            region = compile_region(captured.text, self.options, target)
        except CompilerRefusal as error:
            if (self.options != Options() or target != CPU) and _compiles(captured.text):
                raise CompileError(f"{target}, {self.options}: {first_line(error)}") from error
            plan, reasons = split_model(captured.text, self.options, target)
            if plan is None or self.fullgraph:
                raise FallbackError(reasons[0] if reasons else first_line(error)) from error
            warnings.warn(f"rgnn: a part of the model runs in PyTorch: {'; '.join(reasons)}", stacklevel=6)
            return Version(self.model, state, captured, plan, target)
        return Version(self.model, state, captured, region, target)


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
    compiled = [(m, m._compiled_call_impl) for m in modules if isinstance(m._compiled_call_impl, Runner)]
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


def _signature(model: nn.Module, args: tuple, kwargs: dict) -> Any:
    """Equal for calls that compile to the same version."""
    state = tuple((id(module), module.training, any(hooks(module)))
                  for module in model.modules())
    leaves, spec = torch.utils._pytree.tree_flatten((args, kwargs))
    kinds = tuple(_describe(leaf) if isinstance(leaf, Tensor) else repr(leaf) for leaf in leaves)
    autocast = tuple(map(autocast_dtype, ("cpu", "cuda")))
    return state, autocast, spec, kinds


def _describe(tensor: Tensor) -> tuple:
    """Device, dtype, rank, and the width of features: numbers of nodes and edges make no version."""
    width = tensor.shape[-1] if tensor.is_floating_point() and tensor.dim() > 1 else None
    return tensor.device.type, tensor.dtype, tensor.dim(), width

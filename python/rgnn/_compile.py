"""rgnn.compile: a model in, the same model out, running compiled code."""

from __future__ import annotations

import copy
import functools
import inspect
import os
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.nn import MessagePassing

from ._capture.overrides import is_capturing
from ._dynamo import private
from ._dynamo.backend import Backend, Version
from ._dynamo.frames import REFUSALS, Captures, describe, optimize
from ._errors import CompileError, FallbackError
from ._frozen import check_attributes, check_modes, freeze_function, freeze_module
from ._function import GLOBAL_HOOKS, Function, argument_names, explains, forward_of, hooks, traceable
from ._install import OWN, install
from ._options import Options
from ._recorded import RecordedCall, WholeCall, make_calls
from ._run.autocast import autocast_dtype
from ._run.modes import is_plain
from ._target import check_target
from ._verify.call import is_eager
from ._verify.verifier import Verifier, parse
from ._warning import warn


def compile(
    model: nn.Module | Callable, *, target: str | None = None, options: Options | None = None, fullgraph: bool = False,
    verify: int | str | None = None, methods: Iterable[str] = (),
) -> Any:  # fmt: skip
    """Compiles a message-passing model; its parameters are shared with the original, not copied.

    Results, gradients, side effects and errors are those of the model in PyTorch, which runs what no kernel computes,
    and what would not be faster; a warning names it.

    Args:
        model: any module or function. Kernels are made for what it does with node features ``[N, F]`` (float64,
            float32, bfloat16, float16), ``edge_index`` ``[2, E]`` (int64 or int32) and, where it has relations,
            ``edge_type`` ``[E]``; or with dictionaries of these per type.
        target: ``"cpu"``; ``"cuda"`` or a chip such as ``"sm_90"``, for NVIDIA GPUs; None for the device of the inputs.
            Code for GPUs takes a CUDA Toolkit to make (``CUDA_ROOT``, or NVIDIA's packages nvidia-cuda-nvcc and
            nvidia-nvvm), and none to run.
        options: see :class:`Options`.
        fullgraph: raise :class:`FallbackError` where a part would run in PyTorch instead.
        verify: so many of the first calls of each version run in PyTorch as well, on copies, and a difference beyond
            rounding of results, gradients or what a call changes raises :class:`VerificationError`, which names a
            report; with ``"warn"`` the first call is verified, a difference is a warning, and PyTorch's result is
            given. None: what the environment variable ``RGNN_VERIFY`` says, else 0. See docs/Debugging.md.
        methods: names of methods that are compiled beside the call, such as ``("encode",)`` where that is the work.
            Methods that are not named run in PyTorch. Only the call is saved and exported.

    Returns:
        A module of the same class (for a function: a function) with the same call and parameters. The first call
        captures, by TorchDynamo, and compiles; later calls run, on any graph, and capture anew where what the model
        reads has changed. It has ``save(path, weights=True)`` and ``export(folder, weights=True)``, which write the
        calls that were made so far to a file for :func:`rgnn.load`, and to a package; and ``freeze()``, which gives a
        module that runs these calls without a look at anything but their arguments.

    Raises:
        ValueError: an unknown target, ``verify`` is none of these, or the model has no such method.

    The first call raises :class:`CompileError` where the compiler refuses ``options``.

    Calls raise :class:`InputError` for an index or a type out of range, and else what PyTorch raises. Under autograd,
    the first call that asks for gradients compiles them. Derivatives of gradients, and those of ``torch.func``, are
    PyTorch's.

    Source: the programming interface of Hector (ASPLOS 2024, sec. 3.1), without its restrictions.
    """
    check_target(target)
    options = options or Options()
    verifying = parse(verify)
    methods = _check_methods(model, methods)
    if not isinstance(model, nn.Module):
        runner = Runner(Function(model), options, target, fullgraph, verifying, function=traceable(model))
        wrapper = functools.wraps(model)(lambda *args, **kwargs: runner(*args, **kwargs))
        wrapper.runner = runner
        vars(wrapper).update(_methods(runner, getattr(model, "__name__", "function")))
        return wrapper
    # A shallow copy shares parameters, buffers and submodules; only its call differs.
    compiled = copy.copy(model)
    _install(compiled, options, target, fullgraph, verifying, methods, model)
    return compiled


def _check_methods(model: Any, methods: Iterable[str]) -> tuple[str, ...]:
    names = (methods,) if isinstance(methods, str) else tuple(methods)
    for name in names:
        if not isinstance(model, nn.Module) or not inspect.isroutine(getattr(type(model), str(name), None)):
            kind = type(model).__name__
            raise ValueError(f"methods: expected names of methods of {kind}, got {name!r}")
    if isinstance(model, nn.Module) and not names and "forward" not in vars(model) and (
        getattr(type(model), "forward", None) is nn.Module.forward
    ):  # fmt: skip
        warn(f"rgnn: {type(model).__name__} has no forward, and so no call that is compiled: name what is called in "
             "methods=(...), or compile its submodules")  # fmt: skip
    return names


def _install(
    module: nn.Module, options: Options, target: str | None, fullgraph: bool, verifying: tuple[int, bool],
    methods: tuple[str, ...], original: nn.Module | None = None,
) -> None:  # fmt: skip
    """Makes calls of a module run compiled code; its deep copies do so too, what is pickled is the plain module."""

    def again(other: nn.Module) -> nn.Module:
        _install(other, options, target, fullgraph, verifying, methods)
        return other

    runner = Runner(module, options, target, fullgraph, verifying, original)
    instead = {name: _method_of(runner, getattr(runner.model, name), verifying) for name in methods}
    install(module, _call_of(runner), _methods(runner, type(module).__name__), again, instead)


def _call_of(runner: Runner) -> Callable:
    """What PyTorch calls in the place of a module's own call; captured within another model, it is the module's own."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if is_capturing():
            return runner.model._call_impl(*args, **kwargs)
        return runner(*args, **kwargs)

    call.runner = runner
    return call


def _method_of(call: Runner, method: Callable, verifying: tuple[int, bool]) -> Callable:
    """What stands for a method of a compiled model; captured within another, or within its call, it is the method."""
    runner = Runner(Function(method), call.options, call.target, call.fullgraph, verifying, function=method)

    @functools.wraps(method)
    def compiled(*args: Any, **kwargs: Any) -> Any:
        if is_capturing():
            return method(*args, **kwargs)
        call.follow_original()
        try:
            return runner(*args, **kwargs)
        finally:
            call.lead()

    compiled.runner, compiled.is_method = runner, True
    return compiled


def _methods(runner: Runner, name: str) -> dict[str, Callable]:
    """What a compiled model has besides its call."""

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

    def freeze() -> Any:
        """What runs the calls that were made so far, as a loaded module does: without a look at anything but arguments.

        Returns:
            A module of the same class, with the same parameters and submodules (for a function: a function), which
            takes the arguments that the model was called with so far, on any graph, with gradients where they were
            asked for, in the modes (``train()``, autocast) that it was called in. Parameters are read at each call.
            Other changes of the model are not seen: of attributes, hooks, or the modes of submodules alone. The
            compiled model stays as it is.

        Raises:
            CompileError: the model was not called as it is now, or has graph breaks, side effects, attributes that
                changed between calls, or several versions for equal arguments.

        Calls raise :class:`InputError` for arguments or a mode that there is no version for.
        """
        return runner.freeze()

    return {"save": save, "export": export, "freeze": freeze}


class Runner:
    """The call of a compiled model.

    Attributes:
        backend: what was compiled.
        fallbacks: of calls that nothing is compiled for, why.
        calls: those that something was compiled for, without their data.
    """

    def __init__(
        self, model: nn.Module, options: Options, target: str | None, fullgraph: bool, verifying: tuple[int, bool],
        original: nn.Module | None = None, function: Callable | None = None,
    ):  # fmt: skip
        self.options, self.target, self.fullgraph = options, target, fullgraph
        attributes = {} if original is None else vars(original)
        self._original = (attributes, dict(attributes))
        self.model, self._follower = model, None
        self._leader = original
        if original is not None and _overrides_methods(original):
            self._follower, self.model = model, original
        self._outer = runner_of(original)  # of an original that is compiled itself
        self.backend = Backend(options, target, fullgraph, () if function else argument_names(model))
        self.fallbacks: dict[Any, str] = {}
        self.calls: list[RecordedCall] = []
        self._has_warned = False
        self._told: set[Any] = set()  # calls of which it was said that they run in PyTorch
        self._captures = Captures()
        self._verifier = Verifier(*verifying) if verifying[0] else None
        if self._verifier is not None:
            self._captures.on_miss, self.backend.watch = self._verifier.remember, self._verifier.note
        self._function = function
        self._optimize()
        self._watch()

    def _optimize(self) -> None:
        if private.missing:
            return
        self._forward = vars(self.model).get("forward")
        self._optimized = optimize(self.plain, self.backend, self.fullgraph, self._captures)

    @property
    def plain(self) -> Callable:
        """What a call runs in PyTorch."""
        return self._function or forward_of(self.model)

    def make_calls(self, purpose: str) -> list[WholeCall]:
        """The calls that were made of the model, as it is now, as code that runs without TorchDynamo.

        Raises:
            CompileError: there were none, or they have no such code; ``purpose`` is what it cannot be: ``"saved"``.
        """
        self.follow_original()
        if not self.calls:
            reason = next(iter(self.fallbacks.values()), None)
            got = "one that was not called as it is now" if reason is None else f"one that runs in PyTorch: {reason}"
            raise CompileError(f"cannot be {purpose}: expected a model that is compiled, got {got}")
        try:
            return make_calls(self.model, self.plain, self.calls, self.options, self.target)
        except FallbackError as error:
            raise CompileError(f"cannot be {purpose}: {error}") from error

    def freeze(self) -> Any:
        """See ``freeze`` of a compiled model."""
        check_attributes(self.versions)
        calls = self.make_calls("frozen")
        check_modes(calls)
        if self._function is not None:
            return freeze_function(self._function, self.model, calls)
        return freeze_module(copy.copy(self.model), calls)

    def _watch(self) -> None:
        """Notes what a call is to look at that TorchDynamo does not."""
        self._modules = list(self.model.modules())
        self._hooks = (*GLOBAL_HOOKS, *(found for module in self._modules for found in hooks(module)))
        self._layers = [module for module in self._modules if isinstance(module, MessagePassing)]

    @property
    def versions(self) -> list[Version]:
        """What each captured graph became."""
        return self.backend.versions

    @torch.compiler.disable(reason="rgnn: a compiled model runs code of its own, which torch.compile cannot look into: "
                                   "leave fullgraph out, or compile one of the two")
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if is_eager():
            return self._run_in_pytorch(args, kwargs)
        self.follow_original()
        if any(self._hooks) or explains(self._layers):
            self._warn_once(self._describe_hooks())
            return self._run_in_pytorch(args, kwargs)
        if not is_plain():
            return self._run_in_pytorch(args, kwargs)
        if private.missing:
            self._warn_once(private.missing)
            return self._run_in_pytorch(args, kwargs)
        if self.fallbacks and _signature(self.model, args, kwargs) in self.fallbacks:
            return self._run_in_pytorch(args, kwargs)
        return self._run(args, kwargs)

    def _warn_once(self, reason: str) -> None:
        """Says why all calls run in PyTorch for now."""
        if self._has_warned:
            return
        self._has_warned = True
        if self.fullgraph:
            raise FallbackError(reason)
        warn(f"rgnn: the model runs in PyTorch: {reason}")

    def _describe_hooks(self) -> str:
        if not any(self._hooks):
            return "it is explained, which PyG does in PyTorch"
        names = (name or "model" for name, module in self.model.named_modules() if any(hooks(module)))
        return f"{next(names, 'modules')}: it has hooks, which compiled code would not call"

    def _run(self, args: tuple, kwargs: dict) -> Any:
        if self._verifier is not None:
            return self._verifier.call(self, self._run_compiled, self._run_in_pytorch, args, kwargs)
        return self._run_compiled(args, kwargs)

    def _run_compiled(self, args: tuple, kwargs: dict) -> Any:
        if self._function is None and vars(self.model).get("forward") is not self._forward:
            self._optimize()  # another forward was put on the object
        versions, reasons = self.backend.versions, self._captures.skipped
        made, skipped = len(versions), len(reasons)
        try:
            result = self._optimized(*args, **kwargs)
        except REFUSALS as error:
            if not self.fullgraph:
                raise
            self._run_in_pytorch(args, kwargs)  # whose error it may be
            raise FallbackError(describe(error)) from error
        except FallbackError:
            self._run_in_pytorch(args, kwargs)
            raise
        except RuntimeError as error:
            if self.fullgraph and len(reasons) > skipped and "found no compiled frames" in str(error):
                raise FallbackError(reasons[-1]) from error
            raise
        finally:
            self.lead()
        while self._captures.overflows:
            warn(f"rgnn: {self._captures.overflows.pop(0)}")
        if len(versions) > made or len(reasons) > skipped:
            self._note(args, kwargs, versions[made:], reasons[skipped:])
            del reasons[:]
        return result

    def follow_original(self) -> None:
        """Takes over attributes that were changed on the model that was compiled: only those are not shared."""
        if self._outer is not None:
            self._outer.follow_original()
        attributes, before = self._original
        if self._follower is not None:
            _copy_changes(vars(self._follower), before, attributes)
        elif not _equal(attributes, before):
            _copy_changes(attributes, before, vars(self.model))
            self._original = (attributes, dict(attributes))
            if _overrides_methods(self._leader):
                # Methods that were put on the object know it as `self`: from now on it is the one that runs.
                _copy_changes(vars(self.model), before, attributes)
                self._follower, self.model = self.model, self._leader
                self._optimize()

    def lead(self) -> None:
        """Gives the compiled model what a call left on the original, where that is the one that runs."""
        if self._follower is not None:
            attributes, before = self._original
            _copy_changes(attributes, before, vars(self._follower))
            self._original = (attributes, dict(attributes))

    def _note(self, args: tuple, kwargs: dict, versions: list[Version], skipped: list[str]) -> None:
        """Says what runs in PyTorch of a call that something was captured for."""
        self._watch()
        reasons = [": ".join(filter(None, (where, op, reason))) for version in versions
                   for op, reason, where in version.fallbacks]  # fmt: skip
        reasons = list(dict.fromkeys([*reasons, *skipped]))
        if not any(version.parts for version in versions):
            reason = reasons[0] if reasons else "it computes nothing of tensors"
            key = _signature(self.model, args, kwargs)
            if skipped and not self._captures.is_lenient and not self.backend.versions:
                self._captures.is_lenient = True  # PyTorch runs the frame: from now on parts of it may be captured
            else:
                self.fallbacks[key] = reason
            if key not in self._told:
                self._told.add(key)
                warn(f"rgnn: the model runs in PyTorch: {reason}")
            return
        self.calls.append(RecordedCall(self.model, args, kwargs))
        if reasons:
            warn(f"rgnn: a part of the model runs in PyTorch: {'; '.join(reasons)}")

    def _run_in_pytorch(self, args: tuple, kwargs: dict) -> Any:
        return self.model._call_impl(*args, **kwargs)


def runner_of(model: Any) -> Runner | None:
    """The call of a compiled model or function; None for others."""
    if isinstance(model, nn.Module):
        return getattr(model._compiled_call_impl, "runner", None)
    return getattr(model, "runner", None)


def _equal(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except Exception:  # tensors and arrays that were replaced
        return False


def _copy_changes(live: dict, before: dict, target: dict) -> None:
    """Gives ``target`` the attributes that differ from what they were."""
    missing = object()
    for name in (live.keys() | before.keys()) - {"_compiled_call_impl", *OWN}:
        if _equal(live.get(name, missing), before.get(name, missing)) or _is_method(live.get(name)):
            continue
        if name in live:
            target[name] = live[name]
        else:
            target.pop(name, None)


def _overrides_methods(model: nn.Module) -> bool:
    """Whether methods of its class were replaced on the object."""
    return any(callable(value) and callable(getattr(type(model), name, None)) for name, value in vars(model).items()
               if name not in OWN and not name.startswith("_compiled") and not _is_method(value))  # fmt: skip


def _is_method(value: Any) -> bool:
    """Whether a value stands for a method that is compiled."""
    return getattr(value, "is_method", False) is True


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

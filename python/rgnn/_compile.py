"""rgnn.compile: a model in, the same model out, running compiled code."""

from __future__ import annotations

import copy
import functools
import inspect
import os
from collections.abc import Callable, Iterable
from typing import Any

from torch import nn

from ._capture.capturing import is_capturing
from ._function import Function, traceable
from ._install import install
from ._options import Options
from ._runner import Runner
from ._target import check_target
from ._verify.verifier import parse
from ._warning import warn


def compile(
    model: nn.Module | Callable | None = None, *, target: str | None = None, options: Options | None = None,
    fullgraph: bool = False, verify: int | str | None = None, methods: Iterable[str] = (),
) -> Any:  # fmt: skip
    """Compiles a message-passing model; its parameters are shared with the original, not copied.

    Results, gradients, side effects and errors are those of the model in PyTorch, which runs what no kernel computes,
    and what would not be faster; a warning names it.

    Args:
        model: any module or function; None for a decorator of functions and of methods, ``@rgnn.compile(options=...)``,
            of which the module is an argument, whose parameters and modes calls follow. Kernels are made for what it
            does with node features ``[N, F]`` (float64, float32, bfloat16, float16), ``edge_index`` ``[2, E]`` (int64
            or int32) and, where it has relations, ``edge_type`` ``[E]``; or with dictionaries of these per type.
        target: ``"cpu"``; ``"cuda"`` or a chip such as ``"sm_90"``, for NVIDIA GPUs; None for the device of the inputs.
            Code for GPUs takes a CUDA Toolkit to make (``CUDA_ROOT``, or NVIDIA's packages nvidia-cuda-nvcc and
            nvidia-nvvm), and none to run.
        options: see :class:`Options`.
        fullgraph: raise :class:`FallbackError` where a part would run in PyTorch instead, but for operators that
            :func:`register_op` has PyTorch run.
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
    if model is None:
        return functools.partial(compile, target=target, options=options, fullgraph=fullgraph, verify=verify)
    check_target(target)
    options = options or Options()
    verifying = parse(verify)
    methods = _check_methods(model, methods)
    if not isinstance(model, nn.Module):
        runner = Runner(Function(model), options, target, fullgraph, verifying, function=traceable(model))
        wrapper = _function_of(runner, model)
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


def _function_of(runner: Runner, function: Callable) -> Callable:
    """What stands for a function; captured within a model that is compiled, it is the function."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs) if is_capturing() else runner(*args, **kwargs)

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

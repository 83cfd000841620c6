"""rgnn.compile: a model in, the same model out, running compiled code."""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Callable
from typing import Any

import torch
from _rgnn import CompileError as CompilerRefusal
from _rgnn import compile as compile_text
from torch import Tensor, nn

from ._capture import Captured, CaptureError, ParameterReader, capture
from ._errors import FallbackError, InputError
from ._options import Options
from ._region import Region


def compile(
    model: nn.Module | Callable, *, target: str | None = None, options: Options | None = None, fullgraph: bool = False
) -> Any:
    """Compiles a message-passing model; its parameters are shared with the original, not copied.

    Args:
        model: module or function of node features ``[N, F]`` (float32, float64), ``edge_index`` ``[2, E]`` (int64 or
            int32) and, where it has relations, ``edge_type`` ``[E]``; or of dictionaries of these per type.
        target: ``"cpu"``, or None for the device of the inputs.
        options: see :class:`Options`.
        fullgraph: raise :class:`FallbackError` where a part would run in PyTorch instead.

    Returns:
        A module (for a function: a function) with the same call and parameters. The first call captures and compiles;
        later calls run, on any graph.

    Raises:
        ValueError: an unknown target.

    Calls raise :class:`InputError` for an index out of range, a width that does not fit the weights, or tensors on
    other devices, and :class:`TrainingError` in the backward pass, which is not compiled yet.

    Source: the programming interface of Hector (ASPLOS 2024, sec. 3.1), without its restrictions.
    """
    if target not in (None, "cpu"):
        raise ValueError(f"target: expected 'cpu' or None, got {target!r}")
    options = options or Options()
    if not isinstance(model, nn.Module):
        runner = Runner(model, options, fullgraph)
        wrapper = functools.wraps(model)(lambda *args, **kwargs: runner(*args, **kwargs))
        wrapper._rgnn_runner = runner
        return wrapper
    # A shallow copy shares parameters, buffers and submodules; only its call differs.
    compiled = copy.copy(model)
    compiled._compiled_call_impl = Runner(compiled, options, fullgraph)
    return compiled


def release_workspace() -> None:
    """Gives the memory of temporaries back that compiled models keep between calls."""
    from ._region import _regions

    for region in _regions:
        region.code.release_workspace()


class Version:
    """A model compiled for one structure of inputs, their dtypes and widths, and training or evaluation."""

    def __init__(self, model: Any, captured: Captured, region: Region):
        self.captured, self.region = captured, region
        self.training = _is_training(model)
        self.flatten = captured.inputs.flatten
        self.parameters = ParameterReader(model, captured.parameters) if captured.parameters else list
        self.single = captured.out_spec.is_leaf() and captured.outputs[0][0]

    def tensors(self, args: tuple, kwargs: dict) -> list[Tensor] | None:
        inputs = self.flatten(args, kwargs)
        return None if inputs is None else [*inputs, *self.parameters(), *self.captured.constants]

    def result(self, outputs: list[Tensor]) -> Any:
        return outputs[0] if self.single else self.captured.unflatten_outputs(outputs)


class Runner:
    """The call of a compiled model: finds the version for the arguments, or makes it."""

    def __init__(self, model: Any, options: Options, fullgraph: bool):
        self.model, self.options, self.fullgraph = model, options, fullgraph
        self.versions: list[Version] = []
        self.fallbacks: dict[Any, str] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        training = _is_training(self.model)
        for version in self.versions:
            if version.training != training:
                continue
            tensors = version.tensors(args, kwargs)
            if tensors is None:
                continue
            try:
                return version.result(version.region(tensors))
            except InputError:
                # Wrong for this version may be right for another; wrong values are wrong for all.
                if version.region.matches(tensors):
                    raise
        return self._first_call(args, kwargs)

    def _first_call(self, args: tuple, kwargs: dict) -> Any:
        key = _signature(self.model, args, kwargs)
        if key not in self.fallbacks:
            try:
                version = self.make_version(args, kwargs)
            except FallbackError as error:
                if self.fullgraph:
                    raise
                self.fallbacks[key] = str(error)
                warnings.warn(f"rgnn: the model runs in PyTorch: {error}", stacklevel=3)
            else:
                result = version.result(version.region(version.tensors(args, kwargs)))
                self.versions.insert(0, version)
                return result
        call = self.model._call_impl if isinstance(self.model, nn.Module) else self.model
        return call(*args, **kwargs)

    def make_version(self, args: tuple, kwargs: dict) -> Version:
        """Captures and compiles. Raises FallbackError, with the reason, where only PyTorch can run the model."""
        captured = capture_checked(self.model, args, kwargs)
        try:
            compiled = compile_text(captured.text, self.options.pipeline(), self.options.cache)
        except CompilerRefusal as error:
            raise FallbackError(_first_line(error)) from error
        return Version(self.model, captured, Region(compiled["so"], compiled["manifest"]))


def capture_checked(model: Any, args: tuple, kwargs: dict) -> Captured:
    """Captures a model whose behaviour is all in its call. Raises FallbackError with the reason otherwise."""
    if isinstance(model, nn.Module):
        for name, module in model.named_modules():
            if name and (module._forward_hooks or module._forward_pre_hooks):
                raise FallbackError(f"{name}: it has forward hooks, which a compiled model would not call")
        if _is_training(model) and any(_drops(module) for module in model.modules()):
            raise FallbackError("dropout in training mode is not compiled yet; call model.eval() for inference")
    try:
        captured = capture(model, args, kwargs)
    except CaptureError as error:
        raise FallbackError(_first_line(error)) from error
    if captured.conditions:
        raise FallbackError(f"{captured.conditions[0]}: it compares a size with 0 or 1")
    return captured


def _is_training(model: Any) -> bool:
    return isinstance(model, nn.Module) and model.training


def _drops(module: nn.Module) -> bool:
    rate = getattr(module, "p", None) if isinstance(module, nn.modules.dropout._DropoutNd) else None
    rate = getattr(module, "dropout", None) if rate is None else rate
    return isinstance(rate, (int, float)) and rate > 0 and module.training


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0]


def _signature(model: Any, args: tuple, kwargs: dict) -> Any:
    """Equal for calls that compile to the same version."""
    leaves, spec = torch.utils._pytree.tree_flatten((args, kwargs))
    described = tuple((leaf.dtype, leaf.dim(), leaf.shape[-1:]) if isinstance(leaf, Tensor) else repr(leaf)
                      for leaf in leaves)
    return _is_training(model), spec, described

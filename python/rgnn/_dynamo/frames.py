"""Makes a function run under TorchDynamo with a backend, with settings that hold while it captures and no longer."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from .._capture import overrides
from . import private, sizes

REFUSALS = () if private.missing else (private.Unsupported, private.UserError)
"""What TorchDynamo raises where a model is no single graph, and has to be."""

MAX_VERSIONS = 16
"""Captures of one place in a model; calls that fit none of them run in PyTorch."""


def optimize(function: Callable, backend: Callable, fullgraph: bool, report: Callable[[str], None],
             seen: dict[str, set]) -> Callable:
    """The function, whose calls run what ``backend`` makes of them.

    Args:
        function: a Python function or a bound method.
        backend: as of ``torch.compile``.
        fullgraph: whether a graph break is an error.
        report: told why a frame runs in PyTorch that TorchDynamo fails on.
        seen: numbers that were not symbols in captures so far.
    """
    context = private.dynamo.optimize(backend, nopython=fullgraph, isolate_recompiles=True,
                                      recompile_limit=MAX_VERSIONS)  # fmt: skip
    context.callback = _Callback(context.callback, fullgraph, report, seen)
    return context(function)


class _Callback:
    """What TorchDynamo calls for a frame that no capture fits."""

    def __init__(self, stock: Any, fullgraph: bool, report: Callable[[str], None], seen: dict[str, set]):
        self._stock, self._fullgraph, self._report, self._seen = stock, fullgraph, report, seen
        self._torchdynamo_orig_backend = stock  # through which PyTorch finds the backend

    def __call__(self, frame: Any, cache_entry: Any, frame_state: Any) -> Any:
        with (private.compile_lock, _settings(), overrides.active(), sizes.of_this_thread(),
              sizes.constants_fixed(self._seen)):  # fmt: skip
            try:
                with sizes.symbolic():
                    return self._stock(frame, cache_entry, frame_state)
            except private.TorchRuntimeError:
                pass  # an operator broadcasts, or refuses, sizes as they are
            except Exception as error:
                return self._skip(error)
            try:
                return self._stock(frame, cache_entry, frame_state)
            except Exception as error:
                return self._skip(error)

    def _skip(self, error: Exception) -> Any:
        """Has PyTorch run the frame, whose errors are then the model's own."""
        inner = getattr(error, "inner_exception", error)
        # What an operator refuses may be the model's own error: then PyTorch says so.
        is_operators = isinstance(error, private.TorchRuntimeError)
        if getattr(inner, "is_callers", False) or (self._fullgraph and not is_operators):
            raise inner from None
        self._report(describe(error))
        return private.ConvertFrameReturn(private.SKIP_CALL, apply_to_code=False)


def describe(error: BaseException) -> str:
    """One line of an error of TorchDynamo that tells a user most."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


@contextlib.contextmanager
def _settings() -> Iterator[None]:
    with private.dynamo_config.patch(
        assume_static_by_default=False, capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True,
        allow_unspec_int_on_nn_module=True, optimize_ddp=False,
        accumulated_recompile_limit=1 << 20,
    ), private.shape_config.patch(use_duck_shape=False):  # fmt: skip
        yield

"""The backend of ``torch.compile(model, backend="rgnn")``, which PyTorch finds by the package's entry point.

PyTorch loads it before it captures anything, as it has to be: the compiler puts stand-ins in the place of PyG's layers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from torch.fx import GraphModule

from ._options import Options

try:
    from ._dynamo.backend import Backend
    from ._target import check_target
except ModuleNotFoundError as error:
    raise ImportError('torch.compile(backend="rgnn"): expected the compiler and PyG, got an installation without '
                      f"{error.name}, which runs saved modules alone: rgnn.load") from error  # fmt: skip


def compile_graph(module: GraphModule, inputs: list[Any], *, options: dict[str, Any] | None = None) -> Callable:
    """Compiles what pays of a graph that TorchDynamo captured with the caller's settings; PyTorch runs the rest.

    Args:
        module, inputs: as TorchDynamo gives them to a backend.
        options: what is given to ``torch.compile``: names and values of :class:`rgnn.Options`, and ``target`` as of
            :func:`rgnn.compile`.

    Raises:
        TypeError: an unknown option.
        ValueError: an unknown target, or an option's value is none.
        CompileError: the compiler refuses the options.
    """
    given = dict(options or {})
    check_target(target := given.pop("target", None))
    backend = Backend(Options(**given), target, fullgraph=False)
    backend(module, inputs)
    run = backend.versions[0].run
    return run if backend.budget is None else functools.partial(_call, backend, run)


def _call(backend: Backend, run: Callable, *inputs: Any) -> Any:
    backend.begin_call()
    return run(*inputs)

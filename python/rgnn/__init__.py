"""RGNN compiles relational graph neural networks.

>>> import rgnn
>>> model = rgnn.compile(model)      # same call, same parameters, same results
>>> out = model(x, edge_index, edge_type)
>>> print(rgnn.explain(model, x, edge_index, edge_type))
>>> model.save("model.rgnn")         # runs elsewhere, by rgnn.load, without the compiler
"""

import importlib
from typing import TYPE_CHECKING, Any

from ._errors import (
    CompileError,
    FallbackError,
    InputError,
    LanguageError,
    LoadError,
    RGNNError,
    TrainingError,
    VerificationError,
)
from ._graph import Graph
from ._options import Options
from ._run.region import release_workspace
from ._saved.info import inspect
from ._saved.load import load
from ._version import __version__

if TYPE_CHECKING:
    from . import lang, tune
    from ._bugreport import bugreport
    from ._compile import compile
    from ._explain import Decision, Report, explain
    from ._ops.register import register_op
    from ._profile import Profile, profile
    from .lang.annotations import Edge, Node, Weight
    from .lang.function import function

# Loaded when first asked for: a process that runs saved modules has no compiler.
_LATER = {"bugreport": "_bugreport", "compile": "_compile", "explain": "_explain", "Report": "_explain",
          "Decision": "_explain", "profile": "_profile", "Profile": "_profile", "register_op": "_ops.register",
          "function": "lang.function", "Node": "lang.annotations", "Edge": "lang.annotations",
          "Weight": "lang.annotations"}

_MODULES = ("lang", "tune")

__all__ = [
    "__version__",
    "CompileError",
    "Decision",
    "Edge",
    "FallbackError",
    "Graph",
    "InputError",
    "LanguageError",
    "LoadError",
    "Node",
    "Options",
    "Profile",
    "RGNNError",
    "Report",
    "TrainingError",
    "VerificationError",
    "Weight",
    "bugreport",
    "compile",
    "explain",
    "function",
    "inspect",
    "lang",
    "load",
    "profile",
    "register_op",
    "release_workspace",
    "tune",
]


def __getattr__(name: str) -> Any:
    if name not in _LATER and name not in _MODULES:
        raise AttributeError(f"module 'rgnn' has no attribute '{name}'")
    try:
        if name in _MODULES:
            return importlib.import_module(f".{name}", __name__)
        value = globals()[name] = getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in ("_rgnn", "torch_geometric"):
            raise
        raise ImportError(f"rgnn.{name}: expected the compiler and PyG, got an installation without {package}, "
                          "which runs saved modules alone: rgnn.load") from error
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

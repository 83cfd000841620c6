"""RGNN compiles relational graph neural networks.

>>> import rgnn
>>> model = rgnn.compile(model)      # same call, same parameters, same results
>>> out = model(x, edge_index, edge_type)
>>> print(rgnn.explain(model, x, edge_index, edge_type))
"""

from ._compile import compile, release_workspace
from ._errors import CompileError, FallbackError, InputError, RGNNError, TrainingError
from ._explain import Report, explain
from ._graph import Graph
from ._options import Options

__all__ = [
    "CompileError",
    "FallbackError",
    "Graph",
    "InputError",
    "Options",
    "RGNNError",
    "Report",
    "TrainingError",
    "compile",
    "explain",
    "release_workspace",
]

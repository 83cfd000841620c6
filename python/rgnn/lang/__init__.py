"""The operators of the language of :func:`rgnn.function`; docs/Language.md has it by examples.

They take data of a node or edge (``e["a"]``, ``e.src["h"]``), weights (``w``, ``w[e.etype]``), what they give, and
numbers, in a function that is traced. Shapes are those of one row. Where they cannot, they raise
:class:`rgnn.LanguageError`, which names the line.

Source: the inter-operator IR of Hector (ASPLOS 2024, sec. 3.1 and 3.2, Table 2).
"""

from . import operators, torch_functions  # noqa: F401 - rows have them
from .elementwise import (
    abs,
    clamp,
    cos,
    elu,
    erf,
    exp,
    expm1,
    gelu,
    leaky_relu,
    log,
    log1p,
    maximum,
    minimum,
    pow,
    reciprocal,
    relu,
    rsqrt,
    sigmoid,
    silu,
    sin,
    softplus,
    sqrt,
    square,
    tanh,
    where,
)
from .products import dot, dot_prod, linear, matmul, outer, outer_prod
from .reductions import edge_softmax, log_softmax, max, mean, min, norm, softmax, sum
from .shapes import concat, permute, reshape

__all__ = ["abs", "clamp", "concat", "cos", "dot", "dot_prod", "edge_softmax", "elu", "erf", "exp", "expm1", "gelu",
           "leaky_relu", "linear", "log", "log1p", "log_softmax", "matmul", "max", "maximum", "mean", "min", "minimum",
           "norm", "outer", "outer_prod", "permute", "pow", "reciprocal", "relu", "reshape", "rsqrt", "sigmoid", "silu",
           "sin", "softmax", "softplus", "sqrt", "square", "sum", "tanh", "where"]  # fmt: skip

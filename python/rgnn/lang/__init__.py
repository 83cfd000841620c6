"""The operators of the language of :func:`rgnn.function`; docs/Language.md has it by examples.

They take data of a node or edge (``e["a"]``, ``e.src["h"]``), weights (``w``, ``w[e.etype]``), what they give, and
numbers, in a function that is traced. Shapes are those of one row. Where they cannot, they raise
:class:`rgnn.LanguageError`, which names the line.

Source: the inter-operator IR of Hector (ASPLOS 2024, sec. 3.1 and 3.2, Table 2).
"""

from .functions import (
    abs,
    clamp,
    concat,
    cos,
    dot,
    dot_prod,
    edge_softmax,
    elu,
    erf,
    exp,
    expm1,
    gelu,
    leaky_relu,
    linear,
    log,
    log1p,
    log_softmax,
    matmul,
    max,
    maximum,
    mean,
    min,
    minimum,
    norm,
    outer,
    outer_prod,
    permute,
    pow,
    reciprocal,
    relu,
    reshape,
    rsqrt,
    sigmoid,
    silu,
    sin,
    softmax,
    softplus,
    sqrt,
    square,
    sum,
    tanh,
    where,
)

__all__ = ["abs", "clamp", "concat", "cos", "dot", "dot_prod", "edge_softmax", "elu", "erf", "exp", "expm1", "gelu",
           "leaky_relu", "linear", "log", "log1p", "log_softmax", "matmul", "max", "maximum", "mean", "min", "minimum",
           "norm", "outer", "outer_prod", "permute", "pow", "reciprocal", "relu", "reshape", "rsqrt", "sigmoid", "silu",
           "sin", "softmax", "softplus", "sqrt", "square", "sum", "tanh", "where"]  # fmt: skip

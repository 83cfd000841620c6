"""The operators of the language, on rows, weights and numbers."""

from __future__ import annotations

import builtins
import math
import numbers
from collections.abc import Iterator, Sequence
from types import GeneratorType
from typing import Any

from torch import Tensor

from .places import refuse
from .program import Value
from .tracer import Tracer, current
from .values import Argument, Condition, Edges, Field, GraphItem, Result, Row, TypeOf


def to_value(operand: Any) -> Value:
    """The value that an operand is. Raises LanguageError, which says what else it is."""
    operand = _to_operand(operand)
    if isinstance(operand, float):
        return current().compute("add", (), (operand, 0.0))
    return operand


def _to_operand(operand: Any) -> Value | float:
    if isinstance(operand, Row):
        return operand.resolve()
    if isinstance(operand, numbers.Real):
        return float(operand)
    if isinstance(operand, Tensor):
        refuse("a tensor from outside: expected an argument of the function, w: rgnn.Weight, or an attribute of a "
               "module that is one, for it is read at each call")  # fmt: skip
    if isinstance(operand, (Argument, Result)):
        operand._refuse()
    if isinstance(operand, Condition):
        bool(operand)
    if isinstance(operand, TypeOf):
        operand._refuse()
    refuse(f"expected data of a node or edge, a weight or a number, got {type(operand).__name__}")


def _row(value: Value) -> Row:
    return Row(current(), value)


def _broadcast(op: str, shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    rank = builtins.max(map(len, shapes), default=0)
    result = []
    for dim in range(-rank, 0):
        sizes = {shape[dim] for shape in shapes if len(shape) >= -dim}
        if len(sizes - {1}) > 1:
            refuse(f"{op}: expected shapes that broadcast, got {' and '.join(str(list(shape)) for shape in shapes)}")
        result.append(next(iter(sizes - {1}), 1))
    return tuple(result)


def elementwise(op: str, *operands: Any, parameters: tuple = ()) -> Row:
    """A function of numbers, by its name in :data:`rgnn.lang.scalars.SCALARS`."""
    values = [_to_operand(operand) for operand in operands]
    shape = _broadcast(op, [value.shape for value in values if isinstance(value, Value)])
    return _row(current().compute(op, shape, tuple(values), *parameters))


def _unary(name: str, text: str) -> Any:
    def function(x: Any) -> Row:
        return elementwise(name, x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{text}, of each number."
    return function


exp = _unary("exp", "e to the power of it")
expm1 = _unary("expm1", "``exp(x) - 1``")
log = _unary("log", "The natural logarithm")
log1p = _unary("log1p", "``log(1 + x)``")
sqrt = _unary("sqrt", "The square root")
rsqrt = _unary("rsqrt", "``1 / sqrt(x)``")
abs = _unary("abs", "The absolute value")
sin = _unary("sin", "The sine")
cos = _unary("cos", "The cosine")
tanh = _unary("tanh", "The hyperbolic tangent")
erf = _unary("erf", "The error function")
square = _unary("square", "``x * x``")
reciprocal = _unary("reciprocal", "``1 / x``")
sigmoid = _unary("sigmoid", "``1 / (1 + exp(-x))``")
relu = _unary("relu", "``max(x, 0)``")
silu = _unary("silu", "``x * sigmoid(x)``")
gelu = _unary("gelu", "``x * (1 + erf(x / sqrt(2))) / 2``")
softplus = _unary("softplus", "``log(1 + exp(x))``")


def leaky_relu(x: Any, negative_slope: float = 0.01) -> Row:
    """``x`` where it is positive, else ``negative_slope * x``."""
    return elementwise("leaky_relu", x, parameters=(_number("negative_slope", negative_slope),))


def elu(x: Any, alpha: float = 1.0) -> Row:
    """``x`` where it is positive, else ``alpha * (exp(x) - 1)``."""
    return elementwise("elu", x, parameters=(_number("alpha", alpha),))


def clamp(x: Any, min: float | None = None, max: float | None = None) -> Row:
    """``x``, but at least ``min`` and at most ``max``."""
    least, most = (None if bound is None else _number("bound", bound) for bound in (min, max))
    return elementwise("clamp", x, parameters=(least, most))


def maximum(x: Any, y: Any) -> Row:
    """The larger of two numbers; with a fixed one, as :func:`clamp`."""
    if isinstance(y, numbers.Real):
        return clamp(x, min=y)
    return clamp(y, min=x) if isinstance(x, numbers.Real) else elementwise("maximum", x, y)


def minimum(x: Any, y: Any) -> Row:
    """The smaller of two numbers; with a fixed one, as :func:`clamp`."""
    if isinstance(y, numbers.Real):
        return clamp(x, max=y)
    return clamp(y, max=x) if isinstance(x, numbers.Real) else elementwise("minimum", x, y)


def where(condition: Any, x: Any, y: Any) -> Row:
    """``x`` where a comparison, such as ``e["a"] > 0``, holds, else ``y``."""
    if not isinstance(condition, Condition):
        refuse(f"where: expected a comparison, such as e[\"a\"] > 0, got {type(condition).__name__}")
    return elementwise(f"where_{condition.predicate}", condition.lhs, condition.rhs, x, y)


def pow(x: Any, exponent: Any) -> Row:
    """``x`` to a power."""
    if isinstance(exponent, numbers.Real):
        known = {1: lambda: multiply(x, 1.0), 2: lambda: square(x), 3: lambda: multiply(square(x), x),
                 0.5: lambda: sqrt(x), -1: lambda: reciprocal(x), -0.5: lambda: rsqrt(x)}  # fmt: skip
        if exponent in known:
            return known[exponent]()
    return elementwise("pow", x, exponent)


def multiply(x: Any, y: Any) -> Row:
    """``x * y``."""
    return elementwise("mul", x, y)


def _number(name: str, value: Any) -> float:
    if not isinstance(value, numbers.Real):
        refuse(f"{name}: expected a number, got {type(value).__name__}")
    return float(value)


# ---- products --------------------------------------------------------------------------------------------------------


def linear(x: Any, weight: Any, bias: Any = None) -> Row:
    """``x @ weight``: ``[..., K]`` times ``[K, N]`` is ``[..., N]``; with ``[H, K, N]``, ``[H, K]`` is ``[H, N]``, each
    head with a matrix of its own.

    The weight is one for all, that of a type, or a matrix that is data.

    Source: Hector, sec. 3.1, Table 2.
    """
    row, matrix = to_value(x), to_value(weight)
    heads = matrix.shape[:-2]
    if len(matrix.shape) < 2 or not row.shape or row.shape[-1] != matrix.shape[-2]:
        refuse(f"linear: expected x [..., K] and a weight [K, N], got {list(row.shape)} and {list(matrix.shape)}")
    if heads and row.shape[:-1] != heads:
        refuse(f"linear: expected x {[*heads, matrix.shape[-2]]} for a weight {list(matrix.shape)}, got "
               f"{list(row.shape)}")  # fmt: skip
    shape = (*row.shape[:-1], matrix.shape[-1])
    if not matrix.is_shared and matrix.table is None:  # data: a product by numbers, and a sum
        product = multiply(reshape(_row(row), *row.shape, 1), _row(matrix))
        result = sum(product, -2)
    else:
        result = _row(current().compute("linear", shape, (row, matrix)))
    return result if bias is None else elementwise("add", result, bias)


def dot(x: Any, y: Any) -> Row:
    """The inner product over the last dimension, which disappears: one number, or one a head."""
    one, other = to_value(x), to_value(y)
    if not one.shape or not other.shape or one.shape[-1] != other.shape[-1]:
        refuse(f"dot: expected two vectors of one size, got shapes {list(one.shape)} and {list(other.shape)}")
    if one.shape == other.shape:
        return _row(current().compute("dot", one.shape[:-1], (one, other)))
    return sum(multiply(_row(one), _row(other)), -1)


def outer(x: Any, y: Any) -> Row:
    """The outer product: ``[..., N]`` and ``[..., M]`` give ``[..., N, M]``."""
    one, other = to_value(x), to_value(y)
    if not one.shape or not other.shape:
        refuse(f"outer: expected two vectors, got shapes {list(one.shape)} and {list(other.shape)}")
    return multiply(reshape(_row(one), *one.shape, 1), reshape(_row(other), *other.shape[:-1], 1, other.shape[-1]))


dot_prod, outer_prod = dot, outer  # as Hector calls them


def matmul(x: Any, y: Any) -> Row:
    """``x @ y``: :func:`linear`, or :func:`dot` of two vectors."""
    return dot(x, y) if len(to_value(y).shape) == 1 else linear(x, y)


# ---- shapes ----------------------------------------------------------------------------------------------------------


def reshape(x: Any, *shape: Any) -> Row:
    """The numbers in another shape, row-major; one size may be -1."""
    value = to_value(x)
    sizes = list(shape[0] if len(shape) == 1 and isinstance(shape[0], Sequence) else shape)
    count = math.prod(value.shape)
    if sizes.count(-1) == 1 and (rest := -math.prod(sizes)) and count % rest == 0:
        sizes[sizes.index(-1)] = count // rest
    if any(not isinstance(size, int) or size < 0 for size in sizes) or math.prod(sizes) != count:
        refuse(f"reshape: expected sizes of {count} numbers for shape {list(value.shape)}, got {list(shape)}")
    if tuple(sizes) == value.shape:
        return _row(value)
    return _row(current().compute("reshape", tuple(sizes), (value,)))


def permute(x: Any, *order: int) -> Row:
    """The dimensions in another order."""
    value = to_value(x)
    dims = [_dim("permute", value, dim) for dim in order]
    if sorted(dims) != list(range(len(value.shape))):
        refuse(f"permute: expected an order of {len(value.shape)} dimensions, got {list(order)}")
    return _row(current().compute("permute", tuple(value.shape[dim] for dim in dims), (value,), tuple(dims)))


def concat(*values: Any, dim: int = -1) -> Row:
    """Joins vectors, or others along a dimension."""
    parts = values[0] if len(values) == 1 and isinstance(values[0], (list, tuple)) else values
    parts = [to_value(part) for part in parts]
    if not parts:
        refuse("concat: expected at least one value, got none")
    at = _dim("concat", parts[0], dim)
    first = parts[0].shape
    for part in parts:
        if len(part.shape) != len(first) or part.shape[:at] + part.shape[at + 1 :] != first[:at] + first[at + 1 :]:
            refuse(f"concat: expected shapes that differ in dimension {at} alone, got "
                   f"{' and '.join(str(list(part.shape)) for part in parts)}")  # fmt: skip
    shape = (*first[:at], builtins.sum(part.shape[at] for part in parts), *first[at + 1 :])
    return _row(current().compute("concat", shape, tuple(parts), at))


def index(x: Row, key: Any) -> Row:
    """``x[key]``: numbers and slices without steps; of a weight, types."""
    keys = key if isinstance(key, tuple) else (key,)
    types = [one for one in keys if isinstance(one, TypeOf)]
    value = x.resolve()
    if types:
        if len(types) != len(keys) or not value.is_shared:
            refuse("expected a weight and types, w[e.etype] or w[e.src.ntype, e.etype], and numbers in brackets of "
                   "their own, w[e.etype][0]")  # fmt: skip
        return _row(current().pick(value, tuple(one.key for one in types)))
    if len(keys) > len(value.shape):
        refuse(f"expected at most {len(value.shape)} numbers for shape {list(value.shape)}, got {len(keys)}")
    dropped = []
    for dim, (one, size) in enumerate(zip(keys, value.shape)):
        if isinstance(one, slice):
            start, stop, step = one.indices(size)
            if step != 1:
                refuse(f"expected a slice without a step, got {step}")
            value = _slice(value, dim, start, builtins.max(stop - start, 0))
        elif isinstance(one, int):
            if not -size <= one < size:
                refuse(f"expected a number from {-size} to {size - 1} for dimension {dim} of {list(value.shape)}, got "
                       f"{one}")  # fmt: skip
            value = _slice(value, dim, one % size, 1)
            dropped.append(dim)
        else:
            refuse(f"expected numbers and slices, or types of a weight, in brackets, got {type(one).__name__}")
    return reshape(_row(value), *[size for dim, size in enumerate(value.shape) if dim not in dropped])


def _slice(value: Value, dim: int, start: int, size: int) -> Value:
    if size == value.shape[dim]:
        return value
    shape = (*value.shape[:dim], size, *value.shape[dim + 1 :])
    return current().compute("slice", shape, (value,), dim, start, size)


def _dim(op: str, value: Value, dim: Any) -> int:
    rank = len(value.shape)
    if not isinstance(dim, int) or not -rank <= dim < rank:
        refuse(f"{op}: expected a dimension of shape {list(value.shape)}, got {dim}")
    return dim % rank


# ---- reductions ------------------------------------------------------------------------------------------------------


def _reduction(kind: str) -> Any:
    def function(x: Any, dim: int = -1) -> Row:
        if isinstance(x, (GeneratorType, Edges)):
            return _reduce_edges(kind, x)
        value = to_value(x)
        at = _dim(kind, value, dim)
        shape = value.shape[:at] + value.shape[at + 1 :]
        return _row(current().compute("reduce", shape, (value,), kind, at))

    function.__name__ = function.__qualname__ = kind
    function.__doc__ = f"""The {kind} over a dimension, which disappears; or over the edges of a node, 0 where there are
    none: ``rgnn.lang.{kind}(e["a"] for e in n.incoming_edges())``."""
    return function


def _reduce_edges(kind: str, rows: Iterator[Any]) -> Row:
    tracer = current()
    data = None
    for row in rows:
        loop = tracer.innermost()
        if loop.node is None:
            refuse(f"{kind} of rows: expected one over the edges of a node, n.incoming_edges()")
        data = tracer.find(f".{kind}{len(tracer.program.data)}", on_edges=False)
        tracer.accumulate(kind, loop.node, data, to_value(row))
        node = loop.node
    if data is None:
        refuse(f"{kind} of rows: expected one over the edges of a node, got nothing")
    return Field(tracer, node, data)


sum, mean, max, min = map(_reduction, ("sum", "mean", "max", "min"))


def softmax(x: Any) -> Row:
    """The softmax over the last dimension of a row. That over edges is :func:`edge_softmax`."""
    return _over_last("softmax", x)


def log_softmax(x: Any) -> Row:
    """Its logarithm."""
    return _over_last("log_softmax", x)


def norm(x: Any) -> Row:
    """The Euclidean norm over the last dimension, which disappears."""
    return _over_last("norm", x)


def _over_last(op: str, x: Any) -> Row:
    value = to_value(x)
    if not value.shape:
        refuse(f"{op}: expected a vector, got a number")
    shape = value.shape[:-1] if op == "norm" else value.shape
    return _row(current().compute(op, shape, (value,)))


def edge_softmax(g: GraphItem, name: str = "att", by: str = "dst") -> None:
    """Data of edges becomes its softmax over the edges that enter a node; ``by="src"``: that leave it.

    Heads, dimensions of the data, each have a softmax of their own. Maxima are subtracted first: it does not overflow.

    Source: Hector, sec. 3.1, the listing of its inter-operator IR.
    """
    if not isinstance(g, GraphItem):
        refuse(f"edge_softmax: expected the graph and a name of data of edges, got {type(g).__name__}")
    if by not in ("src", "dst"):
        refuse(f"edge_softmax: expected by='dst' or by='src', got {by!r}")
    tracer: Tracer = current()
    most, total = (f".{what}{len(tracer.program.data)}" for what in ("most", "total"))
    first = len(tracer.program.loops)
    for e in g.edges():
        getattr(e, by).accumulate("max", most, e[name])
    for e in g.edges():
        e[name] = exp(e[name] - getattr(e, by)[most])
    for e in g.edges():
        getattr(e, by)[total] += e[name]
    for e in g.edges():
        e[name] = e[name] / getattr(e, by)[total]
    for number, loop in enumerate(tracer.program.loops[first:]):
        loop.softmax = tracer.find(name, on_edges=True), by, number


# ---- Python's operators ----------------------------------------------------------------------------------------------


def _operator(name: str, op: str) -> None:
    setattr(Row, f"__{name}__", lambda self, other: elementwise(op, self, other))
    setattr(Row, f"__r{name}__", lambda self, other: elementwise(op, other, self))


for _name, _op in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div")):
    _operator(_name, _op)
for _name in ("gt", "ge", "lt", "le", "eq", "ne"):
    setattr(Row, f"__{_name}__", lambda self, other, name=_name: Condition(name, self, other))
Row.__pow__ = pow
Row.__rpow__ = lambda self, other: pow(other, self)
Row.__neg__ = lambda self: elementwise("neg", self)
Row.__abs__ = abs
Row.__matmul__ = matmul
Row.__rmatmul__ = lambda self, other: matmul(other, self)
Row.__getitem__ = index
Row.reshape = Row.view = reshape
Row.permute = permute
Row.T = property(lambda self: permute(self, *reversed(range(self.ndim))))

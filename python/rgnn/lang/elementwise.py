"""What operators of the language take, and those that compute number by number."""

from __future__ import annotations

import builtins
import numbers
from typing import Any

from torch import Tensor

from .places import refuse
from .program import Value
from .rows import Condition, Row, Stand
from .tracer import current


def to_value(operand: Any) -> Value:
    """The value that an operand is. Raises LanguageError, which says what else it is."""
    operand = to_operand(operand)
    if isinstance(operand, float):
        return current().compute("add", (), (operand, 0.0))
    return operand


def to_operand(operand: Any) -> Value | float:
    if isinstance(operand, Row):
        return operand.resolve()
    if isinstance(operand, numbers.Real):
        return float(operand)
    if isinstance(operand, Tensor):
        refuse("a tensor from outside: expected an argument of the function, w: rgnn.Weight, or an attribute of a "
               "module that is one, for it is read at each call")  # fmt: skip
    if isinstance(operand, Condition):
        bool(operand)
    if isinstance(operand, Stand):
        operand.refuse_use()
    refuse(f"expected data of a node or edge, a weight or a number, got {type(operand).__name__}")


def row_of(value: Value) -> Row:
    """What stands for a value."""
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
    values = [to_operand(operand) for operand in operands]
    shape = _broadcast(op, [value.shape for value in values if isinstance(value, Value)])
    return row_of(current().compute(op, shape, tuple(values), *parameters))


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

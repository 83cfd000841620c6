"""Element-wise functions: what each is in PyTorch, and on the scalars of an ``rgnn.map``.

Gradients are PyTorch's: where a function has a corner, its scalar form is the one whose derivative is PyTorch's there.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from .._capture.eager import PASSES_AT_A_BOUND


class Body:
    """Writes the region of a map."""

    def __init__(self, element: str):
        self.element, self.lines = element, []

    def _add(self, text: str) -> str:
        name = f"%s{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def op(self, name: str, *operands: str) -> str:
        """An operation of arith or math on numbers."""
        return self._add(f"{name} {', '.join(operands)} : {self.element}")

    def number(self, value: float) -> str:
        return self._add(f"arith.constant {literal(value, self.element)} : {self.element}")

    def compare(self, predicate: str, lhs: str, rhs: str) -> str:
        return self._add(f"arith.cmpf {predicate}, {lhs}, {rhs} : {self.element}")

    def select(self, condition: str, yes: str, no: str) -> str:
        return self._add(f"arith.select {condition}, {yes}, {no} : {self.element}")

    def scale(self, x: str, factor: float) -> str:
        return self.op("arith.mulf", x, self.number(factor))

    def at_least(self, x: str, bound: float) -> str:
        """The number, or the bound below it, where the gradient stops."""
        return self.select(self.compare("olt", x, self.number(bound)), self.number(bound), x)

    def at_most(self, x: str, bound: float) -> str:
        return self.select(self.compare("ogt", x, self.number(bound)), self.number(bound), x)

    def if_positive(self, x: str, yes: str, no: str) -> str:
        return self.select(self.compare("ogt", x, self.number(0.0)), yes, no)


_FLOATS = {"f64": ("<d", "<Q", 16), "f32": ("<f", "<I", 8)}
_SPECIAL = {"f16": {"inf": "0x7C00", "-inf": "0xFC00", "nan": "0x7E00"},
            "bf16": {"inf": "0x7F80", "-inf": "0xFF80", "nan": "0x7FC0"}}


def literal(value: float, element: str) -> str:
    """A number as MLIR writes it; infinities and NaN by their bits."""
    if not math.isfinite(value):
        if element in _SPECIAL:
            return _SPECIAL[element][str(value)]
        code, integer, digits = _FLOATS[element]
        return f"0x{struct.unpack(integer, struct.pack(code, value))[0]:0{digits}X}"
    mantissa, e, exponent = repr(float(value)).partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{e}{exponent}"


@dataclass(frozen=True)
class Scalar:
    """A function of numbers.

    Attributes:
        torch: the same on tensors.
        build: writes it: takes the body and its operands, then the parameters; gives the result.
    """

    torch: Callable
    build: Callable


def _op(name: str) -> Callable:
    return lambda body, *operands: body.op(name, *operands)


def _sigmoid_of(body: Body, bound: str) -> str:
    power = body.op("math.exp", body.op("arith.negf", bound))
    return body.op("arith.divf", body.number(1.0), body.op("arith.addf", body.number(1.0), power))


def _sigmoid_bound(body: Body, x: str) -> str:
    # Below it the result rounds to zero, and the exponential must stay finite for the gradient.
    return body.at_least(x, -700.0 if body.element == "f64" else -87.0)


def _sigmoid(body: Body, x: str) -> str:
    return _sigmoid_of(body, _sigmoid_bound(body, x))


def _silu(body: Body, x: str) -> str:
    bound = _sigmoid_bound(body, x)
    return body.op("arith.mulf", bound, _sigmoid_of(body, bound))


def _elu(body: Body, x: str, alpha: float) -> str:
    grown = body.op("math.expm1", body.at_most(x, 0.0))
    return body.if_positive(x, x, body.scale(grown, alpha))


def _softplus(body: Body, x: str) -> str:
    log = body.op("math.log1p", body.op("math.exp", body.at_most(x, 20.0)))
    return body.select(body.compare("ogt", x, body.number(20.0)), x, log)


def _gelu(body: Body, x: str) -> str:
    bell = body.op("math.erf", body.scale(x, math.sqrt(0.5)))
    return body.op("arith.mulf", body.scale(x, 0.5), body.op("arith.addf", body.number(1.0), bell))


def _leaky_relu(body: Body, x: str, slope: float) -> str:
    return body.if_positive(x, x, body.scale(x, slope))


def _clamp(body: Body, x: str, least: float | None, most: float | None) -> str:
    below, above = ("olt", "ogt") if PASSES_AT_A_BOUND else ("ole", "oge")
    for bound, beyond in ((least, below), (most, above)):
        if bound is not None:
            x = body.select(body.compare(beyond, x, body.number(bound)), body.number(bound), x)
    return x


def _where(predicate: str) -> Scalar:
    compare = getattr(torch, predicate)
    code = {"gt": "ogt", "ge": "oge", "lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}[predicate]
    return Scalar(lambda a, b, yes, no: torch.where(compare(a, b), yes, no),
                  lambda body, a, b, yes, no: body.select(body.compare(code, a, b), yes, no))  # fmt: skip


SCALARS = {
    "add": Scalar(torch.add, _op("arith.addf")),
    "sub": Scalar(torch.sub, _op("arith.subf")),
    "mul": Scalar(torch.mul, _op("arith.mulf")),
    "div": Scalar(torch.div, _op("arith.divf")),
    "pow": Scalar(torch.pow, _op("math.powf")),
    "neg": Scalar(torch.neg, _op("arith.negf")),
    "exp": Scalar(torch.exp, _op("math.exp")),
    "expm1": Scalar(torch.expm1, _op("math.expm1")),
    "log": Scalar(torch.log, _op("math.log")),
    "log1p": Scalar(torch.log1p, _op("math.log1p")),
    "sqrt": Scalar(torch.sqrt, _op("math.sqrt")),
    "rsqrt": Scalar(torch.rsqrt, _op("math.rsqrt")),
    "abs": Scalar(torch.abs, _op("math.absf")),
    "sin": Scalar(torch.sin, _op("math.sin")),
    "cos": Scalar(torch.cos, _op("math.cos")),
    "tanh": Scalar(torch.tanh, _op("math.tanh")),
    "erf": Scalar(torch.erf, _op("math.erf")),
    "square": Scalar(torch.square, lambda body, x: body.op("arith.mulf", x, x)),
    "reciprocal": Scalar(torch.reciprocal, lambda body, x: body.op("arith.divf", body.number(1.0), x)),
    "sigmoid": Scalar(torch.sigmoid, _sigmoid),
    "silu": Scalar(F.silu, _silu),
    "relu": Scalar(torch.relu, lambda body, x: body.op("arith.maximumf", x, body.number(0.0))),
    "leaky_relu": Scalar(F.leaky_relu, _leaky_relu),
    "elu": Scalar(F.elu, _elu),
    "gelu": Scalar(F.gelu, _gelu),
    "softplus": Scalar(F.softplus, _softplus),
    "clamp": Scalar(torch.clamp, _clamp),
    "maximum": Scalar(torch.maximum, _op("arith.maximumf")),
    "minimum": Scalar(torch.minimum, _op("arith.minimumf")),
    **{f"where_{predicate}": _where(predicate) for predicate in ("gt", "ge", "lt", "le", "eq", "ne")},
}
"""By name. Operands are tensors and, in PyTorch, tensors of one number; parameters follow them."""

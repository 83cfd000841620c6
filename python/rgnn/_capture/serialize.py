"""Writes an exported program as MLIR: one ``rgnn.torch`` op per FX node.

The bracketed list of an op gives its arguments in the order of the operator's
schema, defaults filled in::

    %0 = rgnn.torch "aten.select.int"(%edge_index) [#rgnn.operand<0>, 0, 1] : (...) -> ...

Nothing is interpreted here except what has no meaning in a program of values:
copies, dropout outside training, assertions and dead code are left out.
"""

from __future__ import annotations

import math
import operator
import re
import struct
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import sympy
import torch
import torch.fx
from torch import Tensor

from .error import CaptureError
from .places import location_of, place_of

_ELEMENT_TYPES = {
    torch.float32: "f32",
    torch.float64: "f64",
    torch.bfloat16: "bf16",
    torch.float16: "f16",
    torch.int64: "i64",
    torch.int32: "i32",
    torch.int16: "i16",
    torch.int8: "i8",
    torch.uint8: "ui8",
    torch.bool: "i1",
}

_SYMBOLIC_OPERATORS = {
    operator.add: "sym.add",
    operator.sub: "sym.sub",
    operator.mul: "sym.mul",
    operator.floordiv: "sym.floordiv",
    operator.mod: "sym.mod",
    operator.neg: "sym.neg",
    torch.sym_max: "sym.max",
    torch.sym_min: "sym.min",
}

_INT64_MAX = 2**63 - 1
_MAX_SHOWN = 1024  # elements of a constant whose values the text gives


def type_text(value: Any, dynamic: int | None = None) -> str:
    """The MLIR type of a node's value; symbols are dynamic sizes, and so is dimension ``dynamic``."""
    if isinstance(value, Tensor):
        element = _ELEMENT_TYPES.get(value.dtype)
        if element is None:
            raise CaptureError(f"expected a real or integer tensor, got {value.dtype}")
        sizes = "".join(f"{size if isinstance(size, int) and dim != dynamic else '?'}x"
                        for dim, size in enumerate(value.shape))  # fmt: skip
        return f"tensor<{sizes}{element}>"
    if isinstance(value, (torch.SymInt, int)) and not isinstance(value, bool):
        return "i64"
    raise CaptureError(f"expected a tensor or a size, got {type(value).__name__}")


def string_text(text: str) -> str:
    """A string attribute."""
    out = []
    for byte in text.encode():
        printable = 0x20 <= byte < 0x7F and byte not in b'"\\'
        out.append(chr(byte) if printable else f"\\{byte:02X}")
    return f'"{"".join(out)}"'


def float_text(value: float) -> str:
    """A float attribute that reads back as the same number."""
    if not math.isfinite(value):
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X} : f64"
    mantissa, exponent, power = repr(float(value)).partition("e")
    if "." not in mantissa:
        mantissa += ".0"
    return f"{mantissa}{exponent}{power} : f64"


def shows_value(constant: Tensor) -> bool:
    """Whether the text gives the values of a constant: a number, or a short list of row numbers."""
    if constant.dim() == 0:
        return constant.dtype in _ELEMENT_TYPES
    is_list = constant.dim() == 1 and constant.dtype in (torch.int64, torch.int32)
    return is_list and 0 < constant.numel() <= _MAX_SHOWN


def value_text(constant: Tensor) -> str:
    """The values of a constant as an attribute."""
    value = constant.tolist()
    text = f"[{', '.join(map(str, value))}]" if constant.dim() else _element_text(value)
    return f"dense<{text}> : {type_text(constant)}"


def _element_text(value: bool | int | float) -> str:
    if isinstance(value, float):
        return float_text(value).partition(" ")[0]
    return str(value).lower()


def target_text(node: torch.fx.Node) -> str:
    """The name of a node's operator."""
    if isinstance(node.target, torch._ops.OpOverload):
        return node.target.name().replace("::", ".")
    name = _SYMBOLIC_OPERATORS.get(node.target)
    if name is None:
        raise CaptureError(f"{location_of(node) or 'model'}: cannot express {node.target}")
    return name


def same_value(node: torch.fx.Node) -> torch.fx.Node | None:
    """The node whose value ``node`` merely repeats, if there is one."""
    aten = torch.ops.aten
    target, args = node.target, node.args
    if target in (aten.alias.default, aten.lift_fresh_copy.default, aten.lift_fresh.default):
        return args[0]
    if target in (aten.clone.default, aten.contiguous.default):
        return args[0]
    if target is aten.detach.default and not args[0].meta["val"].is_floating_point():  # nothing has a gradient there
        return args[0]
    if target is aten.dropout.default and (args[2] is False or args[1] == 0):
        return args[0]
    if target is aten.slice.Tensor and len(args) in (2, 4) and not node.kwargs:
        return args[0] if args[2:] in ((), (0, _INT64_MAX)) else None
    if target in (aten._to_copy.default, aten.to.dtype) and isinstance(args[0], torch.fx.Node):
        before, after = args[0].meta["val"], node.meta["val"]
        return args[0] if (before.dtype, before.device) == (after.dtype, after.device) else None
    return None


def live_nodes(graph: torch.fx.Graph, given: Iterable[torch.fx.Node] = ()) -> list[torch.fx.Node]:
    """Operators that the outputs depend on, in order, ``given`` ones known; fails on one with a side effect."""
    live: set[torch.fx.Node] = set()
    known = set(given)
    out = []
    for node in reversed(graph.nodes):
        if node in known:
            continue
        if node.op == "output" or node in live:
            source = same_value(node) if node.op == "call_function" else None
            live.update(node.all_input_nodes if source is None else [source])
        if node.op == "call_function" and node in live:
            out.append(node)
        elif node in live and node.op != "placeholder":
            raise CaptureError(f"{location_of(node) or 'model'}: cannot express a nested graph")
    return out[::-1]


def _terms_of(size: sympy.Expr) -> list[sympy.Expr]:
    """The symbols, and behind them the number, that a size is the sum of; none where it is no such sum."""
    constant, rest = size.as_coeff_Add()
    terms: list[sympy.Expr] = []
    for term in rest.args if rest.is_Add else (rest,):
        times, symbol = term.as_coeff_Mul()
        if not symbol.is_Symbol or not times.is_Integer or not 0 < times <= 4:
            return []
        terms += [symbol] * int(times)
    return [*terms, *([constant] if constant else [])] if constant >= 0 else []


class Writer:
    """Gives names to values and writes ops; one per function."""

    def __init__(self, place: Callable[[torch.fx.Node], tuple[str, int] | None]):
        self._place = place
        self.lines: list[str] = []
        self._names: dict[Any, str] = {}
        self._types: dict[Any, str] = {}
        self._taken: set[str] = set()
        self._sizes: dict[Any, int] = {}

    def name(self, key: Any, wish: str, type_name: str) -> str:
        """Names the value ``key``; the wish gets a number where it is taken."""
        base = re.sub(r"[^A-Za-z0-9_]", "_", wish)
        candidate, number = base, 0
        while candidate in self._taken:
            number += 1
            candidate = f"{base}_{number}"
        self._taken.add(candidate)
        self.bind(key, f"%{candidate}", type_name)
        return self._names[key]

    def bind(self, key: Any, name: str, type_name: str) -> None:
        self._names[key], self._types[key] = name, type_name

    def lookup(self, key: Any) -> tuple[str, str]:
        """Name and type of a value."""
        return self._names[key], self._types[key]

    def num_rows(self, value: Any) -> str:
        """A name for the number of rows of a tensor, equal for equal sizes, or a sum of such names and a number; empty
        where it is static or computed otherwise."""
        size = value.shape[0] if isinstance(value, torch.Tensor) and value.dim() else None
        terms = _terms_of(size.node.expr) if isinstance(size, torch.SymInt) else []
        names = [f"n{self._sizes.setdefault(term, len(self._sizes))}" if term.is_Symbol else str(term)
                 for term in terms]  # fmt: skip
        return f'rgnn.num_rows = "{"+".join(names)}"' if names else ""

    def op(self, node: torch.fx.Node) -> None:
        """Writes ``node``, or notes which value it repeats."""
        source = same_value(node)
        if source is None and node.target is operator.getitem:
            source = (node.args[0], node.args[1])
        if source is not None:
            self.bind(node, *self.lookup(source))
            return
        try:
            self._write(node)
        except CaptureError as error:
            place = location_of(node)
            raise CaptureError(f"{place}: {error}" if place else str(error)) from None

    def _write(self, node: torch.fx.Node) -> None:
        operands: list[str] = []
        types: list[str] = []

        def attribute(value: Any, as_float: bool = False) -> str:
            if isinstance(value, torch.fx.Node):
                name, type_name = self.lookup(value)
                operands.append(name)
                types.append(type_name)
                return f"#rgnn.operand<{len(operands) - 1}>"
            return _attribute(value, as_float, attribute)

        target = target_text(node)
        arguments = ", ".join(attribute(value, flag) for value, flag in _arguments(node))
        values = node.meta["val"]
        several = isinstance(values, (list, tuple))
        results = [type_text(value) for value in (values if several else [values])]
        wish = re.sub(r"_\d+$", "", node.name)  # numbered anew, so that the text is stable
        name = self.name(node, wish, results[0] if len(results) == 1 else "")
        if several:
            for i, result in enumerate(results):
                self.bind((node, i), f"{name}#{i}" if len(results) > 1 else name, result)
        left = f"{name}:{len(results)}" if several and len(results) > 1 else name
        right = results[0] if len(results) == 1 else f"({', '.join(results)})"
        rows = self.num_rows(values) if not target.startswith("rgnn.") else ""
        note = f" {{{rows}}}" if rows else ""
        self.lines.append(
            f'    {left} = rgnn.torch "{target}"({", ".join(operands)}) [{arguments}]{note} : '
            f"({', '.join(types)}) -> {right}{_location_text(self._place(node))}"
        )


def _location_text(place: tuple[str, int] | None) -> str:
    return " loc(unknown)" if place is None else f" loc({string_text(place[0])}:{place[1]}:0)"


def _arguments(node: torch.fx.Node) -> Iterator[tuple[Any, bool]]:
    """The arguments in schema order, defaults filled in, and whether each is a float."""
    if not isinstance(node.target, torch._ops.OpOverload):
        for value in node.args:
            yield value, False
        return
    for i, argument in enumerate(node.target._schema.arguments):
        if i < len(node.args) and not argument.kwarg_only:
            value = node.args[i]
        elif argument.name in node.kwargs:
            value = node.kwargs[argument.name]
        else:
            value = argument.default_value
        yield value, "float" in str(argument.type)


def operator_arguments(node: torch.fx.Node, numbers: dict[Any, int]) -> tuple[list, list[int]]:
    """The arguments of a node as a step of a plan has them, and the numbers of its operands."""
    operands: list[int] = []

    def describe(value: Any) -> Any:
        if isinstance(value, torch.fx.Node):
            operands.append(numbers[value])
            return {"operand": len(operands) - 1}
        if isinstance(value, float):
            return {"float": repr(value)}
        if isinstance(value, (torch.dtype, torch.memory_format, torch.layout)):
            return str(value).removeprefix("torch.")
        if isinstance(value, torch.device):
            return str(value)
        if isinstance(value, (list, tuple)):
            return [describe(item) for item in value]
        return value

    return [describe(value) for value, _ in _arguments(node)], operands


def _attribute(value: Any, as_float: bool, attribute: Any) -> str:
    if value is None:
        return "unit"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) or (as_float and isinstance(value, int)):
        return float_text(float(value))
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, (torch.dtype, torch.memory_format, torch.layout)):
        return string_text(str(value).removeprefix("torch."))
    if isinstance(value, torch.device):
        return string_text(str(value))
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(attribute(item, as_float) for item in value)}]"
    raise CaptureError(f"cannot express an argument of type {type(value).__name__}")


def module_text(
    arguments: Iterable[tuple[torch.fx.Node | Any, str, str, str]],
    nodes: list[torch.fx.Node],
    outputs: list[torch.fx.Node],
    place: Callable[[torch.fx.Node], tuple[str, int] | None] = place_of,
) -> str:
    """The whole module.

    Args:
        arguments: key, wished name, type and attribute text of each function argument.
        nodes: operators to write, in order.
        outputs: nodes whose values are returned.
        place: file and line of a node.
    """
    writer = Writer(place)
    signature = []
    for key, wish, type_name, attributes in arguments:
        name = writer.name(key, wish, type_name)
        rows = writer.num_rows(key.meta.get("val") if isinstance(key, torch.fx.Node) else None)
        signature.append(f"{name}: {type_name} {{{attributes}{', ' if rows else ''}{rows}}}")
    for node in nodes:
        writer.op(node)
    returned = [writer.lookup(node) for node in outputs]
    types = [type_name for _, type_name in returned]
    result = types[0] if len(types) == 1 else f"({', '.join(types)})"
    separator = ",\n" + " " * len("  func.func @forward(")
    lines = [
        "module {",
        f"  func.func @forward({separator.join(signature)}) -> {result} {{",
        *writer.lines,
        f"    return {', '.join(name for name, _ in returned)} : {', '.join(types)}",
        "  }",
        "}",
    ]
    return "\n".join(lines) + "\n"

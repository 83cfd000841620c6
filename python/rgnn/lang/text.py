"""The text of a program: a function of ``rgnn.program`` and ``rgnn.for_each``, which the compiler raises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from .joint import Joint, kinds_of
from .places import Place
from .program import Accumulate, Compute, Data, Element, Loop, Program, Read, Value, Write, used_values
from .scalars import SCALARS, Body, literal

ELEMENTS = {torch.float64: "f64", torch.float32: "f32", torch.bfloat16: "bf16", torch.float16: "f16"}
INTEGERS = {torch.int64: "i64", torch.int32: "i32"}


@dataclass(frozen=True)
class GraphForm:
    """How a program gets its graph.

    Attributes:
        edge_index, edge_type: dtypes of its lists, as MLIR calls them; no type where the program reads none.
        edge_types: how many there are; 0 where the program does not say.
        node_types: how many there are; 0 where the program reads none.
        rows_of: the input of nodes that has a row for each; empty where tensors without numbers say how many there are,
            one for each node type.
    """

    edge_index: str
    edge_type: str = ""
    edge_types: int = 0
    node_types: int = 0
    rows_of: str = ""

    @property
    def counts(self) -> int:
        """How many tensors say numbers of nodes."""
        return 0 if self.rows_of else max(self.node_types, 1)


def write(program: Program, form: GraphForm, dtype: torch.dtype, joint: Joint | None = None) -> str:
    """The text of a program on tensors of a dtype.

    Its arguments are those of the graph, data, weights, the tables of types that stand for several, and what all share
    that is made before.
    """
    return _Writer(program, form, ELEMENTS[dtype], joint).write()


class _Writer:
    def __init__(self, program: Program, form: GraphForm, element: str, joint: Joint | None):
        self._program, self._form, self._element, self._joint = program, form, element, joint
        self._lines: list[str] = []
        self._names: dict[Any, str] = {}
        self._depth = 1
        self._used = used_values(program)

    def write(self) -> str:
        arguments = self._arguments()
        for statement in self._program.shared:
            if not self._program.made:
                self._compute(statement)
        self._run_program()
        results = [self._unplaced(data) for data in self._program.outputs]
        types = ", ".join(self._rows(data) for data in self._program.outputs)
        self._add(f"return {', '.join(results)} : {types}")
        counts = (("node_types", self._form.node_types), ("edge_types", self._form.edge_types))
        schema = " ".join(f"{name}({count})" for name, count in counts if count)
        function = f"  func.func @forward({', '.join(arguments)}) -> ({types}) {{"
        return "\n".join(["#node = #rgnn.rows<node, @g0>", "#edge = #rgnn.rows<edge, @g0>", "module {",
                          f"  rgnn.schema @g0 {schema}", function, *self._lines, "  }", "}", ""])  # fmt: skip

    # ---- lines -------------------------------------------------------------------------------------------------------

    def _add(self, text: str, place: Place | None = None) -> None:
        self._lines.append(f"{'  ' * (self._depth + 1)}{text}{f' {place.text}' if place else ''}")

    def _new(self, key: Any = None) -> str:
        name = f"%v{len(self._names)}"
        self._names[object() if key is None else key] = name
        return name

    def _tensor(self, shape: Sequence[int | str], encoding: str = "") -> str:
        sizes = "".join(f"{size}x" for size in shape)
        return f"tensor<{sizes}{self._element}{f', #{encoding}' if encoding else ''}>"

    def _rows(self, data: Data, placed: bool = False) -> str:
        return self._tensor(("?", *data.shape), ("edge" if data.on_edges else "node") if placed else "")

    # ---- around the loops --------------------------------------------------------------------------------------------

    def _arguments(self) -> list[str]:
        form, program = self._form, self._program
        given = [("edge_index", f"tensor<2x?x{form.edge_index}>")]
        if form.edge_type:
            given.append(("edge_type", f"tensor<?x{form.edge_type}>"))
        given += [(f"nodes of type {number}", self._tensor(("?", 0))) for number in range(form.counts)]
        given += [(data.name, self._rows(data)) for data in program.inputs]
        values = list(program.weights.values())
        given += [(name, self._tensor(value.shape)) for name, value in program.weights.items()]
        tables = self._joint.tables if self._joint else []
        shapes = [(self._joint.count, *values[place].shape[len(kinds) :]) for place, kinds in tables]
        given += [(f"{list(program.weights)[place]} by {' and '.join(kinds)}", self._tensor(shape))
                  for (place, kinds), shape in zip(tables, shapes)]  # fmt: skip
        given += [(f"value {number}", self._tensor(value.shape)) for number, value in enumerate(program.made)]
        names = [self._new() for _ in given]
        first = 1 + bool(form.edge_type)
        nodes, rest = names[first : first + form.counts], iter(names[first + form.counts :])
        for known in (*program.inputs, *values):
            self._names[known] = next(rest)
        self._tables = {(values[place], kinds): (next(rest), shape) for (place, kinds), shape in zip(tables, shapes)}
        self._names.update(zip(program.made, rest))
        self._add("%c0 = arith.constant 0 : index")
        if form.rows_of:
            data = next(data for data in program.inputs if data.name == form.rows_of and not data.on_edges)
            counted = [(self._names[data], self._rows(data))]
        else:
            counted = [(name, self._tensor(("?", 0))) for name in nodes]
        for number, (name, kind) in enumerate(counted):
            self._add(f"%n{number} = tensor.dim {name}, %c0 : {kind}")
        types = f" types({names[1]} : {given[1][1]})" if form.edge_type else ""
        counts = ", ".join(f"%n{number}" for number in range(len(counted)))
        self._add(f"%g = rgnn.coo_graph edges({names[0]} : {given[0][1]}){types} nodes({counts}) : !rgnn.graph<@g0>")
        for data in program.inputs:
            name = self._new()
            self._add(f"{name} = rgnn.place {self._names[data]} in %g : {self._rows(data)} -> {self._rows(data, True)}")
            self._names[data] = name
        return [f'{name}: {kind} {{rgnn.input = "{label}"}}' for name, (label, kind) in zip(names, given)]

    def _run_program(self) -> None:
        inputs, outputs = self._program.inputs, list(dict.fromkeys(self._program.outputs))
        results = [self._new() for _ in outputs]
        names, given = (", ".join(f'"{self._key(data)}"' for data in datas) for datas in (outputs, inputs))
        operands = ", ".join(self._names[data] for data in inputs)
        types = ", ".join(["!rgnn.graph<@g0>", *(self._rows(data, True) for data in inputs)])
        of_results = ", ".join(self._rows(data, True) for data in outputs)
        takes = f"takes [{given}]({operands}) gives [{names}] : ({types}) -> ({of_results})"
        self._add(f"{', '.join(results)} = rgnn.program in %g {takes} {{")
        self._depth += 1
        for loop in self._program.loops:
            self._loop(loop)
        self._depth -= 1
        self._add("}")
        self._names.update(zip(outputs, results))

    def _unplaced(self, data: Data) -> str:
        name = self._new()
        self._add(f"{name} = rgnn.unplace {self._names[data]} : {self._rows(data, True)}")
        return name

    def _key(self, data: Data) -> str:
        """The name of data in the program, where nodes and edges share names."""
        name = data.name.replace("\\", "\\\\").replace('"', '\\"')
        both = (not data.on_edges, data.name) in self._program.data
        return f"{name} of edges" if both and data.on_edges else name

    # ---- loops -------------------------------------------------------------------------------------------------------

    def _loop(self, loop: Loop) -> None:
        name = self._new(Element(loop))
        of = f" of {self._names[loop.node]}" if loop.node else ""
        self._add(f"rgnn.for_each {name} in {loop.iterator}{of} {{")
        self._depth += 1
        for statement in loop.body:
            _WRITERS[type(statement)](self, statement)
        self._depth -= 1
        self._add("}", loop.place)

    def _element_of(self, element: Element) -> str:
        if element not in self._names:
            op = {"src": "source", "dst": "destination"}[element.end]
            edge = self._names[Element(element.loop)]
            self._add(f"{self._new(element)} = rgnn.{op} {edge}")
        return self._names[element]

    def _read(self, read: Read) -> None:
        if read.result in self._used:
            element = self._element_of(read.element)
            self._add(f'{self._new(read.result)} = rgnn.read "{self._key(read.data)}" of {element} : '
                      f"{self._tensor(read.data.shape)} of {_kind(read.element)}", read.place)  # fmt: skip

    def _write(self, write: Write) -> None:
        shape = () if write.data.shape is None else write.data.shape
        if isinstance(write.value, Value):
            value = self._value(write.value, write.place)
        else:
            value = self._new()
            self._add(f"{value} = arith.constant dense<{literal(write.value, self._element)}> : {self._tensor(shape)}")
        self._store("write", write, value, shape)

    def _accumulate(self, accumulate: Accumulate) -> None:
        value = self._value(accumulate.value, accumulate.place)
        self._store(f"accumulate {accumulate.kind}", accumulate, value, accumulate.data.shape)

    def _store(self, op: str, statement: Write | Accumulate, value: str, shape: tuple[int, ...]) -> None:
        element = self._element_of(statement.element)
        self._add(f'rgnn.{op} "{self._key(statement.data)}" of {element}, {value} : {self._tensor(shape)} of '
                  f"{_kind(statement.element)}", statement.place)  # fmt: skip

    # ---- computation -------------------------------------------------------------------------------------------------

    def _value(self, value: Value, place: Place) -> str:
        """The name of a value; entries of weights are picked where they are used."""
        if value.table is None:
            return self._names[value]
        table, shape = self._tables.get((value.table, kinds_of(value)), (None, None))
        if table is None:
            table, shape = self._names[value.table], value.table.shape
        name = self._new()
        self._add(f"{name} = rgnn.weight {table} of {self._element_of(value.element)} : {self._tensor(shape)} of "
                  f"{_kind(value.element)}", place)  # fmt: skip
        return name

    def _compute(self, compute: Compute) -> None:
        if compute.result not in self._used:
            return
        operands = [operand for operand in compute.operands if isinstance(operand, Value)]
        names = [self._value(operand, compute.place) for operand in operands]
        types = [self._tensor(operand.shape) for operand in operands]
        result = self._tensor(compute.result.shape)
        name = self._new(compute.result)
        if compute.op in SCALARS:
            self._map(name, compute, names, types, result)
            return
        if compute.op == "linear" and len(operands[1].shape) > 2:
            self._multiply_heads(name, compute, names)
            return
        self._add(f"{name} = rgnn.{_OPS[compute.op](compute, names, types, result)}", compute.place)

    def _multiply_heads(self, name: str, compute: Compute, names: list[str]) -> None:
        """A product with a matrix for each head: of matrices of one row where types pick them, or number by number."""
        x, weight = compute.operands
        *heads, k, n = weight.shape
        if weight.table is not None:
            row, product = [*heads, 1, k], [*heads, 1, n]
            vector = self._reshaped(names[0], x.shape, row, compute.place)
            made = self._new()
            self._add(f"{made} = rgnn.matmul {vector}, {names[1]} : {self._tensor(row)}, {self._tensor(weight.shape)}",
                      compute.place)  # fmt: skip
            self._add(f"{name} = rgnn.reshape {made} : {self._tensor(product)} -> {self._tensor(compute.result.shape)}",
                      compute.place)  # fmt: skip
            return
        column = [*heads, k, 1]
        vector = self._reshaped(names[0], x.shape, column, compute.place)
        product, made = Value(weight.shape), self._new()
        multiply = Compute("mul", product, (Value(tuple(column)), weight), (), compute.place)
        self._map(made, multiply, [vector, names[1]], [self._tensor(column), self._tensor(weight.shape)],
                  self._tensor(weight.shape))  # fmt: skip
        self._add(f"{name} = rgnn.reduce_features sum {made} dim {len(heads)} : {self._tensor(weight.shape)}",
                  compute.place)  # fmt: skip

    def _reshaped(self, name: str, shape: Sequence[int], other: Sequence[int], place: Place) -> str:
        made = self._new()
        self._add(f"{made} = rgnn.reshape {name} : {self._tensor(shape)} -> {self._tensor(other)}", place)
        return made

    def _map(self, name: str, compute: Compute, names: list[str], types: list[str], result: str) -> None:
        body = Body(self._element)
        arguments = iter([f"%a{number}" for number in range(len(names))])
        operands = [next(arguments) if isinstance(operand, Value) else body.number(operand)
                    for operand in compute.operands]  # fmt: skip
        last = SCALARS[compute.op].build(body, *operands, *compute.parameters)
        self._add(f"{name} = rgnn.map {', '.join(names)} : ({', '.join(types)}) -> {result} {{")
        scalars = ", ".join(f"%a{number}: {self._element}" for number in range(len(names)))
        self._add(f"^bb0({scalars}):" if names else "^bb0:")
        for line in (*body.lines, f"rgnn.yield {last} : {self._element}"):
            self._add(f"  {line}")
        self._add("}", compute.place)


_WRITERS = {Loop: _Writer._loop, Read: _Writer._read, Write: _Writer._write, Accumulate: _Writer._accumulate,
            Compute: _Writer._compute}  # fmt: skip



def _slice_text(compute: Compute, names: list[str], types: list[str], _: str) -> str:
    dim, start, size = compute.parameters
    return f"slice {names[0]} dim {dim} from {start} size {size} : {types[0]}"


def _reduce_text(compute: Compute, names: list[str], types: list[str], _: str) -> str:
    kind, dim = compute.parameters
    return f"reduce_features {kind} {names[0]} dim {dim} : {types[0]}"


_OPS = {
    "linear": lambda c, names, types, _: f"linear {', '.join(names)} : {', '.join(types)}",
    "dot": lambda c, names, types, _: f"dot {', '.join(names)} : {types[0]}",
    "reshape": lambda c, names, types, result: f"reshape {names[0]} : {types[0]} -> {result}",
    "permute": lambda c, names, types, _: f"permute {names[0]} {list(c.parameters[0])} : {types[0]}",
    "concat": lambda c, names, types, _: f"concat {', '.join(names)} dim {c.parameters[0]} : {', '.join(types)}",
    "slice": _slice_text,
    "reduce": _reduce_text,
    "softmax": lambda c, names, types, _: f"softmax {names[0]} : {types[0]}",
    "log_softmax": lambda c, names, types, _: f"softmax log {names[0]} : {types[0]}",
    "norm": lambda c, names, types, _: f"norm {names[0]} : {types[0]}",
}  # fmt: skip


def _kind(element: Element) -> str:
    return "!rgnn.edge" if element.is_edge else "!rgnn.node"

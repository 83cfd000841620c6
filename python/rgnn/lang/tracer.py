"""Records the program of a function while Python runs it."""

from __future__ import annotations

import contextvars
from collections.abc import Iterator
from typing import Any

from .places import Place, here, refuse
from .program import Accumulate, Compute, Data, Element, Loop, Program, Read, Value, Write, joined

_current: contextvars.ContextVar[Tracer | None] = contextvars.ContextVar("tracer", default=None)


def current() -> Tracer:
    """The tracer of the function that runs. Raises LanguageError where there is none."""
    tracer = _current.get()
    if tracer is None:
        refuse("expected a call within a function of @rgnn.function, got one outside")
    return tracer


def is_tracing() -> bool:
    """Whether a function is being traced."""
    return _current.get() is not None


class Tracer:
    """Adds statements to a program.

    Args:
        name: of the program.
        visits: how many times the body of each loop runs; the statements of the last time are kept.

    Attributes:
        open: the loops that are being run, outermost first.
        types: of edges (True) and nodes, how many types there are, and the line that says so.
    """

    def __init__(self, name: str, visits: int = 1):
        self.program = Program(name)
        self._visits = visits
        self.open: list[Loop] = []
        self.types: dict[bool, tuple[int, Place]] = {}
        self._left: Place | None = None  # where a loop was left before its end

    def __enter__(self) -> Tracer:
        self._token = _current.set(self)
        return self

    def __exit__(self, *error: Any) -> None:
        _current.reset(self._token)

    # ---- loops -------------------------------------------------------------------------------------------------------

    def visit(self, iterator: str, node: Element | None = None) -> Iterator[Loop]:
        """A loop, which is open as long as its iterations run."""
        place = here()
        self.check_left()
        if node is None and self.open:
            refuse(f"g.{iterator}() within a loop: expected n.incoming_edges() or n.outgoing_edges() of the visited "
                   "node; loops over the whole graph stand one after another", place)  # fmt: skip
        if node is not None and (node.end or node.loop.visits_edges or node.loop not in self.open):
            refuse(f"{iterator}() of an edge's end: expected the node that the loop around visits. Loop over nodes in "
                   "an earlier loop, and read what it left: e.src[\"sum\"]", place)  # fmt: skip
        around = self.open[-1] if node is not None and self.open[-1] is not node.loop else None
        if around is not None and (around.node != node or around.iterator != iterator or around.around):
            refuse(f"{iterator}() within a loop over edges: expected one loop over edges within one over nodes, or for "
                   f"pairs of edges another one over the same, {around.iterator}() of that node", place)  # fmt: skip
        loop = Loop(iterator, place, node, around)
        (self.open[-1].body if self.open else self.program.loops).append(loop)
        self.open.append(loop)
        try:
            for _ in range(self._visits - 1):
                before = {key: (data.shape, len(data.kinds)) for key, data in self.program.data.items()}
                yield loop
                self._forget(loop, before)
            yield loop
        except GeneratorExit:
            self._left = place
            raise
        finally:
            if loop in self.open:
                del self.open[self.open.index(loop) :]

    def _forget(self, loop: Loop, before: dict[tuple[bool, str], tuple[tuple[int, ...] | None, int]]) -> None:
        """Takes back what an iteration did."""
        loop.body.clear()
        for key, data in list(self.program.data.items()):
            if key in before:
                data.shape, count = before[key]
                del data.kinds[count:]
            else:
                del self.program.data[key]

    def check_left(self) -> None:
        """Refuses a program one of whose loops was left by ``break`` or ``return``."""
        if self._left is not None:
            refuse("the loop is left before its end: its body stands for all nodes or edges; leave out break, and "
                   "return behind the loop", self._left)  # fmt: skip

    def innermost(self) -> Loop:
        self.check_left()
        if not self.open:
            refuse('expected a loop around it, such as "for e in g.edges():"; results are g.ndata["y"] or g.edata["m"]')
        return self.open[-1]

    def check_open(self, element: Element) -> None:
        if element.loop not in self.open:
            what = "edge" if element.is_edge else "node"
            line = element.loop.place.line
            refuse(f"expected {'an' if what == 'edge' else 'a'} {what} of a loop around it, got one of the loop at "
                   f"line {line}, which has ended")  # fmt: skip

    # ---- data --------------------------------------------------------------------------------------------------------

    def find(self, name: Any, on_edges: bool) -> Data:
        """The data of a name, made where there is none. Raises LanguageError where it is no name."""
        if not isinstance(name, str):
            refuse(f"expected the name of data, such as \"h\", got {_describe(name)}")
        return self.program.data.setdefault((on_edges, name), Data(name, on_edges))

    def read(self, element: Element, data: Data) -> Value:
        """The row that an element has now; its shape is that of the data, once it is used."""
        loop = self.innermost()
        self.check_open(element)
        result = Value((), element, loop)
        loop.body.append(Read(result, data, element, here()))
        return result

    def refuse_unknown(self, data: Data) -> None:
        """Says which names there are."""
        others = self.program.data.get((not data.on_edges, data.name))
        domain = "edges" if data.on_edges else "nodes"
        hint = f"; {others} is data of {'nodes' if data.on_edges else 'edges'}" if others and others.has_value else ""
        known = [f'"{other.name}"' for (on_edges, _), other in self.program.data.items()
                 if on_edges == data.on_edges and other.has_value]  # fmt: skip
        refuse(f'expected data of {domain}, {", ".join(known) or "of which there are none"}, got "{data.name}"{hint}')

    def write(self, element: Element, data: Data, value: Value | float) -> None:
        loop = self.innermost()
        self.check_open(element)
        if isinstance(value, Value):
            self.check_usable(value)
            self._fix_shape(data, value.shape)
        loop.body.append(Write(data, element, value, here()))
        data.kinds.append("write")

    def accumulate(self, kind: str, element: Element, data: Data, value: Value) -> None:
        loop = self.innermost()
        self.check_open(element)
        self.check_usable(value)
        self._fix_shape(data, value.shape)
        if kind != "sum" and data.has_value:
            refuse(f"the {kind} of {data} starts from a value that is there: leave out what wrote it; without edges it "
                   "is 0")  # fmt: skip
        loop.body.append(Accumulate(kind, loop, data, element, value, here()))
        data.kinds.append(kind)

    def _fix_shape(self, data: Data, shape: tuple[int, ...]) -> None:
        if data.shape is None:
            data.shape = shape
        if data.shape != shape:
            refuse(f"{data}: expected shape {list(data.shape)}, as before, got {list(shape)}: use another name")

    # ---- computation -------------------------------------------------------------------------------------------------

    def check_usable(self, value: Value) -> None:
        if value.scope is not None and value.scope not in self.open:
            refuse(f"a value of the loop at line {value.scope.place.line} is used after it: expected data that the "
                   'loop writes or adds up, such as n["sum"] += ...')  # fmt: skip

    def compute(self, op: str, shape: tuple[int, ...], operands: tuple[Value | float, ...], *parameters: Any) -> Value:
        """The result of an operation; what all share is computed before the loops."""
        values = [operand for operand in operands if isinstance(operand, Value)]
        for value in values:
            self.check_usable(value)
        if all(value.is_shared for value in values):
            result = Value(shape)
            self.program.shared.append(Compute(op, result, operands, parameters, here()))
            return result
        loop = self.innermost()
        result = Value(shape, joined(loop, values), loop)
        loop.body.append(Compute(op, result, operands, parameters, here()))
        return result

    def pick(self, table: Value, keys: tuple[tuple[Element, bool], ...]) -> Value:
        """The entry of a weight that types pick."""
        loop = self.innermost()
        for element, _ in keys:
            self.check_open(element)
        if len(table.shape) < len(keys):
            refuse(f"expected a weight with an entry a type, [types, ...], got shape {list(table.shape)}")
        if len(keys) > 1 and table not in self.program.weights.values():
            refuse("several types pick entries of a weight that is an argument, got one that is computed: compute with "
                   "w[e.src.ntype, e.etype]")  # fmt: skip
        for (_, of_edge), size in zip(keys, table.shape):
            known, place = self.types.setdefault(of_edge, (size, here()))
            if known != size:
                refuse(f"expected a weight with {known} entries, one for each type of "
                       f"{'edge' if of_edge else 'node'} as at line {place.line}, got {size}")  # fmt: skip
        elements = list(dict.fromkeys(element for element, _ in keys))
        if len(elements) < len(keys):
            refuse("expected types of an edge and its ends, each once, got one twice")
        element = elements[0] if len(elements) == 1 else Element(loop)
        return Value(table.shape[len(keys) :], element, loop, table, keys)


def _describe(value: Any) -> str:
    return repr(value) if isinstance(value, (int, float, str, slice, type(None))) else type(value).__name__

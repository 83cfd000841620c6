"""What a traced function is: loops over nodes and edges, with statements on one node or edge at a time.

The counterpart of ``rgnn.program`` and its loops (docs/Dialects.md), whose text :mod:`rgnn.lang.text` writes.

Source: the inter-operator IR of Hector (ASPLOS 2024, sec. 3.2, Table 2).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .places import Place
from .scalars import SCALARS


@dataclass(eq=False)
class Data:
    """Named data of all nodes, or of all edges.

    Attributes:
        name: as the function calls it.
        on_edges: whether it is data of edges.
        shape: of one row; None as long as nothing but numbers was written.
        given: whether it is an argument.
        kinds: how it was changed: ``"write"``, or a reduction.
    """

    name: str
    on_edges: bool
    shape: tuple[int, ...] | None = None
    given: bool = False
    kinds: list[str] = field(default_factory=list)

    @property
    def has_value(self) -> bool:
        return self.given or bool(self.kinds)

    def __str__(self) -> str:
        return f'{"e" if self.on_edges else "n"}["{self.name}"]'


@dataclass(frozen=True)
class Element:
    """The node or edge that a loop visits, or an end of the edge that it visits.

    Attributes:
        loop: which visits it.
        end: ``"src"`` or ``"dst"`` of the visited edge; empty for what is visited; ``"pair"`` for it and the edge that
            the loop around visits, together.
    """

    loop: Loop
    end: str = ""

    @property
    def is_edge(self) -> bool:
        return self.loop.visits_edges and not self.end

    @property
    def is_pair(self) -> bool:
        return self.end == "pair"

    @property
    def edges(self) -> Loop | None:
        """The loop that visits its edge; None for the node of a loop over nodes."""
        return self.loop if self.loop.visits_edges else None


@dataclass(eq=False)
class Loop:
    """A loop, and the statements in it.

    Attributes:
        iterator: ``"edges"``, ``"nodes"``, ``"incoming_edges"`` and so on.
        node: whose edges it visits; None for a loop over the graph.
        around: the loop over the edges of the same node that it is in; None where it visits no pairs of edges.
        body: statements and loops.
        softmax: of the loops that :func:`rgnn.lang.edge_softmax` stands for, the data, ``"src"`` or ``"dst"``, and the
            number of the loop; None for others.
    """

    iterator: str
    place: Place
    node: Element | None = None
    around: Loop | None = None
    body: list[Any] = field(default_factory=list)
    softmax: tuple[Data, str, int] | None = None

    @property
    def visits_edges(self) -> bool:
        return self.iterator.endswith("edges")

    @property
    def origin(self) -> str:
        """Which end of its edges the node is, of a loop over the edges of a node."""
        return "dst" if self.iterator == "incoming_edges" else "src"

    def statements(self) -> list[Any]:
        """All of them, those of inner loops too, in order."""
        return [inner for statement in self.body
                for inner in (statement.statements() if isinstance(statement, Loop) else [statement])]  # fmt: skip


@dataclass(eq=False)
class Value:
    """A number, vector or matrix of one node or edge, or one that all share.

    Attributes:
        shape: its sizes.
        element: whose it is; None for what all share.
        scope: the loop that it was made in; None for what all share.
        table: of an entry of a weight, the weight, with an entry a type in front.
        keys: of an entry of a weight, the types that pick it, ``(element, is edge type)`` each.
    """

    shape: tuple[int, ...]
    element: Element | None = None
    scope: Loop | None = None
    table: Value | None = None
    keys: tuple[tuple[Element, bool], ...] = ()

    @property
    def is_shared(self) -> bool:
        return self.element is None


@dataclass(eq=False)
class Compute:
    """``result`` is what an operation makes of operands, which are values or numbers.

    Attributes:
        op: a name of :data:`rgnn.lang.scalars.SCALARS`, or ``"linear"``, ``"reshape"``, ``"permute"``, ``"concat"``,
            ``"slice"``, ``"reduce"``, ``"softmax"``, ``"log_softmax"``, ``"norm"``.
        parameters: what else the operation takes.
    """

    op: str
    result: Value
    operands: tuple[Value | float, ...]
    parameters: tuple
    place: Place


@dataclass(eq=False)
class Read:
    """``result`` is the row that ``element`` has now."""

    result: Value
    data: Data
    element: Element
    place: Place


@dataclass(eq=False)
class Write:
    """``element`` gets a row, of one number where that is what is written."""

    data: Data
    element: Element
    value: Value | float
    place: Place


@dataclass(eq=False)
class Accumulate:
    """Combines a row with the data of ``element``: sum, mean, max or min over the iterations of ``loop``."""

    kind: str
    loop: Loop
    data: Data
    element: Element
    value: Value
    place: Place


@dataclass(eq=False)
class Program:
    """A traced function.

    Attributes:
        name: of the function.
        shared: what is computed before the loops, of what all share.
        loops: in order.
        data: by domain (whether of edges) and name.
        weights: shared values that are arguments, by a name of their own.
        outputs: the data that are results.
        inputs: the data that are arguments.
        made: what all share that PyTorch computes before the compiled code runs, in the place of ``shared``.
    """

    name: str
    shared: list[Compute] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    data: dict[tuple[bool, str], Data] = field(default_factory=dict)
    weights: dict[str, Value] = field(default_factory=dict)
    outputs: list[Data] = field(default_factory=list)
    made: list[Value] = field(default_factory=list)

    @property
    def inputs(self) -> list[Data]:
        return [data for data in self.data.values() if data.given]

    def statements(self) -> list[Any]:
        """All of them, in order."""
        return [*self.shared, *(statement for loop in self.loops for statement in loop.statements())]


_WHOLE = {"reshape", "permute", "slice", "concat", "reduce", "norm"}


def leave_shared(program: Program) -> None:
    """Leaves what all share to PyTorch where the compiler has no kernel for a part of it, such as a softmax."""
    used = used_values(program)

    def has_kernel(compute: Compute) -> bool:
        ranks = [len(operand.shape) for operand in compute.operands if isinstance(operand, Value)]
        return compute.op in _WHOLE or compute.op in SCALARS or (compute.op == "linear" and ranks == [2, 2])

    if all(has_kernel(compute) or compute.result not in used for compute in program.shared):
        return
    computed = {compute.result for compute in program.shared}
    read = [value for statement in program.statements()[len(program.shared) :] for operand in operands_of(statement)
            if isinstance(operand, Value) for value in (operand, operand.table)]  # fmt: skip
    program.made = list(dict.fromkeys(value for value in read if value in computed and value in used))


def operands_of(statement: Any) -> tuple:
    """What a statement reads: values and numbers."""
    if isinstance(statement, Compute):
        return statement.operands
    return (statement.value,) if isinstance(statement, (Write, Accumulate)) else ()


def joined(loop: Loop, values: list[Value]) -> Element | None:
    """The element whose row a row of several is: theirs if they share it, else the edge, or the pair, of a loop."""
    elements = list(dict.fromkeys(value.element for value in values if not value.is_shared))
    if len(elements) < 2:
        return elements[0] if elements else None
    loops = {element.edges for element in elements} - {None}
    if len(loops) > 1:
        return Element(loop, "pair")
    return Element(next(iter(loops), loop))


def used_values(program: Program) -> set[Value]:
    """The values that something is made of that is written; others need not be computed."""
    used: set[Value] = set()

    def use(value: Any) -> None:
        if isinstance(value, Value):
            used.add(value)
            if value.table is not None:
                used.add(value.table)

    for statement in reversed(program.statements()):
        if isinstance(statement, (Write, Accumulate)):
            use(statement.value)
        elif isinstance(statement, Compute) and statement.result in used:
            for operand in statement.operands:
                use(operand)
    return used

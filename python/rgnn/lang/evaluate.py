"""A program by PyTorch's operators: each statement for all nodes or edges at once, gradients by autograd.

What compiled code is not there for runs this way, and what other operators of a model are compiled together with. It
is right for the programs whose loops the compiler raises, or refuses for the sake of an operation: a statement can run
for all iterations before the next one where no iteration reads what another one writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from .._capture import custom_ops
from .joint import join, kinds_of
from .program import Accumulate, Compute, Data, Element, Loop, Program, Read, Value, Write, used_values
from .scalars import SCALARS


@dataclass(frozen=True)
class Ends:
    """A graph for evaluation.

    Attributes:
        src, dst: ``[E]`` numbers of nodes.
        etype: ``[E]``, or None where the program reads no types of edges.
        ntype: ``[N]``, or None.
        num_nodes: N.
        of_ends: ``[E]`` types of ``"src"`` and ``"dst"``, where they are known without ``ntype``.
        joined: ``[E]`` numbers of entries that several types pick, by their kinds, where they are known.
    """

    src: Tensor
    dst: Tensor
    etype: Tensor | None
    ntype: Tensor | None
    num_nodes: Any
    of_ends: dict[str, Tensor] = field(default_factory=dict)
    joined: dict[tuple[str, ...], Tensor] = field(default_factory=dict)


def evaluate(program: Program, ends: Ends, inputs: Sequence[Tensor], weights: Sequence[Tensor],
             has_idioms: bool = False) -> list[Tensor]:
    """The results of a program.

    Args:
        program: the program.
        ends: the graph.
        inputs: data, in the order of ``program.inputs``.
        weights: in the order of ``program.weights``.
        has_idioms: whether operators of captured models stand for products by type and for sums.
    """
    return (_Idioms if has_idioms else _Evaluation)(program, ends, inputs, weights).run()


def evaluate_shared(program: Program, weights: Sequence[Tensor]) -> list[Tensor]:
    """What all share that compiled code takes ready made."""
    device = weights[0].device if weights else torch.device("cpu")
    nothing = torch.empty(0, dtype=torch.long, device=device)
    evaluation = _Evaluation(program, Ends(nothing, nothing, None, None, 0), [], weights)
    evaluation.run_shared()
    return [evaluation.values[value] for value in program.made]


class _Evaluation:
    def __init__(self, program: Program, ends: Ends, inputs: Sequence[Tensor], weights: Sequence[Tensor]):
        self._program, self._ends = program, ends
        self._like = next(iter([*inputs, *weights]), torch.empty(0, device=ends.src.device))
        self._data: dict[Data, Tensor] = dict(zip(program.inputs, inputs))
        self.values: dict[Value, Tensor] = dict(zip(program.weights.values(), weights))
        self._used = used_values(program)
        self._zeros: set[Data] = set()  # data that nothing but zero was written to
        self._pairs: dict[str, tuple[Tensor, Tensor]] = {}  # of edges that share an end, the first and the second
        self._late: dict[Value, Compute] = {}  # values of pairs, which are computed where something reads them

    def run_shared(self) -> None:
        for statement in self._program.shared:
            self._compute(statement)

    def run(self) -> list[Tensor]:
        self.run_shared()
        for loop in self._program.loops:
            self._run_loop(loop)
        return [self._data[data] for data in self._program.outputs]

    def _run_loop(self, loop: Loop) -> None:
        for statement in loop.statements():
            _RUN[type(statement)](self, statement)

    # ---- rows --------------------------------------------------------------------------------------------------------

    def _count(self, on_edges: bool) -> Any:
        return self._ends.src.shape[0] if on_edges else self._ends.num_nodes

    def _count_of(self, element: Element) -> Any:
        return self._pairs_of(element.loop)[0].shape[0] if element.is_pair else self._count(element.is_edge)

    def _pairs_of(self, loop: Loop) -> tuple[Tensor, Tensor]:
        """Of each two edges of a node, the first and the second."""
        if loop.origin not in self._pairs:
            end = self._end(loop.origin)
            counts = end.new_zeros(self._ends.num_nodes).index_add(0, end, torch.ones_like(end))
            order, others = end.argsort(stable=True), counts[end]
            first = torch.arange(end.shape[0], device=end.device).repeat_interleave(others)
            number = torch.arange(first.shape[0], device=end.device) - (others.cumsum(0) - others)[first]
            self._pairs[loop.origin] = first, order[(counts.cumsum(0) - counts)[end[first]] + number]
        return self._pairs[loop.origin]

    def _number(self, value: float) -> Tensor:
        return torch.full((), value, dtype=self._like.dtype, device=self._like.device)

    def _end(self, end: str) -> Tensor:
        return self._ends.src if end == "src" else self._ends.dst

    def _rows(self, value: Value, target: Element | None) -> Tensor:
        """A row for each element of the kind of ``target``, in its order; what all share has none."""
        if value.is_shared:
            return self.values[value]
        if value in self._late:
            self._compute(self._late.pop(value), is_late=True)
        if target is not None and target.is_pair and value.element != target:
            own = value.element.edges or target.loop.around
            return self._rows(value, Element(own)).index_select(0, self._pairs_of(target.loop)[own is target.loop])
        rows = self._entries(value) if value.table is not None else self.values[value]
        if value.element == target or target is None:
            return rows
        end = value.element.end or target.loop.origin
        return rows.index_select(0, self._end(end))

    def _entries(self, value: Value) -> Tensor:
        """The entries of a weight, for each element."""
        table = self.values[value.table]
        if len(value.keys) == 1:
            return table.index_select(0, self._types(*value.keys[0], value.element))
        numbers = self._ends.joined.get(kinds_of(value)) if value.element.is_edge else None
        if numbers is None:
            numbers = join([self._types(*key, value.element) for key in value.keys], table.shape)
        return table.flatten(0, len(value.keys) - 1).index_select(0, numbers)

    def _types(self, element: Element, of_edge: bool, target: Element) -> Tensor:
        if of_edge:
            return self._ends.etype
        if element == target:
            return self._ends.ntype
        end = element.end or target.loop.origin
        known = self._ends.of_ends.get(end)
        return self._ends.ntype.index_select(0, self._end(end)) if known is None else known

    # ---- statements --------------------------------------------------------------------------------------------------

    def _read(self, read: Read) -> None:
        if read.result in self._used:
            self.values[read.result] = self._data[read.data]

    def _write(self, write: Write) -> None:
        data, value = write.data, write.value
        self._zeros.discard(data)
        shape = (self._count(data.on_edges), *(data.shape or ()))
        if not isinstance(value, Value):
            self._data[data] = self._like.new_full(shape, value)
            if value == 0:
                self._zeros.add(data)
        elif value.is_shared:
            self._data[data] = self.values[value].expand(shape)
        else:
            self._data[data] = self._rows(value, write.element)

    def _accumulate(self, accumulate: Accumulate) -> None:
        reduced = self._reduce(accumulate)
        data = accumulate.data
        is_new = data not in self._data or data in self._zeros
        self._zeros.discard(data)
        self._data[data] = reduced if is_new else self._data[data] + reduced

    def _reduce(self, accumulate: Accumulate) -> Tensor:
        element, value = accumulate.element, accumulate.value
        if accumulate.loop.around:
            return self._reduce_pairs(accumulate)
        visited = Element(accumulate.loop)
        if element == visited:
            rows = self._rows(value, element)
            return rows.expand(self._count(element.is_edge), *value.shape) if value.is_shared else rows
        rows = self._rows(value, visited)
        if value.is_shared:
            rows = rows.expand(self._count(True), *value.shape)
        index = self._end(element.end or visited.loop.origin)
        return self._reduce_rows(accumulate.kind, rows, index, self._ends.num_nodes)

    def _reduce_pairs(self, accumulate: Accumulate) -> Tensor:
        pair, element = Element(accumulate.loop, "pair"), accumulate.element
        rows = self._rows(accumulate.value, pair)
        if accumulate.value.is_shared:
            rows = rows.expand(self._count_of(pair), *accumulate.value.shape)
        index = self._pairs_of(accumulate.loop)[element.edges is accumulate.loop]
        if not element.is_edge:
            index = self._end(element.end or accumulate.loop.origin).index_select(0, index)
        return self._reduce_rows(accumulate.kind, rows, index, self._count(element.is_edge))

    def _reduce_rows(self, name: str, rows: Tensor, index: Tensor, size: Any) -> Tensor:
        shape = (size, *rows.shape[1:])
        if name == "sum":
            return rows.new_zeros(shape).index_add(0, index, rows)
        kind = {"mean": "mean", "max": "amax", "min": "amin"}[name]
        wide = index.view(-1, *[1] * (rows.dim() - 1)).expand_as(rows)
        return rows.new_zeros(shape).scatter_reduce(0, wide, rows, kind, include_self=False)

    def _compute(self, compute: Compute, is_late: bool = False) -> None:
        if compute.result not in self._used:
            return
        if compute.result.element is not None and compute.result.element.is_pair and not is_late:
            self._late[compute.result] = compute
            return
        product = self._multiply_by_type(compute) if compute.op == "linear" else None
        if product is not None:
            self.values[compute.result] = product
            return
        target = compute.result.element
        operands = [self._rows(operand, target) if isinstance(operand, Value) else self._number(operand)
                    for operand in compute.operands]  # fmt: skip
        values = [operand for operand in compute.operands if isinstance(operand, Value)]
        if compute.op in SCALARS:
            operands = [self._aligned(operand, value, compute.result) for operand, value
                        in zip(operands, compute.operands)]  # fmt: skip
            self.values[compute.result] = SCALARS[compute.op].torch(*operands, *compute.parameters)
            return
        has_rows = [not value.is_shared for value in values]
        if any(has_rows):  # as rows, all of them
            count = self._count_of(target)
            if compute.op != "linear":
                operands = [operand if rows else operand.expand(count, *value.shape)
                            for operand, value, rows in zip(operands, values, has_rows)]  # fmt: skip
        self.values[compute.result] = _OPS[compute.op](compute, operands, has_rows)

    def _multiply_by_type(self, compute: Compute) -> Tensor | None:
        """A product with the weight of a type by an operator of its own; None where there is none."""
        return None

    @staticmethod
    def _aligned(operand: Tensor, value: Value | float, result: Value) -> Tensor:
        """Rows with dimensions of size 1 behind the rows, where the result has more."""
        if not isinstance(value, Value) or value.is_shared:
            return operand
        missing = len(result.shape) - len(value.shape)
        return operand.reshape(operand.shape[0], *[1] * missing, *operand.shape[1:]) if missing else operand


class _Idioms(_Evaluation):
    """In operators that captured models have for message passing (:mod:`rgnn._capture.custom_ops`)."""

    def _run_loop(self, loop: Loop) -> None:
        if loop.softmax is None:
            super()._run_loop(loop)
            return
        data, by, number = loop.softmax
        if number == 0:
            self._data[data] = custom_ops.edge_softmax(self._data[data], self._end(by), self._ends.num_nodes)

    def _reduce_rows(self, name: str, rows: Tensor, index: Tensor, size: Any) -> Tensor:
        return custom_ops.aggregate(rows, index, size, name)

    def _reduce_pairs(self, accumulate: Accumulate) -> Tensor:
        """A sum of max(x[e] - y[f], 0) by an operator of its own."""
        late = self._late.get(accumulate.value)
        element = accumulate.element
        difference = self._late.get(late.operands[0]) if late is not None and late.op == "relu" else None
        if difference is None or difference.op != "sub" or accumulate.kind != "sum" or not element.is_edge:
            return super()._reduce_pairs(accumulate)
        shape = (self._count(True), *difference.result.shape)
        x, y = [self._aligned(self._rows(one, Element(one.element.edges)), one, difference.result).expand(shape)
                for one in difference.operands]  # fmt: skip
        if difference.operands[0].element.edges is not element.loop:
            x, y = -y, -x
        return custom_ops.group_excess(x, y, self._end(accumulate.loop.origin), self._ends.num_nodes)

    def _multiply_by_type(self, compute: Compute) -> Tensor | None:
        x, weight = compute.operands
        if weight.table is None or len(weight.keys) > 1 or x.is_shared:
            return None
        rows, table = self._rows(x, compute.result.element), self.values[weight.table]
        if len(weight.shape) == 2:  # heads share it
            for dim, size in enumerate(x.shape[:-1], 1):
                table = table.unsqueeze(dim).expand(*table.shape[:dim], size, *table.shape[dim:])
        types = self._rows_of_types(weight, compute.result.element)
        return custom_ops.typed_linear(rows, types, table)

    def _rows_of_types(self, weight: Value, target: Element) -> Tensor:
        (element, of_edge), = weight.keys
        types = self._types(element, of_edge, weight.element)
        if weight.element == target:
            return types
        known = None if of_edge else self._ends.of_ends.get(weight.element.end or target.loop.origin)
        if known is not None:
            return known
        return types.index_select(0, self._end(weight.element.end or target.loop.origin))


def _linear(compute: Compute, operands: list[Tensor], has_rows: list[bool]) -> Tensor:
    x, weight = operands
    if compute.operands[1].table is None or not has_rows[1]:  # one for all
        if weight.dim() == 2:
            return x @ weight
        return (x.unsqueeze(-2) @ weight).squeeze(-2)  # a matrix a head
    if weight.dim() == 3:  # [M, K, N]
        if not has_rows[0]:
            return x @ weight if x.dim() > 1 else (x @ weight)
        return torch.bmm(x.unsqueeze(1), weight).squeeze(1) if x.dim() == 2 else x @ weight
    return (x.unsqueeze(-2) @ weight).squeeze(-2)


def _dim(dim: int, has_rows: list[bool]) -> int:
    return dim + any(has_rows)


_OPS = {
    "linear": _linear,
    "dot": lambda c, x, rows: (x[0] * x[1]).sum(-1),
    "reshape": lambda c, x, rows: x[0].reshape(([x[0].shape[0]] if rows[0] else []) + [*c.result.shape]),
    "permute": lambda c, x, rows: x[0].permute(*([0] if rows[0] else []), *[d + rows[0] for d in c.parameters[0]]),
    "concat": lambda c, x, rows: torch.cat(x, _dim(c.parameters[0], rows)),
    "slice": lambda c, x, rows: x[0].narrow(_dim(c.parameters[0], rows), *c.parameters[1:]),
    "reduce": lambda c, x, rows: _REDUCTIONS[c.parameters[0]](x[0], _dim(c.parameters[1], rows)),
    "softmax": lambda c, x, rows: F.softmax(x[0], -1),
    "log_softmax": lambda c, x, rows: F.log_softmax(x[0], -1),
    "norm": lambda c, x, rows: torch.linalg.vector_norm(x[0], dim=-1),
}  # fmt: skip
_REDUCTIONS = {"sum": torch.sum, "mean": torch.mean, "max": torch.amax, "min": torch.amin}
_RUN = {Read: _Evaluation._read, Write: _Evaluation._write, Accumulate: _Evaluation._accumulate,
        Compute: _Evaluation._compute}  # fmt: skip

"""Message passing: functions of edges and of nodes, by name or by users, and what reduces messages (DGL's core)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from .._capture.capturing import is_capturing
from . import degrees, segments
from .base import ALL, EID, NID, DGLError, is_all
from .buckets import reduce_by_function
from .frames import Frames
from .function.base import BuiltinFunction
from .function.message import CopyMessageFunction, MessageFunction, combine
from .function.reducer import ReduceFunction
from .typed import plain
from .udf import EdgeBatch, NodeBatch

_EXTREMES = ("max", "min")


class MessagePassing(Frames):
    """Message passing over a graph; a part of :class:`rgnn.dgl.DGLGraph`."""

    # Functions of edges and of nodes

    def apply_edges(self, func: Callable | BuiltinFunction, edges: Any = ALL, etype: Any = None) -> None:
        """Sets what a function of edges gives as features of edges.

        Args:
            func: a message by name, or a function of :class:`EdgeBatch` that gives a dictionary.
            edges: all, numbers of edges, or (sources, destinations).
            etype: the edge type. Without one, a message by name is computed for all types.
        """
        if etype is None and len(self._canonical) > 1:
            if not isinstance(func, BuiltinFunction):
                raise DGLError("apply_edges: expected an edge type (etype=) for a function of users, since there are "
                               f"{len(self._canonical)}, got none")  # fmt: skip
            for number in self._types_with(func):
                self._set_edges(number, self._messages(number, func, None), ALL)
            return
        number = self.get_etype_id(etype)
        which = None if is_all(edges) else self._edge_numbers(edges, number)
        self._set_edges(number, self._messages(number, func, which), ALL if which is None else which)

    def apply_nodes(self, func: Callable, v: Any = ALL, ntype: str | None = None) -> None:
        """Sets what a function of nodes gives as features of nodes.

        Args:
            func: a function of :class:`NodeBatch` that gives a dictionary.
            v: all, or numbers of nodes.
            ntype: the node type.
        """
        number = self.get_ntype_id(ntype)
        which = None if is_all(v) else self._numbers(v)
        given = func(NodeBatch(self, number, which, self._node_frames[number]))
        self._set_nodes(number, _checked(given, func), ALL if which is None else which)

    def _edge_numbers(self, edges: Any, number: int) -> Tensor:
        if isinstance(edges, tuple):
            return self._numbers(self.edge_ids(*edges, etype=self._canonical[number]))
        return self._numbers(edges)

    def _messages(
        self, number: int, func: Any, which: Tensor | None, ends: tuple[Tensor, Tensor] | None = None
    ) -> Mapping[str, Tensor]:
        """What a function makes of the edges of a type, which have these ends: a row for each, or for each that
        ``which`` names."""
        ends = ends or self._both_ends(number)
        if isinstance(func, ReduceFunction):
            raise DGLError(f"expected a message, by name or a function of edges, got the reduction {func}")
        if not isinstance(func, MessageFunction):
            numbers = self._edge_frames[number].get(EID)
            batch = EdgeBatch(self, number, which, numbers if which is None else None, ends)
            made = _checked(func(batch), func)
            for key, rows in made.items():
                self._check_rows(key, degrees.plain(rows), batch.batch_size(), self._edges_name(number))
            return made
        if isinstance(func, CopyMessageFunction):
            return {func.out_field: self._operand(number, func.target, func.in_field, which, ends)}
        left = self._operand(number, func.lhs, func.lhs_field, which, ends)
        right = self._operand(number, func.rhs, func.rhs_field, which, ends)
        return {func.out_field: combine(func.op, left, right)}

    def _operand(
        self, number: int, target: str, field: str, which: Tensor | None, ends: tuple[Tensor, Tensor]
    ) -> Tensor:
        """A feature of sources ``u``, destinations ``v`` or edges ``e``, a row for each edge."""
        if target == "e":
            rows = self._get_edges(number, field, ALL)
            return rows if which is None else segments.pick(rows, which)
        end = ends[0 if target == "u" else 1]
        rows = self._get_nodes(self._ends[number][0 if target == "u" else 1], field, ALL)
        return segments.pick(rows, end if which is None else segments.pick(end, which))

    def _types_with(self, func: BuiltinFunction) -> list[int]:
        """The edge types that have what a message by name reads."""
        pairs = [(func.target, func.in_field)] if isinstance(func, CopyMessageFunction) else [
            (func.lhs, func.lhs_field), (func.rhs, func.rhs_field)]  # fmt: skip
        found = []
        for number, (source, destination) in enumerate(self._ends):
            frames = {"u": self._node_frames[source], "v": self._node_frames[destination],
                      "e": self._edge_frames[number]}  # fmt: skip
            if all([field in frames[target] for target, field in pairs]):
                found.append(number)
        if not found:
            wanted = " and ".join(f"{field!r} of {target}" for target, field in pairs)
            raise DGLError(f"{func}: expected an edge type that has {wanted}, got a graph without one")
        return found

    # Messages, and what nodes make of them

    def _pass(self, number: int, message: Any, reduction: Any, apply: Callable | None) -> dict[str, Tensor]:
        """What destinations get by the edges of a type. Where none come, max and min are infinite."""
        source, target = self._ends[number]
        ends = self._both_ends(number)
        if isinstance(reduction, ReduceFunction):
            if isinstance(message, BuiltinFunction) and message.out_field != reduction.msg_field:
                raise DGLError(f"expected a reduction of {message.out_field!r}, which {message} gives, got {reduction}")
            messages = self._messages(number, message, None, ends)
            if reduction.msg_field not in messages:
                raise DGLError(f"{reduction}: expected one of the messages {', '.join(map(repr, messages))}, got "
                               f"{reduction.msg_field!r}")  # fmt: skip
            reduced = segments.reduce(messages[reduction.msg_field], ends[1], self._size(target),
                                      reduction.name, empty=None)  # fmt: skip
            result = {reduction.out_field: reduced}
        else:
            messages = self._messages(number, message, None, ends)
            result = dict(_checked(reduce_by_function(self, number, reduction, messages, ends[1]), reduction))
            own = self._node_frames[target]
            result = {key: segments.reduced_or_own(rows, own[key], ends[1]) if key in own else rows
                      for key, rows in result.items()}  # fmt: skip
        if apply is None:
            return result
        frame = {**self._node_frames[target], **result}
        numbers = self._node_frames[target].get(NID)
        return dict(_checked(apply(NodeBatch(self, target, None, frame, numbers=numbers)), apply))

    def update_all(
        self, message_func: Any, reduce_func: Any, apply_node_func: Callable | None = None, etype: Any = None
    ) -> None:
        """Sends messages along all edges, and sets what destinations make of them.

        Args:
            message_func: a message by name, or a function of :class:`EdgeBatch` that gives a dictionary.
            reduce_func: a reduction by name, or a function of :class:`NodeBatch`, which has a ``mailbox``. It is
                called once with what stands for the mailboxes of all nodes; where it does with it what only a tensor
                can answer, it is called for the nodes of each degree. A node that no message came to gets 0.
            apply_node_func: a function of nodes, of what was reduced and of the features that they had.
            etype: the edge type. Without one, messages and reductions by name go along all types.
        """
        if etype is None and len(self._canonical) > 1:
            self._update_all_types(message_func, reduce_func, apply_node_func)
            return
        number = self.get_etype_id(etype)
        result = self._pass(number, message_func, reduce_func, apply_node_func)
        if isinstance(reduce_func, ReduceFunction) and reduce_func.name in _EXTREMES and result:
            first = next(iter(result))
            result[first] = segments.without_infinity(result[first])
        self._set_nodes(self._ends[number][1], result, ALL)

    def _update_all_types(self, message: Any, reduction: Any, apply: Callable | None) -> None:
        if not isinstance(message, BuiltinFunction) or not isinstance(reduction, BuiltinFunction):
            raise DGLError(f"update_all: expected an edge type (etype=), since there are {len(self._canonical)}, or "
                           "multi_update_all, for functions of users, got none")  # fmt: skip
        if reduction.name == "mean":
            raise DGLError("update_all: expected sum, max or min over several edge types, got mean: say by "
                           "multi_update_all how means are joined")  # fmt: skip
        if apply is not None:
            raise DGLError("update_all: expected no apply_node_func over several edge types, got one: use "
                           "multi_update_all")  # fmt: skip
        found = {number: (message, reduction) for number in self._types_with(message)}
        self._update_types(found, reduction.name, None)

    def multi_update_all(
        self, etype_dict: Mapping[Any, Sequence], cross_reducer: str | Callable,
        apply_node_func: Callable | None = None,
    ) -> None:  # fmt: skip
        """Sends messages along several edge types, and joins what destinations get by each.

        Args:
            etype_dict: by edge type, (message, reduction) or (message, reduction, function of nodes).
            cross_reducer: "sum", "min", "max", "mean", "stack" (``[N, types, *]``), or a function of the list of
                results of a node type.
            apply_node_func: a function of nodes, of all that was joined.
        """
        functions = {}
        for etype, given in etype_dict.items():
            if not isinstance(given, (tuple, list)) or len(given) not in (2, 3):
                raise DGLError(f"{etype!r}: expected (message, reduction) or (message, reduction, function of nodes), "
                               f"got {given!r}")  # fmt: skip
            functions[self.get_etype_id(etype)] = tuple(given)
        self._update_types(functions, cross_reducer, apply_node_func)

    def _update_types(self, functions: dict[int, tuple], cross: str | Callable, apply: Callable | None) -> None:
        results: dict[int, list[tuple[int, dict[str, Tensor]]]] = {}
        is_extreme = False
        for number, given in functions.items():
            message, reduction, own = (*given, None)[:3]
            is_extreme = isinstance(reduction, ReduceFunction) and reduction.name in _EXTREMES
            results.setdefault(self._ends[number][1], []).append((number, self._pass(number, message, reduction, own)))
        for target, found in results.items():
            joined = join([result for _, result in found], cross, [number for number, _ in found])
            if is_extreme:
                joined = {key: segments.without_infinity(rows) for key, rows in joined.items()}
            self._set_nodes(target, joined, ALL)
            if apply is not None:
                given = apply(NodeBatch(self, target, None, self._node_frames[target]))
                self._set_nodes(target, _checked(given, apply), ALL)

    # Some nodes or edges

    def pull(self, v: Any, message_func: Any, reduce_func: Any, apply_node_func: Any = None, etype: Any = None) -> None:
        """As :meth:`update_all`, for the nodes ``v`` alone; other nodes keep what they have."""
        number = self.get_etype_id(etype)
        chosen = self._numbers(v)
        into = torch.zeros(self._size(self._ends[number][1]), dtype=torch.bool, device=self.device)
        into[chosen] = True
        edges = into[self._destination(number)].nonzero().view(-1)
        self._update_some(number, edges, chosen, (message_func, reduce_func, apply_node_func))

    def push(self, u: Any, message_func: Any, reduce_func: Any, apply_node_func: Any = None, etype: Any = None) -> None:
        """As :meth:`send_and_recv`, along the edges that lead from the nodes ``u``."""
        number = self.get_etype_id(etype)
        edges = torch.isin(self._source(number), self._numbers(u)).nonzero().view(-1)
        self.send_and_recv(edges, message_func, reduce_func, apply_node_func, etype)

    def send_and_recv(
        self, edges: Any, message_func: Any, reduce_func: Any, apply_node_func: Any = None, etype: Any = None
    ) -> None:
        """As :meth:`update_all`, along some edges; nodes that none of them leads to keep what they have."""
        number = self.get_etype_id(etype)
        chosen = self._edge_numbers(edges, number)
        into = segments.pick(self._destination(number), chosen)
        functions = message_func, reduce_func, apply_node_func
        if not is_capturing():
            self._update_some(number, chosen, torch.unique(into), functions)
            return
        # How many nodes these are only data say: all are computed, and those that got nothing keep what they have.
        target = self._ends[number][1]
        got = segments.count(into, self._size(target)) > 0
        frame = self._node_frames[target]
        made = self._result_of_some(number, chosen, functions)
        kept = {key: frame[key] if key in frame else torch.zeros_like(rows) for key, rows in made.items()}
        self._set_nodes(target, {key: torch.where(segments.spread(got, rows), rows, kept[key])
                                 for key, rows in made.items()}, ALL)  # fmt: skip

    def _update_some(self, number: int, edges: Tensor, nodes: Tensor, functions: tuple) -> None:
        if nodes.shape[0]:
            made = self._result_of_some(number, edges, functions)
            own = {key: segments.pick(rows, nodes) for key, rows in made.items()}
            self._set_nodes(self._ends[number][1], own, nodes)

    def _result_of_some(self, number: int, edges: Tensor, functions: tuple) -> dict[str, Tensor]:
        """What all nodes get along some edges."""
        part = self._with([own if one != number else own.index_select(1, edges) for one, own in enumerate(self._edges)])
        part._node_frames = [dict(frame) for frame in self._node_frames]
        part._edge_frames[number] = {key: rows.index_select(0, edges) for key, rows in
                                     self._edge_frames[number].items()}  # fmt: skip
        part._edge_frames[number].setdefault(EID, edges.to(self.idtype))
        result = part._pass(number, *functions)
        if isinstance(functions[1], ReduceFunction) and functions[1].name in _EXTREMES:
            result = {key: segments.without_infinity(rows) for key, rows in result.items()}
        return result


def join(results: list[dict[str, Tensor]], cross: str | Callable, order: list[int]) -> dict[str, Tensor]:
    """Joins what a node type got by several edge types.

    Args:
        results: by edge type, features by name; not each need have each.
        cross: as of :meth:`MessagePassing.multi_update_all`.
        order: the numbers of the edge types, by which "stack" sorts.

    Raises:
        DGLError: an unknown ``cross``.
    """
    if len(results) == 1 and cross != "stack":
        return results[0]
    merge = cross if callable(cross) else JOINS.get(cross)
    if merge is None:
        raise DGLError(f"cross_reducer: expected a function or one of {', '.join(JOINS)}, got {cross!r}")
    if cross == "stack":
        results = [results[place] for place in sorted(range(len(order)), key=lambda place: order[place])]
    names = list(dict.fromkeys([key for result in results for key in result]))
    parts = {key: [result[key] for result in results if key in result] for key in names}
    if not callable(cross):
        for key in names:
            check_shapes(key, parts[key])
    return {key: merge(parts[key]) for key in names}


def check_shapes(key: str, parts: Sequence[Tensor]) -> None:
    """Raises DGLError where what is to be joined of a node type has rows of several shapes."""
    shapes = list(dict.fromkeys([tuple(part.shape[1:]) for part in parts]))
    if len(shapes) > 1:
        raise DGLError(f"{key!r}: expected rows of one shape by all edge types, got {', '.join(map(str, shapes))}")


def _fold(operator: Callable) -> Callable[[list[Tensor]], Tensor]:
    def fold(rows: list[Tensor]) -> Tensor:
        result = rows[0]
        for more in rows[1:]:
            result = operator(result, more)
        return result

    return fold


# How results of several edge types become one; by the names of multi_update_all
JOINS: dict[str, Callable[[list[Tensor]], Tensor]] = {
    "sum": _fold(torch.add), "mean": lambda rows: _fold(torch.add)(rows) / len(rows), "max": _fold(torch.maximum),
    "min": _fold(torch.minimum), "stack": lambda rows: torch.stack(rows, 1),
}  # fmt: skip


def _checked(given: Any, func: Any) -> Mapping[str, Tensor]:
    """What a function of users gave, which has to be a dictionary."""
    if not isinstance(given, Mapping):
        name = getattr(func, "__name__", type(func).__name__)
        raise DGLError(f"{name}: expected a dictionary of features by name, got {type(given).__name__}")
    return {key: plain(value) for key, value in given.items()}

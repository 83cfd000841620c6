"""What stands for a node, an edge and a graph while a function is traced."""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from typing import Any

from .elementwise import to_value
from .places import Place, here, refuse
from .program import Data, Element, Program, Value
from .rows import Addition, Field, Stand
from .tracer import Tracer


class TypeOf(Stand):
    """The type of a node or an edge, which picks an entry of a weight."""

    def __init__(self, element: Element, of_edge: bool):
        self.key = element, of_edge

    def refuse_use(self, *_: Any) -> Any:
        refuse("a type picks the entry of a weight, w[e.etype] or w[n.ntype], and is no number; a weight is an "
               "argument, w: rgnn.Weight, or a parameter of a module that is one")  # fmt: skip

    __bool__ = __int__ = __index__ = __float__ = __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = refuse_use
    __eq__ = __ne__ = __lt__ = __gt__ = refuse_use
    __hash__ = object.__hash__


class Item:
    """The node or edge that a loop visits, or an end of the edge."""

    def __init__(self, tracer: Tracer, element: Element):
        self._tracer, self._element = tracer, element

    def __getitem__(self, name: str) -> Field:
        return Field(self._tracer, self._element, self._tracer.find(name, self._element.is_edge))

    def __setitem__(self, name: str, value: Any) -> None:
        data = self._tracer.find(name, self._element.is_edge)
        if isinstance(value, Addition):
            same = value.field.data is data and value.field.element == self._element
            if not same:
                refuse(f"expected the sum to be that of the same data, {data}, got that of {value.field.data}")
            self._tracer.accumulate("sum", self._element, data, self._to_value(value.value))
            return
        if isinstance(value, numbers.Real):
            self._tracer.write(self._element, data, float(value))
            return
        self._tracer.write(self._element, data, self._to_value(value))

    def accumulate(self, kind: str, name: str, value: Any) -> None:
        """Combines a row with the data of a name: ``"sum"``, ``"mean"``, ``"max"`` or ``"min"`` over all iterations.

        Without any, the data is 0. All but sums start anew: what was written before is an error.
        """
        if kind not in ("sum", "mean", "max", "min"):
            refuse(f"expected 'sum', 'mean', 'max' or 'min', got {kind!r}")
        data = self._tracer.find(name, self._element.is_edge)
        self._tracer.accumulate(kind, self._element, data, self._to_value(value))

    def _to_value(self, value: Any) -> Value:
        return to_value(value)

    def _refuse_comparison(self, *_: Any) -> Any:
        refuse("which node or edge it is differs from one to the next: give what depends on it as data, same: "
               "rgnn.Edge, made of edge_index, and multiply by it")  # fmt: skip

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = __bool__ = __index__ = _refuse_comparison

    def __iter__(self) -> Any:
        refuse("a node or an edge is no list: expected n.incoming_edges() or n.outgoing_edges(), or the name of data")

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            what = "e" if self._element.is_edge else "n"
            refuse(f'{what}.{name} = ...: expected data by its name, {what}["{name}"] = ...')
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        what = "e" if self._element.is_edge else "n"
        has = "src, dst and etype" if self._element.is_edge else "ntype, incoming_edges() and outgoing_edges()"
        refuse(f'{what}.{name}: expected {has}, or data by its name, {what}["{name}"]')


class NodeItem(Item):
    """A node."""

    @property
    def ntype(self) -> TypeOf:
        return TypeOf(self._element, of_edge=False)

    def incoming_edges(self) -> Edges:
        return Edges(self._tracer, "incoming_edges", self._element)

    def outgoing_edges(self) -> Edges:
        return Edges(self._tracer, "outgoing_edges", self._element)


class EdgeItem(Item):
    """An edge."""

    def _end(self, end: str) -> NodeItem:
        loop = self._element.loop
        at_node = loop.node is not None and loop.origin == end
        return NodeItem(self._tracer, loop.node if at_node else Element(loop, end))

    @property
    def src(self) -> NodeItem:
        return self._end("src")

    @property
    def dst(self) -> NodeItem:
        return self._end("dst")

    @property
    def etype(self) -> TypeOf:
        return TypeOf(self._element, of_edge=True)


class Edges:
    """What a loop runs over: each node or edge once, in no order."""

    def __init__(self, tracer: Tracer, iterator: str, node: Element | None = None):
        self._tracer, self._iterator, self._node = tracer, iterator, node

    def __iter__(self) -> Iterator[Item]:
        for loop in self._tracer.visit(self._iterator, self._node):
            yield (EdgeItem if loop.visits_edges else NodeItem)(self._tracer, Element(loop))

    def _refuse(self, *_: Any) -> Any:
        refuse(f"{self._iterator}() is for loops alone: its size is known at run time, and its order says nothing; a "
               'number of edges is a sum, n["degree"] += 1.0')  # fmt: skip

    __len__ = __getitem__ = __contains__ = __reversed__ = __add__ = _refuse


class Result(Stand):
    """Data of all nodes or edges, to be returned."""

    def __init__(self, data: Data, place: Place):
        self.data, self.place = data, place

    def __getattr__(self, name: str) -> Any:
        refuse(f'{self.data}: data of the whole graph is there to be returned; compute in a loop: '
               f'for {"e in g.edges()" if self.data.on_edges else "n in g.nodes()"}: ...')  # fmt: skip

    def refuse_use(self, *_: Any) -> Any:
        self.__getattr__("")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __getitem__ = __neg__ = refuse_use
    __matmul__ = __rmatmul__ = __bool__ = __pow__ = __rtruediv__ = __iter__ = refuse_use


class AllData:
    """``g.ndata`` and ``g.edata``."""

    def __init__(self, tracer: Tracer, on_edges: bool):
        self._tracer, self._on_edges = tracer, on_edges

    def __getitem__(self, name: str) -> Result:
        self._tracer.check_left()
        data = self._tracer.find(name, self._on_edges)
        if self._tracer.open:
            refuse(f"g.{'e' if self._on_edges else 'n'}data within a loop: expected {data} of an element of the loop")
        if not data.has_value:
            self._tracer.refuse_unknown(data)
        return Result(data, here())

    def __setitem__(self, name: str, value: Any) -> None:
        what = ("e in g.edges()", "e") if self._on_edges else ("n in g.nodes()", "n")
        refuse(f'expected a loop that writes it: for {what[0]}: {what[1]}["{name}"] = ...')


class GraphItem:
    """The graph of a function."""

    def __init__(self, tracer: Tracer):
        self._tracer = tracer
        self.ndata, self.edata = AllData(tracer, False), AllData(tracer, True)

    @property
    def program(self) -> Program:
        return self._tracer.program

    def edges(self) -> Edges:
        return Edges(self._tracer, "edges")

    def nodes(self) -> Edges:
        return Edges(self._tracer, "nodes")

    def src_nodes(self) -> Edges:
        """All nodes, as sources: in a graph of one set of nodes each of them counts as one."""
        return Edges(self._tracer, "src_nodes")

    def dst_nodes(self) -> Edges:
        return Edges(self._tracer, "dst_nodes")

    def __getattr__(self, name: str) -> Any:
        refuse(f"g.{name}: expected edges(), nodes(), src_nodes(), dst_nodes(), ndata or edata")


class Argument(Stand):
    """An argument of a row for each node or edge, by its own name."""

    def __init__(self, data: Data):
        self._data = data

    def __getitem__(self, item: Any) -> Any:
        if not isinstance(item, Item):
            self.refuse_use()
        return item[self._data.name]

    def __getattr__(self, name: str) -> Any:
        self.refuse_use()

    def refuse_use(self, *_: Any) -> Any:
        what = "edges" if self._data.on_edges else "nodes"
        refuse(f"{self._data.name} is data of {what}, with a row for each: expected {self._data} of an element of a "
               "loop")  # fmt: skip

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = refuse_use
    __matmul__ = __rmatmul__ = __bool__ = __len__ = __iter__ = __pow__ = refuse_use

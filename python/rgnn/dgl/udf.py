"""What functions of users get: edges with features of their ends, and nodes with the messages that came."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from torch import Tensor

from .base import ALL, FieldError


class Rows:
    """Features by name, each computed when it is first read; a mapping.

    What a function sets it reads itself. The graph has it, too, where the function is for all edges or nodes of a type
    (``edges.data["e"] = ...`` in a message), as with DGL.

    Args:
        names: which there are.
        read: gives the rows of one.
        what: whose they are, for messages.
        write: sets rows in the graph; None where what is set is the function's own.
    """

    def __init__(
        self, names: Any, read: Callable[[str], Any], what: str, write: Callable[[str, Any], None] | None = None
    ):
        self._names, self._read, self._what, self._write = names, read, what, write
        self._known: dict[str, Any] = {}

    def __getitem__(self, key: str) -> Any:
        if key not in self._known:
            if key not in self._names:
                known = ", ".join(map(repr, self._names)) or "none"
                raise FieldError(f"expected a feature of {self._what}, of {known}, got {key!r}")
            self._known[key] = self._read(key)
        return self._known[key]

    def __setitem__(self, key: str, rows: Any) -> None:
        if self._write is not None:
            self._write(key, rows)
        self._known[key] = rows
        self._names = list(dict.fromkeys((*self._names, key)))

    def __contains__(self, key: str) -> bool:
        return key in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self._names)

    def keys(self) -> list[str]:
        """The names."""
        return list(self._names)

    def values(self) -> list:
        """The features."""
        return [self[key] for key in self.keys()]

    def items(self) -> list[tuple[str, Any]]:
        """Names and features."""
        return [(key, self[key]) for key in self.keys()]

    def update(self, features: Mapping[str, Any]) -> None:
        """Sets several."""
        for key, rows in features.items():
            self[key] = rows

    def get(self, key: str, default: Any = None) -> Any:
        """A feature, or what is given for none."""
        return self[key] if key in self._names else default


def rows_of(
    frame: Mapping[str, Tensor], index: Tensor | None, what: str, write: Callable[[str, Any], None] | None = None
) -> Rows:
    """The rows of a frame that ``index`` picks; all for None."""
    return Rows(frame, lambda key: frame[key] if index is None else frame[key].index_select(0, index), what, write)


class EdgeBatch:
    """Edges of one type, as a function of edges gets them.

    Attributes:
        src, dst: features of the ends, a row for each edge.
        data: features of the edges.
        srctype, dsttype, type: what ``g.ntypedata`` and ``g.etypedata`` have for the types of the ends and of the edge,
            a row for each edge (Graphiler, MLSys 2022, sec. 4; DGL has none).
        canonical_etype: the type.
    """

    def __init__(
        self, graph: Any, number: int, which: Tensor | None, numbers: Tensor | None = None,
        ends: tuple[Tensor, Tensor] | None = None,
    ):  # fmt: skip
        source, target = ends or graph._both_ends(number)
        if which is not None:
            source, target = source.index_select(0, which), target.index_select(0, which)
        source_type, target_type = graph._ends[number]
        self._ends, self._graph, self._number, self._which, self._numbers = (
            (source, target), graph, number, which, numbers)  # fmt: skip
        self.canonical_etype = graph.canonical_etypes[number]
        frames = graph._node_frames
        self.src = rows_of(frames[source_type], source, f"sources of {self.canonical_etype}")
        self.dst = rows_of(frames[target_type], target, f"destinations of {self.canonical_etype}")
        write = None if which is not None else lambda key, rows: graph._set_edges(number, {key: rows}, ALL)
        self.data = rows_of(graph._edge_frames[number], which, f"edges of type {self.canonical_etype}", write)

    @property
    def srctype(self) -> Rows:
        """Data of the types of sources."""
        return self._type_rows_of_end(0)

    @property
    def dsttype(self) -> Rows:
        """Data of the types of destinations."""
        return self._type_rows_of_end(1)

    @property
    def type(self) -> Rows:
        """Data of the types of edges."""
        return self._graph._edge_type_rows(self._number, self._which)

    def _type_rows_of_end(self, end: int) -> Rows:
        number = self._graph._ends[self._number][end]
        return self._graph._node_type_rows(number, self._ends[end], is_ends=self._which is None)

    def edges(self) -> tuple[Tensor, Tensor, Tensor]:
        """Sources, destinations and numbers of the edges, each ``[E]``."""
        numbers = self._numbers
        if numbers is None:
            numbers = self._graph._all_edges(self._number) if self._which is None else self._which
        dtype = self._graph.idtype
        return self._ends[0].to(dtype), self._ends[1].to(dtype), numbers.to(dtype)

    def batch_size(self) -> int:
        """The number of edges."""
        return self._ends[0].shape[0]

    def __len__(self) -> int:
        return self.batch_size()


class NodeBatch:
    """Nodes of one type, as a function of nodes gets them.

    Attributes:
        data: features of the nodes.
        mailbox: the messages that came, by name, ``[N, degree, *]`` where these are nodes of one degree, or what stands
            for that (:mod:`rgnn.dgl.mailbox`); None for a function of nodes alone.
        type: what ``g.ntypedata`` has for the types of the nodes.
        ntype: the type.
    """

    def __init__(
        self, graph: Any, number: int, which: Tensor | None, data: Mapping[str, Tensor], mailbox: Any = None,
        numbers: Tensor | None = None,
    ):  # fmt: skip
        self._graph, self._number, self._which, self._numbers = graph, number, which, numbers
        self.ntype = graph.ntypes[number]
        is_graphs = which is None and mailbox is None and data is graph._node_frames[number]
        write = (lambda key, rows: graph._set_nodes(number, {key: rows}, ALL)) if is_graphs else None
        self.data = rows_of(data, which, f"nodes of type {self.ntype!r}", write)
        self._mailbox = mailbox

    @property
    def mailbox(self) -> Any:
        """The messages."""
        return self._mailbox

    @property
    def type(self) -> Rows:
        """Data of the types of the nodes."""
        return self._graph._node_type_rows(self._number, self._which)

    def nodes(self) -> Tensor:
        """Numbers of the nodes, ``[N]``."""
        if self._numbers is not None:
            return self._numbers if self._which is None else self._numbers.index_select(0, self._which)
        return (self._graph._all_nodes(self._number) if self._which is None else self._which).to(self._graph.idtype)

    def batch_size(self) -> int:
        """The number of nodes."""
        return self._graph._size(self._number) if self._which is None else self._which.shape[0]

    def __len__(self) -> int:
        return self.batch_size()

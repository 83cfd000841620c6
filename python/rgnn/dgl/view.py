"""What ``g.ndata``, ``g.edata``, ``g.nodes[...]`` and ``g.edges[...]`` are: dictionaries that read and write frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from torch import Tensor

from .base import ALL, DGLError, FieldError, is_all


class DataView:
    """The features of the nodes, or edges, of one type or of several; a mapping, with all that a dictionary has.

    Of several types, a value is a dictionary of tensors by type.
    """

    def __init__(self, graph: Any, names: list, numbers: list[int], single: bool, which: Any, of_nodes: bool):
        self._graph, self._names, self._numbers = graph, names, numbers
        self._single, self._which, self._of_nodes = single, which, of_nodes

    def _frames(self) -> list[dict[str, Tensor]]:
        frames = self._graph._node_frames if self._of_nodes else self._graph._edge_frames
        return [frames[number] for number in self._numbers]

    def _read(self, number: int, key: str) -> Tensor:
        if self._of_nodes:
            return self._graph._get_nodes(number, key, self._which)
        return self._graph._get_edges(number, key, self._which)

    def _write(self, number: int, data: Mapping[str, Tensor]) -> None:
        if self._of_nodes:
            self._graph._set_nodes(number, data, self._which)
        else:
            self._graph._set_edges(number, data, self._which)

    def __getitem__(self, key: str) -> Any:
        if self._single:
            return self._read(self._numbers[0], key)
        return {name: self._read(number, key) for name, number, frame in
                zip(self._names, self._numbers, self._frames()) if key in frame}  # fmt: skip

    def __setitem__(self, key: str, value: Any) -> None:
        if self._single:
            if isinstance(value, dict):
                raise DGLError(f"{key!r}: expected a tensor, since there is one type, got a dictionary of "
                               f"{', '.join(map(str, value))}")  # fmt: skip
            self._write(self._numbers[0], {key: value})
            return
        if not isinstance(value, dict):
            raise DGLError(f"{key!r}: expected a dictionary of tensors by type, of {', '.join(map(str, self._names))}, "
                           f"got {type(value).__name__}")  # fmt: skip
        for name, rows in value.items():
            self._write(self._number_of(name), {key: rows})

    def _number_of(self, name: Any) -> int:
        if not self._of_nodes:
            return self._graph.get_etype_id(name)
        if name not in self._names:
            raise DGLError(f"expected one of the node types {', '.join(self._names)}, got {name!r}")
        return self._numbers[self._names.index(name)]

    def __contains__(self, key: str) -> bool:
        return any([key in frame for frame in self._frames()])

    def __delitem__(self, key: str) -> None:
        found = [frame for frame in self._frames() if key in frame]
        if not found:
            raise FieldError(f"expected a feature that there is, of {', '.join(map(repr, self.keys()))}, got {key!r}")
        for frame in found:
            del frame[key]

    def keys(self) -> list[str]:
        """The names of the features that some type has."""
        return list(dict.fromkeys([key for frame in self._frames() for key in frame]))

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def values(self) -> list:
        """The features."""
        return [self[key] for key in self.keys()]

    def items(self) -> list[tuple[str, Any]]:
        """Names and features."""
        return [(key, self[key]) for key in self.keys()]

    def get(self, key: str, default: Any = None) -> Any:
        """A feature, or what is given for none."""
        if key not in self:
            return default
        return self[key]

    def pop(self, key: str, *default: Any) -> Any:
        """A feature, which is taken away."""
        if key not in self and default:
            return default[0]
        value = self[key]
        del self[key]
        return value

    def update(self, other: Any = (), **more: Any) -> None:
        """Sets several features."""
        for key, value in [*dict(other).items(), *more.items()]:
            self[key] = value

    def setdefault(self, key: str, default: Any = None) -> Any:
        """A feature, which is set where there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Takes all features away."""
        for frame in self._frames():
            frame.clear()

    def __repr__(self) -> str:
        return repr(dict(self.items()))


class Space:
    """What ``g.nodes["user"]`` is: its features, as ``data``."""

    def __init__(self, data: DataView):
        self.data = data


class NodeView:
    """``g.nodes``, ``g.srcnodes`` and ``g.dstnodes``: called, numbers of nodes; by a type, or numbers, features."""

    def __init__(self, graph: Any, number_of: Any):
        self._graph, self._number_of = graph, number_of

    def __call__(self, ntype: str | None = None) -> Tensor:
        return self._graph._all_nodes(self._number_of(ntype))

    def __getitem__(self, key: Any) -> Space:
        which, ntype = key if isinstance(key, tuple) else (ALL, key) if key is None or isinstance(key, str) else (
            key, None)  # fmt: skip
        number = self._number_of(ntype)
        which = ALL if is_all(which) else which
        return Space(DataView(self._graph, [self._graph.ntypes[number]], [number], True, which, True))


class EdgeView:
    """``g.edges``: called, the edges; by a type, or numbers or ends of edges, features."""

    def __init__(self, graph: Any):
        self._graph = graph

    def __call__(self, form: str = "uv", order: str = "eid", etype: Any = None) -> Any:
        return self._graph.all_edges(form, order, etype)

    def __getitem__(self, key: Any) -> Space:
        which, etype = ALL, key
        if isinstance(key, tuple) and len(key) == 2:
            which, etype = (key[0], key[1]) if isinstance(key[1], (str, tuple)) else (key, None)
        elif key is not None and not isinstance(key, (str, tuple)):
            which, etype = key, None
        number = self._graph.get_etype_id(etype)
        which = ALL if is_all(which) else which
        names = [self._graph.canonical_etypes[number]]
        return Space(DataView(self._graph, names, [number], True, which, False))

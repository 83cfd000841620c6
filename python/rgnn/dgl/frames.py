"""Features of nodes and edges: what a graph's frames hold, and scopes in which changes of them are forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from .base import DGLError, FieldError, describe_shape, is_all
from .degrees import plain
from .structure import Structure


class Frames(Structure):
    """A graph with features; a part of :class:`rgnn.dgl.DGLGraph`.

    A frame is the dictionary of the features of one type, each a tensor with a row for each node or edge of it.
    """

    # What reads and writes a frame; ``which`` is ALL, or numbers of nodes or edges

    def _get(self, frame: dict[str, Tensor], key: str, which: Any, what: str) -> Tensor:
        if key not in frame:
            raise FieldError(f"expected a feature of {what}, of {', '.join(map(repr, frame)) or 'none'}, got {key!r}")
        return frame[key] if is_all(which) else frame[key].index_select(0, self._numbers(which))

    def _set(self, frame: dict[str, Tensor], data: Mapping[str, Tensor], which: Any, count: int, what: str) -> None:
        if not is_all(which):
            self._set_rows(frame, data, self._numbers(which), count, what)
            return
        for key, given in data.items():
            value = plain(given)
            self._check_rows(key, value, count, what)
            frame[key] = value

    def _check_rows(self, key: str, value: Any, count: int, what: str) -> None:
        """Raises DGLError where a feature is no tensor of ``count`` rows on the graph's device."""
        if not isinstance(value, Tensor):
            raise DGLError(f"{key!r} of {what}: expected a tensor, got {describe_shape(value)}")
        if value.dim() == 0 or value.shape[0] != count:
            raise DGLError(f"{key!r} of {what}: expected {count} rows, one for each, got {describe_shape(value)}"
                           f"{self._others_with(value)}")  # fmt: skip
        if value.device != self.device:
            raise DGLError(f"{key!r} of {what}: expected a tensor on {self.device}, where the graph is, got one on "
                           f"{value.device}")  # fmt: skip

    def _others_with(self, rows: Tensor) -> str:
        """What a tensor may have rows of, for a message; empty where that is nothing."""
        count = rows.shape[0] if rows.dim() else -1
        names = [self._nodes_name(number) for number in range(len(self._ntypes)) if self._size(number) == count]
        names += [self._edges_name(number) for number, edges in enumerate(self._edges) if edges.shape[1] == count]
        return f", as many as {' or '.join(names)}" if names else ""

    def _set_rows(
        self, frame: dict[str, Tensor], data: Mapping[str, Tensor], which: Tensor, count: int, what: str
    ) -> None:
        """Sets some rows; those that were not there are 0."""
        for key, value in data.items():
            if value.shape[0] != which.shape[0]:
                raise DGLError(f"{key!r} of {what}: expected {which.shape[0]} rows, one for each of the numbers, got "
                               f"{describe_shape(value)}")  # fmt: skip
            before = frame[key] if key in frame else value.new_zeros((count, *value.shape[1:]))
            frame[key] = before.index_copy(0, which, value)

    def _numbers(self, which: Any) -> Tensor:
        """Numbers of nodes or edges, int64: given as a tensor, as integers, one or a list, or as a mask."""
        numbers = torch.as_tensor(which, device=self.device)
        if numbers.dtype == torch.bool:
            return numbers.nonzero().view(-1)
        return numbers.view(-1).long()

    def _nodes_name(self, number: int) -> str:
        return f"nodes of type {self._ntypes[number]!r}"

    def _edges_name(self, number: int) -> str:
        return f"edges of type {self._canonical[number]}"

    def _set_nodes(self, number: int, data: Mapping[str, Tensor], which: Any) -> None:
        self._set(self._node_frames[number], data, which, self._size(number), self._nodes_name(number))

    def _get_nodes(self, number: int, key: str, which: Any) -> Tensor:
        return self._get(self._node_frames[number], key, which, self._nodes_name(number))

    def _set_edges(self, number: int, data: Mapping[str, Tensor], which: Any) -> None:
        if isinstance(which, tuple):  # ends
            which = self.edge_ids(*which, etype=self._canonical[number])
        count = self._edges[number].shape[1]
        self._set(self._edge_frames[number], data, which, count, self._edges_name(number))

    def _get_edges(self, number: int, key: str, which: Any) -> Tensor:
        if isinstance(which, tuple):
            which = self.edge_ids(*which, etype=self._canonical[number])
        return self._get(self._edge_frames[number], key, which, self._edges_name(number))

    # Scopes

    def local_scope(self) -> LocalScope:
        """A context in which features that are set, or taken away, are so until it ends."""
        return LocalScope(self)

    def local_var(self) -> Any:
        """A graph of the same edges and features; what is set of it is not set of this one."""
        return self._with(frames=True)

    def clone(self) -> Any:
        """A graph with copies of the edges and features."""
        edges = [edges.clone() for edges in self._edges]
        copy = self._with(edges=edges, frames=True)
        for frame in [*copy._node_frames, *copy._edge_frames, *copy._type_frames]:
            frame.update({key: value.clone() for key, value in frame.items()})
        return copy

    def _with(
        self, edges: list[Tensor] | None = None, sizes: list[int] | None = None, frames: bool = False
    ) -> Any:
        """A graph of the same types: with other edges, other numbers of nodes, and its features where these fit."""
        sizes = [self._size(number) for number in range(len(self._ntypes))] if sizes is None else sizes
        made = type(self)(self._ntypes, self._canonical, self._ends, edges or self._edges, sizes, self._block)
        if edges is None:
            made._unreached = self._unreached
        made._type_frames = (dict(self._type_frames[0]), dict(self._type_frames[1]))
        if frames:
            made._node_frames = [dict(frame) for frame in self._node_frames]
            made._edge_frames = [dict(frame) for frame in self._edge_frames]
            made._batch = self._batch
        return made

    def without_data(self) -> Any:
        """A graph of the same types without nodes, edges and features: what a compiled model keeps of its calls."""
        edges, sizes = [edges.new_empty((2, 0)) for edges in self._edges], [0] * len(self._ntypes)
        return type(self)(self._ntypes, self._canonical, self._ends, edges, sizes, self._block)

    # Devices and dtypes

    def to(self, device: Any, **how: Any) -> Any:
        """A graph with edges and features on a device; ``non_blocking`` as of PyTorch. This one, if it is there."""
        if torch.device(device) == self.device:
            return self
        made = self._with([edges.to(device, **how) for edges in self._edges], frames=True)
        for frame in [*made._node_frames, *made._edge_frames, *made._type_frames]:
            frame.update({key: value.to(device, **how) for key, value in frame.items()})
        if self._batch is not None:
            nodes, edges = self._batch
            made._batch = ({key: value.to(device) for key, value in nodes.items()},
                           {key: value.to(device) for key, value in edges.items()})  # fmt: skip
        return made

    def cpu(self) -> Any:
        """A graph on the processor."""
        return self.to("cpu")

    def astype(self, idtype: torch.dtype) -> Any:
        """A graph whose numbers are int64 or int32."""
        if idtype not in (torch.int64, torch.int32):
            raise DGLError(f"expected int64 or int32 for numbers of nodes and edges, got {idtype}")
        return self if idtype == self.idtype else self._with([edges.to(idtype) for edges in self._edges], frames=True)

    def long(self) -> Any:
        """A graph whose numbers are int64."""
        return self.astype(torch.int64)

    def int(self) -> Any:
        """A graph whose numbers are int32."""
        return self.astype(torch.int32)

    def formats(self, formats: Any = None) -> Any:
        """This graph: the compiler makes what formats its kernels read. Without an argument, what DGL would say."""
        return {"created": ["coo"], "not created": ["csr", "csc"]} if formats is None else self

    def create_formats_(self) -> None:
        """Does nothing: the compiler makes what formats its kernels read."""


class LocalScope:
    """What :meth:`Frames.local_scope` gives."""

    def __init__(self, graph: Frames):
        self._graph = graph

    def __enter__(self) -> None:
        graph = self._graph
        self._before = graph._node_frames, graph._edge_frames, graph._type_frames
        graph._node_frames = [dict(frame) for frame in graph._node_frames]
        graph._edge_frames = [dict(frame) for frame in graph._edge_frames]
        graph._type_frames = (dict(graph._type_frames[0]), dict(graph._type_frames[1]))

    def __exit__(self, *error: Any) -> None:
        self._graph._node_frames, self._graph._edge_frames, self._graph._type_frames = self._before

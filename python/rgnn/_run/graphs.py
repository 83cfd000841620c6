"""Graph views, and what else is built once for tensors, found again by the tensors that made them.

Such a value belongs to the tensor objects themselves, held weakly, and to their versions and addresses
(``tensor.data = ...`` leaves the version). Never to addresses alone: memory is reused, and a new graph at an old
address would get the old graph's views.
"""

from __future__ import annotations

import functools
import re
import weakref
from typing import Any

import torch
from _rgnn_runtime import Graph as GraphViews
from torch import Tensor

from .._errors import InputError
from .device import host_copy, is_on_gpu
from .views import ViewBuilder

Cache = dict[tuple, tuple[list[tuple[weakref.ref, int, int]], Any]]

_views: Cache = {}  # of lists of edges: the views by the numbers of nodes
_structures: dict[tuple, int] = {}  # numbers, which a key holds at less cost
_MAX_SIZES = 8  # numbers of nodes that one edge_index has views for; the oldest go


class GraphSource:
    """What a compiled function makes a graph of.

    Args:
        description: an entry of its manifest.
        names: of the inputs, as messages call them.
    """

    def __init__(self, description: dict, names: list[str]):
        self._edges = description["edge_index"]
        self._names = [names[i] for i in self._edges]
        self._computed: set[str] = set()  # names of arguments that lists are made of
        self._type = description["edge_type"]
        self._sources = [*self._edges, self._type] if self._type >= 0 else self._edges
        # Of each node type: a constant, and the inputs and dimensions whose sizes are added to it.
        self._nodes = [_terms(size) for size in description["num_nodes"]]
        self._count = description["num_edge_types"]
        self._ends = (tuple(description["src_type"]), tuple(description["dst_type"]))
        self._bipartite = description.get("bipartite", False)
        structure = (self._type >= 0, self._count, self._ends, self._bipartite)
        self._structure = _structures.setdefault(structure, len(_structures))

    def name_list(self, names: dict[int, str]) -> None:
        """Takes over which argument of the model edges were made of that are no argument."""
        self._computed = {names[i] for i in self._edges if i in names}
        self._names = [names.get(i, name) for i, name in zip(self._edges, self._names)]

    def find(self, tensors: list[Tensor]) -> GraphViews:
        """The views of the graph that a call's tensors make.

        Raises:
            InputError: an index or type out of range, a wrong dtype, rank or device.
        """
        sources = [tensors[i] for i in self._sources]
        nodes = self.num_nodes(tensors)
        key = self._key(sources)
        by_sizes = lookup(_views, key, sources)
        views = None if by_sizes is None else by_sizes.get(nodes)
        if views is None:
            edges = [tensors[i] for i in self._edges]
            types = tensors[self._type] if self._type >= 0 else None
            try:
                views = self._make(edges, types, nodes)
            except InputError as error:
                raise InputError(self._rename(str(error))) from None
            if by_sizes is None:
                keep(_views, key, sources, {nodes: views})
                return views
            by_sizes[nodes] = views
            for other in list(by_sizes)[:-_MAX_SIZES]:
                by_sizes.pop(other, None)
        return views

    def key(self, tensors: list[Tensor]) -> tuple:
        """What says which graph a call's tensors make."""
        return *self._key([tensors[i] for i in self._sources]), *self.num_nodes(tensors)

    def forget(self, tensors: list[Tensor]) -> None:
        """Drops the views of the graph that a call's tensors make."""
        _views.pop(self._key([tensors[i] for i in self._sources]), None)

    def _key(self, sources: list[Tensor]) -> tuple:
        return self._structure, *map(id, sources)

    def _rename(self, message: str) -> str:
        """A message of the runtime, which knows lists of edges by their places, with the name of the argument."""
        what = re.match(r"edge_index(?:\[(\d+)\])?(?=:)", message)
        if what is None:
            return message
        name, text = self._names[int(what[1] or 0)], message[what.end() :]
        # Edges that are made of an argument have other numbers than it has.
        return name + (re.sub(r" at edge \d+$", "", text) if name in self._computed else text)

    def _make(self, edges: list[Tensor], types: Tensor | None, nodes: tuple[int, ...]) -> GraphViews:
        arguments = self._count, nodes, *self._ends, self._bipartite
        graph = GraphViews(edges, types, *arguments)
        if not is_on_gpu(edges[0]):
            return graph
        builder = ViewBuilder(edges, types, *arguments)
        if not builder.in_range:  # the runtime says which index is wrong
            GraphViews([host_copy(tensor) for tensor in edges], None if types is None else host_copy(types), *arguments)
        return GraphViews(edges, types, *arguments, builder)

    def num_edges(self, tensors: list[Tensor]) -> int:
        if tensors[self._edges[0]].dim() == 1:
            return tensors[self._edges[0]].shape[0]
        return sum(tensors[i].shape[1] for i in self._edges)

    def num_nodes(self, tensors: list[Tensor]) -> tuple[int, ...]:
        """Number of nodes per node type."""
        return tuple([constant + sum([tensors[i].shape[dim] for i, dim in sizes]) for constant, sizes in self._nodes])


def _terms(size: dict) -> tuple[int, tuple[tuple[int, int], ...]]:
    terms = [_terms(term) for term in size.get("sum", ())]
    sizes = tuple(one for _, sizes in terms for one in sizes)
    if "input" in size:
        sizes = ((size["input"], size["dim"]),)
    return size.get("value", 0) + sum(constant for constant, _ in terms), sizes


def lookup(cache: Cache, key: tuple, sources: list[Tensor]) -> Any:
    """What was kept for these tensors as they are; None where there is nothing."""
    found = cache.get(key)
    if found is None:
        return None
    origins, value = found
    for (reference, version, address), source in zip(origins, sources):
        if reference() is not source or source._version != version or source.data_ptr() != address:
            return None
    return value


def keep(cache: Cache, key: tuple, sources: list[Tensor], value: Any) -> None:
    """Keeps a value as long as its tensors live; ``key`` holds their ids."""
    # Tensors of inference mode have no version: a change could not be seen, so what is made of them is not kept.
    if not any(map(torch.Tensor.is_inference, sources)):
        forget = functools.partial(_forget, cache, key)
        cache[key] = ([(weakref.ref(source, forget), source._version, source.data_ptr()) for source in sources], value)


def _forget(cache: Cache, key: tuple, _: weakref.ref) -> None:
    cache.pop(key, None)

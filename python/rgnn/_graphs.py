"""Graph views, and what else is built once for tensors, found again by the tensors that made them.

Such a value belongs to the tensor objects themselves, held weakly, and to their versions and addresses
(``tensor.data = ...`` leaves the version). Never to addresses alone: memory is reused, and a new graph at an old
address would get the old graph's views.
"""

from __future__ import annotations

import weakref
from typing import Any

import torch
from _rgnn_runtime import Graph as GraphViews
from torch import Tensor

Cache = dict[tuple, tuple[list[weakref.ref], list[tuple[int, int]], Any]]

_views: Cache = {}


def find(tensors: list[Tensor], description: dict) -> GraphViews:
    """The views of the graph that ``description`` (an entry of the manifest) makes of a call's tensors.

    Raises:
        InputError: an index or type out of range, a wrong dtype, rank or device.
    """
    edges = [tensors[i] for i in description["edge_index"]]
    types = tensors[description["edge_type"]] if description["edge_type"] >= 0 else None
    nodes = tuple(
        size["value"] if "value" in size else tensors[size["input"]].shape[size["dim"]]
        for size in description["num_nodes"]
    )
    sources = edges if types is None else [*edges, types]
    count = description["num_edge_types"]
    ends = (tuple(description["src_type"]), tuple(description["dst_type"]))
    key = (tuple(map(id, sources)), types is None, nodes, count, ends)
    views = lookup(_views, key, sources)
    if views is None:
        views = GraphViews(edges, types, count, nodes, *ends)
        keep(_views, key, sources, views)
    return views


def lookup(cache: Cache, key: tuple, sources: list[Tensor]) -> Any:
    """What was kept for these tensors as they are; None where there is nothing."""
    found = cache.get(key)
    if found is not None:
        references, versions, value = found
        if all(
            reference() is source and (source._version, source.data_ptr()) == version
            for reference, source, version in zip(references, sources, versions)
        ):
            return value
    return None


def keep(cache: Cache, key: tuple, sources: list[Tensor], value: Any) -> None:
    """Keeps a value as long as its tensors live; ``key`` holds their ids."""
    # Tensors of inference mode have no version: a change could not be seen, so what is made of them is not kept.
    if not any(map(torch.Tensor.is_inference, sources)):
        references = [weakref.ref(source, lambda _, key=key: cache.pop(key, None)) for source in sources]
        cache[key] = (references, [(source._version, source.data_ptr()) for source in sources], value)

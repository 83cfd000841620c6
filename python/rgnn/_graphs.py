"""Graph views, built once per graph and found again by the tensors that made them.

A view belongs to the tensor objects themselves, held weakly, and to their versions and addresses (``tensor.data = ...``
leaves the version). Never to addresses alone: memory is reused, and a new graph at an old address would get the old
graph's views.
"""

from __future__ import annotations

import weakref

import torch
from _rgnn_runtime import Graph as GraphViews
from torch import Tensor

_views: dict[tuple, tuple[list[weakref.ref], list[tuple[int, int]], GraphViews]] = {}


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
    found = _views.get(key)
    if found is not None:
        references, versions, views = found
        if all(
            reference() is source and (source._version, source.data_ptr()) == version
            for reference, source, version in zip(references, sources, versions)
        ):
            return views
    views = GraphViews(edges, types, count, nodes, *ends)
    # Tensors of inference mode have no version: a change could not be seen, so their views are not kept.
    if not any(map(torch.Tensor.is_inference, sources)):
        references = [weakref.ref(source, lambda _, key=key: _views.pop(key, None)) for source in sources]
        _views[key] = (references, [(source._version, source.data_ptr()) for source in sources], views)
    return views

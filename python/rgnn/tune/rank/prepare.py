"""What is left out of a module before a network sees it: nodes, and repeated configurations.

Source: TGraph (sec. 2.2.1, 2.2.2 and 2.2.4).
"""

from __future__ import annotations

import dataclasses

import numpy as np

from .graphs import ModuleGraph, NodeConfigurations
from .packing import LEAST


def prune(module: ModuleGraph) -> ModuleGraph:
    """Keeps configurable nodes, their neighbours along edges of either direction, and the edges among these.

    Nodes keep their order. A module without configurable nodes stays as it is.
    """
    if not len(module.configurable):
        return module
    is_configurable = np.zeros(len(module.ops), bool)
    is_configurable[module.configurable] = True
    sources, targets = module.edges
    keeps = is_configurable.copy()
    keeps[targets[is_configurable[sources]]] = True
    keeps[sources[is_configurable[targets]]] = True
    numbers = np.cumsum(keeps) - 1
    return dataclasses.replace(
        module, numbers=module.numbers[keeps], layouts=module.layouts[keeps], ops=module.ops[keeps],
        edges=numbers[module.edges[:, keeps[sources] & keeps[targets]]],
        configurable=numbers[module.configurable])  # fmt: skip


def deduplicate(module: ModuleGraph) -> ModuleGraph:
    """Keeps one of equal configurations, the one with the least relative time; they keep their order."""
    order = np.argsort(module.relative_times, kind="stable")
    _, first = np.unique(module.configurations.keys[order], return_index=True)
    return pick(module, np.sort(order[first]))


def pick(module: ModuleGraph, which: np.ndarray) -> ModuleGraph:
    """The same module with some of its configurations, by their numbers."""
    normalisers = None if module.normalisers is None else module.normalisers[which]
    return dataclasses.replace(module, configurations=module.configurations.at(which), times=module.times[which],
                               normalisers=normalisers)  # fmt: skip


def pad_permutations(layouts: np.ndarray) -> np.ndarray:
    """Pads orders of dimensions ``[N, L]``, minor to major, by -1 where TpuGraphs pads them by 0, one of their values.

    An order of ``r`` dimensions is a permutation of ``0..r-1``: the largest value says how many there are. Where all
    are 0 it is one dimension; so is that of a scalar, whose shape is a feature of its own.
    """
    ranks = layouts.max(1, initial=0, keepdims=True) + 1
    return np.where(np.arange(layouts.shape[1]) < ranks, layouts, LEAST)


def spread(module: ModuleGraph) -> np.ndarray:
    """Features ``[C, N, D]``, int64, of all nodes of a layout collection: -1 of those that are not configurable.

    Raises:
        TypeError: the module is one of a tile collection.
    """
    if not isinstance(module.configurations, NodeConfigurations):
        raise TypeError(f"{module.name}: expected configurations of nodes, got those of a module")
    features = module.configurations.features()
    spread = np.full((len(features), len(module.ops), features.shape[-1]), LEAST, np.int64)
    spread[:, module.configurable] = features
    return spread


def neighbours(edges: np.ndarray) -> np.ndarray:
    """Edges ``[2, E']`` in both directions, each once: the neighbours of a node are those on either end."""
    return np.unique(np.concatenate([edges, edges[::-1]], axis=1), axis=1)

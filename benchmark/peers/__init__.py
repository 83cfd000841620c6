"""The implementations that the benchmark compares: one class each, found by name in :data:`PEERS`.

Modules are imported only when a peer of theirs is used, so that no peer pays for another's imports.
"""

from __future__ import annotations

import importlib

# name -> (module, class, models it has). The order is that of the table.
PEERS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "rgnn": ("rgnn_peer", "Rgnn", ("rgcn", "rgat", "hgt")),
    "rgnn-unrewritten": ("rgnn_peer", "Unrewritten", ("rgcn", "rgat", "hgt")),
    "pyg": ("pyg_peer", "Eager", ("rgcn", "rgat", "hgt")),
    "pyg-fast": ("pyg_peer", "EagerFast", ("rgcn",)),
    "pyg-compiled": ("pyg_peer", "Compiled", ("rgcn", "rgat", "hgt")),
    "pyg-fast-compiled": ("pyg_peer", "CompiledFast", ("rgcn",)),
    "dgl": ("dgl_peer", "Dgl", ("rgcn", "hgt")),
    "plain": ("plain_peer", "Plain", ("rgcn", "rgat", "hgt")),
    "plain-compact": ("plain_peer", "PlainCompact", ("rgcn", "rgat", "hgt")),
}

# In training, in place of those above: autograd refuses their reused buffers.
TRAINING = {"plain": ("plain_training_peer", "Plain"), "plain-compact": ("plain_training_peer", "PlainCompact")}

# Why a peer is not in the table of a model.
ABSENT = {("dgl", "rgat"): "no equal function (HeteroGraphConv of GATConv normalises within each relation)"}


def make(name: str, problem, training: bool = False):
    module, class_name, *_ = TRAINING.get(name, PEERS[name]) if training else PEERS[name]
    return getattr(importlib.import_module(f"peers.{module}"), class_name)(problem)

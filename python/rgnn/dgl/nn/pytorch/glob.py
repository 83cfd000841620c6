"""Modules that give a row for each graph of a batch."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from ...base import DGLError, describe_shape
from ...heterograph import DGLGraph
from ...readout import readout_nodes, softmax_nodes, topk_nodes

__all__ = ["AvgPooling", "GlobalAttentionPooling", "MaxPooling", "SortPooling", "SumPooling", "WeightAndSum"]


class _Pooling(nn.Module):
    """Rows of nodes, ``[N, *]``, reduced for each graph, ``[B, *]``."""

    _op = ""

    def forward(self, graph: DGLGraph, feat: Tensor) -> Tensor:
        """Reduces the rows of the nodes of each graph."""
        with graph.local_scope():
            graph.ndata["h"] = feat
            return readout_nodes(graph, "h", op=self._op)


class SumPooling(_Pooling):
    """The sum of the rows of each graph, ``[B, *]``."""

    _op = "sum"


class AvgPooling(_Pooling):
    """The mean of the rows of each graph, ``[B, *]``."""

    _op = "mean"


class MaxPooling(_Pooling):
    """The largest of the rows of each graph, entry by entry, ``[B, *]``."""

    _op = "max"


class SortPooling(nn.Module):
    """The ``k`` rows of each graph whose largest entry is largest, with their entries sorted, side by side.

    Source: Zhang et al., An End-to-End Deep Learning Architecture for Graph Classification (AAAI 2018).
    """

    def __init__(self, k: int):
        super().__init__()
        self.k = k

    def forward(self, graph: DGLGraph, feat: Tensor) -> Tensor:
        """``[N, F]`` gives ``[B, k * F]``, with 0 where a graph has fewer nodes."""
        with graph.local_scope():
            graph.ndata["h"] = feat.sort(-1)[0]
            return topk_nodes(graph, "h", self.k, sortby=-1)[0].view(-1, self.k * feat.shape[-1])


class GlobalAttentionPooling(nn.Module):
    """The sum of rows of each graph, weighted by a softmax of what a network makes of each.

    Args:
        gate_nn: a module that gives ``[N, 1]`` of ``[N, F]``.
        feat_nn: a module for the rows that are added up; None for the rows themselves.

    Source: Li et al., Gated Graph Sequence Neural Networks (ICLR 2016), eq. 7.
    """

    def __init__(self, gate_nn: nn.Module, feat_nn: nn.Module | None = None):
        super().__init__()
        self.gate_nn, self.feat_nn = gate_nn, feat_nn

    def forward(self, graph: DGLGraph, feat: Tensor, get_attention: bool = False) -> Any:
        """``[N, F]`` gives ``[B, F]``, and with ``get_attention`` the weights, ``[N, 1]``."""
        gate = self.gate_nn(feat)
        if gate.shape[-1] != 1:
            raise DGLError(f"gate_nn: expected rows of one number, got {describe_shape(gate)}")
        with graph.local_scope():
            graph.ndata["gate"] = gate
            gate = softmax_nodes(graph, "gate")
            graph.ndata["h"] = (feat if self.feat_nn is None else self.feat_nn(feat)) * gate
            result = readout_nodes(graph, "h")
        return (result, gate) if get_attention else result


class WeightAndSum(nn.Module):
    """The sum of rows of each graph, each with a weight between 0 and 1 that is computed of it.

    Args:
        in_feats: the width of rows.
    """

    def __init__(self, in_feats: int):
        super().__init__()
        self.in_feats = in_feats
        self.atom_weighting = nn.Sequential(nn.Linear(in_feats, 1), nn.Sigmoid())

    def forward(self, g: DGLGraph, feats: Tensor) -> Tensor:
        """``[N, F]`` gives ``[B, F]``."""
        with g.local_scope():
            g.ndata["h"] = feats * self.atom_weighting(feats)
            return readout_nodes(g, "h")

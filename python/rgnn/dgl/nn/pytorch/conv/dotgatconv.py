"""Attention by products of the rows of both ends."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .... import ops
from ....heterograph import DGLGraph
from ....utils import expand_as_pair
from .passing import ReachedConv, first_rows, heads, propagate

__all__ = ["AGNNConv", "DotGatConv"]


class DotGatConv(ReachedConv):
    """Row ``i`` is the sum over edges ``j -> i`` of ``a_ji W x_j``; ``a`` is a softmax of products of both ends.

    Products are divided by the root of the width.

    Args:
        in_feats: the width of rows, or a pair for sources and destinations, which then have a weight each.
        out_feats, num_heads: the width of each head's results, and how many heads.
        allow_zero_in_degree: whether nodes that no edge leads to are taken.
    """

    def __init__(self, in_feats: Any, out_feats: int, num_heads: int, allow_zero_in_degree: bool = False):
        super().__init__(allow_zero_in_degree)
        self._in_src_feats, self._in_dst_feats = expand_as_pair(in_feats)
        self._out_feats, self._num_heads = out_feats, num_heads
        width = out_feats * num_heads
        if isinstance(in_feats, tuple):
            self.fc_src = nn.Linear(self._in_src_feats, width, bias=False)
            self.fc_dst = nn.Linear(self._in_dst_feats, width, bias=False)
        else:
            self.fc = nn.Linear(self._in_src_feats, width, bias=False)

    def forward(self, graph: DGLGraph, feat: Any, get_attention: bool = False) -> Any:
        """``[N, in_feats]``, or a pair, gives ``[destinations, heads, out_feats]``, and with ``get_attention``
        ``a``, ``[E, heads, 1]``."""
        self._check_reached(graph)
        if isinstance(feat, tuple):
            source, target = heads(self.fc_src, feat[0], self._num_heads), heads(self.fc_dst, feat[1], self._num_heads)
        else:
            source, target = first_rows(heads(self.fc, feat, self._num_heads), graph)
        weights = ops.edge_softmax(graph, ops.u_dot_v(graph, source, target) / self._out_feats**0.5)
        rows = propagate(graph, source, "sum", weights)
        return (rows, weights) if get_attention else rows


class AGNNConv(ReachedConv):
    """Row ``i`` is the sum over edges ``j -> i`` of ``a_ji x_j``; ``a`` is a softmax of ``beta`` times cosines.

    Args:
        init_beta, learn_beta: the first value of ``beta``, and whether it is a parameter.
        allow_zero_in_degree: whether nodes that no edge leads to are taken.

    Source: Thekumparampil et al., Attention-based Graph Neural Network for Semi-supervised Learning (2018).
    """

    def __init__(self, init_beta: float = 1.0, learn_beta: bool = True, allow_zero_in_degree: bool = False):
        super().__init__(allow_zero_in_degree)
        if learn_beta:
            self.beta = nn.Parameter(torch.tensor([float(init_beta)]))
        else:
            self.register_buffer("beta", torch.tensor([float(init_beta)]))

    def forward(self, graph: DGLGraph, feat: Any) -> Tensor:
        """``[N, F]``, or a pair for sources and destinations, gives ``[destinations, F]``."""
        self._check_reached(graph)
        source, target = first_rows(feat, graph)
        cosines = ops.u_dot_v(graph, F.normalize(source, dim=-1), F.normalize(target, dim=-1))
        return propagate(graph, source, "sum", ops.edge_softmax(graph, self.beta * cosines))

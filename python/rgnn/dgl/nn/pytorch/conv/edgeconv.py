"""Convolution of differences along edges."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from .... import ops, segments
from ....heterograph import DGLGraph
from .passing import ReachedConv, first_rows

__all__ = ["EdgeConv"]


class EdgeConv(ReachedConv):
    """Row ``i`` is the largest over edges ``j -> i``, entry by entry, of ``theta(x_i - x_j) + phi(x_i)``.

    The difference is that of DGL, destination less source; the paper has the other.

    Args:
        in_feat, out_feat: the widths of rows.
        batch_norm: whether what edges have is normalised over all of them.
        allow_zero_in_degree: whether nodes that no edge leads to are taken; they get 0.

    Source: Wang et al., Dynamic Graph CNN for Learning on Point Clouds (ACM Transactions on Graphics 2019).
    """

    def __init__(self, in_feat: int, out_feat: int, batch_norm: bool = False, allow_zero_in_degree: bool = False):
        super().__init__(allow_zero_in_degree)
        self.batch_norm = batch_norm
        self.theta, self.phi = nn.Linear(in_feat, out_feat), nn.Linear(in_feat, out_feat)
        if batch_norm:
            self.bn = nn.BatchNorm1d(out_feat)

    def forward(self, g: DGLGraph, feat: Any) -> Tensor:
        """``[N, in_feat]``, or a pair for sources and destinations, gives ``[destinations, out_feat]``."""
        self._check_reached(g)
        source, target = first_rows(feat, g, self.theta.in_features)
        rows = ops.e_add_v(g, self.theta(ops.v_sub_u(g, target, source)), self.phi(target))
        if self.batch_norm:
            rows = self.bn(rows)
        return segments.reduce(rows, g._destination(0), g.num_dst_nodes(), "max")

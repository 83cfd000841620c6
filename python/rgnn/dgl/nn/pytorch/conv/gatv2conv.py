"""Graph attention that depends on both ends together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn

from .... import ops
from ....heterograph import DGLGraph
from ....utils import expand_as_pair
from . import passing
from .passing import ReachedConv, empty, first_rows, heads, propagate, xavier

__all__ = ["GATv2Conv"]


class GATv2Conv(ReachedConv):
    """Row ``i`` is the sum over edges ``j -> i`` of ``a_ji W x_j``, where ``a`` depends on ``W x_j + U x_i``.

    It is a softmax, over the edges to i, of the product of a vector with the LeakyReLU of that.

    Args:
        share_weights: whether ``U`` is ``W``.
        in_feats, out_feats, num_heads, feat_drop, attn_drop, negative_slope, residual, activation,
            allow_zero_in_degree, bias: as of :class:`GATConv`; biases are those of ``W`` and ``U``.

    Source: Brody, Alon and Yahav, How Attentive are Graph Attention Networks? (ICLR 2022).
    """

    def __init__(
        self, in_feats: Any, out_feats: int, num_heads: int, feat_drop: float = 0.0, attn_drop: float = 0.0,
        negative_slope: float = 0.2, residual: bool = False, activation: Callable | None = None,
        allow_zero_in_degree: bool = False, bias: bool = True, share_weights: bool = False,
    ):  # fmt: skip
        super().__init__(allow_zero_in_degree)
        self._num_heads, self._out_feats = num_heads, out_feats
        self._in_src_feats, self._in_dst_feats = expand_as_pair(in_feats)
        self.share_weights, self.bias, self.activation = share_weights, bias, activation
        width = out_feats * num_heads
        self.fc_src = nn.Linear(self._in_src_feats, width, bias=bias)
        is_shared = share_weights and not isinstance(in_feats, tuple)
        self.fc_dst = self.fc_src if is_shared else nn.Linear(self._in_dst_feats, width, bias=bias)
        self.attn = empty(1, num_heads, out_feats)
        self.feat_drop, self.attn_drop = nn.Dropout(feat_drop), nn.Dropout(attn_drop)
        self.leaky_relu = nn.LeakyReLU(negative_slope)
        self.res_fc = passing.residual(self._in_dst_feats, width, bias) if residual else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Gives parameters new first values."""
        xavier(self.fc_src)
        if not self.share_weights:
            xavier(self.fc_dst)
        nn.init.xavier_normal_(self.attn, gain=nn.init.calculate_gain("relu"))
        xavier(self.res_fc)
        for layer in (self.fc_src, self.fc_dst, self.res_fc):
            if isinstance(layer, nn.Linear) and layer.bias is not None:
                nn.init.zeros_(layer.bias)

    def forward(self, graph: DGLGraph, feat: Any, get_attention: bool = False) -> Any:
        """Convolves.

        Args:
            feat: ``[N, in_feats]``, or a pair for sources and destinations.
            get_attention: whether to give ``a``, too: ``[E, heads, 1]``.

        Returns:
            ``[destinations, heads, out_feats]``.
        """
        self._check_reached(graph)
        is_pair = isinstance(feat, tuple)
        feat = (self.feat_drop(feat[0]), self.feat_drop(feat[1])) if is_pair else self.feat_drop(feat)
        own, other = first_rows(feat, graph, self._in_src_feats, self._in_dst_feats)
        source = heads(self.fc_src, own, self._num_heads)
        is_shared = self.share_weights and not is_pair
        target = first_rows(source, graph)[1] if is_shared else heads(self.fc_dst, other, self._num_heads)
        logits = (self.leaky_relu(ops.u_add_v(graph, source, target)) * self.attn).sum(-1, keepdim=True)
        weights = self.attn_drop(ops.edge_softmax(graph, logits))
        rows = propagate(graph, source, "sum", weights)
        if self.res_fc is not None:
            rows = rows + self.res_fc(other).view(other.shape[0], -1, self._out_feats)
        if self.activation is not None:
            rows = self.activation(rows)
        return (rows, weights) if get_attention else rows

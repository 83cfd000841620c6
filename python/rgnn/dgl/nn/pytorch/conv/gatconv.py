"""Graph attention."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from .... import ops
from ....heterograph import DGLGraph
from ....utils import expand_as_pair
from . import passing
from .passing import ReachedConv, empty, first_rows, heads, propagate, xavier

__all__ = ["GATConv"]


class GATConv(ReachedConv):
    """Row ``i`` is the sum over edges ``j -> i`` of ``a_ji W x_j``; ``a`` is a softmax over the edges to i.

    Args:
        in_feats: the width of rows, or a pair for sources and destinations, which then have a weight each.
        out_feats: the width of each head's results.
        num_heads: how many heads.
        feat_drop, attn_drop: the shares that dropout takes away, of features and of ``a``.
        negative_slope: of the LeakyReLU in ``a``.
        residual: whether rows of nodes are added, through a layer where their width is another.
        activation: a function of the result.
        allow_zero_in_degree: whether nodes that no edge leads to are taken.
        bias: whether there is one.

    Source: Veličković et al., Graph Attention Networks (ICLR 2018).
    """

    def __init__(
        self, in_feats: Any, out_feats: int, num_heads: int, feat_drop: float = 0.0, attn_drop: float = 0.0,
        negative_slope: float = 0.2, residual: bool = False, activation: Callable | None = None,
        allow_zero_in_degree: bool = False, bias: bool = True,
    ):  # fmt: skip
        super().__init__(allow_zero_in_degree)
        self._num_heads, self._out_feats = num_heads, out_feats
        self._in_src_feats, self._in_dst_feats = expand_as_pair(in_feats)
        width = out_feats * num_heads
        if isinstance(in_feats, tuple):
            self.fc_src = nn.Linear(self._in_src_feats, width, bias=False)
            self.fc_dst = nn.Linear(self._in_dst_feats, width, bias=False)
        else:
            self.fc = nn.Linear(self._in_src_feats, width, bias=False)
        self.attn_l, self.attn_r = empty(1, num_heads, out_feats), empty(1, num_heads, out_feats)
        self.feat_drop, self.attn_drop = nn.Dropout(feat_drop), nn.Dropout(attn_drop)
        self.leaky_relu = nn.LeakyReLU(negative_slope)
        self.res_fc = passing.residual(self._in_dst_feats, width, bias) if residual else None
        self.has_linear_res = isinstance(self.res_fc, nn.Linear)  # whose bias is the layer's
        self.has_explicit_bias = bias and not self.has_linear_res
        self.register_parameter("bias", empty(width) if self.has_explicit_bias else None)
        self.reset_parameters()
        self.activation = activation

    def reset_parameters(self) -> None:
        """Gives parameters new first values."""
        for name in ("fc", "fc_src", "fc_dst"):
            xavier(getattr(self, name, None))
        gain = nn.init.calculate_gain("relu")
        nn.init.xavier_normal_(self.attn_l, gain=gain)
        nn.init.xavier_normal_(self.attn_r, gain=gain)
        if self.bias is not None:
            nn.init.zeros_(self.bias)
        xavier(self.res_fc)
        if self.has_linear_res and self.res_fc.bias is not None:
            nn.init.zeros_(self.res_fc.bias)

    def forward(
        self, graph: DGLGraph, feat: Any, edge_weight: Tensor | None = None, get_attention: bool = False
    ) -> Any:
        """Convolves.

        Args:
            feat: ``[N, *, in_feats]``, or a pair for sources and destinations.
            edge_weight: ``[E]``, which ``a`` is multiplied by.
            get_attention: whether to give ``a``, too: ``[E, *, heads, 1]``.

        Returns:
            ``[destinations, *, heads, out_feats]``.
        """
        self._check_reached(graph)
        is_pair = isinstance(feat, tuple)
        feat = (self.feat_drop(feat[0]), self.feat_drop(feat[1])) if is_pair else self.feat_drop(feat)
        own, other = first_rows(feat, graph, self._in_src_feats, self._in_dst_feats)
        has_two = hasattr(self, "fc_src")
        source = heads(self.fc_src if has_two else self.fc, own, self._num_heads)
        if is_pair:
            target = heads(self.fc_dst if has_two else self.fc, other, self._num_heads)
        else:
            _, target = first_rows(source, graph)
        left, right = (source * self.attn_l).sum(-1, keepdim=True), (target * self.attn_r).sum(-1, keepdim=True)
        weights = self.attn_drop(ops.edge_softmax(graph, self.leaky_relu(ops.u_add_v(graph, left, right))))
        if edge_weight is not None:
            weights = weights * edge_weight.view(-1, *[1] * (weights.dim() - 1))
        rows = propagate(graph, source, "sum", weights)
        if self.res_fc is not None:
            rows = rows + self.res_fc(other).view(*other.shape[:-1], -1, self._out_feats)
        if self.bias is not None:
            rows = rows + self.bias.view(self._num_heads, self._out_feats)
        if self.activation is not None:
            rows = self.activation(rows)
        return (rows, weights) if get_attention else rows

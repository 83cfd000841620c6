"""Relational graph convolution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from .... import segments
from ....heterograph import DGLGraph
from ..linear import TypedLinear
from .passing import empty

__all__ = ["RelGraphConv"]


class RelGraphConv(nn.Module):
    """Row ``i`` is the sum over edges ``j -> i`` of type r of ``c_ji x_j W_r``, plus ``x_i W_0``.

    Args:
        in_feat, out_feat: the widths of rows.
        num_rels: how many edge types.
        regularizer, num_bases: how the weights of types are made, as of :class:`TypedLinear`; ``num_rels`` bases for
            None.
        bias: whether there is one.
        activation: a function of the result.
        self_loop: whether there is ``x_i W_0``.
        dropout: the share of the result that dropout takes away.
        layer_norm: whether sums are normalised.

    Source: Schlichtkrull et al., Modeling Relational Data with Graph Convolutional Networks (ESWC 2018).
    """

    def __init__(
        self, in_feat: int, out_feat: int, num_rels: int, regularizer: str | None = None, num_bases: int | None = None,
        bias: bool = True, activation: Callable | None = None, self_loop: bool = True, dropout: float = 0.0,
        layer_norm: bool = False,
    ):  # fmt: skip
        super().__init__()
        num_bases = num_rels if regularizer is not None and num_bases is None else num_bases
        self.linear_r = TypedLinear(in_feat, out_feat, num_rels, regularizer, num_bases)
        self.bias, self.activation, self.self_loop, self.layer_norm = bias, activation, self_loop, layer_norm
        if bias:
            self.h_bias = empty(out_feat)
            nn.init.zeros_(self.h_bias)
        if layer_norm:
            self.layer_norm_weight = nn.LayerNorm(out_feat, elementwise_affine=True)
        if self_loop:
            self.loop_weight = empty(in_feat, out_feat)
            nn.init.xavier_uniform_(self.loop_weight, gain=nn.init.calculate_gain("relu"))
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, g: DGLGraph, feat: Tensor, etypes: Any, norm: Tensor | None = None, *, presorted: bool = False
    ) -> Tensor:
        """Convolves.

        Args:
            feat: ``[N, in_feat]``; of a block, that of sources.
            etypes: the type of each edge, ``[E]``.
            norm: ``c``, ``[E, 1]``; 1 for None.
            presorted: nothing depends on it: the compiler sorts edges by type once for a graph.

        Returns:
            ``[destinations, out_feat]``.
        """
        messages = self.linear_r(segments.pick(feat, g._source(0)), etypes)
        if norm is not None:
            messages = messages * norm
        rows = segments.add_up(messages, g._destination(0), g.num_dst_nodes())
        if self.layer_norm:
            rows = self.layer_norm_weight(rows)
        if self.bias:
            rows = rows + self.h_bias
        if self.self_loop:
            own = feat[: g.num_dst_nodes()] if g.is_block else feat
            rows = rows + own @ self.loop_weight
        if self.activation is not None:
            rows = self.activation(rows)
        return self.dropout(rows)

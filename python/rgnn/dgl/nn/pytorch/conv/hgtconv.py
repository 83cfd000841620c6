"""Heterogeneous graph transformer."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from .... import ops, segments
from ....heterograph import DGLGraph
from ..linear import TypedLinear
from .passing import empty

__all__ = ["HGTConv"]


class HGTConv(nn.Module):
    """Attention whose keys, queries and values have weights per node type, and whose products have some per edge type.

    Args:
        in_size: the width of rows.
        head_size, num_heads: the width of each head's results, and how many heads.
        num_ntypes, num_etypes: how many node types, and edge types.
        dropout: the share that dropout takes away of what is added to the rows.
        use_norm: whether results are normalised.

    Source: Hu et al., Heterogeneous Graph Transformer (WWW 2020).
    """

    def __init__(
        self, in_size: int, head_size: int, num_heads: int, num_ntypes: int, num_etypes: int, dropout: float = 0.2,
        use_norm: bool = False,
    ):  # fmt: skip
        super().__init__()
        self.in_size, self.head_size, self.num_heads, self.use_norm = in_size, head_size, num_heads, use_norm
        self.sqrt_d = math.sqrt(head_size)
        width = head_size * num_heads
        self.linear_k, self.linear_q, self.linear_v = (TypedLinear(in_size, width, num_ntypes) for _ in range(3))
        self.linear_a = TypedLinear(width, width, num_ntypes)
        self.relation_pri = nn.ParameterList([nn.Parameter(torch.ones(num_etypes)) for _ in range(num_heads)])
        self.relation_att, self.relation_msg = (
            nn.ModuleList([TypedLinear(head_size, head_size, num_etypes) for _ in range(num_heads)])
            for _ in range(2))  # fmt: skip
        self.skip = nn.Parameter(torch.ones(num_ntypes))
        self.drop = nn.Dropout(dropout)
        if use_norm:
            self.norm = nn.LayerNorm(width)
        if in_size != width:
            self.residual_w = empty(in_size, width)
            nn.init.xavier_uniform_(self.residual_w)

    def forward(self, g: DGLGraph, x: Tensor, ntype: Tensor, etype: Tensor, *, presorted: bool = False) -> Tensor:
        """Convolves.

        Args:
            x: ``[N, in_size]``; of a block, that of sources.
            ntype, etype: the types of nodes and of edges, ``[N]`` and ``[E]``.
            presorted: nothing depends on it: the compiler sorts rows by type once for a graph.

        Returns:
            ``[destinations, heads * head_size]``.
        """
        own, own_type = (x[: g.num_dst_nodes()], ntype[: g.num_dst_nodes()]) if g.is_block else (x, ntype)
        shape = (-1, self.num_heads, self.head_size)
        key, value = self.linear_k(x, ntype).view(shape), self.linear_v(x, ntype).view(shape)
        query = self.linear_q(own, own_type).view(shape)
        source, target = g._source(0), g._destination(0)
        att, msg = (torch.stack([layer.W for layer in layers], 1) for layers in (self.relation_att, self.relation_msg))
        keys = segments.typed_product(segments.pick(key, source), att, etype)
        priors = torch.stack(list(self.relation_pri), 1).index_select(0, etype)
        logits = (keys * segments.pick(query, target)).sum(-1) * priors / self.sqrt_d
        weights = ops.edge_softmax(g, logits).unsqueeze(-1)
        messages = segments.typed_product(segments.pick(value, source), msg, etype) * weights
        rows = segments.add_up(messages, target, g.num_dst_nodes())
        rows = self.drop(self.linear_a(rows.reshape(-1, self.num_heads * self.head_size), own_type))
        share = self.skip.index_select(0, own_type).sigmoid().unsqueeze(-1)
        before = own @ self.residual_w if hasattr(self, "residual_w") else own
        rows = rows * share + before * (1 - share)
        return self.norm(rows) if self.use_norm else rows

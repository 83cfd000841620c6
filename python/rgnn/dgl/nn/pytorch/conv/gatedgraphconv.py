"""Convolutions with a state: gated by a GRU, or with the first rows mixed in."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from .... import segments
from ....base import DGLError
from ....heterograph import DGLGraph
from .graphconv import EdgeWeightNorm
from .passing import ReachedConv, empty, propagate, scaled, xavier

__all__ = ["GCN2Conv", "GatedGraphConv"]


class GatedGraphConv(nn.Module):
    """``n_steps`` steps of a GRU, whose input is the sum over edges of a linear layer per edge type.

    Args:
        in_feats, out_feats: the widths of rows; results are not narrower, and rows are filled up with zeros.
        n_steps: how many steps.
        n_etypes: how many edge types.
        bias: whether the GRU has one.

    Source: Li et al., Gated Graph Sequence Neural Networks (ICLR 2016).
    """

    def __init__(self, in_feats: int, out_feats: int, n_steps: int, n_etypes: int, bias: bool = True):
        super().__init__()
        if in_feats > out_feats:
            raise DGLError(f"expected out_feats of at least in_feats, {in_feats}, got {out_feats}")
        self._in_feats, self._out_feats, self._n_steps, self._n_etypes = in_feats, out_feats, n_steps, n_etypes
        self.linears = nn.ModuleList([nn.Linear(out_feats, out_feats) for _ in range(n_etypes)])
        self.gru = nn.GRUCell(out_feats, out_feats, bias=bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Gives parameters new first values."""
        self.gru.reset_parameters()
        for layer in self.linears:
            xavier(layer)
            nn.init.zeros_(layer.bias)

    def forward(self, graph: DGLGraph, feat: Tensor, etypes: Tensor | None = None) -> Tensor:
        """``[N, in_feats]`` gives ``[N, out_feats]``; ``etypes`` are the types of edges, ``[E]``, for several."""
        if not graph.is_homogeneous:
            raise DGLError(f"GatedGraphConv: expected a graph of one type, such as to_homogeneous gives, got {graph!r}")
        if etypes is None and self._n_etypes != 1:
            raise DGLError(f"etypes: expected the types of edges, since there are {self._n_etypes}, got None")
        feat = torch.cat([feat, feat.new_zeros((feat.shape[0], self._out_feats - feat.shape[1]))], -1)
        source, target = graph._source(0), graph._destination(0)
        weight = torch.stack([layer.weight.t() for layer in self.linears])
        bias = torch.stack([layer.bias for layer in self.linears])
        for _ in range(self._n_steps):
            if etypes is None:
                sums = propagate(graph, self.linears[0](feat))
            else:
                messages = segments.typed_product(segments.pick(feat, source), weight, etypes)
                sums = segments.add_up(messages + segments.pick(bias, etypes), target, graph.num_nodes())
            feat = self.gru(sums, feat)
        return feat


class GCN2Conv(ReachedConv):
    """Graph convolution with a share of the first rows, and a weight that is nearly the identity.

    Args:
        in_feats: the width of rows.
        layer: which layer this is, from 1: the weight counts ``log(lambda_ / layer + 1)``.
        alpha, lambda_: the share of the first rows, and how much weights count.
        project_initial_features: whether first rows have the weight of the others, not one of their own.
        allow_zero_in_degree: whether nodes that no edge leads to are taken.
        bias: whether there is one.
        activation: a function of the result.

    Source: Chen et al., Simple and Deep Graph Convolutional Networks (ICML 2020).
    """

    def __init__(
        self, in_feats: int, layer: int, alpha: float = 0.1, lambda_: float = 1, project_initial_features: bool = True,
        allow_zero_in_degree: bool = False, bias: bool = True, activation: Callable | None = None,
    ):  # fmt: skip
        super().__init__(allow_zero_in_degree)
        self._in_feats, self._activation = in_feats, activation
        self.alpha, self.beta = alpha, math.log(lambda_ / layer + 1)
        self.weight1 = empty(in_feats, in_feats)
        self.register_parameter("weight2", None if project_initial_features else empty(in_feats, in_feats))
        self.register_parameter("bias", empty(in_feats) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Gives parameters new first values."""
        nn.init.normal_(self.weight1)
        if self.weight2 is not None:
            nn.init.normal_(self.weight2)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def forward(self, graph: DGLGraph, feat: Tensor, feat_0: Tensor, edge_weight: Tensor | None = None) -> Tensor:
        """Rows and first rows, ``[N, in_feats]``, give ``[N, in_feats]``; ``edge_weight`` is positive, ``[E]``."""
        self._check_reached(graph)
        if edge_weight is None:
            degrees = graph.in_degrees()
            rows = scaled(propagate(graph, scaled(feat, degrees, -0.5)), degrees, -0.5)
        else:
            rows = propagate(graph, feat, "sum", EdgeWeightNorm("both")(graph, edge_weight))
        rows, first = rows * (1 - self.alpha), feat_0 * self.alpha
        other = self.weight1 if self.weight2 is None else self.weight2
        mixed = rows @ self.weight1 + first @ other
        rows = (1 - self.beta) * (rows + first) + self.beta * mixed
        rows = rows if self.bias is None else rows + self.bias
        return rows if self._activation is None else self._activation(rows)

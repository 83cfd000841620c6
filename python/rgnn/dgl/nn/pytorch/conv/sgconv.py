"""Convolutions that send features along edges several times, without weights between."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from ....base import DGLError
from ....heterograph import DGLGraph
from .graphconv import EdgeWeightNorm
from .passing import ReachedConv, first_rows, propagate, scaled

__all__ = ["APPNPConv", "SGConv", "TAGConv"]


def _step(graph: DGLGraph, rows: Tensor, weights: Tensor | None, power: tuple[Tensor, Tensor]) -> Tensor:
    """One step along edges: divided by the roots of degrees, or times weights that were normalised."""
    if weights is not None:
        return propagate(graph, rows, "sum", weights)
    return scaled(propagate(graph, scaled(rows, power[0], -0.5)), power[1], -0.5)


class SGConv(ReachedConv):
    """``k`` steps of graph convolution without weights, and one linear layer.

    Args:
        in_feats, out_feats: the widths of rows.
        k: how many steps.
        cached: whether what the first call computes for the steps is kept for all calls.
        bias: whether there is one.
        norm: a function of what the steps give.
        allow_zero_in_degree: whether nodes that no edge leads to are taken.

    Source: Wu et al., Simplifying Graph Convolutional Networks (ICML 2019).
    """

    def __init__(
        self, in_feats: int, out_feats: int, k: int = 1, cached: bool = False, bias: bool = True,
        norm: Callable | None = None, allow_zero_in_degree: bool = False,
    ):  # fmt: skip
        super().__init__(allow_zero_in_degree)
        self.fc = nn.Linear(in_feats, out_feats, bias=bias)
        self._k, self._cached, self._cached_h, self.norm = k, cached, None, norm
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Gives parameters new first values."""
        nn.init.xavier_uniform_(self.fc.weight)
        if self.fc.bias is not None:
            nn.init.zeros_(self.fc.bias)

    def forward(self, graph: DGLGraph, feat: Tensor, edge_weight: Tensor | None = None) -> Tensor:
        """``[N, in_feats]`` gives ``[N, out_feats]``; ``edge_weight`` is a positive number for each edge."""
        self._check_reached(graph)
        feat, _ = first_rows(feat, graph)
        if self._cached_h is None:
            weights = None if edge_weight is None else EdgeWeightNorm("both")(graph, edge_weight)
            degrees = graph.in_degrees()
            for _ in range(self._k):
                feat = _step(graph, feat, weights, (degrees, degrees))
            feat = feat if self.norm is None else self.norm(feat)
            if self._cached:
                self._cached_h = feat
        return self.fc(feat if self._cached_h is None else self._cached_h)


class TAGConv(nn.Module):
    """A linear layer of what 0, 1, ..., ``k`` steps along edges give, side by side.

    Args:
        in_feats, out_feats: the widths of rows.
        k: how many steps.
        bias: whether there is one.
        activation: a function of the result.

    Source: Du et al., Topology Adaptive Graph Convolutional Networks (2017).
    """

    def __init__(
        self, in_feats: int, out_feats: int, k: int = 2, bias: bool = True, activation: Callable | None = None
    ):
        super().__init__()
        self._in_feats, self._out_feats, self._k, self._activation = in_feats, out_feats, k, activation
        self.lin = nn.Linear(in_feats * (k + 1), out_feats, bias=bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Gives the weight new first values."""
        nn.init.xavier_normal_(self.lin.weight, gain=nn.init.calculate_gain("relu"))

    def forward(self, graph: DGLGraph, feat: Tensor, edge_weight: Tensor | None = None) -> Tensor:
        """``[N, in_feats]`` gives ``[N, out_feats]``; ``edge_weight`` is a positive number for each edge."""
        if not graph.is_homogeneous:
            raise DGLError(f"TAGConv: expected a graph with one type of nodes and of edges, got {graph!r}")
        weights = None if edge_weight is None else EdgeWeightNorm("both")(graph, edge_weight)
        degrees = graph.in_degrees()
        found = [feat]
        for _ in range(self._k):
            found.append(_step(graph, found[-1], weights, (degrees, degrees)))
        rows = self.lin(torch.cat(found, -1))
        return rows if self._activation is None else self._activation(rows)


class APPNPConv(nn.Module):
    """``k`` steps along edges, after each of which a share ``alpha`` is the first rows again.

    Args:
        k, alpha: how many steps, and the share.
        edge_drop: the share of edges that dropout takes away in each step.

    Source: Gasteiger, Bojchevski and Günnemann, Predict then Propagate (ICLR 2019).
    """

    def __init__(self, k: int, alpha: float, edge_drop: float = 0.0):
        super().__init__()
        self._k, self._alpha = k, alpha
        self.edge_drop = nn.Dropout(edge_drop)

    def forward(self, graph: DGLGraph, feat: Tensor, edge_weight: Tensor | None = None) -> Tensor:
        """``[N, *]`` gives ``[N, *]``; ``edge_weight`` is a positive number for each edge."""
        weights = None if edge_weight is None else EdgeWeightNorm("both")(graph, edge_weight)
        out, into = graph.out_degrees(), graph.in_degrees()
        first = feat
        for _ in range(self._k):
            own = feat.new_ones((graph.num_edges(), 1)) if weights is None else weights
            rows = feat if weights is not None else scaled(feat, out, -0.5)
            drops = weights is not None or (self.training and self.edge_drop.p > 0)
            rows = propagate(graph, rows, "sum", self.edge_drop(own) if drops else None)
            rows = rows if weights is not None else scaled(rows, into, -0.5)
            feat = (1 - self._alpha) * rows + self._alpha * first
        return feat

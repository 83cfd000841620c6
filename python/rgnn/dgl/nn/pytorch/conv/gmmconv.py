"""Convolutions whose messages are weighted by what edges have."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from .... import segments
from ....heterograph import DGLGraph
from ....utils import expand_as_pair
from . import passing
from .passing import ReachedConv, check_reducer, empty, first_rows, propagate, xavier

__all__ = ["GMMConv", "NNConv"]


class GMMConv(ReachedConv):
    """Row ``i`` reduces, over edges ``j -> i``, the sum over kernels k of ``w_k(e_ji) W_k x_j``; ``w_k`` is a Gaussian.

    Args:
        in_feats: the width of rows, or a pair for sources and destinations.
        out_feats: the width of results.
        dim: the width of what edges have.
        n_kernels: how many kernels.
        aggregator_type: "sum", "mean" or "max".
        residual: whether rows of nodes are added, through a layer where their width is another.
        bias: whether there is one.
        allow_zero_in_degree: whether nodes that no edge leads to are taken.

    Source: Monti et al., Geometric Deep Learning on Graphs and Manifolds Using Mixture Model CNNs (CVPR 2017).
    """

    def __init__(
        self, in_feats: Any, out_feats: int, dim: int, n_kernels: int, aggregator_type: str = "sum",
        residual: bool = False, bias: bool = True, allow_zero_in_degree: bool = False,
    ):  # fmt: skip
        super().__init__(allow_zero_in_degree)
        self._in_src_feats, self._in_dst_feats = expand_as_pair(in_feats)
        self._out_feats, self._dim, self._n_kernels = out_feats, dim, n_kernels
        self._aggregator_type = check_reducer(aggregator_type)
        self.mu, self.inv_sigma = empty(n_kernels, dim), empty(n_kernels, dim)
        self.fc = nn.Linear(self._in_src_feats, n_kernels * out_feats, bias=False)
        self.res_fc = passing.residual(self._in_dst_feats, out_feats) if residual else None
        self.register_parameter("bias", empty(out_feats) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Gives parameters new first values."""
        xavier(self.fc)
        xavier(self.res_fc)
        nn.init.normal_(self.mu, 0, 0.1)
        nn.init.ones_(self.inv_sigma)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def forward(self, graph: DGLGraph, feat: Any, pseudo: Tensor) -> Tensor:
        """Convolves.

        Args:
            feat: ``[N, in_feats]``, or a pair for sources and destinations.
            pseudo: what edges have, ``[E, dim]``.

        Returns:
            ``[destinations, out_feats]``.
        """
        self._check_reached(graph)
        source, target = first_rows(feat, graph, self._in_src_feats, self._in_dst_feats)
        rows = self.fc(source).view(-1, self._n_kernels, self._out_feats)
        away = (pseudo.view(-1, 1, self._dim) - self.mu) * self.inv_sigma
        weights = (-0.5 * away**2).sum(-1, keepdim=True).exp()
        rows = propagate(graph, rows, self._aggregator_type, weights).sum(1)
        return _finished(self, rows, target)


class NNConv(nn.Module):
    """Row ``i`` reduces ``x_j W(e_ji)`` over edges ``j -> i``; ``W`` is a network of what edges have.

    Args:
        in_feats: the width of rows, or a pair for sources and destinations.
        out_feats: the width of results.
        edge_func: the network, which gives ``[E, in_feats * out_feats]``.
        aggregator_type: "sum", "mean" or "max"; the largest is that of each product ``x_jk W_kl`` by itself, as in DGL.
        residual, bias: as of :class:`GMMConv`.

    Source: Gilmer et al., Neural Message Passing for Quantum Chemistry (ICML 2017).
    """

    def __init__(
        self, in_feats: Any, out_feats: int, edge_func: nn.Module, aggregator_type: str = "mean",
        residual: bool = False, bias: bool = True,
    ):  # fmt: skip
        super().__init__()
        self._in_src_feats, self._in_dst_feats = expand_as_pair(in_feats)
        self._out_feats, self.edge_func = out_feats, edge_func
        self._aggre_type = check_reducer(aggregator_type)
        self.res_fc = passing.residual(self._in_dst_feats, out_feats) if residual else None
        self.register_parameter("bias", empty(out_feats) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Gives parameters new first values."""
        if self.bias is not None:
            nn.init.zeros_(self.bias)
        xavier(self.res_fc)

    def forward(self, graph: DGLGraph, feat: Any, efeat: Tensor) -> Tensor:
        """``[N, in_feats]``, or a pair, and what edges have, ``[E, *]``, give ``[destinations, out_feats]``."""
        source, target = first_rows(feat, graph, self._in_src_feats, self._in_dst_feats)
        weight = self.edge_func(efeat).view(-1, self._in_src_feats, self._out_feats)
        rows = segments.pick(source, graph._source(0))
        is_max = self._aggre_type == "max"
        messages = rows.unsqueeze(-1) * weight if is_max else (rows.unsqueeze(1) @ weight).squeeze(1)
        rows = segments.reduce(messages, graph._destination(0), graph.num_dst_nodes(), self._aggre_type)
        rows = rows.sum(1) if is_max else rows
        return _finished(self, rows, target)


def _finished(layer: Any, rows: Tensor, target: Tensor) -> Tensor:
    """What a layer gives: with the rows of nodes, and a bias, where it has them."""
    if layer.res_fc is not None:
        rows = rows + layer.res_fc(target)
    return rows if layer.bias is None else rows + layer.bias

"""Graph convolution, and weights of edges normalised as it normalises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from .... import segments
from ....base import DGLError, describe_shape
from ....heterograph import DGLGraph
from .passing import ReachedConv, empty, first_rows, propagate, scaled

__all__ = ["EdgeWeightNorm", "GraphConv"]

_NORMS = ("none", "both", "right", "left")


class EdgeWeightNorm(nn.Module):
    """Weights of edges, divided by sums of them.

    Args:
        norm: "both" divides by the roots of the sums over the edges from the source and to the destination; "right" by
            the sum over the edges to the destination; "none" not at all.
        eps: is added to the sums.
    """

    def __init__(self, norm: str = "both", eps: float = 0.0):
        super().__init__()
        self._norm, self._eps = norm, eps

    def forward(self, graph: DGLGraph, edge_weight: Tensor) -> Tensor:
        """``[E]`` gives ``[E]``.

        Raises:
            DGLError: a weight that is not a number an edge, or with "both" (but not in compiled code) not positive.
        """
        if edge_weight.dim() > 1:
            raise DGLError(f"edge_weight: expected one number for each edge, got {describe_shape(edge_weight)}")
        if self._norm == "none":
            return edge_weight
        if self._norm == "both" and not torch.compiler.is_compiling() and bool((edge_weight <= 0).any()):
            raise DGLError("edge_weight: expected positive numbers for norm both, got some that are not")
        source, target = graph._source(0), graph._destination(0)
        sums = segments.add_up(edge_weight, target, graph.num_dst_nodes()) + self._eps
        if self._norm != "both":
            return edge_weight * segments.pick(1 / sums, target)
        others = segments.add_up(edge_weight, source, graph.num_src_nodes()) + self._eps
        return segments.pick(others**-0.5, source) * segments.pick(sums**-0.5, target) * edge_weight


class GraphConv(ReachedConv):
    """Row ``i`` is the sum over edges ``j -> i`` of ``x_j W / c_ji``, plus a bias.

    Args:
        in_feats, out_feats: the widths of rows.
        norm: what ``c_ji`` is: "both" the root of the out-degree of j times that of the in-degree of i; "right" the
            in-degree of i; "left" the out-degree of j; "none" 1.
        weight, bias: whether there is one.
        activation: a function of the result.
        allow_zero_in_degree: whether nodes that no edge leads to are taken; they get the bias.

    Source: Kipf and Welling, Semi-Supervised Classification with Graph Convolutional Networks (ICLR 2017).
    """

    def __init__(
        self, in_feats: int, out_feats: int, norm: str = "both", weight: bool = True, bias: bool = True,
        activation: Callable | None = None, allow_zero_in_degree: bool = False,
    ):  # fmt: skip
        super().__init__(allow_zero_in_degree)
        if norm not in _NORMS:
            raise DGLError(f"norm: expected one of {', '.join(_NORMS)}, got {norm!r}")
        self._in_feats, self._out_feats, self._norm, self._activation = in_feats, out_feats, norm, activation
        self.register_parameter("weight", empty(in_feats, out_feats) if weight else None)
        self.register_parameter("bias", empty(out_feats) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Gives parameters new first values."""
        if self.weight is not None:
            nn.init.xavier_uniform_(self.weight)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def forward(
        self, graph: DGLGraph, feat: Any, weight: Tensor | None = None, edge_weight: Tensor | None = None
    ) -> Tensor:
        """Convolves.

        Args:
            feat: ``[N, in_feats]``, or a pair for sources and destinations.
            weight: is used in the place of the layer's own, which then has to be without.
            edge_weight: a number for each edge, ``[E]`` or ``[E, 1]``, that messages are multiplied by.

        Returns:
            ``[destinations, out_feats]``.
        """
        self._check_reached(graph)
        if weight is not None and self.weight is not None:
            raise DGLError("weight: expected none, since the layer has its own (weight=True), got one")
        weight = self.weight if weight is None else weight
        rows, _ = first_rows(feat, graph, None if weight is None else self._in_feats, None)
        if self._norm in ("left", "both"):
            rows = scaled(rows, graph.out_degrees(), -0.5 if self._norm == "both" else -1.0)
        is_narrower = self._in_feats > self._out_feats  # then fewer numbers go along edges
        if is_narrower and weight is not None:
            rows = rows @ weight
        rows = propagate(graph, rows, "sum", edge_weight)
        if not is_narrower and weight is not None:
            rows = rows @ weight
        if self._norm in ("right", "both"):
            rows = scaled(rows, graph.in_degrees(), -0.5 if self._norm == "both" else -1.0)
        if self.bias is not None:
            rows = rows + self.bias
        return rows if self._activation is None else self._activation(rows)

    def extra_repr(self) -> str:
        """What is printed of it."""
        return f"in={self._in_feats}, out={self._out_feats}, normalization={self._norm}, activation={self._activation}"

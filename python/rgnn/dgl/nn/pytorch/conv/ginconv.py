"""Graph isomorphism networks, with and without features of edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from .... import ops, segments
from ....heterograph import DGLGraph
from .passing import check_reducer, first_rows, propagate

__all__ = ["GINConv", "GINEConv"]


def _set_eps(module: nn.Module, first: float, learns: bool) -> None:
    value = torch.tensor([float(first)])
    if learns:
        module.eps = nn.Parameter(value)
    else:
        module.register_buffer("eps", value)


class GINConv(nn.Module):
    """Row ``i`` is a function of ``(1 + eps) x_i`` plus the rows of the nodes with an edge to i, reduced.

    Args:
        apply_func: the function, mostly a module; None for the number itself.
        aggregator_type: "sum", "mean" or "max".
        init_eps, learn_eps: the first value of ``eps``, and whether it is a parameter.
        activation: a function of the result.

    Source: Xu et al., How Powerful are Graph Neural Networks? (ICLR 2019).
    """

    def __init__(
        self, apply_func: Callable | None = None, aggregator_type: str = "sum", init_eps: float = 0,
        learn_eps: bool = False, activation: Callable | None = None,
    ):  # fmt: skip
        super().__init__()
        self.apply_func, self.activation = apply_func, activation
        self._aggregator_type = check_reducer(aggregator_type)
        _set_eps(self, init_eps, learn_eps)

    def forward(self, graph: DGLGraph, feat: Any, edge_weight: Tensor | None = None) -> Tensor:
        """``[N, *]``, or a pair for sources and destinations, gives ``[destinations, *]``; ``edge_weight`` is a number
        for each edge that messages are multiplied by."""
        source, target = first_rows(feat, graph)
        rows = (1 + self.eps) * target + propagate(graph, source, self._aggregator_type, edge_weight)
        for function in (self.apply_func, self.activation):
            rows = rows if function is None else function(rows)
        return rows


class GINEConv(nn.Module):
    """Row ``i`` is a function of ``(1 + eps) x_i`` plus the sum over edges to i of ``ReLU(x_j + e_ji)``.

    Args:
        apply_func, init_eps, learn_eps: as of :class:`GINConv`.

    Source: Hu et al., Strategies for Pre-training Graph Neural Networks (ICLR 2020).
    """

    def __init__(self, apply_func: Callable | None = None, init_eps: float = 0, learn_eps: bool = False):
        super().__init__()
        self.apply_func = apply_func
        _set_eps(self, init_eps, learn_eps)

    def forward(self, graph: DGLGraph, node_feat: Any, edge_feat: Tensor) -> Tensor:
        """``[N, F]``, or a pair, and ``[E, F]`` give ``[destinations, F]``."""
        source, target = first_rows(node_feat, graph)
        messages = ops.u_add_e(graph, source, edge_feat).relu()
        rows = (1 + self.eps) * target + segments.add_up(messages, graph._destination(0), graph.num_dst_nodes())
        return rows if self.apply_func is None else self.apply_func(rows)

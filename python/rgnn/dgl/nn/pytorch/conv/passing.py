"""What the convolutions have in common: sums over neighbours, degrees, and the check of nodes without edges."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from .... import ops, segments
from ....base import DGLError, describe_shape
from ....heterograph import DGLGraph
from ....utils import expand_as_pair

_EACH_REDUCER = ("sum", "mean", "max")


def propagate(graph: DGLGraph, rows: Tensor, kind: str = "sum", weights: Tensor | None = None) -> Tensor:
    """What destinations get of the rows of sources, times the weights of edges: ``[sources, *]`` gives
    ``[destinations, *]``, 0 where no edge leads to."""
    messages = ops.copy_u(graph, rows) if weights is None else ops.u_mul_e(graph, rows, weights)
    return segments.reduce(messages, graph._destination(0), graph.num_dst_nodes(), kind)


def scaled(rows: Tensor, degrees: Tensor, power: float) -> Tensor:
    """Rows times a power of the degrees of nodes, which count as 1 where they are 0."""
    return rows * segments.spread(degrees.to(rows.dtype).clamp(min=1) ** power, rows)


def first_rows(feat: Any, graph: DGLGraph, *widths: int | None) -> tuple[Tensor, Tensor]:
    """Rows of sources and of destinations, which in a block are the first of the sources.

    Args:
        feat: ``[N, *, F]``, or a pair.
        widths: ``F``, or that of sources and of destinations; None for any.

    Raises:
        DGLError: there is not a row for each node, or it has another width.
    """
    pair = expand_as_pair(feat, graph)
    counts = graph.num_src_nodes(), graph.num_dst_nodes()
    for rows, count, what, width in zip(pair, counts, ("sources", "destinations"), (widths or (None,)) * 2):
        if rows.shape[0] != count:
            raise DGLError(f"feat: expected {count} rows, one for each of the {what}, got {describe_shape(rows)}")
        if width is not None and rows.shape[-1] != width:
            raise DGLError(f"feat: expected rows of {width} numbers for {what}, got {describe_shape(rows)}")
    return pair


def heads(layer: nn.Linear, rows: Tensor, count: int) -> Tensor:
    """A linear layer, ``[..., heads * F]``, as ``[..., heads, F]``."""
    return layer(rows).view(*rows.shape[:-1], count, -1)


def residual(in_feats: int, out_feats: int, bias: bool = False) -> nn.Module:
    """What makes rows as wide as results, to be added to them."""
    return nn.Linear(in_feats, out_feats, bias=bias) if in_feats != out_feats else nn.Identity()


def check_reducer(kind: str) -> str:
    """Refuses what no reduction is."""
    if kind not in _EACH_REDUCER:
        raise DGLError(f"aggregator_type: expected one of {', '.join(_EACH_REDUCER)}, got {kind!r}")
    return kind


class ReachedConv(nn.Module):
    """A convolution that refuses graphs with nodes that no edge leads to, unless it is told not to.

    Args:
        allow_zero_in_degree: whether it takes them.
    """

    def __init__(self, allow_zero_in_degree: bool):
        super().__init__()
        self._allow_zero_in_degree = allow_zero_in_degree

    def set_allow_zero_in_degree(self, set_value: bool) -> None:
        """Says whether graphs with nodes that no edge leads to are taken."""
        self._allow_zero_in_degree = set_value

    def _check_reached(self, graph: DGLGraph) -> None:
        if not self._allow_zero_in_degree and any(graph._unreached):
            raise DGLError(f"{type(self).__name__}: expected a graph whose nodes all have an edge that leads to them, "
                           "got one with nodes of in-degree 0, whose rows would depend on nothing: add self loops by "
                           "rgnn.dgl.add_self_loop(g), or make the layer with allow_zero_in_degree=True")  # fmt: skip


def xavier(layer: Any, uniform: bool = False) -> None:
    """Gives the weight of a layer that is there first values, for what a ReLU follows, and its bias zeros."""
    if not isinstance(layer, nn.Linear):
        return
    init = nn.init.xavier_uniform_ if uniform else nn.init.xavier_normal_
    init(layer.weight, gain=nn.init.calculate_gain("relu"))


def empty(*shape: int) -> nn.Parameter:
    """A parameter whose first values are still to be given."""
    return nn.Parameter(torch.empty(*shape))

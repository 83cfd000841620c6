"""GraphSAGE."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from ....base import DGLError
from ....heterograph import DGLGraph
from ....utils import check_eq_shape, expand_as_pair
from .passing import first_rows, propagate, xavier

__all__ = ["SAGEConv"]

_KINDS = ("mean", "gcn", "pool", "lstm")


class SAGEConv(nn.Module):
    """Row ``i`` is ``x_i W_self + a_i W_neigh``, where ``a_i`` joins the rows of the nodes with an edge to i.

    Args:
        in_feats: the width of rows, or a pair for sources and destinations.
        out_feats: the width of results.
        aggregator_type: how they are joined: "mean"; "pool", the largest of a layer of each; "lstm", by an LSTM, in the
            order of edges; "gcn", the mean of them and of the node itself, without ``W_self``.
        feat_drop: the share of features that dropout takes away.
        bias: whether there is one.
        norm, activation: functions of the result; the activation is first.

    Source: Hamilton, Ying and Leskovec, Inductive Representation Learning on Large Graphs (NeurIPS 2017).
    """

    def __init__(
        self, in_feats: Any, out_feats: int, aggregator_type: str, feat_drop: float = 0.0, bias: bool = True,
        norm: Callable | None = None, activation: Callable | None = None,
    ):  # fmt: skip
        super().__init__()
        if aggregator_type not in _KINDS:
            raise DGLError(f"aggregator_type: expected one of {', '.join(_KINDS)}, got {aggregator_type!r}")
        self._in_src_feats, self._in_dst_feats = expand_as_pair(in_feats)
        self._out_feats, self._aggre_type = out_feats, aggregator_type
        self.norm, self.activation = norm, activation
        self.feat_drop = nn.Dropout(feat_drop)
        if aggregator_type == "pool":
            self.fc_pool = nn.Linear(self._in_src_feats, self._in_src_feats)
        if aggregator_type == "lstm":
            self.lstm = nn.LSTM(self._in_src_feats, self._in_src_feats, batch_first=True)
        self.fc_neigh = nn.Linear(self._in_src_feats, out_feats, bias=False)
        if aggregator_type != "gcn":
            self.fc_self = nn.Linear(self._in_dst_feats, out_feats, bias=bias)
        elif bias:
            self.bias = nn.Parameter(torch.zeros(out_feats))
        else:
            self.register_buffer("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Gives weights new first values."""
        if self._aggre_type == "lstm":
            self.lstm.reset_parameters()
        for name in ("fc_pool", "fc_self", "fc_neigh"):
            xavier(getattr(self, name, None), uniform=True)

    def _run_lstm(self, nodes: Any) -> dict[str, Tensor]:
        messages = nodes.mailbox["m"]
        start = messages.new_zeros((1, messages.shape[0], self._in_src_feats))
        return {"a": self.lstm(messages, (start, start))[1][0].squeeze(0)}

    def forward(self, graph: DGLGraph, feat: Any, edge_weight: Tensor | None = None) -> Tensor:
        """Convolves.

        Args:
            feat: ``[N, in_feats]``, or a pair for sources and destinations.
            edge_weight: a number for each edge that messages are multiplied by.

        Returns:
            ``[destinations, out_feats]``.
        """
        is_pair = isinstance(feat, tuple)
        feat = (self.feat_drop(feat[0]), self.feat_drop(feat[1])) if is_pair else self.feat_drop(feat)
        source, target = first_rows(feat, graph, self._in_src_feats, self._in_dst_feats)
        if self._aggre_type == "gcn":
            check_eq_shape(feat)
        is_first = self._in_src_feats > self._out_feats and self._aggre_type in ("mean", "gcn")
        rows = self.fc_neigh(source) if is_first else source
        if self._aggre_type == "mean":
            joined = propagate(graph, rows, "mean", edge_weight)
        elif self._aggre_type == "pool":
            joined = propagate(graph, self.fc_pool(rows).relu(), "max", edge_weight)
        elif self._aggre_type == "lstm":
            joined = self._join_by_lstm(graph, rows, edge_weight)
        else:
            if is_pair:
                own = self.fc_neigh(target) if is_first else target
            else:
                _, own = first_rows(rows, graph)
            degrees = graph.in_degrees().to(rows.dtype).unsqueeze(-1)
            joined = (propagate(graph, rows, "sum", edge_weight) + own) / (degrees + 1)
        if not is_first:
            joined = self.fc_neigh(joined)
        if self._aggre_type != "gcn":
            joined = self.fc_self(target) + joined
        elif self.bias is not None:
            joined = joined + self.bias
        if self.activation is not None:
            joined = self.activation(joined)
        return joined if self.norm is None else self.norm(joined)

    def _join_by_lstm(self, graph: DGLGraph, rows: Tensor, weights: Tensor | None) -> Tensor:
        with graph.local_scope():
            graph.srcdata["h"] = rows
            graph.dstdata["a"] = rows.new_zeros((graph.num_dst_nodes(), rows.shape[1]))  # where there are no edges
            if weights is not None:
                graph.edata["w"] = weights.view(-1, 1)
            graph.update_all(lambda edges: {"m": edges.src["h"] if weights is None else (
                edges.src["h"] * edges.data["w"])}, self._run_lstm)  # fmt: skip
            return graph.dstdata["a"]

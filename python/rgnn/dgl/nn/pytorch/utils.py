"""Modules that join others."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ...base import DGLError
from ...heterograph import DGLGraph

__all__ = ["JumpingKnowledge", "Sequential", "WeightBasis"]

Identity = nn.Identity


class Sequential(nn.Sequential):
    """Modules one after the other, each called with a graph and what the one before gave."""

    def forward(self, graph: DGLGraph | list[DGLGraph], *feats: Any) -> Any:
        """Calls the modules.

        Args:
            graph: for all, or a list with one for each module.
            feats: what the first module gets besides.
        """
        graphs = graph if isinstance(graph, list) else [graph] * len(self)
        for one, module in zip(graphs, self):
            feats = module(one, *(feats if isinstance(feats, tuple) else (feats,)))
        return feats


class JumpingKnowledge(nn.Module):
    """Joins what several layers gave: side by side, the largest, or as an LSTM weighs them.

    Args:
        mode: "cat", "max" or "lstm".
        in_feats, num_layers: the width of each, and how many; for "lstm".

    Source: Xu et al., Representation Learning on Graphs with Jumping Knowledge Networks (ICML 2018).
    """

    def __init__(self, mode: str = "cat", in_feats: int | None = None, num_layers: int | None = None):
        super().__init__()
        if mode not in ("cat", "max", "lstm"):
            raise DGLError(f"mode: expected cat, max or lstm, got {mode!r}")
        self.mode = mode
        if mode == "lstm":
            if in_feats is None or num_layers is None:
                raise DGLError("expected in_feats and num_layers for lstm, got none")
            width = num_layers * in_feats // 2
            self.lstm = nn.LSTM(in_feats, width, bidirectional=True, batch_first=True)
            self.att = nn.Linear(2 * width, 1)

    def reset_parameters(self) -> None:
        """Gives parameters new first values."""
        if self.mode == "lstm":
            self.lstm.reset_parameters()
            self.att.reset_parameters()

    def forward(self, feat_list: list[Tensor]) -> Tensor:
        """``[N, F]`` of each layer give ``[N, layers * F]`` for "cat", else ``[N, F]``."""
        if self.mode == "cat":
            return torch.cat(feat_list, -1)
        if self.mode == "max":
            return torch.stack(feat_list, -1).max(-1)[0]
        rows = torch.stack(feat_list, 1)
        weights = self.att(self.lstm(rows)[0]).squeeze(-1).softmax(-1)
        return (rows * weights.unsqueeze(-1)).sum(1)


class WeightBasis(nn.Module):
    """Weights that are sums of a few: ``weight``, ``[bases, *shape]``, by ``w_comp``, ``[outputs, bases]``.

    Args:
        shape: of each weight.
        num_bases, num_outputs: how many there are to add up, and how many sums; as many bases are the weights.

    Source: Schlichtkrull et al., Modeling Relational Data with Graph Convolutional Networks (ESWC 2018), eq. 3.
    """

    def __init__(self, shape: tuple[int, ...], num_bases: int, num_outputs: int):
        super().__init__()
        self.shape, self.num_bases, self.num_outputs = shape, num_bases, num_outputs
        gain = nn.init.calculate_gain("relu")
        self.weight = nn.Parameter(torch.empty(num_bases, *shape))
        nn.init.xavier_uniform_(self.weight, gain=gain)
        if num_bases < num_outputs:
            self.w_comp = nn.Parameter(torch.empty(num_outputs, num_bases))
            nn.init.xavier_uniform_(self.w_comp, gain=gain)
        elif num_bases > num_outputs:
            raise DGLError(f"num_bases: expected at most num_outputs, {num_outputs}, got {num_bases}")

    def forward(self) -> Tensor:
        """The weights, ``[outputs, *shape]``."""
        if self.num_bases == self.num_outputs:
            return self.weight
        return (self.w_comp @ self.weight.view(self.num_bases, -1)).view(self.num_outputs, *self.shape)

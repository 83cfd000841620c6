"""Losses of rows, which PyTorch computes in place or for one device alone."""

from __future__ import annotations

import torch
from torch import Tensor

from .declare import decomposes

_aten = torch.ops.aten
_MEAN, _SUM = 1, 2  # as PyTorch numbers reductions


@decomposes(_aten.kl_div.default)
def _kl_div(x: Tensor, target: Tensor, reduction: int = _MEAN, *, log_target: bool = False) -> Tensor:
    if log_target:
        return _reduced(target.exp() * (target - x), reduction)
    is_positive = target > 0
    logarithm = torch.where(is_positive, target, 1.0).log()
    return _reduced(torch.where(target.isnan(), target, target * logarithm) - target * x, reduction)


@decomposes(_aten.margin_ranking_loss.default)
def _margin_ranking(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0,
                    reduction: int = _MEAN) -> Tensor:  # fmt: skip
    return _reduced((margin - target * (input1 - input2)).clamp_min(0), reduction)


@decomposes(_aten.hinge_embedding_loss.default)
def _hinge_embedding(x: Tensor, target: Tensor, margin: float = 1.0, reduction: int = _MEAN) -> Tensor:
    apart, alike = torch.where(target != 1, (margin - x).clamp_min(0), 0.0), torch.where(target != -1, x, 0.0)
    return _reduced(apart + alike, reduction)


def _reduced(loss: Tensor, reduction: int) -> Tensor:
    return loss.mean() if reduction == _MEAN else loss.sum() if reduction == _SUM else loss

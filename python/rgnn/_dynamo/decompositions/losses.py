"""Losses of rows, which PyTorch computes in place or for one device alone."""

from __future__ import annotations

import torch
from torch import Tensor

from .declare import decomposes

_aten = torch.ops.aten
_MEAN, _SUM = 1, 2  # as PyTorch numbers reductions
_LEAST = 9.999999960041972e-13  # 1e-12 as a float32, which PyTorch has for float64, too


@decomposes(_aten.kl_div.default)
def _kl_div(x: Tensor, target: Tensor, reduction: int = _MEAN, *, log_target: bool = False) -> Tensor:
    if log_target:
        return _reduced(target.exp() * (target - x), reduction)
    is_positive = target > 0
    logarithm = torch.where(is_positive, target, 1.0).log()
    return _reduced(torch.where(target.isnan(), target, target * logarithm) - target * x, reduction)


@decomposes(_aten.binary_cross_entropy.default)
def _binary_cross_entropy(x: Tensor, target: Tensor, weight: Tensor | None = None, reduction: int = _MEAN) -> Tensor:
    """With PyTorch's gradient, which is finite where a probability is zero or one."""
    known = x.detach()
    loss = (target - 1) * torch.log1p(-known).clamp_min(-100) - target * known.log().clamp_min(-100)
    slope = (known - target.detach()) / ((1 - known) * known).clamp_min(_LEAST)
    loss = loss + (x - known) * slope
    return _reduced(loss if weight is None else loss * weight, reduction)


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

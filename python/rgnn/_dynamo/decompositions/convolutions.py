"""Convolutions within rows, such as those over the steps of a path, or over the entries of two embeddings."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .declare import decomposes, is_short

_aten = torch.ops.aten


@decomposes(_aten.convolution.default)
def _convolution(x: Tensor, weight: Tensor, bias: Tensor | None, stride: list[int], padding: list[int],
                 dilation: list[int], transposed: bool, output_padding: list[int], groups: int) -> Any:  # fmt: skip
    """Of rows ``[N, C, L]`` and weights ``[O, C, K]``: each place and its neighbours as a row ``[K * C]``, by weights
    ``[K * C, O]``."""
    if x.dim() != 3 or transposed or groups != 1 or not isinstance(x.shape[2], int) or not is_short(weight.shape[2]):
        return NotImplemented
    (pad,), (step,), (apart,) = padding, stride, dilation
    length, taps = x.shape[2], weight.shape[2]
    reach = apart * (taps - 1)
    places = (length + 2 * pad - reach - 1) // step + 1
    if places < 1:
        return NotImplemented
    columns = x.transpose(1, 2)
    if pad:
        zeros = _zeros(columns, pad)
        columns = torch.cat([zeros, columns, zeros], 1)
    seen = [columns[:, begin : begin + step * (places - 1) + 1 : step] for begin in range(0, reach + 1, apart)]
    result = torch.matmul(torch.cat(seen, 2), weight.permute(2, 1, 0).flatten(0, 1))
    return (result if bias is None else result + bias).transpose(1, 2)


def _zeros(columns: Tensor, count: int) -> Tensor:
    """As many places without numbers in them."""
    zeros = torch.zeros_like(columns[:, :1])
    return torch.cat([zeros] * count, 1)

"""What PyTorch computes where its versions differ."""

from __future__ import annotations

import torch


def _passes_at_a_bound() -> bool:
    with torch.inference_mode(False), torch.enable_grad():
        x = torch.zeros((), device="cpu", requires_grad=True)
        return bool(torch.autograd.grad(x.clamp(min=0.0), x)[0])


PASSES_AT_A_BOUND = _passes_at_a_bound()
"""Whether the gradient of ``clamp`` passes a number that equals a bound. Since PyTorch 2.14 it does not, and a bound
that is a tensor gets half of it, as each of two equal numbers of ``fmax`` and ``fmin`` does."""

"""What PyTorch computes where its versions differ."""

from __future__ import annotations

import torch

VERSION = tuple(map(int, torch.__version__.split(".")[:2]))

PASSES_AT_A_BOUND = VERSION < (2, 14)
"""Whether the gradient of ``clamp`` passes a number that equals a bound. Since PyTorch 2.14 it does not, and a bound
that is a tensor gets half of it, as each of two equal numbers of ``fmax`` and ``fmin`` does."""

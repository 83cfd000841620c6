"""Random numbers that PyTorch draws before compiled code runs: the masks of dropout.

They are drawn anew at each call, in the order in which the model draws, so that equal seeds give what the model gives
in PyTorch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

Polynomial = list[tuple[int, list[int]]]
"""A size as a sum of products: a factor, and the numbers of the sizes that it multiplies."""


@dataclass(frozen=True)
class Draw:
    """One drawn tensor: its dtype, how probable a one is, what it is divided by, and its shape from sizes of inputs."""

    dtype: torch.dtype
    keep: float
    divisor: float | None
    shape: list[Polynomial]

    def __call__(self, sizes: list[int], device: torch.device) -> Tensor:
        shape = [
            sum(factor * math.prod([sizes[number] for number in numbers]) for factor, numbers in size)
            for size in self.shape
        ]
        if self.divisor == 0:  # all is dropped: PyTorch draws nothing
            return torch.zeros(shape, dtype=self.dtype, device=device)
        if device.type == "cuda" and self.divisor is not None:  # its dropout draws in an order of its own
            return torch.dropout(torch.ones(shape, dtype=self.dtype, device=device), 1 - self.keep, True)
        ones = torch.empty(shape, dtype=self.dtype, device=device).bernoulli_(self.keep)
        return ones if self.divisor is None else ones.div_(self.divisor)


@dataclass(frozen=True)
class Masks:
    """The masks of a call.

    Attributes:
        names: of each input of the call.
        sources: positions and dimensions of the inputs whose sizes the shapes are made of.
        draws: what is drawn, in order.
    """

    names: list[str]
    sources: list[tuple[int, int]]
    draws: list[Draw]

    def draw(self, inputs: list[Tensor]) -> list[Tensor]:
        """The masks of one call.

        Raises:
            IndexError: an input has no rows to count.
        """
        for position, dim in self.sources:
            if inputs[position].dim() <= dim:
                raise IndexError(f"input '{self.names[position]}': expected rows, got shape []")
        sizes = [inputs[position].shape[dim] for position, dim in self.sources]
        return [draw(sizes, inputs[0].device) for draw in self.draws]

"""A linear layer with a weight for each type of rows."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from ... import segments
from ...ops import gather_mm

__all__ = ["TypedLinear"]


class TypedLinear(nn.Module):
    """Row ``i`` of the result is ``x[i] @ W[x_type[i]]``.

    Args:
        in_size, out_size: the widths of rows.
        num_types: how many types there are.
        regularizer: None for a weight each; "basis" for sums of ``num_bases`` weights by ``coeff``; "bdd" for weights
            of ``num_bases`` blocks on the diagonal.

    Raises:
        ValueError: another ``regularizer``, or sizes that ``num_bases`` does not divide.

    Source: Schlichtkrull et al., Modeling Relational Data with Graph Convolutional Networks (ESWC 2018), sec. 2.2.
    """

    def __init__(
        self, in_size: int, out_size: int, num_types: int, regularizer: str | None = None, num_bases: int | None = None
    ):
        super().__init__()
        self.in_size, self.out_size, self.num_types = in_size, out_size, num_types
        self.regularizer, self.num_bases = regularizer, num_bases
        if regularizer not in (None, "basis", "bdd"):
            raise ValueError(f"regularizer: expected None, basis or bdd, got {regularizer!r}")
        if regularizer is not None and num_bases is None:
            raise ValueError(f"num_bases: expected a number for {regularizer}, got None")
        if regularizer is None:
            self.W = nn.Parameter(torch.empty(num_types, in_size, out_size))
        elif regularizer == "basis":
            self.W = nn.Parameter(torch.empty(num_bases, in_size, out_size))
            self.coeff = nn.Parameter(torch.empty(num_types, num_bases))
        else:
            if in_size % num_bases or out_size % num_bases:
                raise ValueError(f"expected sizes that num_bases, {num_bases}, divides, got {in_size} and {out_size}")
            self.submat_in, self.submat_out = in_size // num_bases, out_size // num_bases
            self.W = nn.Parameter(torch.empty(num_types, num_bases * self.submat_in * self.submat_out))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Gives parameters new first values."""
        bound = 1 / math.sqrt(self.submat_in if self.regularizer == "bdd" else self.in_size)
        nn.init.uniform_(self.W, -bound, bound)
        if self.regularizer == "basis":
            nn.init.xavier_uniform_(self.coeff, gain=nn.init.calculate_gain("relu"))

    def get_weight(self) -> Tensor:
        """The weights of all types, ``[types, in_size, out_size]``; of blocks as they lie."""
        if self.regularizer != "basis":
            return self.W
        flat = self.coeff @ self.W.view(self.num_bases, self.in_size * self.out_size)
        return flat.view(self.num_types, self.in_size, self.out_size)

    def forward(self, x: Tensor, x_type: Tensor, sorted_by_type: bool = False) -> Tensor:
        """Multiplies rows.

        Args:
            x: ``[N, in_size]``.
            x_type: ``[N]`` integers below ``num_types``.
            sorted_by_type: nothing depends on it: the compiler sorts rows by type once for a graph.

        Returns:
            ``[N, out_size]``.
        """
        if self.regularizer != "bdd":
            return gather_mm(x, self.get_weight(), idx_b=x_type)
        blocks = self.W.view(self.num_types, self.num_bases, self.submat_in, self.submat_out)
        rows = x.reshape(-1, self.num_bases, self.submat_in)
        return segments.typed_product(rows, blocks, x_type).reshape(-1, self.out_size)

    def extra_repr(self) -> str:
        """What is printed of it."""
        bases = "" if self.regularizer is None else f", regularizer={self.regularizer}, num_bases={self.num_bases}"
        return f"in_size={self.in_size}, out_size={self.out_size}, num_types={self.num_types}{bases}"

"""Dimensions in front of rows: of ``x`` with the shape ``[B, N, F]``, which layers move along ``N``.

A capture takes the first dimension of a tensor for its rows, whose number is a symbol, and other sizes for constants.
Where a model picks or adds up by lists what lies along another one, it is captured again, with the sizes in front of
that as constants, and its own as a symbol: a kernel then has the ``B`` rows of a node side by side.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

MOST_CONSTANTS = 4
"""Numbers that a size in front of rows may be before it is a symbol, and PyTorch runs what reads it."""


class CaptureAgainError(Exception):
    """A graph is to be captured once more, with other symbols."""


@dataclass
class LeadingSizes:
    """What is known of the sizes that a model reads, by what TorchDynamo calls them.

    Attributes:
        in_front: sizes in front of rows.
        rows: numbers of rows that would be constants.
        are_parameters_constant: whether those of Parameters are constants in any case.
    """

    in_front: set[str] = field(default_factory=set)
    rows: set[str] = field(default_factory=set)
    are_parameters_constant: bool = False

    def learn(self, in_front: set[str], rows: set[str]) -> None:
        """Raises CaptureAgainError where some of them were not known."""
        if in_front <= self.in_front and rows <= self.rows:
            return
        self.in_front |= in_front
        self.rows |= rows
        raise CaptureAgainError


    def give_up_parameters(self) -> None:
        """Makes the numbers of rows of Parameters constants from now on.

        Raises:
            CaptureAgainError: always.
        """
        self.are_parameters_constant = True
        raise CaptureAgainError


def size_name(source: Any, dim: int) -> str:
    """What TorchDynamo calls a size of a tensor."""
    return f"{source.name}.size()[{dim}]"

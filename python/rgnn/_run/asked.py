"""What backwards ask of a compiled function: the calls that follow are made for that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from .training import Training, Trainings

_FIRST_PAUSE, _LAST_PAUSE = 16, 1024
_ALIKE = 3


class Asked:
    """Says what of a function's gradients is used.

    Derivatives of gradients (``create_graph=True``, as of forces in a loss) are PyTorch's, which then computes the
    forward again: the next calls are its own from the start, until one of them, after more and more, finds otherwise.
    Where ``torch.autograd.grad`` asks for some gradients only, as for forces alone, code without the others is made
    once that has happened a few times.

    Args:
        function: the same in PyTorch, of all tensors that the code takes.

    Attributes:
        needed: of each of these tensors, whether its gradient is used; None for all that want one.
    """

    def __init__(self, function: Callable):
        self.function = function
        self.needed: tuple[bool, ...] | None = None
        self._left, self._pause = 0, _FIRST_PAUSE
        self._last: tuple[bool, ...] | None = None
        self._alike = 0

    def is_pytorchs(self) -> bool:
        """Whether PyTorch is to run the call at hand."""
        if _is_watched():
            return False
        self._left = max(0, self._left - 1)
        return self._left > 0

    def find(self, trainings: Trainings, wanted: tuple[bool, ...] | None = None) -> Training | None:
        """The code for the gradients that are used; None where these are all that are wanted, or there is none.

        Args:
            trainings: finds code.
            wanted: the tensors that want a gradient, where that differs from call to call.
        """
        needed = self.needed
        if needed is None or True not in needed or _is_watched():
            return None
        is_part = wanted is None or all(wants or not needs for needs, wants in zip(needed, wanted))
        return trainings.find(needed) if is_part else None

    def note_graph(self) -> None:
        """A gradient gets derivatives of its own."""
        self._left, self._pause = self._pause, min(2 * self._pause, _LAST_PAUSE)

    def note(self, needed: tuple[bool, ...] | None) -> None:
        """A backward uses these gradients; None for all that want one."""
        self._pause = _FIRST_PAUSE
        self._alike = self._alike + 1 if needed == self._last else 1
        self._last = needed
        if needed is None or self._alike >= _ALIKE:
            self.needed = needed


def _is_watched() -> bool:
    """Whether somebody takes what is kept for the backward, as a checkpoint does, which expects the same again."""
    return torch._C._autograd._top_saved_tensors_default_hooks(False) is not None


def needed_now(wants: Sequence[bool]) -> tuple[bool, ...] | None:
    """Of the inputs of the function whose backward runs, those whose gradients are used; None for all that want one."""
    node = torch._C._current_autograd_node()
    if node is None or len(node.next_functions) != len(wants):
        return None
    needed = tuple([bool(wanted and following is not None and _is_run(following))
                    for wanted, (following, _) in zip(wants, node.next_functions)])  # fmt: skip
    return None if needed == tuple(wants) else needed


def _is_run(following: torch.autograd.graph.Node) -> bool:
    try:
        return torch._C._will_engine_execute_node(following)
    except RuntimeError:  # it is a leaf that torch.autograd.grad asks for
        return True


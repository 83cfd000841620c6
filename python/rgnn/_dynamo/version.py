"""What became of one captured graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .regions import CompiledRegion


@dataclass
class Version:
    """What became of one captured graph.

    Attributes:
        run: the graph as a function of its inputs.
        texts: of each region, what it was compiled of.
        regions: the regions, as they run.
        refused: what else was given to the compiler, which made no code of it.
        fallbacks: operator, reason and source line of what PyTorch runs.
        registered: operator, promise and source line of what PyTorch runs because ``rgnn.register_op`` says so.
        dense: operator, reason and source line of what PyTorch runs on dense batches, such as attention among the
            nodes of each graph.
        verified: how many calls were compared to PyTorch.
        why: the guards of earlier versions that did not hold.
        branches: the ways that it takes where the model branches on integers, ``"model.py:7: False"``; a
            line in a loop has one for each of its rounds.
        broken: why the graph ends where the call does not, and the source line; None where it does not.
    """

    run: Callable
    texts: list[str] = field(default_factory=list)
    regions: list[CompiledRegion] = field(default_factory=list)
    fallbacks: list[tuple[str, str, str]] = field(default_factory=list)
    registered: list[tuple[str, str, str]] = field(default_factory=list)
    dense: list[tuple[str, str, str]] = field(default_factory=list)
    verified: int = 0
    why: list[str] = field(default_factory=list)
    branches: list[str] = field(default_factory=list)
    broken: tuple[str, str] | None = None
    refused: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        parts = [f"{len(self.regions)} regions" if len(self.regions) != 1 else "1 region"]
        if self.fallbacks:
            parts.append(f"in PyTorch: {', '.join(dict.fromkeys(op or why for op, why, _ in self.fallbacks))}")
        if self.registered:
            parts.append(f"registered: {', '.join(dict.fromkeys(op for op, *_ in self.registered))}")
        if self.dense:
            parts.append(f"dense: {', '.join(dict.fromkeys(op for op, *_ in self.dense))}")
        if self.branches:
            parts.append(f"where branches are {'; '.join(self.branches)}")
        if self.broken:
            parts.append(f"graph break at {self.broken[1] or 'unknown line'}: {self.broken[0]}")
        if self.why:
            parts.append(f"made because {'; '.join(map(_in_words, self.why))}")
        return "; ".join(parts)


def _in_words(guard: str) -> str:
    """A guard that did not hold; TorchDynamo has names of its own for PyTorch's modes."""
    state, _, modes = guard.partition(" changed: ")
    return f"{modes.strip()} changed" if state == "GLOBAL_STATE" else guard

"""Boxes that do the same side by side, such as those of each node type, which a picture shows once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable

Arrow = tuple[str, str]


def find_alike(kinds: dict[str, Hashable], arrows: dict[Arrow, list[str]]) -> dict[str, str]:
    """The box that stands for each: the first of those that are of one kind, read the same and are read the same way.

    Args:
        kinds: of each box, what boxes have to agree in; in an order in which no arrow points back.
        arrows: what points to what, and how.
    """
    before, after = defaultdict(list), defaultdict(list)
    for (start, end), moves in arrows.items():
        before[end].append((start, tuple(moves)))
        after[start].append((end, tuple(moves)))
    numbers: dict[Hashable, int] = {}
    used_as: dict[str, int] = {}
    for box in reversed(kinds):
        use = kinds[box], frozenset((used_as[end], moves) for end, moves in after[box])
        used_as[box] = numbers.setdefault(use, len(numbers))
    first: dict[Hashable, str] = {}
    chosen: dict[str, str] = {}
    for box in kinds:
        key = used_as[box], frozenset((chosen[start], moves) for start, moves in before[box])
        chosen[box] = first.setdefault(key, box)
    return chosen

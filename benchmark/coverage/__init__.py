"""What of PyG is compiled whole, how fast, and how exactly: the cases of the table, a file for each of its parts."""

from __future__ import annotations

import torch_geometric.nn as gnn

from . import aggregations, layers, norms, pooling
from .case import Case

PARTS = {"layers": (gnn.conv, layers), "norms": (gnn.norm, norms), "aggregations": (gnn.aggr, aggregations),
         "pooling": (gnn.pool, pooling)}  # fmt: skip


def find_case(part: str, name: str) -> Case:
    return next(case for case in PARTS[part][1].CASES if case.name == name)


def choose(names: list[str]) -> list[tuple[str, Case]]:
    """The cases of these names, in whatever part; of a part where that is what is named; all where there are none.

    Raises:
        ValueError: no case has such a name.
    """
    every = [(part, case) for part, (_, module) in PARTS.items() for case in module.CASES]
    unknown = [name for name in names if name not in PARTS and name not in {case.name for _, case in every}]
    if unknown:
        raise ValueError(f"expected a part ({', '.join(PARTS)}) or the name of a case, got {', '.join(unknown)}")
    return [(part, case) for part, case in every if not names or part in names or case.name in names]


def uncovered() -> dict[str, list[str]]:
    """Of each part, what PyG exports that has neither a case nor a reason why not."""
    found = {}
    for part, (package, module) in PARTS.items():
        known = {case.cls for case in module.CASES}
        found[part] = [name for name in package.__all__ if name not in module.ABSENT
                       and getattr(package, name) not in known]  # fmt: skip
    return found

"""What the arguments of a function of the language are."""

from __future__ import annotations

from typing import get_args


class Node:
    """An argument with a row for each node, ``[N, ...]``: data of nodes under the argument's name, ``n["h"]``."""


class Edge:
    """An argument with a row for each edge, ``[E, ...]``: data of edges under the argument's name, ``e["a"]``."""


class Weight:
    """An argument that all nodes and edges share: ``w``; or one entry a type, ``w[e.etype]``, ``w[n.ntype]``."""


KINDS = {"Node": Node, "Edge": Edge, "Weight": Weight}


def kind_of(annotation: object) -> type | None:
    """The kind that an annotation names: a class, one or None, or, where it cannot be evaluated, the text of these."""
    if isinstance(annotation, str):
        return next(filter(None, (KINDS.get(part.strip("\"' ").rpartition(".")[2]) for part in annotation.split("|"))),
                    None)  # fmt: skip
    return next((part for part in (annotation, *get_args(annotation)) if part in KINDS.values()), None)

"""What the arguments of a function of the language are."""

from __future__ import annotations


class Node:
    """An argument with a row for each node, ``[N, ...]``: data of nodes under the argument's name, ``n["h"]``."""


class Edge:
    """An argument with a row for each edge, ``[E, ...]``: data of edges under the argument's name, ``e["a"]``."""


class Weight:
    """An argument that all nodes and edges share: ``w``; or one entry a type, ``w[e.etype]``, ``w[n.ntype]``."""


KINDS = {"Node": Node, "Edge": Edge, "Weight": Weight}


def kind_of(annotation: object) -> type | None:
    """The kind that an annotation names, as a class or, where annotations are not evaluated, as text."""
    if isinstance(annotation, str):
        return KINDS.get(annotation.strip("\"' ").rpartition(".")[2])
    return annotation if annotation in KINDS.values() else None

"""Names that all of the package uses: DGL's error, its keys of features, and what stands for all nodes or edges."""

from __future__ import annotations

import warnings
from typing import Any

from .._errors import RGNNError

ALL = "__ALL__"
"""All nodes, or all edges, where a function takes their numbers."""

NTYPE, ETYPE, NID, EID = "_TYPE", "_TYPE", "_ID", "_ID"
"""The features that hold types and numbers of nodes and edges in the graph that a graph was made of."""


class DGLError(RGNNError):
    """What DGL calls an error of a graph, its features, or a function of them; the text is this package's own."""


def is_all(which: Any) -> bool:
    """Whether an argument says all nodes or edges: ``ALL``, or the full slice."""
    return (isinstance(which, str) and which == ALL) or (isinstance(which, slice) and which == slice(None))


def missing(name: str, instead: str) -> DGLError:
    """The error of a part of DGL that this package has not."""
    return DGLError(f"{name} is not in rgnn.dgl: {instead}")


def describe_shape(value: Any) -> str:
    """What came, for a message: type, dtype and shape."""
    shape = getattr(value, "shape", None)
    if shape is None:
        return f"{type(value).__name__} {value!r}"
    return f"{type(value).__name__} of {value.dtype} [{', '.join(map(str, shape))}]"


class FieldError(DGLError, KeyError):
    """A feature that no node or edge of a type has; a KeyError, as DGL's is."""

    __str__ = Exception.__str__


class OpaqueError(Exception):
    """A function does with a mailbox what takes a tensor; the text says what."""


class DGLWarning(UserWarning):
    """What DGL calls a warning of a graph, its features, or a function of them."""


def dgl_warning(message: str, category: type[Warning] = DGLWarning, stacklevel: int = 2) -> None:
    """Warns, as modules that were written for DGL do."""
    warnings.warn(message, category, stacklevel=stacklevel)

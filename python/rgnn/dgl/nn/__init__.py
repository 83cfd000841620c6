"""Layers, as ``dgl.nn`` has them: ``from rgnn.dgl.nn import GraphConv``."""

from typing import Any

from . import functional, pytorch
from .pytorch import *  # noqa: F403

__all__ = ["functional", "pytorch", *pytorch.__all__]


def __getattr__(name: str) -> Any:
    return getattr(pytorch, name)

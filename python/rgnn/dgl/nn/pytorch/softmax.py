"""Softmax over edges, where older code for DGL looks for it."""

from ..functional import edge_softmax

__all__ = ["edge_softmax"]

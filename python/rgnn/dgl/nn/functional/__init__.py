"""What ``dgl.nn.functional`` has: softmax over edges."""

from ...ops import edge_softmax

__all__ = ["edge_softmax"]

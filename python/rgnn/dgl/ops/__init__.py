"""Message passing on tensors instead of features by name, as ``dgl.ops`` has it."""

from . import products, rows, segment
from .products import *  # noqa: F403
from .rows import *  # noqa: F403
from .segment import *  # noqa: F403

__all__ = [*rows.__all__, *products.__all__, *segment.__all__]

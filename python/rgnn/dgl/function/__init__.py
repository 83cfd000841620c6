"""Messages and reductions by name, as ``dgl.function`` has them: ``copy_u``, ``u_mul_e``, ``sum`` and so on."""

from . import message, reducer
from .base import BuiltinFunction
from .message import *  # noqa: F403
from .reducer import *  # noqa: F403

__all__ = ["BuiltinFunction", *message.__all__, *reducer.__all__]

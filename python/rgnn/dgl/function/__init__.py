"""Messages and reductions by name, as ``dgl.function`` has them: ``copy_u``, ``u_mul_e``, ``sum`` and so on."""

from typing import Any

from ..base import missing
from . import message, reducer
from .base import BuiltinFunction
from .message import *  # noqa: F403
from .reducer import *  # noqa: F403

_OLD = {"copy_src": "copy_u", "copy_edge": "copy_e", "src_mul_edge": "u_mul_e", "src_dot_dst": "u_dot_v"}


def __getattr__(name: str) -> Any:
    if name in _OLD:
        raise missing(f"dgl.function.{name}", f"use {_OLD[name]}, as DGL calls it since 0.9")
    raise AttributeError(f"module 'rgnn.dgl.function' has no attribute '{name}'")


__all__ = ["BuiltinFunction", *message.__all__, *reducer.__all__]

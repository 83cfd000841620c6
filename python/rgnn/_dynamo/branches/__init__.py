"""Code that branches on numbers that a graph has: each version takes one way, and checks that a call goes it."""

from .asserted import ModelError, check_assertion, check_rows_picked, raise_pythons_errors
from .decisions import decided
from .ways import Ways, check_way

__all__ = [
    "ModelError",
    "Ways",
    "check_assertion",
    "check_rows_picked",
    "check_way",
    "decided",
    "raise_pythons_errors",
]

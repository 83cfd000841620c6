"""Warnings about compiled models."""

from __future__ import annotations

import os
import sys
import warnings

import torch

_LIBRARIES = tuple(os.path.join(os.path.dirname(file), "") for file in (__file__, torch.__file__))


def warn(text: str) -> None:
    """Warns at the line of the user's code that called a compiled model."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_LIBRARIES):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)

"""Capture of PyTorch models as MLIR text."""

from .captured import Captured
from .error import CaptureError
from .inputs import InputSpec

__all__ = ["CaptureError", "Captured", "InputSpec"]

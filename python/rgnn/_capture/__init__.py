"""Capture of PyTorch models as MLIR text."""

from .error import CaptureError
from .export import Captured, ParameterReader, capture
from .inputs import InputSpec

__all__ = ["Captured", "CaptureError", "InputSpec", "ParameterReader", "capture"]

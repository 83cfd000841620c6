"""The version of RGNN: CMake and the packages read it here."""

__version__ = "0.1.0"

"""Where things are: in a checkout, or in a bundle, which has the same folders."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULES = ROOT / "modules"  # of a bundle: compiled models for the benchmark
CASES = ROOT / "cases"  # of a bundle: compiled layers with what they should return
DATA = ROOT / "examples" / "data"  # data sets, where `rgnn.data` looks first


def use_packages() -> None:
    """Makes `rgnn`, its runtime and the benchmark's peers importable, those of this tree before any other."""
    sys.path[:0] = [str(ROOT / folder) for folder in ("python", "build/python", "benchmark")]

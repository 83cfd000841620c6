"""A plugin of pytest that runs tests of models as on an NVIDIA GPU, which is emulated:

    PYTHONPATH=test/python .venv/bin/python -m pytest -p on_emulated_gpu test/python/test_batches.py

Tests that look into code for processors, or at its plans, fail with it.
"""

import functools
import os
from pathlib import Path

EMULATOR = Path(__file__).resolve().parents[2] / "build/lib/rgnn_cuda_emulator.so"
os.environ.setdefault("RGNN_CUDA_DRIVER", str(EMULATOR))

import pretend_cuda  # noqa: E402

pretend_cuda.pretend()

import rgnn  # noqa: E402

_compile = rgnn.compile


@functools.wraps(_compile)
def _compile_for_gpu(model=None, *, target=None, **options):
    return _compile(model, target=target or "sm_90", **options)


rgnn.compile = _compile_for_gpu

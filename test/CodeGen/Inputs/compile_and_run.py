"""Compiles the module given and calls it as the runtime does: one array of 64-bit words and a context."""

import ctypes
import sys

import _rgnn
import numpy as np

ROWS, WIDTH = 50, 33
Body = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
ParallelFor = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)


class Context(ctypes.Structure):
    _fields_ = [("abi_version", ctypes.c_uint32), ("parallel_for", ParallelFor), ("num_threads", ctypes.c_void_p)]


counts = []


@ParallelFor
def parallel_for(context, count, body, env):
    """Three uneven ranges, one of them empty, in no order."""
    counts.append(count)
    third = count // 3
    for begin, end in ((third, count), (0, third), (third, third)):
        Body(body)(begin, end, env)


with open(sys.argv[1]) as file:
    compiled = _rgnn.compile(file.read(), "start=buffers", cache=False)
library = ctypes.CDLL(compiled["so"])
library.rgnn_forward_workspace.restype = ctypes.c_uint64

x = np.random.default_rng(0).standard_normal((ROWS, WIDTH), dtype=np.float32)
out = np.zeros_like(x)
words = (ctypes.c_uint64 * 6)(0, ROWS, x.ctypes.data, ROWS, out.ctypes.data, ROWS)
size = library.rgnn_forward_workspace(words)
print("workspace bytes", size)
workspace = np.zeros(size + 64, np.uint8)
words[0] = (workspace.ctypes.data + 63) // 64 * 64
assert library.rgnn_forward(ctypes.byref(Context(1, parallel_for, None)), words) == 0
print("parallel loops over", ", ".join(map(str, counts)))

hidden = 2 * np.exp(x.astype(np.float64) / 2)
expected = hidden / (hidden[:, 31] + hidden[:, 32])[:, None]
error = np.max(np.abs(out - expected) / expected)
print("largest relative error", "below 1e-6" if error < 1e-6 else error)

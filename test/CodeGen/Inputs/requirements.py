"""Prints for which processors code is that was compiled for some."""

import os
import sys

import _rgnn

TEXT = """func.func @forward(%out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  memref.store %one, %out[%c0] : memref<?xf32>
  return
}"""
os.environ["RGNN_CACHE_DIR"] = sys.argv[1]

for target in ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v3 features=-avx2;-f16c", "znver4"):
    # With the text of the stages, since this machine may not run the code.
    answer = _rgnn.compile(TEXT, f"start=buffers cpu={target}", cache=False, dump=True)
    os.remove(answer["so"])
    print(answer["cpu"], "on", answer["arch"], "needs:", *answer["features"])

first, second = (_rgnn.compile(TEXT, "start=buffers") for _ in range(2))
assert second["cached"] and not first["cached"]
for field in ("arch", "cpu", "features"):
    assert first[field] == second[field]
# What only the system, or cryptography, has a use for.
assert not {"xsave", "aes", "rdrnd", "sha", "clflushopt", "64bit"}.intersection(first["features"])
print("native: the same from the cache")

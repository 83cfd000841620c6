"""Prints the assembly of a * b + c on 16 floats, written as two operations."""

import os
import sys

import _rgnn

TEXT = """func.func @forward(%x: memref<16xf32>, %y: memref<16xf32>, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %a = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>
  %b = vector.load %y[%c0] : memref<16xf32>, vector<16xf32>
  %p = arith.mulf %a, %b : vector<16xf32>
  %s = arith.addf %p, %a : vector<16xf32>
  vector.store %s, %out[%c0] : memref<16xf32>, vector<16xf32>
  return
}"""
result = _rgnn.compile(TEXT, "start=buffers " + sys.argv[1], cache=False, dump=True)
os.remove(result["so"])
print(result["ir"]["assembly"])

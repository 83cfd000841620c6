// RUN: %PYTHON %S/Inputs/compile_and_run.py %s | FileCheck %s

// Two parallel loops, a temporary in the workspace, vectors whose length is no
// power of two, and a copy into a strided buffer; called with uneven ranges.

// CHECK: workspace bytes 6656
// CHECK: parallel loops over 50, 50
// CHECK: largest relative error below 1e-6

module attributes {rgnn.manifest = "{}"} {
  func.func @forward(%n: index {rgnn.size}, %x: memref<?x33xf32>, %out: memref<?x33xf32>) {
    %c0 = arith.constant 0 : index
    %half = arith.constant dense<0.5> : vector<2x33xf32>
    %zero = arith.constant dense<0.0> : vector<33xf32>
    %t = memref.alloc(%n) : memref<?x33xf32>
    scf.forall (%i) in (%n) {
      %v = vector.load %x[%i, %c0] : memref<?x33xf32>, vector<33xf32>
      %b = vector.broadcast %v : vector<33xf32> to vector<2x33xf32>
      %m = arith.mulf %b, %half : vector<2x33xf32>
      %e = math.exp %m : vector<2x33xf32>
      %r = vector.multi_reduction <add>, %e, %zero [0] : vector<2x33xf32> to vector<33xf32>
      vector.store %r, %t[%i, %c0] : memref<?x33xf32>, vector<33xf32>
    }
    scf.forall (%i) in (%n) {
      %s = memref.alloca() : memref<2x33xf32>
      %column = memref.subview %s[0, 0] [2, 1] [1, 1] : memref<2x33xf32> to memref<2x1xf32, strided<[33, 1]>>
      %c32 = arith.constant 32 : index
      %last = memref.subview %t[%i, 31] [1, 2] [1, 1] : memref<?x33xf32> to memref<1x2xf32, strided<[33, 1], offset: ?>>
      %flat = memref.collapse_shape %last [[0, 1]] : memref<1x2xf32, strided<[33, 1], offset: ?>> into memref<2xf32, strided<[1], offset: ?>>
      %flatcolumn = memref.collapse_shape %column [[0, 1]] : memref<2x1xf32, strided<[33, 1]>> into memref<2xf32, strided<[33]>>
      memref.copy %flat, %flatcolumn : memref<2xf32, strided<[1], offset: ?>> to memref<2xf32, strided<[33]>>
      %c1 = arith.constant 1 : index
      %a = memref.load %s[%c0, %c0] : memref<2x33xf32>
      %b = memref.load %s[%c1, %c0] : memref<2x33xf32>
      %sum = arith.addf %a, %b : f32
      %v = vector.load %t[%i, %c0] : memref<?x33xf32>, vector<33xf32>
      %w = vector.broadcast %sum : f32 to vector<33xf32>
      %d = arith.divf %v, %w : vector<33xf32>
      vector.store %d, %out[%i, %c0] : memref<?x33xf32>, vector<33xf32>
    }
    return
  }
}

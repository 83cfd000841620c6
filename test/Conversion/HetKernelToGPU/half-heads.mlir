// A factor of each head in 16 bits: the vector that it is loaded to starts as poison.

// RUN: rgnn-opt %s --rgnn-kernels-to-nvvm=format=isa | FileCheck %s

// CHECK: gpu.binary @forward_kernel
// CHECK-SAME: mul.rn.f32
func.func @forward(%n: index, %x: memref<?x2x7xbf16>, %f: memref<?x2x1xbf16>, %o: memref<?x2x7xbf16>) {
  hetkernel.traverse rows(%n) outs(%o : memref<?x2x7xbf16>) schedule #hetkernel.gpu_traverse<coarsening = 1> {
  ^bb0(%i: index):
    %r = hetkernel.row %x[%i] : memref<?x2x7xbf16> -> vector<2x7xbf16>
    %e = arith.extf %r : vector<2x7xbf16> to vector<2x7xf32>
    %h = hetkernel.row %f[%i] : memref<?x2x1xbf16> -> vector<2x1xbf16>
    %w = arith.extf %h : vector<2x1xbf16> to vector<2x1xf32>
    %b = vector.broadcast %w : vector<2x1xf32> to vector<2x7xf32>
    %s = arith.mulf %e, %b : vector<2x7xf32>
    %t = arith.truncf %s : vector<2x7xf32> to vector<2x7xbf16>
    hetkernel.yield %t : vector<2x7xbf16>
  }
  return
}

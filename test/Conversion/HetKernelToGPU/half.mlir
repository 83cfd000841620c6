// RUN: rgnn-opt %s --convert-hetkernel-to-gpu --canonicalize --cse | FileCheck %s
// RUN: rgnn-opt %s --rgnn-kernels-to-nvvm=format=bin | FileCheck %s --check-prefix=BIN

// Rows of 16-bit floats in memory, numbers of 32 bits in a thread and in the buffer that loops keep them in.

// BIN-COUNT-2: bin = "\7FELF

// CHECK-LABEL: func @sum
//       CHECK: gpu.launch
//       CHECK:   %[[SUM:.*]] = scf.for {{.*}} -> (f32) {
//       CHECK:     %[[ROW:.*]] = memref.load %{{.*}} : memref<?x8xbf16>
//       CHECK:     %[[WIDE:.*]] = arith.extf %[[ROW]] : bf16 to f32
//       CHECK:     arith.addf %{{.*}}, %[[WIDE]] : f32
//       CHECK:   %[[ROUNDED:.*]] = arith.truncf %[[SUM]] : f32 to bf16
//       CHECK:   memref.store %[[ROUNDED]], %{{.*}} : memref<?x8xbf16>
func.func @sum(%n: index, %p: memref<?xi32>, %y: memref<?x8xbf16>, %o: memref<?x8xbf16>) {
  %zero = arith.constant dense<0.0> : vector<8xf32>
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?x8xbf16>) schedule #hetkernel.gpu_traverse<coarsening = 1> {
  ^bb0(%i: index):
    %sum = hetkernel.for_each %i init(%zero : vector<8xf32>) {
    ^bb0(%e: index, %acc: vector<8xf32>):
      %r = hetkernel.row %y[%e] : memref<?x8xbf16> -> vector<8xbf16>
      %w = arith.extf %r : vector<8xbf16> to vector<8xf32>
      %a = arith.addf %acc, %w : vector<8xf32>
      hetkernel.yield %a : vector<8xf32>
    } -> vector<8xf32>
    %t = arith.truncf %sum : vector<8xf32> to vector<8xbf16>
    hetkernel.yield %t : vector<8xbf16>
  }
  return
}

// CHECK-LABEL: func @kept
//       CHECK: %[[KEPT:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xf32>
//       CHECK: gpu.launch
//       CHECK:   scf.for {{.*}} -> (f32) {
//       CHECK:     %[[POWER:.*]] = math.exp %{{.*}} : f32
//       CHECK:     memref.store %[[POWER]], %[[KEPT]]
//       CHECK:   scf.for
//       CHECK:     %[[AGAIN:.*]] = memref.load %[[KEPT]]
//       CHECK:     %[[Q:.*]] = arith.divf %[[AGAIN]]
//       CHECK:     %[[ROUNDED:.*]] = arith.truncf %[[Q]] : f32 to f16
//       CHECK:     memref.store %[[ROUNDED]], %{{.*}} : memref<?xf16>
func.func @kept(%n: index, %p: memref<?xi32>, %s: memref<?xf16>, %o: memref<?xf16>) {
  %zero = arith.constant 0.0 : f32
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?xf16>) schedule #hetkernel.gpu_traverse<coarsening = 1> {
  ^bb0(%i: index):
    %sum, %kept = hetkernel.for_each %i init(%zero : f32) {
    ^bb0(%e: index, %a: f32):
      %r = hetkernel.row %s[%e] : memref<?xf16> -> f16
      %w = arith.extf %r : f16 to f32
      %q = math.exp %w : f32
      %next = arith.addf %a, %q : f32
      hetkernel.yield %next, %q : f32, f32
    } -> f32, !hetkernel.segment<f32>
    %attention = hetkernel.for_each %i {
    ^bb0(%e: index):
      %q0 = hetkernel.element %kept[%e] : !hetkernel.segment<f32>
      %q = arith.divf %q0, %sum : f32
      %t = arith.truncf %q : f32 to f16
      hetkernel.yield %t : f16
    } -> !hetkernel.segment<f16>
    hetkernel.yield %attention : !hetkernel.segment<f16>
  }
  return
}

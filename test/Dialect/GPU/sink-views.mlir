// RUN: rgnn-opt %s --rgnn-sink-views --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// Two parts of a buffer, one of them a part of the other: the kernel takes the buffer alone.
// CHECK-LABEL: func @parts
//  CHECK-SAME: (%[[B:[a-z0-9]+]]: memref<4x8xf32>)
//   CHECK-NOT:   memref.subview
//       CHECK:   gpu.launch
//       CHECK:     %[[HALF:[a-z0-9_]+]] = memref.subview %[[B]][0, 4] [4, 4] [1, 1]
//       CHECK:     %[[QUARTER:[a-z0-9_]+]] = memref.subview %[[HALF]][0, 2] [4, 2] [1, 1]
//       CHECK:     memref.load %[[HALF]]
//       CHECK:     memref.store %{{.*}}, %[[QUARTER]]
func.func @parts(%b: memref<4x8xf32>) {
  %c1 = arith.constant 1 : index
  %half = memref.subview %b[0, 4] [4, 4] [1, 1] : memref<4x8xf32> to memref<4x4xf32, strided<[8, 1], offset: 4>>
  %quarter = memref.subview %half[0, 2] [4, 2] [1, 1] : memref<4x4xf32, strided<[8, 1], offset: 4>> to memref<4x2xf32, strided<[8, 1], offset: 6>>
  gpu.launch blocks(%x, %y, %z) in (%d = %c1, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    %number = memref.load %half[%x, %g] : memref<4x4xf32, strided<[8, 1], offset: 4>>
    memref.store %number, %quarter[%x, %g] : memref<4x2xf32, strided<[8, 1], offset: 6>>
    gpu.terminator
  }
  return
}

// -----

// A view that needs a number stays with the host: the kernel would take the number beside the buffer.
// CHECK-LABEL: func @sized
//       CHECK:   %[[V:[a-z0-9_]+]] = memref.subview
//       CHECK:   gpu.launch
//   CHECK-NOT:     memref.subview
//       CHECK:     memref.store %{{.*}}, %[[V]]
func.func @sized(%b: memref<?xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %v = memref.subview %b[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  gpu.launch blocks(%x, %y, %z) in (%d = %n, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    memref.store %zero, %v[%x] : memref<?xf32, strided<[1]>>
    gpu.terminator
  }
  return
}

// -----

// CHECK-LABEL: func @constant
//   CHECK-NOT:   memref.get_global
//       CHECK:   gpu.launch
//       CHECK:     memref.get_global @counts
memref.global "private" constant @counts : memref<4xf32> = dense<1.0>
func.func @constant(%o: memref<4xf32>) {
  %c1 = arith.constant 1 : index
  %counts = memref.get_global @counts : memref<4xf32>
  gpu.launch blocks(%x, %y, %z) in (%d = %c1, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    %number = memref.load %counts[%x] : memref<4xf32>
    memref.store %number, %o[%x] : memref<4xf32>
    gpu.terminator
  }
  return
}

// -----

// Memory of the host, which may change; what kernels see of a constant is a copy.
memref.global "private" @counts : memref<4xf32>
func.func @variable(%o: memref<4xf32>) {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected a constant where kernels read it, got @counts}}
  %counts = memref.get_global @counts : memref<4xf32>
  gpu.launch blocks(%x, %y, %z) in (%d = %c1, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    %number = memref.load %counts[%x] : memref<4xf32>
    memref.store %number, %o[%x] : memref<4xf32>
    gpu.terminator
  }
  return
}

// RUN: rgnn-opt %s --allow-unregistered-dialect --pass-pipeline='builtin.module(func.func(rgnn-hoist-allocas))' | FileCheck %s

// CHECK-LABEL: func.func @fixed
//  CHECK-NEXT:   memref.alloca() : memref<8xf32>
//       CHECK:   scf.for
//   CHECK-NOT:     memref.alloca
//       CHECK:   return
func.func @fixed(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloca() : memref<8xf32>
    "test.use"(%t) : (memref<8xf32>) -> ()
  }
  return
}

// CHECK-LABEL: func.func @dynamic
//       CHECK:   %[[R:.*]] = scf.for
//       CHECK:     %[[S:.*]] = memref.alloca_scope -> (f32) {
//       CHECK:       memref.alloca(%{{.*}}) : memref<?xf32>
//       CHECK:       memref.alloca_scope.return %{{.*}} : f32
//       CHECK:     scf.yield %[[S]] : f32
func.func @dynamic(%n: index, %init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %init) -> (f32) {
    %t = memref.alloca(%n) : memref<?xf32>
    %v = memref.load %t[%i] : memref<?xf32>
    %next = arith.addf %sum, %v : f32
    scf.yield %next : f32
  }
  return %r : f32
}

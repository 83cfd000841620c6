// RUN: rgnn-opt %s --convert-hetkernel-to-scf --canonicalize --cse | FileCheck %s

// Each part goes behind the rows of those before it.
// CHECK-LABEL: func @concat
//  CHECK-SAME: (%[[A:[a-z0-9_]*]]: memref<3x8xf32>, %[[B:[a-z0-9_]*]]: memref<?x8xf32>, %[[C:[a-z0-9_]*]]: memref<?x8xf32>, %[[O:[a-z0-9_]*]]: memref<?x8xf32>)
//       CHECK: %[[A1:[a-z0-9_]*]] = memref.subview %[[O]][0, 0] [3, 8] [1, 1]
//       CHECK: memref.copy %[[A]], %[[A1]]
//       CHECK: %[[NB:[a-z0-9_]*]] = memref.dim %[[B]], %c0
//       CHECK: %[[B1:[a-z0-9_]*]] = memref.subview %[[O]][3, 0] [%[[NB]], 8] [1, 1]
//       CHECK: memref.copy %[[B]], %[[B1]]
//       CHECK: %[[END:[a-z0-9_]*]] = arith.addi %[[NB]], %c3
//       CHECK: %[[NC:[a-z0-9_]*]] = memref.dim %[[C]], %c0
//       CHECK: %[[C1:[a-z0-9_]*]] = memref.subview %[[O]][%[[END]], 0] [%[[NC]], 8] [1, 1]
//       CHECK: memref.copy %[[C]], %[[C1]]
func.func @concat(%a: memref<3x8xf32>, %b: memref<?x8xf32>, %c: memref<?x8xf32>, %o: memref<?x8xf32>) {
  hetkernel.concat (%a, %b, %c : memref<3x8xf32>, memref<?x8xf32>, memref<?x8xf32>) outs(%o : memref<?x8xf32>)
  return
}

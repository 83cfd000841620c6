// RUN: rgnn-opt %s --convert-hetkernel-to-scf --canonicalize --cse | FileCheck %s

// Each part goes behind the rows of those before it; rows of nodes, which may be many, in tasks.
// CHECK-LABEL: func @concat
//  CHECK-SAME: (%[[A:[a-z0-9_]*]]: memref<3x8xf32>, %[[B:[a-z0-9_]*]]: memref<?x8xf32>, %[[C:[a-z0-9_]*]]: memref<?x8xf32>, %[[O:[a-z0-9_]*]]: memref<?x8xf32>)
//       CHECK: %[[A1:[a-z0-9_]*]] = memref.subview %[[O]][0, 0] [3, 8] [1, 1]
//       CHECK: memref.copy %[[A]], %[[A1]]
//       CHECK: %[[NB:[a-z0-9_]*]] = memref.dim %[[B]], %c0
//       CHECK: %[[SERIAL:[a-z0-9_]*]] = arith.cmpi ult, %{{.*}}, %c32768
//       CHECK: %[[STEP:[a-z0-9_]*]] = arith.select %[[SERIAL]], %{{.*}}, %c1024
//       CHECK: %[[TASKS:[a-z0-9_]*]] = arith.ceildivui %[[NB]], %[[STEP]]
//       CHECK: scf.forall (%[[T:.*]]) in (%[[TASKS]])
//       CHECK:   %[[BEGIN:[a-z0-9_]*]] = arith.muli %[[T]], %[[STEP]]
//       CHECK:   %[[END:[a-z0-9_]*]] = arith.minui %{{.*}}, %[[NB]]
//       CHECK:   %[[COUNT:[a-z0-9_]*]] = arith.subi %[[END]], %[[BEGIN]]
//       CHECK:   %[[TO:[a-z0-9_]*]] = arith.addi %[[BEGIN]], %c3
//       CHECK:   %[[FROM:[a-z0-9_]*]] = memref.subview %[[B]][%[[BEGIN]], 0] [%[[COUNT]], 8] [1, 1]
//       CHECK:   %[[B1:[a-z0-9_]*]] = memref.subview %[[O]][%[[TO]], 0] [%[[COUNT]], 8] [1, 1]
//       CHECK:   memref.copy %[[FROM]], %[[B1]]
//       CHECK: %[[OFFSET:[a-z0-9_]*]] = arith.addi %[[NB]], %c3
//       CHECK: scf.forall
//       CHECK:   %[[TO:[a-z0-9_]*]] = arith.addi %[[OFFSET]], %{{.*}}
//       CHECK:   memref.subview %[[O]][%[[TO]], 0]
func.func @concat(%a: memref<3x8xf32>, %b: memref<?x8xf32>, %c: memref<?x8xf32>, %o: memref<?x8xf32>) {
  hetkernel.concat (%a, %b, %c : memref<3x8xf32>, memref<?x8xf32>, memref<?x8xf32>) outs(%o : memref<?x8xf32>)
  return
}

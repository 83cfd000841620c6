// RUN: rgnn-opt %s --convert-hetkernel-to-gpu --canonicalize --cse | FileCheck %s

// What is no kernel has a thread for each element.

// Two parts in one launch: the first row of the second is where the first ends. A thread has up to 8 numbers, which are
// as far apart as there are threads, where that leaves 32,768 of them.
// CHECK-LABEL: func @concat
//  CHECK-SAME: (%[[A:[a-z0-9_]*]]: memref<?x4xf32>, %[[B:[a-z0-9_]*]]: memref<?x4xf32>, %[[O:[a-z0-9_]*]]: memref<?x4xf32>)
//       CHECK: %[[ROWS:[a-z0-9_]*]] = memref.dim %[[A]], %c0
//       CHECK: %[[COUNT:[a-z0-9_]*]] = arith.muli %{{.*}}, %c4
//       CHECK: %[[EIGHTH:[a-z0-9_]*]] = arith.ceildivui %[[COUNT]], %c8
//       CHECK: %[[LEAST:[a-z0-9_]*]] = arith.maxui %[[EIGHTH]], %c32768
//       CHECK: %[[THREADS:[a-z0-9_]*]] = arith.minui %[[LEAST]], %[[COUNT]]
//       CHECK: gpu.launch
//       CHECK:   scf.for %[[I:[a-z0-9_]*]] = %{{[a-z0-9_]*}} to %[[COUNT]] step %[[THREADS]]
//       CHECK:   %[[COLUMN:[a-z0-9_]*]] = arith.remui %{{.*}}, %c4
//       CHECK:   %[[ROW:[a-z0-9_]*]] = arith.divui %{{.*}}, %c4
//       CHECK:   %[[SECOND:[a-z0-9_]*]] = arith.cmpi uge, %[[ROW]], %[[ROWS]]
//       CHECK:   %[[PART:[a-z0-9_]*]] = arith.select %[[SECOND]], %[[B]], %[[A]] : memref<?x4xf32>
//       CHECK:   %[[BEGIN:[a-z0-9_]*]] = arith.select %[[SECOND]], %[[ROWS]], %c0
//       CHECK:   %[[INPART:[a-z0-9_]*]] = arith.subi %[[ROW]], %[[BEGIN]]
//       CHECK:   %[[NUMBER:[a-z0-9_]*]] = memref.load %[[PART]][%[[INPART]], %[[COLUMN]]]
//       CHECK:   memref.store %[[NUMBER]], %[[O]][%[[ROW]], %[[COLUMN]]]
//   CHECK-NOT: gpu.launch
func.func @concat(%a: memref<?x4xf32>, %b: memref<?x4xf32>, %o: memref<?x4xf32>) {
  hetkernel.concat (%a, %b : memref<?x4xf32>, memref<?x4xf32>) outs(%o : memref<?x4xf32>)
  return
}

// Parts that are laid out differently: a thread reads its own.
// CHECK-LABEL: func @concat_layouts
//  CHECK-SAME: (%[[A:[a-z0-9_]*]]: memref<?x4xf32>, %[[B:[a-z0-9_]*]]: memref<?x4xf32, strided<[8, 1]>>, %[[O:[a-z0-9_]*]]: memref<?x4xf32>)
//       CHECK: %[[ROWS:[a-z0-9_]*]] = memref.dim %[[A]], %c0
//       CHECK:   %[[COLUMN:[a-z0-9_]*]] = arith.remui %{{.*}}, %c4
//       CHECK:   %[[ROW:[a-z0-9_]*]] = arith.divui %{{.*}}, %c4
//       CHECK:   %[[FIRST:[a-z0-9_]*]] = arith.cmpi ult, %[[ROW]], %[[ROWS]]
//       CHECK:   %[[NUMBER:[a-z0-9_]*]] = scf.if %[[FIRST]] -> (f32) {
//       CHECK:     memref.load %[[A]][%[[ROW]], %[[COLUMN]]]
//       CHECK:   } else {
//       CHECK:     %[[INB:[a-z0-9_]*]] = arith.subi %[[ROW]], %[[ROWS]]
//       CHECK:     memref.load %[[B]][%[[INB]], %[[COLUMN]]]
//       CHECK:   memref.store %[[NUMBER]], %[[O]][%[[ROW]], %[[COLUMN]]]
func.func @concat_layouts(%a: memref<?x4xf32>, %b: memref<?x4xf32, strided<[8, 1]>>, %o: memref<?x4xf32>) {
  hetkernel.concat (%a, %b : memref<?x4xf32>, memref<?x4xf32, strided<[8, 1]>>) outs(%o : memref<?x4xf32>)
  return
}

// CHECK-LABEL: func @copy
//       CHECK: gpu.launch
//       CHECK:   %[[NUMBER:[a-z0-9_]*]] = memref.load %{{.*}} : memref<?x4xf32>
//       CHECK:   memref.store %[[NUMBER]], %{{.*}} : memref<?x4xf32, strided<[8, 1]>>
//   CHECK-NOT: memref.copy
func.func @copy(%a: memref<?x4xf32>, %o: memref<?x4xf32, strided<[8, 1]>>) {
  memref.copy %a, %o : memref<?x4xf32> to memref<?x4xf32, strided<[8, 1]>>
  return
}

// CHECK-LABEL: func @transpose
//       CHECK: gpu.launch {{.*}} in (%{{[a-z0-9_]*}} = %c1, %{{[a-z0-9_]*}} = %c1, %{{[a-z0-9_]*}} = %c1)
//       CHECK:   arith.cmpi ult, %{{.*}}, %c24
//       CHECK:   memref.load %{{.*}} : memref<2x3x4xf32>
//       CHECK:   memref.store %{{.*}} : memref<2x4x3xf32>
func.func @transpose(%a: memref<2x3x4xf32>, %o: memref<2x4x3xf32>) {
  linalg.transpose ins(%a : memref<2x3x4xf32>) outs(%o : memref<2x4x3xf32>) permutation = [0, 2, 1]
  return
}

// A scalar takes one thread.
// CHECK-LABEL: func @scalar
//       CHECK: gpu.launch
//       CHECK:   arith.cmpi ult, %{{.*}}, %c1
//       CHECK:   memref.store %{{.*}} : memref<f32>
func.func @scalar(%a: memref<f32>, %o: memref<f32>) {
  linalg.copy ins(%a : memref<f32>) outs(%o : memref<f32>)
  return
}

// A copy to the same place is none.
// CHECK-LABEL: func @copy_onto_itself
//       CHECK: gpu.launch
//   CHECK-NOT: gpu.launch
func.func @copy_onto_itself(%a: memref<?x4xf32>, %b: memref<?x4xf32>) {
  memref.copy %a, %a : memref<?x4xf32> to memref<?x4xf32>
  memref.copy %a, %b : memref<?x4xf32> to memref<?x4xf32>
  return
}

// RUN: rgnn-opt %s --convert-hetkernel-to-gpu --canonicalize --cse | FileCheck %s

// The first row of the second part is where the first ends. A thread has up to 8 numbers, which are as far apart as there
// are threads, where that leaves 32,768 of them.
// CHECK-LABEL: func @concat
//  CHECK-SAME: (%[[A:[a-z0-9_]*]]: memref<?x4xf32>, %[[B:[a-z0-9_]*]]: memref<?x4xf32>, %[[O:[a-z0-9_]*]]: memref<?x4xf32>)
//       CHECK: %[[ROWS:[a-z0-9_]*]] = memref.dim %[[A]], %c0
//       CHECK: %[[COUNT:[a-z0-9_]*]] = arith.muli %{{.*}}, %c4
//       CHECK: %[[EIGHTH:[a-z0-9_]*]] = arith.ceildivui %[[COUNT]], %c8
//       CHECK: %[[LEAST:[a-z0-9_]*]] = arith.maxui %[[EIGHTH]], %c32768
//       CHECK: %[[THREADS:[a-z0-9_]*]] = arith.minui %[[LEAST]], %[[COUNT]]
//       CHECK: %[[BLOCKS:[a-z0-9_]*]] = arith.ceildivui %[[THREADS]], %c128
//       CHECK: gpu.launch {{.*}} in (%{{[a-z0-9_]*}} = %[[BLOCKS]],
//       CHECK:   %[[STEP:[a-z0-9_]*]] = arith.muli %[[BLOCKS]], %c128
//       CHECK:   scf.for %[[I:[a-z0-9_]*]] = %{{[a-z0-9_]*}} to %[[COUNT]] step %[[STEP]]
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

// Parts that are laid out differently are copied by different blocks.
// CHECK-LABEL: func @layouts
//  CHECK-SAME: (%[[A:[a-z0-9_]*]]: memref<?x4xf32>, %[[B:[a-z0-9_]*]]: memref<?x4xf32, strided<[8, 1]>>, %[[O:[a-z0-9_]*]]: memref<?x4xf32>)
//       CHECK: %[[ROWS:[a-z0-9_]*]] = memref.dim %[[A]], %c0
//       CHECK: %[[FIRST:[a-z0-9_]*]] = arith.ceildivui %{{.*}}, %c128
//       CHECK: %[[ALL:[a-z0-9_]*]] = arith.addi %[[FIRST]], %{{.*}}
//       CHECK: gpu.launch blocks(%[[BLOCK:[a-z0-9_]*]], {{.*}} in (%{{[a-z0-9_]*}} = %[[ALL]],
//       CHECK:   %[[IS:[a-z0-9_]*]] = arith.cmpi ult, %[[BLOCK]], %[[FIRST]]
//       CHECK:   scf.if %[[IS]] {
//       CHECK:     memref.load %[[A]]
//       CHECK:     memref.store
//       CHECK:   } else {
//       CHECK:     %[[OWN:[a-z0-9_]*]] = arith.subi %[[BLOCK]], %[[FIRST]]
//       CHECK:     %[[ROW:[a-z0-9_]*]] = arith.addi %[[INB:[a-z0-9_]*]], %[[ROWS]]
//       CHECK:     memref.load %[[B]]
//       CHECK:     memref.store %{{.*}}, %[[O]][%[[ROW]],
//   CHECK-NOT: gpu.launch
func.func @layouts(%a: memref<?x4xf32>, %b: memref<?x4xf32, strided<[8, 1]>>, %o: memref<?x4xf32>) {
  hetkernel.concat (%a, %b : memref<?x4xf32>, memref<?x4xf32, strided<[8, 1]>>) outs(%o : memref<?x4xf32>)
  return
}

// A thread chooses among 16 parts at most: the block says whether it is from these or from the one that is left.
// CHECK-LABEL: func @seventeen
//       CHECK: gpu.launch blocks(%[[BLOCK:[a-z0-9_]*]], {{.*}} in (%{{[a-z0-9_]*}} = %c2,
//       CHECK:   %[[IS:[a-z0-9_]*]] = arith.cmpi {{ult|eq}}, %[[BLOCK]], %c{{1|0}}
//       CHECK:   scf.if %[[IS]] {
// CHECK-COUNT-15:  arith.select %{{.*}} : memref<?x4xf32>
//   CHECK-NOT:     arith.select %{{.*}} : memref
//       CHECK:   } else {
//   CHECK-NOT:     arith.select
//       CHECK:     memref.load %arg16
//   CHECK-NOT: gpu.launch
func.func @seventeen(%p0: memref<1x4xf32>, %p1: memref<2x4xf32>, %p2: memref<3x4xf32>, %p3: memref<1x4xf32>, %p4: memref<2x4xf32>, %p5: memref<3x4xf32>, %p6: memref<1x4xf32>, %p7: memref<2x4xf32>, %p8: memref<3x4xf32>, %p9: memref<1x4xf32>, %p10: memref<2x4xf32>, %p11: memref<3x4xf32>, %p12: memref<1x4xf32>, %p13: memref<2x4xf32>, %p14: memref<3x4xf32>, %p15: memref<1x4xf32>, %p16: memref<2x4xf32>, %o: memref<33x4xf32>) {
  hetkernel.concat (%p0, %p1, %p2, %p3, %p4, %p5, %p6, %p7, %p8, %p9, %p10, %p11, %p12, %p13, %p14, %p15, %p16 : memref<1x4xf32>, memref<2x4xf32>, memref<3x4xf32>, memref<1x4xf32>, memref<2x4xf32>, memref<3x4xf32>, memref<1x4xf32>, memref<2x4xf32>, memref<3x4xf32>, memref<1x4xf32>, memref<2x4xf32>, memref<3x4xf32>, memref<1x4xf32>, memref<2x4xf32>, memref<3x4xf32>, memref<1x4xf32>, memref<2x4xf32>) outs(%o : memref<33x4xf32>)
  return
}

// CHECK-LABEL: func @no_columns
//   CHECK-NOT: gpu.launch
//       CHECK: return
func.func @no_columns(%a: memref<?x0xf32>, %b: memref<?x0xf32>, %o: memref<?x0xf32>) {
  hetkernel.concat (%a, %b : memref<?x0xf32>, memref<?x0xf32>) outs(%o : memref<?x0xf32>)
  return
}

// RUN: rgnn-opt %s --convert-hetkernel-to-scf --canonicalize --cse | FileCheck %s

// Each tile sums up in a matrix of its own: a block of two rows x one vector, then the row that is left, then the same
// for the two columns that are left. Where there are few tiles, each of the two blocks of rows is a task. The second loop
// has a task for each row; it starts anew where the type changes.
// CHECK-LABEL: func @typed
//  CHECK-SAME: (%[[X:[a-z0-9_]*]]: memref<?x3xf32>, %[[G:[a-z0-9_]*]]: memref<?xi32>, %[[Y:[a-z0-9_]*]]: memref<?x10xf32>, %[[T:[a-z0-9_]*]]: memref<?x3xi32>, %[[O:[a-z0-9_]*]]: memref<5x3x10xf32>)
//   CHECK-DAG: %[[ZERO:[a-z0-9_]*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
//   CHECK-DAG: %[[NONE:[a-z0-9_-]*]] = arith.constant -1 : index
//       CHECK: %[[TILES:[a-z0-9_]*]] = memref.dim %[[T]], %c0
//       CHECK: %[[P:[a-z0-9_]*]] = memref.alloc(%[[TILES]]) {alignment = 64 : i64} : memref<?x3x10xf32>
//       CHECK: %[[ROWS:[a-z0-9_]*]] = memref.dim %[[Y]], %c0
//       CHECK: %[[WORK:[a-z0-9_]*]] = arith.muli %[[ROWS]], %c4
//       CHECK: arith.cmpi ult, %[[WORK]], %c32768
//       CHECK: %[[FEW:[a-z0-9_]*]] = arith.cmpi ult, %[[TILES]], %c16
//       CHECK: arith.select %[[FEW]], %c1, %c2
//       CHECK: scf.forall
//       CHECK:   scf.for %[[TILE:[a-z0-9_]*]] =
//       CHECK:     %[[FIRST:[a-z0-9_]*]] = arith.subi
//       CHECK:     %[[LAST:[a-z0-9_]*]] = arith.subi
//       CHECK:     memref.load %[[T]][%[[TILE]], %c1]
//       CHECK:     %[[BEGIN:[a-z0-9_]*]] = arith.index_castui
//       CHECK:     memref.load %[[T]][%[[TILE]], %c2]
//       CHECK:     %[[END:[a-z0-9_]*]] = arith.index_castui
//       CHECK:     scf.for %[[K:[a-z0-9_]*]] =
//       CHECK:       vector.store %[[ZERO]], %[[P]][%[[TILE]], %[[K]], %c0]
//       CHECK:       vector.maskedstore %[[P]][%[[TILE]], %[[K]], %c8], %{{.*}}, %[[ZERO]]
//       CHECK:     scf.for %[[PIECE:[a-z0-9_]*]] = %[[BEGIN]] to %[[END]] step %c128 {
//       CHECK:       %[[NEXT:[a-z0-9_]*]] = arith.addi %[[PIECE]], %c128
//       CHECK:       %[[STOP:[a-z0-9_]*]] = arith.minui %[[NEXT]], %[[END]]
//       CHECK:       %[[FULL:[a-z0-9_]*]] = arith.minui %[[LAST]], %c1
//       CHECK:       scf.for %[[BLOCK:[a-z0-9_]*]] = %[[FIRST]] to %[[FULL]] step %c1 {
//       CHECK:       %[[K0:[a-z0-9_]*]] = arith.muli %[[BLOCK]], %c2
//       CHECK:       %[[P0:[a-z0-9_]*]] = vector.load %[[P]][%[[TILE]], %[[K0]], %c0]
//       CHECK:       %[[K1:[a-z0-9_]*]] = arith.addi %[[K0]], %c1
//       CHECK:       %[[P1:[a-z0-9_]*]] = vector.load %[[P]][%[[TILE]], %[[K1]], %c0]
//       CHECK:       %[[S:[a-z0-9_]*]]:2 = scf.for %[[I:[a-z0-9_]*]] = %[[PIECE]] to %[[STOP]] step %c1 iter_args(%[[A:[a-z0-9_]*]] = %[[P0]], %[[B:[a-z0-9_]*]] = %[[P1]])
//       CHECK:         %[[V:[a-z0-9_]*]] = vector.load %[[Y]][%[[I]], %c0]
//       CHECK:         memref.load %[[G]][%[[I]]]
//       CHECK:         %[[J:[a-z0-9_]*]] = arith.index_castui
//       CHECK:         memref.load %[[X]][%[[J]], %[[K0]]]
//       CHECK:         %[[X0:[a-z0-9_]*]] = vector.broadcast
//       CHECK:         vector.fma %[[X0]], %[[V]], %[[A]]
//       CHECK:         memref.load %[[X]][%[[J]], %[[K1]]]
//       CHECK:         %[[X1:[a-z0-9_]*]] = vector.broadcast
//       CHECK:         vector.fma %[[X1]], %[[V]], %[[B]]
//       CHECK:       vector.store %[[S]]#0, %[[P]][%[[TILE]], %[[K0]], %c0]
//       CHECK:       vector.store %[[S]]#1, %[[P]][%[[TILE]], %[[K1]], %c0]
//       CHECK:       %[[LEFT:[a-z0-9_]*]] = arith.cmpi ugt, %[[LAST]], %c1
//       CHECK:       scf.if %[[LEFT]]
//       CHECK:       vector.load %[[P]][%[[TILE]], %c2, %c0]
//       CHECK:       vector.store %{{.*}}, %[[P]][%[[TILE]], %c2, %c0]
//       CHECK:       vector.maskedload %[[P]][%[[TILE]], %{{.*}}, %c8]
//       CHECK:       vector.maskedload %[[P]][%[[TILE]], %{{.*}}, %c8]
//       CHECK:       vector.maskedload %[[P]][%[[TILE]], %c2, %c8]
//       CHECK: scf.forall
//       CHECK:   scf.for %[[K:[a-z0-9_]*]] =
//       CHECK:     scf.for %[[TYPE:[a-z0-9_]*]] = %c0 to %c5
//       CHECK:       vector.store %[[ZERO]], %[[O]][%[[TYPE]], %[[K]], %c0]
//       CHECK:       vector.maskedstore %[[O]][%[[TYPE]], %[[K]], %c8]
//       CHECK:     scf.for %[[TILE:[a-z0-9_]*]] = %c0 to %[[TILES]] step %c1 iter_args(%[[SUM:[a-z0-9_]*]] = %[[ZERO]], %[[BEFORE:[a-z0-9_]*]] = %[[NONE]])
//       CHECK:       memref.load %[[T]][%[[TILE]], %c0]
//       CHECK:       %[[TYPE:[a-z0-9_]*]] = arith.index_castui
//       CHECK:       %[[NEW:[a-z0-9_]*]] = arith.cmpi ne, %[[TYPE]], %[[BEFORE]]
//       CHECK:       %[[START:[a-z0-9_]*]] = arith.select %[[NEW]], %[[ZERO]], %[[SUM]]
//       CHECK:       %[[PART:[a-z0-9_]*]] = vector.load %[[P]][%[[TILE]], %[[K]], %c0]
//       CHECK:       %[[ALL:[a-z0-9_]*]] = arith.addf %[[START]], %[[PART]]
//       CHECK:       vector.store %[[ALL]], %[[O]][%[[TYPE]], %[[K]], %c0]
//       CHECK:       scf.yield %[[ALL]], %[[TYPE]]
//       CHECK:     vector.maskedload %[[P]]
//       CHECK:     vector.maskedstore %[[O]]
//       CHECK: memref.dealloc %[[P]]
func.func @typed(%x: memref<?x3xf32>, %g: memref<?xi32>, %y: memref<?x10xf32>, %t: memref<?x3xi32>, %o: memref<5x3x10xf32>) {
  hetkernel.outer_sum x(%x gather %g : memref<?x3xf32>, memref<?xi32>) y(%y : memref<?x10xf32>) tiles(%t : memref<?x3xi32>)
      outs(%o : memref<5x3x10xf32>) schedule #hetkernel.cpu_gemm<tile_rows = 1024, block_rows = 2, block_vectors = 1, vector_width = 8>
  return
}

// Without a first factor rows are added up, those of 16 bits in f32 until the end. The list's length is the number of
// rows, and there is one matrix: it has one row, which is no parallel loop.
// CHECK-LABEL: func @sum
//  CHECK-SAME: (%[[Y:[a-z0-9_]*]]: memref<?x8xbf16>, %[[G:[a-z0-9_]*]]: memref<?xi32>, %[[O:[a-z0-9_]*]]: memref<8xbf16>)
//       CHECK: %[[ROWS:[a-z0-9_]*]] = memref.dim %[[G]], %c0
//       CHECK: %[[TILES:[a-z0-9_]*]] = arith.ceildivui %[[ROWS]], %c1024
//       CHECK: %[[P:[a-z0-9_]*]] = memref.alloc(%[[TILES]]) {alignment = 64 : i64} : memref<?x8xf32>
//       CHECK: scf.forall
//       CHECK:   scf.for %[[TILE:[a-z0-9_]*]] =
//       CHECK:     scf.for %[[I:[a-z0-9_]*]] = {{.*}} step %c1 iter_args(%[[A:[a-z0-9_]*]] = %{{.*}}) -> (vector<8xf32>) {
//       CHECK:       memref.load %[[G]][%[[I]]]
//       CHECK:       %[[J:[a-z0-9_]*]] = arith.index_castui
//       CHECK:       %[[V:[a-z0-9_]*]] = vector.load %[[Y]][%[[J]], %c0] : memref<?x8xbf16>, vector<8xbf16>
//       CHECK:       %[[W:[a-z0-9_]*]] = arith.extf %[[V]] : vector<8xbf16> to vector<8xf32>
//       CHECK:       arith.addf %[[W]], %[[A]]
//   CHECK-NOT: scf.forall
//       CHECK: %[[ALL:[a-z0-9_]*]] = scf.for %[[TILE:[a-z0-9_]*]] = %c0 to %[[TILES]]
//       CHECK:   vector.load %[[P]][%[[TILE]], %c0]
//       CHECK: %[[ROUNDED:[a-z0-9_]*]] = arith.truncf %[[ALL]] : vector<8xf32> to vector<8xbf16>
//       CHECK: vector.store %[[ROUNDED]], %[[O]][%c0]
func.func @sum(%y: memref<?x8xbf16>, %g: memref<?xi32>, %o: memref<8xbf16>) {
  hetkernel.outer_sum y(%y gather %g : memref<?x8xbf16>, memref<?xi32>) outs(%o : memref<8xbf16>)
      schedule #hetkernel.cpu_gemm<tile_rows = 1024, block_rows = 1, block_vectors = 1, vector_width = 8>
  return
}

// Those of 32 bits are added up in f64: all edges of a graph may be one type.
// CHECK-LABEL: func @sum_single
//       CHECK: %[[P:[a-z0-9_]*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?x8xf64>
//       CHECK:   %[[W:[a-z0-9_]*]] = arith.extf %{{.*}} : vector<8xf32> to vector<8xf64>
//       CHECK:   arith.addf %[[W]], %{{.*}} : vector<8xf64>
//       CHECK: arith.truncf %{{.*}} : vector<8xf64> to vector<8xf32>
func.func @sum_single(%y: memref<?x8xf32>, %o: memref<8xf32>) {
  hetkernel.outer_sum y(%y : memref<?x8xf32>) outs(%o : memref<8xf32>)
      schedule #hetkernel.cpu_gemm<tile_rows = 1024, block_rows = 1, block_vectors = 1, vector_width = 8>
  return
}

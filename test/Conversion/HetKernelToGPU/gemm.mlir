// RUN: rgnn-opt %s --convert-hetkernel-to-gpu --canonicalize --cse | FileCheck %s

// A block for each tile, of 16 threads along the columns and 8 along the rows; a thread keeps 2 rows by 2 columns.
// The last row and the last column are read again behind the end, where nothing is stored.
// CHECK-LABEL: func @tiles
//  CHECK-SAME: (%[[X:[a-z0-9_]*]]: memref<?x6xf32>, %[[G:[a-z0-9_]*]]: memref<?xi32>, %[[W:[a-z0-9_]*]]: memref<3x6x21xf32>, %[[T:[a-z0-9_]*]]: memref<?x3xi32>, %[[C:[a-z0-9_]*]]: memref<?xf32>, %[[S:[a-z0-9_]*]]: memref<?xi32>, %[[O:[a-z0-9_]*]]: memref<?x21xf32>)
//       CHECK: %[[TILES:[a-z0-9_]*]] = memref.dim %[[T]], %c0
//       CHECK: %[[ANY:[a-z0-9_]*]] = arith.cmpi ne, %[[TILES]], %c0
//       CHECK: scf.if %[[ANY]] {
//       CHECK:   gpu.launch blocks(%[[TILE:[a-z0-9_]*]], %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}}) in (%{{[a-z0-9_]*}} = %[[TILES]], %{{[a-z0-9_]*}} = %c1, %{{[a-z0-9_]*}} = %c1)
//  CHECK-SAME:     threads(%[[LANE:[a-z0-9_]*]], %[[LINE:[a-z0-9_]*]], %{{[a-z0-9_]*}}) in (%{{[a-z0-9_]*}} = %c16, %{{[a-z0-9_]*}} = %c8, %{{[a-z0-9_]*}} = %c1)
//       CHECK:     memref.load %[[T]][%[[TILE]], %c0]
//       CHECK:     %[[TYPE:[a-z0-9_]*]] = arith.index_castui
//       CHECK:     memref.load %[[T]][%[[TILE]], %c1]
//       CHECK:     %[[BEGIN:[a-z0-9_]*]] = arith.index_castui
//       CHECK:     memref.load %[[T]][%[[TILE]], %c2]
//       CHECK:     %[[END:[a-z0-9_]*]] = arith.index_castui
//       CHECK:     %[[COLUMN:[a-z0-9_]*]] = arith.addi %[[LANE]], %c16
//       CHECK:     %[[FIRST:[a-z0-9_]*]] = arith.addi %[[BEGIN]], %[[LINE]]
//       CHECK:     scf.for %[[I:[a-z0-9_]*]] = %[[FIRST]] to %[[END]] step %c16 {
//       CHECK:       %[[LAST:[a-z0-9_]*]] = arith.subi %[[END]], %c1
//       CHECK:       %[[NEXT:[a-z0-9_]*]] = arith.addi %[[I]], %c8
//       CHECK:       %[[J:[a-z0-9_]*]] = arith.minui %[[NEXT]], %[[LAST]]
//       CHECK:       memref.load %[[G]][%[[I]]]
//       CHECK:       %[[XI:[a-z0-9_]*]] = arith.index_castui
//       CHECK:       memref.load %[[G]][%[[J]]]
//       CHECK:       %[[XJ:[a-z0-9_]*]] = arith.index_castui
//       CHECK:       %[[N0:[a-z0-9_]*]] = arith.minui %[[LANE]], %c20
//       CHECK:       %[[N1:[a-z0-9_]*]] = arith.minui %[[COLUMN]], %c20
//       CHECK:       %[[SUMS:[a-z0-9_]*]]:4 = scf.for %[[K:[a-z0-9_]*]] = %c0 to %c6 step %c1 iter_args(%[[A:[a-z0-9_]*]] = %cst, %[[B:[a-z0-9_]*]] = %cst, %[[D:[a-z0-9_]*]] = %cst, %[[E:[a-z0-9_]*]] = %cst)
//       CHECK:         %[[W0:[a-z0-9_]*]] = memref.load %[[W]][%[[TYPE]], %[[K]], %[[N0]]]
//       CHECK:         %[[W1:[a-z0-9_]*]] = memref.load %[[W]][%[[TYPE]], %[[K]], %[[N1]]]
//       CHECK:         %[[V0:[a-z0-9_]*]] = memref.load %[[X]][%[[XI]], %[[K]]]
//       CHECK:         math.fma %[[V0]], %[[W0]], %[[A]]
//       CHECK:         math.fma %[[V0]], %[[W1]], %[[B]]
//       CHECK:         %[[V1:[a-z0-9_]*]] = memref.load %[[X]][%[[XJ]], %[[K]]]
//       CHECK:         math.fma %[[V1]], %[[W0]], %[[D]]
//       CHECK:         math.fma %[[V1]], %[[W1]], %[[E]]
//       CHECK:       %[[SCALE:[a-z0-9_]*]] = memref.load %[[C]][%[[I]]]
//       CHECK:       memref.load %[[S]][%[[I]]]
//       CHECK:       %[[OUT:[a-z0-9_]*]] = arith.index_castui
//       CHECK:       %[[IN:[a-z0-9_]*]] = arith.cmpi ult, %[[LANE]], %c21
//       CHECK:       scf.if %[[IN]] {
//       CHECK:         %[[SCALED:[a-z0-9_]*]] = arith.mulf %[[SUMS]]#0, %[[SCALE]]
//       CHECK:         %[[OLD:[a-z0-9_]*]] = memref.load %[[O]][%[[OUT]], %[[LANE]]]
//       CHECK:         %[[NEW:[a-z0-9_]*]] = arith.addf %[[OLD]], %[[SCALED]]
//       CHECK:         memref.store %[[NEW]], %[[O]][%[[OUT]], %[[LANE]]]
//       CHECK:       %[[EXISTS:[a-z0-9_]*]] = arith.cmpi ult, %[[NEXT]], %[[END]]
//       CHECK:       scf.if %[[EXISTS]] {
//       CHECK:         memref.load %[[S]][%[[NEXT]]]
func.func @tiles(%x: memref<?x6xf32>, %g: memref<?xi32>, %w: memref<3x6x21xf32>, %t: memref<?x3xi32>, %c: memref<?xf32>, %s: memref<?xi32>,
                 %o: memref<?x21xf32>) {
  hetkernel.gemm x(%x gather %g : memref<?x6xf32>, memref<?xi32>) weight(%w : memref<3x6x21xf32>) tiles(%t : memref<?x3xi32>)
      scale(%c : memref<?xf32>) outs(%o scatter %s : memref<?x21xf32>, memref<?xi32>) accumulate
      schedule <tile_rows = 64, block_rows = 2, block_vectors = 2, vector_width = 16>
  return
}

// Without tiles a block has a range of rows. 64 columns are two tiles of 32, without a test for the last.
// CHECK-LABEL: func @one_weight
//       CHECK: %[[ROWS:[a-z0-9_]*]] = memref.dim
//       CHECK: %[[TILES:[a-z0-9_]*]] = arith.ceildivui %[[ROWS]], %c64
//       CHECK: gpu.launch blocks(%[[TILE:[a-z0-9_]*]], %[[COLUMNS:[a-z0-9_]*]], %{{[a-z0-9_]*}}) in (%{{[a-z0-9_]*}} = %[[TILES]], %{{[a-z0-9_]*}} = %c2, %{{[a-z0-9_]*}} = %c1)
//       CHECK:   %[[BEGIN:[a-z0-9_]*]] = arith.muli %[[TILE]], %c64
//       CHECK:   %[[NEXT:[a-z0-9_]*]] = arith.addi %[[BEGIN]], %c64
//       CHECK:   arith.minui %[[NEXT]], %[[ROWS]]
//       CHECK:   arith.muli %[[COLUMNS]], %c32
//   CHECK-NOT:   scf.if
//       CHECK: return
func.func @one_weight(%x: memref<?x6xf32>, %w: memref<6x64xf32>, %o: memref<?x64xf32>) {
  hetkernel.gemm x(%x : memref<?x6xf32>) weight(%w : memref<6x64xf32>) outs(%o : memref<?x64xf32>)
      schedule <tile_rows = 64, block_rows = 1, block_vectors = 1, vector_width = 32>
  return
}

// Two dimensions of heads share one of the grid. A transposed weight is read where it lies.
// CHECK-LABEL: func @heads_transposed
//       CHECK: gpu.launch blocks(%{{[a-z0-9_]*}}, %{{[a-z0-9_]*}}, %[[HEAD:[a-z0-9_]*]]) in (%{{[a-z0-9_]*}} = %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}} = %c1, %{{[a-z0-9_]*}} = %c6)
//       CHECK:   %[[B1:[a-z0-9_]*]] = arith.remui %[[HEAD]], %c3
//       CHECK:   %[[B0:[a-z0-9_]*]] = arith.divui %[[HEAD]], %c3
//       CHECK:   scf.for %[[K:[a-z0-9_]*]] = %c0 to %c5
//       CHECK:     memref.load %{{[a-z0-9_]*}}[%{{[a-z0-9_]*}}, %[[B0]], %[[B1]], %{{[a-z0-9_]*}}, %[[K]]] : memref<?x2x3x8x5xf32>
//       CHECK:     memref.load %{{[a-z0-9_]*}}[%{{[a-z0-9_]*}}, %[[B0]], %[[B1]], %[[K]]] : memref<?x2x3x5xf32>
func.func @heads_transposed(%x: memref<?x2x3x5xf32>, %w: memref<?x2x3x8x5xf32>, %t: memref<?x3xi32>, %o: memref<?x2x3x8xf32>) {
  hetkernel.gemm x(%x : memref<?x2x3x5xf32>) weight(%w transposed : memref<?x2x3x8x5xf32>) tiles(%t : memref<?x3xi32>) outs(%o : memref<?x2x3x8xf32>)
      schedule <tile_rows = 64, block_rows = 1, block_vectors = 1, vector_width = 8>
  return
}

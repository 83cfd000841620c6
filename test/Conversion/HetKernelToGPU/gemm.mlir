// RUN: rgnn-opt %s --convert-hetkernel-to-gpu --canonicalize --cse | FileCheck %s
// RUN: rgnn-opt %s --convert-hetkernel-to-gpu=chip=sm_75 --canonicalize --cse | FileCheck %s --check-prefix=SYNC

// A block for each tile, of 16 threads along the columns and 8 along the rows; a thread keeps 2 rows that are 8 apart, so
// that threads read other banks, by 2 columns that are 16 apart, so that threads store columns that follow each other. The
// last row and the last column are read again behind the end, where nothing is stored. The 6 terms of a sum follow each
// other in x, and are copied by two; they are filled up with zeros to 8. Those of the weight do not, and a column of its 21
// is copied alone.
// CHECK-LABEL: func @tiles
//  CHECK-SAME: (%[[X:[a-z0-9_]*]]: memref<?x6xf32>, %[[G:[a-z0-9_]*]]: memref<?xi32>, %[[W:[a-z0-9_]*]]: memref<3x6x21xf32>, %[[T:[a-z0-9_]*]]: memref<?x3xi32>, %[[C:[a-z0-9_]*]]: memref<?xf32>, %[[S:[a-z0-9_]*]]: memref<?xi32>, %[[O:[a-z0-9_]*]]: memref<?x21xf32>)
//       CHECK: %[[TILES:[a-z0-9_]*]] = memref.dim %[[T]], %c0
//       CHECK: %[[ANY:[a-z0-9_]*]] = arith.cmpi ne, %[[TILES]], %c0
//       CHECK: scf.if %[[ANY]] {
//       CHECK:   gpu.launch blocks(%[[TILE:[a-z0-9_]*]], %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}}) in (%{{[a-z0-9_]*}} = %[[TILES]], %{{[a-z0-9_]*}} = %c1, %{{[a-z0-9_]*}} = %c1)
//  CHECK-SAME:     threads(%[[LANE:[a-z0-9_]*]], %[[LINE:[a-z0-9_]*]], %{{[a-z0-9_]*}}) in (%{{[a-z0-9_]*}} = %c16, %{{[a-z0-9_]*}} = %c8, %{{[a-z0-9_]*}} = %c1)
//  CHECK-SAME:     workgroup(%[[XS:[a-z0-9_]*]] : memref<2x16x12xf32, #gpu.address_space<workgroup>>, %[[WS:[a-z0-9_]*]] : memref<2x8x32xf32, #gpu.address_space<workgroup>>)
//       CHECK:     %[[ROW1:[a-z0-9_]*]] = arith.addi %[[LINE]], %c8
//       CHECK:     %[[COLUMN1:[a-z0-9_]*]] = arith.addi %[[LANE]], %c16
//       CHECK:     memref.load %[[T]][%[[TILE]], %c0]
//       CHECK:     %[[TYPE:[a-z0-9_]*]] = arith.index_castui
//       CHECK:     memref.load %[[T]][%[[TILE]], %c1]
//       CHECK:     %[[BEGIN:[a-z0-9_]*]] = arith.index_castui
//       CHECK:     memref.load %[[T]][%[[TILE]], %c2]
//       CHECK:     %[[END:[a-z0-9_]*]] = arith.index_castui
//       CHECK:     %[[LAST:[a-z0-9_]*]] = arith.subi %[[END]], %c1
//       CHECK:     scf.for %[[FIRST:[a-z0-9_]*]] = %[[BEGIN]] to %[[END]] step %c16 {
//       CHECK:       %[[E:[a-z0-9_]*]] = arith.divui %[[THREAD:[a-z0-9_]*]], %c4
//       CHECK:       %[[PAIR:[a-z0-9_]*]] = arith.remui %[[THREAD]], %c4
//       CHECK:       %[[D:[a-z0-9_]*]] = arith.muli %[[PAIR]], %c2
//       CHECK:       %[[I:[a-z0-9_]*]] = arith.addi %[[FIRST]], %[[E]]
//       CHECK:       %[[J:[a-z0-9_]*]] = arith.minui %[[I]], %[[LAST]]
//       CHECK:       memref.load %[[G]][%[[J]]]
//       CHECK:       %[[XI:[a-z0-9_]*]] = arith.index_castui
//       CHECK:       %[[WN:[a-z0-9_]*]] = arith.minui %{{[a-z0-9_]*}}, %c20
//       CHECK:       gpu.barrier
//       CHECK:       %[[IS:[a-z0-9_]*]] = arith.cmpi ule, %[[D]], %c4
//       CHECK:       %[[TERM:[a-z0-9_]*]] = arith.minui %[[D]], %c4
//       CHECK:       %[[COUNT:[a-z0-9_]*]] = arith.select %[[IS]], %c2, %c0
//       CHECK:       nvgpu.device_async_copy %[[X]][%[[XI]], %[[TERM]]], %[[XS]][%c0, %[[E]], %[[D]]], 2, %[[COUNT]]
//       CHECK:       %[[WIS:[a-z0-9_]*]] = arith.cmpi ule, %[[WD:[a-z0-9_]*]], %c5
//       CHECK:       %[[WTERM:[a-z0-9_]*]] = arith.minui %[[WD]], %c5
//       CHECK:       %[[WCOUNT:[a-z0-9_]*]] = arith.select %[[WIS]], %c1, %c0
//       CHECK:       nvgpu.device_async_copy %[[W]][%[[TYPE]], %[[WTERM]], %[[WN]]], %[[WS]][%c0, %[[WD]], %{{[a-z0-9_]*}}], 1, %[[WCOUNT]]
//       CHECK:       nvgpu.device_async_create_group
//       CHECK:       nvgpu.device_async_wait
//       CHECK:       gpu.barrier
//       CHECK:       %[[SUMS:[a-z0-9_]*]]:4 = scf.for %[[K:[a-z0-9_]*]] = %c0 to %c8 step %c2 iter_args(%[[A:[a-z0-9_]*]] = %cst,
//       CHECK:         %[[V0:[a-z0-9_]*]] = vector.load %[[XS]][%c0, %[[LINE]], %[[K]]] {alignment = 8 : i64} : {{.*}}, vector<2xf32>
//       CHECK:         %[[V00:[a-z0-9_]*]] = vector.extract %[[V0]][0]
//       CHECK:         %[[V01:[a-z0-9_]*]] = vector.extract %[[V0]][1]
//       CHECK:         vector.load %[[XS]][%c0, %[[ROW1]], %[[K]]]
//       CHECK:         %[[W0:[a-z0-9_]*]] = memref.load %[[WS]][%c0, %[[K]], %[[LANE]]]
//       CHECK:         memref.load %[[WS]][%c0, %[[K]], %[[COLUMN1]]]
//       CHECK:         %[[A0:[a-z0-9_]*]] = math.fma %[[V00]], %[[W0]], %[[A]]
//       CHECK:         %[[K1:[a-z0-9_]*]] = arith.addi %[[K]], %c1
//       CHECK:         %[[W1:[a-z0-9_]*]] = memref.load %[[WS]][%c0, %[[K1]], %[[LANE]]]
//       CHECK:         math.fma %[[V01]], %[[W1]], %[[A0]]
//       CHECK:       %[[ROW:[a-z0-9_]*]] = arith.addi %[[FIRST]], %[[LINE]]
//       CHECK:       %[[EXISTS:[a-z0-9_]*]] = arith.cmpi ult, %[[ROW]], %[[END]]
//       CHECK:       scf.if %[[EXISTS]] {
//       CHECK:         %[[SCALE:[a-z0-9_]*]] = memref.load %[[C]][%[[ROW]]]
//       CHECK:         memref.load %[[S]][%[[ROW]]]
//       CHECK:         %[[OUT:[a-z0-9_]*]] = arith.index_castui
//       CHECK:         %[[IN:[a-z0-9_]*]] = arith.cmpi ult, %[[LANE]], %c21
//       CHECK:         scf.if %[[IN]] {
//       CHECK:           %[[SCALED:[a-z0-9_]*]] = arith.mulf %[[SUMS]]#0, %[[SCALE]]
//       CHECK:           %[[OLD:[a-z0-9_]*]] = memref.load %[[O]][%[[OUT]], %[[LANE]]]
//       CHECK:           %[[NEW:[a-z0-9_]*]] = arith.addf %[[OLD]], %[[SCALED]]
//       CHECK:           memref.store %[[NEW]], %[[O]][%[[OUT]], %[[LANE]]]

// Before sm_80 threads load, and store zeros for terms behind the last.
// SYNC-LABEL: func @tiles
//   SYNC-NOT: nvgpu
//       SYNC: %[[LOADED:.*]] = vector.load %arg0[{{.*}}] {alignment = 8 : i64} : memref<?x6xf32>, vector<2xf32>
//       SYNC: %[[NUMBERS:.*]] = arith.select %{{.*}}, %[[LOADED]], %cst{{.*}} : vector<2xf32>
//       SYNC: vector.store %[[NUMBERS]], %{{.*}} {alignment = 8 : i64} : memref<2x16x12xf32, #gpu.address_space<workgroup>>, vector<2xf32>
//       SYNC: gpu.barrier
func.func @tiles(%x: memref<?x6xf32>, %g: memref<?xi32>, %w: memref<3x6x21xf32>, %t: memref<?x3xi32>, %c: memref<?xf32>, %s: memref<?xi32>,
                 %o: memref<?x21xf32>) {
  hetkernel.gemm x(%x gather %g : memref<?x6xf32>, memref<?xi32>) weight(%w : memref<3x6x21xf32>) tiles(%t : memref<?x3xi32>)
      scale(%c : memref<?xf32>) outs(%o scatter %s : memref<?x21xf32>, memref<?xi32>) accumulate
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 2, block_columns = 2, lanes = 16>
  return
}

// Without tiles a block has a range of rows. 64 columns are two tiles of 32, without a test for the last. Two halves of
// shared memory take turns over the 32 terms, without zeros. Rows begin at multiples of 16 bytes, which are copied at once.
// CHECK-LABEL: func @one_weight
//       CHECK: %[[ROWS:[a-z0-9_]*]] = memref.dim
//       CHECK: %[[TILES:[a-z0-9_]*]] = arith.ceildivui %[[ROWS]], %c64
//       CHECK: gpu.launch blocks(%[[TILE:[a-z0-9_]*]], %[[COLUMNS:[a-z0-9_]*]], %{{[a-z0-9_]*}}) in (%{{[a-z0-9_]*}} = %[[TILES]], %{{[a-z0-9_]*}} = %c2, %{{[a-z0-9_]*}} = %c1)
//       CHECK:   arith.muli %[[COLUMNS]], %c32
//       CHECK:   %[[BEGIN:[a-z0-9_]*]] = arith.muli %[[TILE]], %c64
//       CHECK:   %[[NEXT:[a-z0-9_]*]] = arith.addi %[[BEGIN]], %c64
//       CHECK:   %[[END:[a-z0-9_]*]] = arith.minui %[[NEXT]], %[[ROWS]]
//       CHECK:   scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step %c4
//       CHECK:     scf.for %[[K:[a-z0-9_]*]] = %c0 to %c32 step %c8 iter_args(%{{[a-z0-9_]*}} = %cst, %[[SLOT:[a-z0-9_]*]] = %c0) -> (f32, index)
//       CHECK:       gpu.barrier
//       CHECK:       %[[OTHER:[a-z0-9_]*]] = arith.subi %c1, %[[SLOT]]
//       CHECK:       %[[NEXTK:[a-z0-9_]*]] = arith.addi %[[K]], %c8
//       CHECK:       %[[MORE:[a-z0-9_]*]] = arith.cmpi ult, %[[NEXTK]], %c32
//       CHECK:       scf.if %[[MORE]]
//       CHECK:         nvgpu.device_async_copy %{{.*}}[%[[OTHER]], %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}}], 4 : memref<?x32xf32> to memref<2x4x12xf32,
//       CHECK:         nvgpu.device_async_copy %{{.*}}[%[[OTHER]], %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}}], 4 : memref<32x64xf32> to memref<2x8x32xf32,
//       CHECK:       vector.load %{{.*}}[%[[SLOT]],
//       CHECK:       scf.yield %{{.*}}, %[[OTHER]]
func.func @one_weight(%x: memref<?x32xf32>, %w: memref<32x64xf32>, %o: memref<?x64xf32>) {
  hetkernel.gemm x(%x : memref<?x32xf32>) weight(%w : memref<32x64xf32>) outs(%o : memref<?x64xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 1, block_columns = 1, lanes = 32>
  return
}

// Two dimensions of heads share one of the grid. A transposed weight is read where it lies, along its rows, and in
// shared memory too.
// CHECK-LABEL: func @heads_transposed
//       CHECK: gpu.launch blocks(%{{[a-z0-9_]*}}, %{{[a-z0-9_]*}}, %[[HEAD:[a-z0-9_]*]]) in (%{{[a-z0-9_]*}} = %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}} = %c1, %{{[a-z0-9_]*}} = %c6)
//  CHECK-SAME:   workgroup(%{{.*}} : memref<2x16x12xf32, #gpu.address_space<workgroup>>, %[[WS:[a-z0-9_]*]] : memref<2x8x12xf32, #gpu.address_space<workgroup>>)
//       CHECK:   %[[B1:[a-z0-9_]*]] = arith.remui %[[HEAD]], %c3
//       CHECK:   %[[B0:[a-z0-9_]*]] = arith.divui %[[HEAD]], %c3
//       CHECK:   nvgpu.device_async_copy %{{[a-z0-9_]*}}[%{{[a-z0-9_]*}}, %[[B0]], %[[B1]], %[[K:[a-z0-9_]*]]], {{.*}} : memref<?x2x3x5xf32>
//       CHECK:   nvgpu.device_async_copy %{{[a-z0-9_]*}}[%{{[a-z0-9_]*}}, %[[B0]], %[[B1]], %[[N:[a-z0-9_]*]], %[[K]]], %[[WS]][%c0, %[[N]], %{{[a-z0-9_]*}}], 1, {{.*}} : memref<?x2x3x8x5xf32>
//       CHECK:   vector.load %[[WS]][%c0, %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}}] {alignment = 8 : i64} : {{.*}}, vector<2xf32>
func.func @heads_transposed(%x: memref<?x2x3x5xf32>, %w: memref<?x2x3x8x5xf32>, %t: memref<?x3xi32>, %o: memref<?x2x3x8xf32>) {
  hetkernel.gemm x(%x : memref<?x2x3x5xf32>) weight(%w transposed : memref<?x2x3x8x5xf32>) tiles(%t : memref<?x3xi32>) outs(%o : memref<?x2x3x8xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 1, block_columns = 1, lanes = 8>
  return
}

// One column has one thread along the columns, and one for each row of a tile.
// CHECK-LABEL: func @one_column
//       CHECK: threads({{.*}}) in (%{{[a-z0-9_]*}} = %c1, %{{[a-z0-9_]*}} = %c64, %{{[a-z0-9_]*}} = %c1) workgroup(%{{.*}} : memref<2x64x12xf32, #gpu.address_space<workgroup>>, %{{.*}} : memref<2x8x1xf32, #gpu.address_space<workgroup>>)
func.func @one_column(%x: memref<?x32xf32>, %w: memref<32x1xf32>, %o: memref<?x1xf32>) {
  hetkernel.gemm x(%x : memref<?x32xf32>) weight(%w : memref<32x1xf32>) outs(%o : memref<?x1xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 4, block_columns = 4, lanes = 16>
  return
}

// Rows that tiles share are added to atomically.
// CHECK-LABEL: func @atomic
//  CHECK-SAME: %[[S:[a-z0-9_]*]]: memref<?xi32>, %[[O:[a-z0-9_]*]]: memref<?x32xf32>)
//       CHECK: gpu.launch
//       CHECK:   memref.load %[[S]]
//       CHECK:   memref.atomic_rmw addf %{{.*}}, %[[O]]
//   CHECK-NOT:   memref.store %{{.*}}, %[[O]]
//       CHECK: return
func.func @atomic(%x: memref<?x32xf32>, %w: memref<32x32xf32>, %s: memref<?xi32>, %o: memref<?x32xf32>) {
  hetkernel.gemm x(%x : memref<?x32xf32>) weight(%w : memref<32x32xf32>) outs(%o scatter %s : memref<?x32xf32>, memref<?xi32>) accumulate atomic
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 4, block_columns = 4, lanes = 8>
  return
}

// Columns that follow each other are stored at once where rows begin at multiples of their size.
// CHECK-LABEL: func @aligned
//       CHECK:   %[[O:[a-z0-9_]*]] = memref.alloc
//       CHECK:     %[[COLUMN0:[a-z0-9_]*]] = arith.muli %{{[a-z0-9_]*}}, %c2 : index
//       CHECK:       %[[SUMS:[a-z0-9_]*]]:5 = scf.for
//       CHECK:         vector.load %{{.*}}, %[[COLUMN0]]] {alignment = 8 : i64} : memref<2x8x32xf32, {{.*}}, vector<2xf32>
//       CHECK:         %[[COLUMN:[a-z0-9_]*]] = arith.addi %{{[a-z0-9_]*}}, %[[COLUMN0]] : index
//       CHECK:         %[[SECOND:[a-z0-9_]*]] = arith.addi %[[COLUMN]], %c1 : index
//       CHECK:         %[[B1:[a-z0-9_]*]] = memref.load %{{[a-z0-9_]*}}[%[[SECOND]]] : memref<64xf32>
//       CHECK:         %[[N1:[a-z0-9_]*]] = arith.addf %[[SUMS]]#1, %[[B1]]
//       CHECK:         %[[PAIR:[a-z0-9_]*]] = vector.from_elements %{{[a-z0-9_]*}}, %[[N1]] : vector<2xf32>
//       CHECK:         vector.store %[[PAIR]], %[[O]][%{{[a-z0-9_]*}}, %[[COLUMN]]] {alignment = 8 : i64}
//   CHECK-NOT:         memref.store %{{.*}}, %[[O]]
func.func @aligned(%x: memref<?x32xf32>, %w: memref<32x64xf32>, %b: memref<64xf32>, %n: index) -> memref<?x64xf32> {
  %o = memref.alloc(%n) {alignment = 64 : i64} : memref<?x64xf32>
  hetkernel.gemm x(%x : memref<?x32xf32>) weight(%w : memref<32x64xf32>) bias(%b : memref<64xf32>)
      outs(%o : memref<?x64xf32>) schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 2, block_columns = 2, lanes = 16>
  return %o : memref<?x64xf32>
}

// Not where memory may begin anywhere.
// CHECK-LABEL: func @unaligned
//       CHECK:     arith.addi %{{[a-z0-9_]*}}, %c16
//   CHECK-NOT:     vector.store
func.func @unaligned(%x: memref<?x32xf32>, %w: memref<32x64xf32>, %n: index) -> memref<?x64xf32> {
  %o = memref.alloc(%n) : memref<?x64xf32>
  hetkernel.gemm x(%x : memref<?x32xf32>) weight(%w : memref<32x64xf32>) outs(%o : memref<?x64xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 2, block_columns = 2, lanes = 16>
  return %o : memref<?x64xf32>
}

// What ChooseGPUSchedule makes of most products: 64 threads have 8 x 8 numbers each, and read four columns at once that
// follow each other. Rows of 65 numbers begin anywhere, so that x is copied by one number; the weight is not.
// CHECK-LABEL: func @odd_rows
//  CHECK-SAME: (%[[X:[a-z0-9_]*]]: memref<?x65xf32>, %[[W:[a-z0-9_]*]]: memref<65x64xf32>, %[[O:[a-z0-9_]*]]: memref<?x64xf32>)
//       CHECK:   threads({{.*}}) in (%{{[a-z0-9_]*}} = %c8, %{{[a-z0-9_]*}} = %c8, %{{[a-z0-9_]*}} = %c1) workgroup(%[[XS:[a-z0-9_]*]] : memref<2x64x12xf32, #gpu.address_space<workgroup>>, %[[WS:[a-z0-9_]*]] : memref<2x8x64xf32, #gpu.address_space<workgroup>>)
// CHECK-COUNT-8:   nvgpu.device_async_copy %[[X]][{{.*}}], %[[XS]][{{.*}}], 1, %{{[a-z0-9_]*}} :
//   CHECK-NOT:   nvgpu.device_async_copy %[[X]]
// CHECK-COUNT-2:   nvgpu.device_async_copy %[[W]][{{.*}}], %[[WS]][{{.*}}], 4, %{{[a-z0-9_]*}} :
//       CHECK:   scf.for
//       CHECK:     scf.for %{{[a-z0-9_]*}} = %c0 to %c8 step %c2
// CHECK-COUNT-8:     vector.load %[[XS]][{{.*}}] {alignment = 8 : i64} : {{.*}}, vector<2xf32>
// CHECK-COUNT-2:     vector.load %[[WS]][{{.*}}] {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK-COUNT-64:    math.fma
//       CHECK:   vector.store %{{.*}}, %[[O]][{{.*}}] {alignment = 16 : i64} : memref<?x64xf32>, vector<4xf32>
func.func @odd_rows(%x: memref<?x65xf32>, %w: memref<65x64xf32>, %o: memref<?x64xf32>) {
  hetkernel.gemm x(%x : memref<?x65xf32>) weight(%w : memref<65x64xf32>) outs(%o : memref<?x64xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 8, block_columns = 8, lanes = 8, threads = 64>
  return
}

// Columns of other rows: their rows begin at multiples of 16 bytes, or do not.
// CHECK-LABEL: func @part
//       CHECK:   %[[P:.*]] = memref.subview
//       CHECK:   nvgpu.device_async_copy %[[P]][{{.*}}], 4 : memref<?x64xf32, strided<[192, 1], offset: 64>>
//   CHECK-NOT:   nvgpu.device_async_copy {{.*}}, 1 :
//       CHECK:   return
func.func @part(%x: memref<?x192xf32>, %w: memref<64x64xf32>, %o: memref<?x64xf32>, %n: index) {
  %p = memref.subview %x[0, 64] [%n, 64] [1, 1] : memref<?x192xf32> to memref<?x64xf32, strided<[192, 1], offset: 64>>
  hetkernel.gemm x(%p : memref<?x64xf32, strided<[192, 1], offset: 64>>) weight(%w : memref<64x64xf32>) outs(%o : memref<?x64xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 8, block_columns = 8, lanes = 8, threads = 64>
  return
}

// CHECK-LABEL: func @odd_part
//       CHECK:   %[[P:.*]] = memref.subview
//   CHECK-NOT:   nvgpu.device_async_copy %[[P]][{{.*}}], 4
//       CHECK:   nvgpu.device_async_copy %[[P]][{{.*}}], 1, %{{.*}} : memref<?x64xf32, strided<[192, 1], offset: 65>>
//   CHECK-NOT:   nvgpu.device_async_copy %[[P]][{{.*}}], 4
//       CHECK:   return
func.func @odd_part(%x: memref<?x192xf32>, %w: memref<64x64xf32>, %o: memref<?x64xf32>, %n: index) {
  %p = memref.subview %x[0, 65] [%n, 64] [1, 1] : memref<?x192xf32> to memref<?x64xf32, strided<[192, 1], offset: 65>>
  hetkernel.gemm x(%p : memref<?x64xf32, strided<[192, 1], offset: 65>>) weight(%w : memref<64x64xf32>) outs(%o : memref<?x64xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 8, block_columns = 8, lanes = 8, threads = 64>
  return
}

// Where an offset is not known, rows may begin anywhere.
// CHECK-LABEL: func @unknown_part
//       CHECK:   %[[P:.*]] = memref.subview
//       CHECK:   nvgpu.device_async_copy %[[P]][{{.*}}], 1, %{{.*}} : memref<?x64xf32, strided<[192, 1], offset: ?>>
//   CHECK-NOT:   nvgpu.device_async_copy %[[P]][{{.*}}], 4
//       CHECK:   return
func.func @unknown_part(%x: memref<?x192xf32>, %w: memref<64x64xf32>, %o: memref<?x64xf32>, %n: index, %k: index) {
  %p = memref.subview %x[0, %k] [%n, 64] [1, 1] : memref<?x192xf32> to memref<?x64xf32, strided<[192, 1], offset: ?>>
  hetkernel.gemm x(%p : memref<?x64xf32, strided<[192, 1], offset: ?>>) weight(%w : memref<64x64xf32>) outs(%o : memref<?x64xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 8, block_columns = 8, lanes = 8, threads = 64>
  return
}

// Both factors have their terms side by side. A thread has columns that are 8 apart then, and stores each by itself.
// CHECK-LABEL: func @transposed
//  CHECK-SAME: (%[[X:[a-z0-9_]*]]: memref<?x64xf32>, %[[W:[a-z0-9_]*]]: memref<64x64xf32>, %[[O:[a-z0-9_]*]]: memref<?x64xf32>)
//       CHECK:   threads(%[[LANE:[a-z0-9_]*]], {{.*}}) in {{.*}} workgroup(%[[XS:[a-z0-9_]*]] : memref<2x64x12xf32, #gpu.address_space<workgroup>>, %[[WS:[a-z0-9_]*]] : memref<2x64x12xf32, #gpu.address_space<workgroup>>)
//       CHECK:   %[[COLUMN1:[a-z0-9_]*]] = arith.addi %[[LANE]], %c8
//       CHECK:   nvgpu.device_async_copy %[[X]][{{.*}}], %[[XS]][{{.*}}], 4 :
//       CHECK:   nvgpu.device_async_copy %[[W]][%[[N:[a-z0-9_]*]], %[[K:[a-z0-9_]*]]], %[[WS]][%c0, %[[N]], %[[K]]], 4 :
//       CHECK:   scf.for
//       CHECK:     scf.for %[[D:[a-z0-9_]*]] = %c0 to %c8 step %c2
//       CHECK:       vector.load %[[WS]][%{{[a-z0-9_]*}}, %[[LANE]], %[[D]]] {alignment = 8 : i64} : {{.*}}, vector<2xf32>
//       CHECK:       vector.load %[[WS]][%{{[a-z0-9_]*}}, %[[COLUMN1]], %[[D]]]
//   CHECK-NOT:   vector.store
//       CHECK:   memref.store %{{.*}}, %[[O]][%{{[a-z0-9_]*}}, %[[LANE]]]
//       CHECK:   memref.store %{{.*}}, %[[O]][%{{[a-z0-9_]*}}, %[[COLUMN1]]]
func.func @transposed(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %o: memref<?x64xf32>) {
  hetkernel.gemm x(%x : memref<?x64xf32>) weight(%w transposed : memref<64x64xf32>) outs(%o : memref<?x64xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 8, block_columns = 8, lanes = 8, threads = 64>
  return
}

// Numbers of 16 bits come eight at a time, and are f32 in shared memory; the scale keeps them from tensor cores.
// CHECK-LABEL: func @half
//  CHECK-SAME: (%[[X:[a-z0-9_]*]]: memref<?x64xbf16>, %[[W:[a-z0-9_]*]]: memref<64x64xbf16>, %{{[a-z0-9_]*}}: memref<?xbf16>, %[[O:[a-z0-9_]*]]: memref<?x64xbf16>)
//       CHECK:   workgroup(%[[XS:[a-z0-9_]*]] : memref<2x64x12xf32, #gpu.address_space<workgroup>>, %[[WS:[a-z0-9_]*]] : memref<2x8x64xf32, #gpu.address_space<workgroup>>)
//       CHECK:   %[[V:.*]] = vector.load %[[X]][{{.*}}] {alignment = 16 : i64} : memref<?x64xbf16>, vector<8xbf16>
//       CHECK:   %[[F:.*]] = arith.extf %[[V]] : vector<8xbf16> to vector<8xf32>
//       CHECK:   vector.store %[[F]], %[[XS]][{{.*}}] {alignment = 16 : i64}
//       CHECK:   %[[V:.*]] = vector.load %[[W]][{{.*}}] {alignment = 16 : i64} : memref<64x64xbf16>, vector<8xbf16>
//       CHECK:   %[[F:.*]] = arith.extf %[[V]] : vector<8xbf16> to vector<8xf32>
//       CHECK:   vector.store %[[F]], %[[WS]][{{.*}}] {alignment = 16 : i64}
//       CHECK:   math.fma
//       CHECK:   vector.store %{{.*}}, %[[O]][{{.*}}] {alignment = 8 : i64} : memref<?x64xbf16>, vector<4xbf16>
func.func @half(%x: memref<?x64xbf16>, %w: memref<64x64xbf16>, %s: memref<?xbf16>, %o: memref<?x64xbf16>) {
  hetkernel.gemm x(%x : memref<?x64xbf16>) weight(%w : memref<64x64xbf16>) scale(%s : memref<?xbf16>) outs(%o : memref<?x64xbf16>)
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 8, block_columns = 8, lanes = 8, scale = load, threads = 64>
  return
}

// No more than there are terms in shared memory, of numbers of 8 bits either.
// CHECK-LABEL: func @eight_bits
//       CHECK:   vector.load %{{.*}} {alignment = 8 : i64} : memref<?x16xf8E4M3FN>, vector<8xf8E4M3FN>
//       CHECK:   vector.load %{{.*}} {alignment = 16 : i64} : memref<16x64xf8E4M3FN>, vector<16xf8E4M3FN>
func.func @eight_bits(%x: memref<?x16xf8E4M3FN>, %w: memref<16x64xf8E4M3FN>, %o: memref<?x64xf8E4M3FN>) {
  hetkernel.gemm x(%x : memref<?x16xf8E4M3FN>) weight(%w : memref<16x64xf8E4M3FN>) outs(%o : memref<?x64xf8E4M3FN>)
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 8, block_columns = 8, lanes = 8, threads = 64>
  return
}

// A thread copies numbers of 8 rows, whose addresses are the first's and constants: rows behind the last are zeros, and
// none is read in their place.
// CHECK-LABEL: func @many_odd_rows
//  CHECK-SAME: (%[[X:[a-z0-9_]*]]: memref<?x63xf32>
//       CHECK:   %[[LAST:.*]] = arith.subi %[[END:.*]], %c1
//   CHECK-NOT:   arith.minui %{{.*}}, %[[LAST]]
//       CHECK:   %[[LEFT:.*]] = arith.subi %[[LAST]], %[[BEGIN:.*]] :
//       CHECK:   %[[EXISTS:.*]] = arith.cmpi ule, %[[INDEX:.*]], %[[LEFT]]
//       CHECK:   gpu.barrier
//       CHECK:   %[[READ:.*]] = arith.andi %[[EXISTS]], %{{.*}}
//       CHECK:   %[[COUNT:.*]] = arith.select %[[READ]], %c1, %c0
//       CHECK:   nvgpu.device_async_copy %[[X]][{{.*}}], 1, %[[COUNT]] : memref<?x63xf32>

// Before sm_80 the last row is read.
// SYNC-LABEL: func @many_odd_rows
//       SYNC:   %[[LAST:.*]] = arith.subi %{{.*}}, %c1
//       SYNC:   arith.minui %{{.*}}, %[[LAST]]
func.func @many_odd_rows(%x: memref<?x63xf32>, %w: memref<63x64xf32>, %o: memref<?x64xf32>) {
  hetkernel.gemm x(%x : memref<?x63xf32>) weight(%w : memref<63x64xf32>) outs(%o : memref<?x64xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 8, block_columns = 8, lanes = 8, threads = 64>
  return
}

// A tile that its view says to have no more rows than a block is none of a loop over blocks of rows: the first loop is that
// over the terms.
// CHECK-LABEL: func @one_block
//       CHECK: gpu.launch
//   CHECK-NOT:   scf.for
//       CHECK:   %{{.*}}:65 = scf.for
func.func @one_block(%x: memref<?x64xf32>, %w: memref<3x64x64xf32>, %t: memref<?x3xi32> {rgnn.tile_rows = 64}, %o: memref<?x64xf32>) {
  hetkernel.gemm x(%x : memref<?x64xf32>) weight(%w : memref<3x64x64xf32>) tiles(%t : memref<?x3xi32>) outs(%o : memref<?x64xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 8, block_columns = 8, lanes = 8, threads = 64>
  return
}

// Not known, and more.
// CHECK-LABEL: func @unknown_blocks
//       CHECK: gpu.launch
//       CHECK:   scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c64 {
func.func @unknown_blocks(%x: memref<?x64xf32>, %w: memref<3x64x64xf32>, %t: memref<?x3xi32>, %o: memref<?x64xf32>) {
  hetkernel.gemm x(%x : memref<?x64xf32>) weight(%w : memref<3x64x64xf32>) tiles(%t : memref<?x3xi32>) outs(%o : memref<?x64xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 8, block_columns = 8, lanes = 8, threads = 64>
  return
}
// CHECK-LABEL: func @two_blocks
//       CHECK: gpu.launch
//       CHECK:   scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c64 {
func.func @two_blocks(%x: memref<?x64xf32>, %w: memref<3x64x64xf32>, %t: memref<?x3xi32> {rgnn.tile_rows = 128}, %o: memref<?x64xf32>) {
  hetkernel.gemm x(%x : memref<?x64xf32>) weight(%w : memref<3x64x64xf32>) tiles(%t : memref<?x3xi32>) outs(%o : memref<?x64xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 128, block_rows = 8, block_columns = 8, lanes = 8, threads = 64>
  return
}

// Constant tiles, of stacked weights: where all have all rows of a block, no row is missing. Where one has less, the last
// row is read again and stored once.
memref.global "private" constant @full : memref<2x3xi32> = dense<[[0, 0, 64], [1, 64, 128]]>
memref.global "private" constant @rest : memref<2x3xi32> = dense<[[0, 0, 64], [1, 64, 127]]>
// CHECK-LABEL: func @full_tiles
//   CHECK-NOT:   arith.minui
//       CHECK:   %{{.*}}:65 = scf.for
//   CHECK-NOT:   arith.minui
//       CHECK:   scf.yield {{.*}}, index
//   CHECK-NOT:   scf.if
//       CHECK:   vector.store %{{.*}} : memref<128x64xf32>
func.func @full_tiles(%x: memref<128x64xf32>, %w: memref<2x64x64xf32>, %o: memref<128x64xf32>) {
  %t = memref.get_global @full : memref<2x3xi32>
  hetkernel.gemm x(%x : memref<128x64xf32>) weight(%w : memref<2x64x64xf32>) tiles(%t : memref<2x3xi32>) outs(%o : memref<128x64xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 8, block_columns = 8, lanes = 8, threads = 64>
  return
}
// CHECK-LABEL: func @rest_of_tiles
//       CHECK:   arith.minui
//       CHECK:   %{{.*}}:65 = scf.for
//       CHECK:   scf.yield {{.*}}, index
//       CHECK:   scf.if
//       CHECK:     vector.store %{{.*}} : memref<127x64xf32>
func.func @rest_of_tiles(%x: memref<127x64xf32>, %w: memref<2x64x64xf32>, %o: memref<127x64xf32>) {
  %t = memref.get_global @rest : memref<2x3xi32>
  hetkernel.gemm x(%x : memref<127x64xf32>) weight(%w : memref<2x64x64xf32>) tiles(%t : memref<2x3xi32>) outs(%o : memref<127x64xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 8, block_columns = 8, lanes = 8, threads = 64>
  return
}

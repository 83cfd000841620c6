// RUN: rgnn-opt %s --convert-hetkernel-to-gpu --canonicalize --cse | FileCheck %s

// A block for each tile, block of the matrix and head: here 5 x 6 is one block. Terms are the rows of the tile, up to
// the last; what follows each other are the columns, which are copied one or two at a time. A second launch has a thread
// for each number of the result, which finds the tiles of its type, and asks for eight at a time.
// CHECK-LABEL: func @typed
//  CHECK-SAME: (%[[X:[a-z0-9_]*]]: memref<?x2x5xf32>, %[[G:[a-z0-9_]*]]: memref<?xi32>, %[[Y:[a-z0-9_]*]]: memref<?x2x6xf32>, %[[T:[a-z0-9_]*]]: memref<?x3xi32>, %[[O:[a-z0-9_]*]]: memref<3x2x5x6xf32>)
//       CHECK: %[[TILES:[a-z0-9_]*]] = memref.dim %[[T]], %c0
//       CHECK: %[[PARTIAL:[a-z0-9_]*]] = memref.alloc(%[[TILES]]) {alignment = 64 : i64} : memref<?x2x5x6xf32>
//       CHECK: gpu.launch blocks(%[[TILE:[a-z0-9_]*]], %{{[a-z0-9_]*}}, %[[HEAD:[a-z0-9_]*]]) in (%{{[a-z0-9_]*}} = %[[TILES]], %{{[a-z0-9_]*}} = %c1, %{{[a-z0-9_]*}} = %c2)
//  CHECK-SAME:   workgroup(%[[XS:[a-z0-9_]*]] : memref<2x8x16xf32, #gpu.address_space<workgroup>>, %[[YS:[a-z0-9_]*]] : memref<2x8x8xf32, #gpu.address_space<workgroup>>)
//       CHECK:   memref.load %[[T]][%[[TILE]], %c1]
//       CHECK:   %[[BEGIN:[a-z0-9_]*]] = arith.index_castui
//       CHECK:   memref.load %[[T]][%[[TILE]], %c2]
//       CHECK:   %[[END:[a-z0-9_]*]] = arith.index_castui
//       CHECK:   %[[COUNT:[a-z0-9_]*]] = arith.subi %[[END]], %[[BEGIN]]
//       CHECK:   memref.load %[[G]]
//       CHECK:   nvgpu.device_async_copy %[[X]][%{{[a-z0-9_]*}}, %[[HEAD]], %{{[a-z0-9_]*}}], %[[XS]][%c0, %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}}], 1, %{{[a-z0-9_]*}}
//       CHECK:   nvgpu.device_async_copy %[[Y]][%{{[a-z0-9_]*}}, %[[HEAD]], %{{[a-z0-9_]*}}], %[[YS]][%c0, %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}}], 2, %{{[a-z0-9_]*}}
//       CHECK:   scf.for %{{[a-z0-9_]*}} = %c0 to %[[COUNT]] step %c8
//       CHECK:     math.fma
//       CHECK:   memref.store %{{.*}}, %[[PARTIAL]][%[[TILE]], %[[HEAD]],
//       CHECK: gpu.launch
//       CHECK:   %[[FIRST:[a-z0-9_]*]]:2 = scf.while
//       CHECK:     memref.load %[[T]]
//       CHECK:   %[[LAST:[a-z0-9_]*]]:2 = scf.while
//       CHECK:   %[[SUM:[a-z0-9_]*]] = scf.for %[[I:[a-z0-9_]*]] = %[[FIRST]]#0 to %[[LAST]]#0 step %c8 iter_args(%[[BEFORE:[a-z0-9_]*]] =
//       CHECK:     %[[FIRSTTERM:[a-z0-9_]*]] = memref.load %[[PARTIAL]][%[[I]],
//       CHECK:     %[[NEXT:[a-z0-9_]*]] = arith.addi %[[I]], %c1
//       CHECK:     %[[IS:[a-z0-9_]*]] = arith.cmpi ult, %[[NEXT]], %[[LAST]]#0
//       CHECK:     %[[OWN:[a-z0-9_]*]] = arith.select %[[IS]], %[[NEXT]], %[[I]]
//       CHECK:     %[[READ:[a-z0-9_]*]] = memref.load %[[PARTIAL]][%[[OWN]],
//       CHECK:     %[[TERM:[a-z0-9_]*]] = arith.select %[[IS]], %[[READ]], %cst
// CHECK-COUNT-6:   memref.load %[[PARTIAL]]
//   CHECK-NOT:     memref.load
//       CHECK:     %[[SUM1:[a-z0-9_]*]] = arith.addf %[[BEFORE]], %[[FIRSTTERM]]
//       CHECK:     arith.addf %[[SUM1]], %[[TERM]]
//       CHECK:   memref.store %[[SUM]], %[[O]]
//       CHECK: memref.dealloc %[[PARTIAL]]
func.func @typed(%x: memref<?x2x5xf32>, %g: memref<?xi32>, %y: memref<?x2x6xf32>, %t: memref<?x3xi32>, %o: memref<3x2x5x6xf32>) {
  hetkernel.outer_sum x(%x gather %g : memref<?x2x5xf32>, memref<?xi32>) y(%y : memref<?x2x6xf32>) tiles(%t : memref<?x3xi32>)
      outs(%o : memref<3x2x5x6xf32>) schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 4, block_columns = 4, lanes = 16>
  return
}

// 64 threads have 8 x 8 numbers of the matrix each: four that follow each other are read at once, and stored.
// CHECK-LABEL: func @vectors
//       CHECK: %[[PARTIAL:[a-z0-9_]*]] = memref.alloc({{.*}}) {alignment = 64 : i64} : memref<?x64x64xf32>
//       CHECK: gpu.launch {{.*}} threads(%[[LANE:[a-z0-9_]*]], %[[LINE:[a-z0-9_]*]], %{{[a-z0-9_]*}}) in (%{{[a-z0-9_]*}} = %c8, %{{[a-z0-9_]*}} = %c8, %{{[a-z0-9_]*}} = %c1)
//  CHECK-SAME:   workgroup(%[[XS:[a-z0-9_]*]] : memref<2x8x64xf32, #gpu.address_space<workgroup>>, %[[YS:[a-z0-9_]*]] : memref<2x8x64xf32, #gpu.address_space<workgroup>>)
//       CHECK:   %[[ROW:[a-z0-9_]*]] = arith.muli %[[LINE]], %c4
//       CHECK:   %[[COLUMN:[a-z0-9_]*]] = arith.muli %[[LANE]], %c4
//       CHECK:   %[[COLUMN4:[a-z0-9_]*]] = arith.addi %[[COLUMN]], %c32
//       CHECK:   nvgpu.device_async_copy %{{.*}}, %[[XS]][{{.*}}], 4, %{{[a-z0-9_]*}}
//       CHECK:   nvgpu.device_async_copy %{{.*}}, %[[YS]][{{.*}}], 4, %{{[a-z0-9_]*}}
//       CHECK:   vector.load %[[XS]][%{{[a-z0-9_]*}}, %[[TERM:[a-z0-9_]*]], %[[ROW]]] {alignment = 16 : i64} : {{.*}}, vector<4xf32>
//       CHECK:   vector.load %[[YS]][%{{[a-z0-9_]*}}, %[[TERM]], %[[COLUMN]]] {alignment = 16 : i64} : {{.*}}, vector<4xf32>
//       CHECK:   vector.load %[[YS]][%{{[a-z0-9_]*}}, %[[TERM]], %[[COLUMN4]]]
//       CHECK:   %[[SUMS:.*]] = vector.from_elements %[[ALL:[a-z0-9_]*]]#0, %[[ALL]]#1, %[[ALL]]#2, %[[ALL]]#3 : vector<4xf32>
//       CHECK:   vector.store %[[SUMS]], %[[PARTIAL]][%{{[a-z0-9_]*}}, %[[ROW]], %[[COLUMN]]] {alignment = 16 : i64}
//       CHECK:   %[[SUMS4:.*]] = vector.from_elements %[[ALL]]#4,
//       CHECK:   vector.store %[[SUMS4]], %[[PARTIAL]][%{{[a-z0-9_]*}}, %[[ROW]], %[[COLUMN4]]] {alignment = 16 : i64}
//   CHECK-NOT:   memref.store %{{.*}}, %[[PARTIAL]]
//       CHECK: return
func.func @vectors(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %o: memref<64x64xf32>) {
  hetkernel.outer_sum x(%x : memref<?x64xf32>) y(%y : memref<?x64xf32>) outs(%o : memref<64x64xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 256, block_rows = 8, block_columns = 8, lanes = 8, threads = 64>
  return
}

// Sums of rows of f32 are f64 until the end: 16 lines of threads add some rows each, eight at a time, then pairs of lines.
// Of all rows there are at most 512 parts.
// CHECK-LABEL: func @rows
//       CHECK: %[[MOST:[a-z0-9_]*]] = arith.ceildivui %[[ROWS:[a-z0-9_]*]], %c512
//       CHECK: %[[SIZE:[a-z0-9_]*]] = arith.maxui %[[MOST]], %c64
//       CHECK: %[[PARTS:[a-z0-9_]*]] = arith.ceildivui %[[ROWS]], %[[SIZE]]
//       CHECK: memref.alloc(%[[PARTS]]) {alignment = 64 : i64} : memref<?x6xf64>
//       CHECK: gpu.launch {{.*}} threads(%[[LANE:[a-z0-9_]*]], %[[LINE:[a-z0-9_]*]], %{{.*}}) in (%{{[a-z0-9_]*}} = %c8, %{{[a-z0-9_]*}} = %c16,
//  CHECK-SAME:   workgroup(%[[SHARED:[a-z0-9_]*]] : memref<16x8xf64, #gpu.address_space<workgroup>>)
//       CHECK:   %[[OWN:[a-z0-9_]*]] = scf.for {{.*}} step %c128
// CHECK-COUNT-8:   arith.extf %{{.*}} : f32 to f64
//       CHECK:   memref.store %[[OWN]], %[[SHARED]][%[[LINE]], %[[LANE]]]
//       CHECK:   gpu.barrier
//       CHECK:   arith.cmpi ult, %[[LINE]], %c8
//       CHECK:   gpu.barrier
//       CHECK:   arith.cmpi ult, %[[LINE]], %c4
//       CHECK:   gpu.barrier
//       CHECK:   gpu.barrier
//   CHECK-NOT:   gpu.barrier
//       CHECK: gpu.launch
//       CHECK:   arith.truncf %{{.*}} : f64 to f32
func.func @rows(%y: memref<?x6xf32>, %o: memref<6xf32>) {
  hetkernel.outer_sum y(%y : memref<?x6xf32>) outs(%o : memref<6xf32>) schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 1, block_columns = 1, lanes = 8>
  return
}

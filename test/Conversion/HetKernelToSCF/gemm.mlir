// RUN: rgnn-opt %s --convert-hetkernel-to-scf --canonicalize --cse | FileCheck %s

// One task a tile, or one in all where little is to be done: 12 vectors for each row. Blocks of 2 rows x 2 vectors; two
// vectors of the weight serve both rows. Behind the last row of a tile comes that row again, and is not stored.
// CHECK-LABEL: func @tiles
//  CHECK-SAME: (%[[X:[a-z0-9_]*]]: memref<?x6xf32>, %[[W:[a-z0-9_]*]]: memref<3x6x16xf32>, %[[T:[a-z0-9_]*]]: memref<?x3xi32>, %[[O:[a-z0-9_]*]]: memref<?x16xf32>)
//       CHECK: %[[TILES:[a-z0-9_]*]] = memref.dim %[[T]], %c0
//       CHECK: %[[ROWS:[a-z0-9_]*]] = memref.dim %[[X]], %c0
//       CHECK: %[[WORK:[a-z0-9_]*]] = arith.muli %[[ROWS]], %c12
//       CHECK: %[[LITTLE:[a-z0-9_]*]] = arith.cmpi ult, %[[WORK]], %c32768
//       CHECK: %[[ALL:[a-z0-9_]*]] = arith.maxui %[[TILES]], %c1
//       CHECK: %[[STEP:[a-z0-9_]*]] = arith.select %[[LITTLE]], %[[ALL]], %c1
//       CHECK: %[[TASKS:[a-z0-9_]*]] = arith.ceildivui %[[TILES]], %[[STEP]]
//       CHECK: scf.forall (%[[TASK:[a-z0-9_]*]]) in (%[[TASKS]]) {
//       CHECK:   %[[FIRST:[a-z0-9_]*]] = arith.muli %[[TASK]], %[[STEP]]
//       CHECK:   %[[NEXT:[a-z0-9_]*]] = arith.addi %[[FIRST]], %[[STEP]]
//       CHECK:   %[[STOP:[a-z0-9_]*]] = arith.minui %[[NEXT]], %[[TILES]]
//       CHECK:   scf.for %[[TILE:[a-z0-9_]*]] = %[[FIRST]] to %[[STOP]] step %c1 {
//       CHECK:   memref.load %[[T]][%[[TILE]], %c0]
//       CHECK:   %[[TYPE:[a-z0-9_]*]] = arith.index_castui
//       CHECK:   memref.load %[[T]][%[[TILE]], %c1]
//       CHECK:   %[[BEGIN:[a-z0-9_]*]] = arith.index_castui
//       CHECK:   memref.load %[[T]][%[[TILE]], %c2]
//       CHECK:   %[[END:[a-z0-9_]*]] = arith.index_castui
//       CHECK:   %[[LAST:[a-z0-9_]*]] = arith.subi %[[END]], %c1
//       CHECK:   scf.for %[[I:[a-z0-9_]*]] = %[[BEGIN]] to %[[END]] step %c2 {
//       CHECK:     %[[NEXT:[a-z0-9_]*]] = arith.addi %[[I]], %c1
//       CHECK:     %[[J:[a-z0-9_]*]] = arith.minui %[[NEXT]], %[[LAST]]
//       CHECK:     %[[SUMS:[a-z0-9_]*]]:4 = scf.for %[[K:[a-z0-9_]*]] = %c0 to %c6 step %c1 iter_args(%[[A:[a-z0-9_]*]] = %cst, %[[B:[a-z0-9_]*]] = %cst, %[[C:[a-z0-9_]*]] = %cst, %[[D:[a-z0-9_]*]] = %cst)
//       CHECK:       %[[W0:[a-z0-9_]*]] = vector.load %[[W]][%[[TYPE]], %[[K]], %c0] : memref<3x6x16xf32>, vector<8xf32>
//       CHECK:       %[[W1:[a-z0-9_]*]] = vector.load %[[W]][%[[TYPE]], %[[K]], %c8]
//       CHECK:       memref.load %[[X]][%[[I]], %[[K]]]
//       CHECK:       %[[XI:[a-z0-9_]*]] = vector.broadcast
//       CHECK:       vector.fma %[[XI]], %[[W0]], %[[A]]
//       CHECK:       vector.fma %[[XI]], %[[W1]], %[[B]]
//       CHECK:       memref.load %[[X]][%[[J]], %[[K]]]
//       CHECK:       %[[XJ:[a-z0-9_]*]] = vector.broadcast
//       CHECK:       vector.fma %[[XJ]], %[[W0]], %[[C]]
//       CHECK:       vector.fma %[[XJ]], %[[W1]], %[[D]]
//       CHECK:     vector.store %[[SUMS]]#0, %[[O]][%[[I]], %c0]
//       CHECK:     vector.store %[[SUMS]]#1, %[[O]][%[[I]], %c8]
//       CHECK:     %[[EXISTS:[a-z0-9_]*]] = arith.cmpi ult, %[[NEXT]], %[[END]]
//       CHECK:     scf.if %[[EXISTS]] {
//       CHECK:       vector.store %[[SUMS]]#2, %[[O]][%[[NEXT]], %c0]
//       CHECK:       vector.store %[[SUMS]]#3, %[[O]][%[[NEXT]], %c8]
func.func @tiles(%x: memref<?x6xf32>, %w: memref<3x6x16xf32>, %t: memref<?x3xi32>, %o: memref<?x16xf32>) {
  hetkernel.gemm x(%x : memref<?x6xf32>) weight(%w : memref<3x6x16xf32>) tiles(%t : memref<?x3xi32>) outs(%o : memref<?x16xf32>)
      schedule #hetkernel.cpu_gemm<tile_rows = 4, block_rows = 2, block_vectors = 2, vector_width = 8>
  return
}

// Without tiles, a tile is a range of rows.
// CHECK-LABEL: func @one_weight
//  CHECK-SAME: (%[[X:[a-z0-9_]*]]: memref<?x6xf32>,
//       CHECK: %[[ROWS:[a-z0-9_]*]] = memref.dim %[[X]], %c0
//       CHECK: %[[TILES:[a-z0-9_]*]] = arith.ceildivui %[[ROWS]], %c96
//       CHECK: scf.forall
//       CHECK:   scf.for %[[TILE:[a-z0-9_]*]] =
//       CHECK:   %[[BEGIN:[a-z0-9_]*]] = arith.muli %[[TILE]], %c96
//       CHECK:   %[[NEXT:[a-z0-9_]*]] = arith.addi %[[BEGIN]], %c96
//       CHECK:   %[[END:[a-z0-9_]*]] = arith.minui %[[NEXT]], %[[ROWS]]
//       CHECK:   scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step %c1
func.func @one_weight(%x: memref<?x6xf32>, %w: memref<6x8xf32>, %o: memref<?x8xf32>) {
  hetkernel.gemm x(%x : memref<?x6xf32>) weight(%w : memref<6x8xf32>) outs(%o : memref<?x8xf32>)
      schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 1, block_vectors = 1, vector_width = 8>
  return
}

// Input rows come from a list, whose length is then the number of rows.
// CHECK-LABEL: func @gather
//  CHECK-SAME: (%[[X:[a-z0-9_]*]]: memref<?x6xf32>, %[[G:[a-z0-9_]*]]: memref<?xi32>,
//       CHECK: memref.dim %[[G]], %c0
//       CHECK: scf.forall
//       CHECK: scf.for
//       CHECK: scf.for %[[I:[a-z0-9_]*]] =
//       CHECK:   %[[ENTRY:[a-z0-9_]*]] = memref.load %[[G]][%[[I]]]
//       CHECK:   %[[ROW:[a-z0-9_]*]] = arith.index_castui %[[ENTRY]]
//       CHECK:   scf.for %[[K:[a-z0-9_]*]] =
//       CHECK:     memref.load %[[X]][%[[ROW]], %[[K]]]
//       CHECK:   vector.store %{{.*}}, %{{.*}}[%[[I]], %c0]
func.func @gather(%x: memref<?x6xf32>, %g: memref<?xi32>, %w: memref<6x8xf32>, %o: memref<?x8xf32>) {
  hetkernel.gemm x(%x gather %g : memref<?x6xf32>, memref<?xi32>) weight(%w : memref<6x8xf32>) outs(%o : memref<?x8xf32>)
      schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 1, block_vectors = 1, vector_width = 8>
  return
}

// Scaled, added to what is there, and stored where a list says.
// CHECK-LABEL: func @scale_scatter_accumulate
//  CHECK-SAME: %[[C:[a-z0-9]*]]: memref<?xf32>, %[[S:[a-z0-9]*]]: memref<?xi32>, %[[O:[a-z0-9]*]]: memref<?x8xf32>)
//       CHECK: scf.forall
//       CHECK: scf.for
//       CHECK: scf.for %[[I:[a-z0-9_]*]] =
//       CHECK:   %[[SUM:[a-z0-9_]*]] = scf.for
//       CHECK:   memref.load %[[C]][%[[I]]]
//       CHECK:   %[[SCALE:[a-z0-9_]*]] = vector.broadcast
//       CHECK:   %[[ENTRY:[a-z0-9_]*]] = memref.load %[[S]][%[[I]]]
//       CHECK:   %[[ROW:[a-z0-9_]*]] = arith.index_castui %[[ENTRY]]
//       CHECK:   %[[SCALED:[a-z0-9_]*]] = arith.mulf %[[SUM]], %[[SCALE]]
//       CHECK:   %[[OLD:[a-z0-9_]*]] = vector.load %[[O]][%[[ROW]], %c0]
//       CHECK:   %[[NEW:[a-z0-9_]*]] = arith.addf %[[OLD]], %[[SCALED]]
//       CHECK:   vector.store %[[NEW]], %[[O]][%[[ROW]], %c0]
func.func @scale_scatter_accumulate(%x: memref<?x6xf32>, %w: memref<6x8xf32>, %c: memref<?xf32>, %s: memref<?xi32>, %o: memref<?x8xf32>) {
  hetkernel.gemm x(%x : memref<?x6xf32>) weight(%w : memref<6x8xf32>) scale(%c : memref<?xf32>)
      outs(%o scatter %s : memref<?x8xf32>, memref<?xi32>) accumulate
      schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 1, block_vectors = 1, vector_width = 8>
  return
}

// A transposed weight is turned around first, types in parallel.
// CHECK-LABEL: func @transposed
//  CHECK-SAME: (%{{.*}}: memref<?x6xf32>, %[[W:[a-z0-9_]*]]: memref<?x8x6xf32>,
//       CHECK: %[[TYPES:[a-z0-9_]*]] = memref.dim %[[W]], %c0
//       CHECK: %[[PACKED:[a-z0-9_]*]] = memref.alloc(%[[TYPES]]) {alignment = 64 : i64} : memref<?x6x8xf32>
//       CHECK: scf.forall (%{{.*}}) in (%[[TYPES]]) {
//       CHECK:   scf.for %[[R:[a-z0-9_]*]] =
//       CHECK:   scf.for %[[K:[a-z0-9_]*]] = %c0 to %c6
//       CHECK:     scf.for %[[N:[a-z0-9_]*]] = %c0 to %c8
//       CHECK:       %[[V:[a-z0-9_]*]] = memref.load %[[W]][%[[R]], %[[N]], %[[K]]]
//       CHECK:       memref.store %[[V]], %[[PACKED]][%[[R]], %[[K]], %[[N]]]
//       CHECK: scf.forall
//       CHECK:   vector.load %[[PACKED]]
//       CHECK: memref.dealloc %[[PACKED]]
func.func @transposed(%x: memref<?x6xf32>, %w: memref<?x8x6xf32>, %t: memref<?x3xi32>, %o: memref<?x8xf32>) {
  hetkernel.gemm x(%x : memref<?x6xf32>) weight(%w transposed : memref<?x8x6xf32>) tiles(%t : memref<?x3xi32>) outs(%o : memref<?x8xf32>)
      schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 1, block_vectors = 1, vector_width = 8>
  return
}

// Heads are products of their own.
// CHECK-LABEL: func @heads
//       CHECK: scf.for %[[H:[a-z0-9_]*]] = %c0 to %c3 step %c1 {
//       CHECK:   scf.for %[[I:[a-z0-9_]*]] =
//       CHECK:     scf.for %[[K:[a-z0-9_]*]] =
//       CHECK:       vector.load %{{.*}}[%{{.*}}, %[[H]], %[[K]], %c0] : memref<?x3x6x8xf32>, vector<8xf32>
//       CHECK:       memref.load %{{.*}}[%[[I]], %[[H]], %[[K]]] : memref<?x3x6xf32>
//       CHECK:     vector.store %{{.*}}, %{{.*}}[%[[I]], %[[H]], %c0] : memref<?x3x8xf32>, vector<8xf32>
func.func @heads(%x: memref<?x3x6xf32>, %w: memref<?x3x6x8xf32>, %t: memref<?x3xi32>, %o: memref<?x3x8xf32>) {
  hetkernel.gemm x(%x : memref<?x3x6xf32>) weight(%w : memref<?x3x6x8xf32>) tiles(%t : memref<?x3xi32>) outs(%o : memref<?x3x8xf32>)
      schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 1, block_vectors = 1, vector_width = 8>
  return
}

// 21 columns: one block of 16, then one of a vector with 5 lanes.
// CHECK-LABEL: func @column_tail
//       CHECK: vector.store %{{.*}}, %{{.*}}[%{{.*}}, %c0]
//       CHECK: vector.store %{{.*}}, %{{.*}}[%{{.*}}, %c8]
//       CHECK: %[[MASK:[a-z0-9_]*]] = vector.constant_mask [5] : vector<8xi1>
//       CHECK: vector.maskedload %{{.*}}[%{{.*}}, %c16], %[[MASK]], %cst
//       CHECK: %[[SAME:[a-z0-9_]*]] = vector.constant_mask [5] : vector<8xi1>
//       CHECK: vector.maskedstore %{{.*}}[%{{.*}}, %c16], %[[SAME]]
func.func @column_tail(%x: memref<?x6xf32>, %w: memref<6x21xf32>, %o: memref<?x21xf32>) {
  hetkernel.gemm x(%x : memref<?x6xf32>) weight(%w : memref<6x21xf32>) outs(%o : memref<?x21xf32>)
      schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 1, block_vectors = 2, vector_width = 8>
  return
}

// 16-bit floats are summed up in f32 and rounded once.
// CHECK-LABEL: func @half
//       CHECK: %[[SUM:[a-z0-9_]*]] = scf.for {{.*}} -> (vector<8xf32>)
//   CHECK-DAG:   arith.extf %{{.*}} : vector<8xbf16> to vector<8xf32>
//   CHECK-DAG:   arith.extf %{{.*}} : bf16 to f32
//       CHECK:   vector.fma {{.*}} : vector<8xf32>
//       CHECK: arith.truncf %[[SUM]] : vector<8xf32> to vector<8xbf16>
func.func @half(%x: memref<?x6xbf16>, %w: memref<6x8xbf16>, %o: memref<?x8xbf16>) {
  hetkernel.gemm x(%x : memref<?x6xbf16>) weight(%w : memref<6x8xbf16>) outs(%o : memref<?x8xbf16>)
      schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 1, block_vectors = 1, vector_width = 8>
  return
}

// Four tiles a task, and the scale on the input's side.
// CHECK-LABEL: func @coarse
//  CHECK-SAME: %[[X:[a-z0-9_]*]]: memref<?x4xf32>, {{.*}}%[[T:[a-z0-9_]*]]: memref<?x3xi32>, %[[C:[a-z0-9_]*]]: memref<?xf32>
//       CHECK: %[[TILES:[a-z0-9_]*]] = memref.dim %[[T]], %c0
//       CHECK: %[[STEP:[a-z0-9_]*]] = arith.select %{{.*}}, %{{.*}}, %c4
//       CHECK: %[[TASKS:[a-z0-9_]*]] = arith.ceildivui %[[TILES]], %[[STEP]]
//       CHECK: scf.forall (%{{.*}}) in (%[[TASKS]]) {
//       CHECK:   scf.for %[[TILE:[a-z0-9_]*]] =
//       CHECK:     memref.load %[[T]][%[[TILE]], %c0]
//       CHECK:     memref.load %[[C]]
//       CHECK:     %[[SCALE:[a-z0-9_]*]] = vector.broadcast
//       CHECK:     scf.for
//       CHECK:       memref.load %[[X]]
//       CHECK:       %[[V:[a-z0-9_]*]] = vector.broadcast
//       CHECK:       %[[S:[a-z0-9_]*]] = arith.mulf %[[V]], %[[SCALE]]
//       CHECK:       vector.fma %[[S]]
func.func @coarse(%x: memref<?x4xf32>, %w: memref<3x4x8xf32>, %t: memref<?x3xi32>, %c: memref<?xf32>, %o: memref<?x8xf32>) {
  hetkernel.gemm x(%x : memref<?x4xf32>) weight(%w : memref<3x4x8xf32>) tiles(%t : memref<?x3xi32>) scale(%c : memref<?xf32>)
      outs(%o : memref<?x8xf32>)
      schedule #hetkernel.cpu_gemm<tile_rows = 4, block_rows = 1, block_vectors = 1, vector_width = 8, coarsening = 4, scale = load>
  return
}

// One column: a vector of the weight serves both rows, whose lanes are added up at the end. The last vector has 3 lanes.
// CHECK-LABEL: func @one_column
//  CHECK-SAME: (%[[X:[a-z0-9_]*]]: memref<?x11xf32>, %[[W:[a-z0-9_]*]]: memref<11x1xf32>, %[[B:[a-z0-9_]*]]: memref<1xf32>, %[[O:[a-z0-9_]*]]: memref<?x1xf32>)
//       CHECK: %[[COLUMN:[a-z0-9_]*]] = memref.collapse_shape %[[W]] {{.}}[0, 1]{{.}} : memref<11x1xf32> into memref<11xf32>
//       CHECK: scf.for %[[K:[a-z0-9_]*]] = %c0 to %c8 step %c4 iter_args(%[[P:[a-z0-9_]*]] = %cst, %[[Q:[a-z0-9_]*]] = %cst)
//       CHECK:   %[[FACTORS:[a-z0-9_]*]] = vector.load %[[COLUMN]][%[[K]]]
//       CHECK:   vector.load %[[X]][%{{.*}}, %[[K]]]
//       CHECK:   vector.fma %{{.*}}, %[[FACTORS]], %[[P]]
//       CHECK:   vector.load %[[X]][%{{.*}}, %[[K]]]
//       CHECK:   vector.fma %{{.*}}, %[[FACTORS]], %[[Q]]
//       CHECK: vector.maskedload %[[COLUMN]][%c8]
// CHECK-COUNT-2: vector.reduction <add>
//       CHECK: %[[BIAS:[a-z0-9_]*]] = memref.load %[[B]][%c0]
//       CHECK: %[[SUM:[a-z0-9_]*]] = arith.addf %{{.*}}, %[[BIAS]]
//       CHECK: memref.store %[[SUM]], %[[O]]
func.func @one_column(%x: memref<?x11xf32>, %w: memref<11x1xf32>, %b: memref<1xf32>, %o: memref<?x1xf32>) {
  hetkernel.gemm x(%x : memref<?x11xf32>) weight(%w : memref<11x1xf32>) bias(%b : memref<1xf32>) outs(%o : memref<?x1xf32>)
      schedule #hetkernel.cpu_gemm<tile_rows = 8, block_rows = 2, block_vectors = 1, vector_width = 4>
  return
}

// Numbers are added one by one to what others may be adding to; of the second vector, two.
// CHECK-LABEL: func @atomic
//  CHECK-SAME: (%[[X:[a-z0-9_]*]]: memref<?x6xf32>, %[[W:[a-z0-9_]*]]: memref<6x6xf32>, %[[S:[a-z0-9_]*]]: memref<?xi32>, %[[O:[a-z0-9_]*]]: memref<?x6xf32>)
//       CHECK: %[[SUMS:[a-z0-9_]*]]:2 = scf.for
//       CHECK: memref.load %[[S]]
//       CHECK: %[[ROW:[a-z0-9_]*]] = arith.index_castui
//       CHECK: %[[FIRST:[a-z0-9_]*]] = vector.extract %[[SUMS]]#0[0]
//       CHECK: memref.atomic_rmw addf %[[FIRST]], %[[O]][%[[ROW]], %c0]
// CHECK-COUNT-4: memref.atomic_rmw addf
//       CHECK: %[[LAST:[a-z0-9_]*]] = vector.extract %[[SUMS]]#1[1]
//       CHECK: memref.atomic_rmw addf %[[LAST]], %[[O]][%[[ROW]], %c5]
//   CHECK-NOT: atomic_rmw
//       CHECK: return
func.func @atomic(%x: memref<?x6xf32>, %w: memref<6x6xf32>, %s: memref<?xi32>, %o: memref<?x6xf32>) {
  hetkernel.gemm x(%x : memref<?x6xf32>) weight(%w : memref<6x6xf32>) outs(%o scatter %s : memref<?x6xf32>, memref<?xi32>) accumulate atomic
      schedule #hetkernel.cpu_gemm<tile_rows = 8, block_rows = 1, block_vectors = 2, vector_width = 4>
  return
}

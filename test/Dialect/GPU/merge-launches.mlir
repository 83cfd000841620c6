// RUN: rgnn-opt %s --convert-hetkernel-to-gpu --rgnn-sink-views --rgnn-merge-launches --canonicalize --cse | FileCheck %s
// RUN: rgnn-opt %s --convert-hetkernel-to-gpu --canonicalize --cse | FileCheck %s --check-prefix=APART
// RUN: rgnn-opt %s --convert-hetkernel-to-gpu --rgnn-merge-launches --remarks-filter-analyse=rgnn-merge-launches -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COUNTS

// COUNTS: Counts | Category:rgnn-merge-launches | Function=two_and_one | num-launches=2, num-merged=1

// Two GEMMs that do not depend on each other are one launch of the blocks of both; the third needs the first. A block runs
// one of them, so that both keep their factors in the same shared memory. The ends of both differ, so that code that is
// alike stays apart.
// CHECK-LABEL: func @two_and_one
//  CHECK-SAME: (%[[X:[a-z0-9_]*]]: memref<?x16xf32>, %[[Y:[a-z0-9_]*]]: memref<?x16xf32>,
//       CHECK: %[[N:[a-z0-9_]*]] = arith.ceildivui
//       CHECK: %[[ALL:[a-z0-9_]*]] = arith.addi %[[N]], %{{[a-z0-9_]*}}
//       CHECK: gpu.launch blocks(%[[B:[a-z0-9_]*]], %{{.*}}) in (%{{.*}} = %[[ALL]], {{.*}} threads({{.*}}) in (%{{[a-z0-9_]*}} = %c128,
//  CHECK-SAME:   workgroup(%{{[a-z0-9_]*}} : memref<{{[^>]*>}}>, %{{[a-z0-9_]*}} : memref<{{[^>]*>}}>) {
//       CHECK:   %[[FIRST:[a-z0-9_]*]] = arith.cmpi ult, %[[B]], %[[N]]
//       CHECK:   scf.if %[[FIRST]] {
//       CHECK:     nvgpu.device_async_copy %[[X]]
//       CHECK:     llvm.inline_asm has_side_effects "// the end of part 0"
//       CHECK:   } else {
//       CHECK:     %[[OWN:[a-z0-9_]*]] = arith.subi %[[B]], %[[N]]
//       CHECK:     nvgpu.device_async_copy %[[Y]]
//       CHECK:     llvm.inline_asm has_side_effects "// the end of part 1"
//       CHECK: gpu.launch
//   CHECK-NOT:   llvm.inline_asm
//   CHECK-NOT: gpu.launch
//       CHECK: return

// APART-LABEL: func @two_and_one
// APART-COUNT-3: gpu.launch
//   APART-NOT: gpu.launch
//       APART: return
func.func @two_and_one(%x: memref<?x16xf32>, %y: memref<?x16xf32>, %w: memref<16x16xf32>, %a: memref<?x16xf32>, %b: memref<?x16xf32>, %c: memref<?x16xf32>) {
  hetkernel.gemm x(%x : memref<?x16xf32>) weight(%w : memref<16x16xf32>) outs(%a : memref<?x16xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 32, block_rows = 4, block_columns = 1, lanes = 16>
  hetkernel.gemm x(%a : memref<?x16xf32>) weight(%w : memref<16x16xf32>) outs(%b : memref<?x16xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 32, block_rows = 4, block_columns = 1, lanes = 16>
  hetkernel.gemm x(%y : memref<?x16xf32>) weight(%w : memref<16x16xf32>) outs(%c : memref<?x16xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 32, block_rows = 4, block_columns = 1, lanes = 16>
  return
}

// Factors of other shapes share one slot each, as large as the largest of each: 2 x 128 x 12 numbers of rows, and 2 x 8 x 64 of
// columns.
// CHECK-LABEL: func @one_slot
//       CHECK: gpu.launch
//  CHECK-SAME:   workgroup(%[[ROWS:[a-z0-9_]*]] : memref<3072xf32, #gpu.address_space<workgroup>>, %[[COLUMNS:[a-z0-9_]*]] : memref<1024xf32, #gpu.address_space<workgroup>>) {
//   CHECK-DAG:   %[[WIDE:[a-z0-9_]*]] = memref.reinterpret_cast %[[ROWS]] to offset: [0], sizes: [2, 64, 12], strides: [768, 12, 1]
//   CHECK-DAG:   %[[WIDEW:[a-z0-9_]*]] = memref.reinterpret_cast %[[COLUMNS]] to offset: [0], sizes: [2, 8, 64], strides: [512, 64, 1]
//   CHECK-DAG:   %[[NARROW:[a-z0-9_]*]] = memref.reinterpret_cast %[[ROWS]] to offset: [0], sizes: [2, 128, 12], strides: [1536, 12, 1]
//   CHECK-DAG:   %[[NARROWW:[a-z0-9_]*]] = memref.reinterpret_cast %[[COLUMNS]] to offset: [0], sizes: [2, 8, 8], strides: [64, 8, 1]
//       CHECK:   scf.if
//       CHECK:     vector.load %[[WIDE]]
//       CHECK:     vector.load %[[WIDEW]]
//       CHECK:   } else {
//       CHECK:     vector.load %[[NARROW]]
//       CHECK:     vector.load %[[NARROWW]]
//   CHECK-NOT: gpu.launch
//       CHECK: return
func.func @one_slot(%x: memref<?x16xf32>, %y: memref<?x16xf32>, %w: memref<16x64xf32>, %v: memref<16x8xf32>, %a: memref<?x64xf32>, %b: memref<?x8xf32>) {
  hetkernel.gemm x(%x : memref<?x16xf32>) weight(%w : memref<16x64xf32>) outs(%a : memref<?x64xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 8, block_columns = 8, lanes = 8, threads = 64>
  hetkernel.gemm x(%y : memref<?x16xf32>) weight(%v : memref<16x8xf32>) outs(%b : memref<?x8xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 128, block_rows = 2, block_columns = 8, lanes = 1, threads = 64>
  return
}

// Numbers of another type are apart.
// CHECK-LABEL: func @types
//       CHECK: gpu.launch
//  CHECK-SAME:   workgroup(%{{[a-z0-9_]*}} : memref<768xf32, {{[^>]*>>}}, %{{[a-z0-9_]*}} : memref<256xf32, {{[^>]*>>}}, %{{[a-z0-9_]*}} : memref<640xf64, {{[^>]*>>}}, %{{[a-z0-9_]*}} : memref<256xf64, {{[^>]*>>}}) {
//   CHECK-NOT: gpu.launch
//       CHECK: return
func.func @types(%x: memref<?x16xf32>, %y: memref<?x16xf64>, %w: memref<16x16xf32>, %v: memref<16x16xf64>, %a: memref<?x16xf32>, %b: memref<?x16xf64>) {
  hetkernel.gemm x(%x : memref<?x16xf32>) weight(%w : memref<16x16xf32>) outs(%a : memref<?x16xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 32, block_rows = 4, block_columns = 1, lanes = 16>
  hetkernel.gemm x(%y : memref<?x16xf64>) weight(%v : memref<16x16xf64>) outs(%b : memref<?x16xf64>)
      schedule #hetkernel.gpu_gemm<tile_rows = 32, block_rows = 4, block_columns = 1, lanes = 16>
  return
}

// The second writes what the first reads, and may not come before it, through a view too.
// CHECK-LABEL: func @order
// CHECK-COUNT-2: gpu.launch
func.func @order(%a: memref<4x6xf32>, %o: memref<4x6xf32>, %b: memref<24xf32>) {
  memref.copy %a, %o : memref<4x6xf32> to memref<4x6xf32>
  %flat = memref.collapse_shape %a [[0, 1]] : memref<4x6xf32> into memref<24xf32>
  memref.copy %b, %flat : memref<24xf32> to memref<24xf32>
  return
}

// Temporaries come first, and go after the launch that reads them last, not at the end.
// CHECK-LABEL: func @temporaries
//       CHECK: %[[T:[a-z0-9_]*]] = memref.alloc() : memref<4xf32>
//       CHECK: %[[U:[a-z0-9_]*]] = memref.alloc() : memref<4xf32>
//       CHECK: gpu.launch
//       CHECK: gpu.launch
//       CHECK: memref.dealloc %[[T]]
//       CHECK: gpu.launch
//       CHECK: memref.dealloc %[[U]]
func.func @temporaries(%a: memref<4xf32>, %o: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  memref.copy %a, %t : memref<4xf32> to memref<4xf32>
  %u = memref.alloc() : memref<4xf32>
  memref.copy %t, %u : memref<4xf32> to memref<4xf32>
  memref.copy %u, %o : memref<4xf32> to memref<4xf32>
  memref.dealloc %t : memref<4xf32>
  memref.dealloc %u : memref<4xf32>
  return
}

// A copy that waits for nothing comes with that which waits for a GEMM: alone it would be a launch more, and the GEMM's
// chain is as long either way.
// CHECK-LABEL: func @later
//       CHECK: gpu.launch
//       CHECK:   math.fma
//       CHECK: gpu.launch
//   CHECK-NOT: gpu.launch
//       CHECK: return
func.func @later(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %a: memref<?x16xf32>, %b: memref<?x16xf32>, %c: memref<4xf32>, %d: memref<4xf32>) {
  memref.copy %c, %d : memref<4xf32> to memref<4xf32>
  hetkernel.gemm x(%x : memref<?x16xf32>) weight(%w : memref<16x16xf32>) outs(%a : memref<?x16xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 32, block_rows = 4, block_columns = 1, lanes = 16>
  memref.copy %a, %b : memref<?x16xf32> to memref<?x16xf32>
  return
}

// Two chains: a copy and a GEMM, and a GEMM, a copy and a GEMM. The copy of the first waits for that of the second, and
// its GEMM with it, though it could have run at once: three launches instead of four.
// CHECK-LABEL: func @two_chains
// CHECK-COUNT-3: gpu.launch
//     CHECK-NOT: gpu.launch
//         CHECK: return
func.func @two_chains(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %a: memref<?x16xf32>, %b: memref<?x16xf32>, %c: memref<?x16xf32>,
                      %d: memref<?x16xf32>, %e: memref<?x16xf32>) {
  memref.copy %x, %d : memref<?x16xf32> to memref<?x16xf32>
  hetkernel.gemm x(%d : memref<?x16xf32>) weight(%w : memref<16x16xf32>) outs(%e : memref<?x16xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 32, block_rows = 4, block_columns = 1, lanes = 16>
  hetkernel.gemm x(%x : memref<?x16xf32>) weight(%w : memref<16x16xf32>) outs(%a : memref<?x16xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 32, block_rows = 4, block_columns = 1, lanes = 16>
  memref.copy %a, %b : memref<?x16xf32> to memref<?x16xf32>
  hetkernel.gemm x(%b : memref<?x16xf32>) weight(%w : memref<16x16xf32>) outs(%c : memref<?x16xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 32, block_rows = 4, block_columns = 1, lanes = 16>
  return
}

// Columns of one buffer that lie apart, and then one that meets both: two launches. Kernels take the buffer, not its parts.
// CHECK-LABEL: func @parts
//  CHECK-SAME: %[[A:[a-z0-9]+]]: memref<4x2xf32>, %[[B:[a-z0-9]+]]: memref<4x3xf32>, %{{[a-z0-9]+}}: memref<4x2xf32>, %[[O:[a-z0-9]+]]: memref<4x8xf32>
//   CHECK-NOT: memref.subview
//       CHECK: gpu.launch
//   CHECK-DAG:   memref.subview %[[O]][0, 0] [4, 2] [1, 1]
//   CHECK-DAG:   memref.subview %[[O]][0, 2] [4, 3] [1, 1]
//       CHECK: gpu.launch
//       CHECK:   memref.subview %[[O]][0, 1] [4, 2] [1, 1]
//   CHECK-NOT: gpu.launch
//       CHECK: return
func.func @parts(%a: memref<4x2xf32>, %b: memref<4x3xf32>, %c: memref<4x2xf32>, %o: memref<4x8xf32>) {
  %0 = memref.subview %o[0, 0] [4, 2] [1, 1] : memref<4x8xf32> to memref<4x2xf32, strided<[8, 1]>>
  %1 = memref.subview %o[0, 2] [4, 3] [1, 1] : memref<4x8xf32> to memref<4x3xf32, strided<[8, 1], offset: 2>>
  %2 = memref.subview %o[0, 1] [4, 2] [1, 1] : memref<4x8xf32> to memref<4x2xf32, strided<[8, 1], offset: 1>>
  memref.copy %a, %0 : memref<4x2xf32> to memref<4x2xf32, strided<[8, 1]>>
  memref.copy %b, %1 : memref<4x3xf32> to memref<4x3xf32, strided<[8, 1], offset: 2>>
  memref.copy %c, %2 : memref<4x2xf32> to memref<4x2xf32, strided<[8, 1], offset: 1>>
  return
}

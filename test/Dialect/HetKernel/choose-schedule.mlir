// RUN: rgnn-opt %s --hetkernel-choose-schedule | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: rgnn-opt %s --hetkernel-choose-schedule=vector-bits=512 | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: not rgnn-opt %s --hetkernel-choose-schedule=vector-bits=100 2>&1 | FileCheck %s --check-prefix=BITS
// BITS: expected vector-bits of 128, 256 or 512, got 100

// CHECK-LABEL: func @wide
//        AVX2: schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 6, block_vectors = 2, vector_width = 8>
//      AVX512: schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 12, block_vectors = 2, vector_width = 16>
func.func @wide(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>, %o: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = hetkernel.gemm x(%x : tensor<?x64xf32>) weight(%w : tensor<64x64xf32>) outs(%o : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Half as many lanes for twice the bits.
// CHECK-LABEL: func @double
//        AVX2: block_rows = 6, block_vectors = 2, vector_width = 4>
//      AVX512: block_rows = 12, block_vectors = 2, vector_width = 8>
func.func @double(%x: memref<?x64xf64>, %w: memref<64x64xf64>, %o: memref<?x64xf64>) {
  hetkernel.gemm x(%x : memref<?x64xf64>) weight(%w : memref<64x64xf64>) outs(%o : memref<?x64xf64>)
  return
}

// Three vectors of 24 columns in one block rather than two and one.
// CHECK-LABEL: func @three_vectors
//        AVX2: block_rows = 4, block_vectors = 3, vector_width = 8>
//      AVX512: block_rows = 12, block_vectors = 2, vector_width = 16>
func.func @three_vectors(%x: memref<?x64xf32>, %w: memref<64x24xf32>, %o: memref<?x24xf32>) {
  hetkernel.gemm x(%x : memref<?x64xf32>) weight(%w : memref<64x24xf32>) outs(%o : memref<?x24xf32>)
  return
}

// Vectors no longer than the output.
// CHECK-LABEL: func @narrow
//        AVX2: block_rows = 8, block_vectors = 1, vector_width = 4>
//      AVX512: block_rows = 12, block_vectors = 1, vector_width = 4>
func.func @narrow(%x: memref<?x64xf32>, %w: memref<64x3xf32>, %o: memref<?x3xf32>) {
  hetkernel.gemm x(%x : memref<?x64xf32>) weight(%w : memref<64x3xf32>) outs(%o : memref<?x3xf32>)
  return
}

// Tiles are those of the view.
// CHECK-LABEL: func @tiles_of_view
//       CHECK: schedule #hetkernel.cpu_gemm<tile_rows = 8,
func.func @tiles_of_view(%g: !rgnn.graph<@g>, %x: tensor<?x64xf32>, %w: tensor<5x64x64xf32>, %o: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %t = hetkernel.view ntype_tiles 8 of %g : !rgnn.graph<@g> -> tensor<?x3xi32>
  %y = hetkernel.gemm x(%x : tensor<?x64xf32>) weight(%w : tensor<5x64x64xf32>) tiles(%t : tensor<?x3xi32>) outs(%o : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// A schedule that is there stays.
// CHECK-LABEL: func @keep
//       CHECK: schedule #hetkernel.cpu_gemm<tile_rows = 16, block_rows = 2, block_vectors = 1, vector_width = 2>
//       CHECK: schedule #hetkernel.cpu_traverse<task_rows = 3>
//       CHECK: schedule #hetkernel.cpu_traverse<task_rows = 64>
func.func @keep(%n: index, %x: memref<?x64xf32>, %w: memref<64x64xf32>, %o: memref<?x64xf32>, %v: memref<?xf32>) {
  hetkernel.gemm x(%x : memref<?x64xf32>) weight(%w : memref<64x64xf32>) outs(%o : memref<?x64xf32>)
      schedule #hetkernel.cpu_gemm<tile_rows = 16, block_rows = 2, block_vectors = 1, vector_width = 2>
  %zero = arith.constant 0.0 : f32
  hetkernel.traverse rows(%n) outs(%v : memref<?xf32>) schedule #hetkernel.cpu_traverse<task_rows = 3> {
  ^bb0(%i: index):
    hetkernel.yield %zero : f32
  }
  hetkernel.traverse rows(%n) outs(%v : memref<?xf32>) {
  ^bb0(%i: index):
    hetkernel.yield %zero : f32
  }
  return
}

// No columns at all.
// CHECK-LABEL: func @empty
//       CHECK: block_vectors = 1, vector_width = 1>
func.func @empty(%x: memref<?x64xf32>, %w: memref<64x0xf32>, %o: memref<?x0xf32>) {
  hetkernel.gemm x(%x : memref<?x64xf32>) weight(%w : memref<64x0xf32>) outs(%o : memref<?x0xf32>)
  return
}

// One column: vectors go along the inner dimension, where it fills one.
// CHECK-LABEL: func @one_column
//        AVX2: block_rows = 8, block_vectors = 1, vector_width = 8>
//      AVX512: block_rows = 12, block_vectors = 1, vector_width = 16>
//       CHECK: block_vectors = 1, vector_width = 1>
func.func @one_column(%x: memref<?x64xf32>, %w: memref<64x1xf32>, %y: memref<?x3xf32>, %v: memref<3x1xf32>, %o: memref<?x1xf32>) {
  hetkernel.gemm x(%x : memref<?x64xf32>) weight(%w : memref<64x1xf32>) outs(%o : memref<?x1xf32>)
  hetkernel.gemm x(%y : memref<?x3xf32>) weight(%v : memref<3x1xf32>) outs(%o : memref<?x1xf32>)
  return
}

// Blocks of the matrix, which may have fewer rows, and then have more columns; tiles as the view has them, or of many rows.
// CHECK-LABEL: func @outer_sum
//        AVX2: hetkernel.outer_sum x{{.*}} schedule #hetkernel.cpu_gemm<tile_rows = 512, block_rows = 6, block_vectors = 2, vector_width = 8>
//        AVX2: hetkernel.outer_sum x{{.*}} schedule #hetkernel.cpu_gemm<tile_rows = 1024, block_rows = 3, block_vectors = 1, vector_width = 4>
//        AVX2: hetkernel.outer_sum y{{.*}} schedule #hetkernel.cpu_gemm<tile_rows = 1024, block_rows = 1, block_vectors = 4, vector_width = 8>
//      AVX512: hetkernel.outer_sum x{{.*}} schedule #hetkernel.cpu_gemm<tile_rows = 512, block_rows = 12, block_vectors = 2, vector_width = 16>
func.func @outer_sum(%g: !rgnn.graph<@g0>, %x: tensor<?x64xf32>, %y: tensor<?x4xf32>, %z: tensor<?x3xf32>, %o: tensor<5x64x64xf32>,
                     %p: tensor<3x4xf32>, %q: tensor<64xf32>) -> (tensor<5x64x64xf32>, tensor<3x4xf32>, tensor<64xf32>) {
  %t = hetkernel.view etype_tiles 512 of %g : !rgnn.graph<@g0> -> tensor<?x3xi32>
  %a = hetkernel.outer_sum x(%x : tensor<?x64xf32>) y(%x : tensor<?x64xf32>) tiles(%t : tensor<?x3xi32>) outs(%o : tensor<5x64x64xf32>) -> tensor<5x64x64xf32>
  %b = hetkernel.outer_sum x(%z : tensor<?x3xf32>) y(%y : tensor<?x4xf32>) outs(%p : tensor<3x4xf32>) -> tensor<3x4xf32>
  %c = hetkernel.outer_sum y(%x : tensor<?x64xf32>) outs(%q : tensor<64xf32>) -> tensor<64xf32>
  return %a, %b, %c : tensor<5x64x64xf32>, tensor<3x4xf32>, tensor<64xf32>
}

// Rows that a list picks for each edge are asked for ahead.
// CHECK-LABEL: func @gathered
//       CHECK: schedule #hetkernel.cpu_traverse<task_rows = 64, prefetch = 8>
func.func @gathered(%n: index, %p: memref<?xi32>, %l: memref<?xi32>, %x: memref<?x64xf32>, %o: memref<?x64xf32>) {
  %zero = arith.constant dense<0.0> : vector<64xf32>
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?x64xf32>) {
  ^bb0(%i: index):
    %sum = hetkernel.for_each %i init(%zero : vector<64xf32>) {
    ^bb0(%e: index, %acc: vector<64xf32>):
      %j = hetkernel.lookup %l[%e] : memref<?xi32>
      %xj = hetkernel.row %x[%j] : memref<?x64xf32> -> vector<64xf32>
      %a = arith.addf %acc, %xj : vector<64xf32>
      hetkernel.yield %a : vector<64xf32>
    } -> vector<64xf32>
    hetkernel.yield %sum : vector<64xf32>
  }
  return
}

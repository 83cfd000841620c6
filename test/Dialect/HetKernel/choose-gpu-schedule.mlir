// RUN: rgnn-opt %s --hetkernel-choose-schedule=gpu-threads=256 | FileCheck %s
// RUN: rgnn-opt %s --hetkernel-choose-schedule=gpu-threads=48 | FileCheck %s --check-prefix=SMALL
// RUN: not rgnn-opt %s --hetkernel-choose-schedule=gpu-threads=2048 2>&1 | FileCheck %s --check-prefix=RANGE

// RANGE: error: expected gpu-threads of 0 to 1024, got 2048

// 8 x 8 threads of those that other kernels have keep 8 x 8 numbers each of 64 rows and 64 columns.
// CHECK-LABEL: func @wide
//       CHECK: schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 8, block_columns = 8, lanes = 8, threads = 64>
// SMALL-LABEL: func @wide
//       SMALL: schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 8, block_columns = 8, lanes = 8> ->
func.func @wide(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>, %o: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = hetkernel.gemm x(%x : tensor<?x64xf32>) weight(%w : tensor<64x64xf32>) outs(%o : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// A narrow matrix has fewer threads along its columns, and the others along its rows.
// CHECK-LABEL: func @narrow
//       CHECK: schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 1, block_columns = 8, lanes = 1, threads = 64>
func.func @narrow(%x: tensor<?x64xf32>, %w: tensor<64x2xf32>, %o: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %y = hetkernel.gemm x(%x : tensor<?x64xf32>) weight(%w : tensor<64x2xf32>) outs(%o : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// An outer sum has blocks of the rows of its matrix, and tiles of the rows that it sums up.
// CHECK-LABEL: func @outer_sum
//       CHECK: schedule #hetkernel.gpu_gemm<tile_rows = 256, block_rows = 4, block_columns = 8, lanes = 8, threads = 64>
func.func @outer_sum(%x: tensor<?x32xf32>, %y: tensor<?x64xf32>, %o: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %0 = hetkernel.outer_sum x(%x : tensor<?x32xf32>) y(%y : tensor<?x64xf32>) outs(%o : tensor<32x64xf32>) -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}

// Numbers of f64 take two registers: threads have half as many rows and columns.
// CHECK-LABEL: func @double
//       CHECK: schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 4, block_columns = 4, lanes = 16>
func.func @double(%x: tensor<?x64xf64>, %w: tensor<64x64xf64>, %o: tensor<?x64xf64>) -> tensor<?x64xf64> {
  %y = hetkernel.gemm x(%x : tensor<?x64xf64>) weight(%w : tensor<64x64xf64>) outs(%o : tensor<?x64xf64>) -> tensor<?x64xf64>
  return %y : tensor<?x64xf64>
}

// Factors fit 48 kB of shared memory: blocks have fewer rows, and then fewer threads.
// CHECK-LABEL: func @many_rows
//       CHECK: schedule #hetkernel.gpu_gemm<tile_rows = 256, block_rows = 3, block_columns = 4, lanes = 4>
func.func @many_rows(%x: tensor<?x192xf64>, %y: tensor<?x16xf64>, %o: tensor<192x16xf64>) -> tensor<192x16xf64> {
  %0 = hetkernel.outer_sum x(%x : tensor<?x192xf64>) y(%y : tensor<?x16xf64>) outs(%o : tensor<192x16xf64>) -> tensor<192x16xf64>
  return %0 : tensor<192x16xf64>
}

// CHECK-LABEL: func @many_threads
//       CHECK: schedule #hetkernel.gpu_gemm<tile_rows = 256, block_rows = 1, block_columns = 4, lanes = 1, threads = 128>
func.func @many_threads(%x: tensor<?x256xf64>, %y: tensor<?x3xf64>, %o: tensor<256x3xf64>) -> tensor<256x3xf64> {
  %0 = hetkernel.outer_sum x(%x : tensor<?x256xf64>) y(%y : tensor<?x3xf64>) outs(%o : tensor<256x3xf64>) -> tensor<256x3xf64>
  return %0 : tensor<256x3xf64>
}

// CHECK-LABEL: func @rows
//       CHECK: schedule #hetkernel.gpu_traverse<coarsening = 4, block_above = 64>
func.func @rows(%n: index, %x: tensor<?x64xf32>, %o: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = hetkernel.traverse rows(%n) outs(%o : tensor<?x64xf32>) {
  ^bb0(%i: index):
    %r = hetkernel.row %x[%i] : tensor<?x64xf32> -> vector<64xf32>
    hetkernel.yield %r : vector<64xf32>
  } -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

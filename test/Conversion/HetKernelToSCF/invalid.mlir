// RUN: rgnn-opt %s --convert-hetkernel-to-scf --split-input-file --verify-diagnostics
// RUN: not rgnn-opt %s --convert-hetkernel-to-scf=serial-below=-1 --split-input-file 2>&1 | FileCheck %s
// CHECK: error: serial-below: expected 0 or more, got -1

func.func @no_schedule(%x: memref<?x6xf32>, %w: memref<6x8xf32>, %o: memref<?x8xf32>) {
  // expected-error @+1 {{expected a schedule, got none}}
  hetkernel.gemm x(%x : memref<?x6xf32>) weight(%w : memref<6x8xf32>) outs(%o : memref<?x8xf32>)
  return
}

// -----

func.func @tensors(%x: tensor<?x6xf32>, %w: tensor<6x8xf32>, %o: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{expected buffers, got 'tensor<?x6xf32>'}}
  %y = hetkernel.gemm x(%x : tensor<?x6xf32>) weight(%w : tensor<6x8xf32>) outs(%o : tensor<?x8xf32>)
      schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 1, block_vectors = 1, vector_width = 8> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

func.func @unknown_columns(%x: memref<?x6xf32>, %w: memref<6x?xf32>, %o: memref<?x?xf32>) {
  // expected-error @+1 {{expected a known number of columns, got 'memref<?x?xf32>'}}
  hetkernel.gemm x(%x : memref<?x6xf32>) weight(%w : memref<6x?xf32>) outs(%o : memref<?x?xf32>)
      schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 1, block_vectors = 1, vector_width = 8>
  return
}

// -----

func.func @strided_columns(%x: memref<?x6xf32>, %w: memref<6x8xf32>, %o: memref<?x8xf32, strided<[16, 2]>>) {
  // expected-error @+1 {{expected contiguous rows, got 'memref<?x8xf32, strided<[16, 2]>>'}}
  hetkernel.gemm x(%x : memref<?x6xf32>) weight(%w : memref<6x8xf32>) outs(%o : memref<?x8xf32, strided<[16, 2]>>)
      schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 1, block_vectors = 1, vector_width = 8>
  return
}

// -----

func.func @traverse_no_schedule(%n: index, %o: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected a schedule, got none}}
  hetkernel.traverse rows(%n) outs(%o : memref<?xf32>) {
  ^bb0(%i: index):
    hetkernel.yield %zero : f32
  }
  return
}

// -----

func.func @padded_rows(%n: index, %x: memref<?x2x3xf32, strided<[16, 8, 2]>>, %o: memref<?x2x3xf32>) {
  hetkernel.traverse rows(%n) outs(%o : memref<?x2x3xf32>) schedule #hetkernel.cpu_traverse<task_rows = 64> {
  ^bb0(%i: index):
    // expected-error @+1 {{expected contiguous rows, got 'memref<?x2x3xf32, strided<[16, 8, 2]>>'}}
    %r = hetkernel.row %x[%i] : memref<?x2x3xf32, strided<[16, 8, 2]>> -> vector<2x3xf32>
    hetkernel.yield %r : vector<2x3xf32>
  }
  return
}

// -----

func.func @concat_tensors(%a: tensor<?x8xf32>, %o: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{expected buffers, got 'tensor<?x8xf32>'}}
  %y = hetkernel.concat (%a : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

func.func @sum_no_schedule(%y: memref<?x8xf32>, %o: memref<8xf32>) {
  // expected-error @+1 {{expected a schedule, got none}}
  hetkernel.outer_sum y(%y : memref<?x8xf32>) outs(%o : memref<8xf32>)
  return
}

// -----

func.func @sum_tensors(%y: tensor<?x8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected buffers, got 'tensor<?x8xf32>'}}
  %s = hetkernel.outer_sum y(%y : tensor<?x8xf32>) outs(%o : tensor<8xf32>)
      schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 1, block_vectors = 1, vector_width = 8> -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

func.func @sum_strided(%y: memref<?x8xf32, strided<[16, 2]>>, %o: memref<8xf32>) {
  // expected-error @+1 {{expected contiguous rows, got 'memref<?x8xf32, strided<[16, 2]>>'}}
  hetkernel.outer_sum y(%y : memref<?x8xf32, strided<[16, 2]>>) outs(%o : memref<8xf32>)
      schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 1, block_vectors = 1, vector_width = 8>
  return
}

// -----

func.func @sum_sizes(%x: memref<?x?xf32>, %y: memref<?x8xf32>, %o: memref<?x8xf32>) {
  // expected-error @+1 {{expected matrices of known sizes, got 'memref<?x8xf32>'}}
  hetkernel.outer_sum x(%x : memref<?x?xf32>) y(%y : memref<?x8xf32>) outs(%o : memref<?x8xf32>)
      schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 1, block_vectors = 1, vector_width = 8>
  return
}

// -----

func.func @sum_of_gpus(%y: memref<?x8xf32>, %o: memref<8xf32>) {
  // expected-error @+1 {{expected a schedule #hetkernel.cpu_gemm, got #hetkernel.gpu_gemm<tile_rows = 96, block_rows = 1, block_columns = 1, lanes = 8>}}
  hetkernel.outer_sum y(%y : memref<?x8xf32>) outs(%o : memref<8xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 96, block_rows = 1, block_columns = 1, lanes = 8>
  return
}

// -----

func.func @traverse_of_gpus(%n: index, %o: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected a schedule #hetkernel.cpu_traverse, got #hetkernel.gpu_traverse<coarsening = 4, block_above = 64>}}
  hetkernel.traverse rows(%n) outs(%o : memref<?xf32>) schedule #hetkernel.gpu_traverse<coarsening = 4, block_above = 64> {
  ^bb0(%i: index):
    hetkernel.yield %zero : f32
  }
  return
}

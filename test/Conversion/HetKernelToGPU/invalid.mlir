// RUN: rgnn-opt %s --convert-hetkernel-to-gpu --test-serialize-launches --split-input-file --verify-diagnostics
// RUN: not rgnn-opt %s --convert-hetkernel-to-gpu=chip=sm_50 --split-input-file 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not rgnn-opt %s --convert-hetkernel-to-gpu=chip=h100 --split-input-file 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not rgnn-opt %s --convert-hetkernel-to-gpu=threads=0 --split-input-file 2>&1 | FileCheck %s --check-prefix=THREADS

// OLD: error: expected a chip from sm_75 on that LLVM knows, such as sm_90 or sm_100a, got 'sm_50'
// CHIP: error: expected a chip from sm_75 on that LLVM knows, such as sm_90 or sm_100a, got 'h100'
// THREADS: error: expected threads of 1 to 1024, got 0

func.func @no_schedule(%x: memref<?x6xf32>, %w: memref<6x8xf32>, %o: memref<?x8xf32>) {
  // expected-error @+1 {{expected a schedule, got none}}
  hetkernel.gemm x(%x : memref<?x6xf32>) weight(%w : memref<6x8xf32>) outs(%o : memref<?x8xf32>)
  return
}

// -----

func.func @tensors(%x: tensor<?x6xf32>, %w: tensor<6x8xf32>, %o: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{expected buffers, got 'tensor<?x6xf32>'}}
  %y = hetkernel.gemm x(%x : tensor<?x6xf32>) weight(%w : tensor<6x8xf32>) outs(%o : tensor<?x8xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 96, block_rows = 1, block_columns = 1, lanes = 8> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

func.func @unknown_columns(%x: memref<?x6xf32>, %w: memref<6x?xf32>, %o: memref<?x?xf32>) {
  // expected-error @+1 {{expected a known number of columns, got 'memref<?x?xf32>'}}
  hetkernel.gemm x(%x : memref<?x6xf32>) weight(%w : memref<6x?xf32>) outs(%o : memref<?x?xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 96, block_rows = 1, block_columns = 1, lanes = 8>
  return
}

// -----

func.func @many_lanes(%x: memref<?x6xf32>, %w: memref<6x8xf32>, %o: memref<?x8xf32>) {
  // expected-error @+1 {{expected lanes that divide a block of 32 threads, got 64}}
  hetkernel.gemm x(%x : memref<?x6xf32>) weight(%w : memref<6x8xf32>) outs(%o : memref<?x8xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 96, block_rows = 1, block_columns = 1, lanes = 64, threads = 32>
  return
}

// -----

func.func @two_dimensions(%n: index, %o: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected one dimension from 0 in steps of 1, and no results}}
  scf.forall (%i, %j) in (%n, %n) {
    memref.store %zero, %o[%i, %j] : memref<?x?xf32>
  }
  return
}

// -----

func.func @barrier(%n: index) {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%a, %b, %c) in (%d = %n, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %n, %k = %c1, %l = %c1) {
    // expected-error @+1 {{cannot run in a loop over threads}}
    gpu.barrier
    gpu.terminator
  }
  return
}

// -----

func.func @outer_sum(%y: memref<?x8xf32>, %o: memref<8xf32>) {
  // expected-error @+1 {{expected a schedule, got none}}
  hetkernel.outer_sum y(%y : memref<?x8xf32>) outs(%o : memref<8xf32>)
  return
}

// -----

func.func @unknown_matrix(%x: memref<?x?xf32>, %y: memref<?x8xf32>, %o: memref<?x8xf32>) {
  // expected-error @+1 {{expected matrices of known sizes, got 'memref<?x8xf32>'}}
  hetkernel.outer_sum x(%x : memref<?x?xf32>) y(%y : memref<?x8xf32>) outs(%o : memref<?x8xf32>)
      schedule #hetkernel.gpu_gemm<tile_rows = 96, block_rows = 1, block_columns = 1, lanes = 8>
  return
}

// -----

func.func @large_blocks(%x: memref<?x64xf64>, %w: memref<64x256xf64>, %o: memref<?x256xf64>) {
  // expected-error @+1 {{expected a schedule with blocks of factors that fit 49152 bytes of shared memory, got 32 x 256 numbers in 55296}}
  hetkernel.gemm x(%x : memref<?x64xf64>) weight(%w : memref<64x256xf64>) outs(%o : memref<?x256xf64>)
      schedule #hetkernel.gpu_gemm<tile_rows = 64, block_rows = 4, block_columns = 16, lanes = 16>
  return
}

// -----

func.func @gemm_of_processors(%x: memref<?x6xf32>, %w: memref<6x8xf32>, %o: memref<?x8xf32>) {
  // expected-error @+1 {{expected a schedule #hetkernel.gpu_gemm, got #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 1, block_vectors = 1, vector_width = 8>}}
  hetkernel.gemm x(%x : memref<?x6xf32>) weight(%w : memref<6x8xf32>) outs(%o : memref<?x8xf32>)
      schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 1, block_vectors = 1, vector_width = 8>
  return
}

// -----

func.func @traverse_of_processors(%n: index, %o: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected a schedule #hetkernel.gpu_traverse, got #hetkernel.cpu_traverse<task_rows = 64>}}
  hetkernel.traverse rows(%n) outs(%o : memref<?xf32>) schedule #hetkernel.cpu_traverse<task_rows = 64> {
  ^bb0(%i: index):
    hetkernel.yield %zero : f32
  }
  return
}

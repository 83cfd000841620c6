// RUN: rgnn-opt %s --hetkernel-set-schedule="gemm=block_rows:8,block_vectors:1 traverse=task_rows:16" | FileCheck %s --check-prefix=ALL
// RUN: rgnn-opt %s --hetkernel-choose-schedule=vector-bits=512 --hetkernel-set-schedule="gemm=block_rows:8 kernels=2" | FileCheck %s --check-prefix=ONE
// RUN: rgnn-opt %s --hetkernel-set-schedule="gemm=coarsening:2,scale:load traverse=mapping:edge,coarsening:4,hoisting:false,partial_aggregation:false,prefetch:4" | FileCheck %s --check-prefix=EVERY
// RUN: rgnn-opt %s --hetkernel-set-schedule="gpu-threads=64 gemm=block_columns:4,lanes:16,coarsening:2,scale:load,threads:128 traverse=coarsening:2,hoisting:false,partial_aggregation:false,threads:32,block_above:8" | FileCheck %s --check-prefix=GPU
// RUN: not rgnn-opt %s --hetkernel-set-schedule="gemm=block:1" 2>&1 | FileCheck %s --check-prefix=FIELD
// RUN: not rgnn-opt %s --hetkernel-set-schedule="traverse=threads:32" 2>&1 | FileCheck %s --check-prefix=TRAVERSE
// RUN: not rgnn-opt %s --hetkernel-set-schedule="gpu-threads=64 gemm=vector_width:8" 2>&1 | FileCheck %s --check-prefix=GPUGEMM
// RUN: not rgnn-opt %s --hetkernel-set-schedule="gpu-threads=64 traverse=mapping:edge" 2>&1 | FileCheck %s --check-prefix=GPUTRAVERSE
// RUN: not rgnn-opt %s --hetkernel-set-schedule="gpu-threads=64 gemm=lanes:12" 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: not rgnn-opt %s --hetkernel-set-schedule="gemm=block_rows:many" 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not rgnn-opt %s --hetkernel-set-schedule="traverse=mapping:node" 2>&1 | FileCheck %s --check-prefix=MAPPING
// RUN: not rgnn-opt %s --hetkernel-set-schedule="traverse=hoisting:1" 2>&1 | FileCheck %s --check-prefix=FLAG
// RUN: not rgnn-opt %s --hetkernel-set-schedule="gemm=block_rows:60,block_vectors:1" 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not rgnn-opt %s --hetkernel-set-schedule="gemm=vector_width:12" 2>&1 | FileCheck %s --check-prefix=WIDTH
// RUN: not rgnn-opt %s --hetkernel-set-schedule="gemm=vector_width:128" 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: echo "func.func @none() { return }" | not rgnn-opt --hetkernel-set-schedule="gemm=block:1" 2>&1 | FileCheck %s --check-prefix=FIELD
// RUN: not rgnn-opt %s --hetkernel-set-schedule="gemm=coarsening:3" 2>&1 | FileCheck %s --check-prefix=COARSENING
// RUN: not rgnn-opt %s --hetkernel-set-schedule="gpu-threads=64 traverse=threads:2048" 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not rgnn-opt %s --hetkernel-set-schedule="gemm=tile_rows:64" 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: not rgnn-opt %s --hetkernel-set-schedule="traverse=task_rows:0" 2>&1 | FileCheck %s --check-prefix=TASK
// RUN: not rgnn-opt %s --hetkernel-set-schedule="traverse=prefetch:-1" 2>&1 | FileCheck %s --check-prefix=PREFETCH
// RUN: not rgnn-opt %s --hetkernel-set-schedule="gpu-threads=64 traverse=block_above:-1" 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: not rgnn-opt %s --hetkernel-set-schedule="traverse=task_rows:16 kernels=4" 2>&1 | FileCheck %s --check-prefix=NUMBER

// Fields that are not named are those that were chosen.
// ALL: gemm {{.*}} schedule #hetkernel.cpu_gemm<tile_rows = 32, block_rows = 8, block_vectors = 1, vector_width = 8>
// ALL: traverse {{.*}} schedule #hetkernel.cpu_traverse<task_rows = 16>
// ALL: gemm {{.*}} schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 8, block_vectors = 1, vector_width = 8>
// ALL: outer_sum {{.*}} schedule #hetkernel.cpu_gemm<tile_rows = 1024, block_rows = 8, block_vectors = 1, vector_width = 8>
// ONE: gemm {{.*}} schedule #hetkernel.cpu_gemm<tile_rows = 32, block_rows = 12, block_vectors = 2, vector_width = 16>
// ONE: traverse {{.*}} schedule #hetkernel.cpu_traverse<task_rows = 64>
// ONE: gemm {{.*}} schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 8, block_vectors = 2, vector_width = 16>
// ONE: outer_sum {{.*}} schedule #hetkernel.cpu_gemm<tile_rows = 1024, block_rows = 12, block_vectors = 2, vector_width = 16>
// EVERY: gemm {{.*}} schedule #hetkernel.cpu_gemm<tile_rows = 32, block_rows = 6, block_vectors = 2, vector_width = 8, coarsening = 2, scale = load>
// EVERY: traverse {{.*}} schedule #hetkernel.cpu_traverse<task_rows = 64, mapping = edge, coarsening = 4, hoisting = false, partial_aggregation = false, prefetch = 4>
// GPU: gemm {{.*}} schedule #hetkernel.gpu_gemm<tile_rows = 32, block_rows = {{[0-9]+}}, block_columns = 4, lanes = 16, coarsening = 2, scale = load, threads = 128>
// GPU: traverse {{.*}} schedule #hetkernel.gpu_traverse<coarsening = 2, hoisting = false, partial_aggregation = false, threads = 32, block_above = 8>
// FIELD: expected fields of a gemm schedule for processors (tile_rows, block_rows, block_vectors, vector_width, coarsening, scale), got 'block'
// TRAVERSE: expected fields of a traverse schedule for processors (task_rows, mapping, coarsening, hoisting, partial_aggregation, prefetch), got 'threads'
// GPUGEMM: expected fields of a gemm schedule for GPUs (tile_rows, block_rows, block_columns, lanes, coarsening, scale, threads), got 'vector_width'
// GPUTRAVERSE: expected fields of a traverse schedule for GPUs (coarsening, hoisting, partial_aggregation, threads, block_above), got 'mapping'
// LANES: expected a power of two as lanes, got 12
// VALUE: expected an integer as block_rows, got 'many'
// MAPPING: expected vertex or edge as mapping, got 'node'
// FLAG: expected true or false as hoisting, got '1'
// TILE: expected tiles of at least one block of 60 rows, got 32
// WIDTH: expected a power of two as vector width, got 12
// LARGE: expected vectors of at most 64 elements and blocks of at most 64 vectors, got 128 and {{[0-9]}} x
// COARSENING: expected a coarsening of 1, 2 or 4, got 3
// THREADS: expected at most 1024 threads, or 0, got 2048
// VIEW: 'hetkernel.gemm' op expected a schedule with tiles of 32 rows, as its view has, got 64
// TASK: expected tasks of at least one row, got 0
// PREFETCH: expected a prefetch of no negative number of rows, got -1
// BLOCK: expected block_above of no negative number of rows, got -1
// NUMBER: expected kernel numbers below 4, got 4
func.func @kernels(%g: !rgnn.graph<@g>, %n: index, %x: tensor<?x64xf32>, %w: tensor<5x64x64xf32>, %o: tensor<?x64xf32>, %v: tensor<64x64xf32>)
    -> (tensor<?x64xf32>, tensor<?x64xf32>, tensor<64x64xf32>) {
  %t = hetkernel.view ntype_tiles 32 of %g : !rgnn.graph<@g> -> tensor<?x3xi32>
  %y = hetkernel.gemm x(%x : tensor<?x64xf32>) weight(%w : tensor<5x64x64xf32>) tiles(%t : tensor<?x3xi32>) outs(%o : tensor<?x64xf32>) -> tensor<?x64xf32>
  %z = hetkernel.traverse rows(%n) outs(%o : tensor<?x64xf32>) {
  ^bb0(%i: index):
    %r = hetkernel.row %y[%i] : tensor<?x64xf32> -> vector<64xf32>
    hetkernel.yield %r : vector<64xf32>
  } -> tensor<?x64xf32>
  %u = hetkernel.gemm x(%x : tensor<?x64xf32>) weight(%v : tensor<64x64xf32>) outs(%o : tensor<?x64xf32>) -> tensor<?x64xf32>
  %s = hetkernel.outer_sum x(%x : tensor<?x64xf32>) y(%u : tensor<?x64xf32>) outs(%v : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %z, %u, %s : tensor<?x64xf32>, tensor<?x64xf32>, tensor<64x64xf32>
}

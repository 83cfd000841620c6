// RUN: rgnn-opt %s --hetkernel-set-schedule="gemm=32,8,1,8 traverse=16" | FileCheck %s --check-prefix=ALL
// RUN: rgnn-opt %s --hetkernel-choose-schedule --hetkernel-set-schedule="gemm=32,8,1,8 kernels=2" | FileCheck %s --check-prefix=ONE
// RUN: not rgnn-opt %s --hetkernel-set-schedule="gemm=32,8,1" 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not rgnn-opt %s --hetkernel-set-schedule="gemm=4,8,1,8" 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not rgnn-opt %s --hetkernel-set-schedule="gemm=32,8,1,12" 2>&1 | FileCheck %s --check-prefix=WIDTH
// RUN: not rgnn-opt %s --hetkernel-set-schedule="gemm=64,8,1,8" 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: not rgnn-opt %s --hetkernel-set-schedule="traverse=0" 2>&1 | FileCheck %s --check-prefix=TASK
// RUN: not rgnn-opt %s --hetkernel-set-schedule="traverse=16 kernels=3" 2>&1 | FileCheck %s --check-prefix=NUMBER

// ALL: gemm {{.*}} schedule <tile_rows = 32, block_rows = 8, block_vectors = 1, vector_width = 8>
// ALL: traverse {{.*}} schedule <task_rows = 16>
// ALL: gemm {{.*}} schedule <tile_rows = 32, block_rows = 8, block_vectors = 1, vector_width = 8>
// ONE: gemm {{.*}} schedule <tile_rows = 32, block_rows = 6, block_vectors = 2, vector_width = 8>
// ONE: traverse {{.*}} schedule <task_rows = 64>
// ONE: gemm {{.*}} schedule <tile_rows = 32, block_rows = 8, block_vectors = 1, vector_width = 8>
// COUNT: expected 4 numbers for gemm, got 3
// TILE: expected tiles of at least one block of 8 rows, got 4
// WIDTH: expected a power of two as vector width, got 12
// VIEW: 'hetkernel.gemm' op expected a schedule with tiles of 32 rows, as its view has, got 64
// TASK: expected tasks of at least one row, got 0
// NUMBER: expected kernel numbers below 3, got 3
func.func @kernels(%g: !rgnn.graph<@g>, %n: index, %x: tensor<?x64xf32>, %w: tensor<5x64x64xf32>, %o: tensor<?x64xf32>, %v: tensor<64x64xf32>)
    -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %t = hetkernel.view ntype_tiles 32 of %g : !rgnn.graph<@g> -> tensor<?x3xi32>
  %y = hetkernel.gemm x(%x : tensor<?x64xf32>) weight(%w : tensor<5x64x64xf32>) tiles(%t : tensor<?x3xi32>) outs(%o : tensor<?x64xf32>) -> tensor<?x64xf32>
  %z = hetkernel.traverse rows(%n) outs(%o : tensor<?x64xf32>) {
  ^bb0(%i: index):
    %r = hetkernel.row %y[%i] : tensor<?x64xf32> -> vector<64xf32>
    hetkernel.yield %r : vector<64xf32>
  } -> tensor<?x64xf32>
  %u = hetkernel.gemm x(%x : tensor<?x64xf32>) weight(%v : tensor<64x64xf32>) outs(%o : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %z, %u : tensor<?x64xf32>, tensor<?x64xf32>
}

// Blocks whose columns are no multiple of what a thread copies at once, with a rest behind the last whole block.
// RUN: rgnn-translate --rgnn-check-gpu --seeds=2 --entry=linear %s \
// RUN:   --rgnn-to-gpu-options="gemm-schedule=block_columns:3,lanes:2,threads:64" | FileCheck %s --check-prefix=LINEAR
// RUN: rgnn-translate --rgnn-check-gpu --seeds=2 --entry=outer_sum %s --rgnn-to-gpu-options=threads=48 \
// RUN:   --relative-error=0.00391 | FileCheck %s --check-prefix=SUM
// RUN: rgnn-translate --rgnn-check-gpu --seeds=4 --entry=odd %s | FileCheck %s --check-prefix=ODD
// RUN: rgnn-translate --rgnn-check-gpu --seeds=2 --entry=stacked %s | FileCheck %s --check-prefix=STACKED
// RUN: rgnn-translate --rgnn-check-gpu --seeds=2 --entry=stacked %s --rgnn-to-gpu-options="gemm-schedule=coarsening:2" \
// RUN:   | FileCheck %s --check-prefix=STACKED
// RUN: rgnn-translate --rgnn-check-gpu --seeds=2 --entry=typed %s --rgnn-to-gpu-options="gemm-schedule=coarsening:4" \
// RUN:   | FileCheck %s --check-prefix=TYPED
// LINEAR: @linear: GPU kernels agree on 2 seeds
// SUM: @outer_sum: GPU kernels agree on 2 seeds

#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 node_types(2) edge_types(3)

func.func @linear(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %w: tensor<4x8xf32>) -> tensor<?x8xf32, #node> {
  %y = rgnn.linear %x, %w : tensor<?x4xf32, #node>, tensor<4x8xf32>
  return %y : tensor<?x8xf32, #node>
}

func.func @outer_sum(%g: !rgnn.graph<@g0>, %x: tensor<?x32xbf16, #node>, %y: tensor<?x64xbf16, #node>) -> tensor<32x64xbf16> {
  %z = rgnn.outer_sum %x, %y : tensor<?x32xbf16, #node>, tensor<?x64xbf16, #node>
  return %z : tensor<32x64xbf16>
}

// Rows that are copied number by number, and are not there behind the last: zeros.
// ODD: @odd: GPU kernels agree on 4 seeds
func.func @odd(%g: !rgnn.graph<@g0>, %x: tensor<?x13xf32, #node>, %w: tensor<13x64xf32>) -> tensor<?x64xf32, #node> {
  %y = rgnn.linear %x, %w : tensor<?x13xf32, #node>, tensor<13x64xf32>
  return %y : tensor<?x64xf32, #node>
}

// Matrices of 64 rows, which a block has all of, and one of 5 rows less.
// STACKED: @stacked: GPU kernels agree on 2 seeds
func.func @stacked(%g: !rgnn.graph<@g0>, %a: tensor<3x64x9xf32>, %b: tensor<3x59x9xf32>, %w: tensor<3x9x64xf32>) -> (tensor<3x64x64xf32>, tensor<3x59x64xf32>) {
  %y = rgnn.matmul %a, %w : tensor<3x64x9xf32>, tensor<3x9x64xf32>
  %z = rgnn.matmul %b, %w : tensor<3x59x9xf32>, tensor<3x9x64xf32>
  return %y, %z : tensor<3x64x64xf32>, tensor<3x59x64xf32>
}

// Several tiles of one block each.
// TYPED: @typed: GPU kernels agree on 2 seeds
func.func @typed(%g: !rgnn.graph<@g0>, %x: tensor<?x13xf32, #node>, %w: tensor<3x13x64xf32>) -> tensor<?x64xf32, #rgnn.rows<edge, @g0>> {
  %s = rgnn.gather src %x in %g : tensor<?x13xf32, #node>
  %y = rgnn.typed_linear %s, %w by etype in %g : tensor<?x13xf32, #rgnn.rows<edge, @g0>>, tensor<3x13x64xf32>
  return %y : tensor<?x64xf32, #rgnn.rows<edge, @g0>>
}

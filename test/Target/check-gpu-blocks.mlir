// Blocks whose columns are no multiple of what a thread copies at once, with a rest behind the last whole block.
// RUN: rgnn-translate --rgnn-check-gpu --seeds=2 --entry=linear %s \
// RUN:   --rgnn-to-gpu-options="gemm-schedule=block_vectors:3,vector_width:2,threads:64" | FileCheck %s --check-prefix=LINEAR
// RUN: rgnn-translate --rgnn-check-gpu --seeds=2 --entry=outer_sum %s --rgnn-to-gpu-options=threads=48 \
// RUN:   --relative-error=0.00391 | FileCheck %s --check-prefix=SUM
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

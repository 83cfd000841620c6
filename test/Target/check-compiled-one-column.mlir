// GEMMs of one column, whose vectors go along the inner dimension: as machine code against the interpreter, with inner
// sizes that fill vectors, that leave some over, and that fill none; gathered, by type, with heads, transposed, with a scale and a bias.

// RUN: rgnn-translate --rgnn-check-compiled %s | FileCheck %s
// RUN: sed s/f32/f64/g %s > %t.f64.mlir
// RUN: rgnn-translate --rgnn-check-compiled %t.f64.mlir | FileCheck %s
// RUN: sed s/f32/bf16/g %s > %t.bf16.mlir
// RUN: rgnn-translate --rgnn-check-compiled %t.bf16.mlir | FileCheck %s
// RUN: rgnn-translate --rgnn-check-compiled %s --rgnn-to-cpu-options="cpu=x86-64 serial-below=0 gemm-schedule=tile_rows:8,coarsening:2,scale:load" | FileCheck %s
// RUN: rgnn-translate --rgnn-check-compiled %s --rgnn-to-cpu-options="padding=8 gemm-schedule=vector_width:4,block_rows:3" | FileCheck %s

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])

// CHECK: @plain: compiled code agrees on 16 seeds
func.func @plain(%g: !rgnn.graph<@g0>, %x: tensor<?x20xf32, #node>, %y: tensor<?x64xf32, #node>, %z: tensor<?x5xf32, #node>,
                 %wx: tensor<20x1xf32>, %wy: tensor<64x1xf32>, %wz: tensor<5x1xf32>, %wt: tensor<1x20xf32>)
    -> (tensor<?x1xf32, #node>, tensor<?x1xf32, #node>, tensor<?x1xf32, #node>, tensor<?x1xf32, #node>) {
  %0 = rgnn.linear %x, %wx : tensor<?x20xf32, #node>, tensor<20x1xf32>
  %1 = rgnn.linear %y, %wy : tensor<?x64xf32, #node>, tensor<64x1xf32>
  %2 = rgnn.linear %z, %wz : tensor<?x5xf32, #node>, tensor<5x1xf32>
  %3 = rgnn.linear %x, %wt transposed : tensor<?x20xf32, #node>, tensor<1x20xf32>
  return %0, %1, %2, %3 : tensor<?x1xf32, #node>, tensor<?x1xf32, #node>, tensor<?x1xf32, #node>, tensor<?x1xf32, #node>
}

// CHECK: @by_type: compiled code agrees on 16 seeds
func.func @by_type(%g: !rgnn.graph<@g0>, %x: tensor<?x20xf32, #node>, %h: tensor<?x2x11xf32, #node>, %w: tensor<3x20x1xf32>,
                   %wh: tensor<3x2x11x1xf32>, %wn: tensor<2x20x1xf32>, %b: tensor<1xf32>, %s: tensor<?x1xf32, #node>)
    -> (tensor<?x1xf32, #edge>, tensor<?x2x1xf32, #edge>, tensor<?x1xf32, #node>) {
  %u = rgnn.gather src %x in %g : tensor<?x20xf32, #node>
  %0 = rgnn.typed_linear %u, %w by etype in %g : tensor<?x20xf32, #edge>, tensor<3x20x1xf32>
  %v = rgnn.gather dst %h in %g : tensor<?x2x11xf32, #node>
  %1 = rgnn.typed_linear %v, %wh by etype in %g : tensor<?x2x11xf32, #edge>, tensor<3x2x11x1xf32>
  %2 = rgnn.typed_linear %x, %wn by ntype in %g : tensor<?x20xf32, #node>, tensor<2x20x1xf32>
  %3 = rgnn.map %2, %s : (tensor<?x1xf32, #node>, tensor<?x1xf32, #node>) -> tensor<?x1xf32, #node> {
  ^bb0(%a: f32, %c: f32):
    %m = arith.mulf %a, %c : f32
    rgnn.yield %m : f32
  }
  %4 = rgnn.map %3, %b : (tensor<?x1xf32, #node>, tensor<1xf32>) -> tensor<?x1xf32, #node> {
  ^bb0(%a: f32, %c: f32):
    %m = arith.addf %a, %c : f32
    rgnn.yield %m : f32
  }
  return %0, %1, %4 : tensor<?x1xf32, #edge>, tensor<?x2x1xf32, #edge>, tensor<?x1xf32, #node>
}

// Products that are added to the rows of nodes in any order, as machine code and on GPUs, against the interpreter.

// RUN: rgnn-translate --rgnn-check-compiled --rgnn-to-cpu-options="deterministic=false" %s | FileCheck %s
// RUN: rgnn-translate --rgnn-check-compiled --rgnn-to-cpu-options="deterministic=false gemm-schedule=block_rows:3,coarsening:2,vector_width:4 serial-below=0" %s
// RUN: rgnn-translate --rgnn-check-gpu --seeds=4 --rgnn-to-gpu-options="deterministic=false" %s | FileCheck %s --check-prefix=GPU
// RUN: rgnn-opt %s --symbol-privatize=exclude=pairs --symbol-dce | sed "s/@pairs(/@forward(/" | rgnn-opt --rgnn-to-gpu="chip=sm_90 format=isa deterministic=false" -o %t.mlir
// RUN: FileCheck %s --check-prefix=PTX < %t.mlir
// RUN: %PYTHON %S/Inputs/ptx_resources.py sm_90 < %t.mlir

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#src_pair = #rgnn.rows<src_pair, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])

// PTX: atom.global.add.f32

// 11 columns: the last vector is not full.
// CHECK: @pairs: compiled code agrees on 16 seeds
// GPU: @pairs: GPU kernels agree on 4 seeds
func.func @pairs(%g: !rgnn.graph<@g0>, %x: tensor<?x6xf32, #src_pair>, %y: tensor<?x6xf32, #dst_pair>, %w: tensor<3x6x11xf32>)
    -> (tensor<?x11xf32, #node>, tensor<?x11xf32, #node>) {
  %zx = rgnn.typed_linear %x, %w by etype in %g : tensor<?x6xf32, #src_pair>, tensor<3x6x11xf32>
  %zy = rgnn.typed_linear %y, %w by etype in %g : tensor<?x6xf32, #dst_pair>, tensor<3x6x11xf32>
  %sx = rgnn.reduce sum src %zx in %g : tensor<?x11xf32, #src_pair>
  %sy = rgnn.reduce sum dst %zy in %g : tensor<?x11xf32, #dst_pair>
  return %sx, %sy : tensor<?x11xf32, #node>, tensor<?x11xf32, #node>
}

// The rows of edges come from the caller, in his order, and from a gather.
// CHECK: @edges: compiled code agrees on 16 seeds
// GPU: @edges: GPU kernels agree on 4 seeds
func.func @edges(%g: !rgnn.graph<@g0>, %e: tensor<?x4xf64, #edge>, %h: tensor<?x4xf64, #node>, %w: tensor<3x4x5xf64>, %v: tensor<5x4xf64>)
    -> (tensor<?x5xf64, #node>, tensor<?x5xf64, #node>, tensor<?x5xf64, #node>) {
  %a = rgnn.typed_linear %e, %w by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x5xf64>
  %sa = rgnn.reduce sum src %a in %g : tensor<?x5xf64, #edge>
  %u = rgnn.gather dst %h in %g : tensor<?x4xf64, #node>
  %b = rgnn.typed_linear %u, %w by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x5xf64>
  %sb = rgnn.reduce sum src %b in %g : tensor<?x5xf64, #edge>
  %c = rgnn.linear %e, %v transposed : tensor<?x4xf64, #edge>, tensor<5x4xf64>
  %sc = rgnn.reduce sum dst %c in %g : tensor<?x5xf64, #edge>
  return %sa, %sb, %sc : tensor<?x5xf64, #node>, tensor<?x5xf64, #node>, tensor<?x5xf64, #node>
}

// One column, whose products are dot products; heads; rows of pairs without types.
// CHECK: @shapes: compiled code agrees on 16 seeds
// GPU: @shapes: GPU kernels agree on 4 seeds
func.func @shapes(%g: !rgnn.graph<@g0>, %x: tensor<?x6xf32, #dst_pair>, %y: tensor<?x2x3xf32, #src_pair>, %w: tensor<6x1xf32>, %v: tensor<3x2x3x4xf32>, %u: tensor<3x5xf32>)
    -> (tensor<?x1xf32, #node>, tensor<?x2x4xf32, #node>, tensor<?x2x5xf32, #node>) {
  %a = rgnn.linear %x, %w : tensor<?x6xf32, #dst_pair>, tensor<6x1xf32>
  %sa = rgnn.reduce sum dst %a in %g : tensor<?x1xf32, #dst_pair>
  %b = rgnn.typed_linear %y, %v by etype in %g : tensor<?x2x3xf32, #src_pair>, tensor<3x2x3x4xf32>
  %sb = rgnn.reduce sum src %b in %g : tensor<?x2x4xf32, #src_pair>
  %c = rgnn.linear %y, %u : tensor<?x2x3xf32, #src_pair>, tensor<3x5xf32>
  %sc = rgnn.reduce sum src %c in %g : tensor<?x2x5xf32, #src_pair>
  return %sa, %sb, %sc : tensor<?x1xf32, #node>, tensor<?x2x4xf32, #node>, tensor<?x2x5xf32, #node>
}

// The sum is read by what runs behind it, and by a sum of its own graph.
// CHECK: @chain: compiled code agrees on 16 seeds
// GPU: @chain: GPU kernels agree on 4 seeds
func.func @chain(%g: !rgnn.graph<@g0>, %h: tensor<?x4xf32, #node>, %w: tensor<3x4x4xf32>) -> tensor<?x4xf32, #node> {
  %u = rgnn.gather src %h in %g to src_pair : tensor<?x4xf32, #node>
  %a = rgnn.typed_linear %u, %w by etype in %g : tensor<?x4xf32, #src_pair>, tensor<3x4x4xf32>
  %s = rgnn.reduce sum src %a in %g : tensor<?x4xf32, #src_pair>
  %t = rgnn.map %s, %h : (tensor<?x4xf32, #node>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    rgnn.yield %r : f32
  }
  %v = rgnn.gather src %t in %g : tensor<?x4xf32, #node>
  %b = rgnn.typed_linear %v, %w by etype in %g : tensor<?x4xf32, #edge>, tensor<3x4x4xf32>
  %y = rgnn.reduce sum dst %b in %g : tensor<?x4xf32, #edge>
  return %y : tensor<?x4xf32, #node>
}

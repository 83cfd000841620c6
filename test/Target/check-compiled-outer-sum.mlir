// Sums over rows as machine code against the interpreter: in both element types, with widths that fill no vector, with
// rows in the order of the caller and in that of kernels, and with tiles of eight rows on all threads.

// RUN: rgnn-translate --rgnn-check-compiled %s | FileCheck %s
// RUN: sed s/f32/f64/g %s > %t.f64.mlir
// RUN: rgnn-translate --rgnn-check-compiled %t.f64.mlir | FileCheck %s
// RUN: sed s/f32/bf16/g %s > %t.bf16.mlir
// RUN: rgnn-translate --rgnn-check-compiled --relative-error=5e-2 %t.bf16.mlir | FileCheck %s
// RUN: rgnn-translate --rgnn-check-compiled %s --rgnn-to-cpu-options="cpu=x86-64 serial-below=0 gemm-schedule=tile_rows:8" | FileCheck %s
// RUN: rgnn-translate --rgnn-check-compiled %s --rgnn-to-cpu-options="padding=8 serial-below=0 adjacency=coo gemm-schedule=coarsening:2,block_rows:2,block_vectors:3" | FileCheck %s

#node = #rgnn.rows<node, @g0>
#node1 = #rgnn.rows<node, @g0, type = 1>
#edge = #rgnn.rows<edge, @g0>
#src_pair = #rgnn.rows<src_pair, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>

rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])

// CHECK: @widths: compiled code agrees on 16 seeds
func.func @widths(%g: !rgnn.graph<@g0>, %a: tensor<?x1xf32, #node>, %b: tensor<?x3xf32, #node>, %c: tensor<?x16xf32, #node>,
                  %d: tensor<?x20xf32, #node>, %e: tensor<?x33xf32, #node>)
    -> (tensor<1x3xf32>, tensor<3x1xf32>, tensor<16x16xf32>, tensor<16x20xf32>, tensor<20x33xf32>, tensor<33x3xf32>) {
  %0 = rgnn.outer_sum %a, %b : tensor<?x1xf32, #node>, tensor<?x3xf32, #node>
  %1 = rgnn.outer_sum %b, %a : tensor<?x3xf32, #node>, tensor<?x1xf32, #node>
  %2 = rgnn.outer_sum %c, %c : tensor<?x16xf32, #node>, tensor<?x16xf32, #node>
  %3 = rgnn.outer_sum %c, %d : tensor<?x16xf32, #node>, tensor<?x20xf32, #node>
  %4 = rgnn.outer_sum %d, %e : tensor<?x20xf32, #node>, tensor<?x33xf32, #node>
  %5 = rgnn.outer_sum %e, %b : tensor<?x33xf32, #node>, tensor<?x3xf32, #node>
  return %0, %1, %2, %3, %4, %5 : tensor<1x3xf32>, tensor<3x1xf32>, tensor<16x16xf32>, tensor<16x20xf32>, tensor<20x33xf32>, tensor<33x3xf32>
}

// Edges in the caller's order, in that of kernels, and gathered from their ends.
// CHECK: @edges: compiled code agrees on 16 seeds
func.func @edges(%g: !rgnn.graph<@g0>, %x: tensor<?x20xf32, #node>, %m: tensor<?x3xf32, #edge>, %w: tensor<20x3xf32>)
    -> (tensor<20x3xf32>, tensor<20x20xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<20x3xf32>) {
  %u = rgnn.gather src %x in %g : tensor<?x20xf32, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x20xf32, #node>
  %y = rgnn.linear %u, %w : tensor<?x20xf32, #edge>, tensor<20x3xf32>
  %0 = rgnn.outer_sum %u, %m : tensor<?x20xf32, #edge>, tensor<?x3xf32, #edge>
  %1 = rgnn.outer_sum %u, %v : tensor<?x20xf32, #edge>, tensor<?x20xf32, #edge>
  %2 = rgnn.outer_sum %m, %m : tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>
  %3 = rgnn.outer_sum %m, %y : tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge>
  %4 = rgnn.outer_sum %v, %y : tensor<?x20xf32, #edge>, tensor<?x3xf32, #edge>
  return %0, %1, %2, %3, %4 : tensor<20x3xf32>, tensor<20x20xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<20x3xf32>
}

// CHECK: @typed: compiled code agrees on 16 seeds
func.func @typed(%g: !rgnn.graph<@g0>, %x: tensor<?x20xf32, #node>, %z: tensor<?x33xf32, #node>, %m: tensor<?x3xf32, #edge>, %w: tensor<20x3xf32>)
    -> (tensor<3x20x3xf32>, tensor<3x3x33xf32>, tensor<3x3x3xf32>, tensor<3x20x33xf32>, tensor<3x3x3xf32>, tensor<2x20x33xf32>) {
  %u = rgnn.gather src %x in %g : tensor<?x20xf32, #node>
  %v = rgnn.gather dst %z in %g : tensor<?x33xf32, #node>
  %y = rgnn.linear %u, %w : tensor<?x20xf32, #edge>, tensor<20x3xf32>
  %0 = rgnn.typed_outer_sum %u, %m by etype in %g : tensor<?x20xf32, #edge>, tensor<?x3xf32, #edge> -> tensor<3x20x3xf32>
  %1 = rgnn.typed_outer_sum %m, %v by etype in %g : tensor<?x3xf32, #edge>, tensor<?x33xf32, #edge> -> tensor<3x3x33xf32>
  %2 = rgnn.typed_outer_sum %m, %m by etype in %g : tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge> -> tensor<3x3x3xf32>
  %3 = rgnn.typed_outer_sum %u, %v by etype in %g : tensor<?x20xf32, #edge>, tensor<?x33xf32, #edge> -> tensor<3x20x33xf32>
  %4 = rgnn.typed_outer_sum %y, %m by etype in %g : tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge> -> tensor<3x3x3xf32>
  %5 = rgnn.typed_outer_sum %x, %z by ntype in %g : tensor<?x20xf32, #node>, tensor<?x33xf32, #node> -> tensor<2x20x33xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<3x20x3xf32>, tensor<3x3x33xf32>, tensor<3x3x3xf32>, tensor<3x20x33xf32>, tensor<3x3x3xf32>, tensor<2x20x33xf32>
}

// A gather from a pair has no list in the order of types.
// CHECK: @pairs: compiled code agrees on 16 seeds
func.func @pairs(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %s: tensor<?x3xf32, #src_pair>, %d: tensor<?x3xf32, #dst_pair>, %m: tensor<?x3xf32, #edge>)
    -> (tensor<3x4x3xf32>, tensor<3x4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<3x3x3xf32>, tensor<3x3x3xf32>, tensor<3x3xf32>) {
  %u = rgnn.gather src %x in %g to src_pair : tensor<?x4xf32, #node>
  %v = rgnn.gather dst %x in %g to dst_pair : tensor<?x4xf32, #node>
  %p = rgnn.gather dst_pair %d in %g : tensor<?x3xf32, #dst_pair>
  %r = rgnn.reduce sum dst_pair %m in %g : tensor<?x3xf32, #edge>
  %0 = rgnn.typed_outer_sum %u, %s by etype in %g : tensor<?x4xf32, #src_pair>, tensor<?x3xf32, #src_pair> -> tensor<3x4x3xf32>
  %1 = rgnn.typed_outer_sum %v, %d by etype in %g : tensor<?x4xf32, #dst_pair>, tensor<?x3xf32, #dst_pair> -> tensor<3x4x3xf32>
  %2 = rgnn.outer_sum %u, %s : tensor<?x4xf32, #src_pair>, tensor<?x3xf32, #src_pair>
  %3 = rgnn.outer_sum %v, %r : tensor<?x4xf32, #dst_pair>, tensor<?x3xf32, #dst_pair>
  %4 = rgnn.typed_outer_sum %p, %m by etype in %g : tensor<?x3xf32, #edge>, tensor<?x3xf32, #edge> -> tensor<3x3x3xf32>
  %5 = rgnn.typed_outer_sum %r, %d by etype in %g : tensor<?x3xf32, #dst_pair>, tensor<?x3xf32, #dst_pair> -> tensor<3x3x3xf32>
  %6 = rgnn.outer_sum %r, %d : tensor<?x3xf32, #dst_pair>, tensor<?x3xf32, #dst_pair>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<3x4x3xf32>, tensor<3x4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<3x3x3xf32>, tensor<3x3x3xf32>, tensor<3x3xf32>
}

// Heads have matrices of their own where types do, and are rows where there is one matrix.
// CHECK: @heads: compiled code agrees on 16 seeds
func.func @heads(%g: !rgnn.graph<@g0>, %x: tensor<?x2x5xf32, #node>, %m: tensor<?x2x3xf32, #edge>)
    -> (tensor<3x2x5x3xf32>, tensor<5x3xf32>, tensor<3x3xf32>, tensor<5x5xf32>, tensor<5x3xf32>) {
  %u = rgnn.gather src %x in %g : tensor<?x2x5xf32, #node>
  %v = rgnn.map %u : (tensor<?x2x5xf32, #edge>) -> tensor<?x2x5xf32, #edge> {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    rgnn.yield %s : f32
  }
  %0 = rgnn.typed_outer_sum %u, %m by etype in %g : tensor<?x2x5xf32, #edge>, tensor<?x2x3xf32, #edge> -> tensor<3x2x5x3xf32>
  %1 = rgnn.outer_sum %u, %m : tensor<?x2x5xf32, #edge>, tensor<?x2x3xf32, #edge>
  %2 = rgnn.outer_sum %m, %m : tensor<?x2x3xf32, #edge>, tensor<?x2x3xf32, #edge>
  %3 = rgnn.outer_sum %x, %x : tensor<?x2x5xf32, #node>, tensor<?x2x5xf32, #node>
  %4 = rgnn.outer_sum %v, %m : tensor<?x2x5xf32, #edge>, tensor<?x2x3xf32, #edge>
  return %0, %1, %2, %3, %4 : tensor<3x2x5x3xf32>, tensor<5x3xf32>, tensor<3x3xf32>, tensor<5x5xf32>, tensor<5x3xf32>
}

// CHECK: @sums: compiled code agrees on 16 seeds
func.func @sums(%g: !rgnn.graph<@g0>, %a: tensor<?xf32, #node>, %b: tensor<?x20xf32, #edge>, %c: tensor<?x2x5xf32, #node>, %d: tensor<?x3xf32, #node1>,
                %e: tensor<?x1xf32, #dst_pair>)
    -> (tensor<f32>, tensor<20xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<3xf32>, tensor<1xf32>, tensor<f32>) {
  %u = rgnn.gather dst %c in %g : tensor<?x2x5xf32, #node>
  %degree = rgnn.degree src in %g : tensor<?xf32, #node>
  %0 = rgnn.sum_rows %a : tensor<?xf32, #node>
  %1 = rgnn.sum_rows %b : tensor<?x20xf32, #edge>
  %2 = rgnn.sum_rows %c : tensor<?x2x5xf32, #node>
  %3 = rgnn.sum_rows %u : tensor<?x2x5xf32, #edge>
  %4 = rgnn.sum_rows %d : tensor<?x3xf32, #node1>
  %5 = rgnn.sum_rows %e : tensor<?x1xf32, #dst_pair>
  %6 = rgnn.sum_rows %degree : tensor<?xf32, #node>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<f32>, tensor<20xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<3xf32>, tensor<1xf32>, tensor<f32>
}

// CHECK: @weights: compiled code agrees on 16 seeds
func.func @weights(%a: tensor<7x3xf32>, %b: tensor<7x5xf32>, %c: tensor<2x7x3xf32>, %d: tensor<2x7x5xf32>, %e: tensor<3xf32>, %f: tensor<5xf32>)
    -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
  %0 = rgnn.outer_sum %a, %b : tensor<7x3xf32>, tensor<7x5xf32>
  %1 = rgnn.outer_sum %c, %d : tensor<2x7x3xf32>, tensor<2x7x5xf32>
  %2 = rgnn.outer_sum %e, %f : tensor<3xf32>, tensor<5xf32>
  return %0, %1, %2 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
}

// Sums of what a traversal makes, and a traversal and a product that read sums.
// CHECK: @phases: compiled code agrees on 16 seeds
func.func @phases(%g: !rgnn.graph<@g0>, %m: tensor<?x3xf32, #edge>) -> (tensor<?x3xf32, #node>, tensor<?x3xf32, #node>, tensor<3x3xf32>) {
  %s = rgnn.reduce sum dst %m in %g : tensor<?x3xf32, #edge>
  %0 = rgnn.outer_sum %s, %s : tensor<?x3xf32, #node>, tensor<?x3xf32, #node>
  %1 = rgnn.sum_rows %s : tensor<?x3xf32, #node>
  %2 = rgnn.linear %s, %0 : tensor<?x3xf32, #node>, tensor<3x3xf32>
  %3 = rgnn.map %s, %1 : (tensor<?x3xf32, #node>, tensor<3xf32>) -> tensor<?x3xf32, #node> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    rgnn.yield %p : f32
  }
  %4 = rgnn.linear %0, %0 : tensor<3x3xf32>, tensor<3x3xf32>
  return %2, %3, %4 : tensor<?x3xf32, #node>, tensor<?x3xf32, #node>, tensor<3x3xf32>
}

// A sum that is two results has memory for each.
// CHECK: @returned_twice: compiled code agrees on 16 seeds
func.func @returned_twice(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %b: tensor<?x8xf32, #node>) -> (tensor<8xf32>, tensor<?x8xf32, #node>, tensor<8xf32>) {
  %m = rgnn.map %x, %b : (tensor<?x8xf32, #node>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.mulf %p, %q : f32
    rgnn.yield %r : f32
  }
  %s = rgnn.sum_rows %m : tensor<?x8xf32, #node>
  return %s, %m, %s : tensor<8xf32>, tensor<?x8xf32, #node>, tensor<8xf32>
}

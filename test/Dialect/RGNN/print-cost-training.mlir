// RUN: rgnn-opt %s --rgnn-differentiate --rgnn-print-cost="nodes=100 edges=1000" -o /dev/null 2>&1 | FileCheck %s

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0

// Of V = 100 nodes and E = 1000 edges: the caller's 8 V + 16 features and weights, and V sums. Between them, V for each
// end, and E sums and their squares. The backward reads x, which the caller has, and the sums, which it computes again
// from the V of each end: on a graph that it makes itself.
//      CHECK: cost of @train
//      CHECK: arguments and results 3664 bytes
// CHECK-NEXT: intermediate data 8800 bytes
// CHECK-NEXT: read by the backward, none recomputed 4000 bytes, 52.2 % of memory
// CHECK-NEXT: saved for the backward 800 bytes, 17.9 % of memory, 9.1 % of intermediate data
// CHECK-NEXT: cost of @train_backward
func.func @train(%x: tensor<?x8xf32>, %edges: tensor<2x?xi64>, %a: tensor<8x1xf32>, %b: tensor<8x1xf32>) -> tensor<?x1xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %g = rgnn.coo_graph edges(%edges : tensor<2x?xi64>) nodes(%n) : !rgnn.graph<@g0>
  %h = rgnn.place %x in %g : tensor<?x8xf32> -> tensor<?x8xf32, #node>
  %l = rgnn.linear %h, %a : tensor<?x8xf32, #node>, tensor<8x1xf32>
  %r = rgnn.linear %h, %b : tensor<?x8xf32, #node>, tensor<8x1xf32>
  %u = rgnn.gather src %l in %g : tensor<?x1xf32, #node>
  %v = rgnn.gather dst %r in %g : tensor<?x1xf32, #node>
  %s = rgnn.map %u, %v : (tensor<?x1xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x1xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %o = arith.addf %i, %j : f32
    rgnn.yield %o : f32
  }
  %q = rgnn.map %s : (tensor<?x1xf32, #edge>) -> tensor<?x1xf32, #edge> {
  ^bb0(%i: f32):
    %o = arith.mulf %i, %i : f32
    rgnn.yield %o : f32
  }
  %y = rgnn.reduce sum dst %q in %g : tensor<?x1xf32, #edge>
  %z = rgnn.unplace %y : tensor<?x1xf32, #node>
  return %z : tensor<?x1xf32>
}

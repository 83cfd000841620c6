// RUN: rgnn-opt %s --rgnn-merge-products | FileCheck %s

#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 edge_types(1)

// The same nodes with the edges of another graph: the sum lives on those of one of them.

rgnn.schema @g1 edge_types(1)

// CHECK-LABEL: func @graphs
//       CHECK:   %[[U:.*]] = rgnn.map {{.*}} -> tensor<4x2xf32>
//       CHECK:   rgnn.linear %{{.*}}, %[[U]]
//   CHECK-NOT:   rgnn.linear
func.func @graphs(%x: tensor<?x4xf32>, %e: tensor<2x?xi64>, %f: tensor<2x?xi64>, %w: tensor<4x2xf32>, %v: tensor<4x2xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %g = rgnn.coo_graph edges(%e : tensor<2x?xi64>) nodes(%n) : !rgnn.graph<@g0>
  %h = rgnn.coo_graph edges(%f : tensor<2x?xi64>) nodes(%n) : !rgnn.graph<@g1>
  %a = rgnn.place %x in %g : tensor<?x4xf32> -> tensor<?x4xf32, #node>
  %b = rgnn.place %x in %h : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @g1>>
  %0 = rgnn.linear %a, %w : tensor<?x4xf32, #node>, tensor<4x2xf32>
  %1 = rgnn.linear %b, %v : tensor<?x4xf32, #rgnn.rows<node, @g1>>, tensor<4x2xf32>
  %2 = rgnn.unplace %1 : tensor<?x2xf32, #rgnn.rows<node, @g1>>
  %3 = rgnn.place %2 in %g : tensor<?x2xf32> -> tensor<?x2xf32, #node>
  %4 = rgnn.map %0, %3 : (tensor<?x2xf32, #node>, tensor<?x2xf32, #node>) -> tensor<?x2xf32, #node> {
  ^bb0(%i: f32, %j: f32):
    %s = arith.addf %i, %j : f32
    rgnn.yield %s : f32
  }
  %5 = rgnn.unplace %4 : tensor<?x2xf32, #node>
  return %5 : tensor<?x2xf32>
}

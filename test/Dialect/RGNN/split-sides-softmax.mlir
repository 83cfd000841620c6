// RUN: rgnn-opt %s --rgnn-normalise-sums --rgnn-split-sides --canonicalize --cse | FileCheck %s
// RUN: %check_numeric %s --rgnn-normalise-sums --rgnn-split-sides
// RUN: rgnn-opt %s --rgnn-normalise-sums --rgnn-split-sides --rgnn-compact -o %t.mlir
// RUN: rgnn-translate --rgnn-check-compiled %t.mlir
// RUN: rgnn-translate --rgnn-check-gpu --seeds=4 %t.mlir

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

// Both parts read the exponentials that the denominator is the sum of; nodes are divided once, at the end.
// CHECK-LABEL: func.func @rgat(
//       CHECK:   %[[S:.*]], %[[D:.*]] = rgnn.split_graph %[[G:.*]] :
//       CHECK:   %[[E:.*]] = rgnn.map
//       CHECK:     math.exp
//   CHECK-NOT:     math.exp
//       CHECK:   rgnn.reduce sum dst %[[E]] in %[[G]]
//       CHECK:   %[[R:.*]] = rgnn.map
//       CHECK:     arith.divf
//   CHECK-DAG:   rgnn.gather whole %[[E]] in %[[S]]
//   CHECK-DAG:   rgnn.gather whole %[[E]] in %[[D]]
//       CHECK:   %[[Y:.*]] = rgnn.map %{{.*}}, %[[R]]
//       CHECK:   return %[[Y]]
func.func @rgat(%g: !rgnn.graph<@g0>, %s: tensor<?x1xf32, #edge>, %x: tensor<?x4xf32, #node>, %w: tensor<3x4x4xf32>) -> tensor<?x4xf32, #node> {
  %p = rgnn.group_softmax dst %s in %g : tensor<?x1xf32, #edge>
  %u = rgnn.gather src %x in %g : tensor<?x4xf32, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x4xf32, #edge>, tensor<3x4x4xf32>
  %t = rgnn.map %z, %p : (tensor<?x4xf32, #edge>, tensor<?x1xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %0 = arith.mulf %i, %j : f32
    rgnn.yield %0 : f32
  }
  %y = rgnn.reduce sum dst %t in %g : tensor<?x4xf32, #edge>
  return %y : tensor<?x4xf32, #node>
}

// Functions of the sources' rows are no obstacle, whether something else reads them or not.
// CHECK-LABEL: func.func @functions(
//       CHECK:   rgnn.split_graph
//       CHECK:   return
func.func @functions(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %w: tensor<3x4x8xf32>) -> (tensor<?x8xf32, #node>, tensor<?x4xf32, #node>) {
  %xs = rgnn.gather src %x in %g : tensor<?x4xf32, #node>
  %e = rgnn.map %xs : (tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%i: f32):
    %0 = math.tanh %i : f32
    rgnn.yield %0 : f32
  }
  %t = rgnn.typed_linear %e, %w by etype in %g : tensor<?x4xf32, #edge>, tensor<3x4x8xf32>
  %y = rgnn.reduce sum dst %t in %g : tensor<?x8xf32, #edge>
  %v = rgnn.reduce max dst %e in %g : tensor<?x4xf32, #edge>
  return %y, %v : tensor<?x8xf32, #node>, tensor<?x4xf32, #node>
}

// L13: both weights have gradients, which come through their product, and the product is one of the weights that a call
// gets: it is computed in the function, never kept.

// RUN: split-file %s %t
// RUN: rgnn-opt %t/right.mlir --rgnn-reorder-linear -o %t/taken.mlir
// RUN: rgnn-opt %t/taken.mlir --rgnn-differentiate --canonicalize --cse | FileCheck %s
// RUN: rgnn-translate --rgnn-check-gradient %t/taken.mlir | FileCheck %s --check-prefix=GRADIENT
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=score --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: rgnn-opt %t/taken.mlir --rgnn-differentiate=arguments=2,3 --canonicalize -o %t/backward.mlir
// RUN: rgnn-translate --rgnn-check-equivalent --entry=score_backward --against=%t/backward.mlir %t/chained.mlir | FileCheck %s --check-prefix=CHAINED
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=score_backward --against=%t/backward.mlir %t/wrong.mlir 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: rgnn-opt %t/constant.mlir --rgnn-reorder-linear --canonicalize | FileCheck %s --check-prefix=LIVE

// Nor is it kept with a graph, as what the graph alone decides is.
// RUN: rgnn-opt %t/once.mlir --rgnn-reorder-linear --rgnn-hoist-normalisation --canonicalize -o %t/hoisted.mlir
// RUN: FileCheck %s --check-prefix=ONCE --input-file=%t/hoisted.mlir
// RUN: rgnn-translate --rgnn-check-equivalent --entry=forward --against=%t/hoisted.mlir %t/once.mlir | FileCheck %s --check-prefix=HOISTED
// RUN: rgnn-translate --rgnn-check-compiled --seeds=4 %t/once.mlir
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=forward --against=%t/kept.mlir %t/once.mlir 2>&1 | FileCheck %s --check-prefix=DIFFER

// DIFFER: error: with seed 0, result {{[0-9]}}: expected
// CHAINED: @score_backward: equivalent on 16 seeds
// GRADIENT: @score: gradients agree on 16 seeds
// GRADIENT: @key: gradients agree on 16 seeds

// CHECK-LABEL: func.func @score(
//       CHECK: rgnn.linear %{{.*}} : tensor<12x4xf64>, tensor<4x1xf64>
// CHECK-LABEL: func.func @score_backward(
//       CHECK: %[[DP:.*]] = rgnn.typed_outer_sum
//       CHECK: %[[R:.*]] = rgnn.reshape %[[DP]]
//   CHECK-DAG: rgnn.linear %[[R]], %{{.*}} transposed
//   CHECK-DAG: rgnn.outer_sum %{{.*}}, %[[R]]
// CHECK-LABEL: func.func @key_backward(
//       CHECK: %[[DP:.*]] = rgnn.typed_outer_sum
// CHECK-COUNT-2: rgnn.matmul
//       CHECK: rgnn.map

// Even where one of them is known when the function is compiled.
// LIVE-LABEL: func.func @constant(
//  LIVE-SAME: %[[W:[a-z0-9]+]]: tensor<3x4x4xf64>
//       LIVE: %[[R:.*]] = rgnn.reshape %[[W]]
//       LIVE: rgnn.linear %[[R]]

// HOISTED: @forward: equivalent on 16 seeds
// ONCE-LABEL: func.func private @forward_once(%{{[a-z0-9]+}}: !rgnn.graph<@g0>) ->
//       ONCE:   rgnn.degree dst_pair
//   ONCE-NOT:   tensor<3x4x
//       ONCE:   return %{{.*}} : tensor<?xf64, {{.*}}dst_pair
// ONCE-LABEL: func.func @forward(
//  ONCE-SAME:   %[[G:[a-z0-9]+]]: !rgnn.graph<@g0>, %{{[a-z0-9]+}}: tensor<?x4xf64, {{.*}}>, %[[W:[a-z0-9]+]]: tensor<3x4x4xf64>, %[[Q:[a-z0-9]+]]: tensor<4x2xf64>
//   ONCE-DAG:   call @forward_once(%[[G]])
//   ONCE-DAG:   %[[R:.*]] = rgnn.reshape %[[W]]
//   ONCE-DAG:   rgnn.linear %[[R]], %[[Q]] : tensor<12x4xf64>, tensor<4x2xf64>

//--- right.mlir
#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])

func.func @score(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #edge>, %w: tensor<3x4x4xf64>, %q: tensor<4x1xf64>) -> tensor<?x1xf64, #edge> {
  %z = rgnn.typed_linear %x, %w by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x4xf64>
  %s = rgnn.linear %z, %q : tensor<?x4xf64, #edge>, tensor<4x1xf64>
  return %s : tensor<?x1xf64, #edge>
}
func.func @key(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<2x4x4xf64>, %v: tensor<3x4x4xf64>) -> tensor<?x4xf64, #edge> {
  %k = rgnn.typed_linear %x, %w by ntype in %g : tensor<?x4xf64, #node>, tensor<2x4x4xf64>
  %u = rgnn.gather src %k in %g : tensor<?x4xf64, #node>
  %z = rgnn.typed_linear %u, %v by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x4xf64>
  return %z : tensor<?x4xf64, #edge>
}

//--- constant.mlir
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

func.func @constant(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #edge>, %w: tensor<3x4x4xf64>) -> tensor<?x1xf64, #edge> {
  %q = arith.constant dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf64>
  %z = rgnn.typed_linear %x, %w by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x4xf64>
  %s = rgnn.linear %z, %q : tensor<?x4xf64, #edge>, tensor<4x1xf64>
  return %s : tensor<?x1xf64, #edge>
}

//--- once.mlir
#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])

// One over the numbers of edges of a node and type belongs to the graph, the product of the weights to the call.
func.func @forward(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<3x4x4xf64>, %q: tensor<4x2xf64>) -> tensor<?x2xf64, #node> {
  %d = rgnn.degree dst_pair in %g : tensor<?xf64, #dst_pair>
  %n = rgnn.map %d : (tensor<?xf64, #dst_pair>) -> tensor<?xf64, #dst_pair> {
  ^bb0(%i: f64):
    %one = arith.constant 1.0 : f64
    %r = arith.divf %one, %i : f64
    rgnn.yield %r : f64
  }
  %ne = rgnn.gather dst_pair %n in %g : tensor<?xf64, #dst_pair>
  %n1 = rgnn.reshape %ne : tensor<?xf64, #edge> -> tensor<?x1xf64, #edge>
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x4xf64>
  %s = rgnn.linear %z, %q : tensor<?x4xf64, #edge>, tensor<4x2xf64>
  %m = rgnn.map %s, %n1 : (tensor<?x2xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x2xf64, #edge> {
  ^bb0(%i: f64, %j: f64):
    %r = arith.mulf %i, %j : f64
    rgnn.yield %r : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x2xf64, #edge>
  return %y : tensor<?x2xf64, #node>
}

//--- kept.mlir
#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])

// The product of the weights of another call, all ones, kept with the graph.
func.func @forward(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<3x4x4xf64>, %q: tensor<4x2xf64>) -> tensor<?x2xf64, #node> {
  %d = rgnn.degree dst_pair in %g : tensor<?xf64, #dst_pair>
  %n = rgnn.map %d : (tensor<?xf64, #dst_pair>) -> tensor<?xf64, #dst_pair> {
  ^bb0(%i: f64):
    %one = arith.constant 1.0 : f64
    %r = arith.divf %one, %i : f64
    rgnn.yield %r : f64
  }
  %ne = rgnn.gather dst_pair %n in %g : tensor<?xf64, #dst_pair>
  %n1 = rgnn.reshape %ne : tensor<?xf64, #edge> -> tensor<?x1xf64, #edge>
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %p = arith.constant dense<4.0> : tensor<3x4x2xf64>
  %s = rgnn.typed_linear %u, %p by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x2xf64>
  %m = rgnn.map %s, %n1 : (tensor<?x2xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x2xf64, #edge> {
  ^bb0(%i: f64, %j: f64):
    %r = arith.mulf %i, %j : f64
    rgnn.yield %r : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x2xf64, #edge>
  return %y : tensor<?x2xf64, #node>
}

//--- chained.mlir
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])

func.func @score_backward(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #edge>, %w: tensor<3x4x4xf64>, %q: tensor<4x1xf64>, %ds: tensor<?x1xf64, #edge>)
    -> (tensor<3x4x4xf64>, tensor<4x1xf64>) {
  %dp = rgnn.typed_outer_sum %x, %ds by etype in %g : tensor<?x4xf64, #edge>, tensor<?x1xf64, #edge> -> tensor<3x4x1xf64>
  %rows = rgnn.reshape %dp : tensor<3x4x1xf64> -> tensor<12x1xf64>
  %dw = rgnn.linear %rows, %q transposed : tensor<12x1xf64>, tensor<4x1xf64>
  %dw3 = rgnn.reshape %dw : tensor<12x4xf64> -> tensor<3x4x4xf64>
  %w2 = rgnn.reshape %w : tensor<3x4x4xf64> -> tensor<12x4xf64>
  %dq = rgnn.outer_sum %w2, %rows : tensor<12x4xf64>, tensor<12x1xf64>
  return %dw3, %dq : tensor<3x4x4xf64>, tensor<4x1xf64>
}

//--- wrong.mlir
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])

// The product of the weights as they were once: all ones.
func.func @score(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #edge>, %w: tensor<3x4x4xf64>, %q: tensor<4x1xf64>) -> tensor<?x1xf64, #edge> {
  %p = arith.constant dense<4.0> : tensor<3x4x1xf64>
  %s = rgnn.typed_linear %x, %p by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x1xf64>
  return %s : tensor<?x1xf64, #edge>
}

// The gradient of the product taken for that of each column of the first weight.
func.func @score_backward(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #edge>, %w: tensor<3x4x4xf64>, %q: tensor<4x1xf64>, %ds: tensor<?x1xf64, #edge>)
    -> (tensor<3x4x4xf64>, tensor<4x1xf64>) {
  %dp = rgnn.typed_outer_sum %x, %ds by etype in %g : tensor<?x4xf64, #edge>, tensor<?x1xf64, #edge> -> tensor<3x4x1xf64>
  %dw = rgnn.concat %dp, %dp, %dp, %dp dim 2 : tensor<3x4x1xf64>, tensor<3x4x1xf64>, tensor<3x4x1xf64>, tensor<3x4x1xf64>
  %rows = rgnn.reshape %dp : tensor<3x4x1xf64> -> tensor<12x1xf64>
  %w2 = rgnn.reshape %w : tensor<3x4x4xf64> -> tensor<12x4xf64>
  %dq = rgnn.outer_sum %w2, %rows : tensor<12x4xf64>, tensor<12x1xf64>
  return %dw, %dq : tensor<3x4x4xf64>, tensor<4x1xf64>
}

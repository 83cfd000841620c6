// RUN: rgnn-opt %s --rgnn-postpone-propagation --canonicalize --cse | FileCheck %s
// RUN: %check_numeric %s --rgnn-postpone-propagation
// RUN: rgnn-opt %s --rgnn-postpone-propagation --remarks-filter=".*" -o %t 2>&1 | FileCheck %s --check-prefix=REMARK

// RUN: rgnn-translate --rgnn-check-gradient %t
// RUN: rgnn-opt %t --rgnn-differentiate -o %t.backward
// RUN: %check_numeric %t.backward --rgnn-postpone-propagation --rgnn-compact
// RUN: rgnn-translate --rgnn-check-compiled %t.backward

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#etype = #rgnn.rows<etype, @g0>

rgnn.schema @g0 edge_types(5)

// GAT's scores (Zhang et al., figure 3): one for each node instead of each edge.
// CHECK-LABEL: func @gat(
//       CHECK:   %[[H:.*]] = rgnn.linear %{{.*}} : tensor<?x8xf64, #rgnn.rows<node, @g0>>, tensor<8x4xf64>
//   CHECK-DAG:   rgnn.linear %[[H]], %{{.*}} : tensor<?x4xf64, #rgnn.rows<node, @g0>>, tensor<4x1xf64>
//   CHECK-DAG:   rgnn.linear %[[H]], %{{.*}} : tensor<?x4xf64, #rgnn.rows<node, @g0>>, tensor<4x1xf64>
//   CHECK-NOT:   rgnn.linear
//       CHECK:   return
// REMARK: Passed{{.*}}Function=gat {{.*}}rgnn.linear is computed for each src
func.func @gat(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %w: tensor<8x4xf64>, %l: tensor<4x1xf64>, %r: tensor<4x1xf64>)
    -> (tensor<?x1xf64, #edge>, tensor<?x1xf64, #edge>) {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x8xf64, #node>
  %hu = rgnn.linear %u, %w : tensor<?x8xf64, #edge>, tensor<8x4xf64>
  %hv = rgnn.linear %v, %w : tensor<?x8xf64, #edge>, tensor<8x4xf64>
  %su = rgnn.linear %hu, %l : tensor<?x4xf64, #edge>, tensor<4x1xf64>
  %sv = rgnn.linear %hv, %r : tensor<?x4xf64, #edge>, tensor<4x1xf64>
  return %su, %sv : tensor<?x1xf64, #edge>, tensor<?x1xf64, #edge>
}

// Rows of the edge's type (Simple-HGN): a learned vector of each type, projected, and its inner product with another.
// CHECK-LABEL: func @types(
//   CHECK-DAG:   %[[Z:.*]] = rgnn.linear %{{.*}} : tensor<5x8xf64, #rgnn.rows<etype, @g0>>, tensor<8x4xf64>
//   CHECK-DAG:   rgnn.gather etype %[[Z]]
//   CHECK-DAG:   %[[S:.*]] = rgnn.dot %[[Z]], %{{.*}} : tensor<5x4xf64, #rgnn.rows<etype, @g0>>
//   CHECK-DAG:   rgnn.gather etype %[[S]]
//       CHECK:   return
// REMARK: Passed{{.*}}Function=types {{.*}}rgnn.linear is computed for each etype
// REMARK: Passed{{.*}}Function=types {{.*}}rgnn.dot is computed for each etype
func.func @types(%g: !rgnn.graph<@g0>, %t: tensor<5x8xf64, #etype>, %w: tensor<8x4xf64>, %a: tensor<5x4xf64, #etype>)
    -> (tensor<?x4xf64, #edge>, tensor<?xf64, #edge>) {
  %e = rgnn.gather etype %t in %g : tensor<5x8xf64, #etype>
  %z = rgnn.linear %e, %w : tensor<?x8xf64, #edge>, tensor<8x4xf64>
  %ae = rgnn.gather etype %a in %g : tensor<5x4xf64, #etype>
  %s = rgnn.dot %z, %ae : tensor<?x4xf64, #edge>
  return %z, %s : tensor<?x4xf64, #edge>, tensor<?xf64, #edge>
}

// MoNet (Zhang et al., appendix A) with two kernels: features of nodes are projected for all kernels at nodes, weights
// of kernels stay on edges.
// CHECK-LABEL: func @monet(
//  CHECK-SAME:   %[[G:.*]]: !rgnn.graph<@g0>, %[[X:.*]]: tensor<?x8xf64, {{.*}}>, %[[P:.*]]: tensor<?x3xf64
//       CHECK:   rgnn.map %{{.*}} : (tensor<?x2xf64, #rgnn.rows<edge, @g0>>)
//       CHECK:     math.exp
//       CHECK:   rgnn.linear %[[X]], %{{.*}} : tensor<?x8xf64, #rgnn.rows<node, @g0>>, tensor<8x8xf64>
//   CHECK-NOT:   rgnn.linear
//       CHECK:   rgnn.reduce_features sum %{{.*}} dim 1 : tensor<?x2x4xf64, #rgnn.rows<edge, @g0>>
//       CHECK:   rgnn.reduce sum dst
func.func @monet(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %p: tensor<?x3xf64, #edge>, %mu: tensor<2x3xf64>, %sigma: tensor<2x3xf64>, %k: tensor<8x8xf64>)
    -> tensor<?x4xf64, #node> {
  %p1 = rgnn.reshape %p : tensor<?x3xf64, #edge> -> tensor<?x1x3xf64, #edge>
  %d = rgnn.map %p1, %mu, %sigma : (tensor<?x1x3xf64, #edge>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<?x2x3xf64, #edge> {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %e = arith.subf %a, %b : f64
    %f = arith.mulf %e, %c : f64
    %q = arith.mulf %f, %f : f64
    rgnn.yield %q : f64
  }
  %sum = rgnn.reduce_features sum %d dim 2 : tensor<?x2x3xf64, #edge>
  %w = rgnn.map %sum : (tensor<?x2xf64, #edge>) -> tensor<?x2xf64, #edge> {
  ^bb0(%a: f64):
    %half = arith.constant -0.5 : f64
    %b = arith.mulf %a, %half : f64
    %e = math.exp %b : f64
    rgnn.yield %e : f64
  }
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.linear %u, %k : tensor<?x8xf64, #edge>, tensor<8x8xf64>
  %zk = rgnn.reshape %z : tensor<?x8xf64, #edge> -> tensor<?x2x4xf64, #edge>
  %w1 = rgnn.reshape %w : tensor<?x2xf64, #edge> -> tensor<?x2x1xf64, #edge>
  %m = rgnn.map %zk, %w1 : (tensor<?x2x4xf64, #edge>, tensor<?x2x1xf64, #edge>) -> tensor<?x2x4xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.mulf %a, %b : f64
    rgnn.yield %q : f64
  }
  %s = rgnn.reduce_features sum %m dim 1 : tensor<?x2x4xf64, #edge>
  %y = rgnn.reduce sum dst %s in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

// A weight for each type, and an activation of both ends' sum before the product (GATv2).
// CHECK-LABEL: func @stays(
//       CHECK:   rgnn.typed_linear %{{.*}} : tensor<?x8xf64, #rgnn.rows<edge, @g0>>
//       CHECK:   rgnn.linear %{{.*}} : tensor<?x8xf64, #rgnn.rows<edge, @g0>>
// REMARK: Missed{{.*}}Function=stays {{.*}}rgnn.typed_linear stays on edges: its rows depend on more than etype or src or dst
// REMARK: Missed{{.*}}Function=stays {{.*}}rgnn.linear stays on edges
func.func @stays(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %w: tensor<5x8x4xf64>, %a: tensor<8x1xf64>)
    -> (tensor<?x4xf64, #edge>, tensor<?x1xf64, #edge>) {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %h = rgnn.map %u, %v : (tensor<?x8xf64, #edge>, tensor<?x8xf64, #edge>) -> tensor<?x8xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %s = arith.addf %p, %q : f64
    %t = math.tanh %s : f64
    rgnn.yield %t : f64
  }
  %s = rgnn.linear %h, %a : tensor<?x8xf64, #edge>, tensor<8x1xf64>
  return %z, %s : tensor<?x4xf64, #edge>, tensor<?x1xf64, #edge>
}

// Edges that all have the same row are no rows of another end.
// CHECK-LABEL: func @same_for_all(
//       CHECK:   rgnn.map %{{.*}} : (tensor<2xf64>) -> tensor<?x2xf64, #rgnn.rows<edge, @g0>>
//       CHECK:   rgnn.norm %{{.*}} : tensor<?x2xf64, #rgnn.rows<edge, @g0>>
//       CHECK:   return
// REMARK: Missed{{.*}}Function=same_for_all {{.*}}rgnn.norm stays on edges
func.func @same_for_all(%g: !rgnn.graph<@g0>, %x: tensor<?xf64, #edge>, %b: tensor<2xf64>) -> tensor<?xf64, #edge> {
  %rows = rgnn.map %b : (tensor<2xf64>) -> tensor<?x2xf64, #edge> {
  ^bb0(%i: f64):
    rgnn.yield %i : f64
  }
  %n = rgnn.norm %rows : tensor<?x2xf64, #edge>
  %s = rgnn.map %n, %x : (tensor<?xf64, #edge>, tensor<?xf64, #edge>) -> tensor<?xf64, #edge> {
  ^bb0(%i: f64, %j: f64):
    %r = arith.mulf %i, %j : f64
    rgnn.yield %r : f64
  }
  return %s : tensor<?xf64, #edge>
}

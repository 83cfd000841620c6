// RUN: rgnn-opt %s --rgnn-compact --canonicalize --cse | FileCheck %s
// RUN: %check_numeric %s --rgnn-compact
// RUN: rgnn-opt %s --rgnn-compact --remarks-filter=".*" -o %t 2>&1 | FileCheck %s --check-prefix=REMARK

// RUN: rgnn-translate --rgnn-check-gradient %t
// RUN: rgnn-opt %t --rgnn-differentiate -o %t.backward
// RUN: %check_numeric %t.backward --rgnn-compact

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#etype = #rgnn.rows<etype, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>

rgnn.schema @g0 edge_types(5)

// Messages of RGAT: a row for each source and type.
// CHECK-LABEL: func @message(
//  CHECK-SAME:   %[[G:.*]]: !rgnn.graph<@g0>, %[[X:.*]]: tensor<?x8xf64, {{.*}}>, %[[W:.*]]: tensor<5x8x4xf64>)
//       CHECK:   %[[U:.*]] = rgnn.gather src %[[X]] in %[[G]] to src_pair
//       CHECK:   %[[P:.*]] = rgnn.typed_linear %[[U]], %[[W]] by etype in %[[G]] : tensor<?x8xf64, #rgnn.rows<src_pair, @g0>>, tensor<5x8x4xf64>
//       CHECK:   %[[Z:.*]] = rgnn.gather src_pair %[[P]] in %[[G]]
//       CHECK:   return %[[Z]]
// REMARK: Passed{{.*}}Function=message {{.*}}rgnn.typed_linear is computed for each src_pair
func.func @message(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %w: tensor<5x8x4xf64>) -> tensor<?x4xf64, #edge> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  return %z : tensor<?x4xf64, #edge>
}

// Both ends, and the attention scores of both with vectors of the type; what lies between moves with them.
// CHECK-LABEL: func @scores(
//   CHECK-DAG:   rgnn.typed_linear %{{.*}} : tensor<?x8xf64, #rgnn.rows<src_pair, @g0>>
//   CHECK-DAG:   rgnn.typed_linear %{{.*}} : tensor<?x8xf64, #rgnn.rows<dst_pair, @g0>>
//   CHECK-DAG:   rgnn.map %{{.*}} : (tensor<?x4xf64, #rgnn.rows<src_pair, @g0>>)
//   CHECK-DAG:   rgnn.dot %{{.*}} : tensor<?x4xf64, #rgnn.rows<src_pair, @g0>>
//   CHECK-DAG:   rgnn.linear %{{.*}} : tensor<?x4xf64, #rgnn.rows<dst_pair, @g0>>
//   CHECK-NOT:   rgnn.{{dot|linear|typed_linear}} {{.*}}edge
//       CHECK:   return
func.func @scores(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %w: tensor<5x8x4xf64>, %k: tensor<5x4xf64, #etype>, %q: tensor<4x2xf64>)
    -> (tensor<?xf64, #edge>, tensor<?x2xf64, #edge>) {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x8xf64, #node>
  %zu = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %zv = rgnn.typed_linear %v, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %h = rgnn.map %zu : (tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%a: f64):
    %b = math.exp %a : f64
    rgnn.yield %b : f64
  }
  %ke = rgnn.gather etype %k in %g : tensor<5x4xf64, #etype>
  %su = rgnn.dot %h, %ke : tensor<?x4xf64, #edge>
  %sv = rgnn.linear %zv, %q : tensor<?x4xf64, #edge>, tensor<4x2xf64>
  return %su, %sv : tensor<?xf64, #edge>, tensor<?x2xf64, #edge>
}

// The gradient of a mean over the edges of a destination and type.
// CHECK-LABEL: func @gradient(
//       CHECK:   rgnn.gather dst %{{.*}} to dst_pair
//       CHECK:   rgnn.typed_linear %{{.*}} : tensor<?x4xf64, #rgnn.rows<dst_pair, @g0>>, tensor<5x4x8xf64>
//       CHECK:   rgnn.gather dst_pair
//       CHECK:   rgnn.reduce sum src
func.func @gradient(%g: !rgnn.graph<@g0>, %dy: tensor<?x4xf64, #node>, %w: tensor<5x4x8xf64>) -> tensor<?x8xf64, #node> {
  %v = rgnn.gather dst %dy in %g : tensor<?x4xf64, #node>
  %d = rgnn.degree dst_pair in %g : tensor<?xf64, #dst_pair>
  %e = rgnn.gather dst_pair %d in %g : tensor<?xf64, #dst_pair>
  %r = rgnn.reshape %e : tensor<?xf64, #edge> -> tensor<?x1xf64, #edge>
  %m = rgnn.map %v, %r : (tensor<?x4xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %q = arith.divf %a, %b : f64
    rgnn.yield %q : f64
  }
  %du = rgnn.typed_linear %m, %w by etype in %g : tensor<?x4xf64, #edge>, tensor<5x4x8xf64>
  %dx = rgnn.reduce sum src %du in %g : tensor<?x8xf64, #edge>
  return %dx : tensor<?x8xf64, #node>
}

// Rows of both ends, and rows that callers give for edges.
// CHECK-LABEL: func @edges(
// CHECK-COUNT-2: rgnn.{{dot|typed_linear}} {{.*}}#rgnn.rows<edge, @g0>>
// REMARK: Missed{{.*}}Function=edges {{.*}}rgnn.dot stays on edges: its rows depend on more than src_pair or dst_pair
// REMARK: Missed{{.*}}Function=edges {{.*}}rgnn.typed_linear stays on edges
func.func @edges(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %a: tensor<?x8xf64, #edge>, %w: tensor<5x8x4xf64>)
    -> (tensor<?xf64, #edge>, tensor<?x4xf64, #edge>) {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x8xf64, #node>
  %s = rgnn.dot %u, %v : tensor<?x8xf64, #edge>
  %z = rgnn.typed_linear %a, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  return %s, %z : tensor<?xf64, #edge>, tensor<?x4xf64, #edge>
}

// Rows of both ends, joined, times a weight for each type: each end has its part of the weight.
// CHECK-LABEL: func @joined(
//   CHECK-DAG:   rgnn.slice %{{.*}} dim 1 from 0 size 8 : tensor<5x16x4xf64>
//   CHECK-DAG:   rgnn.slice %{{.*}} dim 1 from 8 size 8 : tensor<5x16x4xf64>
//   CHECK-DAG:   rgnn.typed_linear %{{.*}} : tensor<?x8xf64, #rgnn.rows<src_pair, @g0>>, tensor<5x8x4xf64>
//   CHECK-DAG:   rgnn.typed_linear %{{.*}} : tensor<?x8xf64, #rgnn.rows<dst_pair, @g0>>, tensor<5x8x4xf64>
//   CHECK-NOT:   rgnn.typed_linear
//       CHECK:   return
// REMARK: Passed{{.*}}Function=joined {{.*}}rgnn.typed_linear becomes a sum of 2 products, by what their rows depend on
func.func @joined(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %w: tensor<5x16x4xf64>) -> tensor<?x4xf64, #edge> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x8xf64, #node>
  %c = rgnn.concat %u, %v dim 1 : tensor<?x8xf64, #edge>, tensor<?x8xf64, #edge>
  %z = rgnn.typed_linear %c, %w by etype in %g : tensor<?x16xf64, #edge>, tensor<5x16x4xf64>
  return %z : tensor<?x4xf64, #edge>
}

// An attention vector for each type, over joined rows.
// CHECK-LABEL: func @attention(
//   CHECK-DAG:   rgnn.dot %{{.*}} : tensor<?x8xf64, #rgnn.rows<src_pair, @g0>>
//   CHECK-DAG:   rgnn.dot %{{.*}} : tensor<?x8xf64, #rgnn.rows<dst_pair, @g0>>
//   CHECK-NOT:   rgnn.dot
//       CHECK:   return
func.func @attention(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %a: tensor<5x16xf64, #etype>) -> tensor<?xf64, #edge> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x8xf64, #node>
  %c = rgnn.concat %u, %v dim 1 : tensor<?x8xf64, #edge>, tensor<?x8xf64, #edge>
  %ae = rgnn.gather etype %a in %g : tensor<5x16xf64, #etype>
  %s = rgnn.dot %c, %ae : tensor<?x16xf64, #edge>
  return %s : tensor<?xf64, #edge>
}

// A difference: there may be more unique pairs of both sides than edges.
// CHECK-LABEL: func @difference(
//       CHECK:   rgnn.typed_linear %{{.*}} : tensor<?x8xf64, #rgnn.rows<edge, @g0>>
// REMARK: Missed{{.*}}Function=difference {{.*}}rgnn.typed_linear stays on edges: its rows depend on more than src_pair or dst_pair
func.func @difference(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %w: tensor<5x8x4xf64>) -> tensor<?x4xf64, #edge> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x8xf64, #node>
  %d = rgnn.map %u, %v : (tensor<?x8xf64, #edge>, tensor<?x8xf64, #edge>) -> tensor<?x8xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %r = arith.subf %p, %q : f64
    rgnn.yield %r : f64
  }
  %z = rgnn.typed_linear %d, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  return %z : tensor<?x4xf64, #edge>
}

// A function of rows of pairs; one of rows of nodes and types is not all that is computed for a pair.
// CHECK-LABEL: func @functions(
//       CHECK:   %[[P:.*]] = rgnn.typed_linear %{{.*}} : tensor<?x8xf64, #rgnn.rows<src_pair, @g0>>
//       CHECK:   rgnn.map %[[P]] : (tensor<?x4xf64, #rgnn.rows<src_pair, @g0>>)
//       CHECK:   rgnn.map %{{.*}} : (tensor<?x8xf64, #rgnn.rows<edge, @g0>>, tensor<?x8xf64, #rgnn.rows<edge, @g0>>)
// REMARK: Passed{{.*}}Function=functions {{.*}}rgnn.map is computed for each src_pair
// REMARK: Missed{{.*}}Function=functions {{.*}}rgnn.map stays on edges: it would be all that is computed for each src_pair
func.func @functions(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %t: tensor<5x8xf64, #etype>, %w: tensor<5x8x4xf64>)
    -> (tensor<?x4xf64, #edge>, tensor<?x8xf64, #edge>) {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x4xf64>
  %h = rgnn.map %z : (tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%p: f64):
    %r = math.tanh %p : f64
    rgnn.yield %r : f64
  }
  %te = rgnn.gather etype %t in %g : tensor<5x8xf64, #etype>
  %m = rgnn.map %u, %te : (tensor<?x8xf64, #edge>, tensor<?x8xf64, #edge>) -> tensor<?x8xf64, #edge> {
  ^bb0(%p: f64, %q: f64):
    %s = arith.addf %p, %q : f64
    %r = math.tanh %s : f64
    rgnn.yield %r : f64
  }
  return %h, %m : tensor<?x4xf64, #edge>, tensor<?x8xf64, #edge>
}

// RUN: rgnn-opt %s --rgnn-postpone-propagation --canonicalize --cse | FileCheck %s
// RUN: %check_numeric %s --rgnn-postpone-propagation
// RUN: rgnn-opt %s --rgnn-postpone-propagation --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

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

// Rows of the edge's type (Simple-HGN).
// CHECK-LABEL: func @types(
//       CHECK:   %[[Z:.*]] = rgnn.linear %{{.*}} : tensor<5x8xf64, #rgnn.rows<etype, @g0>>, tensor<8x4xf64>
//       CHECK:   rgnn.gather etype %[[Z]]
func.func @types(%g: !rgnn.graph<@g0>, %t: tensor<5x8xf64, #etype>, %w: tensor<8x4xf64>) -> tensor<?x4xf64, #edge> {
  %e = rgnn.gather etype %t in %g : tensor<5x8xf64, #etype>
  %z = rgnn.linear %e, %w : tensor<?x8xf64, #edge>, tensor<8x4xf64>
  return %z : tensor<?x4xf64, #edge>
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

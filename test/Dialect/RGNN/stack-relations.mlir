// RUN: rgnn-opt %s --rgnn-stack-relations --canonicalize --cse --split-input-file | FileCheck %s
// RUN: rgnn-opt %s --rgnn-stack-relations --split-input-file --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: rgnn-opt %s --rgnn-stack-relations=fewest=6 --split-input-file --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEWEST

// Two relations that lead to the same nodes, from nodes of two types, one of which is their own.

rgnn.schema @g0 edge_types(1)
rgnn.schema @g1 node_types(2) edge_types(1)

// FEWEST: relations are computed one by one: only 2 are alike
// REMARK: Function=sums | Remark="2 relations are computed at once"
// REMARK: Function=sums{{.*}}num-stacked=2
//       CHECK: rgnn.schema @joint node_types(2) edge_types(2) src_types([0, 1]) dst_types([0, 0])
// CHECK-LABEL: func @sums
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: tensor<?x4xf32>, %[[Y:[a-z0-9]+]]: tensor<?x4xf32>, %[[E:[a-z0-9]+]]: tensor<2x?xi64>, %[[F:[a-z0-9]+]]: tensor<2x?xi64>
//       CHECK:   %[[G:.*]] = rgnn.coo_graph edges(%[[E]], %[[F]] : {{.*}}) nodes(%{{.*}}, %{{.*}}) : !rgnn.graph<@joint>
//       CHECK:   %[[W:.*]] = rgnn.concat {{.*}} dim 0 : tensor<1x4x2xf32>, tensor<1x4x2xf32>
//       CHECK:   %[[N:.*]] = rgnn.concat_types
//       CHECK:   %[[M:.*]] = rgnn.gather src %[[N]] in %[[G]]
//       CHECK:   %[[P:.*]] = rgnn.reduce mean dst_pair %[[M]] in %[[G]]
//       CHECK:   %[[L:.*]] = rgnn.typed_linear %[[P]], %[[W]] by etype in %[[G]]
//       CHECK:   %[[S:.*]] = rgnn.reduce sum dst %[[L]] in %[[G]]
//       CHECK:   %[[T:.*]] = rgnn.slice_type %[[S]] in %[[G]] {{.*}} type = 0
//       CHECK:   rgnn.map %{{.*}}, %[[T]] : (tensor<2xf32>, tensor<?x2xf32, #rgnn.rows<node, @joint, type = 0>>)
func.func @sums(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %e: tensor<2x?xi64>, %f: tensor<2x?xi64>, %w: tensor<4x2xf32>, %v: tensor<4x2xf32>, %b: tensor<2xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %m = tensor.dim %y, %c0 : tensor<?x4xf32>
  %g = rgnn.coo_graph edges(%e : tensor<2x?xi64>) nodes(%n) : !rgnn.graph<@g0>
  %h = rgnn.coo_graph edges(%f : tensor<2x?xi64>) nodes(%m, %n) : !rgnn.graph<@g1, bipartite>
  %p = rgnn.place %x in %g : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @g0>>
  %q = rgnn.place %y in %h : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @g1, type = 0>> bipartite
  %0 = rgnn.gather src %p in %g : tensor<?x4xf32, #rgnn.rows<node, @g0>>
  %1 = rgnn.reduce mean dst %0 in %g : tensor<?x4xf32, #rgnn.rows<edge, @g0>>
  %2 = rgnn.linear %1, %w : tensor<?x4xf32, #rgnn.rows<node, @g0>>, tensor<4x2xf32>
  %3 = rgnn.gather src %q in %h : tensor<?x4xf32, #rgnn.rows<node, @g1, type = 0>> bipartite
  %4 = rgnn.reduce mean dst %3 in %h : tensor<?x4xf32, #rgnn.rows<edge, @g1>> bipartite
  %5 = rgnn.linear %4, %v : tensor<?x4xf32, #rgnn.rows<node, @g1, type = 1>>, tensor<4x2xf32>
  %6 = rgnn.unplace %5 : tensor<?x2xf32, #rgnn.rows<node, @g1, type = 1>>
  %7 = rgnn.place %6 in %g : tensor<?x2xf32> -> tensor<?x2xf32, #rgnn.rows<node, @g0>>
  %8 = rgnn.map %2, %7, %b : (tensor<?x2xf32, #rgnn.rows<node, @g0>>, tensor<?x2xf32, #rgnn.rows<node, @g0>>, tensor<2xf32>) -> tensor<?x2xf32, #rgnn.rows<node, @g0>> {
  ^bb0(%i: f32, %j: f32, %k: f32):
    %s = arith.addf %i, %j : f32
    %t = arith.addf %s, %k : f32
    rgnn.yield %t : f32
  }
  %9 = rgnn.unplace %8 : tensor<?x2xf32, #rgnn.rows<node, @g0>>
  return %9 : tensor<?x2xf32>
}

// -----

// A maximum of both: what they bring the same nodes stays apart, on two copies of these.

rgnn.schema @g0 edge_types(1)
rgnn.schema @g1 edge_types(1)

//       CHECK: rgnn.schema @joint node_types(2) edge_types(2) src_types([0, 0]) dst_types([0, 1])
// CHECK-LABEL: func @apart
//       CHECK:   rgnn.reduce sum dst_pair %{{.*}}
//       CHECK:   %[[S:.*]] = rgnn.reduce sum dst %{{.*}}
//   CHECK-DAG:   rgnn.slice_type %[[S]] {{.*}} type = 0
//   CHECK-DAG:   rgnn.slice_type %[[S]] {{.*}} type = 1
//       CHECK:   arith.maximumf
func.func @apart(%x: tensor<?x4xf32>, %e: tensor<2x?xi64>, %f: tensor<2x?xi64>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %g = rgnn.coo_graph edges(%e : tensor<2x?xi64>) nodes(%n) : !rgnn.graph<@g0>
  %h = rgnn.coo_graph edges(%f : tensor<2x?xi64>) nodes(%n) : !rgnn.graph<@g1>
  %p = rgnn.place %x in %g : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @g0>>
  %q = rgnn.place %x in %h : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @g1>>
  %0 = rgnn.gather src %p in %g : tensor<?x4xf32, #rgnn.rows<node, @g0>>
  %1 = rgnn.reduce sum dst %0 in %g : tensor<?x4xf32, #rgnn.rows<edge, @g0>>
  %2 = rgnn.map %1, %a : (tensor<?x4xf32, #rgnn.rows<node, @g0>>, tensor<4xf32>) -> tensor<?x4xf32, #rgnn.rows<node, @g0>> {
  ^bb0(%i: f32, %j: f32):
    %s = arith.addf %i, %j : f32
    rgnn.yield %s : f32
  }
  %3 = rgnn.gather src %q in %h : tensor<?x4xf32, #rgnn.rows<node, @g1>>
  %4 = rgnn.reduce sum dst %3 in %h : tensor<?x4xf32, #rgnn.rows<edge, @g1>>
  %5 = rgnn.map %4, %b : (tensor<?x4xf32, #rgnn.rows<node, @g1>>, tensor<4xf32>) -> tensor<?x4xf32, #rgnn.rows<node, @g1>> {
  ^bb0(%i: f32, %j: f32):
    %s = arith.addf %i, %j : f32
    rgnn.yield %s : f32
  }
  %6 = rgnn.unplace %5 : tensor<?x4xf32, #rgnn.rows<node, @g1>>
  %7 = rgnn.place %6 in %g : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @g0>>
  %8 = rgnn.map %2, %7 : (tensor<?x4xf32, #rgnn.rows<node, @g0>>, tensor<?x4xf32, #rgnn.rows<node, @g0>>) -> tensor<?x4xf32, #rgnn.rows<node, @g0>> {
  ^bb0(%i: f32, %j: f32):
    %s = arith.maximumf %i, %j : f32
    rgnn.yield %s : f32
  }
  %9 = rgnn.unplace %8 : tensor<?x4xf32, #rgnn.rows<node, @g0>>
  return %9 : tensor<?x4xf32>
}

// -----

// Attention: a softmax within each relation, and rows multiplied on edges, of which compaction makes fewer.

rgnn.schema @g0 edge_types(1)
rgnn.schema @g1 edge_types(1)

// CHECK-LABEL: func @attention
//       CHECK:   %[[A:.*]] = rgnn.gather etype %{{.*}} in %[[G:.*]] : tensor<2x4xf32
//       CHECK:   %[[S:.*]] = rgnn.gather src %{{.*}} in %[[G]]
//       CHECK:   %[[Z:.*]] = rgnn.typed_linear %[[S]], %{{.*}} by etype in %[[G]] : tensor<?x4xf32, #rgnn.rows<edge
//       CHECK:   %[[M:.*]] = rgnn.map %[[Z]], %[[A]]
//       CHECK:   %[[R:.*]] = rgnn.reduce_features sum %[[M]]
//       CHECK:   %[[T:.*]] = rgnn.group_softmax dst_pair %{{.*}} in %[[G]]
//       CHECK:   %[[P:.*]] = rgnn.reduce sum dst_pair %{{.*}} in %[[G]]
//       CHECK:   rgnn.reduce sum dst %[[P]] in %[[G]]
func.func @attention(%x: tensor<?x4xf32>, %e: tensor<2x?xi64>, %f: tensor<2x?xi64>, %w: tensor<4x4xf32>, %v: tensor<4x4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %g = rgnn.coo_graph edges(%e : tensor<2x?xi64>) nodes(%n) : !rgnn.graph<@g0>
  %h = rgnn.coo_graph edges(%f : tensor<2x?xi64>) nodes(%n) : !rgnn.graph<@g1>
  %p = rgnn.place %x in %g : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @g0>>
  %q = rgnn.place %x in %h : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @g1>>
  %0 = rgnn.linear %p, %w : tensor<?x4xf32, #rgnn.rows<node, @g0>>, tensor<4x4xf32>
  %1 = rgnn.gather src %0 in %g : tensor<?x4xf32, #rgnn.rows<node, @g0>>
  %2 = rgnn.map %1, %a : (tensor<?x4xf32, #rgnn.rows<edge, @g0>>, tensor<4xf32>) -> tensor<?x4xf32, #rgnn.rows<edge, @g0>> {
  ^bb0(%i: f32, %j: f32):
    %s = arith.mulf %i, %j : f32
    rgnn.yield %s : f32
  }
  %3 = rgnn.reduce_features sum %2 dim 1 : tensor<?x4xf32, #rgnn.rows<edge, @g0>>
  %4 = rgnn.reshape %3 : tensor<?xf32, #rgnn.rows<edge, @g0>> -> tensor<?x1xf32, #rgnn.rows<edge, @g0>>
  %5 = rgnn.group_softmax dst %4 in %g : tensor<?x1xf32, #rgnn.rows<edge, @g0>>
  %6 = rgnn.map %5, %1 : (tensor<?x1xf32, #rgnn.rows<edge, @g0>>, tensor<?x4xf32, #rgnn.rows<edge, @g0>>) -> tensor<?x4xf32, #rgnn.rows<edge, @g0>> {
  ^bb0(%i: f32, %j: f32):
    %s = arith.mulf %i, %j : f32
    rgnn.yield %s : f32
  }
  %7 = rgnn.reduce sum dst %6 in %g : tensor<?x4xf32, #rgnn.rows<edge, @g0>>
  %10 = rgnn.linear %q, %v : tensor<?x4xf32, #rgnn.rows<node, @g1>>, tensor<4x4xf32>
  %11 = rgnn.gather src %10 in %h : tensor<?x4xf32, #rgnn.rows<node, @g1>>
  %12 = rgnn.map %11, %b : (tensor<?x4xf32, #rgnn.rows<edge, @g1>>, tensor<4xf32>) -> tensor<?x4xf32, #rgnn.rows<edge, @g1>> {
  ^bb0(%i: f32, %j: f32):
    %s = arith.mulf %i, %j : f32
    rgnn.yield %s : f32
  }
  %13 = rgnn.reduce_features sum %12 dim 1 : tensor<?x4xf32, #rgnn.rows<edge, @g1>>
  %14 = rgnn.reshape %13 : tensor<?xf32, #rgnn.rows<edge, @g1>> -> tensor<?x1xf32, #rgnn.rows<edge, @g1>>
  %15 = rgnn.group_softmax dst %14 in %h : tensor<?x1xf32, #rgnn.rows<edge, @g1>>
  %16 = rgnn.map %15, %11 : (tensor<?x1xf32, #rgnn.rows<edge, @g1>>, tensor<?x4xf32, #rgnn.rows<edge, @g1>>) -> tensor<?x4xf32, #rgnn.rows<edge, @g1>> {
  ^bb0(%i: f32, %j: f32):
    %s = arith.mulf %i, %j : f32
    rgnn.yield %s : f32
  }
  %17 = rgnn.reduce sum dst %16 in %h : tensor<?x4xf32, #rgnn.rows<edge, @g1>>
  %18 = rgnn.unplace %17 : tensor<?x4xf32, #rgnn.rows<node, @g1>>
  %19 = rgnn.place %18 in %g : tensor<?x4xf32> -> tensor<?x4xf32, #rgnn.rows<node, @g0>>
  %20 = rgnn.map %7, %19 : (tensor<?x4xf32, #rgnn.rows<node, @g0>>, tensor<?x4xf32, #rgnn.rows<node, @g0>>) -> tensor<?x4xf32, #rgnn.rows<node, @g0>> {
  ^bb0(%i: f32, %j: f32):
    %s = arith.addf %i, %j : f32
    rgnn.yield %s : f32
  }
  %21 = rgnn.unplace %20 : tensor<?x4xf32, #rgnn.rows<node, @g0>>
  return %21 : tensor<?x4xf32>
}

// RUN: rgnn-opt %s --rgnn-merge-products | FileCheck %s
// RUN: rgnn-opt %s --rgnn-merge-products --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %check_numeric %s --rgnn-merge-products

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 edge_types(3)

// Sums of sums, and biases, which are added up first.

// REMARK: Function=sums | Remark="products of the same rows are one, of the sum of 3 weights"
// REMARK: Function=sums{{.*}}num-merged=2
// CHECK-LABEL: func @sums
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: tensor<?x4xf32, #rgnn.rows<node, @g0>>, %[[Y:[a-z0-9]+]]: tensor<?x4xf32
//       CHECK:   %[[W:.*]] = rgnn.map %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
//       CHECK:   %[[P:.*]] = rgnn.linear %[[X]], %[[W]]
//   CHECK-NOT:   rgnn.linear %[[X]]
//       CHECK:   %[[B:.*]] = rgnn.map %{{.*}}, %{{.*}} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
//       CHECK:   rgnn.map %{{.*}}, %[[P]], %[[B]]
//   CHECK-NOT:   rgnn.map
func.func @sums(%x: tensor<?x4xf32, #node>, %y: tensor<?x4xf32, #node>, %w: tensor<4x3xf32>, %v: tensor<4x3xf32>, %u: tensor<4x3xf32>, %a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<?x3xf32, #node> {
  %0 = rgnn.linear %x, %w : tensor<?x4xf32, #node>, tensor<4x3xf32>
  %1 = rgnn.map %0, %a : (tensor<?x3xf32, #node>, tensor<3xf32>) -> tensor<?x3xf32, #node> {
  ^bb0(%i: f32, %j: f32):
    %s = arith.addf %i, %j : f32
    rgnn.yield %s : f32
  }
  %2 = rgnn.linear %y, %w : tensor<?x4xf32, #node>, tensor<4x3xf32>
  %3 = rgnn.linear %x, %v : tensor<?x4xf32, #node>, tensor<4x3xf32>
  %4 = rgnn.map %2, %3 : (tensor<?x3xf32, #node>, tensor<?x3xf32, #node>) -> tensor<?x3xf32, #node> {
  ^bb0(%i: f32, %j: f32):
    %s = arith.addf %j, %i : f32
    rgnn.yield %s : f32
  }
  %5 = rgnn.linear %x, %u : tensor<?x4xf32, #node>, tensor<4x3xf32>
  %6 = rgnn.map %4, %b, %1, %5 : (tensor<?x3xf32, #node>, tensor<3xf32>, tensor<?x3xf32, #node>, tensor<?x3xf32, #node>) -> tensor<?x3xf32, #node> {
  ^bb0(%i: f32, %j: f32, %k: f32, %l: f32):
    %s = arith.addf %i, %j : f32
    %t = arith.addf %k, %l : f32
    %r = arith.addf %s, %t : f32
    rgnn.yield %r : f32
  }
  return %6 : tensor<?x3xf32, #node>
}

// Products by type, of the same types alone: an edge's own, or those of its ends, which are others.

// CHECK-LABEL: func @types
// CHECK-COUNT-1: rgnn.typed_linear
//   CHECK-NOT:   rgnn.typed_linear
//       CHECK:   return
func.func @types(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #edge>, %w: tensor<3x4x2xf32>, %v: tensor<3x4x2xf32>) -> tensor<?x2xf32, #edge> {
  %0 = rgnn.typed_linear %x, %w by etype in %g : tensor<?x4xf32, #edge>, tensor<3x4x2xf32>
  %1 = rgnn.typed_linear %x, %v by etype in %g : tensor<?x4xf32, #edge>, tensor<3x4x2xf32>
  %2 = rgnn.map %0, %1 : (tensor<?x2xf32, #edge>, tensor<?x2xf32, #edge>) -> tensor<?x2xf32, #edge> {
  ^bb0(%i: f32, %j: f32):
    %s = arith.addf %i, %j : f32
    rgnn.yield %s : f32
  }
  return %2 : tensor<?x2xf32, #edge>
}

// What something else reads stays; so do products whose sum is no sum alone.

// REMARK: Function=refused | Remark="products of the same rows are added up: something else reads one of them"
// CHECK-LABEL: func @refused
// CHECK-COUNT-4: rgnn.linear
func.func @refused(%x: tensor<?x4xf32, #node>, %w: tensor<4x3xf32>, %v: tensor<4x3xf32>) -> (tensor<?x3xf32, #node>, tensor<?x3xf32, #node>, tensor<?x3xf32, #node>) {
  %0 = rgnn.linear %x, %w : tensor<?x4xf32, #node>, tensor<4x3xf32>
  %1 = rgnn.linear %x, %v : tensor<?x4xf32, #node>, tensor<4x3xf32>
  %2 = rgnn.map %0, %1 : (tensor<?x3xf32, #node>, tensor<?x3xf32, #node>) -> tensor<?x3xf32, #node> {
  ^bb0(%i: f32, %j: f32):
    %s = arith.addf %i, %j : f32
    rgnn.yield %s : f32
  }
  %3 = rgnn.linear %x, %w : tensor<?x4xf32, #node>, tensor<4x3xf32>
  %4 = rgnn.linear %x, %v : tensor<?x4xf32, #node>, tensor<4x3xf32>
  %5 = rgnn.map %3, %4 : (tensor<?x3xf32, #node>, tensor<?x3xf32, #node>) -> tensor<?x3xf32, #node> {
  ^bb0(%i: f32, %j: f32):
    %s = arith.mulf %i, %j : f32
    rgnn.yield %s : f32
  }
  return %2, %1, %5 : tensor<?x3xf32, #node>, tensor<?x3xf32, #node>, tensor<?x3xf32, #node>
}

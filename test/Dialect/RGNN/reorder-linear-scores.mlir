// RUN: rgnn-opt %s --rgnn-reorder-linear | FileCheck %s
// RUN: %check_numeric %s --rgnn-reorder-linear

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
#etype = #rgnn.rows<etype, @g0>

rgnn.schema @g0 edge_types(3)

// Scores of two heads, as attention has them: the weight has a column for each, instead of four.

// CHECK-LABEL: func @heads(
//       CHECK:   %[[P:.*]] = rgnn.matmul
//       CHECK:   %[[W:.*]] = rgnn.permute %{{.*}} [1, 0] : tensor<2x5xf64>
//       CHECK:   %[[S:.*]] = rgnn.linear %{{.*}}, %[[W]] : tensor<?x5xf64, {{.*}}>, tensor<5x2xf64>
//       CHECK:   return %[[S]]
func.func @heads(%x: tensor<?x5xf64, #node>, %w: tensor<8x5xf64>, %a: tensor<2x4xf64>) -> tensor<?x2xf64, #node> {
  %0 = rgnn.linear %x, %w transposed : tensor<?x5xf64, #node>, tensor<8x5xf64>
  %1 = rgnn.reshape %0 : tensor<?x8xf64, #node> -> tensor<?x2x4xf64, #node>
  %2 = rgnn.map %1, %a : (tensor<?x2x4xf64, #node>, tensor<2x4xf64>) -> tensor<?x2x4xf64, #node> {
  ^bb0(%i: f64, %j: f64):
    %s = arith.mulf %i, %j : f64
    rgnn.yield %s : f64
  }
  %3 = rgnn.reduce_features sum %2 dim 2 : tensor<?x2x4xf64, #node>
  return %3 : tensor<?x2xf64, #node>
}

// A weight and a factor of each type.

// CHECK-LABEL: func @types(
//       CHECK:   rgnn.matmul %{{.*}} : tensor<3x{{.*}}>, tensor<3x
//       CHECK:   %[[S:.*]] = rgnn.typed_linear %{{.*}}, %{{.*}} by etype in %{{.*}} : tensor<?x5xf64, {{.*}}>, tensor<3x5x1xf64>
//       CHECK:   %[[R:.*]] = rgnn.reshape %[[S]]
//       CHECK:   return %[[R]]
func.func @types(%g: !rgnn.graph<@g0>, %x: tensor<?x5xf64, #edge>, %w: tensor<3x5x4xf64>, %a: tensor<3x4xf64>) -> tensor<?xf64, #edge> {
  %0 = rgnn.typed_linear %x, %w by etype in %g : tensor<?x5xf64, #edge>, tensor<3x5x4xf64>
  %p = rgnn.place %a in %g : tensor<3x4xf64> -> tensor<3x4xf64, #etype>
  %1 = rgnn.gather etype %p in %g : tensor<3x4xf64, #etype>
  %2 = rgnn.map %1, %0 : (tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%i: f64, %j: f64):
    %s = arith.mulf %i, %j : f64
    rgnn.yield %s : f64
  }
  %3 = rgnn.reduce_features sum %2 dim 1 : tensor<?x4xf64, #edge>
  return %3 : tensor<?xf64, #edge>
}

// One factor for all heads, and one weight for a factor of each type.

// CHECK-LABEL: func @shared(
//       CHECK:   rgnn.linear %{{.*}} : tensor<?x5xf64, {{.*}}>, tensor<5x2xf64>
//       CHECK:   rgnn.typed_linear %{{.*}} : tensor<?x5xf64, {{.*}}>, tensor<3x5x1xf64>
func.func @shared(%g: !rgnn.graph<@g0>, %x: tensor<?x5xf64, #edge>, %w: tensor<5x8xf64>, %v: tensor<5x4xf64>, %a: tensor<4xf64>, %b: tensor<3x4xf64>)
    -> (tensor<?x2xf64, #edge>, tensor<?xf64, #edge>) {
  %0 = rgnn.linear %x, %w : tensor<?x5xf64, #edge>, tensor<5x8xf64>
  %1 = rgnn.reshape %0 : tensor<?x8xf64, #edge> -> tensor<?x2x4xf64, #edge>
  %2 = rgnn.map %1, %a : (tensor<?x2x4xf64, #edge>, tensor<4xf64>) -> tensor<?x2x4xf64, #edge> {
  ^bb0(%i: f64, %j: f64):
    %s = arith.mulf %i, %j : f64
    rgnn.yield %s : f64
  }
  %3 = rgnn.reduce_features sum %2 dim 2 : tensor<?x2x4xf64, #edge>
  %4 = rgnn.linear %x, %v : tensor<?x5xf64, #edge>, tensor<5x4xf64>
  %p = rgnn.place %b in %g : tensor<3x4xf64> -> tensor<3x4xf64, #etype>
  %5 = rgnn.gather etype %p in %g : tensor<3x4xf64, #etype>
  %6 = rgnn.map %4, %5 : (tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%i: f64, %j: f64):
    %s = arith.mulf %i, %j : f64
    rgnn.yield %s : f64
  }
  %7 = rgnn.reduce_features sum %6 dim 1 : tensor<?x4xf64, #edge>
  return %3, %7 : tensor<?x2xf64, #edge>, tensor<?xf64, #edge>
}

// Rows that something else reads are multiplied anyway; a sum over heads, a maximum and a square are no scores.

// CHECK-LABEL: func @refused(
// CHECK-COUNT-4: tensor<5x8xf64>
//   CHECK-NOT:   rgnn.matmul
func.func @refused(%x: tensor<?x5xf64, #node>, %w: tensor<5x8xf64>, %a: tensor<2x4xf64>)
    -> (tensor<?x2xf64, #node>, tensor<?x8xf64, #node>, tensor<?x4xf64, #node>, tensor<?x2xf64, #node>) {
  %0 = rgnn.linear %x, %w : tensor<?x5xf64, #node>, tensor<5x8xf64>
  %1 = rgnn.reshape %0 : tensor<?x8xf64, #node> -> tensor<?x2x4xf64, #node>
  %2 = rgnn.map %1, %a : (tensor<?x2x4xf64, #node>, tensor<2x4xf64>) -> tensor<?x2x4xf64, #node> {
  ^bb0(%i: f64, %j: f64):
    %s = arith.mulf %i, %j : f64
    rgnn.yield %s : f64
  }
  %3 = rgnn.reduce_features sum %2 dim 2 : tensor<?x2x4xf64, #node>
  %4 = rgnn.linear %x, %w : tensor<?x5xf64, #node>, tensor<5x8xf64>
  %5 = rgnn.reshape %4 : tensor<?x8xf64, #node> -> tensor<?x2x4xf64, #node>
  %6 = rgnn.map %5, %a : (tensor<?x2x4xf64, #node>, tensor<2x4xf64>) -> tensor<?x2x4xf64, #node> {
  ^bb0(%i: f64, %j: f64):
    %s = arith.mulf %i, %j : f64
    rgnn.yield %s : f64
  }
  %7 = rgnn.reduce_features sum %6 dim 1 : tensor<?x2x4xf64, #node>
  %8 = rgnn.linear %x, %w : tensor<?x5xf64, #node>, tensor<5x8xf64>
  %9 = rgnn.reshape %8 : tensor<?x8xf64, #node> -> tensor<?x2x4xf64, #node>
  %10 = rgnn.map %9 : (tensor<?x2x4xf64, #node>) -> tensor<?x2x4xf64, #node> {
  ^bb0(%i: f64):
    %s = arith.mulf %i, %i : f64
    rgnn.yield %s : f64
  }
  %11 = rgnn.reduce_features sum %10 dim 2 : tensor<?x2x4xf64, #node>
  return %3, %0, %7, %11 : tensor<?x2xf64, #node>, tensor<?x8xf64, #node>, tensor<?x4xf64, #node>, tensor<?x2xf64, #node>
}

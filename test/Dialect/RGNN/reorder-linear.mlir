// RUN: rgnn-opt %s --rgnn-reorder-linear | FileCheck %s
// RUN: %check_numeric %s --rgnn-reorder-linear
// RUN: rgnn-opt %s --rgnn-reorder-linear --mlir-disable-threading --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: rgnn-opt %s --rgnn-reorder-linear | rgnn-translate --rgnn-check-gradient --seeds=4 | FileCheck %s --check-prefix=GRADIENT
// RUN: rgnn-opt %s --rgnn-differentiate --canonicalize --cse -o %t.mlir
// RUN: %check_numeric %t.mlir --rgnn-reorder-linear | FileCheck %s --check-prefix=BACKWARD
// GRADIENT-COUNT-8: gradients agree on 4 seeds
// BACKWARD-COUNT-16: equivalent on 16 seeds

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#edge_of_unknown = #rgnn.rows<edge, @unknown>

rgnn.schema @g0 edge_types(5)
rgnn.schema @unknown

// RGAT's attention score of the destination, which nothing else reads.
// CHECK-LABEL: func @score(
//  CHECK-SAME:   %[[G:.*]]: !rgnn.graph<@g0>, %[[X:.*]]: tensor<?x8xf64, {{.*}}>, %[[W:.*]]: tensor<5x8x8xf64>, %[[Q:.*]]: tensor<8x2xf64>
//       CHECK:   %[[U:.*]] = rgnn.gather dst %[[X]]
//       CHECK:   %[[R:.*]] = rgnn.reshape %[[W]] : tensor<5x8x8xf64> -> tensor<40x8xf64>
//       CHECK:   %[[P:.*]] = rgnn.linear %[[R]], %[[Q]] : tensor<40x8xf64>, tensor<8x2xf64>
//       CHECK:   %[[V:.*]] = rgnn.reshape %[[P]] : tensor<40x2xf64> -> tensor<5x8x2xf64>
//       CHECK:   %[[S:.*]] = rgnn.typed_linear %[[U]], %[[V]] by etype in %[[G]]
//   CHECK-NOT:   rgnn.linear
//       CHECK:   return %[[S]]
func.func @score(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %w: tensor<5x8x8xf64>, %q: tensor<8x2xf64>) -> tensor<?x2xf64, #edge> {
  %u = rgnn.gather dst %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x8xf64>
  %s = rgnn.linear %z, %q : tensor<?x8xf64, #edge>, tensor<8x2xf64>
  return %s : tensor<?x2xf64, #edge>
}

// Two narrow products of one wide one, a transposed weight; a chain of three.
// CHECK-LABEL: func @two(
// CHECK-COUNT-2: rgnn.typed_linear %{{.*}} : tensor<?x8xf64, {{.*}}>, tensor<5x8x1xf64>
//   CHECK-NOT:   rgnn.typed_linear
func.func @two(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %w: tensor<5x8x8xf64>, %q: tensor<8x1xf64>, %k: tensor<1x8xf64>)
    -> (tensor<?x1xf64, #edge>, tensor<?x1xf64, #edge>) {
  %u = rgnn.gather src %x in %g : tensor<?x8xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x8xf64>
  %s = rgnn.linear %z, %q : tensor<?x8xf64, #edge>, tensor<8x1xf64>
  %t = rgnn.linear %z, %k transposed : tensor<?x8xf64, #edge>, tensor<1x8xf64>
  return %s, %t : tensor<?x1xf64, #edge>, tensor<?x1xf64, #edge>
}

// CHECK-LABEL: func @chain(
//       CHECK:   rgnn.permute %{{.*}} [1, 0]
//       CHECK:   %[[Y:.*]] = rgnn.linear %{{.*}} : tensor<?x6xf64, {{.*}}>, tensor<6x2xf64>
//  CHECK-NEXT:   return %[[Y]]
func.func @chain(%g: !rgnn.graph<@g0>, %x: tensor<?x6xf64, #node>, %a: tensor<8x6xf64>, %b: tensor<8x8xf64>, %c: tensor<8x2xf64>) -> tensor<?x2xf64, #node> {
  %0 = rgnn.linear %x, %a transposed : tensor<?x6xf64, #node>, tensor<8x6xf64>
  %1 = rgnn.linear %0, %b : tensor<?x8xf64, #node>, tensor<8x8xf64>
  %2 = rgnn.linear %1, %c : tensor<?x8xf64, #node>, tensor<8x2xf64>
  return %2 : tensor<?x2xf64, #node>
}

// Heads keep their own weights.
// CHECK-LABEL: func @heads(
//       CHECK:   rgnn.typed_linear %{{.*}} : tensor<?x2x4xf64, {{.*}}>, tensor<5x2x4x1xf64>
func.func @heads(%g: !rgnn.graph<@g0>, %x: tensor<?x2x4xf64, #edge>, %w: tensor<5x2x4x4xf64>, %q: tensor<4x1xf64>) -> tensor<?x2x1xf64, #edge> {
  %z = rgnn.typed_linear %x, %w by etype in %g : tensor<?x2x4xf64, #edge>, tensor<5x2x4x4xf64>
  %s = rgnn.linear %z, %q : tensor<?x2x4xf64, #edge>, tensor<4x1xf64>
  return %s : tensor<?x2x1xf64, #edge>
}

// The message itself is read, too.
// CHECK-LABEL: func @message(
//       CHECK:   rgnn.typed_linear %{{.*}} : tensor<?x8xf64, {{.*}}>, tensor<5x8x8xf64>
//       CHECK:   rgnn.linear
// REMARK: Missed{{.*}}Function=message {{.*}}weights are not multiplied first: its rows are also used without the second product
func.func @message(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #edge>, %w: tensor<5x8x8xf64>, %q: tensor<8x1xf64>)
    -> (tensor<?x8xf64, #edge>, tensor<?x1xf64, #edge>) {
  %z = rgnn.typed_linear %x, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x8xf64>
  %s = rgnn.linear %z, %q : tensor<?x8xf64, #edge>, tensor<8x1xf64>
  return %z, %s : tensor<?x8xf64, #edge>, tensor<?x1xf64, #edge>
}

// The message is computed anyway, but of much narrower rows the score is cheaper.
// CHECK-LABEL: func @narrow(
//  CHECK-SAME:   %[[G:.*]]: !rgnn.graph<@g0>, %[[X:.*]]: tensor<?x4xf64, {{.*}}>, %[[W:.*]]: tensor<5x4x8xf64>
//       CHECK:   rgnn.typed_linear %[[X]], %[[W]]
//       CHECK:   rgnn.typed_linear %[[X]], %{{.*}}, tensor<5x4x2xf64>
// REMARK: Passed{{.*}}Function=narrow {{.*}}weights are multiplied first
func.func @narrow(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #edge>, %w: tensor<5x4x8xf64>, %q: tensor<8x2xf64>)
    -> (tensor<?x8xf64, #edge>, tensor<?x2xf64, #edge>) {
  %z = rgnn.typed_linear %x, %w by etype in %g : tensor<?x4xf64, #edge>, tensor<5x4x8xf64>
  %s = rgnn.linear %z, %q : tensor<?x8xf64, #edge>, tensor<8x2xf64>
  return %z, %s : tensor<?x8xf64, #edge>, tensor<?x2xf64, #edge>
}

// The same for a slice of the columns; those that nothing reads are gone.
// CHECK-LABEL: func @narrow_slice(
//   CHECK-DAG:   rgnn.typed_linear %{{.*}}, tensor<5x4x8xf64>
//   CHECK-DAG:   rgnn.typed_linear %{{.*}}, tensor<5x4x2xf64>
//   CHECK-NOT:   tensor<5x4x12xf64>
//       CHECK:   return
func.func @narrow_slice(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #edge>, %w: tensor<5x4x12xf64>, %q: tensor<8x2xf64>)
    -> (tensor<?x8xf64, #edge>, tensor<?x2xf64, #edge>) {
  %z = rgnn.typed_linear %x, %w by etype in %g : tensor<?x4xf64, #edge>, tensor<5x4x12xf64>
  %c = rgnn.slice %z dim 1 from 0 size 8 : tensor<?x12xf64, #edge>
  %s = rgnn.linear %c, %q : tensor<?x8xf64, #edge>, tensor<8x2xf64>
  return %c, %s : tensor<?x8xf64, #edge>, tensor<?x2xf64, #edge>
}

// An activation is in between.
// CHECK-LABEL: func @activation(
//       CHECK:   rgnn.typed_linear
//       CHECK:   rgnn.map
//       CHECK:   rgnn.linear
// REMARK: Missed{{.*}}Function=activation {{.*}}weights are not multiplied first: something else than a bias is between the products
func.func @activation(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #edge>, %w: tensor<5x8x8xf64>, %q: tensor<8x1xf64>) -> tensor<?x1xf64, #edge> {
  %z = rgnn.typed_linear %x, %w by etype in %g : tensor<?x8xf64, #edge>, tensor<5x8x8xf64>
  %r = rgnn.map %z : (tensor<?x8xf64, #edge>) -> tensor<?x8xf64, #edge> {
  ^bb0(%e: f64):
    %zero = arith.constant 0.0 : f64
    %m = arith.maximumf %e, %zero : f64
    rgnn.yield %m : f64
  }
  %s = rgnn.linear %r, %q : tensor<?x8xf64, #edge>, tensor<8x1xf64>
  return %s : tensor<?x1xf64, #edge>
}

// The rows in between are narrower than both ends.
// CHECK-LABEL: func @bottleneck(
// CHECK-COUNT-2: rgnn.linear
// REMARK: Missed{{.*}}Function=bottleneck {{.*}}one product of the weights costs as much as both products of rows
func.func @bottleneck(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf64, #node>, %a: tensor<8x2xf64>, %b: tensor<2x8xf64>) -> tensor<?x8xf64, #node> {
  %0 = rgnn.linear %x, %a : tensor<?x8xf64, #node>, tensor<8x2xf64>
  %1 = rgnn.linear %0, %b : tensor<?x2xf64, #node>, tensor<2x8xf64>
  return %1 : tensor<?x8xf64, #node>
}

// A row for each type would be as many as the weight has, and a graph may have fewer.
// CHECK-LABEL: func @unknown_types(
//       CHECK:   rgnn.linear
//       CHECK:   rgnn.typed_linear
// REMARK: Missed{{.*}}Function=unknown_types {{.*}}there is a bias, and the schema does not say how many types the second product has
func.func @unknown_types(%g: !rgnn.graph<@unknown>, %x: tensor<?x4xf64, #edge_of_unknown>, %w: tensor<4x4xf64>, %b: tensor<4xf64>, %v: tensor<3x4x2xf64>)
    -> tensor<?x2xf64, #edge_of_unknown> {
  %0 = rgnn.linear %x, %w : tensor<?x4xf64, #edge_of_unknown>, tensor<4x4xf64>
  %1 = rgnn.map %0, %b : (tensor<?x4xf64, #edge_of_unknown>, tensor<4xf64>) -> tensor<?x4xf64, #edge_of_unknown> {
  ^bb0(%i: f64, %j: f64):
    %s = arith.addf %i, %j : f64
    rgnn.yield %s : f64
  }
  %2 = rgnn.typed_linear %1, %v by etype in %g : tensor<?x4xf64, #edge_of_unknown>, tensor<3x4x2xf64>
  return %2 : tensor<?x2xf64, #edge_of_unknown>
}

// RUN: rgnn-opt %s -rgnn-note-changes | FileCheck %s --check-prefix=NOTE
// RUN: rgnn-opt %s -rgnn-note-changes -rgnn-differentiate | FileCheck %s

// What is computed of an argument changes with it; integers have no gradients.

// NOTE-LABEL: @two_results
//  NOTE-SAME: %{{.*}}: tensor<?x4xf32, #rgnn.rows<node, @g0>> {rgnn.changes = array<i64: 0, 1>},
//  NOTE-SAME: %{{.*}}: tensor<4x8xf32> {rgnn.changes = array<i64: 0>},
//  NOTE-SAME: %{{.*}}: tensor<4x8xf32> {rgnn.changes = array<i64: 1>},
//  NOTE-SAME: %{{.*}}: tensor<2xf32> {rgnn.changes = array<i64>},
//  NOTE-SAME: %{{[a-z0-9]*}}: tensor<2xi64>)

// CHECK-LABEL: func.func @two_results(
//   CHECK-NOT:   rgnn.changes
// CHECK-LABEL: func.func @two_results_backward(
//   CHECK-NOT:   rgnn.changes
//       CHECK:   -> (tensor<?x4xf32, #rgnn.rows<node, @g0>> {rgnn.changes = array<i64: 0, 1>, rgnn.gradient_of_argument = 1 : i64},
//  CHECK-SAME:     tensor<4x8xf32> {rgnn.changes = array<i64: 0>, rgnn.gradient_of_argument = 2 : i64},
//  CHECK-SAME:     tensor<4x8xf32> {rgnn.changes = array<i64: 1>, rgnn.gradient_of_argument = 3 : i64}
#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 edge_types(3)

func.func @two_results(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %v: tensor<4x8xf32>, %w: tensor<4x8xf32>,
                       %unread: tensor<2xf32>, %n: tensor<2xi64>)
    -> (tensor<?x8xf32, #node>, tensor<?x8xf32, #node>) {
  %xv = rgnn.linear %x, %v : tensor<?x4xf32, #node>, tensor<4x8xf32>
  %xw = rgnn.linear %x, %w : tensor<?x4xf32, #node>, tensor<4x8xf32>
  return %xv, %xw : tensor<?x8xf32, #node>, tensor<?x8xf32, #node>
}

// A number that is only compared changes nothing, and nor does what it is made of.

// NOTE-LABEL: @compared
//  NOTE-SAME: %{{[a-z0-9]*}}: tensor<?x8xf32, #rgnn.rows<node, @g0>> {rgnn.changes = array<i64: 0>},
//  NOTE-SAME: %{{[a-z0-9]*}}: tensor<?x8xf32, #rgnn.rows<node, @g0>> {rgnn.changes = array<i64: 0>},
//  NOTE-SAME: %{{[a-z0-9]*}}: tensor<?x8xf32, #rgnn.rows<node, @g0>> {rgnn.changes = array<i64>},
//  NOTE-SAME: %{{[a-z0-9]*}}: tensor<8xf32> {rgnn.changes = array<i64>}
func.func @compared(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %y: tensor<?x8xf32, #node>,
                    %z: tensor<?x8xf32, #node>, %w: tensor<8xf32>) -> tensor<?x8xf32, #node> {
  %s = rgnn.map %z, %w : (tensor<?x8xf32, #node>, tensor<8xf32>) -> tensor<?x8xf32, #node> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    rgnn.yield %c : f32
  }
  %r = rgnn.map %x, %y, %s : (tensor<?x8xf32, #node>, tensor<?x8xf32, #node>, tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %zero = arith.constant 0.0 : f32
    %m = arith.cmpf ogt, %c, %zero : f32
    %p = arith.select %m, %a, %b : f32
    rgnn.yield %p : f32
  }
  return %r : tensor<?x8xf32, #node>
}

// RUN: rgnn-opt %s --rgnn-note-changes --rgnn-differentiate --canonicalize | FileCheck %s
// RUN: rgnn-opt %s --rgnn-erase-detach | FileCheck %s --check-prefix=ERASED
// RUN: rgnn-opt %s --rgnn-erase-detach --remarks-filter-analyse=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0

// COUNTS: Function=gate | num-erased=1

// Only the factor that is not detached has a gradient; none is computed for the
// weights of the other. Neither half keeps a copy of what is detached.
// CHECK-LABEL: func.func @gate(
//   CHECK-NOT:   rgnn.detach
// CHECK-LABEL: func.func @gate_backward(
//  CHECK-SAME:   %[[DY:[a-z0-9]*]]: tensor<?x4xf32, #rgnn.rows<node, @g0>> {rgnn.gradient_of_result = 0 : i64},
//  CHECK-SAME:   %[[SIDE:[a-z0-9]*]]: tensor<?x4xf32, #rgnn.rows<node, @g0>> {rgnn.result = 1 : i64})
//  CHECK-SAME:   -> (tensor<?x4xf32, #rgnn.rows<node, @g0>> {rgnn.changes = array<i64: 0>, rgnn.gradient_of_argument = 1 : i64})
//  CHECK-NEXT:   %[[DX:.*]] = rgnn.map %[[DY]], %[[SIDE]]
//       CHECK:   return %[[DX]]

// ERASED-LABEL: @gate
//       ERASED:   %[[H:.*]] = rgnn.linear
//  ERASED-NEXT:   rgnn.map %{{.*}}, %[[H]]
func.func @gate(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %w: tensor<4x4xf32>) -> tensor<?x4xf32, #node> {
  %h = rgnn.linear %x, %w : tensor<?x4xf32, #node>, tensor<4x4xf32>
  %d = rgnn.detach %h : tensor<?x4xf32, #node>
  %y = rgnn.map %x, %d : (tensor<?x4xf32, #node>, tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    rgnn.yield %p : f32
  }
  return %y : tensor<?x4xf32, #node>
}

// A straight-through estimate: the gradient of the sum is that of the first
// term, for weights as for rows.
// CHECK-LABEL: func.func @estimate_backward(
//  CHECK-SAME:   %[[DY:[a-z0-9]*]]: tensor<4xf32> {rgnn.gradient_of_result = 0 : i64})
//  CHECK-NEXT:   return %[[DY]]
func.func @estimate(%w: tensor<4xf32>) -> tensor<4xf32> {
  %r = rgnn.map %w : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32):
    %n = math.roundeven %a : f32
    %s = arith.subf %n, %a : f32
    rgnn.yield %s : f32
  }
  %d = rgnn.detach %r : tensor<4xf32>
  %y = rgnn.map %w, %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    rgnn.yield %s : f32
  }
  return %y : tensor<4xf32>
}

// What the model says is the slope, and not that of what is rounded; what is not
// detached has a gradient, too.
// CHECK-LABEL: func.func @said_backward(
//  CHECK-SAME:   %[[T:[a-z0-9]*]]: tensor<4xf32> {{[^,]*}}, %[[DY:[a-z0-9]*]]: tensor<4xf32> {rgnn.gradient_of_result = 0 : i64})
//  CHECK-NEXT:   %[[DW:.*]] = rgnn.map %[[T]], %[[DY]]
//       CHECK:     arith.mulf
//       CHECK:   return %[[DW]], %[[DY]]

// ERASED-LABEL: @said
//   ERASED-NOT:   rgnn.with_slope
func.func @said(%w: tensor<4xf32>, %v: tensor<4xf32>, %t: tensor<4xf32> {rgnn.changes = array<i64>}) -> tensor<4xf32> {
  %r = rgnn.map %w : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32):
    %n = math.roundeven %a : f32
    rgnn.yield %n : f32
  }
  %d = rgnn.detach %r : tensor<4xf32>
  %e = rgnn.detach %t : tensor<4xf32>
  %s = rgnn.map %d, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    rgnn.yield %s : f32
  }
  %y = rgnn.with_slope %s by %w slope %e : tensor<4xf32>
  return %y : tensor<4xf32>
}

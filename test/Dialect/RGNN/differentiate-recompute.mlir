// The backward computes all of the forward again: who has time but no memory.
// RUN: rgnn-opt %s --rgnn-differentiate=recompute --canonicalize --cse | FileCheck %s
// RUN: rgnn-opt %s --rgnn-differentiate --canonicalize --cse | FileCheck %s --check-prefix=KEPT
// RUN: sed s/f32/f64/g %s | rgnn-translate --rgnn-check-gradient --seeds=4
// RUN: rgnn-opt %s --rgnn-differentiate=recompute --canonicalize --cse -o %t.mlir
// RUN: rgnn-translate --rgnn-check-compiled --seeds=4 %t.mlir

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 edge_types(3)

// Products, too.
// CHECK-LABEL: func.func @products(
//  CHECK-SAME:   -> tensor<?x4xf32, #rgnn.rows<node, @g0>> {
// CHECK-LABEL: func.func @products_backward(
//   CHECK-NOT:   rgnn.result
//       CHECK:   %[[H:.*]] = rgnn.linear
//       CHECK:   rgnn.map %[[H]]
//       CHECK:   rgnn.typed_linear
//       CHECK:   return
// KEPT-LABEL: func.func @products(
//  KEPT-SAME:   rgnn.saved
// KEPT-LABEL: func.func @products_backward(
func.func @products(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %w: tensor<4x4xf32>, %v: tensor<3x4x4xf32>) -> tensor<?x4xf32, #node> {
  %h = rgnn.linear %x, %w : tensor<?x4xf32, #node>, tensor<4x4xf32>
  %t = rgnn.map %h : (tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  ^bb0(%i: f32):
    %0 = math.tanh %i : f32
    rgnn.yield %0 : f32
  }
  %u = rgnn.gather src %t in %g : tensor<?x4xf32, #node>
  %m = rgnn.typed_linear %u, %v by etype in %g : tensor<?x4xf32, #edge>, tensor<3x4x4xf32>
  %q = rgnn.map %m : (tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%i: f32):
    %0 = math.tanh %i : f32
    rgnn.yield %0 : f32
  }
  %y = rgnn.reduce sum dst %q in %g : tensor<?x4xf32, #edge>
  return %y : tensor<?x4xf32, #node>
}

// But not what a maximum is taken of: its gradient compares bit for bit.
// CHECK-LABEL: func.func @maximum(
//  CHECK-SAME:   tensor<?x4xf32, #rgnn.rows<node, @g0>> {rgnn.saved}
// CHECK-LABEL: func.func @maximum_backward(
//       CHECK:   rgnn.result
func.func @maximum(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %w: tensor<4x4xf32>) -> tensor<?x4xf32, #node> {
  %h = rgnn.linear %x, %w : tensor<?x4xf32, #node>, tensor<4x4xf32>
  %u = rgnn.gather src %h in %g : tensor<?x4xf32, #node>
  %y = rgnn.reduce max dst %u in %g : tensor<?x4xf32, #edge>
  return %y : tensor<?x4xf32, #node>
}

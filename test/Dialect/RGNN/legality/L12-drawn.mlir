// L12: the backward computes again what is a function of its operands alone. A mask of dropout is drawn before the
// forward, and both read that one: with another, the gradient is that of another function.

// RUN: split-file %s %t
// RUN: rgnn-opt %t/forward.mlir --rgnn-differentiate | FileCheck %s
// RUN: rgnn-translate --rgnn-check-gradient %t/forward.mlir
// RUN: not rgnn-translate --rgnn-check-equivalent --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: with seed {{[0-9]+}}, result 0: expected {{.*}}, got

// CHECK-LABEL: func.func @dropout(
//   CHECK-NOT:   rgnn.saved
// CHECK-LABEL: func.func @dropout_backward(
//  CHECK-SAME:   %[[M:[a-z0-9]+]]: tensor<?x4xf64, #rgnn.rows<node, @g0>> {rgnn.argument = 1 : i64, rgnn.drawn = "bernoulli"}
//       CHECK:   rgnn.map %{{.*}}%[[M]]

//--- forward.mlir
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

func.func @dropout(%x: tensor<?x4xf64, #node>, %mask: tensor<?x4xf64, #node> {rgnn.drawn = "bernoulli"}) -> tensor<?x4xf64, #node> {
  %y = rgnn.map %x, %mask : (tensor<?x4xf64, #node>, tensor<?x4xf64, #node>) -> tensor<?x4xf64, #node> {
  ^bb0(%a: f64, %m: f64):
    %p = arith.mulf %a, %m : f64
    rgnn.yield %p : f64
  }
  return %y : tensor<?x4xf64, #node>
}

//--- right.mlir
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

func.func @gradient(%dy: tensor<?x4xf64, #node>, %drawn: tensor<?x4xf64, #node>, %again: tensor<?x4xf64, #node>) -> tensor<?x4xf64, #node> {
  %dx = rgnn.map %dy, %drawn : (tensor<?x4xf64, #node>, tensor<?x4xf64, #node>) -> tensor<?x4xf64, #node> {
  ^bb0(%a: f64, %m: f64):
    %p = arith.mulf %a, %m : f64
    rgnn.yield %p : f64
  }
  return %dx : tensor<?x4xf64, #node>
}

//--- wrong.mlir
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

func.func @gradient(%dy: tensor<?x4xf64, #node>, %drawn: tensor<?x4xf64, #node>, %again: tensor<?x4xf64, #node>) -> tensor<?x4xf64, #node> {
  %dx = rgnn.map %dy, %again : (tensor<?x4xf64, #node>, tensor<?x4xf64, #node>) -> tensor<?x4xf64, #node> {
  ^bb0(%a: f64, %m: f64):
    %p = arith.mulf %a, %m : f64
    rgnn.yield %p : f64
  }
  return %dx : tensor<?x4xf64, #node>
}

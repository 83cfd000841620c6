// L12: the backward computes again what is a function of its operands alone. A mask of dropout is drawn before the
// forward, and both read that one: with another, the gradient is that of another function.

// RUN: split-file %s %t
// RUN: rgnn-opt %t/forward.mlir --rgnn-differentiate | FileCheck %s
// RUN: rgnn-translate --rgnn-check-gradient %t/forward.mlir
// RUN: not rgnn-translate --rgnn-check-equivalent --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=WRONG

// With recomputation, too. Its backward is wrong where the scores come of another draw than those of the forward.
// RUN: rgnn-opt %t/attention.mlir --rgnn-differentiate --canonicalize --cse --rgnn-recompute --canonicalize --cse -o %t/taken.mlir --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --check-prefix=RECOMPUTE --input-file=%t/taken.mlir
// RUN: rgnn-translate --rgnn-check-gradient --seeds=4 %t/attention.mlir
// RUN: rgnn-translate --rgnn-check-compiled --seeds=4 %t/taken.mlir
// RUN: sed '/@attention_backward/,$ { /func.func/! s/%arg3\b/%arg4/g; }' %t/taken.mlir > %t/again.mlir
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=attention_backward --against=%t/again.mlir %t/taken.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: with seed {{[0-9]+}}, result 0: expected {{.*}}, got

// CHECK-LABEL: func.func @dropout(
//   CHECK-NOT:   rgnn.saved
// CHECK-LABEL: func.func @dropout_backward(
//  CHECK-SAME:   %[[M:[a-z0-9]+]]: tensor<?x4xf64, #rgnn.rows<node, @g0>> {rgnn.argument = 1 : i64, rgnn.drawn = "bernoulli"}
//       CHECK:   rgnn.map %{{.*}}%[[M]]

// REMARK: Passed{{.*}}Function=attention {{.*}}the backward computes the result of rgnn.group_softmax again
// What is kept has a row for each node, and the masks are the arguments: the scores that are made again read that of scores.
// RECOMPUTE-LABEL: func.func @attention(
//  RECOMPUTE-SAME:   -> (tensor<?x4xf64, #rgnn.rows<node, @g0>>, tensor<?x1xf64, #rgnn.rows<node, @g0>> {rgnn.saved}, tensor<?x1xf64, #rgnn.rows<node, @g0>> {rgnn.saved}) {
// RECOMPUTE-LABEL: func.func @attention_backward(
//  RECOMPUTE-SAME:   %[[M:[a-z0-9]+]]: tensor<?x1xf64, #rgnn.rows<edge, @g0>> {rgnn.argument = 3 : i64, rgnn.drawn = "bernoulli"}
//  RECOMPUTE-SAME:   %[[MAX:[a-z0-9]+]]: tensor<?x1xf64, #rgnn.rows<node, @g0>> {rgnn.result = 1 : i64}
//       RECOMPUTE:   %[[S:.*]] = rgnn.map %{{.*}}, %{{.*}}, %[[M]] :
//       RECOMPUTE:   %[[OF:.*]] = rgnn.gather dst %[[MAX]]
//       RECOMPUTE:   rgnn.map %[[S]], %[[OF]]
//       RECOMPUTE:     math.exp

//--- attention.mlir
#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

// Scores are dropped before they are normalised, and weights behind.
func.func @attention(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %l: tensor<?x1xf64, #node>, %scores: tensor<?x1xf64, #edge> {rgnn.drawn = "bernoulli"},
                     %weights: tensor<?x1xf64, #edge> {rgnn.drawn = "bernoulli"}) -> tensor<?x4xf64, #node> {
  %u = rgnn.gather src %l in %g : tensor<?x1xf64, #node>
  %v = rgnn.gather dst %l in %g : tensor<?x1xf64, #node>
  %s = rgnn.map %u, %v, %scores : (tensor<?x1xf64, #edge>, tensor<?x1xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x1xf64, #edge> {
  ^bb0(%i: f64, %j: f64, %m: f64):
    %0 = arith.mulf %i, %j : f64
    %1 = arith.mulf %0, %m : f64
    rgnn.yield %1 : f64
  }
  %a = rgnn.group_softmax dst %s in %g : tensor<?x1xf64, #edge>
  %h = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %m = rgnn.map %h, %a, %weights : (tensor<?x4xf64, #edge>, tensor<?x1xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%i: f64, %j: f64, %m: f64):
    %0 = arith.mulf %i, %j : f64
    %1 = arith.mulf %0, %m : f64
    rgnn.yield %1 : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x4xf64, #edge>
  return %y : tensor<?x4xf64, #node>
}

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

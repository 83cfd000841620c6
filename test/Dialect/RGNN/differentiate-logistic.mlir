// The slope of the logistic function is y (1 - y), of its rounded result; another exponential has its own.

// RUN: rgnn-opt %s --pass-pipeline="builtin.module(rgnn-differentiate{arguments=1},rgnn-canonicalize,cse)" | FileCheck %s

rgnn.schema @s edge_types(1)

// CHECK-LABEL: func.func @logistic_backward(
//       CHECK:   ^bb0(%[[G:.*]]: f32, %[[X:.*]]: f32):
//   CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.0
//   CHECK-DAG:     %[[ONE:.*]] = arith.constant 1.0
//       CHECK:     %[[IS_LESS:.*]] = arith.cmpf olt
//       CHECK:     %[[Y:.*]] = arith.divf %[[ONE]]
//       CHECK:     %[[PART:.*]] = arith.mulf %[[G]], %[[Y]]
//       CHECK:     %[[MINUS:.*]] = arith.negf %[[Y]]
//       CHECK:     %[[REST:.*]] = arith.addf %[[MINUS]], %[[ONE]]
//       CHECK:     %[[SLOPE:.*]] = arith.mulf %[[PART]], %[[REST]]
//       CHECK:     arith.select %[[IS_LESS]], %[[ZERO]], %[[SLOPE]]
func.func @logistic(%g: !rgnn.graph<@s>, %x: tensor<?x4xf32, #rgnn.rows<node, @s>>) -> tensor<?x4xf32, #rgnn.rows<node, @s>> {
  %y = rgnn.map %x : (tensor<?x4xf32, #rgnn.rows<node, @s>>) -> tensor<?x4xf32, #rgnn.rows<node, @s>> {
  ^bb0(%a: f32):
    %least = arith.constant -87.0 : f32
    %one = arith.constant 1.0 : f32
    %is_less = arith.cmpf olt, %a, %least : f32
    %bound = arith.select %is_less, %least, %a : f32
    %minus = arith.negf %bound : f32
    %power = math.exp %minus : f32
    %sum = arith.addf %one, %power : f32
    %0 = arith.divf %one, %sum : f32
    rgnn.yield %0 : f32
  }
  return %y : tensor<?x4xf32, #rgnn.rows<node, @s>>
}

// CHECK-LABEL: func.func @other_backward(
//       CHECK:     %[[POWER:.*]] = math.exp
//       CHECK:     arith.mulf %{{.*}}, %[[POWER]]
func.func @other(%g: !rgnn.graph<@s>, %x: tensor<?x4xf32, #rgnn.rows<node, @s>>) -> tensor<?x4xf32, #rgnn.rows<node, @s>> {
  %y = rgnn.map %x : (tensor<?x4xf32, #rgnn.rows<node, @s>>) -> tensor<?x4xf32, #rgnn.rows<node, @s>> {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %a : f32
    %power = math.exp %minus : f32
    %sum = arith.addf %one, %power : f32
    %0 = arith.divf %one, %sum : f32
    rgnn.yield %0 : f32
  }
  return %y : tensor<?x4xf32, #rgnn.rows<node, @s>>
}

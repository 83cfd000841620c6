// RUN: rgnn-opt %s --rgnn-aggregate-first | FileCheck %s

// Rows of a number, which no product makes, and no operand.

#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(1)

// CHECK-LABEL: func @number
//       CHECK:   rgnn.reduce sum dst
func.func @number(%g: !rgnn.graph<@g0>) -> tensor<?x4xf32, #rgnn.rows<node, @g0>> {
  %0 = rgnn.map  : () -> tensor<?x4xf32, #edge> {
    %one = arith.constant 1.0 : f32
    rgnn.yield %one : f32
  }
  %1 = rgnn.reduce sum dst %0 in %g : tensor<?x4xf32, #edge>
  return %1 : tensor<?x4xf32, #rgnn.rows<node, @g0>>
}

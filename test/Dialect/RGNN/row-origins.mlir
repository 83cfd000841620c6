// RUN: rgnn-opt %s --test-print-row-origins -o /dev/null | FileCheck %s

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 edge_types(3)

// An op on rows of edges can be computed where all of its operands can.
// CHECK-LABEL: rows on edges of @ends
//  CHECK-NEXT:   rgnn.gather: src, src_pair
//  CHECK-NEXT:   rgnn.gather: dst, dst_pair
//  CHECK-NEXT:   rgnn.map: of the edge alone
//  CHECK-NEXT:   rgnn.map: src, src_pair
func.func @ends(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) -> (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) {
  %src = rgnn.gather src %x in %g : tensor<?x4xf32, #node>
  %dst = rgnn.gather dst %x in %g : tensor<?x4xf32, #node>
  %both = rgnn.map %src, %dst : (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    rgnn.yield %sum : f32
  }
  %one = rgnn.map %src : (tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%a: f32):
    %twice = arith.addf %a, %a : f32
    rgnn.yield %twice : f32
  }
  return %both, %one : tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>
}

// A product by edge type needs the type, too; a sum for nodes starts anew.
// CHECK-LABEL: rows on edges of @types
//  CHECK-NEXT:   rgnn.gather: src, src_pair
//  CHECK-NEXT:   rgnn.typed_linear: src_pair
//  CHECK-NEXT:   rgnn.gather: dst, dst_pair
func.func @types(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %w: tensor<3x4x2xf32>) -> tensor<?x2xf32, #edge> {
  %src = rgnn.gather src %x in %g : tensor<?x4xf32, #node>
  %product = rgnn.typed_linear %src, %w by etype in %g : tensor<?x4xf32, #edge>, tensor<3x4x2xf32>
  %sum = rgnn.reduce sum dst %product in %g : tensor<?x2xf32, #edge>
  %dst = rgnn.gather dst %sum in %g : tensor<?x2xf32, #node>
  return %dst : tensor<?x2xf32, #edge>
}

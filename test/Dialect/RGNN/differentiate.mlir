// RUN: rgnn-opt %s --rgnn-differentiate --canonicalize --cse | FileCheck %s
// RUN: rgnn-opt %s --rgnn-differentiate --remarks-filter-analyse=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS
// RUN: rgnn-opt %s --rgnn-differentiate=arguments=2 --canonicalize --cse | FileCheck %s --check-prefix=WEIGHT

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>

rgnn.schema @g0 edge_types(3)

// COUNTS: Function=message | num-gradients=2, num-saved=0
// COUNTS: Function=attention | num-gradients=2, num-saved=1

// The gathered rows are gathered again; nothing else of the forward is needed.
// CHECK-LABEL: func.func @message(
//  CHECK-SAME:   -> tensor<?x8xf32, #rgnn.rows<edge, @g0>> {
//       CHECK: func.func @message_backward(
//  CHECK-SAME:   %[[G:[a-z0-9]*]]: !rgnn.graph<@g0> {rgnn.argument = 0 : i64},
//  CHECK-SAME:   %[[X:[a-z0-9]*]]: tensor<?x4xf32, #rgnn.rows<node, @g0>> {rgnn.argument = 1 : i64},
//  CHECK-SAME:   %[[W:[a-z0-9]*]]: tensor<3x4x8xf32> {rgnn.argument = 2 : i64},
//  CHECK-SAME:   %[[DY:[a-z0-9]*]]: tensor<?x8xf32, #rgnn.rows<edge, @g0>> {rgnn.gradient_of_result = 0 : i64})
//  CHECK-SAME:   -> (tensor<?x4xf32, #rgnn.rows<node, @g0>> {rgnn.gradient_of_argument = 1 : i64}, tensor<3x4x8xf32> {rgnn.gradient_of_argument = 2 : i64})
//   CHECK-DAG:   %[[U:.*]] = rgnn.gather src %[[X]]
//   CHECK-DAG:   %[[T:.*]] = rgnn.permute %[[W]] [0, 2, 1]
//   CHECK-DAG:   %[[DU:.*]] = rgnn.typed_linear %[[DY]], %[[T]] by etype
//   CHECK-DAG:   %[[DW:.*]] = rgnn.typed_outer_sum %[[U]], %[[DY]] by etype
//   CHECK-DAG:   %[[DX:.*]] = rgnn.reduce sum src %[[DU]]
//       CHECK:   return %[[DX]], %[[DW]]
// Nothing is computed for the rows if only the weight's gradient is asked for.
// WEIGHT-LABEL: func.func @message_backward(
//   WEIGHT-NOT:   rgnn.typed_linear
//       WEIGHT:   %[[DW:.*]] = rgnn.typed_outer_sum
//       WEIGHT:   return %[[DW]]
func.func @message(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>, %w: tensor<3x4x8xf32>) -> tensor<?x8xf32, #edge> {
  %u = rgnn.gather src %x in %g : tensor<?x4xf32, #node>
  %y = rgnn.typed_linear %u, %w by etype in %g : tensor<?x4xf32, #edge>, tensor<3x4x8xf32>
  return %y : tensor<?x8xf32, #edge>
}

// The softmax is saved; its logits, which are cheap, would be computed again, but are not needed.
// CHECK-LABEL: func.func @attention(
//  CHECK-SAME:   -> (tensor<?x2xf32, #rgnn.rows<edge, @g0>>, tensor<?x2xf32, #rgnn.rows<edge, @g0>> {rgnn.saved}) {
//       CHECK:   %[[A:.*]] = rgnn.group_softmax dst
//       CHECK:   return %{{.*}}, %[[A]]
//       CHECK: func.func @attention_backward(
//  CHECK-SAME:   %{{[a-z0-9]*}}: tensor<?x2xf32, #rgnn.rows<edge, @g0>> {rgnn.argument = 2 : i64},
//  CHECK-SAME:   %{{[a-z0-9]*}}: tensor<?x2xf32, #rgnn.rows<edge, @g0>> {rgnn.gradient_of_result = 0 : i64},
//  CHECK-SAME:   %[[A:[a-z0-9]*]]: tensor<?x2xf32, #rgnn.rows<edge, @g0>> {rgnn.result = 1 : i64})
//   CHECK-NOT:   rgnn.group_softmax
//       CHECK:   %[[S:.*]] = rgnn.reduce sum dst
//       CHECK:   rgnn.gather dst %[[S]]
func.func @attention(%w: tensor<3x4x8xf32>, %g: !rgnn.graph<@g0>, %s: tensor<?x2xf32, #edge>) -> tensor<?x2xf32, #edge> {
  %a = rgnn.group_softmax dst %s in %g : tensor<?x2xf32, #edge>
  %y = rgnn.map %a, %s : (tensor<?x2xf32, #edge>, tensor<?x2xf32, #edge>) -> tensor<?x2xf32, #edge> {
  ^bb0(%b: f32, %c: f32):
    %p = arith.mulf %b, %c : f32
    rgnn.yield %p : f32
  }
  return %y : tensor<?x2xf32, #edge>
}

// What is returned twice has two gradients, which are added as rows.
// CHECK-LABEL: func.func @returned_twice_backward(
//   CHECK-DAG:   %[[A:.*]] = rgnn.place %{{[a-z0-9]+}} in
//   CHECK-DAG:   %[[B:.*]] = rgnn.place %{{[a-z0-9]+}} in
//       CHECK:   rgnn.map {{.*}}#rgnn.rows<node, @g0>>, {{.*}}#rgnn.rows<node, @g0>>)
//       CHECK:   arith.addf
//       CHECK:   return
func.func @returned_twice(%w: tensor<2xf32>, %g: !rgnn.graph<@g0>, %x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %h = rgnn.place %x in %g : tensor<?x4xf32> -> tensor<?x4xf32, #node>
  %y = rgnn.map %h : (tensor<?x4xf32, #node>) -> tensor<?x4xf32, #node> {
  ^bb0(%a: f32):
    %r = arith.negf %a : f32
    rgnn.yield %r : f32
  }
  %p = rgnn.unplace %y : tensor<?x4xf32, #node>
  return %p, %p : tensor<?x4xf32>, tensor<?x4xf32>
}

// Private functions stay alone.
// CHECK-NOT: @helper_backward
func.func private @helper(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// Parts of one operand are added in one map.
// CHECK-LABEL: func.func @repeated_backward(
//   CHECK-DAG:   %[[A:.*]] = rgnn.slice %[[DY:.*]] dim 0 from 0 size 1
//   CHECK-DAG:   %[[B:.*]] = rgnn.slice %[[DY]] dim 0 from 1 size 1
//   CHECK-DAG:   %[[C:.*]] = rgnn.slice %[[DY]] dim 0 from 2 size 1
//   CHECK-DAG:   %[[D:.*]] = rgnn.slice %[[DY]] dim 0 from 3 size 1
//       CHECK:   %[[S:.*]] = rgnn.map %[[A]], %[[C]], %[[D]]
//   CHECK-NOT:   rgnn.map
//       CHECK:   return %[[S]], %[[B]]
func.func @repeated(%a: tensor<1x2xf32>, %b: tensor<1x2xf32>, %c: tensor<1x2xf32>) -> tensor<5x2xf32> {
  %0 = rgnn.concat %a, %b, %a, %a, %c dim 0 : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>
  return %0 : tensor<5x2xf32>
}

// RUN: rgnn-opt %s --rgnn-scale-rows | FileCheck %s
// RUN: rgnn-opt %s --rgnn-scale-rows --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: %check_numeric %s --rgnn-scale-rows
// RUN: rgnn-translate --rgnn-check-gpu --entry=pairs --seeds=4 %s | FileCheck %s --check-prefix=GPU

// In the backward rows of one number are gradients of scores.
// RUN: sed s/f32/f64/g %s | rgnn-opt --rgnn-scale-rows | rgnn-translate --rgnn-check-gradient --seeds=4 | FileCheck %s --check-prefix=GRADIENT
// RUN: rgnn-opt %s --rgnn-differentiate --canonicalize --cse -o %t.mlir
// RUN: rgnn-opt %t.mlir --rgnn-scale-rows -o %t.scaled.mlir
// RUN: FileCheck %s --check-prefix=BACKWARD --input-file=%t.scaled.mlir
// RUN: %check_numeric %t.mlir --rgnn-scale-rows | FileCheck %s --check-prefix=EQUAL
// RUN: rgnn-translate --rgnn-check-compiled --seeds=2 %t.scaled.mlir | FileCheck %s --check-prefix=COMPILED
// GRADIENT-COUNT-4: gradients agree on 4 seeds
// EQUAL-COUNT-8: equivalent on 16 seeds
// COMPILED-COUNT-8: compiled code agrees on 2 seeds

#edge = #rgnn.rows<edge, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 node_types(2) edge_types(3)

// The sums of edges, and of what is scaled, without a GEMM between them.
// GPU: @pairs: GPU kernels agree on 4 seeds, 2 launches

// Each number of a row times those of the weight of its type and head.
// COUNT: Function=pairs | num-scaled=1
// CHECK-LABEL: func @pairs
//  CHECK-SAME: %[[G:[a-z0-9]+]]: !rgnn.graph<@g0>, %[[X:[a-z0-9]+]]: tensor<?x2xf32, #{{.*}}>, %[[W:[a-z0-9]+]]: tensor<3x2x1x8xf32>
//       CHECK: %[[S:.*]] = rgnn.reduce sum dst_pair
//       CHECK: %[[R:.*]] = rgnn.reshape %[[S]]
//       CHECK: %[[F:.*]] = rgnn.reshape %[[W]] : tensor<3x2x1x8xf32> -> tensor<3x2x8xf32>
//       CHECK: %[[P:.*]] = rgnn.place %[[F]] in %[[G]]
//       CHECK: %[[T:.*]] = rgnn.gather etype %[[P]] in %[[G]] to dst_pair
//       CHECK: rgnn.map %[[R]], %[[T]]
//       CHECK:   arith.mulf
//   CHECK-NOT: rgnn.typed_linear
func.func @pairs(%g: !rgnn.graph<@g0>, %x: tensor<?x2xf32, #edge>, %w: tensor<3x2x1x8xf32>) -> tensor<?x2x8xf32, #node> {
  %s = rgnn.reduce sum dst_pair %x in %g : tensor<?x2xf32, #edge>
  %r = rgnn.reshape %s : tensor<?x2xf32, #dst_pair> -> tensor<?x2x1xf32, #dst_pair>
  %y = rgnn.typed_linear %r, %w by etype in %g : tensor<?x2x1xf32, #dst_pair>, tensor<3x2x1x8xf32>
  %n = rgnn.reduce sum dst %y in %g : tensor<?x2x8xf32, #dst_pair>
  return %n : tensor<?x2x8xf32, #node>
}

// By node types, without heads.
// CHECK-LABEL: func @nodes
//       CHECK: rgnn.gather ntype %{{.*}} to node
//   CHECK-NOT: rgnn.typed_linear
func.func @nodes(%g: !rgnn.graph<@g0>, %x: tensor<?x1xf32, #node>, %w: tensor<2x1x8xf32>) -> tensor<?x8xf32, #node> {
  %y = rgnn.typed_linear %x, %w by ntype in %g : tensor<?x1xf32, #node>, tensor<2x1x8xf32>
  return %y : tensor<?x8xf32, #node>
}

// Rows of two numbers are multiplied.
// CHECK-LABEL: func @two_numbers
//       CHECK: rgnn.typed_linear
func.func @two_numbers(%g: !rgnn.graph<@g0>, %x: tensor<?x2xf32, #edge>, %w: tensor<3x2x8xf32>) -> tensor<?x8xf32, #edge> {
  %y = rgnn.typed_linear %x, %w by etype in %g : tensor<?x2xf32, #edge>, tensor<3x2x8xf32>
  return %y : tensor<?x8xf32, #edge>
}

// A product makes a score of eight numbers; its gradient scales the weight of the type.
// CHECK-LABEL: func @scores
//       CHECK: rgnn.typed_linear
// BACKWARD-LABEL: func.func @scores_backward
//       BACKWARD: rgnn.gather etype
//       BACKWARD: rgnn.map
//       BACKWARD:   arith.mulf
//   BACKWARD-NOT: rgnn.typed_linear
func.func @scores(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>, %w: tensor<3x8x1xf32>) -> tensor<?x1xf32, #edge> {
  %y = rgnn.typed_linear %x, %w by etype in %g : tensor<?x8xf32, #edge>, tensor<3x8x1xf32>
  return %y : tensor<?x1xf32, #edge>
}

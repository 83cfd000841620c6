// RUN: rgnn-opt %s --rgnn-scale-rows | FileCheck %s
// RUN: rgnn-opt %s --rgnn-scale-rows --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: %check_numeric %s --rgnn-scale-rows
// RUN: rgnn-translate --rgnn-check-gpu --entry=pairs --seeds=4 %s | FileCheck %s --check-prefix=GPU

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

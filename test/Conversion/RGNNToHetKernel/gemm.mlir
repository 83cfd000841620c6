// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --canonicalize --cse --split-input-file | FileCheck %s

#src_pair = #rgnn.rows<src_pair, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// Once for each (source, type): pairs are numbered by type, so that only their sources are a list. Once for each
// (destination, type): rows are runs, which a list brings in the order of types.

// CHECK-LABEL: func @pairs
// CHECK-SAME:    %{{.*}}, %[[H:[a-z0-9]+]]: tensor<?x8xf32>{{.*}}
// CHECK-DAG:   %[[SRC:.*]] = hetkernel.view src_pair_node of
// CHECK-DAG:   %[[SRC_TILES:.*]] = hetkernel.view src_pair_tiles 96 of
// CHECK-DAG:   hetkernel.gemm x(%[[H]] gather %[[SRC]] : {{.*}}) weight({{.*}}) tiles(%[[SRC_TILES]] : {{.*}}) outs(%{{[a-z0-9]+}} : tensor<?x4xf32>) ->
// CHECK-DAG:   %[[DST:.*]] = hetkernel.view dst_pair_node of
// CHECK-DAG:   %[[DST_TILES:.*]] = hetkernel.view dst_pair_tiles 96 of
// CHECK-DAG:   %[[RUNS:.*]] = hetkernel.view dst_pair_runs of
// CHECK-DAG:   hetkernel.gemm x(%[[H]] gather %[[DST]] : {{.*}}) weight({{.*}}) tiles(%[[DST_TILES]] : {{.*}}) outs(%{{[a-z0-9]+}} scatter %[[RUNS]] :
// CHECK:       hetkernel.traverse
func.func @pairs(%g: !rgnn.graph<@g0>, %h: tensor<?x8xf32, #node>, %w: tensor<3x8x4xf32>) -> tensor<?x4xf32, #node> {
  %u = rgnn.gather src %h in %g to src_pair : tensor<?x8xf32, #node>
  %v = rgnn.gather dst %h in %g to dst_pair : tensor<?x8xf32, #node>
  %zu = rgnn.typed_linear %u, %w by etype in %g : tensor<?x8xf32, #src_pair>, tensor<3x8x4xf32>
  %zv = rgnn.typed_linear %v, %w by etype in %g : tensor<?x8xf32, #dst_pair>, tensor<3x8x4xf32>
  %eu = rgnn.gather src_pair %zu in %g : tensor<?x4xf32, #src_pair>
  %ev = rgnn.gather dst_pair %zv in %g : tensor<?x4xf32, #dst_pair>
  %m = rgnn.map %eu, %ev : (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #edge> {
  ^bb0(%x: f32, %y: f32):
    %q = arith.mulf %x, %y : f32
    rgnn.yield %q : f32
  }
  %s = rgnn.reduce sum dst %m in %g : tensor<?x4xf32, #edge>
  return %s : tensor<?x4xf32, #node>
}

// -----

#edge = #rgnn.rows<edge, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// Aggregation before the product: as many rows as pairs, not as edges.

// CHECK-LABEL: func @aggregate_first
// CHECK:       %[[SUMS:.*]] = hetkernel.traverse rows(%{{.*}}) segments(
// CHECK:       %[[RUNS:.*]] = hetkernel.view dst_pair_runs of
// CHECK:       %[[Z:.*]] = hetkernel.gemm x(%[[SUMS]] gather %[[RUNS]] {{.*}} tiles({{.*}} scatter %[[RUNS]]
// CHECK:       %[[FIRST:.*]] = hetkernel.view dst_pair_dst_offsets of
// CHECK:       hetkernel.traverse rows(%{{.*}}) segments(%[[FIRST]]
// CHECK:         hetkernel.row %[[Z]]
func.func @aggregate_first(%g: !rgnn.graph<@g0>, %h: tensor<?x8xf32, #node>, %w: tensor<3x8x4xf32>) -> tensor<?x4xf32, #node> {
  %u = rgnn.gather src %h in %g : tensor<?x8xf32, #node>
  %p = rgnn.reduce mean dst_pair %u in %g : tensor<?x8xf32, #edge>
  %z = rgnn.typed_linear %p, %w by etype in %g : tensor<?x8xf32, #dst_pair>, tensor<3x8x4xf32>
  %s = rgnn.reduce sum dst %z in %g : tensor<?x4xf32, #dst_pair>
  return %s : tensor<?x4xf32, #node>
}

// -----

#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// One matrix for all heads is repeated for them.

// CHECK-LABEL: func @heads
// CHECK-SAME:    %{{.*}}, %[[X:[a-z0-9]+]]: tensor<?x2x8xf32>{{.*}}, %[[W:[a-z0-9]+]]: tensor<4x8xf32>)
// CHECK:       %[[ALL:.*]] = linalg.broadcast ins(%[[W]] : tensor<4x8xf32>) outs(%{{.*}} : tensor<2x4x8xf32>) dimensions = [0]
// CHECK:       hetkernel.gemm x(%[[X]] : tensor<?x2x8xf32>) weight(%[[ALL]] transposed : tensor<2x4x8xf32>)
func.func @heads(%g: !rgnn.graph<@g0>, %x: tensor<?x2x8xf32, #node>, %w: tensor<4x8xf32>) -> tensor<?x2x4xf32, #node> {
  %y = rgnn.linear %x, %w transposed : tensor<?x2x8xf32, #node>, tensor<4x8xf32>
  return %y : tensor<?x2x4xf32, #node>
}

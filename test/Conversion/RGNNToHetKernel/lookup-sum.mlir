// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --canonicalize --cse --split-input-file | FileCheck %s

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

// Each row of the table sums its own edges; of gathered rows, those that edges lead to are read.

// CHECK-LABEL: func @of_sources
// CHECK-SAME:    %{{.*}}, %[[X:[a-z0-9]+]]: tensor<?x4xf32>
// CHECK-DAG:   %[[ROWS:.*]] = arith.constant 27 : index
// CHECK-DAG:   %[[OFFSETS:.*]] = hetkernel.view src_table_offsets of
// CHECK-DAG:   %[[EDGES:.*]] = hetkernel.view src_pair_edges of
// CHECK-DAG:   %[[DST:.*]] = hetkernel.view dst_of_edge of
// CHECK:       %[[T:.*]] = hetkernel.traverse rows(%[[ROWS]]) segments(%[[OFFSETS]] : tensor<?xi32>) outs(%{{.*}} : tensor<27x4xf32>)
// CHECK:         %[[S:.*]] = hetkernel.for_each %{{.*}} init(%{{.*}} : vector<4xf32>) {
// CHECK-NEXT:    ^bb0(%[[SLOT:.*]]: index, %[[BEFORE:.*]]: vector<4xf32>):
// CHECK-NEXT:      %[[E:.*]] = hetkernel.lookup %[[EDGES]][%[[SLOT]]]
// CHECK-NEXT:      %[[V:.*]] = hetkernel.lookup %[[DST]][%[[E]]]
// CHECK-NEXT:      %[[ROW:.*]] = hetkernel.row %[[X]][%[[V]]]
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addf %[[BEFORE]], %[[ROW]]
// CHECK-NEXT:      hetkernel.yield %[[NEXT]]
// CHECK:         hetkernel.yield %[[S]]
// CHECK:       %[[TABLE:.*]] = tensor.expand_shape %[[T]] {{\[\[}}0, 1], [2]] output_shape [3, 9, 4]
// CHECK:       return %[[TABLE]]
func.func @of_sources(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf32, #node>) -> tensor<3x9x4xf32> {
  %m = rgnn.gather dst %x in %g : tensor<?x4xf32, #node>
  %t = rgnn.lookup_sum src %m in %g : tensor<?x4xf32, #edge> -> tensor<3x9x4xf32>
  return %t : tensor<3x9x4xf32>
}

// -----

#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

// Edges by type are in the order of destinations; the caller's are where a list says. Sums of bf16 are rounded once.

// CHECK-LABEL: func @of_destinations
// CHECK-DAG:   hetkernel.view dst_table_offsets of
// CHECK-DAG:   %[[EDGES:.*]] = hetkernel.view etype_edges of
// CHECK-DAG:   %[[ID:.*]] = hetkernel.view edge_id of
// CHECK:       hetkernel.for_each %{{.*}} init(%{{.*}} : vector<4xf32>)
// CHECK:         %[[E:.*]] = hetkernel.lookup %[[EDGES]]
// CHECK:         %[[P:.*]] = hetkernel.lookup %[[ID]][%[[E]]]
// CHECK:         hetkernel.row %{{.*}}[%[[P]]] : tensor<?x4xbf16> -> vector<4xbf16>
// CHECK:         arith.extf
// CHECK:       arith.truncf
// CHECK-NEXT:  hetkernel.yield
func.func @of_destinations(%g: !rgnn.graph<@g0>, %m: tensor<?x4xbf16, #edge>) -> tensor<3x9x4xbf16> {
  %t = rgnn.lookup_sum dst %m in %g : tensor<?x4xbf16, #edge> -> tensor<3x9x4xbf16>
  return %t : tensor<3x9x4xbf16>
}

// -----

#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

// A graph of the caller must have the nodes of the table.

// CHECK-LABEL: func @total
// CHECK-SAME:    !rgnn.graph<@g0> {rgnn.total_nodes = 9 : i64}
func.func @total(%g: !rgnn.graph<@g0>, %t: tensor<3x9x5xf32>, %m: tensor<?x4xf32, #edge>) -> (tensor<?x5xf32, #edge>, tensor<3x9x4xf32>) {
  %0 = rgnn.lookup src %t in %g : (tensor<3x9x5xf32>) -> !rgnn.graph<@g0>
  %1 = rgnn.lookup_sum dst %m in %g : tensor<?x4xf32, #edge> -> tensor<3x9x4xf32>
  return %0, %1 : tensor<?x5xf32, #edge>, tensor<3x9x4xf32>
}

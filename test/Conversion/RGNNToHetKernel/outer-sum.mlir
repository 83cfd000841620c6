// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel --canonicalize --cse --split-input-file | FileCheck %s
// RUN: rgnn-opt %s --convert-rgnn-to-hetkernel=outer-sum-tile-rows=64 --split-input-file | FileCheck %s --check-prefix=SMALL

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
rgnn.schema @g0 edge_types(3)

// By type, in the order of types: gathers of both ends are lists of the kernel, whose tiles are larger than a GEMM's.

// CHECK-LABEL: func @typed
// CHECK-SAME:    %{{.*}}, %[[X:[a-z0-9]+]]: tensor<?x8xf32>{{.*}}, %[[Y:[a-z0-9]+]]: tensor<?x4xf32>{{.*}}, %[[M:[a-z0-9]+]]: tensor<?x4xf32>
// CHECK-DAG:   %[[SRC:.*]] = hetkernel.view etype_src of
// CHECK-DAG:   %[[DST:.*]] = hetkernel.view etype_dst of
// CHECK-DAG:   %[[TILES:.*]] = hetkernel.view etype_tiles 1024 of
// CHECK:       hetkernel.outer_sum x(%[[X]] gather %[[SRC]] : {{.*}}) y(%[[Y]] gather %[[DST]] : {{.*}}) tiles(%[[TILES]] : tensor<?x3xi32>) outs(%{{.*}} : tensor<3x8x4xf32>)
// CHECK:       %[[ID:.*]] = hetkernel.view etype_edge_id of
// CHECK:       hetkernel.outer_sum x(%[[X]] gather %[[SRC]] : {{.*}}) y(%[[M]] gather %[[ID]] : {{.*}}) tiles(%[[TILES]] : tensor<?x3xi32>)
// SMALL-LABEL: func @typed
// SMALL:       hetkernel.view etype_tiles 64 of
func.func @typed(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %y: tensor<?x4xf32, #node>, %m: tensor<?x4xf32, #edge>)
    -> (tensor<3x8x4xf32>, tensor<3x8x4xf32>) {
  %u = rgnn.gather src %x in %g : tensor<?x8xf32, #node>
  %v = rgnn.gather dst %y in %g : tensor<?x4xf32, #node>
  %0 = rgnn.typed_outer_sum %u, %v by etype in %g : tensor<?x8xf32, #edge>, tensor<?x4xf32, #edge> -> tensor<3x8x4xf32>
  %1 = rgnn.typed_outer_sum %u, %m by etype in %g : tensor<?x8xf32, #edge>, tensor<?x4xf32, #edge> -> tensor<3x8x4xf32>
  return %0, %1 : tensor<3x8x4xf32>, tensor<3x8x4xf32>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

// Rows in one order need no lists, whatever the order is.

// CHECK-LABEL: func @one_order
// CHECK-NOT:   hetkernel.view
// CHECK:       hetkernel.outer_sum x(%[[M:.*]] : tensor<?x4xf32>) y(%[[M]] : tensor<?x4xf32>) outs(%{{.*}} : tensor<4x4xf32>)
// CHECK:       hetkernel.outer_sum y(%[[M]] : tensor<?x4xf32>) outs(%{{.*}} : tensor<4xf32>)
func.func @one_order(%g: !rgnn.graph<@g0>, %m: tensor<?x4xf32, #edge>) -> (tensor<4x4xf32>, tensor<4xf32>) {
  %0 = rgnn.outer_sum %m, %m : tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>
  %1 = rgnn.sum_rows %m : tensor<?x4xf32, #edge>
  return %0, %1 : tensor<4x4xf32>, tensor<4xf32>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

// Edges by their numbers: the caller's are where a list says.

// CHECK-LABEL: func @two_orders
// CHECK-SAME:    %{{.*}}, %[[X:[a-z0-9]+]]: tensor<?x8xf32>{{.*}}, %[[M:[a-z0-9]+]]: tensor<?x4xf32>
// CHECK-DAG:   %[[SRC:.*]] = hetkernel.view src_of_edge of
// CHECK-DAG:   %[[ID:.*]] = hetkernel.view edge_id of
// CHECK:       hetkernel.outer_sum x(%[[X]] gather %[[SRC]] : {{.*}}) y(%[[M]] gather %[[ID]] : {{.*}}) outs(%{{.*}} : tensor<8x4xf32>)
func.func @two_orders(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %m: tensor<?x4xf32, #edge>) -> tensor<8x4xf32> {
  %u = rgnn.gather src %x in %g : tensor<?x8xf32, #node>
  %0 = rgnn.outer_sum %u, %m : tensor<?x8xf32, #edge>, tensor<?x4xf32, #edge>
  return %0 : tensor<8x4xf32>
}

// -----

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

// Heads that share a matrix become rows, after a traversal has gathered them and numbered the caller's.

// CHECK-LABEL: func @heads
// CHECK-SAME:    %{{.*}}, %[[X:[a-z0-9]+]]: tensor<?x2x8xf32>{{.*}}, %[[M:[a-z0-9]+]]: tensor<?x2x4xf32>
// CHECK:       %[[U:.*]] = hetkernel.traverse
// CHECK:         hetkernel.row %[[X]]
// CHECK:       %[[V:.*]] = hetkernel.traverse
// CHECK:         hetkernel.row %[[M]]
// CHECK-DAG:   %[[UROWS:.*]] = tensor.collapse_shape %[[U]] {{\[}}[0, 1], [2]] : tensor<?x2x8xf32> into tensor<?x8xf32>
// CHECK-DAG:   %[[VROWS:.*]] = tensor.collapse_shape %[[V]] {{\[}}[0, 1], [2]] : tensor<?x2x4xf32> into tensor<?x4xf32>
// CHECK:       hetkernel.outer_sum x(%[[UROWS]] : {{.*}}) y(%[[VROWS]] : {{.*}}) outs(%{{.*}} : tensor<8x4xf32>)
func.func @heads(%g: !rgnn.graph<@g0>, %x: tensor<?x2x8xf32, #node>, %m: tensor<?x2x4xf32, #edge>) -> tensor<8x4xf32> {
  %u = rgnn.gather src %x in %g : tensor<?x2x8xf32, #node>
  %0 = rgnn.outer_sum %u, %m : tensor<?x2x8xf32, #edge>, tensor<?x2x4xf32, #edge>
  return %0 : tensor<8x4xf32>
}

// -----

#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// A row of any shape is summed as one of features.

// CHECK-LABEL: func @sum_rows
// CHECK-SAME:    %{{.*}}, %[[X:[a-z0-9]+]]: tensor<?x2x4xf32>{{.*}}, %[[S:[a-z0-9]+]]: tensor<?xf32>
// CHECK:       %[[ROWS:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0], [1, 2]] : tensor<?x2x4xf32> into tensor<?x8xf32>
// CHECK:       %[[SUM:.*]] = hetkernel.outer_sum y(%[[ROWS]] : tensor<?x8xf32>) outs(%{{.*}} : tensor<8xf32>)
// CHECK:       tensor.expand_shape %[[SUM]] {{\[}}[0, 1]] output_shape [2, 4]
// CHECK:       %[[NUMBERS:.*]] = tensor.expand_shape %[[S]] {{\[}}[0, 1]] {{.*}} into tensor<?x1xf32>
// CHECK:       %[[NUMBER:.*]] = hetkernel.outer_sum y(%[[NUMBERS]] : tensor<?x1xf32>) outs(%{{.*}} : tensor<1xf32>)
// CHECK:       tensor.collapse_shape %[[NUMBER]] [] : tensor<1xf32> into tensor<f32>
func.func @sum_rows(%g: !rgnn.graph<@g0>, %x: tensor<?x2x4xf32, #node>, %s: tensor<?xf32, #node>) -> (tensor<2x4xf32>, tensor<f32>) {
  %0 = rgnn.sum_rows %x : tensor<?x2x4xf32, #node>
  %1 = rgnn.sum_rows %s : tensor<?xf32, #node>
  return %0, %1 : tensor<2x4xf32>, tensor<f32>
}

// -----

#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// A column is summed as a row.

// CHECK-LABEL: func @column
// CHECK-SAME:    %{{.*}}, %[[X:[a-z0-9]+]]: tensor<?x8xf32>{{.*}}, %[[Y:[a-z0-9]+]]: tensor<?x1xf32>
// CHECK:       %[[SUM:.*]] = hetkernel.outer_sum x(%[[Y]] : tensor<?x1xf32>) y(%[[X]] : tensor<?x8xf32>) outs(%{{.*}} : tensor<1x8xf32>)
// CHECK:       %[[LINE:.*]] = tensor.collapse_shape %[[SUM]]
// CHECK:       tensor.expand_shape %[[LINE]] {{.*}} into tensor<8x1xf32>
func.func @column(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #node>, %y: tensor<?x1xf32, #node>) -> tensor<8x1xf32> {
  %0 = rgnn.outer_sum %x, %y : tensor<?x8xf32, #node>, tensor<?x1xf32, #node>
  return %0 : tensor<8x1xf32>
}

// -----

#node = #rgnn.rows<node, @g0>
#ntype = #rgnn.rows<ntype, @g0>
#src_pair = #rgnn.rows<src_pair, @g0>
#etype = #rgnn.rows<etype, @g0>
rgnn.schema @g0 node_types(2)

// Sums of rows that follow each other by type are split over rows, too. How many types there are, the graph says.

// CHECK-LABEL: func @sums_by_type
//  CHECK-SAME:   %[[H:[a-z0-9]+]]: tensor<?x2x4xf32>{{.*}}, %[[P:[a-z0-9]+]]: tensor<?x8xf32>
//   CHECK-DAG:   %[[TILES:.*]] = hetkernel.view ntype_tiles 1024 of
//   CHECK-DAG:   %[[ROWS:.*]] = tensor.collapse_shape %[[H]]
//       CHECK:   %[[NTYPES:.*]] = hetkernel.size node_type_count of
//       CHECK:   %[[OUT:.*]] = tensor.empty(%[[NTYPES]]) : tensor<?x8xf32>
//       CHECK:   hetkernel.outer_sum y(%[[ROWS]] : tensor<?x8xf32>) tiles(%[[TILES]] : tensor<?x3xi32>) outs(%[[OUT]] : tensor<?x8xf32>)
//       CHECK:   %[[TYPES:.*]] = hetkernel.size edge_type_count of
//       CHECK:   tensor.empty(%[[TYPES]]) : tensor<?x8xf32>
//       CHECK:   hetkernel.outer_sum y(%{{.*}} : tensor<?x8xf32>) tiles(%{{.*}} : tensor<?x3xi32>) outs(%{{.*}} : tensor<?x8xf32>)
func.func @sums_by_type(%g: !rgnn.graph<@g0>, %h: tensor<?x2x4xf32, #node>, %p: tensor<?x8xf32, #src_pair>)
    -> (tensor<2x2x4xf32, #ntype>, tensor<?x8xf32, #etype>) {
  %0 = rgnn.reduce sum ntype %h in %g : tensor<?x2x4xf32, #node>
  %1 = tensor.cast %0 : tensor<?x2x4xf32, #ntype> to tensor<2x2x4xf32, #ntype>
  %2 = rgnn.reduce sum etype %p in %g : tensor<?x8xf32, #src_pair>
  return %1, %2 : tensor<2x2x4xf32, #ntype>, tensor<?x8xf32, #etype>
}

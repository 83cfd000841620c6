// Biases, heads and slices between two products.

// RUN: rgnn-opt %s --rgnn-reorder-linear --canonicalize --cse | FileCheck %s
// RUN: %check_numeric %s --rgnn-reorder-linear
// RUN: rgnn-opt %s --rgnn-reorder-linear --mlir-disable-threading --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: rgnn-opt %s --rgnn-reorder-linear | rgnn-translate --rgnn-check-gradient --seeds=4 | FileCheck %s --check-prefix=GRADIENT
// RUN: rgnn-translate --rgnn-check-compiled %s | FileCheck %s --check-prefix=COMPILED
// RUN: rgnn-opt %s --rgnn-reorder-linear --rgnn-differentiate -o %t.mlir
// RUN: rgnn-translate --rgnn-check-compiled --seeds=4 %t.mlir | FileCheck %s --check-prefix=BACKWARD

#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#etype = #rgnn.rows<etype, @g0>
#ntype = #rgnn.rows<ntype, @g0>

rgnn.schema @g0 node_types(2) edge_types(3) src_types([0, 1, 1]) dst_types([1, 0, 1])

// The bias is multiplied once and added to fewer columns.
// CHECK-LABEL: func @bias(
//  CHECK-SAME:   %[[G:.*]]: !rgnn.graph<@g0>, %[[X:.*]]: tensor<?x6xf64, {{.*}}>, %[[W:.*]]: tensor<6x6xf64>, %[[B:.*]]: tensor<6xf64>, %[[V:.*]]: tensor<6x2xf64>
//   CHECK-DAG:   %[[P:.*]] = rgnn.linear %[[W]], %[[V]] : tensor<6x6xf64>, tensor<6x2xf64>
//   CHECK-DAG:   %[[R:.*]] = rgnn.reshape %[[B]] : tensor<6xf64> -> tensor<1x6xf64>
//   CHECK-DAG:   %[[C1:.*]] = rgnn.linear %[[R]], %[[V]] : tensor<1x6xf64>, tensor<6x2xf64>
//   CHECK-DAG:   %[[C:.*]] = rgnn.reshape %[[C1]] : tensor<1x2xf64> -> tensor<2xf64>
//   CHECK-DAG:   %[[Z:.*]] = rgnn.linear %[[X]], %[[P]]
//       CHECK:   %[[Y:.*]] = rgnn.map %[[Z]], %[[C]]
//       CHECK:   return %[[Y]]
// REMARK: Passed{{.*}}Function=bias {{.*}}weights are multiplied first
// GRADIENT: @bias: gradients agree
// COMPILED: @bias: compiled code agrees
// BACKWARD: @bias_backward: compiled code agrees
func.func @bias(%g: !rgnn.graph<@g0>, %x: tensor<?x6xf64, #node>, %w: tensor<6x6xf64>, %b: tensor<6xf64>, %v: tensor<6x2xf64>) -> tensor<?x2xf64, #node> {
  %0 = rgnn.linear %x, %w : tensor<?x6xf64, #node>, tensor<6x6xf64>
  %1 = rgnn.map %0, %b : (tensor<?x6xf64, #node>, tensor<6xf64>) -> tensor<?x6xf64, #node> {
  ^bb0(%i: f64, %j: f64):
    %s = arith.addf %i, %j : f64
    rgnn.yield %s : f64
  }
  %2 = rgnn.linear %1, %v : tensor<?x6xf64, #node>, tensor<6x2xf64>
  return %2 : tensor<?x2xf64, #node>
}

// A bias for each node type and one for each edge type, on both sides of a gather, and a weight for each edge type
// behind them. Both end up by edge type.
// CHECK-LABEL: func @bias_of_types(
// CHECK-COUNT-2: rgnn.matmul %{{.*}} : tensor<3x1x4xf64>, tensor<3x4x2xf64>
//   CHECK-NOT:   rgnn.matmul
//       CHECK:   return
// GRADIENT: @bias_of_types: gradients agree
// COMPILED: @bias_of_types: compiled code agrees
// BACKWARD: @bias_of_types_backward: compiled code agrees
func.func @bias_of_types(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<4x4xf64>, %bn: tensor<2x4xf64>, %be: tensor<3x4xf64>,
                         %v: tensor<3x4x2xf64>) -> tensor<?x2xf64, #edge> {
  %0 = rgnn.linear %x, %w : tensor<?x4xf64, #node>, tensor<4x4xf64>
  %pn = rgnn.place %bn in %g : tensor<2x4xf64> -> tensor<2x4xf64, #ntype>
  %cn = rgnn.gather ntype %pn in %g to node : tensor<2x4xf64, #ntype>
  %1 = rgnn.map %cn, %0 : (tensor<?x4xf64, #node>, tensor<?x4xf64, #node>) -> tensor<?x4xf64, #node> {
  ^bb0(%i: f64, %j: f64):
    %s = arith.addf %i, %j : f64
    rgnn.yield %s : f64
  }
  %2 = rgnn.gather dst %1 in %g : tensor<?x4xf64, #node>
  %pe = rgnn.place %be in %g : tensor<3x4xf64> -> tensor<3x4xf64, #etype>
  %ce = rgnn.gather etype %pe in %g : tensor<3x4xf64, #etype>
  %3 = rgnn.map %2, %ce : (tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%i: f64, %j: f64):
    %s = arith.addf %i, %j : f64
    rgnn.yield %s : f64
  }
  %4 = rgnn.typed_linear %3, %v by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x2xf64>
  return %4 : tensor<?x2xf64, #edge>
}

// A bias by edge type in front of a weight that all edges share.
// CHECK-LABEL: func @bias_by_type(
//       CHECK:   rgnn.linear %{{.*}} : tensor<3x4xf64>, tensor<4x2xf64>
//       CHECK:   rgnn.gather etype
//       CHECK:   rgnn.map
//       CHECK:   return
// GRADIENT: @bias_by_type: gradients agree
// COMPILED: @bias_by_type: compiled code agrees
func.func @bias_by_type(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #edge>, %w: tensor<4x4xf64>, %b: tensor<3x4xf64>, %v: tensor<4x2xf64>) -> tensor<?x2xf64, #edge> {
  %0 = rgnn.linear %x, %w : tensor<?x4xf64, #edge>, tensor<4x4xf64>
  %p = rgnn.place %b in %g : tensor<3x4xf64> -> tensor<3x4xf64, #etype>
  %c = rgnn.gather etype %p in %g : tensor<3x4xf64, #etype>
  %1 = rgnn.map %0, %c : (tensor<?x4xf64, #edge>, tensor<?x4xf64, #edge>) -> tensor<?x4xf64, #edge> {
  ^bb0(%i: f64, %j: f64):
    %s = arith.addf %i, %j : f64
    rgnn.yield %s : f64
  }
  %2 = rgnn.linear %1, %v : tensor<?x4xf64, #edge>, tensor<4x2xf64>
  return %2 : tensor<?x2xf64, #edge>
}

// Columns become two heads, each with a matrix for each type: as many products of matrices. The bias, of the same types
// as the weight, is one row of it more, for a one in each row of nodes.
// CHECK-LABEL: func @heads_of_columns(
//       CHECK:   rgnn.matmul %{{.*}} : tensor<3x2x4x4xf64>, tensor<3x2x4x4xf64>
//       CHECK:   rgnn.typed_linear %{{.*}} : tensor<?x4xf64, {{.*}}>, tensor<3x4x8xf64>
//       CHECK:   rgnn.reshape %{{.*}} -> tensor<?x2x4xf64, #rgnn.rows<edge, @g0>>
//   CHECK-NOT:   rgnn.{{matmul|typed_linear}}
// GRADIENT: @heads_of_columns: gradients agree
// COMPILED: @heads_of_columns: compiled code agrees
// BACKWARD: @heads_of_columns_backward: compiled code agrees
func.func @heads_of_columns(%g: !rgnn.graph<@g0>, %x: tensor<?x3xf64, #node>, %w: tensor<2x3x8xf64>, %b: tensor<2x8xf64>, %v: tensor<3x2x4x4xf64>)
    -> tensor<?x2x4xf64, #edge> {
  %0 = rgnn.typed_linear %x, %w by ntype in %g : tensor<?x3xf64, #node>, tensor<2x3x8xf64>
  %p = rgnn.place %b in %g : tensor<2x8xf64> -> tensor<2x8xf64, #ntype>
  %c = rgnn.gather ntype %p in %g to node : tensor<2x8xf64, #ntype>
  %1 = rgnn.map %0, %c : (tensor<?x8xf64, #node>, tensor<?x8xf64, #node>) -> tensor<?x8xf64, #node> {
  ^bb0(%i: f64, %j: f64):
    %s = arith.addf %i, %j : f64
    rgnn.yield %s : f64
  }
  %2 = rgnn.reshape %1 : tensor<?x8xf64, #node> -> tensor<?x2x4xf64, #node>
  %3 = rgnn.gather src %2 in %g : tensor<?x2x4xf64, #node>
  %4 = rgnn.typed_linear %3, %v by etype in %g : tensor<?x2x4xf64, #edge>, tensor<3x2x4x4xf64>
  return %4 : tensor<?x2x4xf64, #edge>
}

// Rows have heads from the start: of one weight and of one for each type, with a bias that heads share and without.
// CHECK-LABEL: func @heads_of_rows(
//       CHECK:   rgnn.typed_linear %{{.*}} : tensor<?x2x4xf64, {{.*}}>, tensor<3x2x4x2xf64>
//       CHECK:   rgnn.matmul %{{.*}} : tensor<2x1x4xf64>, tensor<2x4x6xf64>
//       CHECK:   rgnn.matmul %{{.*}} : tensor<3x2x4x4xf64>, tensor<3x2x4x2xf64>
//       CHECK:   rgnn.typed_linear %{{.*}} : tensor<?x2x4xf64, {{.*}}>, tensor<3x2x4x2xf64>
//       CHECK:   return
// GRADIENT: @heads_of_rows: gradients agree
// COMPILED: @heads_of_rows: compiled code agrees
// BACKWARD: @heads_of_rows_backward: compiled code agrees
func.func @heads_of_rows(%g: !rgnn.graph<@g0>, %x: tensor<?x2x4xf64, #edge>, %w: tensor<4x4xf64>, %b: tensor<4xf64>, %u: tensor<3x2x4x4xf64>, %v: tensor<3x2x4x2xf64>)
    -> (tensor<?x2x2xf64, #edge>, tensor<?x2x2xf64, #edge>) {
  %0 = rgnn.linear %x, %w : tensor<?x2x4xf64, #edge>, tensor<4x4xf64>
  %1 = rgnn.map %0, %b : (tensor<?x2x4xf64, #edge>, tensor<4xf64>) -> tensor<?x2x4xf64, #edge> {
  ^bb0(%i: f64, %j: f64):
    %s = arith.addf %i, %j : f64
    rgnn.yield %s : f64
  }
  %2 = rgnn.typed_linear %1, %v by etype in %g : tensor<?x2x4xf64, #edge>, tensor<3x2x4x2xf64>
  %3 = rgnn.typed_linear %x, %u by etype in %g : tensor<?x2x4xf64, #edge>, tensor<3x2x4x4xf64>
  %4 = rgnn.typed_linear %3, %v by etype in %g : tensor<?x2x4xf64, #edge>, tensor<3x2x4x2xf64>
  return %2, %4 : tensor<?x2x2xf64, #edge>, tensor<?x2x2xf64, #edge>
}

// Of three slices one is multiplied again; the others get products of their own columns. A slice of all columns that
// another shares is read as all of them.
// CHECK-LABEL: func @columns(
//       CHECK:   %[[WA:.*]] = rgnn.slice %{{.*}} dim 2 from 0 size 4 : tensor<2x6x9xf64>
//       CHECK:   %[[A:.*]] = rgnn.typed_linear %{{.*}}, %[[WA]]
//       CHECK:   rgnn.slice %{{.*}} dim 2 from 4 size 3
//       CHECK:   %[[C:.*]] = rgnn.linear
//       CHECK:   %[[WB:.*]] = rgnn.slice %{{.*}} dim 2 from 7 size 2
//       CHECK:   %[[B:.*]] = rgnn.typed_linear %{{.*}}, %[[WB]]
// REMARK: Passed{{.*}}Function=columns
// REMARK: Missed{{.*}}Function=overlap {{.*}}its rows are also used without the second product
// GRADIENT: @columns: gradients agree
// COMPILED: @columns: compiled code agrees
// BACKWARD: @columns_backward: compiled code agrees
func.func @columns(%g: !rgnn.graph<@g0>, %x: tensor<?x6xf64, #node>, %w: tensor<2x6x9xf64>, %b: tensor<9xf64>, %v: tensor<3x1xf64>)
    -> (tensor<?x4xf64, #node>, tensor<?x1xf64, #node>, tensor<?x2xf64, #node>) {
  %0 = rgnn.typed_linear %x, %w by ntype in %g : tensor<?x6xf64, #node>, tensor<2x6x9xf64>
  %1 = rgnn.map %0, %b : (tensor<?x9xf64, #node>, tensor<9xf64>) -> tensor<?x9xf64, #node> {
  ^bb0(%i: f64, %j: f64):
    %s = arith.addf %i, %j : f64
    rgnn.yield %s : f64
  }
  %a = rgnn.slice %1 dim 1 from 0 size 4 : tensor<?x9xf64, #node>
  %c = rgnn.slice %1 dim 1 from 4 size 3 : tensor<?x9xf64, #node>
  %d = rgnn.linear %c, %v : tensor<?x3xf64, #node>, tensor<3x1xf64>
  %e = rgnn.slice %1 dim 1 from 7 size 2 : tensor<?x9xf64, #node>
  return %a, %d, %e : tensor<?x4xf64, #node>, tensor<?x1xf64, #node>, tensor<?x2xf64, #node>
}

// CHECK-LABEL: func @overlap(
//       CHECK:   rgnn.typed_linear {{.*}} tensor<2x6x9xf64>
//       CHECK:   rgnn.linear
func.func @overlap(%g: !rgnn.graph<@g0>, %x: tensor<?x6xf64, #node>, %w: tensor<2x6x9xf64>, %v: tensor<5x1xf64>)
    -> (tensor<?x5xf64, #node>, tensor<?x1xf64, #node>) {
  %0 = rgnn.typed_linear %x, %w by ntype in %g : tensor<?x6xf64, #node>, tensor<2x6x9xf64>
  %a = rgnn.slice %0 dim 1 from 0 size 5 : tensor<?x9xf64, #node>
  %c = rgnn.slice %0 dim 1 from 4 size 5 : tensor<?x9xf64, #node>
  %d = rgnn.linear %c, %v : tensor<?x5xf64, #node>, tensor<5x1xf64>
  return %a, %d : tensor<?x5xf64, #node>, tensor<?x1xf64, #node>
}

// A narrow row is multiplied twice: by the weight whose rows are read with the bias, and by both weights.
// CHECK-LABEL: func @narrow(
//       CHECK:   rgnn.linear %{{.*}}, tensor<4x8xf64>
//       CHECK:   rgnn.linear %{{.*}}#rgnn.rows{{.*}}, tensor<4x2xf64>
//       CHECK:   return
func.func @narrow(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<4x8xf64>, %b: tensor<8xf64>, %q: tensor<8x2xf64>)
    -> (tensor<?x8xf64, #node>, tensor<?x2xf64, #node>) {
  %z = rgnn.linear %x, %w : tensor<?x4xf64, #node>, tensor<4x8xf64>
  %c = rgnn.map %z, %b : (tensor<?x8xf64, #node>, tensor<8xf64>) -> tensor<?x8xf64, #node> {
  ^bb0(%i: f64, %j: f64):
    %0 = arith.addf %i, %j : f64
    rgnn.yield %0 : f64
  }
  %s = rgnn.linear %c, %q : tensor<?x8xf64, #node>, tensor<8x2xf64>
  return %c, %s : tensor<?x8xf64, #node>, tensor<?x2xf64, #node>
}

// The same of a slice.
// CHECK-LABEL: func @narrow_slice(
//   CHECK-DAG:   rgnn.linear %{{.*}}, tensor<4x8xf64>
//   CHECK-DAG:   rgnn.linear %{{.*}}#rgnn.rows{{.*}}, tensor<4x2xf64>
//   CHECK-NOT:   tensor<4x12xf64>{{$}}
//       CHECK:   return
func.func @narrow_slice(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<4x12xf64>, %b: tensor<12xf64>, %q: tensor<8x2xf64>)
    -> (tensor<?x8xf64, #node>, tensor<?x2xf64, #node>) {
  %z = rgnn.linear %x, %w : tensor<?x4xf64, #node>, tensor<4x12xf64>
  %c = rgnn.map %z, %b : (tensor<?x12xf64, #node>, tensor<12xf64>) -> tensor<?x12xf64, #node> {
  ^bb0(%i: f64, %j: f64):
    %0 = arith.addf %i, %j : f64
    rgnn.yield %0 : f64
  }
  %d = rgnn.slice %c dim 1 from 4 size 8 : tensor<?x12xf64, #node>
  %s = rgnn.linear %d, %q : tensor<?x8xf64, #node>, tensor<8x2xf64>
  return %d, %s : tensor<?x8xf64, #node>, tensor<?x2xf64, #node>
}

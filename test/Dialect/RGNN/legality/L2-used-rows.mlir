// L2: rows of the first product that something else reads are computed anyway. In RGAT those of sources are messages:
// their score costs one narrow product more, and a product of their own would cost a row of `x` for each column. Those
// of destinations are read for their score alone.

// RUN: split-file %s %t
// RUN: rgnn-opt %t/right.mlir --rgnn-reorder-linear | FileCheck %s
// RUN: rgnn-opt %t/right.mlir --rgnn-reorder-linear --mlir-disable-threading --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not rgnn-translate --rgnn-check-equivalent --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: rgnn-opt %t/right.mlir --rgnn-reorder-linear -o %t/taken.mlir
// RUN: rgnn-translate --rgnn-check-equivalent --against=%t/taken.mlir %t/right.mlir | FileCheck %s --check-prefix=EQUAL
// RUN: rgnn-translate --rgnn-check-gradient --seeds=4 %t/taken.mlir | FileCheck %s --check-prefix=GRADIENT

// DIFFER: error: with seed 0, result 0: expected
// EQUAL: @rgat: equivalent on 16 seeds
// GRADIENT: @rgat: gradients agree on 4 seeds

// REMARK-DAG: Missed{{.*}}Function=rgat {{.*}}weights are not multiplied first: its rows are also used without the second product
// REMARK-DAG: Passed{{.*}}Function=rgat {{.*}}weights are multiplied first
// CHECK-LABEL: func.func @rgat(
//   CHECK-DAG: %[[U:.*]] = rgnn.gather src
//   CHECK-DAG: %[[V:.*]] = rgnn.gather dst
//   CHECK-DAG: %[[ZU:.*]] = rgnn.typed_linear %[[U]], %{{.*}} tensor<3x4x4xf64>
//   CHECK-DAG: rgnn.linear %[[ZU]], %{{.*}} tensor<4x2xf64>
//   CHECK-DAG: rgnn.typed_linear %[[V]], %{{.*}} tensor<3x4x2xf64>
//   CHECK-NOT: rgnn.typed_linear

//--- right.mlir
#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

// Two heads, whose attention vectors read all columns, as in PyG's layer.
func.func @rgat(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<3x4x4xf64>, %q: tensor<4x2xf64>, %k: tensor<4x2xf64>) -> tensor<?x2x2xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x4xf64, #node>
  %zu = rgnn.typed_linear %u, %w by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x4xf64>
  %zv = rgnn.typed_linear %v, %w by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x4xf64>
  %au = rgnn.linear %zu, %k : tensor<?x4xf64, #edge>, tensor<4x2xf64>
  %av = rgnn.linear %zv, %q : tensor<?x4xf64, #edge>, tensor<4x2xf64>
  %l = rgnn.map %au, %av : (tensor<?x2xf64, #edge>, tensor<?x2xf64, #edge>) -> tensor<?x2xf64, #edge> {
  ^bb0(%i: f64, %j: f64):
    %zero = arith.constant 0.0 : f64
    %slope = arith.constant 0.2 : f64
    %s = arith.addf %i, %j : f64
    %c = arith.cmpf oge, %s, %zero : f64
    %t = arith.mulf %s, %slope : f64
    %o = arith.select %c, %s, %t : f64
    rgnn.yield %o : f64
  }
  %a = rgnn.group_softmax dst %l in %g : tensor<?x2xf64, #edge>
  %b = rgnn.reshape %a : tensor<?x2xf64, #edge> -> tensor<?x2x1xf64, #edge>
  %z = rgnn.reshape %zu : tensor<?x4xf64, #edge> -> tensor<?x2x2xf64, #edge>
  %m = rgnn.map %z, %b : (tensor<?x2x2xf64, #edge>, tensor<?x2x1xf64, #edge>) -> tensor<?x2x2xf64, #edge> {
  ^bb0(%i: f64, %j: f64):
    %p = arith.mulf %i, %j : f64
    rgnn.yield %p : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x2x2xf64, #edge>
  return %y : tensor<?x2x2xf64, #node>
}

//--- wrong.mlir
#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

// Both scores are of products of weights, and nothing has made the messages: features take their place.
func.func @rgat(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<3x4x4xf64>, %q: tensor<4x2xf64>, %k: tensor<4x2xf64>) -> tensor<?x2x2xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %v = rgnn.gather dst %x in %g : tensor<?x4xf64, #node>
  %r = rgnn.reshape %w : tensor<3x4x4xf64> -> tensor<12x4xf64>
  %wk0 = rgnn.linear %r, %k : tensor<12x4xf64>, tensor<4x2xf64>
  %wk = rgnn.reshape %wk0 : tensor<12x2xf64> -> tensor<3x4x2xf64>
  %wq0 = rgnn.linear %r, %q : tensor<12x4xf64>, tensor<4x2xf64>
  %wq = rgnn.reshape %wq0 : tensor<12x2xf64> -> tensor<3x4x2xf64>
  %au = rgnn.typed_linear %u, %wk by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x2xf64>
  %av = rgnn.typed_linear %v, %wq by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x2xf64>
  %l = rgnn.map %au, %av : (tensor<?x2xf64, #edge>, tensor<?x2xf64, #edge>) -> tensor<?x2xf64, #edge> {
  ^bb0(%i: f64, %j: f64):
    %zero = arith.constant 0.0 : f64
    %slope = arith.constant 0.2 : f64
    %s = arith.addf %i, %j : f64
    %c = arith.cmpf oge, %s, %zero : f64
    %t = arith.mulf %s, %slope : f64
    %o = arith.select %c, %s, %t : f64
    rgnn.yield %o : f64
  }
  %a = rgnn.group_softmax dst %l in %g : tensor<?x2xf64, #edge>
  %b = rgnn.reshape %a : tensor<?x2xf64, #edge> -> tensor<?x2x1xf64, #edge>
  %z = rgnn.reshape %u : tensor<?x4xf64, #edge> -> tensor<?x2x2xf64, #edge>
  %m = rgnn.map %z, %b : (tensor<?x2x2xf64, #edge>, tensor<?x2x1xf64, #edge>) -> tensor<?x2x2xf64, #edge> {
  ^bb0(%i: f64, %j: f64):
    %p = arith.mulf %i, %j : f64
    rgnn.yield %p : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x2x2xf64, #edge>
  return %y : tensor<?x2x2xf64, #node>
}

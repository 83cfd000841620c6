// L1: products commute with products. A bias between them is multiplied, too; an activation, or dropout, forbids it.

// RUN: split-file %s %t
// RUN: rgnn-opt %t/right.mlir --rgnn-reorder-linear | FileCheck %s
// RUN: rgnn-opt %t/right.mlir --rgnn-reorder-linear --mlir-disable-threading --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=activation --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=dropout --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=bias --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: rgnn-opt %t/right.mlir --rgnn-reorder-linear -o %t/taken.mlir
// RUN: rgnn-translate --rgnn-check-equivalent --against=%t/taken.mlir %t/right.mlir | FileCheck %s --check-prefix=EQUAL

// DIFFER: error: with seed 0, result 0: expected

// REMARK: Missed{{.*}}Function=activation {{.*}}weights are not multiplied first: something else than a bias is between the products
// REMARK: Missed{{.*}}Function=dropout {{.*}}weights are not multiplied first: something else than a bias is between the products
// REMARK: Passed{{.*}}Function=bias {{.*}}weights are multiplied first
// CHECK-LABEL: func.func @activation(
// CHECK-COUNT-2: rgnn.linear
// CHECK-LABEL: func.func @dropout(
// CHECK-COUNT-2: rgnn.linear
// CHECK-LABEL: func.func @bias(
//       CHECK: %[[Z:.*]] = rgnn.linear {{.*}} : tensor<?x6xf64, {{.*}}>, tensor<6x2xf64>
//       CHECK: rgnn.map %[[Z]], %{{.*}} : (tensor<?x2xf64, {{.*}}>, tensor<2xf64>)

// EQUAL: @activation: equivalent on 16 seeds
// EQUAL: @dropout: equivalent on 16 seeds
// EQUAL: @bias: equivalent on 16 seeds

//--- right.mlir
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

func.func @activation(%g: !rgnn.graph<@g0>, %x: tensor<?x6xf64, #node>, %w: tensor<6x6xf64>, %v: tensor<6x2xf64>) -> tensor<?x2xf64, #node> {
  %0 = rgnn.linear %x, %w : tensor<?x6xf64, #node>, tensor<6x6xf64>
  %1 = rgnn.map %0 : (tensor<?x6xf64, #node>) -> tensor<?x6xf64, #node> {
  ^bb0(%i: f64):
    %zero = arith.constant 0.0 : f64
    %m = arith.maximumf %i, %zero : f64
    rgnn.yield %m : f64
  }
  %2 = rgnn.linear %1, %v : tensor<?x6xf64, #node>, tensor<6x2xf64>
  return %2 : tensor<?x2xf64, #node>
}

// The mask differs among the columns of a row.
func.func @dropout(%g: !rgnn.graph<@g0>, %x: tensor<?x6xf64, #node>, %mask: tensor<?x6xf64, #node>, %w: tensor<6x6xf64>, %v: tensor<6x2xf64>) -> tensor<?x2xf64, #node> {
  %0 = rgnn.linear %x, %w : tensor<?x6xf64, #node>, tensor<6x6xf64>
  %1 = rgnn.map %0, %mask : (tensor<?x6xf64, #node>, tensor<?x6xf64, #node>) -> tensor<?x6xf64, #node> {
  ^bb0(%i: f64, %j: f64):
    %m = arith.mulf %i, %j : f64
    rgnn.yield %m : f64
  }
  %2 = rgnn.linear %1, %v : tensor<?x6xf64, #node>, tensor<6x2xf64>
  return %2 : tensor<?x2xf64, #node>
}

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

//--- wrong.mlir
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)

// The activation behind both products.
func.func @activation(%g: !rgnn.graph<@g0>, %x: tensor<?x6xf64, #node>, %w: tensor<6x6xf64>, %v: tensor<6x2xf64>) -> tensor<?x2xf64, #node> {
  %p = rgnn.linear %w, %v : tensor<6x6xf64>, tensor<6x2xf64>
  %0 = rgnn.linear %x, %p : tensor<?x6xf64, #node>, tensor<6x2xf64>
  %1 = rgnn.map %0 : (tensor<?x2xf64, #node>) -> tensor<?x2xf64, #node> {
  ^bb0(%i: f64):
    %zero = arith.constant 0.0 : f64
    %m = arith.maximumf %i, %zero : f64
    rgnn.yield %m : f64
  }
  return %1 : tensor<?x2xf64, #node>
}

// The mask in front of both products.
func.func @dropout(%g: !rgnn.graph<@g0>, %x: tensor<?x6xf64, #node>, %mask: tensor<?x6xf64, #node>, %w: tensor<6x6xf64>, %v: tensor<6x2xf64>) -> tensor<?x2xf64, #node> {
  %p = rgnn.linear %w, %v : tensor<6x6xf64>, tensor<6x2xf64>
  %0 = rgnn.map %x, %mask : (tensor<?x6xf64, #node>, tensor<?x6xf64, #node>) -> tensor<?x6xf64, #node> {
  ^bb0(%i: f64, %j: f64):
    %m = arith.mulf %i, %j : f64
    rgnn.yield %m : f64
  }
  %1 = rgnn.linear %0, %p : tensor<?x6xf64, #node>, tensor<6x2xf64>
  return %1 : tensor<?x2xf64, #node>
}

// The bias, of which only the first columns are left, is not multiplied.
func.func @bias(%g: !rgnn.graph<@g0>, %x: tensor<?x6xf64, #node>, %w: tensor<6x6xf64>, %b: tensor<6xf64>, %v: tensor<6x2xf64>) -> tensor<?x2xf64, #node> {
  %p = rgnn.linear %w, %v : tensor<6x6xf64>, tensor<6x2xf64>
  %0 = rgnn.linear %x, %p : tensor<?x6xf64, #node>, tensor<6x2xf64>
  %c = rgnn.slice %b dim 0 from 0 size 2 : tensor<6xf64>
  %1 = rgnn.map %0, %c : (tensor<?x2xf64, #node>, tensor<2xf64>) -> tensor<?x2xf64, #node> {
  ^bb0(%i: f64, %j: f64):
    %s = arith.addf %i, %j : f64
    rgnn.yield %s : f64
  }
  return %1 : tensor<?x2xf64, #node>
}

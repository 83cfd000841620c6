// L8: rows are reduced before they are multiplied only by a sum or mean: the product of a maximum is not the maximum of
// the products. Nor do rows come first that the weights of the sum are computed from.

// RUN: split-file %s %t
// RUN: rgnn-opt %t/right.mlir --rgnn-aggregate-first --remarks-filter=".*" 2>%t/remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t/remarks
// RUN: %check_numeric %t/right.mlir --rgnn-aggregate-first
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=maximum --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=weighted --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: with seed {{[0-9]+}}, result 0: expected {{.*}}, got

// CHECK-LABEL: func @maximum(
//       CHECK:   rgnn.typed_linear %{{.*}} : tensor<?x4xf64, #rgnn.rows<edge, @g0>>
// CHECK-LABEL: func @weighted(
//       CHECK:   rgnn.typed_linear %{{.*}} : tensor<?x4xf64, #rgnn.rows<edge, @g0>>
// REMARK: Missed{{.*}}Function=maximum {{.*}}rows are multiplied before they are summed: they are reduced by something else than a sum or mean
// REMARK: Missed{{.*}}Function=weighted {{.*}}rows are multiplied before they are summed: the rows are also used otherwise

//--- right.mlir
#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

func.func @maximum(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<3x4x2xf64>) -> tensor<?x2xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x2xf64>
  %y = rgnn.reduce max dst %z in %g : tensor<?x2xf64, #edge>
  return %y : tensor<?x2xf64, #node>
}

// Each message weighs as much as its own numbers say.
func.func @weighted(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<3x4x2xf64>) -> tensor<?x2xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x2xf64>
  %s = rgnn.reduce_features sum %z dim 1 : tensor<?x2xf64, #edge>
  %s1 = rgnn.reshape %s : tensor<?xf64, #edge> -> tensor<?x1xf64, #edge>
  %e = rgnn.map %s1 : (tensor<?x1xf64, #edge>) -> tensor<?x1xf64, #edge> {
  ^bb0(%a: f64):
    %p = math.exp %a : f64
    rgnn.yield %p : f64
  }
  %m = rgnn.map %z, %e : (tensor<?x2xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x2xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    rgnn.yield %p : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x2xf64, #edge>
  return %y : tensor<?x2xf64, #node>
}

//--- wrong.mlir
#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
#dst_pair = #rgnn.rows<dst_pair, @g0>
rgnn.schema @g0 edge_types(3)

func.func @maximum(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<3x4x2xf64>) -> tensor<?x2xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %m = rgnn.reduce max dst_pair %u in %g : tensor<?x4xf64, #edge>
  %z = rgnn.typed_linear %m, %w by etype in %g : tensor<?x4xf64, #dst_pair>, tensor<3x4x2xf64>
  %y = rgnn.reduce max dst %z in %g : tensor<?x2xf64, #dst_pair>
  return %y : tensor<?x2xf64, #node>
}

func.func @weighted(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<3x4x2xf64>) -> tensor<?x2xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %sum = rgnn.reduce sum dst_pair %u in %g : tensor<?x4xf64, #edge>
  %z = rgnn.typed_linear %sum, %w by etype in %g : tensor<?x4xf64, #dst_pair>, tensor<3x4x2xf64>
  %s = rgnn.reduce_features sum %z dim 1 : tensor<?x2xf64, #dst_pair>
  %s1 = rgnn.reshape %s : tensor<?xf64, #dst_pair> -> tensor<?x1xf64, #dst_pair>
  %e = rgnn.map %s1 : (tensor<?x1xf64, #dst_pair>) -> tensor<?x1xf64, #dst_pair> {
  ^bb0(%a: f64):
    %p = math.exp %a : f64
    rgnn.yield %p : f64
  }
  %m = rgnn.map %z, %e : (tensor<?x2xf64, #dst_pair>, tensor<?x1xf64, #dst_pair>) -> tensor<?x2xf64, #dst_pair> {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    rgnn.yield %p : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x2xf64, #dst_pair>
  return %y : tensor<?x2xf64, #node>
}

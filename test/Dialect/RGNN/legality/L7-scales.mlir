// L7: a factor of rows goes behind their sum only where it is the same for all that are summed: for the edges of a
// destination, or of a destination and type. An attention weight is not: it stays in front, with the rows that are
// summed, and weights of several heads, which the product mixes, with its rows.

// RUN: split-file %s %t
// RUN: rgnn-opt %t/right.mlir --rgnn-aggregate-first --remarks-filter=".*" 2>%t/remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t/remarks
// RUN: %check_numeric %t/right.mlir --rgnn-aggregate-first
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=attention --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=heads --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=source --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: with seed {{[0-9]+}}, result 0: expected {{.*}}, got

// CHECK-LABEL: func @attention(
//       CHECK:   %[[M:.*]] = rgnn.map {{.*}} -> tensor<?x4xf64, #rgnn.rows<edge, @g0>>
//       CHECK:   %[[S:.*]] = rgnn.reduce sum dst_pair %[[M]]
//       CHECK:   %[[Z:.*]] = rgnn.typed_linear %[[S]],
//       CHECK:   rgnn.reduce sum dst %[[Z]]
// CHECK-LABEL: func @source(
//       CHECK:   %[[M:.*]] = rgnn.map {{.*}} -> tensor<?x4xf64, #rgnn.rows<edge, @g0>>
//       CHECK:   %[[S:.*]] = rgnn.reduce sum dst_pair %[[M]]
//       CHECK:   %[[Z:.*]] = rgnn.typed_linear %[[S]],
//       CHECK:   rgnn.reduce sum dst %[[Z]]
// CHECK-LABEL: func @heads(
//       CHECK:   rgnn.typed_linear %{{.*}} : tensor<?x4xf64, #rgnn.rows<edge, @g0>>
// CHECK-LABEL: func @destination(
//       CHECK:   rgnn.typed_linear %{{.*}} : tensor<?x4xf64, #rgnn.rows<dst_pair, @g0>>
// REMARK: Passed{{.*}}Function=attention {{.*}}rows are summed before they are multiplied
// REMARK: Passed{{.*}}Function=source {{.*}}rows are summed before they are multiplied
// REMARK: Missed{{.*}}Function=heads {{.*}}rows are multiplied before they are summed: the factors of a row differ among the edges of an end and type
// REMARK: Passed{{.*}}Function=destination {{.*}}rows are summed before they are multiplied

//--- right.mlir
#node = #rgnn.rows<node, @g0>
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

func.func @attention(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<3x4x2xf64>, %s: tensor<?x1xf64, #edge>) -> tensor<?x2xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x2xf64>
  %m = rgnn.map %z, %s : (tensor<?x2xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x2xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    rgnn.yield %p : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x2xf64, #edge>
  return %y : tensor<?x2xf64, #node>
}

// The norm of a source differs among the edges of a destination.
func.func @source(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<3x4x2xf64>, %n: tensor<?x1xf64, #node>) -> tensor<?x2xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %nu = rgnn.gather src %n in %g : tensor<?x1xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x2xf64>
  %m = rgnn.map %z, %nu : (tensor<?x2xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x2xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    rgnn.yield %p : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x2xf64, #edge>
  return %y : tensor<?x2xf64, #node>
}

// The columns of a row have weights of their own, that of one is none of the row.
func.func @heads(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<3x4x2xf64>, %s: tensor<?x2xf64, #edge>) -> tensor<?x2xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x2xf64>
  %m = rgnn.map %z, %s : (tensor<?x2xf64, #edge>, tensor<?x2xf64, #edge>) -> tensor<?x2xf64, #edge> {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    rgnn.yield %p : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x2xf64, #edge>
  return %y : tensor<?x2xf64, #node>
}

// That of a destination does not.
func.func @destination(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<3x4x2xf64>, %n: tensor<?x1xf64, #node>) -> tensor<?x2xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %nv = rgnn.gather dst %n in %g : tensor<?x1xf64, #node>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x4xf64, #edge>, tensor<3x4x2xf64>
  %m = rgnn.map %z, %nv : (tensor<?x2xf64, #edge>, tensor<?x1xf64, #edge>) -> tensor<?x2xf64, #edge> {
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

// The sum of the rows times the mean of the factors.
func.func @attention(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<3x4x2xf64>, %s: tensor<?x1xf64, #edge>) -> tensor<?x2xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %sum = rgnn.reduce sum dst_pair %u in %g : tensor<?x4xf64, #edge>
  %sp = rgnn.reduce mean dst_pair %s in %g : tensor<?x1xf64, #edge>
  %z = rgnn.typed_linear %sum, %w by etype in %g : tensor<?x4xf64, #dst_pair>, tensor<3x4x2xf64>
  %m = rgnn.map %z, %sp : (tensor<?x2xf64, #dst_pair>, tensor<?x1xf64, #dst_pair>) -> tensor<?x2xf64, #dst_pair> {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    rgnn.yield %p : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x2xf64, #dst_pair>
  return %y : tensor<?x2xf64, #node>
}

// The norm of the destination instead.
func.func @source(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<3x4x2xf64>, %n: tensor<?x1xf64, #node>) -> tensor<?x2xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %sum = rgnn.reduce sum dst_pair %u in %g : tensor<?x4xf64, #edge>
  %nv = rgnn.gather dst %n in %g to dst_pair : tensor<?x1xf64, #node>
  %z = rgnn.typed_linear %sum, %w by etype in %g : tensor<?x4xf64, #dst_pair>, tensor<3x4x2xf64>
  %m = rgnn.map %z, %nv : (tensor<?x2xf64, #dst_pair>, tensor<?x1xf64, #dst_pair>) -> tensor<?x2xf64, #dst_pair> {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    rgnn.yield %p : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x2xf64, #dst_pair>
  return %y : tensor<?x2xf64, #node>
}

// The sum of the rows times the mean of the weights of each column.
func.func @heads(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #node>, %w: tensor<3x4x2xf64>, %s: tensor<?x2xf64, #edge>) -> tensor<?x2xf64, #node> {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #node>
  %sum = rgnn.reduce sum dst_pair %u in %g : tensor<?x4xf64, #edge>
  %sp = rgnn.reduce mean dst_pair %s in %g : tensor<?x2xf64, #edge>
  %z = rgnn.typed_linear %sum, %w by etype in %g : tensor<?x4xf64, #dst_pair>, tensor<3x4x2xf64>
  %m = rgnn.map %z, %sp : (tensor<?x2xf64, #dst_pair>, tensor<?x2xf64, #dst_pair>) -> tensor<?x2xf64, #dst_pair> {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    rgnn.yield %p : f64
  }
  %y = rgnn.reduce sum dst %m in %g : tensor<?x2xf64, #dst_pair>
  return %y : tensor<?x2xf64, #node>
}

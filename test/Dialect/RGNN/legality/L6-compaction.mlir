// L6: rows of unique pairs are those of edges only where a row depends on nothing but an end and the type. Anything that
// is given for edges forbids it, a mask of dropout among it. The gradient of a pair's row is the sum over its edges.

// RUN: split-file %s %t
// RUN: rgnn-opt %t/right.mlir --rgnn-compact --remarks-filter=".*" 2>%t/remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t/remarks
// RUN: %check_numeric %t/right.mlir --rgnn-compact
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=message --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=gradient --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: with seed {{[0-9]+}}, result 0: expected {{.*}}, got

// The gradient of compact rows, as the pass and `rgnn-differentiate` build it.
// RUN: rgnn-opt %t/right.mlir --rgnn-compact --rgnn-differentiate --canonicalize --cse | FileCheck %s --check-prefix=BACKWARD
// RUN: rgnn-opt %t/right.mlir --rgnn-compact | rgnn-translate --rgnn-check-gradient

// CHECK-LABEL: func @message(
//       CHECK:   rgnn.typed_linear %{{.*}} : tensor<?x4xf64, #rgnn.rows<edge, @g0>>
// CHECK-LABEL: func @plain(
//       CHECK:   rgnn.typed_linear %{{.*}} : tensor<?x4xf64, #rgnn.rows<src_pair, @g0>>
// REMARK: Missed{{.*}}Function=message {{.*}}rgnn.typed_linear stays on edges: its rows depend on more than src_pair or dst_pair
// BACKWARD-LABEL: func @plain_backward(
//       BACKWARD:   rgnn.reduce sum src_pair

//--- right.mlir
rgnn.schema @g0 edge_types(3)

func.func @message(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #rgnn.rows<node, @g0>>, %mask: tensor<?x4xf64, #rgnn.rows<edge, @g0>>, %w: tensor<3x4x2xf64>)
    -> tensor<?x2xf64, #rgnn.rows<edge, @g0>> {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #rgnn.rows<node, @g0>>
  %m = rgnn.map %u, %mask : (tensor<?x4xf64, #rgnn.rows<edge, @g0>>, tensor<?x4xf64, #rgnn.rows<edge, @g0>>) -> tensor<?x4xf64, #rgnn.rows<edge, @g0>> {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    rgnn.yield %p : f64
  }
  %z = rgnn.typed_linear %m, %w by etype in %g : tensor<?x4xf64, #rgnn.rows<edge, @g0>>, tensor<3x4x2xf64>
  return %z : tensor<?x2xf64, #rgnn.rows<edge, @g0>>
}

func.func @plain(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #rgnn.rows<node, @g0>>, %w: tensor<3x4x2xf64>) -> tensor<?x2xf64, #rgnn.rows<edge, @g0>> {
  %u = rgnn.gather src %x in %g : tensor<?x4xf64, #rgnn.rows<node, @g0>>
  %z = rgnn.typed_linear %u, %w by etype in %g : tensor<?x4xf64, #rgnn.rows<edge, @g0>>, tensor<3x4x2xf64>
  return %z : tensor<?x2xf64, #rgnn.rows<edge, @g0>>
}

// The gradient of @plain by %x, on edges.
func.func @gradient(%g: !rgnn.graph<@g0>, %dz: tensor<?x2xf64, #rgnn.rows<edge, @g0>>, %w: tensor<3x2x4xf64>) -> tensor<?x4xf64, #rgnn.rows<node, @g0>> {
  %du = rgnn.typed_linear %dz, %w by etype in %g : tensor<?x2xf64, #rgnn.rows<edge, @g0>>, tensor<3x2x4xf64>
  %dx = rgnn.reduce sum src %du in %g : tensor<?x4xf64, #rgnn.rows<edge, @g0>>
  return %dx : tensor<?x4xf64, #rgnn.rows<node, @g0>>
}

//--- wrong.mlir
rgnn.schema @g0 edge_types(3)

// One mask for all edges of a pair.
func.func @message(%g: !rgnn.graph<@g0>, %x: tensor<?x4xf64, #rgnn.rows<node, @g0>>, %mask: tensor<?x4xf64, #rgnn.rows<edge, @g0>>, %w: tensor<3x4x2xf64>)
    -> tensor<?x2xf64, #rgnn.rows<edge, @g0>> {
  %u = rgnn.gather src %x in %g to src_pair : tensor<?x4xf64, #rgnn.rows<node, @g0>>
  %one = rgnn.reduce max src_pair %mask in %g : tensor<?x4xf64, #rgnn.rows<edge, @g0>>
  %m = rgnn.map %u, %one : (tensor<?x4xf64, #rgnn.rows<src_pair, @g0>>, tensor<?x4xf64, #rgnn.rows<src_pair, @g0>>) -> tensor<?x4xf64, #rgnn.rows<src_pair, @g0>> {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    rgnn.yield %p : f64
  }
  %p = rgnn.typed_linear %m, %w by etype in %g : tensor<?x4xf64, #rgnn.rows<src_pair, @g0>>, tensor<3x4x2xf64>
  %z = rgnn.gather src_pair %p in %g : tensor<?x2xf64, #rgnn.rows<src_pair, @g0>>
  return %z : tensor<?x2xf64, #rgnn.rows<edge, @g0>>
}

// One of the edges for all of a pair.
func.func @gradient(%g: !rgnn.graph<@g0>, %dz: tensor<?x2xf64, #rgnn.rows<edge, @g0>>, %w: tensor<3x2x4xf64>) -> tensor<?x4xf64, #rgnn.rows<node, @g0>> {
  %dp = rgnn.reduce max src_pair %dz in %g : tensor<?x2xf64, #rgnn.rows<edge, @g0>>
  %du = rgnn.typed_linear %dp, %w by etype in %g : tensor<?x2xf64, #rgnn.rows<src_pair, @g0>>, tensor<3x2x4xf64>
  %dx = rgnn.reduce sum src %du in %g : tensor<?x4xf64, #rgnn.rows<src_pair, @g0>>
  return %dx : tensor<?x4xf64, #rgnn.rows<node, @g0>>
}

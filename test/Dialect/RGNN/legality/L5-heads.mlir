// L5: heads are blocks. A product for each head behind one of all columns stays one for each head; where the heads of
// both products are not the same columns, there is no product of blocks.

// RUN: split-file %s %t
// RUN: rgnn-opt %t/right.mlir --rgnn-reorder-linear | FileCheck %s
// RUN: rgnn-opt %t/right.mlir --rgnn-reorder-linear --mlir-disable-threading --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: rgnn-opt %t/right.mlir --rgnn-reorder-linear -o %t/taken.mlir
// RUN: rgnn-translate --rgnn-check-equivalent --against=%t/taken.mlir %t/right.mlir | FileCheck %s --check-prefix=EQUAL
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=blocks --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=other_heads --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: not rgnn-translate --rgnn-check-equivalent --entry=joined_heads --against=%t/wrong.mlir %t/right.mlir 2>&1 | FileCheck %s --check-prefix=DIFFER

// DIFFER: error: with seed 0, result 0: expected
// EQUAL: @blocks: equivalent on 16 seeds
// EQUAL: @other_heads: equivalent on 16 seeds
// EQUAL: @joined_heads: equivalent on 16 seeds

// REMARK: Passed{{.*}}Function=blocks {{.*}}weights are multiplied first
// REMARK: Missed{{.*}}Function=other_heads {{.*}}weights are not multiplied first: the second product has other heads than the first
// REMARK: Missed{{.*}}Function=joined_heads {{.*}}weights are not multiplied first: the second product has other heads than the first
// CHECK-LABEL: func.func @blocks(
//       CHECK: rgnn.matmul %{{.*}} : tensor<3x2x2x2xf64>, tensor<3x2x2x2xf64>
//       CHECK: rgnn.typed_linear %{{.*}} : tensor<?x2xf64, {{.*}}>, tensor<3x2x4xf64>
// CHECK-LABEL: func.func @other_heads(
// CHECK-COUNT-2: rgnn.typed_linear
// CHECK-LABEL: func.func @joined_heads(
//   CHECK-NOT: rgnn.matmul
//       CHECK: %[[Z:.*]] = rgnn.typed_linear %{{.*}} : tensor<?x2x2xf64, {{.*}}>, tensor<3x2x2x2xf64>
//       CHECK: %[[J:.*]] = rgnn.reshape %[[Z]]
//       CHECK: rgnn.linear %[[J]], %{{.*}} tensor<4x1xf64>

//--- right.mlir
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

func.func @blocks(%g: !rgnn.graph<@g0>, %x: tensor<?x2xf64, #edge>, %w: tensor<3x2x4xf64>, %v: tensor<3x2x2x2xf64>) -> tensor<?x2x2xf64, #edge> {
  %0 = rgnn.typed_linear %x, %w by etype in %g : tensor<?x2xf64, #edge>, tensor<3x2x4xf64>
  %1 = rgnn.reshape %0 : tensor<?x4xf64, #edge> -> tensor<?x2x2xf64, #edge>
  %2 = rgnn.typed_linear %1, %v by etype in %g : tensor<?x2x2xf64, #edge>, tensor<3x2x2x2xf64>
  return %2 : tensor<?x2x2xf64, #edge>
}

// Two heads of two columns, then one of four.
func.func @other_heads(%g: !rgnn.graph<@g0>, %x: tensor<?x2x2xf64, #edge>, %w: tensor<3x2x2x2xf64>, %v: tensor<3x1x4x2xf64>) -> tensor<?x1x2xf64, #edge> {
  %0 = rgnn.typed_linear %x, %w by etype in %g : tensor<?x2x2xf64, #edge>, tensor<3x2x2x2xf64>
  %1 = rgnn.reshape %0 : tensor<?x2x2xf64, #edge> -> tensor<?x1x4xf64, #edge>
  %2 = rgnn.typed_linear %1, %v by etype in %g : tensor<?x1x4xf64, #edge>, tensor<3x1x4x2xf64>
  return %2 : tensor<?x1x2xf64, #edge>
}

// Heads that one weight reads together.
func.func @joined_heads(%g: !rgnn.graph<@g0>, %x: tensor<?x2x2xf64, #edge>, %w: tensor<3x2x2x2xf64>, %v: tensor<4x1xf64>) -> tensor<?x1xf64, #edge> {
  %0 = rgnn.typed_linear %x, %w by etype in %g : tensor<?x2x2xf64, #edge>, tensor<3x2x2x2xf64>
  %1 = rgnn.reshape %0 : tensor<?x2x2xf64, #edge> -> tensor<?x4xf64, #edge>
  %2 = rgnn.linear %1, %v : tensor<?x4xf64, #edge>, tensor<4x1xf64>
  return %2 : tensor<?x1xf64, #edge>
}

//--- wrong.mlir
#edge = #rgnn.rows<edge, @g0>
rgnn.schema @g0 edge_types(3)

// Columns of the first weight are taken two by two for heads as they lie in `[in, heads, K]`, not in `[heads, in, K]`.
func.func @blocks(%g: !rgnn.graph<@g0>, %x: tensor<?x2xf64, #edge>, %w: tensor<3x2x4xf64>, %v: tensor<3x2x2x2xf64>) -> tensor<?x2x2xf64, #edge> {
  %b = rgnn.reshape %w : tensor<3x2x4xf64> -> tensor<3x2x2x2xf64>
  %p = rgnn.matmul %b, %v : tensor<3x2x2x2xf64>, tensor<3x2x2x2xf64>
  %q = rgnn.reshape %p : tensor<3x2x2x2xf64> -> tensor<3x2x4xf64>
  %0 = rgnn.typed_linear %x, %q by etype in %g : tensor<?x2xf64, #edge>, tensor<3x2x4xf64>
  %1 = rgnn.reshape %0 : tensor<?x4xf64, #edge> -> tensor<?x2x2xf64, #edge>
  return %1 : tensor<?x2x2xf64, #edge>
}

// One product for each of the first heads, and the last one's columns alone.
func.func @other_heads(%g: !rgnn.graph<@g0>, %x: tensor<?x2x2xf64, #edge>, %w: tensor<3x2x2x2xf64>, %v: tensor<3x1x4x2xf64>) -> tensor<?x1x2xf64, #edge> {
  %b = rgnn.reshape %v : tensor<3x1x4x2xf64> -> tensor<3x2x2x2xf64>
  %p = rgnn.matmul %w, %b : tensor<3x2x2x2xf64>, tensor<3x2x2x2xf64>
  %0 = rgnn.typed_linear %x, %p by etype in %g : tensor<?x2x2xf64, #edge>, tensor<3x2x2x2xf64>
  %1 = rgnn.slice %0 dim 1 from 1 size 1 : tensor<?x2x2xf64, #edge>
  return %1 : tensor<?x1x2xf64, #edge>
}

// Every head multiplied by the rows of the weight that belong to the first.
func.func @joined_heads(%g: !rgnn.graph<@g0>, %x: tensor<?x2x2xf64, #edge>, %w: tensor<3x2x2x2xf64>, %v: tensor<4x1xf64>) -> tensor<?x1xf64, #edge> {
  %first = rgnn.slice %v dim 0 from 0 size 2 : tensor<4x1xf64>
  %rows = rgnn.reshape %w : tensor<3x2x2x2xf64> -> tensor<12x2xf64>
  %p = rgnn.linear %rows, %first : tensor<12x2xf64>, tensor<2x1xf64>
  %q = rgnn.reshape %p : tensor<12x1xf64> -> tensor<3x2x2x1xf64>
  %0 = rgnn.typed_linear %x, %q by etype in %g : tensor<?x2x2xf64, #edge>, tensor<3x2x2x1xf64>
  %1 = rgnn.reduce_features sum %0 dim 1 : tensor<?x2x1xf64, #edge>
  return %1 : tensor<?x1xf64, #edge>
}
